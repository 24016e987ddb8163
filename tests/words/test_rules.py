"""Rules of words: by name, a user's function, and the one that fits some texts."""

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from whyword import InputError
from whyword.words.rules import RULES, SpanFunction, check_rule, guess_rule, own_spans, rule_spans


def test_rules_by_name_and_functions() -> None:
    for rule in (*RULES, own_words):
        assert check_rule("rule", rule) is rule
    text = "a天 b"
    assert rule_spans("unicode", text).tolist() == [[0, 1], [1, 2], [3, 4]]
    assert rule_spans("characters", "a! ").tolist() == [[0, 1], [1, 2]]
    assert rule_spans(own_words, text).tolist() == [[0, 2], [3, 4]]


def own_words(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for word in text.split(" "):
        if word:
            yield at, at + len(word)
        at += len(word) + 1


@pytest.mark.parametrize("found", [[(0, 2), (2, 3)], ((0, 2), (2, 3)), np.array([[0, 2], [2, 3]])])
def test_own_spans_in_any_form(found: Iterable[tuple[int, int]]) -> None:
    spans = own_spans(lambda text: found, "abc")
    assert own_spans(lambda text: [], "abc").shape == (0, 2)
    assert spans.dtype == np.int32
    assert spans.tolist() == [[0, 2], [2, 3]]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "must return pairs (start, end), not None"),
        ("ab", "must return pairs (start, end), not 'ab'"),
        (["ab"], "span 0, 'ab', is no pair (start, end) of whole numbers"),
        ([(0, 1, 2)], "is no pair"),
        ([(0, 1), (2, 2)], "span 1, (2, 2), is no span of a text of 3 characters, or an empty one"),
        ([(-1, 1)], "span 0, (-1, 1), is no span"),
        ([(0, 4)], "span 0, (0, 4), is no span"),
        ([(0, 2), (1, 3)], "span 1, (1, 3), begins before 2, where the one before ends"),
        (itertools.repeat((0, 1)), "span 1, (0, 1), begins before 1"),
    ],
)
def test_own_spans_are_checked(found: object, said: str) -> None:
    function: SpanFunction = lambda text: found  # type: ignore[assignment,return-value]  # noqa: E731
    with pytest.raises(InputError) as error:
        own_spans(function, "abc")
    assert str(error.value).startswith("rule: the function")
    assert said in str(error.value)


def test_errors_of_the_function_are_raised() -> None:
    def fails(text: str) -> list[tuple[int, int]]:
        raise KeyError(text)

    with pytest.raises(KeyError, match="abc"):
        own_spans(fails, "abc")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], "words"),
        (["Good morning", "42"], "words"),
        (["Über Äpfel und Straßen", "Привет, мир", "مرحبا بالعالم", "한국어 문장"], "words"),
        (["今天天气很好，我们去公园。"], "unicode"),
        (["東京タワーへ行きました", "カタカナ"], "unicode"),
        (["สวัสดีชาวโลก"], "unicode"),
        (["This chapter explains the sign 天 and the sign 气 of the weather"], "words"),
        (["각각각 天天"], "words"),
        (["天天 ab"], "words"),
        (["天天 カカ กก abcde"], "unicode"),
        (["English"] * 5 + ["今天天气很好"], "words"),
        (["English"] * 4 + ["今天天气很好"], "unicode"),
        (["\ud800\udfff\x00"], "words"),
    ],
)
def test_the_guessed_rule(texts: list[str], expected: str) -> None:
    assert guess_rule(iter(texts)) == expected


def test_only_the_beginning_is_read() -> None:
    endless = itertools.repeat("天" * 100_000)
    assert guess_rule(endless) == "unicode"
    assert next(endless)
