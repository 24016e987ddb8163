"""Passes over a batch: a frozen one and its ways back, a module's own gradients, rules one adds."""

import threading
from collections.abc import Iterator
from typing import Any

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
    state_of,
    written,
)

import whyword as ww
from whyword.base.errors import InputError, ModelError
from whyword.models.integration import path_points
from whyword.models.pytorch.frozen import FrozenPass, FrozenPasses, FrozenRule
from whyword.models.pytorch.gradients import GradientPass
from whyword.models.pytorch.module_rules import MODULES, rule_of
from whyword.models.pytorch.network import Network
from whyword.models.pytorch.rules import RULES

IDS = ragged()


class Layers(nn.Module):
    """Two layers, one of which returns several tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 4)
        self.first, self.cells, self.last = nn.Linear(4, 5), nn.GRU(5, 6), nn.Linear(6, 3)
        self.norm, self.unused = nn.LayerNorm(4), nn.Linear(1, 1)

    def forward(self, ids: Tensor) -> object:
        x = torch.tanh(self.first(self.norm(self.embedding(ids))))
        out, _ = self.cells(x.transpose(0, 1))
        return self.last(out.mean(0))


# ---- a frozen pass ------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", ["embedding", "norm", "first"])
def test_relevance_at_a_layer_adds_up_with_what_is_booked_above_it(layer: str) -> None:
    module = enliven(Layers().double())
    whole, there = freeze(module, IDS), freeze(module, IDS, FrozenRule(layer=layer))
    assert there.residual.max() <= 1e-10
    np.testing.assert_allclose(there.scores, whole.scores, atol=1e-12)
    below = {"embedding": (), "norm": ("norm",), "first": ("norm", "first")}[layer]
    every = np.tile(np.arange(3, dtype=np.int32), (3, 1))
    by_name = whole.passes[0].constants_by_name(every)
    above = [one for name, one in by_name.items() if name.split(".")[0] not in below]
    np.testing.assert_allclose(there.found.constant, sum(above), atol=1e-12)
    if layer == "embedding":
        np.testing.assert_allclose(there.found.tokens, whole.found.tokens, atol=1e-12)
    found = there.found.elements
    assert found is not None
    assert found.shape[2] == (5 if layer == "first" else 4)
    np.testing.assert_allclose(found.sum(2), there.found.tokens, atol=1e-5)


class Aside(nn.Module):
    """A layer that half of the scores pass by, and one that only makes weights."""

    def __init__(self, wrap: type = tuple) -> None:
        super().__init__()
        self.embedding, self.wrapped = nn.Embedding(WORDS, 3), Wrapped(wrap)
        self.asked = nn.Linear(3, 3)

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids)
        inner = self.wrapped(x)
        inner = inner["out"] if isinstance(inner, dict) else inner[0]
        return (x + inner * torch.sigmoid(self.asked(x))).sum(1)


class Wrapped(nn.Module):
    """A linear layer whose output is in a tuple or dict."""

    def __init__(self, wrap: type) -> None:
        super().__init__()
        self.inner, self.wrap = nn.Linear(3, 3), wrap

    def forward(self, x: Tensor) -> object:
        out = self.inner(x)
        return {"out": out, "more": x} if self.wrap is dict else (out, x)


@pytest.mark.parametrize("wrap", [tuple, dict])
def test_words_that_pass_by_a_layer_are_beside_it(wrap: type) -> None:
    module: Any = enliven(Aside(wrap).double())
    there = freeze(module, IDS, FrozenRule(layer="wrapped"))
    x = module.embedding.weight.detach()[IDS]
    own = module.wrapped.inner(x) * torch.sigmoid(module.asked(x))
    np.testing.assert_allclose(there.found.tokens, own.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(there.found.others, x.sum(1).numpy(), atol=1e-12)
    assert not there.found.constant.any()
    with pytest.raises(InputError, match="'asked' has no share in the scores: it only makes"):
        freeze(module, IDS, FrozenRule(layer="asked"))


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ("cells", r"'cells' gives \(9, 3, 6\) numbers; a vector for each of the 9 tokens of 3 te"),
        ("last", r"gives \(3, 3\) numbers"),
        ("unused", "the layer 'unused' says nothing in this module"),
    ],
)
def test_a_layer_without_a_vector_for_each_token_is_refused(layer: str, said: str) -> None:
    module = enliven(Layers().double())
    with pytest.raises(InputError, match=said):
        freeze(module, IDS, FrozenRule(layer=layer))
    assert not any(len(part._forward_hooks) for part in module.modules())


def test_texts_that_get_mixed_up_are_frozen_one_by_one() -> None:
    """Folded into each other and out again: a number's text is not known."""

    class Mixing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.output = nn.Embedding(WORDS, 4), nn.Linear(4, 3)

        def forward(self, ids: Tensor) -> object:
            x = self.embedding(ids).mean(1)
            order = torch.randperm(x.numel(), generator=torch.Generator().manual_seed(0))
            across = x.reshape(-1)[order].reshape(2, -1).flip(0) + 0.5
            return self.output(across.flip(0).reshape(-1)[order.argsort()].reshape(x.shape))

    module = enliven(Mixing().double())
    said = freeze(module, IDS)
    assert said.residual.max() <= 1e-10
    assert len(said.passes) == 3
    network, batches = Network(module, 3, PAD, 1, None), [batch_of(IDS)]
    assert len(list(FrozenPasses(network, batches, FrozenRule(), check=False))) == 3
    assert network.mixes
    assert [one.numbers.tolist() for one in batches] == [[0], [1], [2]]


