"""A kind of model and a method that the package does not know, each in one place."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from networks import COMMON, TOPICS
from numpy.typing import NDArray

from whyword.base.checks import real_number
from whyword.base.errors import Argument, InputError
from whyword.methods.registry import Method, Parameter
from whyword.models.abilities import Layered, Recorded
from whyword.models.erasure import ErasableText, deleted_words
from whyword.models.estimator import Estimator, check_training_data
from whyword.models.multilabel import MultiLabel
from whyword.models.protocol import (
    Decomposable,
    Embedded,
    Positions,
    Rows,
    Scores,
    Targets,
    Trace,
)
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
    tokenizer: ClassVar[Tokenizer] = Tokenizer()

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        several, self.classes_, numbers = check_training_data(texts, labels)
        words = [[word.lower() for word in one.words] for one in map(self.tokenizer, several)]
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
        return self.tokenizer.documents(texts)

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


BIASES = ("apart", "shared")


class RuledTrace(CentroidTrace):
    """The same with a rule of its own, as networks with attention have one."""

    rule_parameters = ("epsilon", "bias", "attention", "positions", "layer")
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

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: Any) -> Relevance:  # noqa: ANN401
        if rule["layer"] == RuledClassifier.layer_names[-1]:  # half of the bias is booked below it
            apart, shared = (super(RuledTrace, self).lrp(targets, bias=b) for b in BIASES)
            words = (apart.words[0] + shared.words[0]) / 2
            return Relevance([words], apart.padding, (apart.constant + shared.constant) / 2)
        bias = "shared" if rule["positions"] == "with words" else rule["bias"]
        found = super().lrp(targets, bias=bias)
        leak = 1 if rule["attention"] == "fixed" else 0.75
        return Relevance([words * leak for words in found.words], found.padding, found.constant)


def spans_between_spaces(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"\S+", text)]


class RuledClassifier(CentroidClassifier, Layered, Recorded):
    """A model whose kind of trace is known of the instance only; symbols are words to it."""

    kind = "ruled"
    tokenizer: ClassVar[Tokenizer] = Tokenizer(rule=spans_between_spaces)
    layer_names = ("bag", "encoder.layer.1", "encoder.layer.2")
    recorded: ClassVar[Mapping[str, Any]] = {"deletion": "cut"}

    @property
    def trace_kind(self) -> type[Trace]:  # type: ignore[override]
        return RuledTrace

    def trace(
        self, texts: Iterable[Text], *, deleted: Iterator[Positions] | None = None, **_: object
    ) -> Iterator[Trace]:
        for document in self.documents(texts):
            yield RuledTrace(self, document, deleted_words(deleted, document))


class TopicTrace(MultiLabel, ErasableText, Decomposable, Embedded):
    """Words with a weight for each label, whose sum and a bias is the label's score."""

    def __init__(
        self, model: "TopicsClassifier", document: Document, gone: NDArray[np.bool_]
    ) -> None:
        self.model, self.documents, self.gone = model, [document], gone
        self.thresholds = model.thresholds_
        index = {word: place for place, word in enumerate(model.words_)}
        self.places = np.array([index.get(one.lower(), -1) for one in document.words], np.intp)
        self.known = [self.places >= 0]
        self.values = model.weights_.T[self.places] * (self.known[0] & ~gone)[:, None]  # (T, C)
        self.scores = self.values.sum(axis=0, keepdims=True) + model.bias_

    def removed_words(self, number: int) -> NDArray[np.bool_]:
        return self.gone

    def rescore(self, texts: list[str]) -> tuple[Scores, Scores]:
        scores = self.model.class_scores(texts)
        return scores, self.probabilities_of(scores)

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: str) -> Relevance:
        words, kept = self.values[:, targets[0]], self.model.bias_[targets]
        if rule["bias"] == "apart" or not len(words):
            return Relevance([words], np.zeros(targets.shape), kept)
        return Relevance([words + kept / len(words)], np.zeros(targets.shape))

    def uniform(self) -> Relevance:
        return Relevance([np.ones((len(self.places), 1))], np.zeros((1, 1)))

    def summary(self, relevance: Relevance, each: bool = False) -> Rows:
        rows = np.eye(len(self.model.words_) + 1, dtype=np.float32)[self.places, :-1]
        parts = rows * np.asarray(relevance.words[0], np.float32)[:, :1]
        return parts if each else parts.sum(axis=0, keepdims=True)


class TopicsClassifier(Estimator):
    """Several labels: a word speaks for a label if it is more frequent with it than without."""

    kind = "topics"
    trace_kind = TopicTrace

    def fit(self, texts: Iterable[str], labels: Iterable[Iterable[str]]) -> Self:
        several, sets = list(texts), [set(each) for each in labels]
        self.classes_ = np.array(sorted(set().union(*sets)))
        words = [[word.lower() for word in one.words] for one in map(Tokenizer(), several)]
        self.words_ = sorted({word for each in words for word in each})
        counts = np.array([[each.count(word) for word in self.words_] for each in words])
        has = np.array([[label in each for label in self.classes_.tolist()] for each in sets])
        means = [
            np.where(side[:, :, None], counts[:, None, :], 0).sum(axis=0)
            / np.maximum(1, side.sum(axis=0))[:, None]
            for side in (has, ~has)
        ]
        self.weights_ = 3 * (means[0] - means[1])
        self.bias_ = -(self.weights_ @ counts.mean(axis=0))
        self.thresholds_ = np.full(len(self.classes_), 0.5)
        self.provenance_ = {"documents": len(several)}
        return self

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
            yield TopicTrace(self, document, deleted_words(deleted, document))

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        tensors: dict[str, NDArray[Any]] = {
            "weights": self.weights_,
            "bias": self.bias_,
            "thresholds": self.thresholds_,
            "words": pack_words(self.words_),
        }
        return tensors, {"kind": self.kind, "classes": self.classes_.tolist()}

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        model = cls()
        model.classes_ = stored.classes("C")
        model.words_ = stored.words("words", "V")
        model.weights_ = stored.tensor("weights", np.float64, "C", "V")
        model.bias_ = stored.tensor("bias", np.float64, "C")
        model.thresholds_ = stored.tensor("thresholds", np.float64, "C")
        model.provenance_ = {}
        return model


def several_topics(count: int = 60, seed: int = 0) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return texts about none, one, two or three topics, and the topics."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(count):
        chosen = random.permutation(list(TOPICS)[:3])[: number % 4].tolist()
        words = [word for topic in chosen for word in random.choice(TOPICS[topic], 4)]
        words += random.choice(COMMON, 8).tolist()
        random.shuffle(words)
        texts.append(" ".join(words))
        labels.append(tuple(sorted(chosen)))
    return texts, labels


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
