"""What the network computed for some documents: all that its formulas start from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import MOST_WORDS, PADDING, InputBatch
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.network import Network
from whyword.models.cnn.word_cache import WordLookup
from whyword.models.erasure import next_positions
from whyword.models.protocol import Positions, Trace
from whyword.words.document import Document, Text

BLOCK_BYTES = 256 << 20  # what the relevance of one block may take


@dataclass(frozen=True, eq=False)
class ForwardPass(Trace):
    """Documents, and what a network's filters found in them.

    Attributes
    ----------
    documents : list of Document
    known : list of (T,) bool
    scores : (documents, C) float64
    network : Network
    batch : InputBatch
    activations : tuple of Activations
        One for each width.
    """

    documents: Sequence[Document]
    known: Sequence[NDArray[np.bool_]]
    scores: NDArray[np.float64]
    network: Network
    batch: InputBatch
    activations: tuple[Activations, ...]

    @classmethod
    def blocks(
        cls,
        words: WordLookup,
        texts: Iterable[Text],
        deleted: Iterator[Positions] | None,
        numbers_per_word: int,
        **more: Any,  # noqa: ANN401 - fields of a class that is built on this one
    ) -> Iterator[Self]:
        """Yield the texts in blocks of which so many numbers per word fit into memory."""
        most_words = min(MOST_WORDS, max(1, BLOCK_BYTES // (4 * numbers_per_word)))
        network = words.network
        for batch in words.batches(texts, most_words):
            if deleted is not None:
                batch = replace(batch, ids=_ids_without(batch, deleted))
            known = batch.known[batch.ids]
            activations = tuple(network.activate(batch))
            scores = network.scores(np.concatenate([part.pooled for part in activations], axis=1))
            starts = zip(batch.offsets[:-1].tolist(), batch.documents, strict=True)
            yield cls(
                batch.documents,
                [known[start : start + len(document)] for start, document in starts],
                scores.astype(np.float64),
                network,
                batch,
                activations,
                **more,
            )

    @property
    def dimensions(self) -> int:
        """Of the input vectors, D."""
        return int(self.batch.vectors.shape[1])

    @property
    def pooled(self) -> NDArray[np.float32]:
        """The filters' maxima, all widths side by side: (documents, ΣF)."""
        return np.concatenate([part.pooled for part in self.activations], axis=1)

    def cut(self, rows: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return rows of all places, (N, …), as those of each document's words, (T, …)."""
        starts = self.batch.offsets[:-1].tolist()
        pairs = zip(starts, self.documents, strict=True)
        return [rows[start : start + len(document)] for start, document in pairs]

    def padding(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what of (N, K) rows landed on each document's padding, (documents, K)."""
        sums = np.zeros((len(self.documents), rows.shape[1]))
        bounds = zip(self.batch.offsets[:-1].tolist(), self.batch.offsets[1:].tolist(), strict=True)
        for number, (start, end) in enumerate(bounds):
            length = len(self.documents[number])
            if start + length < end:
                sums[number] = rows[start + length : end].sum(axis=0, dtype=np.float64)
        return sums

    def parts(self) -> Iterator[tuple[Activations, NDArray[np.float32]]]:
        """Yield, for each width, the activations and the filters' output weights, (F, C)."""
        first = 0
        for activations in self.activations:
            last = first + len(activations.bias)
            yield activations, np.ascontiguousarray(self.network.output_weight[first:last])
            first = last


def _ids_without(batch: InputBatch, deleted: Iterator[Positions]) -> NDArray[np.int32]:
    """Return the batch's ids, those of deleted words pointing to padding."""
    ids = batch.ids.copy()
    for document, start in zip(batch.documents, batch.offsets[:-1].tolist(), strict=True):
        ids[start + next_positions(deleted, document)] = PADDING
    return ids
