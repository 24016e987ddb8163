"""What a trace is by itself, and which abilities those of each kind of model have."""

from abc import ABC
from collections.abc import Iterator
from itertools import repeat

import numpy as np
import pytest
from networks import made_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import SVMClassifier, from_pipeline, tokenize
from whyword.base.errors import ModelError
from whyword.models.blackbox import BlackBox, BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    ElementWise,
    Embedded,
    Erasable,
    Filtered,
    Integrable,
    RarityAware,
    TextClassifier,
    Trace,
)

KINDS: list[type[Trace]] = [CNNTrace, TfIdfTrace, PipelineTrace, BlackBoxTrace]


class Plain(Trace):
    """All that a trace must have."""

    def __init__(self, texts: list[str], scores: list[list[float]]) -> None:
        self.documents = [tokenize(text) for text in texts]
        self.known = [np.array([len(w) > 1 for w in d.words], np.bool_) for d in self.documents]
        self.scores = np.array(scores)


def test_what_a_trace_says_by_itself() -> None:
    trace = Plain(["a bc de", "", "x"], [[0.0, np.log(3)], [5.0, -5.0], [1.0, 1.0]])
    assert len(trace) == 3
    assert trace.predicted.tolist() == [1, 0, 0]
    assert trace.known_words.tolist() == [2, 0, 0]
    np.testing.assert_allclose(trace.probabilities[[0, 2]], [[0.25, 0.75], [0.5, 0.5]])
    assert (trace.output, trace.is_quick, trace.equal_shares) == ("score", False, False)


@pytest.mark.parametrize(
    ("ability", "able"),
    [
        (Decomposable, [CNNTrace, TfIdfTrace, PipelineTrace]),
        (Differentiable, [CNNTrace, TfIdfTrace, PipelineTrace]),
        (Integrable, [CNNTrace, TfIdfTrace, PipelineTrace]),
        (Erasable, KINDS),
        (Embedded, [CNNTrace, TfIdfTrace, PipelineTrace]),
        (RarityAware, [CNNTrace, TfIdfTrace, PipelineTrace]),
        (ElementWise, [CNNTrace]),
        (Filtered, [CNNTrace]),
    ],
)
def test_which_traces_have_an_ability(ability: type[ABC], able: list[type[Trace]]) -> None:
    assert [kind for kind in KINDS if issubclass(kind, ability)] == able
    assert not issubclass(Plain, ability)


def test_what_is_said_of_the_kinds() -> None:
    assert [kind.output for kind in KINDS] == ["score", "score", "score", "probability"]
    assert [kind.is_quick for kind in KINDS] == [True, True, False, False]
    assert [kind.equal_shares for kind in KINDS] == [False, True, False, False]
    assert CNNTrace.rule_parameters == ("epsilon", "bias")
    assert TfIdfTrace.rule_parameters == PipelineTrace.rule_parameters == ("bias",)
    assert all(kind.is_piecewise_linear for kind in (CNNTrace, TfIdfTrace, PipelineTrace))


class Even:
    """Somebody's model."""

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.5] for _ in texts]


def models() -> dict[str, TextClassifier]:
    texts, labels = topical(30)
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels)
    return {
        "cnn": made_cnn(),
        "svm": SVMClassifier(C=1.0).fit(texts, labels),
        "pipeline": from_pipeline(pipeline),
        "black box": BlackBox(Even()),
    }


@pytest.mark.parametrize("name", ["cnn", "svm", "pipeline", "black box"])
def test_every_model_traces_as_it_says(name: str) -> None:
    model = models()[name]
    texts = ["moon orbit", "", "wa wb, wa"]
    (trace,) = model.trace(iter(texts), columns=2)
    assert type(trace) is model.trace_kind
    assert [d.text for d in trace.documents] == [d.text for d in model.documents(texts)] == texts
    assert [d.words for d in trace.documents] == [d.words for d in model.documents(texts)]
    assert [len(known) for known in trace.known] == [len(d) for d in trace.documents]
    assert trace.scores.shape == (3, len(model.classes_))
    assert trace.scores.dtype == np.float64
    np.testing.assert_allclose(trace.probabilities.sum(axis=1), 1)
    assert list(model.trace([])) == []
    assert isinstance(model.kind, str)


@pytest.mark.parametrize("name", ["cnn", "svm", "pipeline", "black box"])
def test_texts_are_read_lazily(name: str) -> None:
    """Traces of endless texts come as soon as a block is full."""
    model = models()[name]
    count = 0

    def endless() -> Iterator[str]:
        nonlocal count
        while True:
            count += 1
            yield "wa wb"

    deleted = repeat(np.array([0]))
    trace = next(iter(model.trace(endless(), deleted=deleted)))
    assert count <= len(trace) + 1


def test_no_class_is_read_from_what_is_no_number() -> None:
    trace = Plain(["one", "two words"], [[0.0, 1.0], [float("nan"), 0.0]])
    for name in ("predicted", "probabilities"):
        with pytest.raises(ModelError, match=r"of text 1 \('two words'\) are no numbers: nan"):
            getattr(trace, name)


def test_texts_are_numbered_as_the_caller_numbers_them() -> None:
    trace = Plain(["one", "two"], [[0.0, 1.0], [float("inf"), 1.0]])
    with pytest.raises(ModelError, match="scores of text 101 "):
        trace.predicted_from(100)
    good = Plain(["one", "two"], [[0.0, 1.0], [1.0, 0.0]])
    assert good.predicted_from(100).tolist() == good.predicted.tolist() == [1, 0]
