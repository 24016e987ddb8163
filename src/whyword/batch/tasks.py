"""What is done with a chunk of documents: explained, predicted, summarised, as a table."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.summary import iter_summaries
from whyword.base.errors import ConservationError, InputError
from whyword.base.labels import Label
from whyword.batch.chunks import Chunk, Place
from whyword.batch.columns import rows_column, strongest, texts_column, words_column
from whyword.batch.folder import part_path, write_part
from whyword.corpora.source import Record
from whyword.explanation.explanation import TOLERANCE
from whyword.explanation.export import arrow_lists, parameters_text, parquet_schema
from whyword.methods.blocks import blocks, kind_of, model_classes
from whyword.methods.request import Answered, Inquiry, identity_of
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator

Arrow = Any  # pyarrow has no types


class Done(NamedTuple):
    """A chunk that is written.

    Attributes
    ----------
    place : Place
    documents : int
    read : float
        The share of its shard that is read.
    """

    place: Place
    documents: int
    read: float


@dataclass(frozen=True, eq=False)
class Task(ABC):
    """Something to do with every chunk.

    Attributes
    ----------
    model : object
    """

    model: Any

    @cached_property
    def identity(self) -> str | None:
        """The model's."""
        return identity_of(self.model)

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""

    @abstractmethod
    def table(self, records: Sequence[Record]) -> Arrow:
        """Return the result, an Arrow table with a row for each document."""

    def write(self, chunk: Chunk, folder: Path) -> Done:
        """Work on a chunk and write its part."""
        table = self.table(chunk.records)
        write_part(part_path(folder, chunk.place), table)
        return Done(chunk.place, int(table.num_rows), chunk.read)


@dataclass(frozen=True, eq=False)
class Explaining(Task):
    """Explain the documents.

    Attributes
    ----------
    model : object
    target : "predicted", "all", a label or several
    method : str
    parameters : dict
    against : label or None
    top : int or None
        Keep so many words of each document, the strongest.
    strict : bool
        Raise if an explanation does not add up to the score.
    """

    target: object
    method: str
    parameters: dict[str, Any]
    against: object = None
    top: int | None = None
    strict: bool = False

    @cached_property
    def inquiry(self) -> Inquiry:
        """The question to the model; raises if it makes no sense."""
        return Inquiry.of(
            self.model, self.target, self.method, None, self.against, **self.parameters
        )

    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""
        return {
            "task": "explain",
            "model": self.identity,
            "method": self.method,
            "parameters": self.inquiry.recorded,
            "target": list(self.target) if isinstance(self.target, list | tuple) else self.target,
            "top": self.top,
        }

    def table(self, records: Sequence[Record]) -> Arrow:
        """Return the explanations."""
        import pyarrow as pa

        names = iter([record.id for record in records])
        tables = []
        for answered in self.inquiry.answers([record.text for record in records]):
            columns = self._columns(answered)
            columns["id"] = texts_column([next(names) for _ in answered.block.documents])
            arrays = [columns[field.name].cast(field.type) for field in self.schema]
            tables.append(pa.Table.from_arrays(arrays, schema=self.schema))
        return pa.concat_tables(tables)

    @cached_property
    def schema(self) -> Arrow:
        """The columns' types, and what the file says of itself."""
        asked = self.inquiry.question
        return parquet_schema(
            asked.classes,
            target=asked.target(asked.columns or (0,)),
            several=not asked.single,
            method=self.method,
            parameters=self.inquiry.recorded,
            model=self.identity,
            top=self.top,
        )

    def _columns(self, answered: Answered) -> dict[str, Arrow]:
        import pyarrow as pa

        block, targets, found = answered
        asked, count = self.inquiry.question, len(block.documents)
        documents = block.documents
        firsts = np.cumsum([0, *map(len, documents)]).astype(np.int64)
        spans = np.concatenate([np.empty((0, 2), np.int32), *(d.spans for d in documents)])
        known = np.concatenate([np.empty(0, np.bool_), *block.known])
        relevance = np.concatenate([np.empty((0, targets.shape[1])), *found.words])
        relevance = relevance.astype(np.float32)
        scores = np.take_along_axis(block.scores, targets.astype(np.intp), axis=1)
        if asked.against is not None:
            scores = scores - block.scores[:, [asked.against]]
        whole = _sums(relevance, firsts)
        residual = scores - whole - found.padding
        if self.strict:
            _check(residual, scores)
        texts = texts_column([document.text for document in documents])
        columns: dict[str, Arrow] = {
            "text": texts,
            "truncated": pa.array([document.truncated for document in documents], pa.int32()),
            "classes": _repeated(asked.classes, count),
            "scores": rows_column(block.scores),
            "target": self._targets(targets),
            "residual": _per_target(residual, asked.single),
            "padding": _per_target(found.padding, asked.single),
        }
        if self.top is not None:
            kept, firsts = strongest(relevance, firsts, self.top)
            spans, known, relevance = spans[kept], known[kept], relevance[kept]
            left = whole - _sums(relevance, firsts)
            columns["left_out"] = _per_target(left, asked.single)
        columns |= {
            "words": words_column(texts, spans, firsts),
            "spans": arrow_lists(spans, firsts),
            "known": arrow_lists(known, firsts),
            "relevance": arrow_lists(relevance[:, 0] if asked.single else relevance, firsts),
        }
        about = {
            "method": self.method,
            "parameters": parameters_text(self.inquiry.recorded),
            "model": self.identity,
        }
        return columns | {
            name: pa.repeat(pa.scalar(value, pa.string()), count) for name, value in about.items()
        }

    def _targets(self, targets: NDArray[np.int32]) -> Arrow:
        import pyarrow as pa

        asked = self.inquiry.question
        if asked.all:
            return pa.repeat("all", len(targets))
        labels = pa.array(list(asked.classes))
        if asked.single:
            return labels.take(pa.array(targets[:, 0]))
        return _repeated([asked.classes[number] for number in asked.columns or ()], len(targets))


