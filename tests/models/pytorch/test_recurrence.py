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


class Steps(nn.Module):
    """The same layer, one cell after the other."""

    def __init__(self, kind: str, whole: nn.Module) -> None:
        super().__init__()
        self.kind, self.cell = kind, CELLS[kind](INPUTS, SIZE).double()
        self.cell.load_state_dict(
            {name.removesuffix("_l0"): one for name, one in whole.cells.state_dict().items()}  # type: ignore[union-attr]
        )
        self.embedding, self.mean, self.last = whole.embedding, whole.mean, whole.last
        self.of_cell = whole.cell

    def forward(self, ids: Tensor) -> object:
        x: Tensor = self.embedding(ids)  # type: ignore[operator]
        state: Any = x.new_zeros(len(ids), SIZE)
        state = (state, state) if self.kind == "lstm" else state
        said = []
        for t in range(ids.shape[1]):
            state = self.cell(x[:, t], state)
            said.append(state[0] if self.kind == "lstm" else state)
        scores = self.mean(sum(said) / len(said)) + self.last(said[-1])  # type: ignore[operator]
        return scores + self.of_cell(state[1]) if self.kind == "lstm" else scores  # type: ignore[operator]


@pytest.mark.parametrize("kind", KINDS)
def test_cells_equal_layers(kind: str) -> None:
    whole = enliven(Reading(kind, 1, False, False, False).double())
    ids = ragged((6, 6))
    steps = Steps(kind, whole).double().eval()
    ours, theirs = freeze(steps, ids), freeze(whole, ids)
    assert len(ours.passes) == 1
    np.testing.assert_allclose(ours.found.tokens, theirs.found.tokens, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.found.constant, theirs.found.constant, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [*KINDS, "relu"])
def test_without_biases(kind: str) -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, INPUTS)
            more = {"nonlinearity": "relu"} if kind == "relu" else {}
            make = KINDS.get(kind, nn.RNN)
            self.cells = make(INPUTS, 3, num_layers=2, bias=False, **more)

        def forward(self, ids: Tensor) -> object:
            return self.cells(self.embedding(ids.t()))[0][-1]

    said = freeze(enliven(Plain().double()), ragged((5, 4)))
    assert said.residual.max() <= 1e-12
    assert not said.found.constant.any()


def test_one_text_without_a_batch() -> None:
    """(T, D) instead of (B, T, D): text after text."""

    class Single(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.cells = nn.Embedding(WORDS, INPUTS), nn.GRU(INPUTS, 3)

        def forward(self, ids: Tensor) -> object:
            return torch.stack([self.cells(one)[0].mean(0) for one in self.embedding(ids)])

    said = freeze(enliven(Single().double()), ragged((5, 4)))
    assert len(said.passes) == 1
    assert said.residual.max() <= 1e-12


def test_states_that_are_made_of_words() -> None:
    """An encoder's last state begins a decoder."""

    class Pair(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, INPUTS)
            self.first, self.second = (nn.LSTM(INPUTS, 3, batch_first=True) for _ in range(2))

        def forward(self, ids: Tensor) -> object:
            x = self.embedding(ids)
            return self.second(x.flip(1), self.first(x)[1])[0][:, -1]

    assert freeze(enliven(Pair().double()), ragged((6, 6))).residual.max() <= 1e-12


def test_projections_are_refused() -> None:
    class Projected(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, INPUTS)
            self.cells = nn.LSTM(INPUTS, 5, proj_size=3)

        def forward(self, ids: Tensor) -> object:
            return self.cells(self.embedding(ids.t()))[0][-1]

    with pytest.raises(ModelError, match=r"cells \(LSTM\) is an LSTM with projections"):
        freeze(enliven(Projected()), ragged())
