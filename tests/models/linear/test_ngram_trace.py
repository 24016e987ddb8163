"""Our own bag of n-grams: what is taken away by arithmetic is what the model says without it."""

import tracemalloc
from copy import copy
from functools import cache

import numpy as np
import pytest
from networks import topical
from numpy.typing import NDArray

from whyword import Reader, SVMClassifier, explain, tokenize
from whyword.models.erasure import text_without
from whyword.models.linear.ngram_trace import NgramTrace
from whyword.models.protocol import Erasable

TEXTS = [
    "moon the Moon goal moon unheard puck the moon the moon",
    *("moon moon", "moon moon moon", "moon", "the unheard moon", "unheard", ""),
]
LENGTHS = [(1, 2), (2, 2), (1, 3), (2, 4), (5, 5)]


@cache
def made(lengths: tuple[int, int], sublinear: bool, stop: str | None = None) -> SVMClassifier:
    """Return a model that knows n-grams of the texts, with weights by chance."""
    texts, labels = topical(60)
    texts = [f"{text} {TEXTS[number % 4]} moon moon moon" for number, text in enumerate(texts)]
    model = SVMClassifier(
        ngrams=lengths,
        min_documents=1,
        stop_words=stop and [stop],
        C=1.0,
        folds=2,
        sublinear=sublinear,
        reader=Reader(ignore=["goal"]),
    ).fit(texts, labels)
    shape = model.output_weight_.shape
    model.output_weight_ = np.random.default_rng(0).normal(size=shape)
    return model


def steps_of(
    model: SVMClassifier, text: str, order: list[int], insert: bool
) -> NDArray[np.float64]:
    """Return the scores of one text after each step of one order."""
    (trace,) = model.trace([text])
    assert isinstance(trace, Erasable)
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(len(order) + 1))
    np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
    scores: NDArray[np.float64] = erased.scores[0, 0]
    return scores


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("stop", [None, "the"])
def test_words_go_and_come_one_by_one(
    lengths: tuple[int, int], sublinear: bool, stop: str | None
) -> None:
    model = made(lengths, sublinear, stop)
    assert model.trace_kind is NgramTrace
    for number, text in enumerate(TEXTS):
        document = tokenize(text)
        order = np.random.default_rng(number).permutation(len(document))
        for insert in (True, False):
            steps = steps_of(model, text, order.tolist(), insert)
            for k in range(len(document) + 1):
                gone = np.full(len(document), insert)
                gone[order[:k]] = not insert
                again = model.class_scores([text_without(document, gone)])[0]
                np.testing.assert_allclose(steps[k], again, atol=1e-9)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("stop", [None, "the"])
def test_occlusion_equals_predicting_again(
    lengths: tuple[int, int], sublinear: bool, stop: str | None
) -> None:
    model = made(lengths, sublinear, stop)
    for text in TEXTS:
        explanation = explain(model, text, target="all", method="occlusion")
        whole = model.class_scores([text])[0]
        for number, (start, end) in enumerate(explanation.spans.tolist()):
            without = model.class_scores([text[:start] + text[end:]])[0]
            np.testing.assert_allclose(explanation.relevance[number], whole - without, atol=1e-6)


def test_some_words_in_an_order_with_gaps_and_repetitions() -> None:
    model = made((1, 2), True)
    text, document = TEXTS[0], tokenize(TEXTS[0])
    order = [8, -1, 2, 8, 0, -1]
    for insert in (True, False):
        steps = steps_of(model, text, order, insert)
        for k in range(len(order) + 1):
            gone = np.full(len(document), insert)
            gone[[word for word in order[:k] if word >= 0]] = not insert
            again = model.class_scores([text_without(document, gone)])[0]
            np.testing.assert_allclose(steps[k], again, atol=1e-9)


@pytest.mark.parametrize("method", ["lrp", "occlusion"])
def test_deleted_words_are_as_if_they_were_not_there(method: str) -> None:
    model = made((1, 2), True)
    text, document = TEXTS[0], tokenize(TEXTS[0])
    deleted = [1, 5, 9]
    gone = np.isin(np.arange(len(document)), deleted)
    one = explain(model, text, "all", method=method, deleted=deleted)
    other = explain(model, text_without(document, gone), "all", method=method)
    np.testing.assert_allclose(one.relevance[~gone], other.relevance, atol=1e-6)
    assert not one.relevance[gone].any()


def test_erasing_after_deleting() -> None:
    model = made((1, 3), True)
    text, document = TEXTS[0], tokenize(TEXTS[0])
    (trace,) = model.trace([text], deleted=iter([np.array([1, 5])]))
    assert isinstance(trace, NgramTrace)
    orders = np.array([[[6, 1, 0]]], np.int32)
    steps = trace.erase(np.array([0]), orders, False, np.arange(4)).scores[0, 0]
    for k, without in enumerate(([1, 5], [1, 5, 6], [1, 5, 6], [0, 1, 5, 6])):
        gone = np.isin(np.arange(len(document)), without)
        again = model.class_scores([text_without(document, gone)])[0]
        np.testing.assert_allclose(steps[k], again, atol=1e-9)


def test_occurrences_of_a_word_have_shares_of_their_own() -> None:
    model = made((1, 2), True)
    one = explain(model, "moon the moon unheard moon", "all")
    assert "occurrences" not in one.parameters
    assert not np.allclose(one.relevance[0], one.relevance[2])
    single = SVMClassifier(C=1.0, ngrams=(1, 1)).fit(*topical(60))
    assert explain(single, "moon", "all").parameters["occurrences"] == "equal shares"


def test_classes_that_are_not_asked_for_take_no_memory() -> None:
    model = copy(made((1, 2), True))
    model.classes_ = np.arange(1_000).astype(str)
    model.output_weight_ = np.ones((len(model.features_.ngrams), 1_000))
    model.output_bias_ = np.zeros(1_000)
    (trace,) = model.trace(["moon the moon " * 1_000])
    assert isinstance(trace, NgramTrace)
    tracemalloc.start()
    trace.occlusion(np.array([[3]]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000  # words times classes would be 24 MB, several times
