"""Sensitivity against torch's autograd."""

import numpy as np
import pytest
import torch
from networks import literal_parts, made_cnn, made_text, topical
from numpy.typing import NDArray

from whyword import CNNClassifier, SVMClassifier, explain
from whyword.methods import sensitivity as module

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
    found = explain(model, text, target="all", method="sensitivity", elements=True)
    product = explain(model, text, target="all", method="gradient_input", elements=True)
    assert found.elements is not None
    assert product.elements is not None
    x = model.input_matrix(text)
    words = len(found.words)
    for k in range(3):
        gradient = autograd(model, text, k)
        np.testing.assert_allclose(found.elements[:, :, k], gradient[:words] ** 2, atol=1e-4)
        squares = (gradient**2).sum(axis=1)
        np.testing.assert_allclose(found.relevance[:, k], squares[:words], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.padding[k], squares[words:].sum(), rtol=1e-5, atol=1e-5)
        expected = (gradient * x)[:words]
        np.testing.assert_allclose(product.elements[:, :, k], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            product.relevance[:, k], expected.sum(axis=1), rtol=1e-4, atol=1e-5
        )


def test_svm_sensitivity_is_the_squared_weight() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    found = explain(model, "moon goal moon unheard", target="all", method="sensitivity")
    index = {word: place for place, word in enumerate(model.features_.words)}
    for word in ("moon", "goal"):
        squares = model.output_weight_[index[word]] ** 2
        np.testing.assert_allclose(found.by_word()[word], squares, rtol=1e-5)
    assert (found.by_word()["unheard"] == 0).all()


@pytest.mark.parametrize("most", [1, 40, 100])
def test_in_parts_it_is_the_same(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient is held for some documents at a time; dimensions are 4, so 16 bytes a word."""
    model = made_cnn((1, 3))
    whole = explain(model, TEXTS, target="all", method="sensitivity", elements=True)
    monkeypatch.setattr(module, "_GRADIENT_BYTES", most)
    parts = explain(model, TEXTS, target="all", method="sensitivity", elements=True)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.relevance, other.relevance)
        np.testing.assert_array_equal(one.elements, other.elements)
        np.testing.assert_array_equal(one.padding, other.padding)
