"""Where words come in: ids are followed to the look-up of their vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import PAD, START, WORDS, enliven, freeze, ragged

from whyword.base.errors import InputError, ModelError
from whyword.models.pytorch.word_vectors import WordVectors, bag_of, named_tensors

IDS = ragged((5, 4))


class Follow(nn.Module):
    """Somebody's way from ids to vectors."""

    def __init__(self, way: Callable[["Follow", Tensor], Tensor]) -> None:
        super().__init__()
        self.embedding, self.other = nn.Embedding(WORDS, 3), nn.Embedding(WORDS, 3)
        self.way = way

    def forward(self, ids: Tensor) -> object:
        return self.way(self, ids).reshape(len(ids), -1, 3).sum(1)


def rolled(ids: Tensor) -> Tensor:
    """Shift ids to the right and put a start in front, as decoders do."""
    shifted = ids.new_zeros(ids.shape)
    shifted[:, 1:] = ids[:, :-1].clone()
    shifted[:, 0] = START
    return shifted.masked_fill_(shifted == 99, PAD)


FOLLOWED: dict[str, tuple[Callable[[Follow, Tensor], Tensor], Any]] = {
    "as they are": (lambda m, ids: m.embedding(ids), lambda t: t),
    "cast": (lambda m, ids: m.embedding(ids.to(torch.int32)), lambda t: t),
    "flat": (lambda m, ids: m.embedding(ids.view(-1)), lambda t: t.reshape(-1)),
    "transposed": (lambda m, ids: m.embedding(ids.t()).transpose(0, 1), lambda t: t.T),
    "sliced": (lambda m, ids: m.embedding(ids[:, 1:-1]), lambda t: t[:, 1:-1]),
    "backwards": (lambda m, ids: m.embedding(ids.flip(1)), lambda t: t.flip(1)),
    "hashed": (lambda m, ids: m.embedding((ids * 7 + 3) % WORDS), lambda t: t),
    "in place": (lambda m, ids: m.embedding(ids.clone().add_(1).remainder_(WORDS)), lambda t: t),
    "clamped": (lambda m, ids: m.embedding(ids.clamp(min=0)), lambda t: t),
    "copied": (
        lambda m, ids: functional.embedding(ids.clone().contiguous(), m.embedding.weight),
        lambda t: t,
    ),
    "by torch.embedding": (lambda m, ids: torch.embedding(m.embedding.weight, ids), lambda t: t),
    "by index": (lambda m, ids: m.embedding(ids[torch.arange(len(ids))]), lambda t: t),
    "in front": (
        lambda m, ids: m.embedding(torch.cat([torch.full((len(ids), 1), START), ids], 1)),
        lambda t: torch.cat([torch.full((2, 1), -1), t], 1),
    ),
    "padded": (
        lambda m, ids: m.embedding(functional.pad(ids, (1, 0), value=START)),
        lambda t: functional.pad(t, (1, 0), value=-1),
    ),
    "replaced": (
        lambda m, ids: m.embedding(torch.where(ids == PAD, START, ids)),
        lambda t: torch.where(IDS == PAD, -1, t),
    ),
    "hidden": (
        lambda m, ids: m.embedding(ids.masked_fill(ids == PAD, START)),
        lambda t: torch.where(IDS == PAD, -1, t),
    ),
    "moved on": (
        lambda m, ids: m.embedding(rolled(ids)),
        lambda t: torch.cat([torch.full((2, 1), -1), t[:, :-1]], 1),
    ),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_ids_are_followed(name: str) -> None:
    way, expected = FOLLOWED[name]
    module = enliven(Follow(way))
    with WordVectors(module, IDS) as run:
        module(IDS)
    (leaf,) = run.words
    tokens = torch.arange(IDS.numel()).reshape(IDS.shape)
    assert leaf.tokens.tolist() == expected(tokens).tolist()
    assert leaf.name == "embedding.weight"
    said = freeze(module, IDS)
    assert said.residual.max() <= 1e-5


def test_positions_that_are_made_of_ids_are_positions() -> None:
    """RoBERTa counts what is no padding."""

    def way(m: Follow, ids: Tensor) -> Tensor:
        seen = ids.ne(PAD).int()
        places = torch.cumsum(seen, 1).type_as(seen) * seen
        return m.embedding(ids) + m.other(places.long() + PAD)  # type: ignore[no-any-return]

    module = enliven(Follow(way))
    said = freeze(module, IDS)
    assert [leaf.name for leaf in said.passes[0]._run.words] == ["embedding.weight"]
    assert [leaf.name for leaf in said.passes[0]._run.places] == ["other.weight"]
    assert said.residual.max() <= 1e-5


def test_two_tables_are_added_up() -> None:
    one = enliven(Follow(lambda m, ids: m.embedding(ids)))
    two = enliven(Follow(lambda m, ids: m.embedding(ids) + m.other(ids) * 2))
    found = freeze(two, IDS)
    assert found.residual.max() <= 1e-5
    tables: Any = two
    vectors = tables.embedding.weight[IDS] + 2 * tables.other.weight[IDS]
    np.testing.assert_allclose(found.found.tokens, vectors.detach().numpy(), atol=1e-5)
    assert freeze(one, IDS).found.tokens.shape == found.found.tokens.shape


def test_what_is_computed_from_ids_is_refused() -> None:
    for way, said in (
        (lambda m, ids: m.embedding(torch.cumsum(ids, 1) % WORDS), "computed from the word ids"),
        (lambda m, ids: m.embedding(torch.sort(ids, 1)[0]), "computed from the word ids"),
        (lambda m, ids: ids.float().unsqueeze(-1).expand(*ids.shape, 3), "word ids as numbers"),
    ):
        module = enliven(Follow(way))
        with WordVectors(module, IDS), pytest.raises(ModelError, match=said):
            module(IDS)


def test_vectors_are_changed_where_they_come_in() -> None:
    module = enliven(Follow(lambda m, ids: m.embedding(ids)))
    gone = torch.zeros(IDS.shape, dtype=torch.bool)
    gone[0, 2] = True

    def change(vectors: Tensor, tokens: Tensor) -> Tensor:
        return vectors.masked_fill(gone.reshape(-1)[tokens].unsqueeze(-1), 0)

    with torch.no_grad(), WordVectors(module, IDS, change=change):
        found = module(IDS)
    weight = module.embedding.weight.detach()  # type: ignore[union-attr,operator]
    torch.testing.assert_close(found[0], weight[IDS[0]].sum(0) - weight[IDS[0, 2]])
    torch.testing.assert_close(found[1], weight[IDS[1]].sum(0))


def test_rows_outside_of_a_table() -> None:
    module = enliven(Follow(lambda m, ids: m.embedding(ids)))
    ids = torch.tensor([[1, WORDS + 3]])
    with WordVectors(module, ids), pytest.raises(ModelError, match=f"word id {WORDS + 3} is"):
        module(ids)
    places = enliven(Follow(lambda m, ids: m.embedding(ids) + m.other(torch.arange(WORDS + 1))))
    long = torch.ones(1, WORDS + 1, dtype=torch.long)
    with WordVectors(places, long), pytest.raises(InputError, match="too long"):
        places(long)


def test_all_tensors_of_a_module_have_names() -> None:
    class Keeps(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.linear.more = [torch.ones(1)]  # type: ignore[assignment]
            self.register_buffer("mask", torch.ones(2))
            self.table = torch.ones(3)
            self.by_name = {"a": torch.ones(1)}

    names = [name for name, _ in named_tensors(Keeps())]
    expected = {"linear.weight", "linear.bias", "linear.more", "mask", "table", "by_name"}
    assert set(names) == expected


# ---- bags ---------------------------------------------------------------------------------------

TABLE = torch.randn(9, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("mode", ["mean", "sum", "max"])
@pytest.mark.parametrize("padding", [None, 0])
@pytest.mark.parametrize("flat", [False, True])
def test_a_bag_is_torchs_own(mode: str, padding: int | None, flat: bool) -> None:
    index = torch.tensor([[1, 2, 0, 0], [3, 3, 4, 0], [0, 0, 0, 0], [5, 6, 7, 8]])
    given: dict[str, Any] = {"mode": mode, "padding_idx": padding}
    if flat:
        index = index.reshape(-1)
        given["offsets"] = torch.tensor([0, 4, 4, 9])
    expected = functional.embedding_bag(index, TABLE, **given)
    found = bag_of(TABLE[index], (index, TABLE), given)
    torch.testing.assert_close(found, expected)


def test_weights_and_ends_of_bags() -> None:
    index, weights = torch.tensor([1, 2, 3, 4, 5]), torch.tensor([0.1, -2, 3, 0.4, 5])
    given = {
        "mode": "sum",
        "per_sample_weights": weights,
        "offsets": torch.tensor([0, 2, 5]),
        "include_last_offset": True,
    }
    expected = functional.embedding_bag(index, TABLE, **given)  # type: ignore[arg-type]
    torch.testing.assert_close(bag_of(TABLE[index], (index, TABLE), given), expected)
