import numpy as np

from whyword.vectors.vocabulary import token_ids


def test_most_frequent_first_then_alphabetical() -> None:
    tokens = token_ids([["B", "a", "c"], [], ["b", "a"]])
    assert tokens.words == ["a", "b", "c"]
    assert tokens.counts.tolist() == [2, 2, 1]
    assert tokens.ids.tolist() == [1, 0, 2, 1, 0]
    assert tokens.offsets.tolist() == [0, 3, 3, 5]
    assert tokens.ids.dtype == np.int32


def test_rare_words_are_left_out() -> None:
    tokens = token_ids([["a", "b", "a"]], min_count=2)
    assert tokens.words == ["a"]
    assert tokens.ids.tolist() == [0, 0]


def test_case_can_be_kept() -> None:
    assert token_ids([["A", "a"]], lowercase=False).words == ["A", "a"]


def test_nothing() -> None:
    tokens = token_ids([])
    assert tokens.words == []
    assert tokens.offsets.tolist() == [0]
