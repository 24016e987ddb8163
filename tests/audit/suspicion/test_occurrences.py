"""Where words stand."""

import numpy as np

from whyword import Reader
from whyword.audit.suspicion.occurrences import Occurrences, increasing


def test_words_are_numbered_whatever_their_case_and_ignored_ones_are_none() -> None:
    reader = Reader(ignore=["moon"])
    found = Occurrences.of(map(reader, ["The moon the", "", "THE orbit Moon"]))
    assert found.words[:2] == ["the", "moon"]
    assert found.numbers.tolist() == [0, -1, 0, 0, 2, -1]
    assert found.offsets.tolist() == [0, 3, 3, 6]
    assert found.document_of.tolist() == [0, 0, 0, 2, 2, 2]
    assert [one.tolist() for one in found.pairs] == [[0, 2, 2], [0, 0, 2]]
    assert found.document_counts.tolist() == [2, 0, 1]


def test_nothing_is_an_answer() -> None:
    found = Occurrences.of([])
    assert len(found) == 0
    assert found.pairs[0].size == 0
    assert found.document_counts.size == 0


def test_increasing_is_what_unique_gives() -> None:
    random = np.random.default_rng(0)
    for size in (0, 1, 2, 50):
        keys = random.integers(0, 20, size)
        assert np.array_equal(increasing(keys), np.unique(keys))
