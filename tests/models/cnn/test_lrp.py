"""LRP against the literal formulas of docs/method.md, against zennit, and against itself."""

import importlib
import sys
import types

import numpy as np
import oracle
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text
from numpy.typing import NDArray

from whyword import CNNClassifier, explain
from whyword.models.cnn.lrp import GRADIENT_INPUT, Rule, filter_lrp, network_lrp, output_relevance

CLOSE = 1e-5

shapes = {
    "widths": st.sampled_from([(1,), (2,), (3,), (4,), (5,), (1, 2), (2, 3, 5)]),
    "numbers": st.lists(st.integers(0, 6), min_size=0, max_size=9),
    "seed": st.integers(0, 10_000),
    "shared": st.booleans(),
}


def assert_close(result: NDArray[np.float32], expected: NDArray[np.float64]) -> None:
    limit = CLOSE * max(1, np.abs(expected).max(initial=0))
    assert np.abs(result - expected).max(initial=0) <= limit


def compare(model: CNNClassifier, text: str, shared: bool) -> None:
    """Hold words, elements, padding and constant against the oracle, for every class."""
    bias = "shared" if shared else "apart"
    explanation = explain(model, text, target="all", level="element", bias=bias)
    parts = literal_parts(model, text)
    assert explanation.elements is not None
    for k in range(len(model.classes_)):
        expected = oracle.lrp(*parts, target=k, shared=shared)
        words = len(explanation.words)
        assert_close(explanation.elements[:, :, k], expected[:words])
        assert_close(explanation.relevance[:, k], expected[:words].sum(axis=1))
        assert_close(explanation.padding[k], expected[words:].sum())
        constant = 0.0 if shared else oracle.network_constant(*parts, target=k)
        assert_close(explanation.constant[k], np.array(constant))


@settings(deadline=None, max_examples=150)
@given(**shapes)
def test_equals_the_literal_formulas(
    widths: tuple[int, ...], numbers: list[int], seed: int, shared: bool
) -> None:
    model = made_cnn(widths, seed=seed)
    text = made_text(numbers)
    inputs, convolutions, *_ = literal_parts(model, text)
    repeated = oracle.smallest_margin(inputs, convolutions)
    assume(repeated > 1e-5)
    compare(model, text, shared)


@pytest.mark.slow(reason="half a second and more")
@settings(deadline=None, max_examples=100)
@given(**shapes)
def test_equals_the_literal_formulas_where_windows_tie(
    widths: tuple[int, ...], numbers: list[int], seed: int, shared: bool
) -> None:
    """Integer inputs make exact ties, everywhere in texts that repeat a word."""
    compare(made_cnn(widths, integers=True, seed=seed), made_text([*numbers, *numbers]), shared)


@pytest.mark.parametrize("numbers", [[], [0], [6], [0, 0, 0, 0], [6, 6, 6]])
@pytest.mark.parametrize("widths", [(1,), (2,), (5,), (1, 3)])
def test_degenerate_texts(numbers: list[int], widths: tuple[int, ...]) -> None:
    """No word, one word, one word repeated, a word without a vector."""
    for seed in range(3):
        for shared in (True, False):
            compare(made_cnn(widths, integers=True, seed=seed), made_text(numbers), shared)


@settings(deadline=None, max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (2, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=30),
    scale=st.sampled_from([1e-3, 1.0, 10.0]),
    seed=st.integers(0, 10_000),
)
def test_relevance_is_conserved(
    widths: tuple[int, ...], numbers: list[int], scale: float, seed: int
) -> None:
    model = made_cnn(widths, filters=30, seed=seed)
    model.network_.output_weight[:] *= scale
    explanation = explain(model, made_text(numbers), target="all", strict=True)
    assert explanation.conserved
    np.testing.assert_allclose(
        explanation.relevance.sum(axis=0, dtype=float) + explanation.padding,
        explanation.score,
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 100.0])
def test_any_epsilon(epsilon: float) -> None:
    model, text = made_cnn((2,), integers=True, seed=3), made_text([0, 1, 2, 3, 2])
    explanation = explain(model, text, target="class 1", epsilon=epsilon)
    expected = oracle.lrp(*literal_parts(model, text), target=1, epsilon=epsilon)
    assert_close(explanation.relevance, expected.sum(axis=1))
    assert explanation.conserved


