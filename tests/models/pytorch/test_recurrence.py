"""Recurrent layers against literal formulas: gates take nothing, nothing is lost."""

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import PAD, WORDS, enliven, freeze, ragged

from whyword.base.errors import ModelError

KINDS: dict[str, Callable[..., Any]] = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}
CELLS: dict[str, Callable[..., Any]] = {
    "lstm": nn.LSTMCell,
    "gru": nn.GRUCell,
    "rnn": nn.RNNCell,
}
SIZE, INPUTS = 4, 3
Array = NDArray[np.float64]


class Reading(nn.Module):
    """Scores of all outputs' mean, the last states and, of an LSTM, the last cells."""

    def __init__(self, kind: str, layers: int, both: bool, packed: bool, start: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, INPUTS)
        self.cells = KINDS[kind](INPUTS, SIZE, layers, batch_first=True, bidirectional=both)
        self.start = nn.Parameter(torch.zeros(2, layers * (1 + both), 1, SIZE)) if start else None
        width = SIZE * (1 + both)
        self.mean, self.last, self.cell = (nn.Linear(width, 3) for _ in range(3))
        self.kind, self.packed = kind, packed

    def forward(self, ids: Tensor) -> object:
        x: Any = self.embedding(ids)
        lengths = (ids != PAD).sum(1)
        if self.packed:
            x = nn.utils.rnn.pack_padded_sequence(x, lengths, True, enforce_sorted=False)
        start: Any = None
        if self.start is not None:
            states = [one.repeat(1, len(ids), 1) for one in self.start]
            start = tuple(states) if self.kind == "lstm" else states[0]
        out, end = self.cells(x, start)
        h, c = end if self.kind == "lstm" else (end, None)
        if self.packed:
            out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
        both = self.cells.bidirectional
        scores = self.mean(out.sum(1) / lengths.unsqueeze(1))
        scores = scores + self.last(torch.cat([h[-2], h[-1]], 1) if both else h[-1])
        if c is not None:
            scores = scores + self.cell(torch.cat([c[-2], c[-1]], 1) if both else c[-1])
        return scores


def numbers(tensor: Tensor) -> Array:
    values: Array = tensor.detach().numpy()
    return values


def literal(module: Any, ids: Tensor, target: int) -> tuple[Array, float]:
    """Return the relevance of a text's words, (T,), and of all constants, layer by layer."""
    cells, kind = module.cells, module.kind
    both = 1 + cells.bidirectional
    start = numpy_start(module, both)

    def weights(number: int) -> Any:
        some = cells._flat_weights[4 * number : 4 * number + 4]
        return tuple(numbers(one) for one in some)

    inputs = [numbers(module.embedding(ids))]
    for layer in range(cells.num_layers):
        outs = []
        for way in range(both):
            number = layer * both + way
            order = slice(None, None, -1 if way else 1)
            steps = oracle.recurrent_states(
                kind, inputs[-1][order], weights(number), *start[number]
            )
            outs.append(np.array([step["h"] for step in steps])[order])
        inputs.append(np.concatenate(outs, axis=1))
    constant = sum(
        float(numbers(getattr(module, name).bias)[target])
        for name in ("mean", "last", *(["cell"] if kind == "lstm" else []))
    )
    relevance = numbers(module.mean.weight)[target] * inputs[-1] / len(ids)
    for layer in reversed(range(cells.num_layers)):
        below = np.zeros_like(inputs[layer])
        for way in range(both):
            number, part = layer * both + way, slice(way * SIZE, (way + 1) * SIZE)
            order = slice(None, None, -1 if way else 1)
            x = inputs[layer][order]
            of_states, of_cell = relevance[order, part].copy(), np.zeros(SIZE)
            if layer == cells.num_layers - 1:
                end = oracle.recurrent_states(kind, x, weights(number), *start[number])[-1]
                of_states[-1] += numbers(module.last.weight)[target, part] * end["h"]
                if kind == "lstm":
                    of_cell = numbers(module.cell.weight)[target, part] * end["c"]
            found, apart = oracle.recurrent_relevance(
                kind, x, weights(number), start[number], of_states, of_cell
            )
            below += found[order]
            constant += apart
        relevance = below
    return relevance.sum(1), constant


def numpy_start(module: Any, both: int) -> list[tuple[Array, Array]]:
    """Return the initial states of each direction of each layer."""
    count = module.cells.num_layers * both
    if module.start is None:
        return [(np.zeros(SIZE), np.zeros(SIZE))] * count
    return [(numbers(module.start[0, n, 0]), numbers(module.start[1, n, 0])) for n in range(count)]


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("layers", "both"), [(1, False), (1, True), (2, False), (2, True)])
@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_formulas(kind: str, layers: int, both: bool, packed: bool, start: bool) -> None:
    module = enliven(Reading(kind, layers, both, packed, start).double())
    ids = ragged((7, 3, 5) if packed else (6, 6))
    found = freeze(module, ids).found
    for row, text in enumerate(ids):
        words = text[text != PAD]
        for target in range(3):
            relevance, constant = literal(module, words, target)
            length = len(words)
            np.testing.assert_allclose(
                found.tokens[row, :length, target], relevance, rtol=0, atol=1e-10
            )
            assert not found.tokens[row, length:].any()
            assert found.constant[row, target] == pytest.approx(constant, abs=1e-10)


