import numpy as np
import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyword.models.cnn.kernels import filter_gradient, pooled_maxima


def documents(random: np.random.Generator, lengths: list[int], rows: int) -> tuple:  # type: ignore[type-arg]
    offsets = np.cumsum([0, *lengths]).astype(np.int64)
    return random.integers(0, rows, offsets[-1]).astype(np.int32), offsets


@settings(deadline=None, max_examples=40)
@given(
    width=st.integers(1, 5),
    extra=st.lists(st.integers(0, 7), min_size=1, max_size=4),
    integers=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_pooling_equals_the_literal_convolution(
    width: int, extra: list[int], integers: bool, seed: int
) -> None:
    """Small integers make exact ties, negative biases filters that never fire."""
    random = np.random.default_rng(seed)
    rows, dimensions, filters = 5, 3, 6

    def draw(*shape: int) -> NDArray[np.float64]:
        if integers:
            return random.integers(-2, 3, shape).astype(np.float64)
        return random.normal(size=shape)

    vectors, weight = draw(rows, dimensions), draw(width, dimensions, filters)
    bias = draw(filters) - np.array([0, 0, 0, 0, 50, 50])
    ids, offsets = documents(random, [width + more for more in extra], rows)
    table = np.einsum("ri,tij->rtj", vectors, weight).astype(np.float32)
    table[:, 0] += bias.astype(np.float32)
    pooled, winners = pooled_maxima(ids, offsets, table)
    for number in range(len(extra)):
        inputs = vectors[ids[offsets[number] : offsets[number + 1]]].astype(float)
        responses = oracle.convolution(inputs, weight.astype(float), bias.astype(float))
        best, first = oracle.max_pool(responses)
        np.testing.assert_allclose(pooled[number], best, atol=1e-4)
        if integers:
            np.testing.assert_array_equal(winners[number], first)
    assert (pooled[:, 4:] == 0).all()
    assert (winners[:, 4:] == 0).all()


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_gradient_equals_torchs(width: int) -> None:
    random = np.random.default_rng(width)
    rows, dimensions, filters, lengths = 9, 5, 7, [6, 4, 9]
    vectors = random.normal(size=(rows, dimensions)).astype(np.float32)
    ids, offsets = documents(random, lengths, rows)
    upstream = random.normal(size=(3, filters)).astype(np.float32)
    layer = torch.nn.Conv1d(dimensions, filters, width)
    total = torch.zeros(())
    pooled, winners = np.zeros((3, filters), np.float32), np.zeros((3, filters), np.int32)
    for number in range(3):
        inputs = torch.from_numpy(vectors[ids[offsets[number] : offsets[number + 1]]].T.copy())
        best, first = torch.relu(layer(inputs[None]))[0].max(dim=1)
        pooled[number], winners[number] = best.detach().numpy(), first.numpy()
        total = total + (best * torch.from_numpy(upstream[number])).sum()
    total.backward()  # type: ignore[no-untyped-call]
    gradient = filter_gradient(ids, offsets, vectors, winners, upstream * (pooled > 0), width)
    assert layer.weight.grad is not None
    expected = layer.weight.grad.numpy().transpose(2, 0, 1)
    np.testing.assert_allclose(gradient, expected, atol=1e-5)
