"""Traces of every kind of model: abilities, words that go, groups of words, targets."""

from abc import ABC
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise, repeat
from typing import Any, ClassVar

import numpy as np
import pytest
from networks import made_cnn, small_svm, topical
from numpy.typing import NDArray
from toys import RuledClassifier
from wrapped import fitted

from whyword import BlackBox, InputError, Reader, SVMClassifier, explain, from_pipeline, tokenize
from whyword.base.errors import ModelError
from whyword.methods.explain import explain_blocks
from whyword.methods.request import Request
from whyword.models import erasure, word_groups
from whyword.models.abilities import removal_by_source
from whyword.models.blackbox import BlackBoxTrace, as_classifier
from whyword.models.cnn.trace import CNNTrace
from whyword.models.erasure import ErasableText, next_positions, text_without
from whyword.models.integration import MOST_STEPS, path_points
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.probabilities import check_finite, softmax
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    ElementWise,
    Embedded,
    Erasable,
    Filtered,
    Integrable,
    RarityAware,
    Trace,
)
from whyword.models.relevance import FilterRelevance, Relevance
from whyword.models.word_groups import WordGroups

KINDS: list[type[Trace]] = [CNNTrace, TfIdfTrace, PipelineTrace, BlackBoxTrace]


class Loud:
    """A model of the share of capitals; it counts the texts it is asked about."""

    classes_ = np.array(["loud", "quiet"])
    asked = 0

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        self.asked += len(texts)
        loud = [sum(c.isupper() for c in text) / max(1, len(text)) for text in texts]
        return np.array([[share, 1 - share] for share in loud])


@cache
def ruled() -> RuledClassifier:
    return RuledClassifier().fit(*topical(20))


MODELS: dict[str, Callable[[], Any]] = {
    "cnn": lambda: made_cnn((1, 3)),
    "cached cnn": lambda: made_cnn((1, 3)).cache_frequent_words(["moon wa"], 1 << 16),
    "svm": small_svm,
    "n-grams": lambda: small_svm(ngrams=(1, 2)),
    "pipeline": lambda: from_pipeline(fitted("tf-idf, SVM", 3)),
    "black box": lambda: BlackBox(Loud()),
}


class Plain(Trace):
    """All that a trace must have."""

    def __init__(self, texts: list[str], scores: list[list[float]]) -> None:
        self.documents = [tokenize(text) for text in texts]
        self.known = [np.array([len(w) > 1 for w in d.words], np.bool_) for d in self.documents]
        self.scores = np.array(scores)


def test_what_a_trace_derives() -> None:
    trace = Plain(["a bc de", "", "x"], [[0.0, np.log(3)], [5.0, -5.0], [1.0, 1.0]])
    assert len(trace) == 3
    assert trace.predicted.tolist() == [1, 0, 0]
    assert trace.known_words.tolist() == [2, 0, 0]
    np.testing.assert_allclose(trace.probabilities[[0, 2]], [[0.25, 0.75], [0.5, 0.5]])
    assert (trace.output, trace.is_quick, trace.equal_shares) == ("score", False, False)


def test_scores_that_are_no_numbers_give_no_class() -> None:
    trace = Plain(["one", "two words"], [[0.0, 1.0], [float("nan"), 0.0]])
    for name in ("predicted", "probabilities"):
        with pytest.raises(ModelError, match=r"of text 1 \('two words'\) are no numbers: nan"):
            getattr(trace, name)
    with pytest.raises(ModelError, match="scores of text 101 "):
        trace.predicted_from(100)  # numbered as the caller numbers them
    good = Plain(["one", "two"], [[0.0, 1.0], [1.0, 0.0]])
    assert good.predicted_from(100).tolist() == good.predicted.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("ability", "able"),
    [
        *((one, 3) for one in (Decomposable, Differentiable, Integrable, Embedded, RarityAware)),
        *((Erasable, 4), (ElementWise, 1), (Filtered, 1)),
    ],
)
def test_which_traces_have_an_ability(ability: type[ABC], able: int) -> None:
    assert [kind for kind in KINDS if issubclass(kind, ability)] == KINDS[:able]
    assert not issubclass(Plain, ability)


def test_properties_of_the_kinds() -> None:
    assert [kind.output for kind in KINDS] == ["score", "score", "score", "probability"]
    assert [kind.is_quick for kind in KINDS] == [True, True, False, False]
    assert [kind.equal_shares for kind in KINDS] == [False, True, False, False]
    assert CNNTrace.rule_parameters == ("epsilon", "bias")
    assert TfIdfTrace.rule_parameters == PipelineTrace.rule_parameters == ("bias",)
    assert all(getattr(kind, "is_piecewise_linear", False) for kind in KINDS[:3])


