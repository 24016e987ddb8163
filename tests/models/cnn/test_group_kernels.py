"""Groups of words zeroed one at a time, against doing everything again, bit for bit."""

import numpy as np
import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text

from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.group_kernels import scores_without_groups
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.kernels import pooled_maxima
from whyword.models.cnn.trace import CNNTrace
from whyword.models.word_groups import WordGroups


def some_groups(numbers: list[list[int]], seed: int) -> WordGroups:
    """Return all occurrences of each word, some words by chance, no word, and all of them."""
    random = np.random.default_rng(seed)
    documents = []
    for each in numbers:
        words = np.array(each, np.int64)
        alike = [np.flatnonzero(words == word).tolist() for word in sorted(set(each))]
        chance = [
            np.flatnonzero(random.random(len(words)) < share).tolist() for share in (0.2, 0.8)
        ]
        documents.append([*alike, *chance, [], list(range(len(words)))])
    return WordGroups.of(documents)


def assert_as_from_scratch(trace: ForwardPass, groups: WordGroups) -> None:
    for activations, weight in trace.parts():
        pooled = np.full((len(groups), len(activations.bias)), np.nan, np.float32)
        scores = np.ones((len(groups), weight.shape[1]))
        scores_without_groups(activations, weight, groups, PADDING, scores, pooled)
        expected = 1 + pooled.astype(np.float64) @ weight.astype(np.float64)
        np.testing.assert_allclose(scores, expected, atol=1e-9 * max(1, np.abs(expected).max()))
        for g, d in enumerate(groups.owners.tolist()):
            now = activations.ids[activations.offsets[d] : activations.offsets[d + 1]].copy()
            now[groups.positions[groups.starts[g] : groups.starts[g + 1]]] = PADDING
            again, _ = pooled_maxima(now, np.array([0, len(now)]), activations.table)
            np.testing.assert_array_equal(pooled[g], again[0])


@pytest.mark.slow("many networks")
@settings(max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (5,), (1, 2, 4)]),
    numbers=st.lists(st.lists(st.integers(0, 6), max_size=40), min_size=1, max_size=3),
    integers=st.booleans(),
    deleted=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_equals_doing_it_again(
    widths: tuple[int, ...], numbers: list[list[int]], integers: bool, deleted: bool, seed: int
) -> None:
    """Ties, dead filters, texts shorter than a filter, words that are gone from the start."""
    model = made_cnn(
        widths, filters=300, integers=integers, seed=seed
    )  # more than are done at once
    gone = iter([np.arange(0, len(each), 3) for each in numbers])
    texts = [made_text(each) for each in numbers]
    (trace,) = model.trace(texts, deleted=gone if deleted else None)
    assert_as_from_scratch(trace, some_groups(numbers, seed))


@pytest.mark.slow("many networks")
@settings(max_examples=40)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (2, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=9),
    integers=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_equals_deleting_and_predicting(
    widths: tuple[int, ...], numbers: list[int], integers: bool, seed: int
) -> None:
    model, text = made_cnn(widths, integers=integers, seed=seed), made_text(numbers)
    (trace,) = model.trace([text])
    groups = some_groups([numbers], seed)
    words = np.split(groups.positions, groups.starts[1:-1])
    scores = trace.scores_without(groups)
    expected = oracle.scores_without(*literal_parts(model, text), [one.tolist() for one in words])
    np.testing.assert_allclose(scores, expected, atol=1e-5 * max(1, np.abs(expected).max()))
    again = [model.trace([text], deleted=iter([gone.astype(np.intp)])) for gone in words]
    traced = np.concatenate([trace.scores for (trace,) in again])
    np.testing.assert_allclose(scores, traced, atol=1e-5 * max(1, np.abs(expected).max()))


@pytest.mark.slow("the first pass of torch")
@pytest.mark.parametrize("width", [1, 2, 3])
def test_equals_torch(width: int) -> None:
    random = np.random.default_rng(width)
    numbers = random.integers(0, 7, 50).tolist()
    model, text = made_cnn((width,), filters=30, seed=width), made_text(numbers)
    (trace,) = model.trace([text])
    groups = some_groups([numbers], width)
    inputs, ((kernel, bias),), weight, constant = literal_parts(model, text)
    rows = []
    for words in np.split(groups.positions, groups.starts[1:-1]):
        changed = inputs.copy()
        changed[words] = 0
        responses = torch.nn.functional.conv1d(
            torch.tensor(changed.T[None]),
            torch.tensor(kernel.transpose(2, 1, 0).copy()),
            torch.tensor(bias),
        )
        rows.append(responses.relu().amax(dim=2)[0].numpy() @ weight + constant)
    np.testing.assert_allclose(trace.scores_without(groups), rows, rtol=1e-5, atol=1e-5)


def test_a_long_text_of_few_words() -> None:
    """Most windows are touched, and maxima stand in chunks that are, or in others."""
    numbers = np.random.default_rng(0).integers(0, 3, 300).tolist() + [5] + [6] * 40
    model = made_cnn((2,), filters=300, integers=True)
    (trace,) = model.trace([made_text(numbers), made_text([1])])
    assert isinstance(trace, CNNTrace)
    assert_as_from_scratch(trace, some_groups([numbers, [1]], 0))


def test_a_text_so_long_that_fewer_filters_are_done_at_once() -> None:
    numbers = np.random.default_rng(0).integers(0, 6, 20_000).tolist()
    numbers[19_000] = 6
    (trace,) = made_cnn((2,), filters=300).trace([made_text(numbers)])
    assert_as_from_scratch(trace, WordGroups.of([[[19_000], [0, 19_999], range(10_000)]]))


def test_infinite_responses_change_nothing_that_stays() -> None:
    model = made_cnn((1,), filters=3)
    model.network_.convolutions[0].bias[:] = np.inf
    model.network_.output_weight[:] = 1
    (trace,) = model.trace([made_text([0, 1, 2])])
    assert np.isposinf(trace.scores_without(WordGroups.of([[[0], []]]))).all()
