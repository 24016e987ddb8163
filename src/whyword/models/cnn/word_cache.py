"""Words to the rows that a network reads, and what is kept of them from batch to batch.

A row is a word's normalised vector and the filters' answers to it, equation (29) of
docs/method.md. :meth:`WordLookup.batches` is the one way in; the three classes differ in what they
keep: nothing, the words met last, or those that are frequent. Hand-written because a row is a
stretch of several large arrays, not an object that a standard cache could hold.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import (
    MOST_WORDS,
    PADDING,
    BatchBuilder,
    InputBatch,
    Inputs,
    WordRows,
)
from whyword.models.cnn.network import Network
from whyword.words.document import Document, Text
from whyword.words.word_hashes import MISSING, WordHashes

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Keys = NDArray[np.int64]


class WordLookup:
    """Looks words up anew for each batch, and keeps nothing.

    Parameters
    ----------
    inputs : Inputs
    network : Network
    """

    def __init__(self, inputs: Inputs, network: Network) -> None:
        self.inputs, self.network = inputs, network

    def batches(self, texts: Iterable[Text], most_words: int = MOST_WORDS) -> Iterator[InputBatch]:
        """Yield the texts in batches of which the rows, and so many words, fit into memory.

        A single document with more than that is a batch by itself.
        """
        builder = BatchBuilder()
        for document in self.inputs.reader.documents(texts):
            rows = self._rows_at_hand(document)
            if builder.documents and not (
                builder.fits(document, most_words) and self._has_room(builder, document, rows)
            ):
                yield self._batch(builder)
                builder = BatchBuilder()
            builder.add(document, rows)
        if builder.documents:
            yield self._batch(builder)

    def rows(self, words: Sequence[str]) -> WordRows:
        """Return the rows of different words; without tables, which a batch need not outlive."""
        return self.inputs.look_up(words)

    def _batch(self, builder: BatchBuilder) -> InputBatch:
        return builder.batch(self.rows(list(builder.numbers)), self.inputs.shortest)

    def _rows_at_hand(self, document: Document) -> Ints | None:
        """Return the rows of a document's words, −1 for those to look up; None: for all."""
        return None

    def _has_room(self, builder: BatchBuilder, document: Document, rows: Ints | None) -> bool:
        """Whether the rows of a further document fit in."""
        most = self.network.most_rows()
        if len(builder.numbers) + len(document) <= most:
            return True
        new = {word for word in document.cut() if word not in builder.numbers}
        return len(builder.numbers) + len(new) <= most


class RecentWords(WordLookup):
    """Keeps the rows of words met last, for texts that come one by one; threads may share it.

    Rows are handed out as copies, so that they may go at any time.

    Parameters
    ----------
    inputs : Inputs
        Of vectors that have keys.
    network : Network
    budget : int
        Bytes that the rows may take; the least recently used ones go first.
    """

    _MOST_WORDS, _LONGEST = 1 << 16, 40  # twenty megabytes at most
    _PADDING_KEY = -1  # of the row of zeros, which no word has

    def __init__(self, inputs: Inputs, network: Network, budget: int) -> None:
        super().__init__(inputs, network)
        self._budget = budget
        self.kept = KeptRows(_row_shapes(inputs, network), budget)
        self._keys: dict[str, int] = {}

    def __reduce__(self) -> tuple[type["RecentWords"], tuple[Inputs, Network, int]]:
        return RecentWords, (self.inputs, self.network, self._budget)  # a copy begins anew

    def rows(self, words: Sequence[str]) -> WordRows:
        """Return the rows of different words, most of them kept."""
        distinct, numbers = np.unique(self.keys(words), return_inverse=True)
        keys = np.concatenate([[self._PADDING_KEY], distinct])

        def compute(new: NDArray[np.intp]) -> list[Floats]:
            vectors = self.inputs.normalise(self.inputs.vectors.rows_of(np.maximum(keys[new], 0)))
            vectors[keys[new] == self._PADDING_KEY] = 0
            return [vectors, *self.network.tables(vectors)]

        vectors, *tables = self.kept.rows(keys, compute)
        return WordRows((numbers + 1).astype(np.int32), vectors, keys > 0, tables)

    def keys(self, words: Sequence[str]) -> Keys:
        """Return what :meth:`~whyword.vectors.vectors.Vectors.keys` says of the words."""
        key_of = self._keys.get
        keys = np.array([key_of(word, self._PADDING_KEY) for word in words], np.int64)
        new = np.flatnonzero(keys == self._PADDING_KEY)
        if len(new):
            fresh = [words[number] for number in new.tolist()]
            keys[new] = self.inputs.vectors.keys(fresh)
            if len(self._keys) + len(fresh) > self._MOST_WORDS:
                self._keys.clear()  # frequent words are back at once
            pairs = zip(fresh[: self._MOST_WORDS], keys[new].tolist(), strict=False)
            self._keys.update((word, key) for word, key in pairs if len(word) <= self._LONGEST)
        return keys


