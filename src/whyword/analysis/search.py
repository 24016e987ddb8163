"""Nearest documents by what served their class, and why they are near."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.summary import summarize, summary_parts
from whyword.base.checks import existing_file, expand_path, strings, whole_number
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.files import atomic_write
from whyword.base.printable import storable
from whyword.methods.registry import method_for
from whyword.models.blackbox import as_classifier

LARGE = 100_000  # documents from which the search of a network's vectors is approximate
FORMAT = 1
_ROWS = 1_000  # of a Parquet file's row group
_NEIGHBOURS, _EFFORT = 32, 200  # of the approximate graph: links of a document, width of a search


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
        self.method = method or method_for(self.model.trace_kind, None).name
        self.level = level
        self.approximate = approximate
        self.parameters = parameters
        self.ids: list[str] = []
        self.texts: list[str] = []
        self._vectors = self._summaries([])
        self._finder: tuple[int, Any] | None = None
        self.add(texts, ids)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"SearchIndex({len(self):,} documents, {self.method}, level={self.level!r})"

    def add(self, texts: Iterable[str], ids: Iterable[str] | None = None) -> None:
        """Put more documents in."""
        new = strings("texts", texts)
        first = len(self.texts)
        names = list(map(str, range(first, first + len(new)))) if ids is None else list(ids)
        if len(names) != len(new):
            raise InputError(f"ids and texts differ in length: {len(names)} ≠ {len(new)}")
        known = set(self.ids)
        for name in map(str, names):
            if name in known:
                raise InputError(f"the id {name!r} is there already")
            known.add(name)
        if new:
            self._vectors = _stack(self._vectors, unit_vectors(self._summaries(new)))
            self.texts += new
            self.ids += map(str, names)

    def _summaries(self, texts: list[str]) -> Any:  # noqa: ANN401 - dense or sparse
        others: dict[str, Any] = dict(self.parameters)
        return summarize(self.model, texts, self.method, self.level, **others)

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
        (trace,) = self.model.trace(strings("query", [query]))
        if not trace.known_words[0]:
            raise InputError("the model knows no word of this query")
        parts = _Parts(self, query)
        if parts.length == 0:
            raise InputError("no word of this query counts for the class the model predicts")
        return [
            self._hit(parts, number, similarity)
            for number, similarity in self._nearest(parts.unit, top)
            if similarity != 0
        ]

    @property
    def vectors(self) -> Any:  # noqa: ANN401 - dense or sparse
        """The documents' summary vectors, scaled to length 1: (documents, D), or sparse."""
        return self._vectors

    def prepare(self) -> None:
        """Make now what the first search would make."""
        rows = self._rows()
        if len(rows):
            self._graph(rows) if self._is_approximate() else self._brute_force(rows)

    def _rows(self) -> NDArray[np.intp]:
        """Return the documents that may be found: the others are near to nothing."""
        return np.flatnonzero(_squares(self._vectors) > 0)

    def _nearest(self, unit: Any, top: int) -> Iterator[tuple[int, float]]:  # noqa: ANN401
        rows = self._rows()
        top = min(top, len(rows))
        if not top:
            return iter(())
        if self._is_approximate():
            graph = self._graph(rows)
            similarities, numbers = graph.search(np.ascontiguousarray(unit[None]), top)
            pairs = zip(numbers[0].tolist(), similarities[0].tolist(), strict=True)
            return ((int(rows[number]), value) for number, value in pairs if number >= 0)
        row = unit if not isinstance(unit, np.ndarray) else unit[None]
        distances, numbers = self._brute_force(rows).kneighbors(row, top)
        return zip(rows[numbers[0]].tolist(), (1 - distances[0]).tolist(), strict=True)

    def _is_approximate(self) -> bool:
        if not isinstance(self._vectors, np.ndarray):
            return False
        return len(self) >= LARGE if self.approximate is None else self.approximate

    def _brute_force(self, rows: NDArray[np.intp]) -> Any:  # noqa: ANN401 - scikit-learn has no types
        try:
            from sklearn.neighbors import NearestNeighbors
        except ImportError:
            raise MissingExtraError("scikit-learn", "search") from None
        if self._finder is None or self._finder[0] != len(self):
            finder = NearestNeighbors(metric="cosine", algorithm="brute")
            self._finder = (len(self), finder.fit(self._vectors[rows]))
        return self._finder[1]

    def _graph(self, rows: NDArray[np.intp]) -> Any:  # noqa: ANN401 - faiss has no types
        try:
            import faiss
        except ImportError:
            raise MissingExtraError("faiss-cpu", "search") from None
        if self._finder is None or self._finder[0] != len(self):
            metric = faiss.METRIC_INNER_PRODUCT
            graph = faiss.IndexHNSWFlat(self._vectors.shape[1], _NEIGHBOURS, metric)
            graph.hnsw.efSearch = _EFFORT
            graph.add(np.ascontiguousarray(self._vectors[rows]))
            self._finder = (len(self), graph)
        return self._finder[1]

    def _hit(self, query: "_Parts", number: int, similarity: float) -> Hit:
        document = _Parts(self, self.texts[number])
        query_words, query_rest = query.carriers(document.unit, similarity)
        words, rest = document.carriers(query.unit, similarity)
        return Hit(
            self.ids[number],
            self.texts[number],
            float(similarity),
            query_words,
            words,
            (query_rest, rest),
        )

    # ---- keeping ------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the index into one Parquet file; the model is named in it by its identity."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self.model.identity is None:
            raise InputError("an index is kept for a model that can be saved; this one cannot")
        dense = isinstance(self._vectors, np.ndarray)
        floats = pa.list_(pa.float32())
        names = {"vector": floats} if dense else {"places": pa.list_(pa.int32()), "values": floats}
        about = {
            "format": FORMAT,
            "model": self.model.identity,
            "method": self.method,
            "level": self.level,
            "parameters": self.parameters,
            "approximate": self.approximate,
        }
        schema = pa.schema(
            [("id", pa.string()), ("text", pa.string()), *names.items()],
            metadata={"whyword search index": json.dumps(about)},
        )
        with atomic_write(expand_path(path)) as draft, pq.ParquetWriter(draft, schema) as writer:
            for first in range(0, len(self), _ROWS):
                rows = range(first, min(len(self), first + _ROWS))
                columns: list[Sequence[Any]] = [
                    [storable(self.ids[row]) for row in rows],
                    [storable(self.texts[row]) for row in rows],
                ]
                if dense:
                    columns.append([self._vectors[row] for row in rows])
                else:
                    part = self._vectors[first : first + len(rows)]
                    bounds = list(zip(part.indptr[:-1], part.indptr[1:], strict=True))
                    columns.append([part.indices[a:b] for a, b in bounds])
                    columns.append([part.data[a:b] for a, b in bounds])
                writer.write_table(pa.table(dict(zip(schema.names, columns, strict=True)), schema))

    @classmethod
    def load(cls, path: str | Path, model: object) -> Self:
        """Read an index that :meth:`save` wrote with this model."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = existing_file(expand_path(path))
        own = as_classifier(model).identity
        damaged = (OSError, LookupError, TypeError, ValueError, AttributeError)
        try:
            table = pq.read_table(file)
            about = json.loads(table.schema.metadata[b"whyword search index"])
            version, identity = int(about["format"]), str(about["model"])
        except (pa.ArrowException, *damaged) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{file} is damaged or no search index ({reason})") from None
        if version != FORMAT:
            raise InputError(f"{file} has format {version}, this version reads {FORMAT}")
        if identity != own:
            raise InputError(
                f"{file} was made with another model ({identity[:12]}…, this is {str(own)[:12]}…)"
            )
        try:
            index = cls(
                model,
                method=about["method"],
                level=about["level"],
                approximate=about["approximate"],
                **about["parameters"],
            )
            index.ids, index.texts = table["id"].to_pylist(), table["text"].to_pylist()
            index._vectors = _vectors_of(table, index._vectors)
        except (pa.ArrowException, *damaged) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{file} is damaged or no search index ({reason})") from None
        return index


class _Parts:
    """A text's summary as the sum of what its words add to it."""

    def __init__(self, index: SearchIndex, text: str) -> None:
        others: dict[str, Any] = dict(index.parameters)
        self.document, self.parts = summary_parts(
            index.model, text, index.method, index.level, **others
        )
        whole = index._summaries([text])
        self.length = float(np.sqrt(_squares(whole)[0]))
        unit = unit_vectors(whole)
        self.unit = unit[0] if isinstance(unit, np.ndarray) else unit

    def carriers(self, other: Any, similarity: float) -> tuple[list[Carrier], float]:  # noqa: ANN401
        """Return the words by what they carry of the similarity, and what no word carries."""
        if isinstance(other, np.ndarray):
            shares = self.parts @ other / max(self.length, 1e-30)
        else:
            shares = (self.parts @ other.T).toarray()[:, 0] / max(self.length, 1e-30)
        words = self.document.words
        carriers = [
            Carrier(words[place], place, float(share))
            for place, share in enumerate(shares.tolist())
            if share != 0
        ]
        carriers.sort(key=lambda carrier: -abs(carrier.similarity))
        rest = similarity - float(np.sum(shares, dtype=np.float64))
        return carriers, rest if abs(rest) > 1e-4 else 0.0


