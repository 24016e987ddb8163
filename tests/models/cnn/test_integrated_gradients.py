"""Integrated gradients of the network against the literal formula and torch's autograd."""

from typing import Any

import numpy as np
import oracle
import pytest
import torch
from networks import literal_parts, made_cnn, made_text
from numpy.typing import NDArray

from whyword import CNNClassifier, explain, summarize
from whyword.methods.integrated_gradients import INTEGRATED_GRADIENTS
from whyword.models.cnn.integrated_gradients import along_path
from whyword.models.integration import path_points

TEXTS = [made_text(n) for n in ([0, 1, 2, 3, 6, 4, 1, 1], [5, 5, 5, 5, 5, 0], [2], [])]


def autograd(model: CNNClassifier, text: str, target: int, steps: int) -> NDArray[np.float64]:
    """Return equation (36) by torch, (T, D), padding included."""
    inputs, convolutions, weight, bias = literal_parts(model, text)
    total = np.zeros_like(inputs)
    for alpha, share in path_points(steps):
        x = torch.tensor(alpha * inputs, requires_grad=True)
        pooled = []
        for filters, own in convolutions:
            kernel = torch.tensor(filters.transpose(2, 1, 0).copy())
            found = torch.nn.functional.conv1d(x.T[None], kernel, torch.tensor(own))
            pooled.append(torch.relu(found[0]).max(dim=1).values)
        scores = torch.cat(pooled) @ torch.tensor(weight) + torch.tensor(bias)
        scores[target].backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        total += share * x.grad.numpy()
    product: NDArray[np.float64] = inputs * total
    return product


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("widths", [(1,), (2,), (3,), (1, 2, 4)])
def test_equals_the_formula_and_autograd(widths: tuple[int, ...], text: str) -> None:
    model = made_cnn(widths, seed=len(widths))
    for steps in (1, 7):
        found = explain(
            model, text, "all", method="integrated_gradients", steps=steps, level="element"
        )
        assert found.elements is not None
        inputs, convolutions, weight, bias = literal_parts(model, text)
        nothing = oracle.class_scores(np.zeros_like(inputs), convolutions, weight, bias)
        np.testing.assert_allclose(found.constant, nothing, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(found.padding, 0)
        for k in range(3):
            points = list(path_points(steps))
            literal = oracle.integrated_gradients(inputs, convolutions, weight, k, points)
            np.testing.assert_allclose(literal, autograd(model, text, k, steps), atol=1e-12)
            expected = literal[: len(found.words)]
            np.testing.assert_allclose(found.elements[:, :, k], expected, rtol=1e-4, atol=1e-5)
            sums = expected.sum(axis=1)
            np.testing.assert_allclose(found.relevance[:, k], sums, rtol=1e-4, atol=1e-5)


def test_equals_captums() -> None:
    """Its default rule is the same."""
    captum = pytest.importorskip("captum.attr")
    model, text = made_cnn((2, 3), seed=4), TEXTS[0]
    inputs, convolutions, weight, bias = literal_parts(model, text)

    def forward(x: torch.Tensor) -> torch.Tensor:
        pooled = [
            torch.relu(
                torch.nn.functional.conv1d(
                    x.transpose(1, 2),
                    torch.tensor(filters.transpose(2, 1, 0).copy()),
                    torch.tensor(own),
                )
            ).amax(dim=2)
            for filters, own in convolutions
        ]
        return torch.cat(pooled, dim=1) @ torch.tensor(weight) + torch.tensor(bias)

    theirs = captum.IntegratedGradients(forward)
    for k in range(3):
        found = explain(model, text, f"class {k}", method="integrated_gradients", steps=20)
        expected = theirs.attribute(torch.tensor(inputs)[None], target=k, n_steps=20)
        np.testing.assert_allclose(
            found.relevance, expected[0].sum(dim=1).numpy(), rtol=1e-4, atol=1e-5
        )


def test_more_steps_miss_less() -> None:
    model, text = made_cnn((1, 2), seed=8), TEXTS[0]
    missed = [
        np.abs(explain(model, text, "all", method="integrated_gradients", steps=n).residual).max()
        for n in (1, 10, 1_000)
    ]
    assert missed[2] < 0.01 < missed[0]
    assert missed[1] < missed[0]


def test_without_biases_it_is_gradient_input() -> None:
    """Then the winners are the same on the whole way."""
    model = made_cnn((2,), seed=3)
    model.network_.convolutions[0].bias[:] = 0
    for text in TEXTS:
        ours = explain(model, text, "all", method="integrated_gradients", steps=5)
        product = explain(model, text, "all", method="gradient_input")
        np.testing.assert_allclose(ours.relevance, product.relevance, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(ours.residual, 0, atol=1e-4)


def test_the_model_is_left_as_it_was() -> None:
    (trace,) = made_cnn((1, 2)).trace(TEXTS)
    before = [[np.copy(array) for array in part] for part in trace.activations]
    trace.integrated_gradients(np.zeros((4, 1), np.int32), steps=3)
    for part, kept in zip(trace.activations, before, strict=True):
        for array, copy in zip(part, kept, strict=True):
            np.testing.assert_array_equal(array, copy)
    last = [there.scores for _, _, there in along_path(trace, 200)][-1]
    np.testing.assert_allclose(last, trace.scores, rtol=1e-2, atol=1e-2)


def test_a_batch_equals_its_singles_and_deleted_words_have_nothing() -> None:
    model = made_cnn((2, 3), seed=5)
    how: dict[str, Any] = {"method": "integrated_gradients", "steps": 6}
    together = explain(model, TEXTS, "all", **how)
    for text, one in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(one.relevance, explain(model, text, "all", **how).relevance)
    gone = explain(model, TEXTS[0], deleted=[0, 3], **how)
    assert gone.relevance[[0, 3]].tolist() == [0, 0]
    assert gone.relevance.any()
    contrast = explain(model, TEXTS[0], "class 1", against="class 2", **how)
    every = explain(model, TEXTS[0], "all", **how).relevance
    np.testing.assert_allclose(contrast.relevance, every[:, 1] - every[:, 2], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("each", [False, True])
def test_sums_of_elements(each: bool) -> None:
    model = made_cnn((1, 3), seed=6)
    (trace,) = model.trace(TEXTS)
    targets = np.ones((len(TEXTS), 1), np.int32)
    found = trace.integrated_gradients(targets, steps=4, elements=True)
    rows = [
        rows[:, :, 0] * model.input_matrix(text)[: len(rows)]
        for text, rows in zip(TEXTS, found.elements or (), strict=True)
    ]
    expected = np.concatenate(rows) if each else np.array([one.sum(axis=0) for one in rows])
    sums = INTEGRATED_GRADIENTS.element_sums(trace, targets, each=each, steps=4)  # type: ignore[misc]
    np.testing.assert_allclose(sums, expected, rtol=1e-4, atol=1e-5)


def test_summaries() -> None:
    model = made_cnn((2,), seed=1)
    for level in ("word", "element"):
        vectors = summarize(model, TEXTS, "integrated_gradients", level, steps=3)
        assert vectors.shape == (4, 4)
        assert vectors.any()
