"""A module's own gradients, token by token."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import PAD, WORDS, Vote, batch_of, enliven, ragged

from whyword.models.integration import path_points
from whyword.models.pytorch.gradients import GradientPass
from whyword.models.pytorch.network import Network

IDS = ragged((5, 3))
TARGETS = np.array([[0, 2], [1, 1]], np.int32)


class Channels(nn.Module):
    """Two tables, one of them looked up twice."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Embedding(WORDS, 3), nn.Embedding(WORDS, 2)
        self.output = nn.Linear(5, 3)

    def forward(self, ids: Tensor) -> object:
        x = torch.cat([self.one(ids) * self.one(ids.flip(1)), torch.tanh(self.two(ids))], -1)
        return self.output(x.sum(1))


def passes(module: nn.Module, zeroed: Tensor | None = None) -> GradientPass:
    return GradientPass(Network(module, 3, PAD, 1, None), batch_of(IDS, zeroed))


def test_tables_stand_side_by_side() -> None:
    module = enliven(Channels().double())
    vectors = passes(module).vectors()
    one, two = (getattr(module, name).weight.detach()[IDS] for name in ("one", "two"))
    np.testing.assert_allclose(vectors, torch.cat([one, two], -1).numpy(), atol=1e-6)


def test_look_ups_of_one_table_are_added_up() -> None:
    module = enliven(Channels().double())
    found = passes(module).relevance(TARGETS, lambda vectors, gradient: vectors * gradient, True)
    one, two = (
        getattr(module, name).weight.detach()[IDS].requires_grad_() for name in ("one", "two")
    )
    x = torch.cat([one * one.flip(1), torch.tanh(two)], -1)
    scores = module.output(x.sum(1))  # type: ignore[operator]
    for column in range(2):
        chosen = scores.gather(1, torch.from_numpy(TARGETS[:, column : column + 1]).long())
        first, second = torch.autograd.grad(chosen.sum(), [one, two], retain_graph=True)
        expected = torch.cat([first * one, second * two], -1).detach().numpy()
        np.testing.assert_allclose(found.tokens[..., column], expected.sum(-1), atol=1e-10)
        assert found.elements is not None
        np.testing.assert_allclose(found.elements[..., column], expected, atol=1e-5)


def test_integrated_gradients_are_complete() -> None:
    module = enliven(Channels().double())
    found = passes(module).integrated(TARGETS, path_points(30), False)
    with torch.no_grad():
        scores = module(IDS).numpy()
        nothing = module.output(torch.zeros(2, 5).double()).numpy()  # type: ignore[operator]
    expected = np.take_along_axis(scores - nothing, TARGETS.astype(np.intp), 1)
    np.testing.assert_allclose(found.tokens.sum(1), expected, atol=1e-8)
    constant = np.take_along_axis(nothing, TARGETS.astype(np.intp), 1)
    np.testing.assert_allclose(found.constant, constant, atol=1e-12)


@pytest.mark.parametrize("elements", [False, True])
def test_deleted_words_are_zeros(elements: bool) -> None:
    gone = torch.zeros(IDS.shape, dtype=torch.bool)
    gone[0, 1] = True
    one = passes(enliven(Vote().double()), gone)
    assert not one.vectors()[0, 1].any()
    found = one.relevance(TARGETS, lambda vectors, gradient: vectors * gradient, elements)
    assert not found.tokens[0, 1].any()
    assert (found.elements is not None) == elements