def _squares(vectors: Any) -> NDArray[np.float64]:  # noqa: ANN401 - dense or sparse
    if isinstance(vectors, np.ndarray):
        squares: NDArray[np.float64] = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    else:
        squares = np.asarray(vectors.multiply(vectors).sum(axis=1), np.float64).ravel()
    return squares


def unit_vectors(vectors: Any) -> Any:  # noqa: ANN401 - dense or sparse
    """Return the vectors scaled to length 1; those of length 0 stay."""
    lengths = np.sqrt(_squares(vectors))
    factors = (1 / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    if isinstance(vectors, np.ndarray):
        return vectors * factors[:, None]
    return vectors.multiply(factors[:, None]).tocsr()


def _stack(first: Any, second: Any) -> Any:  # noqa: ANN401 - dense or sparse
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    from scipy.sparse import vstack

    return vstack([first, second], format="csr")


def _vectors_of(table: Any, empty: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    columns = [table[name].combine_chunks() for name in table.column_names[2:]]
    flat = [np.asarray(column.flatten()) for column in columns]
    if isinstance(empty, np.ndarray):
        return flat[0].astype(np.float32).reshape(table.num_rows, empty.shape[1])
    from scipy.sparse import csr_matrix

    lengths = np.asarray(columns[0].value_lengths())
    ends = np.concatenate([[0], np.cumsum(lengths)])
    shape = (table.num_rows, empty.shape[1])
    return csr_matrix((flat[1].astype(np.float32), flat[0], ends), shape)
