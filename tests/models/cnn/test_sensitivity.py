"""Sensitivity against torch's autograd."""

import numpy as np
import pytest
import torch
from networks import literal_parts, made_cnn, made_text
from numpy.typing import NDArray

from whyword import CNNClassifier, explain
from whyword.models.cnn import sensitivity as module

TEXTS = [made_text(n) for n in ([0, 1, 2, 3, 6, 4, 1, 1], [5, 5, 5, 5, 5, 0], [2], [])]


def autograd(model: CNNClassifier, text: str, target: int) -> NDArray[np.float64]:
    """Return ∂score/∂x by torch, (T, D), padding included."""
    inputs, convolutions, output_weight, output_bias = literal_parts(model, text)
    x = torch.tensor(inputs.T.copy(), requires_grad=True)
    pooled = []
    for weight, bias in convolutions:
        kernel = torch.tensor(weight.transpose(2, 1, 0).copy())
        responses = torch.nn.functional.conv1d(x[None], kernel, torch.tensor(bias))
        pooled.append(torch.relu(responses[0]).max(dim=1).values)
    scores = torch.cat(pooled) @ torch.tensor(output_weight) + torch.tensor(output_bias)
    scores[target].backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None
    gradient: NDArray[np.float64] = x.grad.numpy().T
    return gradient


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("widths", [(1,), (2,), (3,), (1, 2, 4)])
def test_equals_autograd(widths: tuple[int, ...], text: str) -> None:
    model = made_cnn(widths, seed=len(widths))
    explanation = explain(model, text, target="all", method="sensitivity", level="element")
    product = explain(model, text, target="all", method="gradient_input", level="element")
    assert explanation.elements is not None
    assert product.elements is not None
    x = model.input_matrix(text)
    words = len(explanation.words)
    for k in range(3):
        gradient = autograd(model, text, k)
        np.testing.assert_allclose(explanation.elements[:, :, k], gradient[:words] ** 2, atol=1e-4)
        squares = (gradient**2).sum(axis=1)
        np.testing.assert_allclose(
            explanation.relevance[:, k], squares[:words], rtol=1e-5, atol=1e-5
        )
        np.testing.assert_allclose(
            explanation.padding[k], squares[words:].sum(), rtol=1e-5, atol=1e-5
        )
        expected = (gradient * x)[:words]
        np.testing.assert_allclose(product.elements[:, :, k], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            product.relevance[:, k], expected.sum(axis=1), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("most", [1, 40, 100])
def test_in_parts_it_is_the_same(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient is held for some documents at a time; dimensions are 4, so 16 bytes a word."""
    model = made_cnn((1, 3))
    whole = explain(model, TEXTS, target="all", method="sensitivity", level="element")
    monkeypatch.setattr(module, "_GRADIENT_BYTES", most)
    parts = explain(model, TEXTS, target="all", method="sensitivity", level="element")
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.relevance, other.relevance)
        np.testing.assert_array_equal(one.elements, other.elements)
        np.testing.assert_array_equal(one.padding, other.padding)


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
def test_filters_have_their_squared_weight_if_they_fire(widths: tuple[int, ...]) -> None:
    model = made_cnn(widths, seed=5)
    (forward,) = model.trace(TEXTS, columns=2)
    targets = np.array([[0, 2], [1, 1], [2, 0], [0, 1]], np.int32)
    relevance = module.filter_sensitivity(forward, targets)
    assert (forward.pooled > 0).any()
    assert (forward.pooled == 0).any()
    for values, pooled, chosen in zip(relevance.filters, forward.pooled, targets, strict=True):
        expected = model.network_.output_weight[:, chosen] ** 2 * (pooled > 0)[:, None]
        np.testing.assert_allclose(values, expected, rtol=1e-6)
    np.testing.assert_array_equal(relevance.constant, np.zeros((4, 2)))


def test_the_gradient_of_some_documents() -> None:
    model = made_cnn((1, 3), seed=5)
    (forward,) = model.trace(TEXTS[:2], columns=2)
    targets = np.array([[0, 2], [1, 1]], np.int32)
    for column in range(2):
        whole = module.network_gradient(forward, targets, column, 0, 2)
        expected = [autograd(model, TEXTS[at], targets[at, column]) for at in range(2)]
        np.testing.assert_allclose(whole, np.concatenate(expected), atol=1e-4)
        part = module.network_gradient(forward, targets, column, 1, 2)
        np.testing.assert_array_equal(part, whole[8:])
