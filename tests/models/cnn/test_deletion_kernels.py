"""The incremental loop against doing everything again, bit for bit."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import made_cnn, made_text

from whyword import CNNClassifier, Corpus
from whyword.models.cnn.deletion_kernels import scores_of_changes
from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.kernels import pooled_maxima


def assert_as_from_scratch(
    trace: ForwardPass, orders: np.ndarray, insert: bool, steps: np.ndarray
) -> None:
    documents = np.arange(len(trace.documents))
    for activations, weight in trace.parts():
        shape = (len(documents), orders.shape[1], len(steps))
        pooled = np.full((*shape, len(activations.bias)), np.nan, np.float32)
        scores = np.ones((*shape, weight.shape[1]))
        scores_of_changes(
            activations, weight, documents, orders, insert, steps, PADDING, scores, pooled
        )
        expected = 1 + pooled.astype(np.float64) @ weight.astype(np.float64)
        np.testing.assert_allclose(scores, expected, atol=1e-9 * max(1, np.abs(expected).max()))
        for d in documents.tolist():
            whole = activations.ids[activations.offsets[d] : activations.offsets[d + 1]]
            for run in range(orders.shape[1]):
                now = np.full_like(whole, PADDING) if insert else whole.copy()
                for k in range(orders.shape[2] + 1):
                    if k and orders[d, run, k - 1] >= 0:
                        word = orders[d, run, k - 1]
                        now[word] = whole[word] if insert else PADDING
                    again, _ = pooled_maxima(now, np.array([0, len(now)]), activations.table)
                    for at in np.flatnonzero(steps == k).tolist():
                        np.testing.assert_array_equal(pooled[d, run, at], again[0])


def some_orders(trace: ForwardPass, runs: int, steps: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    orders = np.full((len(trace.documents), runs, steps), -1, np.int32)
    for each, document in zip(orders, trace.documents, strict=True):
        for order in each:
            chosen = random.permutation(len(document))[:steps]
            order[: len(chosen)] = chosen
    return orders


@settings(max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (5,), (1, 2, 3)]),
    numbers=st.lists(st.lists(st.integers(0, 6), max_size=12), min_size=1, max_size=3),
    integers=st.booleans(),
    insert=st.booleans(),
    steps=st.sets(st.integers(0, 8), min_size=1),
    seed=st.integers(0, 10_000),
)
def test_equals_doing_it_again(
    widths: tuple[int, ...],
    numbers: list[list[int]],
    integers: bool,
    insert: bool,
    steps: set[int],
    seed: int,
) -> None:
    """Ties, dead filters, repeated words, texts shorter than a filter and than the steps."""
    model = made_cnn(widths, filters=70, integers=integers, seed=seed)  # more than are done at once
    (trace,) = model.trace([made_text(each) for each in numbers])
    assert_as_from_scratch(trace, some_orders(trace, 2, 8, seed), insert, np.array(sorted(steps)))


@pytest.mark.real
@pytest.mark.parametrize("width", [1, 2, 3])
def test_equals_doing_it_again_on_real_texts(
    news: Corpus, real_cnn: Callable[[int], CNNClassifier], width: int
) -> None:
    """Every step of every document of a sample."""
    model = real_cnn(width)
    random = np.random.default_rng(width)
    texts = [news.test.texts[n] for n in random.choice(len(news.test), 40, replace=False)]
    for trace in model.trace(texts):
        for insert in (False, True):
            assert_as_from_scratch(trace, some_orders(trace, 2, 50, width), insert, np.arange(51))
