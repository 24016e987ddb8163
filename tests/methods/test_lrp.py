"""LRP against the literal formulas of METHOD §3 and §4, against zennit, and against itself."""

import dataclasses
import importlib
import sys
import types

import numpy as np
import oracle
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text, topical
from numpy.typing import NDArray

from whyword import CNNClassifier, ConservationError, SVMClassifier, explain

CLOSE = 1e-5

shapes = {
    "widths": st.sampled_from([(1,), (2,), (3,), (4,), (5,), (1, 2), (2, 3, 5)]),
    "numbers": st.lists(st.integers(0, 6), min_size=0, max_size=9),
    "seed": st.integers(0, 10_000),
    "shared": st.booleans(),
}


def assert_close(found: NDArray[np.float32], expected: NDArray[np.float64]) -> None:
    limit = CLOSE * max(1, np.abs(expected).max(initial=0))
    assert np.abs(found - expected).max(initial=0) <= limit


def compare(model: CNNClassifier, text: str, shared: bool) -> None:
    """Hold words, elements and padding against the oracle, for every class."""
    bias = "shared" if shared else "left out"
    found = explain(model, text, target="all", elements=True, bias=bias)
    parts = literal_parts(model, text)
    assert found.elements is not None
    for k in range(len(model.classes_)):
        expected = oracle.lrp(*parts, target=k, shared=shared)
        words = len(found.words)
        assert_close(found.elements[:, :, k], expected[:words])
        assert_close(found.relevance[:, k], expected[:words].sum(axis=1))
        assert_close(found.padding[k], expected[words:].sum())


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
        compare(made_cnn(widths, integers=True, seed=seed), made_text(numbers), shared=True)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 100.0])
def test_epsilon_is_a_parameter(epsilon: float) -> None:
    model, text = made_cnn((2,), integers=True, seed=3), made_text([0, 1, 2, 3, 2])
    found = explain(model, text, target="class 1", epsilon=epsilon)
    expected = oracle.lrp(*literal_parts(model, text), target=1, epsilon=epsilon)
    assert_close(found.relevance, expected.sum(axis=1))
    assert found.parameters == {"epsilon": epsilon, "bias": "shared"}
    assert found.conserved


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
    found = explain(model, made_text(numbers), target="all", strict=True)
    assert found.conserved
    np.testing.assert_allclose(
        found.relevance.sum(axis=0, dtype=float) + found.padding, found.score, rtol=1e-4, atol=1e-4
    )


def test_what_float32_cannot_conserve_is_said_loudly() -> None:
    """Weights of millions that nearly cancel leave a score smaller than their rounding."""
    model = made_cnn((2,), seed=1)
    model.network_.output_weight[:] *= 1e9
    text = made_text([0, 1, 2, 3, 4])
    found = explain(model, text, target="all")
    if found.conserved:  # whatever is left of the score, let it be wrong by a thousandth
        found = dataclasses.replace(found, scores=found.scores * 1.001)
    assert not found.conserved
    assert "residual" in repr(found)
    assert "NOT conserved" in found.to_html()
    assert "NOT conserved" in found.to_text()
    with pytest.raises(ConservationError, match="relevance is not conserved: the residual is"):
        found.check()


def test_a_class_whose_score_is_exactly_0_has_no_relevance() -> None:
    model = made_cnn((2,), integers=True)
    model.network_.output_weight[:, 1] = 0
    model.network_.output_bias[1] = 0
    found = explain(model, made_text([0, 1, 2]), target="class 1", strict=True)
    assert found.score == 0
    assert (found.relevance == 0).all()
    assert (found.padding, found.residual) == (0, 0)


def test_what_biases_keep_is_reported_when_they_are_left_out() -> None:
    model, text = made_cnn((2,), seed=5), made_text([0, 1, 2, 3])
    found = explain(model, text, target="class 0", bias="left out")
    assert found.parameters["bias"] == "left out"
    assert abs(found.residual) > 1e-3
    assert found.residual == pytest.approx(found.score - found.relevance.sum(dtype=float))


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
    found = explain(model, text, target="all", elements=True, bias="left out")
    assert found.elements is not None
    for k in range(3):
        with zennit.attribution.Gradient(plain, composite) as attributor:
            start = torch.zeros(1, 3, dtype=torch.float64)
            start[0, k] = float(found.scores[k])
            _, relevance = attributor(x, start)
        assert_close(found.elements[:, :, k], relevance[0].numpy().T)


@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input", "occlusion", "random"])
@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_a_batch_equals_its_singles(kind: str, method: str) -> None:
    texts, labels = topical(40)
    model = made_cnn((1, 3), seed=2) if kind == "cnn" else SVMClassifier(C=1.0).fit(texts, labels)
    texts = [made_text([0, 1, 6, 2]), "", "wa", *texts, made_text([3] * 50), "wa wb \n wa"]
    together = explain(model, texts, target="all", method=method)
    for text, one in zip(texts, together, strict=True):
        alone = explain(model, text, target="all", method=method)
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-5)
        np.testing.assert_allclose(one.padding, alone.padding, atol=1e-5)
        single = explain(model, text, method=method)
        column = list(model.classes_).index(single.target)
        np.testing.assert_allclose(single.relevance, one.relevance[:, column], atol=1e-5)


# ---- bags of words ----------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_svm_equals_the_literal_formula(classes: int) -> None:
    texts, labels = topical(60, classes)
    model = SVMClassifier(C=1.0).fit(texts, labels)
    index = {word: place for place, word in enumerate(model.features_.words)}
    for text in [*texts[:5], "Orbit orbit ORBIT moon unheard", "moon"]:
        row = model.features_.row(text)
        values = {model.features_.words[p]: x for p, x in zip(*row, strict=True)}
        found = explain(model, text, target="all")
        assert found.conserved
        for k in range(classes):
            weights = {word: model.output_weight_[index[word], k] for word in values}
            expected = oracle.linear_lrp(values, weights, model.output_bias_[k])
            pooled = {word: value[k] for word, value in found.by_word().items()}
            for word, value in expected.items():
                assert pooled.pop(word) == pytest.approx(value, abs=1e-6)
            assert all(value == 0 for value in pooled.values())


def test_svm_occurrences_share_the_words_value() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    found = explain(model, "moon the moon Moon", target="space")
    assert found.words == ["moon", "the", "moon", "Moon"]
    assert found.relevance[0] == found.relevance[2] == found.relevance[3]
    assert found.by_word()["moon"] == pytest.approx(3 * float(found.relevance[0]))


def test_svm_without_a_known_word_reports_the_bias_as_padding() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    for text in ("", "unheard things", "12 34"):
        found = explain(model, text, target="all", strict=True)
        assert (found.relevance == 0).all()
        np.testing.assert_allclose(found.padding, model.output_bias_)
        assert not found.known.any()


def test_svm_can_leave_the_bias_out() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    found = explain(model, "moon orbit the", target="space", bias="left out")
    assert found.residual == pytest.approx(float(model.output_bias_[2]), abs=1e-6)