def test_many_classes_go_back_in_parts() -> None:
    class Wide(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.output = nn.Embedding(WORDS, 2), nn.Linear(2, 2500)

        def forward(self, ids: Tensor) -> object:
            return self.output(self.embedding(ids).sum(1))

    module, ids = enliven(Wide().double()), ragged((20,))
    found = freeze(module, ids, classes=2500).found
    assert found.elements is not None
    weight, bias = module.get_parameter("output.weight"), module.get_parameter("output.bias")
    products = module.get_parameter("embedding.weight")[ids].unsqueeze(-1) * weight.T
    np.testing.assert_allclose(found.elements, products.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(found.tokens, products.sum(2).detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(found.constant, bias.detach().numpy()[None], atol=1e-12)


def test_constants_have_the_names_of_what_they_belong_to() -> None:
    module = enliven(Layers().double())
    said = freeze(module, IDS)
    every = np.tile(np.arange(3, dtype=np.int32), (3, 1))
    by_name = said.passes[0].constants_by_name(every)
    assert set(by_name) == {
        *("norm.bias", "first.bias", "last.bias", "cells.bias_ih_l0", "cells.bias_hh_l0")
    }
    np.testing.assert_allclose(sum(by_name.values()), said.found.constant, atol=1e-12)
    bias = module.get_parameter("last.bias").detach().numpy()
    np.testing.assert_allclose(by_name["last.bias"], np.tile(bias, (3, 1)))
    moved = written(lambda m, x: m.output(x.sum(1) + 2 * m.linear.bias.unsqueeze(0) + 1.5))
    assert set(freeze(moved, IDS).passes[0].constants) == {"linear.bias", "Written", "output.bias"}
    zeros = written(lambda m, x: m.output(x.sum(1) + torch.zeros(4)))
    assert list(freeze(zeros, IDS).passes[0].constants) == ["output.bias"]


def test_places_are_told_from_other_constants() -> None:
    """A vector for each place is one as long as the words are at their places."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.places = nn.Embedding(60, 3), nn.Embedding(9, 3)
            self.kind, self.later = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(9, 3))

        def forward(self, ids: Tensor) -> object:
            x = self.embedding(ids) * 2 + self.kind - self.places(torch.arange(ids.shape[1]))
            return (x.flip(1) + self.later).sum(1)

    module: Any = Net().double().eval()
    said = freeze(module, IDS)
    assert set(said.passes[0].constants) == {"kind", "later"}
    places = -module.places.weight.detach().numpy()
    np.testing.assert_allclose(said.found.places, np.tile(places, (3, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(said.found.constant, 18)
    by_name = said.passes[0].constants_by_name(np.tile(np.arange(3, dtype=np.int32), (3, 1)))
    np.testing.assert_allclose(by_name["places.weight"], np.tile(places.sum(0), (3, 1)))


def test_a_deleted_word_has_no_relevance() -> None:
    gone = torch.zeros(IDS.shape, dtype=torch.bool)
    gone[:, 2] = True
    said = freeze(enliven(Vote().double()), IDS, zeroed=gone)
    assert not said.found.tokens[:, 2].any()
    assert said.residual.max() <= 1e-10


# ---- a module's own gradients -------------------------------------------------------------------

SHORT = ragged((5, 3))
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


def gradients(module: nn.Module, zeroed: Tensor | None = None) -> GradientPass:
    return GradientPass(Network(module, 3, PAD, 1, None), batch_of(SHORT, zeroed))


def test_gradients_of_look_ups_in_one_table_are_added_up() -> None:
    module: Any = enliven(Channels().double())
    found = gradients(module).relevance(TARGETS, torch.mul, True)
    one, two = (
        getattr(module, name).weight.detach()[SHORT].requires_grad_() for name in ("one", "two")
    )
    vectors = torch.cat([one, two], -1).detach().numpy()  # side by side
    np.testing.assert_allclose(gradients(module).vectors(), vectors, atol=1e-6)
    scores = module.output(torch.cat([one * one.flip(1), torch.tanh(two)], -1).sum(1))
    for column in range(2):
        chosen = scores.gather(1, torch.from_numpy(TARGETS[:, column : column + 1]).long())
        first, second = torch.autograd.grad(chosen.sum(), [one, two], retain_graph=True)
        expected = torch.cat([first * one, second * two], -1).detach().numpy()
        np.testing.assert_allclose(found.tokens[..., column], expected.sum(-1), atol=1e-10)
        assert found.elements is not None
        np.testing.assert_allclose(found.elements[..., column], expected, atol=1e-5)


def test_integrated_gradients_are_complete() -> None:
    module: Any = enliven(Channels().double())
    found = gradients(module).integrated(TARGETS, path_points(30), False)
    with torch.no_grad():
        scores, nothing = module(SHORT).numpy(), module.output(torch.zeros(2, 5).double()).numpy()
    expected = np.take_along_axis(scores - nothing, TARGETS.astype(np.intp), 1)
    np.testing.assert_allclose(found.tokens.sum(1), expected, atol=1e-8)
    constant = np.take_along_axis(nothing, TARGETS.astype(np.intp), 1)
    np.testing.assert_allclose(found.constant, constant, atol=1e-12)


@pytest.mark.parametrize("elements", [False, True])
def test_gradients_of_deleted_words_are_zeros(elements: bool) -> None:
    gone = torch.zeros(SHORT.shape, dtype=torch.bool)
    gone[0, 1] = True
    one = gradients(enliven(Vote().double()), gone)
    assert not one.vectors()[0, 1].any()
    found = one.relevance(TARGETS, torch.mul, elements)
    assert not found.tokens[0, 1].any()
    assert (found.elements is not None) == elements


# ---- rules that one adds ------------------------------------------------------------------------


@pytest.fixture
def own_rules() -> Iterator[None]:
    """Remove the rules that a test adds."""
    before = dict(RULES), dict(MODULES)
    yield
    forget(RULES, before[0])
    forget(MODULES, before[1])


def forget(rules: dict[Any, Any], kept: dict[Any, Any]) -> None:
    rules.clear()
    rules.update(kept)


class Odd(nn.Module):
    """An operation that has no rule."""

    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = torch.fft.fft(x).real
        return values


class Odder(Odd):
    """Its child."""


class Net(nn.Module):
    """A word's vector, and something odd."""

    def __init__(self, kind: type[nn.Module] = Odd) -> None:
        super().__init__()
        self.embedding, self.odd = nn.Embedding(60, 3), kind()

    def forward(self, ids: Tensor) -> object:
        return self.odd(self.embedding(ids)).sum(1)


@pytest.mark.usefixtures("own_rules")
@pytest.mark.parametrize("kind", [Odd, Odder])
def test_a_rule_for_a_class_of_modules_is_inherited(kind: type[nn.Module]) -> None:
    module = enliven(Net(kind).double())
    with pytest.raises(ModelError, match=rf"odd \({kind.__name__}\) uses fft_fft"):
        freeze(module, IDS)
    assert rule_of(kind()) is None

    @ww.pytorch.rule(Odd)
    def spread(odd: Odd, x: Tensor) -> Tensor:
        return x * ww.pytorch.freeze(odd(x) / x)

    assert rule_of(kind()) is spread
    before = state_of(module)
    found = freeze(module, IDS).found
    x = module.get_parameter("embedding.weight").detach()[IDS]
    np.testing.assert_allclose(found.tokens, Odd()(x).numpy(), atol=1e-12)
    assert state_of(module) == before


@pytest.mark.usefixtures("own_rules")
def test_hooks_are_removed_after_an_error() -> None:
    @ww.pytorch.rule(Odd)
    def fail(odd: Odd, x: Tensor) -> Tensor:
        raise ValueError("no")

    module = Net().eval()
    before = state_of(module)
    with pytest.raises(ModelError, match="failed while frozen"):
        freeze(module, IDS)
    assert state_of(module) == before


@pytest.mark.usefixtures("own_rules")
def test_other_threads_see_the_module_as_it_is() -> None:
    module = Net().eval()
    with torch.no_grad():
        expected = module(IDS)
    found: list[Tensor] = []

    @ww.pytorch.rule(Odd)
    def meanwhile(odd: Odd, x: Tensor) -> Tensor:
        def look() -> None:
            with torch.no_grad():
                found.append(module(IDS))

        other = threading.Thread(target=look)
        other.start()
        other.join()
        return x * 2

    FrozenPass(Network(module, 3, PAD, 1, None), batch_of(IDS), FrozenRule())
    torch.testing.assert_close(found[0], expected)


@pytest.mark.usefixtures("own_rules")
def test_a_rule_for_an_operation_is_that_of_all_its_forms() -> None:
    @torch.library.custom_op("whyword_tests::doubled", mutates_args=())
    def doubled(x: Tensor, bias: float) -> Tensor:
        return 2 * x + bias

    operation = torch.ops.whyword_tests.doubled
    modules = [
        written(lambda m, x: m.output(doubled(x, 0.5).sum(1))),
        written(lambda m, x: m.output(operation(x, 0.5).sum(1))),
    ]
    for named in (operation, doubled):
        for module in modules:
            with pytest.raises(ModelError, match=r"doubled.*for which there is no rule"):
                freeze(module, IDS)
        before = dict(RULES)
        ww.pytorch.rule(named)(lambda x, bias: x + x + bias)
        for module in modules:
            assert freeze(module, IDS).residual.max() <= 1e-10
        forget(RULES, before)
    for wrong, said in ((7, "not 7"), (int, "an operation of torch's or a class of modules")):
        with pytest.raises(InputError, match=said):
            ww.pytorch.rule(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must be a tensor, not 7"):
        ww.pytorch.freeze(7)  # type: ignore[arg-type]
