"""What can be asked of the network's trace: words taken away, filters, vectors."""

from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text, small_cnn
from numpy.typing import NDArray

from whyword import CNNClassifier, explain
from whyword.models.cnn.trace import CNNTrace

TEXTS = [made_text([0, 1, 6, 2]), "", made_text([3, 3])]
TARGETS = np.array([[0, 2], [1, 1], [2, 0]], np.int32)


def trace_of(widths: tuple[int, ...] = (1, 3)) -> CNNTrace:
    (trace,) = made_cnn(widths, seed=6).trace(TEXTS, columns=2)
    return trace


# ---- words that go ----------------------------------------------------------------------------


def steps_of(
    model: CNNClassifier, text: str, order: list[int], insert: bool
) -> NDArray[np.float64]:
    """Return the scores of one text after each step of one order."""
    (trace,) = model.trace([text])
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(len(order) + 1))
    np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
    scores: NDArray[np.float64] = erased.scores[0, 0]
    return scores


@settings(max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (2, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=9),
    integers=st.booleans(),
    insert=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_erasing_equals_predicting_again(
    widths: tuple[int, ...], numbers: list[int], integers: bool, insert: bool, seed: int
) -> None:
    model, text = made_cnn(widths, integers=integers, seed=seed), made_text(numbers)
    order = np.random.default_rng(seed).permutation(len(numbers)).tolist()
    steps = steps_of(model, text, order, insert)
    literal = literal_parts(model, text)
    expected = oracle.scores_by_step(*literal, len(numbers), order, insert)
    np.testing.assert_allclose(steps, expected, atol=1e-5 * max(1, np.abs(expected).max()))


def test_minus_one_changes_nothing() -> None:
    steps = steps_of(made_cnn(), made_text([0, 1]), [1, -1, 0, -1], insert=False)
    np.testing.assert_array_equal(steps[1], steps[2])
    np.testing.assert_array_equal(steps[3], steps[4])
    assert not np.array_equal(steps[2], steps[3])


@settings(deadline=None, max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (5,), (1, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=10),
    integers=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_occlusion_equals_zeroing_the_word(
    widths: tuple[int, ...], numbers: list[int], integers: bool, seed: int
) -> None:
    model, text = made_cnn(widths, integers=integers, seed=seed), made_text(numbers)
    explanation = explain(model, text, target="all", method="occlusion")
    expected = oracle.occlusion(*literal_parts(model, text), words=len(numbers))
    np.testing.assert_allclose(explanation.relevance, expected, atol=2e-4)
    assert explanation.parameters["output"] == "score"


def test_occlusion_of_more_filters_than_are_done_at_once() -> None:
    model, text = made_cnn((2,), filters=150, seed=1), made_text([0, 1, 2, 3, 4])
    explanation = explain(model, text, target="all", method="occlusion")
    expected = oracle.occlusion(*literal_parts(model, text), words=5)
    np.testing.assert_allclose(explanation.relevance, expected, atol=2e-3)


# ---- explanations -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input", "occlusion"])
def test_its_words_are_those_of_explain(method: str) -> None:
    trace = trace_of()
    rule: dict[str, Any] = {"epsilon": 0.01, "bias": "shared"} if method == "lrp" else {}
    relevance = getattr(trace, method)(TARGETS, **rule)
    model = made_cnn((1, 3), seed=6)
    for at, text in enumerate(TEXTS):
        for column, k in enumerate(TARGETS[at].tolist()):
            one = explain(model, text, f"class {k}", method=method)
            np.testing.assert_allclose(relevance.words[at][:, column], one.relevance, atol=1e-5)
            assert relevance.padding[at, column] == pytest.approx(one.padding, abs=1e-5)
            assert relevance.constant[at, column] == pytest.approx(one.constant, abs=1e-5)


@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input"])
def test_elements_sum_to_their_words(method: str) -> None:
    trace = trace_of()
    rule: dict[str, Any] = {"epsilon": 0.01, "bias": "apart"} if method == "lrp" else {}
    relevance = getattr(trace, method)(TARGETS, elements=True, **rule)
    for words, elements in zip(relevance.words, relevance.elements, strict=True):
        assert elements.shape == (len(words), 4, 2)
        np.testing.assert_allclose(elements.sum(axis=1), words, atol=1e-4)
    assert getattr(trace, method)(TARGETS, **rule).elements is None


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
def test_its_filters(widths: tuple[int, ...]) -> None:
    trace = trace_of(widths)
    activations, starts, sizes = trace.filters()
    assert sizes.tolist() == [width for width in widths for _ in range(6)]
    np.testing.assert_array_equal(activations, trace.pooled)
    for at, text in enumerate(TEXTS):
        inputs, convolutions, *_ = literal_parts(made_cnn(widths, seed=6), text)
        pools = [oracle.max_pool(oracle.convolution(inputs, w, b)) for w, b in convolutions]
        best = np.concatenate([values for values, _ in pools])
        np.testing.assert_allclose(activations[at], best, atol=1e-5)
        first = np.concatenate([places for _, places in pools])
        np.testing.assert_array_equal(starts[at][best > 0], first[best > 0])


@pytest.mark.parametrize("method", ["lrp", "gradient_input", "sensitivity"])
def test_its_filters_are_those_of_explain(method: str) -> None:
    trace, model = trace_of(), made_cnn((1, 3), seed=6)
    rule: dict[str, Any] = {"epsilon": 0.01, "bias": "apart"} if method == "lrp" else {}
    relevance = getattr(trace, f"{method}_filters")(TARGETS, **rule)
    for at, text in enumerate(TEXTS):
        for column, k in enumerate(TARGETS[at].tolist()):
            one = explain(model, text, f"class {k}", method=method, level="filter", **rule)
            np.testing.assert_allclose(relevance.filters[at][:, column], one.relevance, atol=1e-5)
            assert relevance.constant[at, column] == pytest.approx(one.constant, abs=1e-5)


def test_gradient_input_of_filters_is_activation_times_weight() -> None:
    trace = trace_of()
    relevance = trace.gradient_input_filters(TARGETS)
    for values, pooled, chosen in zip(relevance.filters, trace.pooled, TARGETS, strict=True):
        expected = pooled[:, None] * trace.network.output_weight[:, chosen]
        np.testing.assert_allclose(values, expected, rtol=1e-5)
    np.testing.assert_allclose(relevance.constant, trace.network.output_bias[TARGETS])


# ---- vectors ----------------------------------------------------------------------------------


def test_weights_that_ask_no_class() -> None:
    model = small_cnn()
    (trace,) = model.trace(["the moon unheard", ""])
    even, rare = trace.uniform(), trace.tfidf()
    np.testing.assert_allclose(even.words[0][:, 0], [1 / 3] * 3)
    assert rare.words[0][2, 0] > rare.words[0][1, 0] > rare.words[0][0, 0] > 0
    for weights in (even, rare):
        assert weights.words[1].shape == (0, 1)
        sums = trace.summary(weights)
        x = model.input_matrix("the moon unheard")
        np.testing.assert_allclose(sums[0], weights.words[0][:, 0] @ x, atol=1e-5)
        np.testing.assert_array_equal(sums[1], 0)


@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input"])
def test_sums_are_those_of_the_elements(method: str) -> None:
    trace = trace_of((2,))
    rule: dict[str, Any] = {"epsilon": 0.01, "bias": "shared"} if method == "lrp" else {}
    sums = getattr(trace, f"{method}_sums")(TARGETS, **rule)
    detailed = getattr(trace, method)(TARGETS, elements=True, **rule).elements
    x = [made_cnn((2,), seed=6).input_matrix(text) for text in TEXTS]
    for row, elements, inputs in zip(sums, detailed, x, strict=True):
        expected = (elements[:, :, 0] * inputs[: len(elements)]).sum(axis=0)
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-4)