def test_a_class_whose_score_is_exactly_0_has_no_relevance() -> None:
    model = made_cnn((2,), integers=True)
    model.network_.output_weight[:, 1] = 0
    model.network_.output_bias[1] = 0
    explanation = explain(model, made_text([0, 1, 2]), target="class 1", strict=True)
    assert explanation.score == 0
    assert (explanation.relevance == 0).all()
    assert (explanation.padding, explanation.residual) == (0, 0)


# ---- what biases keep ---------------------------------------------------------------------------

EPSILONS = [0.0, 1e-6, 0.01, 1.0]


def targets_of(model: CNNClassifier) -> NDArray[np.int32]:
    return np.arange(len(model.classes_), dtype=np.int32)[None]


def compare_constants(model: CNNClassifier, text: str, epsilon: float) -> None:
    """Hold the constant of all classes against (11), and the whole against (10)."""
    (forward,) = model.trace([text], columns=3)
    relevance = network_lrp(forward, targets_of(model), Rule(epsilon, shared=False))
    parts = literal_parts(model, text)
    exact = oracle.class_scores(*parts)
    total = (
        relevance.words[0].sum(axis=0, dtype=float) + relevance.padding[0] + relevance.constant[0]
    )
    for k in range(len(model.classes_)):
        expected = oracle.network_constant(*parts, target=k, epsilon=epsilon)
        assert_close(relevance.constant[0, k], np.array(expected))
        assert abs(forward.scores[0, k] - total[k]) <= 1e-4 * max(1, abs(exact[k]))


@settings(max_examples=150)
@given(
    widths=shapes["widths"],
    numbers=shapes["numbers"],
    seed=shapes["seed"],
    epsilon=st.sampled_from(EPSILONS),
)
def test_the_constant_equals_the_literal_formula(
    widths: tuple[int, ...], numbers: list[int], seed: int, epsilon: float
) -> None:
    model, text = made_cnn(widths, seed=seed), made_text(numbers)
    inputs, convolutions, *_ = literal_parts(model, text)
    assume(oracle.smallest_margin(inputs, convolutions) > 1e-5)
    compare_constants(model, text, epsilon)


