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
from whyword.models.pytorch.tables import tables_of
from whyword.models.pytorch.word_vectors import WordVectors, bag_of, named_tensors

IDS = ragged((5, 4))
ORDER = torch.Generator().manual_seed(0)
TABLE = torch.randperm(WORDS, generator=ORDER)
LETTERS = torch.randint(0, WORDS, (WORDS, 4), generator=ORDER)


class Follow(nn.Module):
    """The sum of the vectors that are found for ids in some way."""

    def __init__(self, way: Callable[[Any, Tensor], Any]) -> None:
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


def same(tokens: Tensor) -> Tensor:
    return tokens


def in_front(tokens: Tensor) -> Tensor:
    return torch.cat([torch.full((len(tokens), 1), -1), tokens], 1)


def without_padding(tokens: Tensor) -> Tensor:
    return torch.where(IDS == PAD, -1, tokens)


# from a way to the token, by its number, that each vector belongs to; -1 belongs to none
FOLLOWED: dict[str, tuple[Callable[[Any, Any], Tensor], Callable[[Tensor], Tensor]]] = {
    "as they are": (lambda m, ids: m.embedding(ids), same),
    "cast": (lambda m, ids: m.embedding(ids.to(torch.int32)), same),
    "flat": (lambda m, ids: m.embedding(ids.view(-1)), lambda t: t.reshape(-1)),
    "sliced": (lambda m, ids: m.embedding(ids[:, 1:-1]), lambda t: t[:, 1:-1]),
    "backwards": (lambda m, ids: m.embedding(ids.flip(1)), lambda t: t.flip(1)),
    "in halves": (lambda m, ids: m.embedding(torch.cat(ids.split([2, 3], 1), 1)), same),
    "computed": (lambda m, ids: m.embedding((ids * 7 + 3) % WORDS), same),
    "in place": (lambda m, ids: m.embedding(ids.clone().add_(1).remainder_(WORDS)), same),
    "of themselves": (lambda m, ids: m.embedding((ids + ids) % WORDS), same),
    "copied": (lambda m, ids: functional.embedding(ids.clone(), m.embedding.weight), same),
    "by torch.embedding": (lambda m, ids: torch.embedding(m.embedding.weight, ids), same),
    "by an index of texts": (lambda m, ids: m.embedding(ids[torch.arange(len(ids))]), same),
    "in front": (
        lambda m, ids: m.embedding(torch.cat([torch.full((len(ids), 1), START), ids], 1)),
        in_front,
    ),
    "padded": (lambda m, ids: m.embedding(functional.pad(ids, (1, 0), value=START)), in_front),
    "padded by position": (
        lambda m, ids: m.embedding(functional.pad(ids, (1, 0), "constant", START)),
        in_front,
    ),
    "replaced": (lambda m, ids: m.embedding(torch.where(ids == PAD, START, ids)), without_padding),
    "hidden": (lambda m, ids: m.embedding(ids.masked_fill(ids == PAD, START)), without_padding),
    "moved on": (lambda m, ids: m.embedding(rolled(ids)), lambda t: in_front(t)[:, :-1]),
    "by a table": (lambda m, ids: m.embedding(TABLE[ids]), same),
    "by torch.take": (lambda m, ids: m.embedding(torch.take(TABLE, ids)), same),
    "by index_select": (
        lambda m, ids: m.embedding(TABLE.index_select(0, ids.reshape(-1)).view_as(ids)),
        same,
    ),
    "spelled": (
        lambda m, ids: m.embedding(LETTERS[ids]),
        lambda t: t.unsqueeze(-1).expand(2, 5, 4),
    ),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_relevance_goes_to_the_tokens_that_vectors_are_looked_up_for(name: str) -> None:
    way, owners = FOLLOWED[name]
    module = enliven(Follow(way).double())
    vectors = way(module, IDS).detach().reshape(-1, 3)
    tokens = owners(torch.arange(IDS.numel()).reshape(IDS.shape))
    expected, others = np.zeros((IDS.numel(), 3)), np.zeros((2, 3))
    for token, row, vector in zip(
        tokens.reshape(-1).tolist(),
        torch.arange(2).repeat_interleave(len(vectors) // 2).tolist(),
        vectors.numpy(),
        strict=True,
    ):
        (others[row] if token < 0 else expected[token])[:] += vector
    said = freeze(module, IDS)
    np.testing.assert_allclose(said.found.tokens.reshape(-1, 3), expected, atol=1e-12)
    np.testing.assert_allclose(said.found.others, others, atol=1e-12)
    elements = said.found.elements
    assert elements is not None
    wanted = expected.reshape(2, 5, 3)[:, :, :, None] * np.eye(3)
    np.testing.assert_allclose(elements, wanted, atol=1e-6)
    with WordVectors(module, IDS) as run:
        module(IDS)
    assert [(leaf.name, leaf.tokens.tolist()) for leaf in run.words] == [
        ("embedding.weight", tokens.tolist())
    ]


def test_transposed_ids_are_followed() -> None:
    module = enliven(Follow(lambda m, ids: m.embedding(ids.t()).transpose(0, 1)).double())
    plain = enliven(Follow(lambda m, ids: m.embedding(ids)).double())
    np.testing.assert_array_equal(freeze(module, IDS).found.tokens, freeze(plain, IDS).found.tokens)


def test_two_tables_are_added_up() -> None:
    two = enliven(Follow(lambda m, ids: m.embedding(ids) + m.other((ids * 31 + 5) // 3 % 11) * 2))
    said, tables = freeze(two, IDS).found, dict(two.named_parameters())
    vectors = tables["embedding.weight"][IDS], 2 * tables["other.weight"][(IDS * 31 + 5) // 3 % 11]
    np.testing.assert_allclose(said.tokens, (vectors[0] + vectors[1]).detach().numpy(), atol=1e-5)
    elements = said.elements
    assert elements is not None
    for part, own in zip(np.split(elements, 2, axis=2), vectors, strict=True):  # side by side
        wanted = own.detach().numpy()[:, :, :, None] * np.eye(3)
        np.testing.assert_allclose(part, wanted, atol=1e-5)


def test_look_ups_of_one_table_have_its_dimensions_once() -> None:
    twice = enliven(Follow(lambda m, ids: m.embedding(ids) + m.embedding(ids.flip(1))).double())
    found = freeze(twice, IDS).found
    assert found.elements is not None
    assert found.elements.shape == (2, 5, 3, 3)
    vectors = twice.get_parameter("embedding.weight").detach()[IDS].numpy()
    np.testing.assert_allclose(found.tokens, 2 * vectors, atol=1e-12)


def test_positions_counted_from_ids_are_positions() -> None:
    """RoBERTa counts what is no padding."""

    def way(m: Any, ids: Tensor) -> Any:
        seen = ids.ne(PAD).int()
        places = torch.cumsum(seen, 1).type_as(seen) * seen
        return m.embedding(ids) + m.other(places.long() + PAD)

    module = enliven(Follow(way).double())
    found = freeze(module, IDS).found
    table, places = (module.get_parameter(f"{name}.weight") for name in ("embedding", "other"))
    rows = torch.tensor([[1, 2, 3, 4, 5], [1, 2, 3, 4, 0]])
    np.testing.assert_allclose(found.tokens, table[IDS].detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(found.places, places[rows].detach().numpy(), atol=1e-12)


def test_a_prompt_as_long_as_the_text_is_no_word() -> None:
    def prompted(m: Any, ids: Tensor) -> Tensor:
        prompt = m.embedding(torch.arange(6)).expand(len(ids), 6, -1)
        return torch.cat([prompt, m.embedding(ids)], 1).relu()

    class Named(Follow):
        def get_input_embeddings(self) -> nn.Embedding:
            return self.embedding

    ids = ragged((6,))
    plain, named = (enliven(kind(prompted).double()) for kind in (Follow, Named))
    own = plain.get_parameter("embedding.weight").detach()
    for module in (plain, named):
        found = freeze(module, ids).found
        np.testing.assert_allclose(found.tokens, own[ids].relu().numpy(), atol=1e-12)
        np.testing.assert_allclose(found.constant[0], own[:6].relu().sum(0).numpy(), atol=1e-12)


def test_vectors_are_changed_where_they_come_in() -> None:
    module = enliven(Follow(lambda m, ids: m.embedding(ids)))
    gone = torch.zeros(IDS.shape, dtype=torch.bool)
    gone[0, 2] = True

    def change(vectors: Tensor, tokens: Tensor) -> Tensor:
        return vectors.masked_fill(gone.reshape(-1)[tokens].unsqueeze(-1), 0)

    with torch.no_grad(), WordVectors(module, IDS, change=change):
        found = module(IDS)
    weight = module.get_parameter("embedding.weight").detach()
    torch.testing.assert_close(found[0], weight[IDS[0]].sum(0) - weight[IDS[0, 2]])
    torch.testing.assert_close(found[1], weight[IDS[1]].sum(0))


def test_an_id_outside_of_a_table_is_named() -> None:
    module = enliven(Follow(lambda m, ids: m.embedding(ids)))
    for wrong in (WORDS, -3):
        said = f"word id {wrong} is outside of embedding, which has 60 rows"
        ids = torch.tensor([[1, wrong]])
        with WordVectors(module, ids), pytest.raises(ModelError, match=said):
            module(ids)
    places = enliven(Follow(lambda m, ids: m.embedding(ids) + m.other(torch.arange(WORDS + 1))))
    long = torch.ones(1, WORDS + 1, dtype=torch.long)
    said = "a text of 61 tokens is too long for this module, which has 60 places: say window=60"
    with WordVectors(places, long), pytest.raises(InputError, match=said):
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


# ---- tables that are named ----------------------------------------------------------------------


class Named(nn.Module):
    def __init__(self, fails: bool = False) -> None:
        super().__init__()
        self.words, self.places, self.fails = nn.Embedding(4, 2), nn.Embedding(3, 2), fails

    def get_input_embeddings(self) -> nn.Embedding:
        if self.fails:
            raise NotImplementedError
        return self.words


def test_a_table_is_named_by_the_user_or_by_the_module() -> None:
    module = Named()
    for said in ("places", module.places):
        tables = tables_of(module, said)
        assert (tables.weights, tables.named) == ((module.places.weight,), "places")
        assert (tables.has(module.places.weight), tables.has(module.words.weight)) == (True, False)
    own = tables_of(module, None)
    assert (own.weights, own.named) == ((module.words.weight,), None)
    assert tables_of(Named(fails=True), None).weights == ()
    assert tables_of(nn.Embedding(2, 2), None).weights == ()
    copied = Named()
    tables = tables_of(module, "words").of_copy(copied, module)
    assert tables.has(copied.words.weight)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("letters", "there is no 'letters' in the module; it has words, places"),
        (7, "must name an nn.Embedding of the module, not 7"),
        (nn.Linear(2, 2), "must name an nn.Embedding of the module"),
    ],
)
def test_a_table_that_is_not_there(wrong: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        tables_of(Named(), wrong)


# ---- bags ---------------------------------------------------------------------------------------

VECTORS = torch.randn(9, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("mode", ["mean", "sum", "max"])
@pytest.mark.parametrize("padding", [None, 0])
@pytest.mark.parametrize("flat", [False, True])
def test_a_bag_is_that_of_torch(mode: str, padding: int | None, flat: bool) -> None:
    index = torch.tensor([[1, 2, 0, 0], [3, 3, 4, 0], [0, 0, 0, 0], [5, 6, 7, 8]])
    given: dict[str, Any] = {"mode": mode, "padding_idx": padding}
    if flat:
        index = index.reshape(-1)
        given["offsets"] = torch.tensor([0, 4, 4, 9])
    expected = functional.embedding_bag(index, VECTORS, **given)
    torch.testing.assert_close(bag_of(VECTORS[index], (index, VECTORS), given), expected)


def test_a_bag_with_weights_and_a_last_offset_is_that_of_torch() -> None:
    index, weights = torch.tensor([1, 2, 3, 4, 5]), torch.tensor([0.1, -2, 3, 0.4, 5])
    given = {
        "mode": "sum",
        "per_sample_weights": weights,
        "offsets": torch.tensor([0, 2, 5]),
        "include_last_offset": True,
    }
    expected = functional.embedding_bag(index, VECTORS, **given)  # type: ignore[arg-type]
    torch.testing.assert_close(bag_of(VECTORS[index], (index, VECTORS), given), expected)
