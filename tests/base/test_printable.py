import tracemalloc
import unicodedata
from collections import Counter, OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.base.printable import one_line, reason, shown, spelled_out, storable, visible


def test_what_could_steer_is_shown() -> None:
    assert visible("a\x00b\x1b[31mc\x7f") == "a␀b␛[31mc␡"
    assert visible("\u202eevil\u202c \u2066x\u2069") == "·evil· ·x·"
    assert visible("\u2028\u2029\ufeff\ud800\uffff\U000e0041") == "······"


def test_line_ends_are_line_feeds() -> None:
    assert visible("a\r\nb\rc\nd\te") == "a\nb\nc\nd\te"


def test_words_stay_as_they_are() -> None:
    for text in (
        "שלום",
        "नमस्ते",
        "👩\u200d🚀",
        "می\u200cخواهم",
        "e\u0301",
        "co\u00adop",
        "日本",
        "\u00a0",
    ):
        assert visible(text) == text


def test_one_line_is_printable() -> None:
    assert one_line("a\nb\tc\x1b") == "a·b·c␛"
    assert one_line("é ≤ 3") == "é ≤ 3"


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_hidden_is_left(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cs", "Zl", "Zp"}
    assert not [c for c in shown if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert not [c for c in shown if unicodedata.bidirectional(c) in ("LRO", "RLO", "LRE", "RLE")]
    one_line(text).encode()


@given(st.text(st.characters(exclude_categories=())))
def test_storable_keeps_every_offset(text: str) -> None:
    kept = storable(text)
    assert len(kept) == len(text)
    kept.encode()
    assert all(a == b or "\ud800" <= a <= "\udfff" for a, b in zip(text, kept, strict=True))


def test_values_in_messages() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert shown(np.ones((2, 2))) == "array([[1., 1.], [1., 1.]])"
    assert shown(object()) == "<object object>"
    assert shown(10**5_000) == "<int>"
    assert shown("x" * 100, 10) == "'xxxxxxxxx…"


LONG = 2_000_000


def looped() -> list[object]:
    """A list of lists of lists, each the same twenty times over: small, but 20¹² to write."""
    made: list[object] = [1]
    for _ in range(12):
        made = [made] * 20
    return made


@pytest.mark.slow(reason="half a second and more")
def test_of_long_values_only_the_beginning_is_made() -> None:
    letters, numbers = "a" * LONG, list(range(LONG))
    cases = [
        (letters, "'aaa"),
        (np.str_(letters), "'aaa"),
        (letters.encode(), "b'aaa"),
        (bytearray(letters.encode()), "bytearray(b'aaa"),
        (numbers, "[0, 1, 2, 3, "),
        (tuple(numbers), "(0, 1, 2, 3, "),
        (set(numbers), "{0, 1, 2, 3, "),
        ([letters, letters], "['aaa"),
        ({"text": [letters]}, "{'text': ['aaa"),
        (OrderedDict.fromkeys(numbers), "{0: None, 1: None, "),
        (Counter(numbers), "{0: 1, 1: 1, "),
        (1 << LONG, "<int>"),
        ([1 << LONG, 2], "[<int>, 2]"),
        (looped(), "[[["),
    ]
    for value, beginning in cases:
        tracemalloc.start()
        text = shown(value)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert text.startswith(beginning)
        assert len(text) <= 61
        # sorting a set takes a list of it; no letter of the rest is written
        assert peak < (20 * LONG if isinstance(value, set | dict) else LONG / 4), beginning


def test_short_values_are_shown_whole() -> None:
    for value in (
        [1, "two", None],
        (3,),
        {"a": [1.5]},
        {1, 2},
        b"x",
        10**59 - 1,
        "it's",
        "",
        [],
        {},
    ):
        assert shown(value) == repr(value)
    assert shown(np.str_("a")) == repr(np.str_("a"))
    assert shown([[["a" * 80]]]) == "[[['" + "a" * 56 + "…"


class Raising:
    def __repr__(self) -> str:
        raise KeyError("no repr")


class RaisingList(list[int]):
    def __len__(self) -> int:
        raise KeyError("no length")


def test_no_value_is_unfit_to_be_shown() -> None:
    assert shown(Raising()) == "<Raising>"
    assert shown([Raising()]) == "[<Raising>]"
    assert shown(RaisingList()) == "<RaisingList>"
    deep: list[object] = []
    deep.append(deep)
    assert shown(deep).startswith("[[[")


@given(st.binary())
def test_names_of_files_stay_different(name: bytes) -> None:
    spelled = spelled_out(name.decode("utf-8", "surrogateescape"))
    spelled.encode()
    if b"\\" not in name:
        assert spelled == name.decode("utf-8", "backslashreplace")
    assert spelled_out("\ud800") == r"\ud800"


def test_an_error_of_somebodys_is_one_line() -> None:
    class Mute(Exception):  # noqa: N818 - somebody's
        def __str__(self) -> str:
            raise ValueError

    assert reason(ValueError("first\nsecond")) == "ValueError: first"
    assert reason(Mute()) == "Mute: …"
    assert reason(KeyError("\x1b[0m")) == "KeyError: '\\x1b[0m'"
    assert len(reason(OSError("x" * 10_000))) == 300
