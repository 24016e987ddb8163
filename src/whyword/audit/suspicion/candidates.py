"""Which units may be suspected in some documents: everything that comes back."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.forms import HOST, domain_of, form_of, shape_of
from whyword.audit.suspicion.occurrences import Occurrences, increasing
from whyword.audit.suspicion.recurring_lines import recurring_lines
from whyword.audit.suspicion.same_documents import same_documents
from whyword.audit.suspicion.units import LINE, PAIR, PATTERN, TOGETHER, WORD, Places, Unit
from whyword.base.errors import InputError
from whyword.words.ignored import Ignored, is_pattern

LEAST = 3  # documents that a unit stands in
_LEAST_PAIR = 5  # documents of a pair of words
_PURE, _PURER = 0.8, 0.2  # what share of a pair's documents is of one class, and how much more
_WORDS_OF_PATTERN = 3  # different words at least
_SHOWN = 5


class Labelled(NamedTuple):
    """What is known of documents' classes.

    Attributes
    ----------
    classes : (n,) intp
        The number of each document's class; −1 if it is not known.
    n_classes : int
        C.
    """

    classes: NDArray[np.intp]
    n_classes: int


def candidates(found: Occurrences, labelled: Labelled, least: int = LEAST) -> Places:
    """Return all that comes back in at least so many documents.

    Parameters
    ----------
    found : Occurrences
    labelled : Labelled
        Of the documents that the model was trained on; only with them pairs of words are looked
        for, those which tell a class where neither of their words does.
    least : int
    """
    first = _words_and_lines(found, least)
    lines = {entry for unit in first.units if unit.kind == LINE for entry in unit.entries}
    return Places.joined([first, _pairs(found, labelled, lines), _patterns(found, least)])


def _words_and_lines(found: Occurrences, least: int) -> Places:
    """Return words and lines; those that stand in the same documents are one unit."""
    lines = recurring_lines(found, least)
    frequent = np.flatnonzero(found.document_counts >= least)
    thing_of_word = np.full(len(found.words) + 1, -1, np.int64)  # the last: not read
    thing_of_word[frequent] = range(len(frequent))
    documents, words = found.pairs
    often = thing_of_word[words] >= 0
    things = np.concatenate([thing_of_word[words[often]], lines.numbers + len(frequent)])
    in_documents = np.concatenate([documents[often], lines.documents])
    order = np.lexsort((in_documents, things))
    leader = same_documents(
        things[order],
        in_documents[order],
        len(frequent) + len(lines.starts),
        len(found),
    )
    sets, unit_of = np.unique(leader, return_inverse=True)
    unit_of_word = np.full(len(found.words) + 1, -1, np.int32)
    unit_of_word[frequent] = unit_of[: len(frequent)]
    unit_of_line = unit_of[len(frequent) :]
    at_word = unit_of_word[found.numbers]
    has = np.flatnonzero(at_word >= 0)
    at_line = unit_of_line[lines.place_lines]
    covered = _is_covered(found, at_word, lines.places * len(sets) + at_line, len(sets))
    members: list[list[str]] = [[] for _ in sets]
    inside: list[list[str]] = [[] for _ in sets]
    for word, unit in zip(frequent.tolist(), unit_of[: len(frequent)].tolist(), strict=True):
        (inside if covered[word] else members)[unit].append(found.words[word])
    texts: list[list[str]] = [[] for _ in sets]
    for line, unit in enumerate(unit_of_line.tolist()):
        texts[unit].append(lines.text(line, found))
    return Places(
        [_unit(*parts) for parts in zip(members, inside, texts, strict=True)],
        np.concatenate([at_word[has], at_line.astype(np.int32)]),
        np.concatenate([has, lines.places]).astype(np.int64),
    )


def _is_covered(
    found: Occurrences, at_word: NDArray[np.int32], lines: NDArray[np.int64], units: int
) -> NDArray[np.bool_]:
    """Return which words stand nowhere but in lines of their own unit, (V,).

    Parameters
    ----------
    found : Occurrences
    at_word : (N,) int32
        The unit of the word at each place, −1 if it has none.
    lines : (M,) int64
        Place · units + unit of each place of a line.
    units : int
    """
    has = np.flatnonzero(at_word >= 0)
    alone = has[~np.isin(has * units + at_word[has], lines)]
    covered = np.ones(len(found.words), np.bool_)
    covered[found.numbers[alone]] = False
    return covered


def _unit(words: Sequence[str], inside: Sequence[str], lines: Sequence[str]) -> Unit:
    """Return the unit of words and lines that stand in the same documents.

    Parameters
    ----------
    words : list of str
        Those that stand elsewhere, too.
    inside : list of str
        Those that do not.
    lines : list of str
    """
    own = (*words, *inside)
    if all(set(own).issuperset(line.split()) for line in lines):
        entries = tuple(map(_literal, own))
        return Unit(entries, WORD if len(entries) == 1 else TOGETHER, own)
    entries = (*lines, *map(_literal, words))
    return Unit(entries, LINE, (*inside, *words) or tuple(lines[0].split()))


def _literal(word: str) -> str:
    """Return the entry that stands for a word, also for one that looks like a pattern: "/i/"."""
    return f"/{re.escape(word)}/" if is_pattern(word) else word


def _is_readable(pattern: str) -> bool:
    """Whether a reader takes a pattern: it refuses those that are too long to be looked through."""
    try:
        Ignored([pattern])
    except InputError:
        return False
    return True


def _pairs(found: Occurrences, labelled: Labelled, lines: Collection[str]) -> Places:
    """Return two words in a row that are of one class, where neither of them is, and no line."""
    size, numbers, documents = len(found.words), found.numbers.astype(np.int64), found.document_of
    firsts = np.flatnonzero(
        (numbers[:-1] >= 0) & (numbers[1:] >= 0) & (documents[:-1] == documents[1:])
    )
    keys, pair_at, counts = np.unique(
        numbers[firsts] * size + numbers[firsts + 1], return_inverse=True, return_counts=True
    )
    often = counts >= _LEAST_PAIR  # most are rare
    firsts, pair_at = firsts[often[pair_at]], (np.cumsum(often) - 1)[pair_at[often[pair_at]]]
    keys = keys[often]
    purity, document_counts = _purities(documents[firsts], pair_at, len(keys), labelled)
    pairs = np.stack(np.divmod(keys, max(1, size)))
    purest = _word_purities(found, pairs, labelled).max(axis=0, initial=0)
    telling = (document_counts >= _LEAST_PAIR) & (purity >= _PURE) & (purity >= purest + _PURER)
    for number in np.flatnonzero(telling).tolist():
        entry = " ".join(found.words[one] for one in pairs[:, number])
        telling[number] = entry not in lines and not is_pattern(entry)
    words = [tuple(found.words[one] for one in pair) for pair in pairs.T[telling].tolist()]
    number_of = np.where(telling, np.cumsum(telling) - 1, -1).astype(np.int32)
    of = number_of[pair_at]
    places, of = firsts[of >= 0], of[of >= 0]
    return Places(
        [Unit((" ".join(pair),), PAIR, pair) for pair in words],
        np.concatenate([of, of]),
        np.concatenate([places, places + 1]),
    )


def _word_purities(
    found: Occurrences, pairs: NDArray[np.int64], labelled: Labelled
) -> NDArray[np.float64]:
    """Return the purities of the words of pairs, (2, P); of no other word."""
    used, places = np.unique(pairs, return_inverse=True)
    number_of = np.full(len(found.words) + 1, -1, np.int64)  # the last: not read
    number_of[used] = range(len(used))
    documents, words = found.pairs
    is_used = number_of[words] >= 0
    purities, _ = _purities(documents[is_used], number_of[words[is_used]], len(used), labelled)
    return purities[places].reshape(pairs.shape)


def _purities(
    documents: NDArray[np.integer],
    things: NDArray[np.integer],
    count: int,
    labelled: Labelled,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what share of each thing's labelled documents is of one class, and how many it has."""
    keys = increasing(things.astype(np.int64) * len(labelled.classes) + documents)
    of_thing, of_document = np.divmod(keys, max(1, len(labelled.classes)))
    classes = labelled.classes[of_document]
    known = classes >= 0
    table = np.bincount(
        of_thing[known] * labelled.n_classes + classes[known], minlength=count * labelled.n_classes
    ).reshape(count, labelled.n_classes)
    totals = table.sum(axis=1)
    return table.max(axis=1, initial=0) / np.maximum(totals, 1), totals


