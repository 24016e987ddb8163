"""Nearest documents by what served their class, and why they are near."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.nearest import ExactNearest, GraphNearest, NearestVectors, check_graph
from whyword.analysis.rows import lengths_of, products, stack, unit_vectors
from whyword.analysis.search_file import StoredIndex, write_index
from whyword.analysis.summary import Summarizer, SummaryBlock
from whyword.base.checks import flag, one_each, strings, whole_number
from whyword.base.errors import InputError
from whyword.base.printable import shown, storable
from whyword.methods.registry import method_for
from whyword.models.blackbox import as_classifier
from whyword.models.protocol import Rows
from whyword.words.document import Document

LARGE = 100_000  # documents from which the search of a network's vectors is approximate


class Carrier(NamedTuple):
    """A word and how much of the similarity it carries."""

    word: str
    position: int
    similarity: float


@dataclass(frozen=True)
class Hit:
    """A document that was found, and why.

    Attributes
    ----------
    id : str
    text : str
    similarity : float
        The cosine of the two summary vectors, −1 … 1.
    query_words, words : list of Carrier
        The words of the query, and those of the document: each list adds up to the similarity
        (but for `elsewhere`), the strongest first.
    elsewhere : (float, float)
        What is carried by features that have no place in the texts; 0 but for unusual pipelines.
    """

    id: str
    text: str
    similarity: float
    query_words: list[Carrier]
    words: list[Carrier]
    elsewhere: tuple[float, float] = (0.0, 0.0)

    def __repr__(self) -> str:
        carried = ", ".join(f"{c.word} {c.similarity:+.2f}" for c in self.words[:4])
        return f"Hit({self.id!r}, {self.similarity:.3f}: {carried})"


class SearchIndex:
    """Documents by their summary vectors.

    Parameters
    ----------
    model : TextClassifier
    texts : iterable of str
    ids : iterable of str, optional
        Their names; numbers by default.
    method, level, **parameters
        As for :func:`~whyword.summarize`.
    approximate : bool, optional
        Search a graph of neighbours instead of all documents; by default from 100,000 documents
        on. Bags of words are always searched exactly.
    """

    def __init__(
        self,
        model: object,
        texts: Iterable[str] = (),
        *,
        ids: Iterable[str] | None = None,
        method: str | None = None,
        level: str = "word",
        approximate: bool | None = None,
        **parameters: float | str,
    ) -> None:
        self.model = as_classifier(model)
        self.method = method_for(self.model.trace_kind, None).name if method is None else method
        self.level = level
        self.approximate = None if approximate is None else flag("approximate", approximate)
        if self.approximate:
            check_graph()  # better before the work than after it
        self.parameters = parameters
        self.ids: list[str] = []
        self.texts: list[str] = []
        self._summarizer = Summarizer.of(self.model, self.method, level, parameters)
        self._searched: tuple[NDArray[np.intp], NearestVectors] | None = None
        names, new = self._named(texts, ids)
        self._vectors = self._summarizer.no_rows()
        self._add(names, new)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"SearchIndex({len(self):,} documents, {self.method}, level={self.level!r})"

    def add(self, texts: Iterable[str], ids: Iterable[str] | None = None) -> None:
        """Put more documents in."""
        self._add(*self._named(texts, ids))

    def _named(
        self, texts: Iterable[str], ids: Iterable[str] | None
    ) -> tuple[list[str], list[str]]:
        """Return new documents' names and texts; raise if they are unfit."""
        new, first = strings("texts", texts), len(self.texts)
        given = range(first, first + len(new)) if ids is None else one_each("ids", ids, len(new))
        names, known = list(map(str, given)), set(self.ids)
        for name in names:
            if name in known:
                raise InputError(f"the id {shown(name)} is there already")
            known.add(name)
        return names, new

    def _add(self, names: list[str], texts: list[str]) -> None:
        if texts:
            vectors = unit_vectors(stack(list(self._summarizer.rows(texts))))
            self._extend(names, texts, vectors)

    def _extend(self, ids: list[str], texts: list[str], vectors: Rows) -> None:
        self._vectors = stack([self._vectors, vectors])
        self.texts += texts
        self.ids += ids
        self._searched = None

    def is_of(self, ids: Sequence[str], texts: Sequence[str]) -> bool:
        """Return whether these are its documents, in this order; as a file would have them."""
        own = zip(self.ids, self.texts, strict=True)
        given = zip(ids, texts, strict=True)
        return len(ids) == len(self) and all(
            storable(one) == storable(other)
            for pair in zip(own, given, strict=True)
            for one, other in zip(*pair, strict=True)
        )

    @property
    def vectors(self) -> Rows:
        """The documents' summary vectors, scaled to length 1: (documents, D), or sparse."""
        return self._vectors

    # ---- searching ----------------------------------------------------------------------------

    def search(self, query: str, top: int = 5) -> list[Hit]:
        """Return the documents most similar to a text, the nearest first.

        Parameters
        ----------
        query : str
        top : int
            At most so many; fewer if the index has fewer. Documents without a word that counts
            are similar to nothing and left out.
        """
        top = whole_number("top", top)
        if not self.texts:
            raise InputError("the index is empty; add documents first")
        (block,) = self._summarizer.blocks(strings("query", [query]), each=True)
        if not block.trace.known_words[0]:
            raise InputError("the model knows no word of this query")
        (asked,) = _summed_words(block)
        if asked.length == 0:
            raise InputError("no word of this query counts for the class the model predicts")
        nearest = [pair for pair in self._nearest(asked.unit, top) if pair[1] != 0]
        texts = [self.texts[number] for number, _ in nearest]
        blocks = self._summarizer.blocks(texts, each=True)
        found = (document for block in blocks for document in _summed_words(block))
        return [
            self._hit(number, similarity, asked, document)
            for (number, similarity), document in zip(nearest, found, strict=True)
        ]

    def prepare(self) -> None:
        """Make now what the first search would make."""
        self._documents()

    def _nearest(self, unit: Rows, top: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest documents and their similarities."""
        numbers, vectors = self._documents()
        return [(int(numbers[place]), cosine) for place, cosine in vectors.search(unit, top)]

    def _documents(self) -> tuple[NDArray[np.intp], NearestVectors]:
        """Return the documents that may be found, by number and to search: not those near none."""
        if self._searched is None:
            numbers = np.flatnonzero(lengths_of(self._vectors) > 0)
            whole = len(numbers) == len(self)
            vectors = self._vectors if whole else self._vectors[numbers]
            kind = GraphNearest if self._is_approximate() else ExactNearest
            self._searched = numbers, kind(vectors)
        return self._searched

    def _is_approximate(self) -> bool:
        if not isinstance(self._vectors, np.ndarray):
            return False
        return len(self) >= LARGE if self.approximate is None else self.approximate

    def _hit(
        self, number: int, similarity: float, asked: "_SummedWords", document: "_SummedWords"
    ) -> Hit:
        query_words, query_rest = asked.carriers(document.unit, similarity)
        words, rest = document.carriers(asked.unit, similarity)
        elsewhere = (query_rest, rest)
        return Hit(self.ids[number], self.texts[number], similarity, query_words, words, elsewhere)

    # ---- keeping ------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the index into one Parquet file; the model is named in it by its identity."""
        if self.model.identity is None:
            raise InputError(
                "an index is kept for a model with an identity, which this one, as it cannot be "
                "saved, has not"
            )
        settings = {
            "method": self.method,
            "level": self.level,
            "parameters": self.parameters,
            "approximate": self.approximate,
        }
        write_index(path, self.model.identity, settings, self.ids, self.texts, self._vectors)

    @classmethod
    def load(cls, path: str | Path, model: object) -> Self:
        """Read an index that :meth:`save` wrote with this model."""
        stored = StoredIndex.read(path, as_classifier(model).identity)
        about = stored.about
        with stored.being_opened():
            index = cls(
                model,
                method=about["method"],
                level=about["level"],
                approximate=about["approximate"],
                **about["parameters"],
            )
            if index.parameters != about["parameters"]:  # one of them is an argument of ours
                raise ValueError("its parameters are none of a method")
            index._extend(*stored.ids_and_texts(), stored.vectors(index._vectors))
        return index


class _SummedWords(NamedTuple):
    """A text's summary as the sum of what its words add to it.

    Attributes
    ----------
    document : Document
    parts : (T, D)
        What each word adds.
    length : float
        Of the summary.
    unit : (D,) array, or (1, D) sparse
        The summary scaled to length 1.
    """

    document: Document
    parts: Rows
    length: float
    unit: Rows

    def carriers(self, other: Rows, similarity: float) -> tuple[list[Carrier], float]:
        """Return the words by what they carry of the similarity, and what no word carries."""
        shares = products(self.parts, other) / max(self.length, 1e-30)
        words = self.document.words
        carriers = [
            Carrier(words[place], place, float(share))
            for place, share in enumerate(shares.tolist())
            if share != 0
        ]
        carriers.sort(key=lambda carrier: -abs(carrier.similarity))
        rest = similarity - float(np.sum(shares, dtype=np.float64))
        return carriers, rest if abs(rest) > 1e-4 else 0.0


def _summed_words(block: SummaryBlock) -> Iterator[_SummedWords]:
    """Yield the texts of a block, each with its vector and what its words add to that."""
    vectors = block.vectors()
    lengths = lengths_of(vectors)
    units = unit_vectors(vectors, lengths)
    each = enumerate(zip(block.trace.documents, block.parts(), strict=True))
    for number, (document, parts) in each:
        yield _SummedWords(document, parts, float(lengths[number]), units[number])
