"""The filters' answers to frequent words, computed once for many batches."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import MOST_DOCUMENTS, MOST_WORDS, PADDING, InputBatch, Inputs
from whyword.models.cnn.network import Network
from whyword.models.cnn.word_hashes import MISSING, WordHashes
from whyword.words.document import Document, Text

Floats = NDArray[np.float32]

_UNKNOWN = 1  # the row of words without a vector; row 0 is padding
_SCRATCH_SHARE = 6  # one part in so many of the budget is for a batch's rare words
_MOST_RARE = 1 << 15  # of a batch, where rows are small
_MOST_FORMS = 1 << 18  # of words, ten or twenty megabytes


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Rows of frequent words that stay, and room for those of a batch's rare ones.

    A batch's arrays are views of these, which the next batch writes to: a batch is to be done
    with before the next one is made. Which rows stay is settled by :meth:`of`, so that the same
    batch gives the same numbers, to the last bit, whatever came before it.

    Attributes
    ----------
    inputs : Inputs
    network : Network
    keys : (M,) int64, increasing
        Of the frequent words' vectors.
    vectors : (rows, D) float32
        Padding, unknown words, frequent words, rare words.
    tables : list of (rows, H, F) float32
        One for each width.
    known : (rows,) bool
    hashes : WordHashes
        The rows of words that the texts had.
    """

    inputs: Inputs
    network: Network
    keys: NDArray[np.int64]
    vectors: Floats
    tables: list[Floats]
    known: NDArray[np.bool_]
    hashes: WordHashes

    @classmethod
    def of(cls, inputs: Inputs, network: Network, texts: Iterable[str], budget: int) -> "Lexicon":
        """Return that of the words which the texts have most often.

        Parameters
        ----------
        inputs : Inputs
            Of vectors that have keys.
        network : Network
        texts : iterable of str
        budget : int
            Bytes that the rows may take.
        """
        counts = Counter(word for text in texts for word in inputs.tokenizer(text).cut())
        # in order of frequency, and of the words where that is the same
        ranked = sorted(counts, key=lambda word: (-counts[word], word))[:_MOST_FORMS]
        word_keys = inputs.vectors.keys(ranked)
        distinct, first = np.unique(word_keys, return_index=True)
        by_rank = distinct[distinct > 0][np.argsort(first[distinct > 0])]
        rows = max(1, budget // (4 * (network.row_size() + inputs.vectors.dimensions)))
        room = min(max(1, rows // _SCRATCH_SHARE), _MOST_RARE)
        keys = np.sort(by_rank[: rows - room])
        size = 2 + len(keys) + room
        lexicon = cls(
            replace(inputs, cache=None, lexicon=None),
            replace(network, cache=None),
            keys,
            np.zeros((size, inputs.vectors.dimensions), np.float32),
            [np.zeros((size, *one.weight.shape[:2]), np.float32) for one in network.convolutions],
            np.arange(size) > _UNKNOWN,
            WordHashes.of([], []),
        )
        lexicon._fill(_UNKNOWN, np.concatenate([[0], keys]))
        for table, one in zip(lexicon.tables, network.convolutions, strict=True):
            table[PADDING] = one.table(lexicon.vectors[: PADDING + 1])[0]
        places = lexicon._places(word_keys).tolist()
        met = [(word, at) for word, at in zip(ranked, places, strict=True) if at != PADDING]
        hashes = WordHashes.of([word for word, _ in met], [at for _, at in met])
        return replace(lexicon, hashes=hashes)

    def batches(self, texts: Iterable[Text], most_words: int = MOST_WORDS) -> Iterator[InputBatch]:
        """Yield the texts in batches, as :meth:`Inputs.batches` does."""
        builder = _BatchBuilder()
        for document in self.inputs.tokenizer.documents(texts):
            rows = self.hashes.look_up(document.text, document.spans)
            if not builder.has_room(document, rows, self.room, most_words):
                yield self._batch(builder)
                builder = _BatchBuilder()
            builder.add(document, rows)
        if builder.documents:
            yield self._batch(builder)

    @property
    def room(self) -> int:
        """How many rare words a batch may have."""
        return len(self.vectors) - len(self.keys) - 2

    def as_writable(self) -> "Lexicon":
        """Return one that may be written to: itself, or a copy of one in shared memory."""
        if all(table.flags.writeable for table in (self.vectors, *self.tables)):
            return self
        tables = [table.copy() for table in self.tables]
        return replace(self, vectors=self.vectors.copy(), tables=tables)

    def _batch(self, builder: "_BatchBuilder") -> InputBatch:
        if len(builder.rare) > self.room:  # a single document
            return self.inputs.batch(builder.documents)
        keys = self.inputs.vectors.keys(list(builder.rare))
        places = self._places(keys)
        is_rare = places == PADDING
        rare, which = np.unique(keys[is_rare], return_inverse=True)
        start = len(self.vectors) - self.room
        self._fill(start, rare)
        places[is_rare] = start + which
        ids, offsets = builder.lay_out(self.inputs.shortest)
        is_numbered = ids < 0
        ids[is_numbered] = places[-1 - ids[is_numbered]]
        return InputBatch(
            builder.documents, ids, offsets, self.vectors, self.known, tables=self.tables
        )

    def _places(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the rows of these keys' vectors; that of padding for rare ones."""
        at = np.searchsorted(self.keys, keys)
        is_frequent = np.zeros(len(keys), np.bool_)
        inside = at < len(self.keys)
        is_frequent[inside] = self.keys[at[inside]] == keys[inside]
        rows = np.where(is_frequent, at + 2, PADDING).astype(np.int32)
        rows[keys == 0] = _UNKNOWN
        return rows

    def _fill(self, start: int, keys: NDArray[np.int64]) -> None:
        """Write the rows of these keys' vectors, from row `start` on."""
        if len(keys):
            end = start + len(keys)
            self.vectors[start:end] = self.inputs.normalise(self.inputs.vectors.rows_of(keys))
            for table, one in zip(self.tables, self.network.convolutions, strict=True):
                one.table(self.vectors[start:end], out=table[start:end])


@dataclass
class _BatchBuilder:
    """Documents on their way into a batch.

    Attributes
    ----------
    documents : list of Document
    rows : list of (T,) int32
        Of their words; that of rare word n is −1 − n.
    rare : dict
        Words that are not among the lexicon's hashes, numbered.
    words : int
    """

    documents: list[Document] = field(default_factory=list)
    rows: list[NDArray[np.int32]] = field(default_factory=list)
    rare: dict[str, int] = field(default_factory=dict)
    words: int = 0

    def has_room(
        self, document: Document, rows: NDArray[np.int32], room: int, most_words: int
    ) -> bool:
        """Whether the document fits in; the first one always does."""
        if not self.documents:
            return True
        if len(self.documents) == MOST_DOCUMENTS or self.words + len(document) > most_words:
            return False
        return bool(len(self.rare) + np.count_nonzero(rows == MISSING) <= room)

    def add(self, document: Document, rows: NDArray[np.int32]) -> None:
        """Put a document in."""
        for at in np.flatnonzero(rows == MISSING).tolist():
            start, end = document.spans[at].tolist()
            rows[at] = -1 - self.rare.setdefault(document.text[start:end], len(self.rare))
        self.documents.append(document)
        self.rows.append(rows)
        self.words += len(rows)

    def lay_out(self, shortest: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return ids and offsets, short documents padded."""
        lengths = np.maximum([len(rows) for rows in self.rows], shortest)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        ids = np.full(offsets[-1], PADDING, np.int32)
        for start, rows in zip(offsets.tolist(), self.rows, strict=False):
            ids[start : start + len(rows)] = rows
        return ids, offsets