@pytest.mark.parametrize("name", MODELS)
def test_every_model_traces_texts_and_documents(name: str) -> None:
    model = MODELS[name]()
    texts = ["moon orbit", "", "wa wb, wa"]
    (trace,) = model.trace(iter(texts), columns=2)
    documents = list(model.documents(texts))
    assert type(trace) is model.trace_kind
    assert [d.text for d in trace.documents] == [d.text for d in documents] == texts
    assert [d.words for d in trace.documents] == [d.words for d in documents]
    assert [len(known) for known in trace.known] == [len(d) for d in trace.documents]
    assert trace.scores.shape == (3, len(model.classes_))
    assert trace.scores.dtype == np.float64
    np.testing.assert_allclose(trace.probabilities.sum(axis=1), 1)
    assert list(model.trace([])) == []
    (again,) = model.trace(documents)  # which are not read again
    np.testing.assert_array_equal(again.scores, trace.scores)
    assert again.documents[0] is documents[0] or name == "pipeline"
    request = Request.of(model, "all", "occlusion")
    blocks = explain_blocks(request, documents, deleted=[[1], [], [0]])
    found = [one for _, block in blocks for one in block]
    expected = explain(model, texts, "all", method="occlusion", deleted=[[1], [], [0]])
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.relevance, other.relevance)
        assert one.words == other.words


@pytest.mark.parametrize("name", ["cnn", "svm", "pipeline", "black box"])
def test_texts_are_read_lazily(name: str) -> None:
    """Traces of endless texts come as soon as a block is full."""
    model, count = MODELS[name](), 0

    def endless() -> Iterator[str]:
        nonlocal count
        while True:
            count += 1
            yield "wa wb"

    trace = next(iter(model.trace(endless(), deleted=repeat(np.array([0])))))
    assert count <= len(trace) + 1


# ---- what models record -------------------------------------------------------------------------


def test_what_a_model_records_is_in_every_explanation() -> None:
    for method in ("lrp", "occlusion", "random"):
        assert explain(ruled(), "moon", method=method).parameters["deletion"] == "cut"

    class Odd(RuledClassifier):
        recorded: ClassVar[Mapping[str, Any]] = {"bias": "odd", "seed": -1}

    odd = Odd().fit(["moon", "goal"], ["a", "b"])
    assert explain(odd, "moon").parameters["bias"] == "apart"  # the method's own comes first
    assert explain(odd, "moon", method="random", seed=3).parameters == {"bias": "odd", "seed": 3}


def test_what_a_source_removes_for_a_model() -> None:
    assert removal_by_source(object()) is None
    assert removal_by_source(small_svm()) is None
    told = SVMClassifier(C=1.0, reader=Reader(remove=())).fit(["a b", "c d"], ["x", "y"])
    assert removal_by_source(told) == ()


# ---- relevance ----------------------------------------------------------------------------------

WORDS = [np.array([[1.0, 2.0, 5.0], [3.0, 4.0, 7.0]]), np.empty((0, 3))]
PADDING = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])


def test_a_contrast_takes_the_last_from_all_others() -> None:
    """Equation (12) of docs/method.md, for all parts of the score."""
    elements = [np.stack([words, 2 * words], axis=1).astype(np.float32) for words in WORDS]
    relevance = Relevance(WORDS, PADDING, 2 * PADDING, elements, WORDS[:1]).against_last()
    np.testing.assert_array_equal(relevance.words[0], [[-4, -3], [-4, -3]])
    assert relevance.words[1].shape == (0, 2)
    np.testing.assert_array_equal(relevance.padding, [[-2, -1], [-1, -1]])
    np.testing.assert_array_equal(relevance.constant, [[-4, -2], [-2, -2]])
    assert relevance.elements is not None
    np.testing.assert_array_equal(relevance.elements[0][:, 1], [[-8, -6], [-8, -6]])
    assert relevance.units is not None
    np.testing.assert_array_equal(relevance.units[0], relevance.words[0])
    alone = Relevance(WORDS, PADDING)
    np.testing.assert_array_equal(alone.constant, np.zeros((2, 3)))
    assert (alone.against_last().elements, alone.against_last().units) == (None, None)
    filters = FilterRelevance(WORDS, PADDING).against_last()
    np.testing.assert_array_equal(filters.filters[0], [[-4, -3], [-4, -3]])
    np.testing.assert_array_equal(filters.constant, [[-2, -1], [-1, -1]])


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:invalid value")  # numpy's, which is right
def test_softmax() -> None:
    probabilities = softmax(np.array([[1000.0, 1000.0], [0.0, -1e6]]))
    np.testing.assert_allclose(probabilities, np.array([[0.5, 0.5], [1.0, 0.0]]))
    scores = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    probabilities = softmax(scores)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities, softmax(scores + 7), rtol=1e-5)
    powers = np.exp(scores)
    np.testing.assert_allclose(probabilities, powers / powers.sum(-1, keepdims=True), rtol=1e-6)
    chances = softmax(np.array([[np.inf, 0.0], [np.nan, 0.0], [1.0, 1.0]]))
    np.testing.assert_array_equal(np.isfinite(chances).all(axis=1), [False, False, True])


