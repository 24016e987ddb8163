"""The modules of networks that are trained here, next to literal ones."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import enliven

from whyword.models.pytorch.character_network import CharacterNetwork
from whyword.models.pytorch.pooled import PooledEncoder
from whyword.models.pytorch.recurrent_network import (
    CELLS,
    POOLINGS,
    RecurrentNetwork,
    Shape,
    WordTables,
)

# ---- characters ---------------------------------------------------------------------------------


def characters(hidden: int = 0) -> CharacterNetwork:
    module = CharacterNetwork(7, 4, (2, 3), 5, hidden, 3)
    enliven(module)
    with torch.no_grad():
        module.characters.weight[0] = 0.0
    return module


def by_hand(module: CharacterNetwork, ids: list[int]) -> NDArray[np.float64]:
    """Return the scores of one text, filter by filter and place by place."""
    weights = {name: one.detach().double().numpy() for name, one in module.named_parameters()}
    vectors = weights["characters.weight"][ids]
    best = []
    for number, width in enumerate(module.widths):
        for own in weights[f"convolutions.{number}.weight"]:
            answers = []
            for place in range(len(ids)):
                answer = 0.0
                for offset in range(width):
                    at = place + offset - (width - 1) // 2
                    answer += own[:, offset] @ vectors[at] if 0 <= at < len(ids) else 0.0
                answers.append(answer)
            best.append(max(answers))
    pooled = np.maximum(np.array(best) + weights["biases"], 0)
    if module.dense is not None:
        pooled = np.maximum(weights["dense.weight"] @ pooled + weights["dense.bias"], 0)
    scores: NDArray[np.float64] = weights["output.weight"] @ pooled + weights["output.bias"]
    return scores


@pytest.mark.parametrize("hidden", [0, 4])
def test_scores_of_characters_are_literal_whatever_stands_in_the_batch(hidden: int) -> None:
    texts = [[1, 2, 0, 3, 3, 6], [4], [0, 0, 5]]
    ids = torch.tensor([one + [0] * (6 - len(one)) for one in texts])
    mask = torch.tensor([[1] * len(one) + [0] * (6 - len(one)) for one in texts])
    module = characters(hidden)
    said = module(ids, mask).detach().numpy()
    for row, one in zip(said, texts, strict=True):
        np.testing.assert_allclose(row, by_hand(module, one), atol=1e-5)
    assert np.abs(said).max() <= module.largest()


def test_filters_begin_at_the_mean_of_their_answers() -> None:
    module = characters()
    random = torch.Generator().manual_seed(0)
    several = [torch.randint(0, 7, (2, length), generator=random) for length in (6, 9)]
    batches = [(ids, torch.ones_like(ids)) for ids in several]
    module.centre(batches)
    with torch.no_grad():
        said = torch.cat([module.answers(*batch) for batch in batches]) + module.biases
    torch.testing.assert_close(said.mean(0), torch.zeros(10), atol=1e-6, rtol=0)


# ---- recurrent networks -------------------------------------------------------------------------

LENGTHS = (7, 1, 4)


def recurrent(cell: str, pooling: str, both: bool = True, layers: int = 1) -> RecurrentNetwork:
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
    """Return the states by a layer of PyTorch over packed sequences."""
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
def test_scores_of_words_are_those_of_packed_sequences(cell: str, both: bool, layers: int) -> None:
    ids, mask = batch()
    with torch.no_grad():
        for pooling in POOLINGS:
            module = recurrent(cell, pooling, both, layers)
            rows = []
            for state, length in zip(packed(module, ids, mask), LENGTHS, strict=True):
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
            assert float(expected.abs().max()) <= module.largest()


@pytest.mark.parametrize("cell", CELLS)
def test_no_step_of_a_training_lets_candidates_see_the_states(cell: str) -> None:
    ids, mask = batch()
    tables = WordTables([torch.tensor([0, 1, 2, 3, 0])], [(3, 4)])
    module = RecurrentNetwork(tables, Shape(cell, 5, 2, True, "max", 3))
    weights = [one for name, one in module.named_parameters() if "weight_hh" in name]
    before = [one.detach().clone() for one in weights]
    optimizer = torch.optim.AdamW(module.parameters(), 0.1)
    for _ in range(3):
        nn.functional.cross_entropy(module(ids, mask), torch.tensor([0, 1, 2])).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    assert len(weights) == 4
    for weight, old in zip(weights, before, strict=True):
        moved = (weight != old).any(1)
        assert not weight[10:15].any()
        assert moved[:10].all()
        assert moved[15:].all()


def test_words_are_looked_up_in_every_table() -> None:
    words = recurrent("gru", "max").words
    words.scale[0] = 2.0
    found = words(torch.arange(5))
    first, second = words.weights
    torch.testing.assert_close(found[2], 2 * torch.cat([first[2], second[2]]))
    torch.testing.assert_close(found[1], 2 * torch.cat([first[1], torch.zeros(3)]))
    assert not found[[0, 4]].any()
    assert words.dimensions == 7


@pytest.mark.parametrize(
    "name",
    [
        *("characters.weight", "convolutions.1.weight", "biases", "output.bias", "dense.weight"),
        *("words.tables.1.weight", "words.scale", "forth.0.weight_ih_l0", "output.weight"),
    ],
)
def test_a_bound_of_what_is_computed_grows_with_each_weight(name: str) -> None:
    names = {*characters(3).state_dict()}
    module: Any = characters(3) if name in names else recurrent("lstm", "mean")
    with torch.no_grad():
        module.state_dict(keep_vars=True)[name].view(-1)[-1] = 1e30
    assert module.largest() > 1e28


# ---- a head on an encoder -----------------------------------------------------------------------


class Encoder(nn.Module):
    """Vectors, and a pooler that is not to be used."""

    base_model_prefix = "toy"

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 4)
        self.pooler: nn.Module | None = nn.Linear(4, 4)
        self.config = SimpleNamespace(hidden_size=4)

    def get_input_embeddings(self) -> nn.Module:
        return self.table

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        return SimpleNamespace(last_hidden_state=self.table(input_ids))


@pytest.mark.parametrize("hidden", [None, 5])
def test_scores_of_an_encoder_are_made_of_the_mean_of_what_is_seen(hidden: int | None) -> None:
    module = PooledEncoder(Encoder(), 3, hidden).eval()
    ids = torch.tensor([[1, 2, 3, 0], [4, 5, 6, 7]])
    with torch.no_grad():
        found = module(ids, (ids > 0).long()).numpy()
        np.testing.assert_allclose(module(ids[1:])[0].numpy(), found[1], rtol=1e-6)
    state = {name: one.numpy() for name, one in module.state_dict().items()}
    assert {"toy.table.weight", "scores.weight", "scores.bias"} == set(state) - {
        *("dense.weight", "dense.bias")
    }  # without the pooler
    for row, seen in enumerate(([1, 2, 3], [4, 5, 6, 7])):
        mean = state["toy.table.weight"][seen].mean(0)
        if hidden is not None:
            mean = np.maximum(0, state["dense.weight"] @ mean + state["dense.bias"])
        wanted = state["scores.weight"] @ mean + state["scores.bias"]
        np.testing.assert_allclose(found[row], wanted, rtol=1e-5, atol=1e-6)
    assert module.get_input_embeddings() is module.get_submodule("toy.table")