class Net(nn.Module):
    """Words' vectors, some layers, and a function of both."""

    def __init__(self, function: Callable[[Any, Tensor], Any], *layers: nn.Module) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, INPUTS)
        self.layers, self.function = nn.ModuleList(layers), function

    def forward(self, ids: Tensor) -> object:
        return self.function(self.layers, self.embedding(ids))


@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_cells_have_what_their_layer_has(kind: str, biases: bool) -> None:
    def steps(layers: Any, x: Tensor) -> Tensor:
        state = said = x.new_zeros(len(x), SIZE)
        both = (state, state)
        total = torch.zeros_like(state)
        for t in range(x.shape[1]):
            if kind == "lstm":
                said, _ = both = layers[0](x[:, t], both)
            else:
                said = state = layers[0](x[:, t], state)
            total = total + said
        return (total + said + (both[1] if kind == "lstm" else 0))[:, :3]

    def whole(layers: Any, x: Tensor) -> Tensor:
        out, end = layers[0](x)
        last, cells = end if kind == "lstm" else (end, torch.zeros(()))
        total = out.sum(1) + last[0] + (cells[0] if kind == "lstm" else 0)
        return total[:, :3]  # type: ignore[no-any-return]

    layer = KINDS[kind](INPUTS, SIZE, batch_first=True, bias=biases)
    module = enliven(Net(whole, layer).double())
    cell = CELLS[kind](INPUTS, SIZE, bias=biases).double()
    cell.load_state_dict({name[:-3]: one for name, one in layer.state_dict().items()})
    stepwise = Net(steps, cell).eval()
    stepwise.embedding = module.embedding  # type: ignore[assignment]
    ids = ragged((6, 6))
    ours, theirs = freeze(stepwise, ids), freeze(module, ids)
    assert len(ours.passes) == 1
    assert theirs.residual.max() <= 1e-12
    np.testing.assert_allclose(ours.found.tokens, theirs.found.tokens, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.found.constant, theirs.found.constant, rtol=0, atol=1e-12)
    assert theirs.found.constant.any() == biases


NETS: dict[str, tuple[Callable[[Any, Tensor], Any], tuple[nn.Module, ...]]] = {
    "relu, two layers, no biases": (
        lambda layers, x: layers[0](x.transpose(0, 1))[0][-1],
        (nn.RNN(INPUTS, 3, 2, nonlinearity="relu", bias=False),),
    ),
    "relu cells": (
        lambda layers, x: layers[0](x[:, 1], layers[0](x[:, 0])),
        (nn.RNNCell(INPUTS, 3, nonlinearity="relu"),),
    ),
    "one text without a batch": (
        lambda layers, x: torch.stack([layers[0](one)[0].mean(0) for one in x]),
        (nn.GRU(INPUTS, 3),),
    ),
    "a text's last state without a batch": (
        lambda layers, x: torch.stack([layers[0](one)[1][0][0] for one in x]),
        (nn.LSTM(INPUTS, 3),),
    ),
    "states that are made of words": (  # an encoder's last state begins a decoder
        lambda layers, x: layers[1](x.flip(1), layers[0](x)[1])[0][:, -1],
        (nn.LSTM(INPUTS, 3, batch_first=True), nn.LSTM(INPUTS, 3, batch_first=True)),
    ),
    "cells of words": (lambda layers, x: layers[0](x[:, 0], x[:, 1]), (nn.GRUCell(INPUTS, 3),)),
}


@pytest.mark.parametrize("name", NETS)
def test_relevance_adds_up_with_the_constants(name: str) -> None:
    function, layers = NETS[name]
    said = freeze(enliven(Net(function, *layers).double()), ragged((5, 5)))
    assert len(said.passes) == 1
    assert said.residual.max() <= 1e-12
    assert said.found.constant.any() == ("no biases" not in name)
    assert np.abs(said.found.tokens).max() > 0.01


def called(*rest: Any, **named: Any) -> Callable[[Any, Tensor], Any]:
    """Return a function that calls torch's own function of a layer."""
    start = torch.zeros(2, 2, 3)
    return lambda layers, x: torch.gru(x, start, layers[0]._flat_weights, *rest, **named)[0].mean(1)


@pytest.mark.parametrize(
    ("function", "layer", "said"),
    [
        (
            lambda layers, x: layers[0](x)[0][:, -1],
            nn.LSTM(INPUTS, 5, proj_size=3),
            r"layers.0 \(LSTM\) is an LSTM with projections \(proj_size\)",
        ),
        (
            called(True, 2, 0.5, True, False, True),
            nn.GRU(INPUTS, 3, 2),
            r"drops out at random; call module.eval\(\)",
        ),
        (
            called(True, 2, 0.0, False, False, batch_first=True),
            nn.GRU(INPUTS, 3, 2),
            "calls a recurrent function with named arguments",
        ),
    ],
)
def test_a_layer_without_a_rule_is_refused(function: Any, layer: nn.Module, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        freeze(enliven(Net(function, layer)), ragged((5, 5)))