@pytest.mark.slow(reason="half a second and more")
@settings(max_examples=100)
@given(
    widths=shapes["widths"],
    numbers=shapes["numbers"],
    seed=shapes["seed"],
    epsilon=st.sampled_from(EPSILONS),
)
def test_the_constant_where_windows_tie(
    widths: tuple[int, ...], numbers: list[int], seed: int, epsilon: float
) -> None:
    model = made_cnn(widths, integers=True, seed=seed)
    compare_constants(model, made_text([*numbers, *numbers]), epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("near", [0.0, 1e-6, -1e-6, 1e-3, -1e-3, 0.02, -0.02])
@pytest.mark.parametrize("widths", [(1,), (2, 3)])
def test_the_constant_of_scores_near_0(
    widths: tuple[int, ...], near: float, epsilon: float
) -> None:
    """Where x/(x ± ε) is steep, and changes its sign."""
    model, text = made_cnn(widths, seed=11), made_text([0, 1, 2, 3, 6, 4])
    scores = oracle.class_scores(*literal_parts(model, text))
    bias = model.network_.output_bias
    bias[:] = (bias.astype(np.float64) - scores + near).astype(np.float32)
    compare_constants(model, text, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("numbers", [[], [0], [6], [0, 0, 0, 0], [6, 6, 6]])
@pytest.mark.parametrize("widths", [(1,), (2,), (5,), (1, 3)])
def test_the_constant_of_degenerate_texts(
    widths: tuple[int, ...], numbers: list[int], epsilon: float
) -> None:
    for integers in (True, False):
        compare_constants(made_cnn(widths, integers=integers, seed=2), made_text(numbers), epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_filters_that_never_fire_keep_nothing(epsilon: float) -> None:
    """All that is left is the output layer's bias, whatever the filters' are."""
    model, text = made_cnn((1, 2), seed=3), made_text([0, 1, 2])
    for convolution in model.network_.convolutions:
        convolution.bias[:] -= 100
    (forward,) = model.trace([text], columns=3)
    assert not forward.pooled.any()
    relevance = network_lrp(forward, targets_of(model), Rule(epsilon, shared=False))
    np.testing.assert_array_equal(relevance.words[0], 0)
    np.testing.assert_allclose(relevance.constant[0], model.network_.output_bias, rtol=1e-6)
    compare_constants(model, text, epsilon)


def test_a_score_of_exactly_0_without_epsilon() -> None:
    model, text = made_cnn((2,), integers=True), made_text([0, 1, 2])
    model.network_.output_weight[:, 1] = 0
    model.network_.output_bias[1] = 0
    compare_constants(model, text, 0.0)


def test_the_constant_of_words_that_are_deleted() -> None:
    model, text = made_cnn((1, 2), seed=5), made_text([0, 1, 6, 2, 3])
    inputs, convolutions, weight, bias = literal_parts(model, text)
    inputs[[1, 4]] = 0
    explanation = explain(model, text, "all", bias="apart", deleted=[1, 4], strict=True)
    for k in range(3):
        expected = oracle.network_constant(inputs, convolutions, weight, bias, target=k)
        assert_close(explanation.constant[k], np.array(expected))


def test_what_biases_keep_is_the_constant_when_they_are_apart() -> None:
    model, text = made_cnn((2,), seed=5), made_text([0, 1, 2, 3])
    explanation = explain(model, text, target="class 0", bias="apart")
    assert explanation.parameters["bias"] == "apart"
    assert abs(explanation.constant) > 1e-3
    assert explanation.constant == pytest.approx(
        explanation.score - explanation.relevance.sum(dtype=float)
    )
    assert abs(explanation.residual) <= 1e-4
    shared = explain(model, text, target="class 0")
    assert shared.constant == 0
    assert shared.relevance.sum(dtype=float) == pytest.approx(explanation.score, abs=1e-4)


# ---- filters, and the output layer --------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS[1:])
@pytest.mark.parametrize("shared", [True, False])
def test_filters_and_their_constant_are_the_score(epsilon: float, shared: bool) -> None:
    model, texts = made_cnn((1, 3), seed=7), [made_text([0, 1, 2, 3]), ""]
    (forward,) = model.trace(texts, columns=3)
    targets = np.tile(targets_of(model), (2, 1))
    relevance = filter_lrp(forward, targets, Rule(epsilon, shared))
    for at, text in enumerate(texts):
        inputs, convolutions, weight, bias = literal_parts(model, text)
        pools = [oracle.max_pool(oracle.convolution(inputs, w, b))[0] for w, b in convolutions]
        for k in range(3):
            expected = oracle.lrp_output_layer(
                np.concatenate(pools), weight, bias, k, epsilon, shared
            )
            assert_close(relevance.filters[at][:, k].astype(np.float32), expected)
    total = [values.sum(axis=0) for values in relevance.filters] + relevance.constant
    np.testing.assert_allclose(total, forward.scores, atol=1e-4)
    assert shared == (not relevance.constant.any())


def test_the_output_layer_hands_down_all_or_says_what_it_keeps() -> None:
    model = made_cnn((2,), seed=7)
    (forward,) = model.trace([made_text([0, 1, 2, 3])], columns=3)
    targets, scores = targets_of(model), forward.scores[0]
    added, gain, constant = output_relevance(forward, targets, Rule(0.01, shared=True))
    signs = np.where(scores >= 0, 1, -1)
    np.testing.assert_allclose(gain[0], scores / (scores + 0.01 * signs))
    np.testing.assert_allclose(added[0], (model.network_.output_bias + 0.01 * signs) / 6)
    np.testing.assert_array_equal(constant, 0)
    apart = output_relevance(forward, targets, Rule(0.01, shared=False))
    np.testing.assert_array_equal(apart.added, 0)
    np.testing.assert_allclose(apart.constant, added * 6 * gain)
    np.testing.assert_array_equal(output_relevance(forward, targets, GRADIENT_INPUT).gain, 1)


# ---- gradient × input ---------------------------------------------------------------------------


@pytest.mark.parametrize("widths", [(1,), (2, 3)])
def test_gradient_input_is_the_limit_of_lrp_without_biases(widths: tuple[int, ...]) -> None:
    """docs/method.md (20); against torch's autograd it is held in test_sensitivity.py."""
    model, text = made_cnn(widths, seed=4), made_text([0, 1, 2, 3, 4, 5, 6])
    product = explain(model, text, target="all", method="gradient_input")
    limit = explain(model, text, target="all", epsilon=1e-9, bias="apart")
    np.testing.assert_allclose(product.relevance, limit.relevance, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(product.constant, limit.constant, rtol=1e-4, atol=1e-5)


def test_what_gradient_input_leaves_is_the_biases() -> None:
    model, text = made_cnn((2,), seed=4), made_text([0, 1, 2, 3])
    explanation = explain(model, text, target="class 2", method="gradient_input")
    network = model.network_
    fired = network.activate(model.inputs_.batch([text]))[0].pooled[0] > 0
    biases = (network.convolutions[0].bias * network.output_weight[:, 2])[fired].sum()
    assert explanation.constant == pytest.approx(float(biases + network.output_bias[2]), abs=1e-4)
    left = explanation.score - explanation.relevance.sum(dtype=float) - explanation.padding
    assert explanation.constant == pytest.approx(left, abs=1e-4)


def test_a_score_of_0_is_no_special_case_of_gradient_input() -> None:
    model = made_cnn((1,), integers=True)
    model.network_.output_weight[:, 0] = 0
    model.network_.output_bias[0] = 0
    explanation = explain(model, made_text([0, 1]), target="class 0", method="gradient_input")
    assert (explanation.relevance == 0).all()
    assert explanation.constant == 0


# ---- somebody else's code -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def zennit() -> types.ModuleType:
    """zennit; for its canonizers it imports torchvision, which this torch has no build of."""
    names = ("torchvision", "torchvision.models", "torchvision.models.resnet")
    for name in names:
        sys.modules.setdefault(name, types.ModuleType(name))
    for block in ("Bottleneck", "BasicBlock"):
        setattr(sys.modules[names[2]], block, type(block, (), {}))
    for part in ("attribution", "composites", "rules", "types"):
        importlib.import_module(f"zennit.{part}")
    for name in names:  # transformers looks for it, and would take it for the real one
        del sys.modules[name]
    return sys.modules["zennit"]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_equals_zennits_epsilon_rule_without_the_bias(zennit: types.ModuleType, width: int) -> None:
    model, text = made_cnn((width,), seed=width), made_text([0, 1, 2, 3, 6, 4, 1])
    inputs, ((weight, bias),), output_weight, output_bias = literal_parts(model, text)
    convolution = torch.nn.Conv1d(weight.shape[1], weight.shape[2], width)
    linear = torch.nn.Linear(*output_weight.shape)
    with torch.no_grad():
        convolution.weight.copy_(torch.tensor(weight.transpose(2, 1, 0).copy()))
        convolution.bias.copy_(torch.tensor(bias))  # type: ignore[union-attr]
        linear.weight.copy_(torch.tensor(output_weight.T.copy()))
        linear.bias.copy_(torch.tensor(output_bias))
    length = len(inputs) - width + 1
    plain = torch.nn.Sequential(
        convolution, torch.nn.ReLU(), torch.nn.MaxPool1d(length), torch.nn.Flatten(), linear
    ).double()
    rule = zennit.rules.Epsilon(epsilon=0.01)
    composite = zennit.composites.LayerMapComposite(
        [
            (zennit.types.Activation, zennit.rules.Pass()),
            (zennit.types.Convolution, rule),
            (zennit.types.Linear, rule),
        ]
    )
    x = torch.tensor(inputs.T.copy())[None]
    explanation = explain(model, text, target="all", level="element", bias="apart")
    assert explanation.elements is not None
    for k in range(3):
        with zennit.attribution.Gradient(plain, composite) as attributor:
            start = torch.zeros(1, 3, dtype=torch.float64)
            start[0, k] = float(explanation.scores[k])
            _, relevance = attributor(x, start)
        assert_close(explanation.elements[:, :, k], relevance[0].numpy().T)
