"""Lines that come back in several documents, word by word: signatures, headers, form letters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.occurrences import Occurrences, increasing
from whyword.words.ignored import is_pattern
from whyword.words.scan import code_points

_FEWEST, _MOST = 2, 40  # words of a line
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no power of it vanishes

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RecurringLines:
    """L lines that come back, and where their words stand in a row, in a line or not.

    Attributes
    ----------
    starts, ends : (L,) int64
        The places of one occurrence's words, and the place after.
    numbers, documents : (O,) int64
        Each line with each document that has its words in a row.
    place_lines, places : (M,) int64
        Each line with each place of these words.
    """

    starts: Numbers
    ends: Numbers
    numbers: Numbers
    documents: Numbers
    place_lines: Numbers
    places: Numbers

    def text(self, line: int, found: Occurrences) -> str:
        """Return a line's words, lower-cased, a blank between them."""
        numbers = found.numbers[self.starts[line] : self.ends[line]].tolist()
        return " ".join(found.words[number] for number in numbers)


def recurring_lines(found: Occurrences, least: int) -> RecurringLines:
    """Return the lines of 2 to 40 words that stand in at least so many documents.

    Lines are the same if their words are, whatever their case; a line with a word that the reader
    ignores is none, nor is one that a reader would take for a pattern, between slashes.
    """
    first, last = _lines(found)
    unread = np.concatenate([[0], np.cumsum(found.numbers < 0)])
    sizes = last - first
    fit = (sizes >= _FEWEST) & (sizes <= _MOST) & (unread[last] == unread[first])
    first, sizes = first[fit], sizes[fit]
    hashes = _Hashes(found)
    _, at, line_of = np.unique(hashes.of(first, sizes), return_index=True, return_inverse=True)
    total = max(1, len(found))
    in_documents = increasing(line_of * total + found.document_of[first])
    counts = np.bincount(in_documents // total, minlength=len(at))
    chosen = at[counts >= least]
    chosen = chosen[~_are_patterns(found, first[chosen], last[fit][chosen])]
    starts, lengths = first[chosen], sizes[chosen]
    numbers, begins = _everywhere(found, hashes, starts, lengths)
    places = np.repeat(begins, lengths[numbers]) + _counting(lengths[numbers])
    documents = increasing(numbers * total + found.document_of[begins])
    return RecurringLines(
        starts,
        starts + lengths,
        documents // total,
        documents % total,
        np.repeat(numbers, lengths[numbers]),
        places,
    )


def _are_patterns(found: Occurrences, starts: Numbers, ends: Numbers) -> NDArray[np.bool_]:
    """Return which lines begin and end with a slash: "/* so */"."""
    ends_of = zip(found.numbers[starts].tolist(), found.numbers[ends - 1].tolist(), strict=True)
    return np.array(
        [is_pattern(f"{found.words[one]} {found.words[other]}") for one, other in ends_of],
        np.bool_,
    )


def _lines(found: Occurrences) -> tuple[Numbers, Numbers]:
    """Return the first place of each line with words, and the place after its last."""
    firsts = [np.empty(0, np.int64)]
    for document, offset in zip(found.documents, found.offsets.tolist(), strict=False):
        if len(document):
            breaks = np.flatnonzero(code_points(document.text) == ord("\n"))
            line = np.searchsorted(breaks, document.spans[:, 0])
            begins = np.append(True, line[1:] != line[:-1])
            firsts.append(np.flatnonzero(begins) + offset)
    first = np.concatenate(firsts)
    return first, np.append(first[1:], len(found.numbers))[: len(first)]


class _Hashes:
    """Numbers for words in a row that are the same for the same words: a polynomial's."""

    def __init__(self, found: Occurrences) -> None:
        random = np.random.default_rng(0).integers(1, 1 << 63, len(found.words) + 1, np.uint64)
        powers = np.ones(len(found.numbers) + 1, np.uint64)
        powers[1:] = _BASE
        self._powers = np.cumprod(powers, dtype=np.uint64)
        words = random[found.numbers] * self._powers[:-1]
        self._sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)])

    def of(self, first: Numbers, sizes: Numbers) -> NDArray[np.uint64]:
        """Return those of so many words from some places on.

        All are moved to the same power, that of the last place: then they can be compared.
        """
        rest = self._powers[len(self._powers) - 1 - first]
        hashes: NDArray[np.uint64] = (self._sums[first + sizes] - self._sums[first]) * rest
        return hashes + sizes.astype(np.uint64)


def _everywhere(
    found: Occurrences, hashes: _Hashes, starts: Numbers, sizes: Numbers
) -> tuple[Numbers, Numbers]:
    """Return each line's number with each place where its words begin to stand in a row."""
    numbers, begins = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    two = np.full(len(starts), 2)
    pairs = np.unique(hashes.of(starts, two))
    every = np.arange(max(0, len(found.numbers) - 1))
    likely = every[_is_in(hashes.of(every, np.full(len(every), 2)), pairs)]
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        wanted = hashes.of(starts[of_size], sizes[of_size])
        order = np.argsort(wanted)
        fit = likely[likely + size <= len(found.numbers)]
        fit = fit[found.document_of[fit] == found.document_of[fit + size - 1]]
        have = hashes.of(fit, np.full(len(fit), size))
        at = np.searchsorted(wanted[order], have)
        same = wanted[order][np.minimum(at, len(order) - 1)] == have
        numbers.append(of_size[order][at[same]])
        begins.append(fit[same])
    return np.concatenate(numbers), np.concatenate(begins)


def _is_in(values: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of the values are among some increasing ones."""
    if not len(wanted):
        return np.zeros(len(values), np.bool_)
    at = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    found: NDArray[np.bool_] = wanted[at] == values
    return found


def _counting(sizes: Numbers) -> Numbers:
    """Return 0, 1, … for each size, one after the other."""
    total = int(sizes.sum())
    counted: Numbers = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return counted