@dataclass(frozen=True, eq=False)
class Predicting(Task):
    """Predict the documents' classes.

    Attributes
    ----------
    model : CNNClassifier or SVMClassifier
    """

    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""
        kind_of(self.model)
        if not isinstance(self.model, Estimator):
            raise InputError("a CNNClassifier or an SVMClassifier is needed to predict a corpus")
        return {"task": "predict", "model": self.identity}

    def table(self, records: Sequence[Record]) -> Arrow:
        """Return class, probability, and the scores and probabilities of all classes."""
        import pyarrow as pa

        texts = [record.text for record in records]
        found, known = [], []
        for block in blocks(self.model, texts, 1, elements=False):
            found.append(block.scores)
            known += [int(words.sum()) for words in block.known]
        if not isinstance(self.model, CNNClassifier):  # there, features are what is known
            known = self.model.known_words(texts).tolist()
        scores = np.concatenate(found)
        chances = self.model.probabilities(scores)
        labels = pa.array(model_classes(self.model))
        predicted = pa.array(scores.argmax(axis=1))
        columns = {
            "id": texts_column([record.id for record in records]),
            "label": pa.array([record.label for record in records], pa.string()),
            "predicted": labels.take(predicted),
            "probability": pa.array(chances.max(axis=1)),
            "known_words": pa.array(known, pa.int64()),
            "classes": _repeated(model_classes(self.model), len(records)),
            "scores": rows_column(scores),
            "probabilities": rows_column(np.asarray(chances, np.float64)),
        }
        return pa.table(columns).replace_schema_metadata({"model": self.identity or ""})


@dataclass(frozen=True, eq=False)
class Summarising(Task):
    """Make the documents' vectors.

    Attributes
    ----------
    model : CNNClassifier or SVMClassifier
    method, level, target
        As for :func:`~whyword.summarize`.
    """

    method: str
    level: str
    target: object

    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""
        iter_summaries(self.model, [], self.method, self.level, target=self.target)
        return {
            "task": "summarize",
            "model": self.identity,
            "method": self.method,
            "level": self.level,
            "target": self.target,
        }

    def table(self, records: Sequence[Record]) -> Arrow:
        """Return a vector for each document; of a bag of words, places and values."""
        import pyarrow as pa

        texts = [record.text for record in records]
        rows: list[Any] = list(
            iter_summaries(self.model, texts, self.method, self.level, target=self.target)
        )
        columns = {"id": texts_column([record.id for record in records])}
        if isinstance(self.model, CNNClassifier):
            columns["vector"] = rows_column(np.concatenate(rows))
        else:
            firsts = np.cumsum([0, *(n for part in rows for n in np.diff(part.indptr))])
            places = np.concatenate([part.indices for part in rows]).astype(np.int32)
            values = np.concatenate([part.data for part in rows]).astype(np.float32)
            columns["places"] = arrow_lists(places, firsts)
            columns["values"] = arrow_lists(values, firsts)
        about = {key: json.dumps(value) for key, value in self.about().items()}
        return pa.table(columns).replace_schema_metadata(about)


def _check(residual: NDArray[np.float64], scores: NDArray[np.float64]) -> None:
    """Raise if an explanation does not add up to the score."""
    worst = np.abs(residual / np.maximum(1, np.abs(scores))).max(initial=0)
    if not worst <= TOLERANCE:
        raise ConservationError(
            f"relevance does not add up to the score: {worst:.1e} of it is left, which is more "
            f"than {TOLERANCE:g}"
        )


def _sums(values: NDArray[np.float32], firsts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each document's rows, (documents, K), in float64."""
    count = len(firsts) - 1
    document = np.repeat(np.arange(count), np.diff(firsts))
    columns = [np.bincount(document, column, count) for column in values.T]
    return np.stack(columns, axis=1)


def _per_target(values: NDArray[np.float64], single: bool) -> Arrow:
    import pyarrow as pa

    return pa.array(np.ascontiguousarray(values[:, 0])) if single else rows_column(values)


def _repeated(labels: Sequence[Label], count: int) -> Arrow:
    """Return a list of labels so many times."""
    import pyarrow as pa

    numbers = np.tile(np.arange(len(labels), dtype=np.int32), count)
    firsts = np.arange(count + 1, dtype=np.int64) * len(labels)
    return arrow_lists(pa.array(list(labels)).take(pa.array(numbers)), firsts)