@pytest.mark.parametrize("number", [np.nan, -np.inf])
def test_scores_must_be_finite(number: float) -> None:
    scores = np.zeros((4, 5), np.float32)
    assert check_finite(scores) is scores
    scores[2, 1] = number
    with pytest.raises(ModelError) as error:
        check_finite(scores, first=10, text="abcd".__getitem__)
    said = f"the model's scores of text 12 ('c') are no numbers: 0, {number:g}, 0, …;"
    assert str(error.value).startswith(said)
    with pytest.raises(ModelError, match="the model's probabilities of text 2 are no numbers"):
        check_finite(scores, "probabilities")


@pytest.mark.parametrize("steps", [1, 2, 5, 50, MOST_STEPS])
def test_points_of_the_path_integrate_polynomials_exactly(steps: int) -> None:
    alphas, weights = np.array(path_points(steps)).T
    assert len(alphas) == steps
    assert (np.diff([0, *alphas, 1]) > 0).all()
    for degree in range(min(2 * steps, 100)):
        total = (weights * alphas**degree).sum()
        assert total == pytest.approx(1 / (degree + 1), rel=1e-12)
    assert path_points(1) == ((0.5, 1.0),)


# ---- words that are cut out ---------------------------------------------------------------------


def steps_of(model: object, text: str, order: list[int], insert: bool) -> NDArray[np.float64]:
    """Return the scores of one text after each step of one order."""
    (trace,) = as_classifier(model).trace([text])
    assert isinstance(trace, ErasableText)
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(len(order) + 1))
    np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
    scores: NDArray[np.float64] = erased.scores[0, 0]
    return scores


@pytest.mark.parametrize("most", [1, 2, 64])
@pytest.mark.parametrize("insert", [True, False])
def test_words_are_cut_out_of_texts(
    insert: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "_TEXTS", most)
    text, order = "The MOON, the puck and GOAL!", [1, 5, -1, 0]
    document = tokenize(text)
    for model in (BlackBox(Loud()), MODELS["pipeline"]()):
        steps = steps_of(model, text, order, insert)
        gone = np.full(len(document), insert)
        for k in range(5):
            if k and order[k - 1] >= 0:
                gone[order[k - 1]] = not insert
            changed = [text_without(document, gone)]
            (trace,) = model.trace(changed)
            np.testing.assert_allclose(steps[k], trace.scores[0])
    assert text_without(tokenize("A b, c!"), np.array([False, True, False])) == "A , c!"


def test_several_documents_and_orders() -> None:
    texts = ["AA bb", "cc", "dd EE FF"]
    (trace,) = as_classifier(Loud()).trace(texts)
    assert isinstance(trace, ErasableText)
    orders = np.array([[[0, 2], [2, 1]], [[0, -1], [-1, 0]]], np.int32)
    erased = trace.erase(np.array([2, 1]), orders, False, np.arange(3))
    assert erased.scores.shape == erased.probabilities.shape == (2, 2, 3, 2)
    for at, number in enumerate((2, 1)):
        for run in range(2):
            expected = steps_of(Loud(), texts[number], orders[at, run].tolist(), insert=False)
            np.testing.assert_array_equal(erased.scores[at, run], expected)


def test_positions_are_read_in_step_and_must_fit() -> None:
    document = tokenize("one two three")
    deleted = iter([np.array([2, 0]), np.array([], np.intp), np.array([3]), np.array([-1])])
    assert next_positions(deleted, document).tolist() == [2, 0]
    assert next_positions(deleted, document).tolist() == []
    with pytest.raises(InputError, match="word 3 is to be deleted, but the text's words are 0 … 2"):
        next_positions(deleted, document)
    with pytest.raises(InputError, match="word -1 is to be deleted"):
        next_positions(deleted, document)
    with pytest.raises(InputError, match="fewer lists of deleted words than texts"):
        next_positions(deleted, document)
    with pytest.raises(InputError, match="word 0 is to be deleted, but there is no word"):
        next_positions(iter([np.array([0])]), tokenize(""))


# ---- groups of words ----------------------------------------------------------------------------

GROUPS: list[list[list[int]]] = [[[0, 2], []], [], [[1], [2, 1, 0]]]


def listed(groups: WordGroups) -> list[list[list[int]]]:
    words = np.split(groups.positions, groups.starts[1:-1]) if len(groups) else []
    each = [one.tolist() for one in words]
    return [each[start:end] for start, end in pairwise(groups.offsets.tolist())]


