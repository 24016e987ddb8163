"""The recurrent network beside PyTorch's own packed sequences, and beside itself alone."""

import pytest
import torch
from torch import Tensor, nn
from torch_networks import enliven

from whyword.models.pytorch.recurrent_network import (
    CELLS,
    POOLINGS,
    RecurrentNetwork,
    Shape,
    WordTables,
)

LENGTHS = (7, 1, 4)


def network(cell: str, pooling: str, both: bool = True, layers: int = 1) -> RecurrentNetwork:
    rows = [torch.tensor([0, 1, 2, 3, 0]), torch.tensor([0, 0, 2, 1, 0])]
    tables = WordTables(rows, [(3, 4), (2, 3)])
    module = RecurrentNetwork(tables, Shape(cell, 5, layers, both, pooling, 3))
    enliven(module)
    with torch.no_grad():
        for weight in tables.weights:
            weight[0] = 0.0
    return module


def batch() -> tuple[Tensor, Tensor]:
    mask = torch.tensor([[1] * length + [0] * (7 - length) for length in LENGTHS])
    ids = torch.randint(0, 5, mask.shape, generator=torch.Generator().manual_seed(0))
    return ids * mask, mask


def packed(module: RecurrentNetwork, ids: Tensor, mask: Tensor) -> Tensor:
    """Return the states by a bidirectional layer of PyTorch's over packed sequences."""
    shape = module.shape
    kind = nn.LSTM if shape.cell == "lstm" else nn.GRU
    cells = kind(7, 5, num_layers=shape.layers, bidirectional=shape.bidirectional, batch_first=True)
    for number in range(shape.layers):
        for ending, own in (("", module.forth), ("_reverse", module.back)):
            for name, weight in own[number].named_parameters() if len(own) else ():
                cells.get_parameter(name.replace("l0", f"l{number}{ending}")).data = weight.data
    sequence = nn.utils.rnn.pack_padded_sequence(
        module.words(ids), mask.sum(1), batch_first=True, enforce_sorted=False
    )
    return nn.utils.rnn.pad_packed_sequence(cells(sequence)[0], batch_first=True)[0]


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("cell", CELLS)
def test_equals_packed_sequences(cell: str, both: bool, layers: int) -> None:
    ids, mask = batch()
    with torch.no_grad():
        for pooling in POOLINGS:
            module = network(cell, pooling, both, layers)
            states = packed(module, ids, mask)
            rows = []
            for state, length in zip(states, LENGTHS, strict=True):
                own = state[:length]
                if pooling == "last":
                    rows.append(torch.cat([own[-1, :5], own[0, 5:]]))
                elif pooling == "mean":
                    rows.append(own.mean(0))
                elif pooling == "max":
                    rows.append(own.max(0).values)
                else:
                    asked = module.query(torch.tanh(module.look(own)))
                    rows.append((torch.softmax(asked, 0) * own).sum(0))
            expected = module.output(torch.stack(rows))
            torch.testing.assert_close(module(ids, mask), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_batch_equals_its_singles(pooling: str) -> None:
    ids, mask = batch()
    module = network("lstm", pooling)
    with torch.no_grad():
        together = module(ids, mask)
        for row, length in enumerate(LENGTHS):
            one = slice(row, row + 1)
            alone = module(ids[one, :length], mask[one, :length])
            torch.testing.assert_close(together[one], alone, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("cell", CELLS)
def test_no_step_of_a_training_lets_candidates_see_the_states(cell: str) -> None:
    ids, mask = batch()
    rows = [torch.tensor([0, 1, 2, 3, 0])]
    module = RecurrentNetwork(WordTables(rows, [(3, 4)]), Shape(cell, 5, 2, True, "max", 3))
    weights = [one for name, one in module.named_parameters() if "weight_hh" in name]
    before = [one.detach().clone() for one in weights]
    optimiser = torch.optim.AdamW(module.parameters(), 0.1)
    for _ in range(3):
        nn.functional.cross_entropy(module(ids, mask), torch.tensor([0, 1, 2])).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert len(weights) == 4
    for weight, old in zip(weights, before, strict=True):
        moved = (weight != old).any(1)
        assert not weight[10:15].any()
        assert moved[:10].all()
        assert moved[15:].all()


def test_words_are_looked_up_in_every_table() -> None:
    words = network("gru", "max").words
    words.scale[0] = 2.0
    found = words(torch.arange(5))
    first, second = words.weights
    torch.testing.assert_close(found[2], 2 * torch.cat([first[2], second[2]]))
    torch.testing.assert_close(found[1], 2 * torch.cat([first[1], torch.zeros(3)]))
    assert not found[[0, 4]].any()
    assert words.dimensions == 7


def test_a_bound_of_what_is_computed() -> None:
    module = network("lstm", "mean")
    ids, mask = batch()
    assert float(module(ids, mask).detach().abs().max()) <= module.largest()
    with torch.no_grad():
        module.words.weights[1][1] = 1e30
    assert module.largest() > 1e29
