"""A kind of model and a method that the package does not know, each in one place."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import real_number
from whyword.base.errors import Argument, InputError
from whyword.methods.registry import Method, Parameter
from whyword.models.erasure import ErasableText, deleted_words
from whyword.models.estimator import Estimator, check_training_data
from whyword.models.protocol import Decomposable, Positions, Scores, Targets, Trace
from whyword.models.relevance import Relevance
from whyword.models.store import pack_words
from whyword.models.stored import StoredModel
from whyword.words.document import Document, Text
from whyword.words.tokenizer import Tokenizer


class CentroidTrace(ErasableText, Decomposable):
    """Words counted, and how near they are to the mean of each class: x·c − |c|²/2."""

    def __init__(
        self, model: "CentroidClassifier", document: Document, gone: NDArray[np.bool_]
    ) -> None:
        self.model, self.documents, self.gone = model, [document], gone
        places = model.places(document)
        self.known = [places >= 0]
        self.values = model.centroids_.T[places] * (self.known[0] & ~gone)[:, None]  # (T, C)
        self.scores = self.values.sum(axis=0, keepdims=True) - model.offsets

    def removed_words(self, number: int) -> NDArray[np.bool_]:
        return self.gone

    def rescore(self, texts: list[str]) -> tuple[Scores, Scores]:
        scores = self.model.class_scores(texts)
        return scores, self.probabilities_of(scores)

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: str) -> Relevance:
        words, kept = self.values[:, targets[0]], -self.model.offsets[targets]
        if rule["bias"] == "apart" or not len(words):
            return Relevance([words], np.zeros(targets.shape), kept)
        return Relevance([words + kept / len(words)], np.zeros(targets.shape))


class CentroidClassifier(Estimator):
    """The class whose mean bag of words is nearest."""

    kind = "centroid"
    trace_kind = CentroidTrace

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        several, self.classes_, numbers = check_training_data(texts, labels)
        words = [[word.lower() for word in one.words] for one in map(Tokenizer(), several)]
        self.words_ = sorted({word for each in words for word in each})
        self.centroids_ = np.zeros((len(self.classes_), len(self.words_)))
        for each, number in zip(words, numbers, strict=True):
            for word in each:
                self.centroids_[number, self.words_.index(word)] += 1 / len(several)
        self.centroids_ -= self.centroids_.mean(axis=0)  # what all classes have tells nothing
        self.provenance_ = {"documents": len(several)}
        return self

    @property
    def offsets(self) -> NDArray[np.float64]:
        return np.asarray((self.centroids_**2).sum(axis=1) / 2)

    def places(self, document: Document) -> NDArray[np.intp]:
        index = {word: place for place, word in enumerate(self.words_)}
        return np.array([index.get(word.lower(), -1) for word in document.words], np.intp)

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        return Tokenizer().documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 1,
        elements: bool = False,
    ) -> Iterator[Trace]:
        for document in self.documents(texts):
            yield CentroidTrace(self, document, deleted_words(deleted, document))

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        tensors: dict[str, NDArray[Any]] = {
            "centroids": self.centroids_,
            "words": pack_words(self.words_),
        }
        return tensors, {"kind": self.kind, "classes": self.classes_.tolist()}

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        model = cls()
        model.classes_ = stored.classes("C")
        model.words_ = stored.words("words", "V")
        model.centroids_ = stored.tensor("centroids", np.float64, "C", "V")
        model.provenance_ = {}
        return model


class RuledTrace(CentroidTrace):
    """The same with a rule of its own, as networks with attention have one."""

    rule_parameters = ("epsilon", "bias", "attention", "positions")
    rule_defaults: ClassVar[Mapping[str, Any]] = {"bias": "apart"}

    @classmethod
    def check_rule(cls, settings: dict[str, Any], given: Collection[str]) -> dict[str, Any]:
        if settings["bias"] == "shared":
            return settings
        if "epsilon" in given:
            raise InputError(Argument("epsilon"), " is for ", Argument("bias", "shared"))
        return {name: value for name, value in settings.items() if name != "epsilon"}

    @classmethod
    def rule_conserves(cls, settings: Mapping[str, Any]) -> bool:
        return bool(settings["attention"] == "fixed")

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: str) -> Relevance:
        bias = "shared" if rule["positions"] == "with words" else rule["bias"]
        found = super().lrp(targets, bias=bias)
        leak = 1 if rule["attention"] == "fixed" else 0.75
        return Relevance([words * leak for words in found.words], found.padding, found.constant)


class RuledClassifier(CentroidClassifier):
    """A model whose kind of trace is known of the instance only."""

    kind = "ruled"

    @property
    def trace_kind(self) -> type[Trace]:  # type: ignore[override]
        return RuledTrace

    def trace(
        self, texts: Iterable[Text], *, deleted: Iterator[Positions] | None = None, **_: object
    ) -> Iterator[Trace]:
        for document in self.documents(texts):
            yield RuledTrace(self, document, deleted_words(deleted, document))


def _by_length(trace: Trace, targets: Targets, power: float) -> Relevance:
    """Say that long words matter."""
    words = [
        np.array([float(len(word)) ** power for word in one.words]).reshape(-1, 1)
        for one in trace.documents
    ]
    columns = np.ones((1, targets.shape[1]))
    return Relevance([each @ columns for each in words], np.zeros(targets.shape))


LENGTH = Method(
    name="length",
    meaning="how long a word is",
    compute=_by_length,
    parameters=(Parameter("power", 1.0, real_number, "of the length"),),
)