def test_groups_of_lists() -> None:
    groups = WordGroups.of(GROUPS)
    assert (len(groups), groups.documents) == (4, 3)
    assert groups.offsets.tolist() == [0, 2, 2, 4]
    assert groups.starts.tolist() == [0, 2, 2, 3, 6]
    assert groups.positions.tolist() == [0, 2, 1, 0, 1, 2]
    assert groups.offsets.dtype == groups.starts.dtype == np.int64
    assert groups.positions.dtype == np.int32
    assert groups.owners.tolist() == [0, 0, 2, 2]
    assert len(WordGroups.of([])) == WordGroups.of([[], []]).starts[-1] == 0
    for first in range(4):
        for last in range(first, 4):
            assert listed(groups.between(first, last)) == listed(groups)[first:last]
    numbers = [np.array([5, -1, 3, 5]), np.array([], np.int64), np.array([3, 3]), np.array([-1])]
    alike, values = WordGroups.alike(numbers)
    assert listed(alike) == [[[2], [0, 3]], [], [[0, 1]], []]
    assert values.tolist() == [3, 5, 3]
    assert len(WordGroups.alike([])[0]) == 0


@pytest.mark.parametrize("most", [1, 2, 5, 1 << 20])
def test_orders_hold_the_groups(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_groups, "_AT_ONCE", most)
    groups = WordGroups.of([*GROUPS, [[7], [1, 2, 3], [4, 5], []]])
    found: list[list[list[int]]] = [[] for _ in range(groups.documents)]
    for document, orders in groups.orders():
        assert orders.dtype == np.int32
        assert orders.size <= max(most, orders.shape[1])
        found[document] += [[word for word in order if word >= 0] for order in orders.tolist()]
    assert found == listed(groups)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([0, 1], [0, 2], [1, 1]), "different positions"),
        (([0, 1], [0, 2], [2, 1]), "in increasing order"),
        (([0, 1], [0, 1], [-1]), "positions must be from 0"),
        (([0, 1], [0, 1], [2**31]), "positions must be from 0 to 2147483647"),
        (([0, 1], [0, 1], [0.5]), "positions must be a list of whole numbers"),
        (([0, 1], [0, 1], [[0]]), "positions must be a list"),
        (([0, 2], [0, 1], [0]), "offsets must go up from 0 to 1"),
        (([1, 1], [0, 1], [0]), "offsets must go up"),
        (([0, 2, 1], [0, 1], [0]), "offsets must go up"),
        (([], [0], []), "offsets must go up"),
        (([0, 2], [0, 3, 2], [0, 1]), "starts must go up from 0 to 2"),
    ],
)
def test_groups_that_do_not_fit(parts: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        WordGroups(*parts)


TEXTS = ["moon the Moon goal wa moon", "", "wa wb unheard wc wa", "puck"]
GONE: list[list[list[int]]] = [
    [[0, 2, 5], [1], [3, 4], [], list(range(6))],
    [[]],
    [[0, 4], [1, 2]],
    [],
]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("gone", [[], [1]])
def test_scores_without_groups_of_words(name: str, gone: list[int]) -> None:
    """Without a group, and without words that are deleted already."""
    model, tolerance = MODELS[name](), 1e-5 if "cnn" in name else 1e-9
    several = [TEXTS[0], TEXTS[2]] if gone else TEXTS
    words = [GONE[TEXTS.index(text)] for text in several]
    (trace,) = model.trace(several, deleted=iter([np.array(gone, np.intp)] * len(several)))
    scores = trace.scores_without(WordGroups.of(words))
    deleted = [np.array(sorted({*gone, *one}), np.intp) for each in words for one in each]
    texts = [text for text, each in zip(several, words, strict=True) for _ in each]
    assert scores.dtype == np.float64
    none = WordGroups.of([[]] * len(several))
    assert trace.scores_without(none).shape == (0, len(model.classes_))
    with pytest.raises(InputError, match=f"of 0 documents, but {len(several)} documents"):
        trace.scores_without(WordGroups.of([]))
    with pytest.raises(InputError, match=r"word 9 of document 0, which has 6 words"):
        trace.scores_without(WordGroups.of([[[0, 9]], *[[]] * (len(several) - 1)]))
    (again,) = model.trace(texts, deleted=iter(deleted))
    np.testing.assert_allclose(scores, again.scores, rtol=tolerance, atol=tolerance)


def test_a_model_is_asked_once_for_each_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_groups, "_AT_ONCE", 2)
    loud = Loud()
    (trace,) = BlackBox(loud).trace(TEXTS)
    assert isinstance(trace, Erasable)
    groups, loud.asked = WordGroups.of(GONE), 0
    trace.scores_without(groups)
    assert loud.asked == len(groups) == 8
    with pytest.raises(InputError, match="whole numbers"):
        WordGroups.of([[["moon"]]])  # type: ignore[list-item]
