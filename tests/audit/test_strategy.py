from dataclasses import replace

import numpy as np
import pytest

from whyword.audit.strategy import Strategy, StrategyWord, strategy_words
from whyword.audit.word_shares import WordShares

WORD = StrategyWord("moon", 0.4, 0.1, 12)
STRATEGY = Strategy(1, 30, 0.6, [WORD], [], [4, 2], 1.5)


def test_a_word() -> None:
    assert WORD.more == pytest.approx(0.3)


def test_repr_and_name() -> None:
    assert repr(STRATEGY) == "Strategy(1: moon: 30 documents (60%))"
    other = replace(
        STRATEGY, words=[], accuracy=0.95, interval=(0.9, 1.0), on_suspects=0.5, number=2
    )
    assert repr(other) == "Strategy(2: 30 documents (60%), accuracy 95.0%, lives on suspects)"
    assert replace(STRATEGY, distinct=[WORD._replace(word="orbit")]).name == "1: orbit"


@pytest.mark.parametrize(("share", "marked"), [(None, False), (0.39, False), (0.4, True)])
def test_two_fifths_on_suspects_are_marked(share: float | None, marked: bool) -> None:
    assert replace(STRATEGY, on_suspects=share).lives_on_suspects is marked


def test_to_dict() -> None:
    plain = STRATEGY.to_dict()
    assert plain["words"] == [{"word": "moon", "share": 0.4, "elsewhere": 0.1, "documents": 12}]
    assert (plain["typical"], plain["accuracy"]) == ([4, 2], None)
    assert plain["lives_on_suspects"] is False


def shares() -> WordShares:
    """Return six documents: of two words each, a third that is rare, and a sign."""
    rows = [
        (document, word, share)
        for document in range(6)
        for word, share in enumerate([0.5, 0.4] if document < 4 else [0.1, 0.9])
    ]
    rows += [(0, 2, 0.9), (1, 3, 0.9), (2, 3, 0.9), (3, 4, -0.5), (4, 4, -0.5), (5, 4, -0.5)]
    documents, numbers, values = zip(*rows, strict=True)
    return WordShares(
        ["a", "b", "rare", "!?", "against"],
        np.array(documents, np.intp),
        np.array(numbers, np.intp),
        np.array(values),
        6,
    )


def test_words_of_two_ways() -> None:
    groups = np.array([0, 0, 0, 0, 1, 1], np.intp)
    (first, apart), (second, other) = strategy_words(shares(), groups, 2)
    assert [(one.word, one.documents) for one in first] == [("a", 4), ("b", 4)]
    assert first[0].share == pytest.approx(0.5)
    assert first[0].elsewhere == pytest.approx(0.1)
    assert [one.word for one in apart] == ["a"]
    assert [one.word for one in second] == ["b", "a"]
    assert [one.word for one in other] == ["b"]
    assert other[0].more == pytest.approx(0.5)


def test_words_of_one_way() -> None:
    ((words, distinct),) = strategy_words(shares(), np.zeros(6, np.intp), 1)
    assert [(one.word, one.elsewhere) for one in words] == [("b", 0), ("a", 0)]
    assert distinct == []


def test_faint_words_are_left_out() -> None:
    strong = WordShares(
        ["a", "b"],
        np.array([0, 1, 0, 1], np.intp),
        np.array([0, 0, 1, 1], np.intp),
        np.array([1, 1, 0.049, 0.049]),
        2,
    )
    ((words, _),) = strategy_words(strong, np.zeros(2, np.intp), 1)
    assert [one.word for one in words] == ["a"]