def _patterns(found: Occurrences, least: int) -> Places:
    """Return hosts of one domain, and words that differ in digits only.

    A pattern's words are all that it fits, so that it stands where a reader would ignore it: a
    domain by itself, too, which looks like no host.
    """
    dotted = [number for number, word in enumerate(found.words) if "." in word]
    domains = {
        domain_of(found.words[number]) for number in dotted if form_of(found.words[number]) == HOST
    }
    members: dict[str, list[int]] = defaultdict(list)
    for number in dotted:
        for domain in domains.intersection(_endings(found.words[number])):
            members[rf"/(?:.+\.)?{re.escape(domain)}/"].append(number)
    for number, word in enumerate(found.words):
        if shape := shape_of(word):
            members[f"/{shape}/"].append(number)
    units: list[Unit] = []
    numbers, places = [np.empty(0, np.int32)], [np.empty(0, np.int64)]
    counts, at = found.document_counts, _places_of_words(found)
    for pattern, several in members.items():
        if len(several) < _WORDS_OF_PATTERN or counts[several].sum() < least:
            continue
        places.append(np.concatenate([at[number] for number in several]))
        numbers.append(np.full(len(places[-1]), len(units), np.int32))
        often = [found.words[one] for one in sorted(several, key=lambda one: -counts[one])]
        # one that a reader refuses is said by its words, all that there are
        entries = (pattern,) if _is_readable(pattern) else tuple(map(_literal, often))
        units.append(Unit(entries, PATTERN, tuple(often[:_SHOWN])))
    return Places(units, np.concatenate(numbers), np.concatenate(places))


def _endings(word: str) -> list[str]:
    """Return a dotted word, and what of it follows each of its last dots: domains are short."""
    labels = word.split(".")
    return [".".join(labels[-count:]) for count in range(2, min(len(labels), 3) + 1)]


def _places_of_words(found: Occurrences) -> list[NDArray[np.int64]]:
    """Return the places of each word."""
    order = np.argsort(found.numbers, kind="stable")
    ends = np.searchsorted(found.numbers[order], np.arange(len(found.words) + 1))
    return np.split(order, ends)[1:-1]
