"""How a text is cut into words: the rules by name, or a function of the user's."""

import operator
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_of
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.words.boundaries import character_spans, unicode_spans
from whyword.words.scan import code_points
from whyword.words.scripts import ALONE, CLUSTER, KATAKANA, LETTER, character_kinds

SpanFunction: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]  # a text to (start, end)
Rule: TypeAlias = str | SpanFunction

WORDS, UNICODE, CHARACTERS = "words", "unicode", "characters"
RULES = (WORDS, UNICODE, CHARACTERS)
_SCANS = {UNICODE: unicode_spans, CHARACTERS: character_spans}

_LOOKED_AT, _LETTERS = 300, 2_000  # texts, and characters of each
_SHARE_OF_TEXTS = 0.2


def check_rule(name: str, rule: object) -> Rule:
    """Return the rule; raise unless it is one by name, or a function, which a class is not."""
    is_function = callable(rule) and not isinstance(rule, type)
    return rule if is_function else one_of(name, rule, RULES)  # type: ignore[return-value]


def rule_spans(rule: Rule, text: str) -> NDArray[np.int32]:
    """Return the spans that any rule but "words" finds, (T, 2) int32."""
    if isinstance(rule, str):
        return _SCANS[rule](code_points(text), character_kinds())
    return own_spans(rule, text)


def own_spans(function: SpanFunction, text: str) -> NDArray[np.int32]:
    """Return what a user's function finds, checked.

    Parameters
    ----------
    function : callable
        From the text to pairs (start, end) of whole numbers, in order, none empty, none over
        another, all within the text.
    text : str

    Returns
    -------
    spans : (T, 2) int32
    """
    spans: list[tuple[int, int]] = []
    done = 0
    found = function(text)
    if not isinstance(found, Iterable) or isinstance(found, str | bytes):
        raise InputError(
            Argument("rule"), f": the function must return pairs (start, end), not {shown(found)}"
        )
    for number, span in enumerate(found):
        try:
            start, end = map(operator.index, span)
        except (TypeError, ValueError):
            raise _fault(number, span, "is no pair (start, end) of whole numbers") from None
        if not 0 <= start < end <= len(text):
            where = f"of a text of {len(text):,} characters"
            raise _fault(number, (start, end), f"is no span {where}, or an empty one")
        if start < done:
            raise _fault(number, (start, end), f"begins before {done}, where the one before ends")
        spans.append((start, end))
        done = end
    return np.array(spans, np.int32).reshape(-1, 2)


def _fault(number: int, span: object, reason: str) -> InputError:
    return InputError(Argument("rule"), f": the function's span {number}, {shown(span)}, {reason}")


def guess_rule(texts: Iterable[str]) -> str:
    """Return the rule that fits the texts: "unicode" for scripts without spaces, else "words".

    Looks at the beginning of the first 300 texts. A fifth of them must be written mostly in Chinese
    characters, kana, Thai or the like, of which "words" would take a whole clause for one word.

    Parameters
    ----------
    texts : iterable of str
    """
    read, unspaced = 0, 0
    for text in islice(texts, _LOOKED_AT):
        read += 1
        unspaced += _is_unspaced(text[:_LETTERS])
    return UNICODE if unspaced and unspaced >= _SHARE_OF_TEXTS * read else WORDS


def _is_unspaced(text: str) -> bool:
    """Whether most letters are of scripts without spaces."""
    if text.isascii():
        return False
    counts = np.bincount(character_kinds()[code_points(text)], minlength=CLUSTER + 1)
    without = counts[KATAKANA] + counts[ALONE] + counts[CLUSTER]
    return bool(without > counts[LETTER:KATAKANA].sum())
