"""A frozen pass over a batch, and the ways back."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import (
    PAD,
    WORDS,
    Vote,
    batch_of,
    enliven,
    freeze,
    ragged,
    written,
)

from whyword.base.errors import InputError, ModelError
from whyword.models.pytorch import frozen as module_
from whyword.models.pytorch.frozen import FrozenPass, FrozenPasses, FrozenRule
from whyword.models.pytorch.leaf_values import table_starts
from whyword.models.pytorch.network import Network

IDS = ragged()


class Layers(nn.Module):
    """Two layers, one of which says several things."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 4)
        self.first, self.cells, self.last = nn.Linear(4, 5), nn.GRU(5, 6), nn.Linear(6, 3)
        self.norm, self.unused = nn.LayerNorm(4), nn.Linear(1, 1)

    def forward(self, ids: Tensor) -> object:
        x = torch.tanh(self.first(self.norm(self.embedding(ids))))
        out, _ = self.cells(x.transpose(0, 1))
        return self.last(out.mean(0))


@pytest.mark.parametrize("layer", ["embedding", "norm", "first"])
def test_relevance_at_a_layer(layer: str) -> None:
    """Conserved there, too; what is booked above it is the constant."""
    module = enliven(Layers().double())
    whole, there = freeze(module, IDS), freeze(module, IDS, FrozenRule(layer=layer))
    assert there.residual.max() <= 1e-10
    np.testing.assert_allclose(there.scores, whole.scores, atol=1e-12)
    above = {name.split(".")[0] for name in there.passes[0].constants}
    if layer == "first":  # its own bias is below
        assert np.abs(there.found.constant - whole.found.constant).max() > 1e-3
    assert "last" in above
    if layer == "embedding":
        np.testing.assert_allclose(there.found.tokens, whole.found.tokens, atol=1e-12)


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ("cells", r"gives \(9, 3, 6\) numbers; a vector for each of the 9 tokens"),
        ("last", r"gives \(3, 3\)"),
        ("unused", "says nothing"),
    ],
)
def test_layers_without_the_words(layer: str, said: str) -> None:
    module = enliven(Layers().double())
    with pytest.raises(InputError, match=said):
        freeze(module, IDS, FrozenRule(layer=layer))
    assert not any(len(part._forward_hooks) for part in module.modules())


class Mixing(nn.Module):
    """Nobody can say whose a number is: texts are folded into each other and out again."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(WORDS, 4), nn.Linear(4, 3)

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids).mean(1)
        order = torch.arange(x.numel()).flip(0)
        across = x.reshape(-1)[order] + 0.5
        return self.output(across[order].reshape(x.shape))


def test_texts_that_get_mixed_up_go_one_by_one() -> None:
    module = enliven(Mixing().double())
    said = freeze(module, IDS)
    assert said.residual.max() <= 1e-10
    network = Network(module, 3, PAD, 1, None)
    batches = [batch_of(IDS)]
    passes = list(FrozenPasses(network, batches, FrozenRule(), check=False))
    assert len(passes) in (1, 3)
    assert network.mixes == (len(passes) == 3)
    assert [one.numbers.tolist() for one in batches] in ([[0, 1, 2]], [[0], [1], [2]])


def test_a_module_that_says_something_else_is_refused() -> None:
    said: list[int] = []

    def unsteady(m: nn.Module, x: Tensor) -> object:
        said.append(1)
        return m.output(x.sum(1)) * len(said)  # type: ignore[operator]

    with pytest.raises(ModelError, match="it does something that is not followed"):
        freeze(written(unsteady), IDS)


@pytest.mark.parametrize("most", [1, 30, 1 << 15])
def test_classes_in_parts(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    module = enliven(Layers().double())
    expected = freeze(module, IDS).found
    monkeypatch.setattr(module_, "_BATCHED", most)
    found = freeze(module, IDS).found
    np.testing.assert_allclose(found.tokens, expected.tokens, atol=1e-12)
    assert found.elements is not None
    assert expected.elements is not None
    np.testing.assert_allclose(found.elements, expected.elements, atol=1e-6)


def test_elements_add_up_to_tokens() -> None:
    found = freeze(enliven(Layers().double()), IDS).found
    assert found.elements is not None
    np.testing.assert_allclose(found.elements.sum(2), found.tokens, atol=1e-5)


def test_what_constants_say_by_name() -> None:
    module = enliven(Layers().double())
    said = freeze(module, IDS)
    every = np.tile(np.arange(3, dtype=np.int32), (3, 1))
    by_name = said.passes[0].constants_by_name(every)
    assert "norm.bias" in by_name
    assert {name.rpartition(".")[0] for name in by_name} == {"first", "cells", "last", "norm"}
    np.testing.assert_allclose(sum(by_name.values()), said.found.constant, atol=1e-12)
    bias = module.get_parameter("last.bias").detach().numpy()
    np.testing.assert_allclose(by_name["last.bias"], np.tile(bias, (3, 1)))


def test_one_table_looked_up_twice_has_its_dimensions_once() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Embedding(WORDS, 3), nn.Embedding(WORDS, 2)

        def forward(self, ids: Tensor) -> object:
            both = self.first(ids) + self.first(ids.flip(1))
            return both.sum(1) + self.second(ids).sum((1, 2), keepdim=True)[:, 0]

    said = freeze(enliven(Twice().double()), IDS)
    assert said.found.elements is not None
    assert said.found.elements.shape[2] == 5
    starts = list(table_starts(said.passes[0]._run.words).values())
    assert starts == [0, 0, 3]
    assert said.residual.max() <= 1e-10


def test_deleted_words_bear_nothing() -> None:
    gone = torch.zeros(IDS.shape, dtype=torch.bool)
    gone[:, 2] = True
    said = freeze(enliven(Vote().double()), IDS, zeroed=gone)
    assert not said.found.tokens[:, 2].any()
    assert said.residual.max() <= 1e-10


def test_a_pass_can_be_asked_again() -> None:
    network = Network(enliven(Vote().double()), 3, PAD, 1, None)
    one = FrozenPass(network, batch_of(IDS), FrozenRule())
    targets = np.array([[0], [2], [1]], np.int32)
    first, second = one.relevance(targets), one.relevance(targets)
    np.testing.assert_array_equal(first.tokens, second.tokens)