class KeptRows:
    """Rows of several tables by key, as many as a budget holds.

    Parameters
    ----------
    shapes : sequence of tuples
        Of a row of each table.
    budget : int
        Bytes that the rows may take, all tables together.
    """

    _NEVER = np.iinfo(np.int64).max  # used: a slot that is free

    def __init__(self, shapes: Sequence[tuple[int, ...]], budget: int) -> None:
        self.capacity = max(1, budget // (4 * sum(map(prod, shapes))))
        # the system gives memory to rows that are written, not before
        self._tables = [np.empty((self.capacity, *shape), np.float32) for shape in shapes]
        self._slots: dict[int, int] = {}
        self._keys = np.zeros(self.capacity, np.int64)
        self._last_used = np.full(self.capacity, self._NEVER)
        self._clock = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._slots)

    def rows(
        self, keys: Keys, make: Callable[[NDArray[np.intp]], Sequence[Floats]]
    ) -> list[Floats]:
        """Return each table's rows for distinct keys, (keys, …).

        Parameters
        ----------
        keys : (keys,) int64
        make : callable
            From the numbers of the keys that are not kept to each table's rows of them.
        """
        with self._lock:
            slot_of = self._slots.get
            slots = np.array([slot_of(key, -1) for key in keys.tolist()], np.intp)
            new, old = np.flatnonzero(slots < 0), np.flatnonzero(slots >= 0)
            self._clock += 1
            self._last_used[slots[old]] = self._clock
            # what slot −1 has is overwritten below
            tables = [table.take(slots, axis=0) for table in self._tables]
        if len(new):
            made = make(new)
            for rows, fresh in zip(tables, made, strict=True):
                rows[new] = fresh
            self._keep(keys[new], made)
        return tables

    def _keep(self, keys: Keys, made: Sequence[Floats]) -> None:
        with self._lock:
            # another thread may have been faster
            fresh = [n for n, key in enumerate(keys.tolist()) if key not in self._slots]
            fresh = fresh[: self.capacity]
            slots = self._evict(len(fresh))
            self._slots.update(zip(keys[fresh].tolist(), slots.tolist(), strict=True))
            self._keys[slots], self._last_used[slots] = keys[fresh], self._clock
            for table, rows in zip(self._tables, made, strict=True):
                table[slots] = rows[fresh]

    def _evict(self, count: int) -> NDArray[np.intp]:
        """Return so many slots, free ones first; evict what was in the others."""
        free = np.arange(len(self._slots), min(len(self._slots) + count, self.capacity))
        missing = count - len(free)
        if not missing:
            return free
        oldest = np.argpartition(self._last_used, missing - 1)[:missing]
        for key in self._keys[oldest].tolist():
            del self._slots[key]
        return np.concatenate([free, oldest])


