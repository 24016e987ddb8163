"""What is done with a chunk of documents: explained, predicted, summarised, as a table."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.summary import Summarizer
from whyword.base.labels import Label, label_text
from whyword.base.printable import storable
from whyword.batch.chunks import Chunk
from whyword.batch.columns import strongest, words_column
from whyword.batch.parts import Part, write_part
from whyword.corpora.source import Record
from whyword.explanation import row
from whyword.explanation.formats.parquet import (
    arrow_lists,
    arrow_repeat,
    arrow_rows,
    arrow_schema,
    arrow_strings,
    encode,
)
from whyword.methods.registry import method_for
from whyword.methods.request import Answer, Request
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel, predicted_sets
from whyword.models.protocol import Trace

Arrow = Any  # pyarrow has no types


class WrittenChunk(NamedTuple):
    """A chunk that is written.

    Attributes
    ----------
    part : Part
    read : float
        The share of its shard that is read.
    """

    part: Part
    read: float


@dataclass(frozen=True, eq=False)
class Task(ABC):
    """Something to do with every chunk.

    Attributes
    ----------
    model : TextClassifier
        Of anything else, that which asks it; of what kind it is, is asked here and not again.
    """

    stage: ClassVar[str]  # as progress names it
    model: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", as_classifier(self.model))

    @property
    def identity(self) -> str | None:
        """The model's."""
        identity: str | None = self.model.identity
        return identity

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""

    @abstractmethod
    def table(self, records: Sequence[Record]) -> Arrow:
        """Return the result, an Arrow table with a row for each document."""

    def write(self, chunk: Chunk, folder: Path) -> WrittenChunk:
        """Work on a chunk and write its part."""
        part = write_part(folder, chunk.place, chunk.digest(), self.table(chunk.records))
        return WrittenChunk(part, chunk.read)


@dataclass(frozen=True, eq=False)
class ExplainTask(Task):
    """Explain the documents.

    Attributes
    ----------
    model : TextClassifier
    target : "predicted", "all", a label or several
    method : str
    parameters : dict
    against : label or None
    top : int or None
        Keep so many words of each document, the strongest.
    strict : bool
        Raise if an explanation does not add up to the score.
    top_classes : int or None
        Explain so many classes of each document, instead of the target.
    """

    stage = "explaining"
    target: object
    method: str | None
    parameters: dict[str, Any]
    against: object = None
    top: int | None = None
    strict: bool = False
    top_classes: int | None = None

    @cached_property
    def request(self) -> Request:
        """What is asked of the model; raises if it makes no sense."""
        return Request.of(
            self.model,
            self.target,
            self.method,
            against=self.against,
            top_classes=self.top_classes,
            parameters=self.parameters,
        )

    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""
        return {
            "task": "explain",
            "model": self.identity,
            "method": self.request.method.name,
            "parameters": self.request.recorded,
            "target": list(self.target) if isinstance(self.target, list | tuple) else self.target,
            "top": self.top,
        }

    def table(self, records: Sequence[Record]) -> Arrow:
        """Return the explanations."""
        import pyarrow as pa

        names = iter([record.id for record in records])
        answers = self.request.answers([record.text for record in records])
        return pa.concat_tables(
            encode(self._columns(answer, names), self.schema) for answer in answers
        )

    @cached_property
    def labels(self) -> list[Label]:
        """The classes as Parquet can hold them."""
        return [_storable_label(label) for label in self.request.target.labels]

    @cached_property
    def recorded(self) -> dict[str, Any]:
        """The method's parameters as Parquet can hold them: one may be a label."""
        return {name: _storable_label(value) for name, value in self.request.recorded.items()}

    @cached_property
    def schema(self) -> Arrow:
        """The columns' types, and what the file says of itself."""
        target = self.request.target
        return arrow_schema(
            self.labels,
            target=_storable_label(target.labels_for(target.columns or (0,))),
            several=not target.single,
            method=self.request.method.name,
            parameters=self.recorded,
            model=self.identity,
            extra=(row.PREDICTED.name,) if is_multilabel(self.model) else (),
            top=self.top,
        )

    def _columns(self, answer: Answer, names: Iterator[str]) -> dict[str, Any]:
        """Return the fields of a block's explanations, those of words as Arrow arrays."""
        trace, targets, relevance = answer
        documents, target, method = trace.documents, self.request.target, self.request.method.name
        count, single = len(documents), target.single
        firsts = np.cumsum([0, *map(len, documents)]).astype(np.int64)
        spans = np.concatenate([np.empty((0, 2), np.int32), *(d.spans for d in documents)])
        known = np.concatenate([np.empty(0, np.bool_), *trace.known])
        values = np.concatenate([np.empty((0, targets.shape[1])), *relevance.words])
        values = values.astype(np.float32)
        scores = row.target_scores(trace.scores, targets, target.against)
        whole = row.relevance_sums(values, firsts)
        residual = row.residual_of(scores, whole, relevance.padding, relevance.constant)
        if self.strict:
            row.check_conserved(residual, scores, method)
        texts = arrow_strings([document.text for document in documents])
        columns = {
            "id": list(islice(names, count)),
            "text": texts,
            "truncated": [document.truncated for document in documents],
            "unread": _lists([document.unread for document in documents]),
            "classes": [self.labels] * count,
            "scores": trace.scores,
            "target": self._targets(targets),
            "residual": _per_target(residual, single),
            "padding": _per_target(relevance.padding, single),
            "constant": _per_target(relevance.constant, single),
            "conserves": [self.request.conserves] * count,
            "method": [method] * count,
            "parameters": [{**self.recorded, **trace.recorded(at)} for at in range(count)],
            "model": [self.identity] * count,
        }
        if is_multilabel(self.model):
            columns[row.PREDICTED.name] = [
                list(one or ()) for one in predicted_sets(trace, self.labels)
            ]
        if self.top is not None:
            chosen, firsts = strongest(values, firsts, self.top)
            spans, known, values = spans[chosen], known[chosen], values[chosen]
            columns["left_out"] = _per_target(whole - row.relevance_sums(values, firsts), single)
        return columns | {
            "words": words_column(texts, spans, firsts),
            "spans": arrow_lists(spans, firsts),
            "known": arrow_lists(known, firsts),
            "relevance": arrow_lists(values[:, 0] if single else values, firsts),
        }

    def _targets(self, targets: NDArray[np.int32]) -> list[object]:
        """Return what each document's relevance is for."""
        target = self.request.target
        if target.all:
            return ["all"] * len(targets)
        if target.single:
            return [self.labels[number] for number in targets[:, 0].tolist()]
        if target.columns is not None:
            return [[self.labels[number] for number in target.columns]] * len(targets)
        return [[self.labels[number] for number in own] for own in targets.tolist()]


