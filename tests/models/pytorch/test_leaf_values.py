"""From the vectors of look-ups to the tokens of a batch, against literal loops."""

import numpy as np
import pytest
import torch

from whyword.models.pytorch.leaf_values import (
    looked_up,
    spread,
    spread_elements,
    table_starts,
    width_of,
)
from whyword.models.pytorch.word_vectors import Leaf

BATCH, TOKENS, SIZE, CLASSES = 2, 4, 3, 5
# the second text begins with something that the module put in; one token is looked up twice
PLACES = torch.tensor([[0, 1, 2, 2, 3], [-1, 4, 5, 6, 7]])


def leaf(name: str = "words", size: int = SIZE, seed: int = 0) -> Leaf:
    """Return vectors that were looked up for the tokens of PLACES."""
    vectors = torch.randn(*PLACES.shape, size, generator=torch.Generator().manual_seed(seed))
    return Leaf(vectors.requires_grad_(), PLACES, name)


def test_values_go_to_their_tokens_and_what_is_nobodys_to_the_text_beside() -> None:
    values = torch.randint(-8, 9, (CLASSES, *PLACES.shape)) / 4.0
    values = values.double()
    sums, others = np.ones((BATCH, TOKENS, CLASSES)), np.ones((BATCH, CLASSES))
    wanted, beside = sums.copy(), others.copy()
    for row, column in np.ndindex(*PLACES.shape):
        place, each = int(PLACES[row, column]), values[:, row, column].numpy()
        if place < 0:
            beside[row] += each
        else:
            wanted[divmod(place, TOKENS)] += each
    spread(sums, others, leaf(), values)
    np.testing.assert_allclose(sums, wanted)
    np.testing.assert_allclose(others, beside)


def test_elements_go_to_their_tokens() -> None:
    drawn = torch.randint(-8, 9, (CLASSES, *PLACES.shape, SIZE))
    values = drawn / 4  # sums of such numbers are exact, in whatever order they are added
    sums = np.ones((BATCH, TOKENS, SIZE, CLASSES), np.float32)
    wanted = sums.copy()
    for row, column in np.ndindex(*PLACES.shape):
        place = int(PLACES[row, column])
        if place >= 0:
            wanted[divmod(place, TOKENS)] += values[:, row, column].numpy().T
    spread_elements(sums, leaf(), values)
    np.testing.assert_array_equal(sums, wanted)


def test_numbers_that_are_too_large_warn_of_nothing() -> None:
    values = torch.full((1, *PLACES.shape), 1e308, dtype=torch.float64)
    sums = np.zeros((BATCH, TOKENS, 1))
    spread(sums, np.zeros((BATCH, 1)), leaf(), values)
    assert np.isinf(sums[0, 2, 0])  # the residual says so


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "a", "b"]])
def test_tables_stand_side_by_side_each_once(names: list[str]) -> None:
    sizes = {"a": 3, "b": 2}
    leaves = [leaf(name, sizes[name], seed) for seed, name in enumerate(names)]
    assert width_of(leaves) == sum(sizes[name] for name in set(names))
    assert list(table_starts(leaves).values()) == [0 if name == "a" else 3 for name in names]


def test_vectors_of_ids_are_those_of_the_first_look_up_in_each_table() -> None:
    tokens = torch.arange(BATCH * TOKENS).reshape(BATCH, TOKENS)
    first, again, other = (
        Leaf(torch.randn(BATCH, TOKENS, size), tokens, name)
        for name, size in (("a", 3), ("a", 3), ("b", 2))
    )
    found = looked_up([first, again, other], tokens.shape)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, torch.cat([first.vectors, other.vectors], -1).numpy())
