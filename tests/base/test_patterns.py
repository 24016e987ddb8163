"""Patterns that end, and those that do not."""

import re

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from whyword import InputError
from whyword.base.patterns import check_pattern

QUICK = [
    TfidfVectorizer().token_pattern,
    "",
    "x" * 20,
    "ab" * 40,  # literal, of any length
    *r"""
    \S+ \w+(?:-\w+)* (?u)\b\w[\w'-]*\b [A-Za-z]+(?:['’-][A-Za-z]+)*|\d+(?:[.,]\d+)*|[^\w\s]
    (?i)https?://\S+|\w+@\w+(?:\.\w+)+|#\w+ (?:\d{2}){2}-\d{4} (?:[A-Z]\.)+ (?<!\w)\w{2,20}(?!\w)
    [a-z]+\w* a? (?>\w+)-\w*? (?:ab|cd)* (?:\w|\d)+x \w+(?:$|\b)
    """.split(),
]
SLOW = [
    "(?:|)" * 40 + "b",
    "(?:" * 300 + "a" + ")" * 300 + "(?:ab?|b)*",
    "[ab]c" * 20,  # nothing is repeated, but it is too long to be checked
    *r"""
    (a+)+b (a*)*b (?:ab?|b)*c (?:a|aa)+b (?:\w\d?|\d)+x (?:\w+\s?)*x (?i)(?:ab?|B)*c
    (?:[\U00010000-\U0001ffff]\w?|\w)*x (?:a?){30}a{30} (?:a{1,30}){1,30}b (?:a+){8}b
    \w*\w*\w*\w*x (?:.*a){11} (?=(a+)+b)a (a)\1+ (?:(?i:a)|A)+b (?:(?s:.)|\n)*b (?:(?=a*c)a)*
    (?i:a) ([a-z]+)*= (?:a|a)*b (?:ab|ab)*c (?:(?:(?=a))?a)*c
    """.split(),
]


@pytest.mark.parametrize("pattern", QUICK)
def test_patterns_that_end(pattern: str) -> None:
    assert check_pattern("token_pattern", pattern) == re.compile(pattern)


@pytest.mark.parametrize("pattern", SLOW)
def test_patterns_that_may_not_end(pattern: str) -> None:
    with pytest.raises(InputError, match=r"^token_pattern could read some texts in so many ways"):
        check_pattern("token_pattern", pattern)


def test_repetitions_side_by_side() -> None:
    assert check_pattern("ignore", r"a*a*b", parallel=2)
    with pytest.raises(InputError, match="never end"):
        check_pattern("token_pattern", r"a*a*b", parallel=1)
    check_pattern("token_pattern", TfidfVectorizer().token_pattern, parallel=1)
    check_pattern("token_pattern", r"\w+(?:-\w+)*", parallel=1)


@pytest.mark.parametrize("pattern", ["(", "a**", "(" * 9_999, "[z-a]", "(?P<1>a)"])
def test_no_patterns(pattern: str) -> None:
    with pytest.raises(InputError, match=r"^token_pattern is no regular expression"):
        check_pattern("token_pattern", pattern)