@dataclass(frozen=True, eq=False)
class PredictTask(Task):
    """Predict the documents' classes.

    Attributes
    ----------
    model : TextClassifier
    """

    stage = "predicting"

    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""
        return {"task": "predict", "model": self.identity}

    def table(self, records: Sequence[Record]) -> Arrow:
        """Return class, probability, and the scores and probabilities of all classes."""
        import pyarrow as pa

        traces = list(self.model.trace([record.text for record in records]))
        scores = np.concatenate([trace.scores for trace in traces])
        chances = np.concatenate([trace.probabilities for trace in traces])
        known = np.concatenate([trace.known_words for trace in traces])
        labels = _storable_label(labels_of(self.model))
        columns = {
            "id": arrow_strings([record.id for record in records]),
            "label": self._true(records),
            "predicted": self._predicted(traces, labels),
            "probability": pa.array(chances.max(axis=1)),
            "known_words": pa.array(known),
            "classes": arrow_repeat(pa.array([labels]), len(records)),
            "scores": arrow_rows(scores),
            "probabilities": arrow_rows(chances),
        }
        return pa.table(columns).replace_schema_metadata({"model": self.identity or ""})

    def _true(self, records: Sequence[Record]) -> Arrow:
        """Return the documents' labels, as the model predicts them: lists, if it does several."""
        import pyarrow as pa

        labels = [record.label for record in records]
        if not is_multilabel(self.model):
            return arrow_strings([None if one is None else label_text(one) for one in labels])
        several = [[one] if isinstance(one, str) else one for one in labels]
        return pa.array(_storable_label(several), pa.list_(pa.string()))

    def _predicted(self, traces: Sequence[Trace], labels: Sequence[Label]) -> Arrow:
        import pyarrow as pa

        if is_multilabel(self.model):
            sets = [one for trace in traces for one in predicted_sets(trace, labels)]
            return pa.array(sets, pa.list_(pa.array(labels).type))
        return pa.array(labels).take(pa.array(np.concatenate([one.predicted for one in traces])))


@dataclass(frozen=True, eq=False)
class SummarizeTask(Task):
    """Make the documents' vectors.

    Attributes
    ----------
    model : TextClassifier
    method, level, target
        As for :func:`~whyword.summarize`.
    """

    stage = "summarising"
    method: str | None
    level: str
    target: object

    @cached_property
    def summarizer(self) -> Summarizer:
        """How vectors are made; raises if that makes no sense."""
        parameters: dict[str, Any] = {}
        summarizer = Summarizer.of(self.model, self.method, self.level, parameters)
        return summarizer.for_target(self.target, None)

    def about(self) -> dict[str, Any]:
        """Return what distinguishes this task from others, as plain data."""
        self.summarizer  # noqa: B018 - raises if it makes no sense
        best = method_for(self.model.trace_kind, None).name
        return {
            "task": "summarize",
            "model": self.identity,
            "method": best if self.method is None else self.method,
            "level": self.level,
            "target": self.target,
        }

    def table(self, records: Sequence[Record]) -> Arrow:
        """Return a vector for each document; of a bag of words, places and values."""
        import pyarrow as pa

        rows: list[Any] = list(self.summarizer.rows([record.text for record in records]))
        columns = {"id": arrow_strings([record.id for record in records])}
        if isinstance(rows[0], np.ndarray):
            columns["vector"] = arrow_rows(np.concatenate(rows))
        else:
            firsts = np.cumsum([0, *(n for part in rows for n in np.diff(part.indptr))])
            places = np.concatenate([part.indices for part in rows]).astype(np.int32)
            values = np.concatenate([part.data for part in rows]).astype(np.float32)
            columns["places"] = arrow_lists(places, firsts)
            columns["values"] = arrow_lists(values, firsts)
        about = {key: json.dumps(value) for key, value in self.about().items()}
        return pa.table(columns).replace_schema_metadata(about)


def _storable_label(label: Any) -> Any:  # noqa: ANN401 - a label, several, or a number
    """Return a label without halves of surrogate pairs, which Parquet cannot hold."""
    if isinstance(label, list | tuple):
        return type(label)(map(_storable_label, label))
    return storable(label) if isinstance(label, str) else label


def _lists(ranges: Sequence[NDArray[np.int32]]) -> Arrow:
    """Return what was not read of each document as an Arrow array of lists."""
    firsts = np.cumsum([0, *map(len, ranges)]).astype(np.int64)
    return arrow_lists(np.concatenate(ranges), firsts)


def _per_target(values: NDArray[np.float64], single: bool) -> NDArray[np.float64]:
    return np.ascontiguousarray(values[:, 0]) if single else values
