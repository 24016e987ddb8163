"""What may be suspected: words, words that always come together, lines, pairs and patterns.

A unit is what would be deleted together: entries as :class:`~whyword.Reader` ignores them, and the
places where they stand.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.forms import form_of
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.models.word_groups import WordGroups

WORD, TOGETHER, LINE, PAIR, PATTERN = KINDS = ("word", "words", "line", "pair", "pattern")


@dataclass(frozen=True)
class Unit:
    """What would be deleted together.

    Attributes
    ----------
    entries : tuple of str
        What a reader would have to ignore: words, phrases, patterns between slashes.
    kind : {"word", "words", "line", "pair", "pattern"}
        A word; several that always occur in the same documents; lines that recur; two words in a
        row; all words of a pattern.
    words : tuple of str
        Lower-cased, those that it is about; of a pattern the most frequent ones.
    """

    entries: tuple[str, ...]
    kind: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return "; ".join(self.entries)

    @property
    def form(self) -> str:
        """What its longest word looks like; of a pattern, most of its words."""
        if self.kind == PATTERN:
            return Counter(map(form_of, self.words)).most_common(1)[0][0]
        return form_of(max(self.words, key=len))


class Places(NamedTuple):
    """Units, and the places where each stands.

    Attributes
    ----------
    units : list of U Unit
    numbers : (M,) int32
        Of the unit, for each of its places.
    places : (M,) int64
        Among all words of all documents.
    """

    units: list[Unit]
    numbers: NDArray[np.int32]
    places: NDArray[np.int64]

    @classmethod
    def joined(cls, several: Iterable["Places"]) -> "Places":
        """Return all of them as one."""
        units: list[Unit] = []
        numbers, places = [np.empty(0, np.int32)], [np.empty(0, np.int64)]
        for one in several:
            numbers.append(one.numbers + np.int32(len(units)))
            places.append(one.places)
            units.extend(one.units)
        return cls(units, np.concatenate(numbers), np.concatenate(places))


@dataclass(frozen=True, eq=False)
class UnitGroups:
    """Which units stand in which documents: G pairs, by document, then by unit.

    Attributes
    ----------
    units : list of U Unit
    numbers : (G,) int32
        The unit of each pair.
    documents : (G,) int32
        And its document.
    groups : WordGroups
        The positions of the unit's words in the document.
    """

    units: Sequence[Unit]
    numbers: NDArray[np.int32]
    documents: NDArray[np.int32]
    groups: WordGroups

    @classmethod
    def of(cls, found: Places, occurrences: Occurrences) -> "UnitGroups":
        """Return the pairs of units that stand somewhere."""
        documents = occurrences.document_of[found.places]
        keys = documents.astype(np.int64) * max(1, len(found.units)) + found.numbers
        order = np.lexsort((found.places, keys))
        keys, places = keys[order], found.places[order]
        again = np.append(False, (keys[1:] == keys[:-1]) & (places[1:] == places[:-1]))
        keys, places = keys[~again[: len(keys)]], places[~again[: len(keys)]]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        of_document, of_unit = np.divmod(keys[first], max(1, len(found.units)))
        counts = np.bincount(of_document, minlength=len(occurrences))
        positions = places - occurrences.offsets[:-1][occurrences.document_of[places]]
        groups = WordGroups(
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            starts=np.append(first, len(places)).astype(np.int64),
            positions=positions.astype(np.int32),
        )
        return cls(found.units, of_unit.astype(np.int32), of_document.astype(np.int32), groups)

    def __len__(self) -> int:
        return len(self.numbers)

    def sums(self, values: NDArray[np.floating], occurrences: Occurrences) -> NDArray[np.float64]:
        """Return the sum of values of all places, (N,), over the places of each pair: (G,)."""
        if not len(self):
            return np.zeros(0)
        starts = occurrences.offsets[:-1][self.documents]
        sizes = np.diff(self.groups.starts)
        places = self.groups.positions + np.repeat(starts, sizes)
        sums: NDArray[np.float64] = np.add.reduceat(
            values[places].astype(np.float64), self.groups.starts[:-1]
        )
        return sums

    def chosen(self, wanted: NDArray[np.bool_], occurrences: Occurrences) -> "UnitGroups":
        """Return the pairs of some units, (U,), which are numbered anew."""
        keep = wanted[self.numbers]
        sizes = np.diff(self.groups.starts)
        numbers = np.cumsum(wanted)[self.numbers[keep]] - 1
        documents = self.documents[keep]
        counts = np.bincount(documents, minlength=len(occurrences))
        groups = WordGroups(
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            starts=np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64),
            positions=self.groups.positions[np.repeat(keep, sizes)],
        )
        units = [unit for unit, is_wanted in zip(self.units, wanted, strict=True) if is_wanted]
        return UnitGroups(units, numbers.astype(np.int32), documents, groups)