class FrequentWords(WordLookup):
    """Keeps the rows of words that some texts have most often, for many batches of such texts.

    A batch's arrays are views of these, with room for its rare words, which the next batch writes
    to: a batch is to be done with before the next one is made. Which rows stay is settled at the
    beginning, so that the same batch gives the same numbers, to the last bit, whatever came before
    it. Those of a copy in read-only shared memory become its own.

    Parameters
    ----------
    inputs : Inputs
        Of vectors that have keys.
    network : Network
    texts : iterable of str
    budget : int
        Bytes that the rows may take.

    Attributes
    ----------
    keys : (M,) int64, increasing
        Of the frequent words' vectors.
    room : int
        How many rare words a batch may have.
    """

    _UNKNOWN = 1  # the row of words without a vector; row 0 is padding, then come frequent words
    _SCRATCH_SHARE = 6  # one part in so many of the budget is for a batch's rare words
    _MOST_RARE = 1 << 15  # of a batch, where rows are small
    _MOST_WORDS = 1 << 18  # ten or twenty megabytes

    def __init__(
        self, inputs: Inputs, network: Network, texts: Iterable[Text], budget: int
    ) -> None:
        super().__init__(inputs, network)
        shapes = _row_shapes(inputs, network)
        rows = max(1, budget // (4 * sum(map(prod, shapes))))
        self.room = min(max(1, rows // self._SCRATCH_SHARE), self._MOST_RARE)
        words = self._by_frequency(texts)
        word_keys = inputs.vectors.keys(words)
        distinct, first = np.unique(word_keys, return_index=True)
        by_rank = distinct[distinct > 0][np.argsort(first[distinct > 0])]
        self.keys = np.sort(by_rank[: rows - self.room])
        size = 2 + len(self.keys) + self.room
        self._vectors, *self._tables = (np.zeros((size, *one), np.float32) for one in shapes)
        self._known = np.arange(size) > self._UNKNOWN
        self._fill(self._UNKNOWN, np.concatenate([[0], self.keys]))
        for table, padding in zip(
            self._tables, network.tables(self._vectors[: PADDING + 1]), strict=True
        ):
            table[PADDING] = padding[0]
        places = self._places(word_keys).tolist()
        kept = [(word, at) for word, at in zip(words, places, strict=True) if at != PADDING]
        self._hashes = WordHashes.of([word for word, _ in kept], [at for _, at in kept])

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        if not all(table.flags.writeable for table in (self._vectors, *self._tables)):
            self._vectors = self._vectors.copy()
            self._tables = [table.copy() for table in self._tables]

    def _by_frequency(self, texts: Iterable[Text]) -> list[str]:
        """Return the texts' words in order of frequency, and of the words where it is the same."""
        documents = self.inputs.reader.documents(texts)
        counts = Counter(word for document in documents for word in document.cut())
        return sorted(counts, key=lambda word: (-counts[word], word))[: self._MOST_WORDS]

    def rows(self, words: Sequence[str]) -> WordRows:
        """Return the rows of at most so many different words as there is room for."""
        keys = self.inputs.vectors.keys(words)
        places = self._places(keys)
        is_rare = places == PADDING
        rare, which = np.unique(keys[is_rare], return_inverse=True)
        start = len(self._vectors) - self.room
        self._fill(start, rare)
        places[is_rare] = start + which
        return WordRows(places, self._vectors, self._known, self._tables)

    def _batch(self, builder: BatchBuilder) -> InputBatch:
        if len(builder.numbers) <= self.room:
            return super()._batch(builder)
        plain = WordLookup(self.inputs, self.network)
        (batch,) = plain.batches(builder.documents)  # a single one
        return batch

    def _rows_at_hand(self, document: Document) -> Ints:
        return self._hashes.look_up(document.text, document.spans)

    def _has_room(self, builder: BatchBuilder, document: Document, rows: Ints | None) -> bool:
        return bool(len(builder.numbers) + np.count_nonzero(rows == MISSING) <= self.room)

    def _places(self, keys: Keys) -> Ints:
        """Return the rows of these keys' vectors; that of padding for rare ones."""
        at = np.searchsorted(self.keys, keys)
        is_frequent = np.zeros(len(keys), np.bool_)
        inside = at < len(self.keys)
        is_frequent[inside] = self.keys[at[inside]] == keys[inside]
        rows = np.where(is_frequent, at + 2, PADDING).astype(np.int32)
        rows[keys == 0] = self._UNKNOWN
        return rows

    def _fill(self, start: int, keys: Keys) -> None:
        """Write the rows of these keys' vectors, from row `start` on."""
        if len(keys):
            end = start + len(keys)
            self._vectors[start:end] = self.inputs.normalise(self.inputs.vectors.rows_of(keys))
            self.network.tables(
                self._vectors[start:end], out=[table[start:end] for table in self._tables]
            )


def _row_shapes(inputs: Inputs, network: Network) -> list[tuple[int, ...]]:
    """Return the shape of a word's row: of its vector, and of each width's answers."""
    return [
        (inputs.vectors.dimensions,),
        *(convolution.weight.shape[:2] for convolution in network.convolutions),
    ]
