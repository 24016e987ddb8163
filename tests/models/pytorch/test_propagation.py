"""The frozen pass: whatever a network is made of, relevance adds up; or it is refused.

Random networks in float64; mutants of the rules show that the tests can fail.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional
from torch_blocks import BLOCKS, POOLS, made_stack
from torch_networks import (
    SIZE,
    WORDS,
    Frozen,
    Written,
    booked,
    enliven,
    freeze,
    ragged,
    written,
)

import whyword as ww
from whyword.base.errors import ModelError
from whyword.models.pytorch.module_rules import MODULES
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rules import RULES

pytestmark = pytest.mark.slow("hundreds of random networks")

RAGGED = ragged((7, 4, 6))
# what is chosen by comparing signals: which constant is put in depends on the words
CHOOSES = {"minimum_of_number"}


def check(module: nn.Module, ids: Tensor) -> Frozen:
    """Return what is said of a batch, in one pass, which adds up."""
    said = freeze(module, ids)
    assert len(said.passes) == 1
    assert np.isfinite(said.scores).all()
    assert said.residual.max() <= 1e-10
    return said


# ---- it adds up ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("name", BLOCKS)
def test_each_block(name: str, dead: bool) -> None:
    check(made_stack([name], "masked mean", dead=dead), RAGGED)
    check(made_stack(["layer_norm", name, "tanh"], "max", 1, dead), RAGGED)


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("pool", POOLS)
def test_each_pool(pool: str, dead: bool) -> None:
    check(made_stack(["linear"], pool, dead=dead), RAGGED)


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - CHOOSES))
def test_constants_are_made_of_no_word(name: str) -> None:
    module, said = made_stack([name], "sum"), []
    for seed in (1, 2):
        with booked() as constants:
            freeze(module, ragged((6,), seed))
        said.append(constants)
    assert [one for one, _ in said[0]] == [one for one, _ in said[1]]
    for (_, one), (_, other) in zip(*said, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


stacks = st.builds(
    made_stack,
    st.lists(st.sampled_from(sorted(BLOCKS)), min_size=1, max_size=6),
    st.sampled_from(sorted(POOLS)),
    st.integers(0, 9),
    st.booleans(),
)
lengths = st.lists(st.integers(2, 8), min_size=1, max_size=4).map(tuple)


@pytest.mark.slow("a hundred random networks")
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(module=stacks, lengths=lengths, seed=st.integers(0, 99))
def test_random_networks(module: nn.Module, lengths: tuple[int, ...], seed: int) -> None:
    ids = ragged(lengths, seed)
    whole = freeze(module, ids)
    scale = np.maximum(1, np.abs(whole.scores))
    assert (whole.residual <= 1e-10).all()
    for row in range(len(ids)):  # as they are padded, so that their neighbours are the same
        alone = freeze(module, ids[row : row + 1])
        np.testing.assert_allclose(alone.scores[0], whole.scores[row], rtol=1e-9, atol=1e-9)
        same = (ids[row].unsqueeze(0) == ids[row].unsqueeze(1)).double().numpy()  # ties
        for part in ("tokens", "places", "constant"):
            one, other = getattr(alone.found, part)[0], getattr(whole.found, part)[row]
            if part != "constant":
                one, other = same @ one, same @ other
            most = np.abs(one).max() + scale.max()
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * most)


# ---- mutants ------------------------------------------------------------------------------------


def residual_with(
    monkeypatch: pytest.MonkeyPatch, function: Any, rule: Any, names: list[str]
) -> float:
    """Return the residual of a stack whose rule of a function is another one."""
    module = made_stack(names, "sum")
    assert freeze(module, RAGGED).residual.max() <= 1e-10
    monkeypatch.setitem(RULES, function, rule)
    return float(freeze(module, RAGGED).residual.max())


def test_a_bias_that_is_not_booked_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unbooked(run: Propagation, func: Any, args: Any, kwargs: Any) -> Tensor:
        out = func(*(run.value(one) if n else one for n, one in enumerate(args)))
        return run.result(out, run.rows_left(args[0], out))

    assert residual_with(monkeypatch, functional.linear, unbooked, ["linear"]) > 1e-3


def test_a_scale_that_is_not_frozen_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    def differentiated(run: Propagation, func: Any, args: Any, kwargs: Any) -> Tensor:
        x, shape = args[:2]
        out = torch.layer_norm(x, shape, run.value(kwargs["weight"]), run.value(kwargs["bias"]))
        return run.book(run.result(out, run.tag(x).rows), kwargs["bias"], "bias")

    names = ["linear", "layer_norm"]
    assert residual_with(monkeypatch, functional.layer_norm, differentiated, names) > 1e-3


def test_a_gate_that_is_not_frozen_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    def differentiated(run: Propagation, func: Any, args: Any, kwargs: Any) -> Tensor:
        left, right = args
        one, two = run.signal(left), run.signal(right)
        return run.result(one * two, run.tag(one).rows)

    names = ["linear", "swish_by_hand"]
    assert residual_with(monkeypatch, Tensor.mul, differentiated, names) > 1e-3


def test_an_activation_that_is_not_frozen_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    def differentiated(run: Propagation, func: Any, args: Any, kwargs: Any) -> Tensor:
        return run.result(func(*args, **kwargs), run.tag(args[0]).rows)

    assert residual_with(monkeypatch, torch.tanh, differentiated, ["tanh"]) > 1e-3


# ---- what is frozen is a factor only ------------------------------------------------------------


FROZEN_MISUSED: dict[str, Callable[[Written, Tensor], Any]] = {
    "added weights": lambda m, x: m.output(x.sum(1) + torch.softmax(m.linear(x).sum(1), -1)),
    "concatenated weights": lambda m, x: m.output(
        torch.cat([x[:, :, :2], torch.softmax(x, 1)[:, :, :2]], -1).sum(1)
    ),
    "returned weights": lambda m, x: torch.softmax(m.linear(x), 1).sum(1)[:, :3],
    "transformed weights": lambda m, x: m.output(torch.softmax(m.linear(x), 1).sum(1)),
    "added detached": lambda m, x: m.output((x + m.linear(x).detach()).sum(1)),
    "added data": lambda m, x: m.output((x + m.linear(x).data).sum(1)),
    "subtracted comparison": lambda m, x: m.output((x - (x > 0).to(x.dtype)).sum(1)),
    "filled in by hand": lambda m, x: m.output(torch.where(x > 0, x, torch.softmax(x, 1)).sum(1)),
    "added in place": lambda m, x: m.output(m.linear(x).add_(torch.softmax(x, 1)).sum(1)),
    "written in": lambda m, x: m.output(_write(m.linear(x), torch.softmax(x, 1))),
    "counted": lambda m, x: m.output(x.sum(1) + (x > 0).sum(1)),
    "place of the best": lambda m, x: m.output(x.sum(1) + x.argmax(1).to(x.dtype)),
}


def _write(target: Tensor, value: Tensor) -> Tensor:
    target[:, 0] = value[:, 0]
    return target.sum(1)


@pytest.mark.parametrize("name", FROZEN_MISUSED)
def test_frozen_things_are_never_constants(name: str) -> None:
    """Added, words would become constants: with a perfect residual."""
    with pytest.raises(ModelError, match=r"made of words but frozen|made of words out of") as error:
        freeze(written(FROZEN_MISUSED[name]), RAGGED)
    assert "\n" not in str(error.value)


def test_the_error_names_the_module() -> None:
    class Inner(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + torch.softmax(x, 1)

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.inner = nn.Embedding(WORDS, 3), Inner()

        def forward(self, ids: Tensor) -> object:
            return self.inner(self.embedding(ids)).sum(1)

    with pytest.raises(ModelError, match=r"^inner \(Inner\) .*add"):
        freeze(enliven(Outer()), RAGGED)


# ---- what has no rule ---------------------------------------------------------------------------


REFUSED: dict[str, tuple[Callable[[Written, Tensor], Any], str]] = {
    "fft": (lambda m, x: m.output(torch.fft.fft(x).real.sum(1)), "fft_fft, for which there is no"),
    "inverse": (lambda m, x: m.output(torch.linalg.inv(x[:, :4, :4]).sum(1)), "linalg_inv, for"),
    "item": (lambda m, x: m.output(x.sum(1)) * float(x.sum()), "out of torch"),
    "numpy": (
        lambda m, x: m.output(x.sum(1)) + float(x.detach().numpy().sum()),
        "out of torch",
    ),
    "log": (lambda m, x: m.output(torch.log(x.abs() + 0.1).sum(1)), "log, which has no value at 0"),
    "three in an einsum": (
        lambda m, x: m.output(torch.einsum("bti,bti,bti->bi", x, x, x)),
        "more than two signals in one einsum",
    ),
    "bounds": (lambda m, x: m.output(x.clamp(min=x.mean(1, keepdim=True)).sum(1)), "bounded by"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_operation_without_a_rule(name: str) -> None:
    """It is named, and so is the module."""
    function, said = REFUSED[name]
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        freeze(written(function), RAGGED)
    assert str(error.value).startswith("Written ")


def test_scores_without_words() -> None:
    module = written(lambda m, x: m.output(torch.zeros(len(x), SIZE, dtype=x.dtype)))
    with pytest.raises(ModelError, match="do not depend on the words"):
        freeze(module, RAGGED)


# ---- forms of calls that people write -----------------------------------------------------------

FORMS: dict[str, Callable[[Written, Tensor], Any]] = {
    "alpha": lambda m, x: torch.add(x.sum(1), m.linear(x).sum(1), alpha=0.5),
    "alpha of a constant": lambda m, x: torch.sub(x, m.linear.bias, alpha=2).sum(1),
    "named arguments": lambda m, x: torch.mean(input=torch.relu(input=m.linear(x)), dim=1),
    "named max": lambda m, x: torch.max(input=x, dim=1)[0],
    "number minus": lambda m, x: (1.5 - x).sum(1),
    "number over gate": lambda m, x: (x * (2.0 / (1 + torch.exp(-x)))).sum(1),
    "one over one plus": lambda m, x: (1 / (1 + torch.exp(-m.linear(x))) * x).sum(1),
    "no gradient": lambda m, x: (x * _without_gradient(m, x)).sum(1),
    "nobody trains it": lambda m, x: _untrained(m, x).sum(1),
    "negative steps": lambda m, x: x[:, -3:].flip(1).mean(1) - x[..., -1:].sum(1),
    "loop over texts": lambda m, x: torch.stack([m.linear(one).amax(0) for one in x]),
    "loop over words": lambda m, x: sum(m.linear(x[:, t]) for t in range(x.shape[1])),
    "vector times matrix": lambda m, x: torch.stack([one.mean(0) @ m.linear.weight for one in x]),
    "list of words": lambda m, x: torch.cat([x[:, [0]], x[:, [1, 2]]], dim=1).sum(1),
    "boolean mask": lambda m, x: torch.stack([one[torch.arange(7) > 2].sum(0) for one in x]),
    "unfold": lambda m, x: m.linear(x.unfold(1, 2, 1).mean(-1)).sum(1),
    "split": lambda m, x: sum(one.sum(1) for one in m.linear(x).split([3, 4], 1)),
    "transposed twice": lambda m, x: m.linear(x).permute(2, 0, 1).contiguous().sum(2).t(),
    "flattened": lambda m, x: m.linear(x.view(-1, SIZE)).view(len(x), -1, SIZE).mean(1),
    "heads into the batch": lambda m, x: (
        m.linear(x)
        .view(3, 7, 2, 2)
        .permute(2, 0, 1, 3)
        .reshape(6, 7, 2)
        .mul(2)
        .add(0.5)
        .view(2, 3, 7, 2)
        .permute(1, 2, 0, 3)
        .reshape(3, 7, SIZE)
        .sum(1)
    ),
    "repeated": lambda m, x: (x.repeat_interleave(2, 0) + 0.5).view(3, 2, 7, SIZE).sum((1, 2)),
    "sum of squares": lambda m, x: (x**2).sum(1) + (x * x).mean(1),
    "scaled by its length": lambda m, x: (x / x.norm(dim=-1, keepdim=True).clamp(min=0.1)).sum(1),
    "length as a signal": lambda m, x: x.sum(1) * 0.1 + x.norm(dim=1),
    "standard deviation": lambda m, x: x.std(1) + x.var(dim=1, unbiased=False),
    "cosine": lambda m, x: functional.cosine_similarity(x, m.linear(x), dim=1),
    "softmin": lambda m, x: (functional.softmin(m.linear(x), 1) * x).sum(1),
    "lerp": lambda m, x: torch.lerp(x, m.linear(x), 0.3).sum(1),
    "addcmul": lambda m, x: torch.addcmul(x, m.linear(x), torch.sigmoid(x), value=0.5).sum(1),
    "double where": lambda m, x: torch.where(x > 0, m.linear(x), torch.where(x < -1, x, 0.2)).sum(
        1
    ),
    "clamped by a tensor": lambda m, x: torch.clamp(x, min=m.linear.bias, max=None).sum(1),
    "half of the units": lambda m, x: torch.cat([x[..., ::2] + 1, x[..., 1::2]], -1).sum(1),
    "scatter": lambda m, x: (
        torch.zeros(3, 7, SIZE, dtype=x.dtype)
        .scatter(1, torch.arange(7).flip(0).reshape(1, 7, 1).expand(3, 7, SIZE), m.linear(x))
        .sum(1)
    ),
    "index_add": lambda m, x: (
        torch.zeros(3, 2, SIZE, dtype=x.dtype)
        .index_add(1, torch.arange(7) % 2, m.linear(x))
        .amax(1)
    ),
    "nothing happens": lambda m, x: (
        functional.dropout(functional.alpha_dropout(x, 0.5, False), 0.3, False)
        .to(torch.float64)
        .clone()
        .contiguous()
        .sum(1)
    ),
    "repaired": lambda m, x: torch.nan_to_num(x, 0.0).sum(1),
    "kron of a constant": lambda m, x: torch.einsum("bti,ij->bj", x, m.linear.weight),
    "einsum with dots": lambda m, x: torch.einsum("...ti,ij->...j", x, m.linear.weight) + 0.5,
    "tensordot": lambda m, x: torch.tensordot(x, m.linear.weight, dims=([2], [1])).sum(1),
}


def _without_gradient(m: Any, x: Tensor) -> Tensor:
    with torch.no_grad():
        gate: Tensor = m.linear(x) + 1
    return gate


def _untrained(m: Any, x: Tensor) -> Tensor:
    with torch.no_grad():
        hidden: Tensor = torch.tanh(m.linear(x))
    return hidden


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_calls(name: str) -> None:
    function = FORMS[name]
    check(written(lambda m, x: m.output(function(m, x))), RAGGED)


# ---- rules of one's own -------------------------------------------------------------------------


@pytest.fixture
def own_rules() -> Iterator[None]:
    """Take off again the rules that a test adds."""
    before = dict(RULES), dict(MODULES)
    yield
    _forget(RULES, before[0])
    _forget(MODULES, before[1])


def _forget(rules: dict[Any, Any], kept: dict[Any, Any]) -> None:
    rules.clear()
    rules.update(kept)


@pytest.mark.usefixtures("own_rules")
def test_a_rule_for_a_class_of_modules() -> None:
    class Power(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            power: Tensor = torch.fft.fft(x).real / 3  # what has no rule
            return power

    class Squared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.power, self.output = (
                nn.Embedding(WORDS, 4),
                Power(),
                nn.Linear(4, 3),
            )

        def forward(self, ids: Tensor) -> object:
            return self.output(self.power(self.embedding(ids)).sum(1))

    module = enliven(Squared().double())
    with pytest.raises(ModelError, match=r"power \(Power\) uses fft_fft"):
        freeze(module, RAGGED)

    @ww.pytorch.rule(Power)
    def _(power: Power, x: Tensor) -> Tensor:
        return x * ww.pytorch.freeze(power(x) / x)

    check(module, RAGGED)


@pytest.mark.usefixtures("own_rules")
def test_a_rule_for_a_function() -> None:
    @torch.library.custom_op("whyword_tests::doubled", mutates_args=())
    def doubled(x: Tensor, bias: float) -> Tensor:
        return 2 * x + bias

    plain = written(lambda m, x: m.output(doubled(x, 0.5).sum(1)))
    named = written(lambda m, x: m.output(torch.ops.whyword_tests.doubled(x, 0.5).sum(1)))
    for module in (plain, named):
        with pytest.raises(ModelError, match=r"doubled.*for which there is no rule"):
            freeze(module, RAGGED)

    def rule(x: Tensor, bias: float) -> Tensor:
        return x + x + bias

    ww.pytorch.rule(torch.ops.whyword_tests.doubled)(rule)
    check(plain, RAGGED)
    check(named, RAGGED)
    _forget(RULES, {key: one for key, one in RULES.items() if "doubled" not in str(key)})
    ww.pytorch.rule(doubled)(rule)
    check(plain, RAGGED)
    check(named, RAGGED)


class Hidden(torch.autograd.Function):
    """What torch does not show."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient * 2


def test_what_torch_does_not_show() -> None:
    module = written(lambda m, x: m.output(Hidden.apply(x).sum(1)))  # type: ignore[no-untyped-call]
    with pytest.raises(ModelError, match="what torch does not show"):
        freeze(module, RAGGED)
