"""Texts in messages and on pages: nothing in them steers a terminal, and they stay short."""

import tracemalloc
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.base.printable import one_line, reason, shown, spelled_out, storable, visible

LONG = 2_000_000
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b\x1b[31mc\x7f", "a␀b␛[31mc␡"),
        ("\u202eevil\u202c \u2066x\u2069", "·evil· ·x·"),
        ("\u2028\u2029\ufeff\ud800\uffff\U000e0041", "······"),
        ("a\r\nb\rc\nd\te", "a\nb\nc\nd\te"),
        *((text, text) for text in ("שלום", "नमस्ते", "👩\u200d🚀", "می\u200cخواهم", "e\u0301")),
        *((text, text) for text in ("co\u00adop", "日本", "\u00a0")),
    ],
)
def test_visible_text(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_one_line_is_printable() -> None:
    assert one_line("a\nb\tc\x1b") == "a·b·c␛"
    assert one_line("é ≤ 3") == "é ≤ 3"


@given(ANY_TEXT)
def test_no_hidden_character_is_left(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cs", "Zl", "Zp"}
    assert not [c for c in shown if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert not [c for c in shown if unicodedata.bidirectional(c) in ("LRO", "RLO", "LRE", "RLE")]
    one_line(text).encode()


@given(ANY_TEXT)
def test_storable_text_keeps_every_offset(text: str) -> None:
    kept = storable(text)
    assert len(kept) == len(text)
    kept.encode()
    assert all(a == b or "\ud800" <= a <= "\udfff" for a, b in zip(text, kept, strict=True))


def test_short_values_are_shown_whole() -> None:
    values: list[object] = [[1, "two", None], (3,), {"a": [1.5]}, {1, 2}, b"x", 10**59 - 1]
    for value in [*values, "it's", "", [], {}, np.str_("a"), "a\nb"]:
        assert shown(value) == repr(value)


class Raising:
    def __repr__(self) -> str:
        raise KeyError("no repr")


class RaisingList(list[int]):
    def __len__(self) -> int:
        raise KeyError("no length")


def test_other_values() -> None:
    assert shown(np.ones((2, 2))) == "array([[1., 1.], [1., 1.]])"
    assert shown(object()) == "<object object>"
    assert shown(10**5_000) == "<int>"
    assert shown("x" * 100, 10) == "'xxxxxxxxx…"
    assert shown([[["a" * 80]]]) == "[[['" + "a" * 56 + "…"
    assert shown(Raising()) == "<Raising>"
    assert shown([Raising()]) == "[<Raising>]"
    assert shown(RaisingList()) == "<RaisingList>"
    deep: list[object] = []
    deep.append(deep)
    assert shown(deep).startswith("[[[")


def nested() -> list[object]:
    """Return a list of lists of lists, each the same twenty times: 20¹² items to write."""
    made: list[object] = [1]
    for _ in range(12):
        made = [made] * 20
    return made


@pytest.mark.slow(reason="long values")
def test_of_long_values_only_the_beginning_is_made() -> None:
    letters, numbers = "a" * LONG, list(range(LONG))
    cases: dict[str, object] = {"'aaa": letters, "b'aaa": letters.encode(), "['aaa": [letters] * 2}
    cases |= {"[0, 1, 2, 3, ": numbers, "{0, 1, 2, 3, ": set(numbers), "<int>": 1 << LONG}
    cases |= {"{0: 1, 1: 1, ": Counter(numbers), "{'text': ['aaa": {"text": [letters]}}
    for beginning, value in (cases | {"[[[": nested()}).items():
        tracemalloc.start()
        text = shown(value)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert text.startswith(beginning)
        assert len(text) <= 61
        # sorting a set takes a list of it; the rest is not written
        assert peak < (20 * LONG if isinstance(value, set | dict) else LONG / 4), beginning


@given(st.binary())
def test_names_of_files_stay_different(name: bytes) -> None:
    spelled = spelled_out(name.decode("utf-8", "surrogateescape"))
    spelled.encode()
    if b"\\" not in name:
        assert spelled == name.decode("utf-8", "backslashreplace")
    assert spelled_out("\ud800") == r"\ud800"


def test_reasons_are_one_line() -> None:
    class Mute(Exception):  # noqa: N818 - an error of a user's
        def __str__(self) -> str:
            raise ValueError

    assert reason(ValueError("first\nsecond")) == "ValueError: first"
    assert reason(Mute()) == "Mute: …"
    assert reason(KeyError("\x1b[0m")) == "KeyError: '\\x1b[0m'"
    assert len(reason(OSError("x" * 10_000))) == 300
