"""Units, and the documents they stand in."""

import numpy as np

from whyword import Reader
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.units import Places, Unit, UnitGroups

WORDS = [Unit((word,), "word", (word,)) for word in ("moon", "the", "nowhere")]


def groups() -> tuple[UnitGroups, Occurrences]:
    found = Occurrences.of(map(Reader(), ["the moon the", "orbit", "moon moon"]))
    places = Places(WORDS, np.array([1, 0, 1, 0, 0, 0], np.int32), np.array([2, 1, 0, 5, 4, 4]))
    return UnitGroups.of(places, found), found


def test_a_pattern_looks_like_most_of_its_words() -> None:
    assert Unit(("/\\d+/",), "pattern", ("3", "10", "1993")).form == "number"
    assert Unit(("1993", "3"), "words", ("3", "1993")).form == "date"


def test_pairs_are_by_document_and_each_place_is_once() -> None:
    pairs, _ = groups()
    assert pairs.documents.tolist() == [0, 0, 2]
    assert pairs.numbers.tolist() == [0, 1, 0]
    assert pairs.groups.offsets.tolist() == [0, 2, 2, 3]
    assert pairs.groups.starts.tolist() == [0, 1, 3, 5]
    assert pairs.groups.positions.tolist() == [1, 0, 2, 0, 1]


def test_sums_are_over_a_pairs_places() -> None:
    pairs, found = groups()
    assert pairs.sums(np.array([1.0, 2, 4, 8, 16, 32]), found).tolist() == [2, 5, 48]


def test_some_units_are_numbered_anew() -> None:
    pairs, found = groups()
    some = pairs.chosen(np.array([False, True, True]), found)
    assert [unit.name for unit in some.units] == ["the", "nowhere"]
    assert (some.numbers.tolist(), some.documents.tolist()) == ([0], [0])
    assert some.groups.positions.tolist() == [0, 2]
    none = pairs.chosen(np.zeros(3, np.bool_), found)
    assert len(none) == 0
    assert none.sums(np.zeros(6), found).size == 0


def test_several_places_are_joined_with_numbers_of_their_own() -> None:
    one = Places([WORDS[0]], np.array([0], np.int32), np.array([3]))
    both = Places.joined([one, one])
    assert both.numbers.tolist() == [0, 1]
    assert Places.joined([]).units == []
