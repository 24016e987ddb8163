"""Patterns that end, and those that do not."""

import re
import subprocess
import sys

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from whyword import InputError
from whyword.base.patterns import check_pattern

QUICK = [
    TfidfVectorizer().token_pattern,
    r"\S+",
    r"\w+(?:-\w+)*",
    r"(?u)\b\w[\w'-]*\b",
    r"[A-Za-z]+(?:['’-][A-Za-z]+)*|\d+(?:[.,]\d+)*|[^\w\s]",
    r"(?i)https?://\S+|\w+@\w+(?:\.\w+)+|#\w+",
    r"(?:\d{2}){2}-\d{4}",
    r"(?:[A-Z]\.)+",
    r"(?<!\w)\w{2,20}(?!\w)",
    r"[a-z]+\w*",
    r"",
    r"a?",
    "x" * 20,
    "ab" * 40,  # as it stands, of any length
    r"(?>\w+)-\w*?",
    r"(?:ab|cd)*",
    r"(?:\w|\d)+x",
    r"\w+(?:$|\b)",  # nothing, in two ways, but once
]

SLOW = [
    r"(a+)+b",
    r"(a*)*b",
    r"(?:ab?|b)*c",
    r"(?:a|aa)+b",
    r"(?:\w\d?|\d)+x",
    r"(?:\w+\s?)*x",
    r"(?i)(?:ab?|B)*c",
    r"(?:[\U00010000-\U0001ffff]\w?|\w)*x",
    r"(?:a?){30}a{30}",
    r"(?:a{1,30}){1,30}b",
    r"(?:a+){8}b",
    r"\w*\w*\w*\w*x",
    r"(?:.*a){11}",
    r"(?=(a+)+b)a",
    r"(a)\1+",
    r"(?:(?i:a)|A)+b",
    r"(?:(?s:.)|\n)*b",
    r"(?:(?=a*c)a)*",
    r"(?i:a)",  # which would end, but it is not looked into
    r"([a-z]+)*=",
    r"(?:a|a)*b",  # which Python reads as (?:a(?:|))*b: nothing, in two ways
    r"(?:ab|ab)*c",
    r"(?:(?:(?=a))?a)*c",
    "(?:|)" * 40 + "b",
    "(?:" * 300 + "a" + ")" * 300 + "(?:ab?|b)*",
    "[ab]c" * 20,  # nothing is repeated, but it is longer than can be looked at
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


@pytest.mark.slow("some seconds of a processor")
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a+)+b", "a" * 40),
        (r"(?:ab?|b)*c", "ab" * 40),
        (r"(?:ab|ab)*c", "ab" * 40),
        (r"(?:\w\d?|\d)+x", "1" * 60),
        (r"(?:a?){30}a{30}b", "a" * 40),
    ],
)
def test_those_that_may_not_end_do_not(pattern: str, text: str) -> None:
    """The check is of use: such a pattern holds Python for longer than anybody waits."""
    code = f"import re; re.search({pattern!r}, {text!r})"
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", code], timeout=3)
