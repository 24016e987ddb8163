"""The trainer of torch networks, its random numbers, and its attention in bfloat16."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from whyword import InputError
from whyword.models.pytorch.draws import Draws
from whyword.models.pytorch.network import Network
from whyword.models.pytorch.short_attention import ShortAttention
from whyword.models.pytorch.training import Examples, Settings, Trainer, Window

SETTINGS = {
    "epochs": 2,
    "batch_size": 8,
    "learning_rate": 0.1,
    "l2": 0.0,
    "warmup": 0.5,
    "patience": None,
    "word_dropout": 0.0,
    "seed": 3,
    "precision": "float32",
}


class Bag(nn.Module):
    """Mean of vectors, one linear layer; it keeps the ids that it is given."""

    def __init__(self, scores: int = 3, masked: bool = True) -> None:
        super().__init__()
        with Draws(0):
            self.embedding = nn.Embedding(30, 4, padding_idx=0)
            self.output = nn.Linear(4, scores)
        self.seen: list[Tensor] = []
        if not masked:
            self.forward = lambda input_ids: self.read(  # type: ignore[assignment,method-assign,misc]
                input_ids, (input_ids > 0).long()
            )

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        return self.read(input_ids, attention_mask)

    def read(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        self.seen.append(input_ids.clone())
        mask = attention_mask.unsqueeze(-1)
        return self.output((self.embedding(input_ids) * mask).sum(1) / mask.sum(1))


def examples(count: int = 20, classes: int = 3, windows: int = 1) -> Examples:
    random = np.random.default_rng(0)

    def text() -> Window:
        ids = random.integers(1, 30, random.integers(1, 9))
        return Window(ids, np.arange(len(ids)) - 1)  # the first is a special token

    texts = [[text() for _ in range(windows)] for _ in range(count)]
    return Examples(texts, random.integers(0, classes, count))


def trainer(
    module: nn.Module,
    given: Examples,
    weights: NDArray[np.float32] | None = None,
    classes: int = 3,
    blank: int | None = None,
    **settings: Any,
) -> Trainer:
    network = Network(module.eval(), classes, 0, settings.pop("min_length", 1), None)
    weights = np.ones(classes, np.float32) if weights is None else weights
    return Trainer(network, given, weights, Settings.of(SETTINGS | settings), blank, lambda: None)


def epoch(ours: Trainer) -> float:
    return ours.epoch(lambda share, loss: None)


def gradients(module: nn.Module) -> list[Tensor]:
    return [one.grad.clone() for one in module.parameters() if one.grad is not None]


def check_step(
    ours: Trainer, score: Callable[[nn.Module, Window], Tensor], weights: NDArray[np.float32]
) -> None:
    """Compare the gradient of a step by all texts with the mean of their losses, text by text."""
    module, given = ours.module, ours.examples
    loss = epoch(ours)
    found = gradients(module)
    losses: list[Any] = []
    for (window,), wanted in zip(given.texts, given.classes, strict=True):
        scores = score(module, window)
        scores = torch.cat([0 * scores, scores], 1) if scores.shape[1] == 1 else scores
        losses.append(-scores.log_softmax(1)[0, wanted] * weights[wanted])
    mean = sum(losses) / weights[given.classes].sum()
    assert loss == pytest.approx(mean.item(), rel=1e-5)
    module.zero_grad()
    mean.backward()
    expected = gradients(module)
    length = float(torch.cat([one.flatten() for one in expected]).norm())
    for one, other in zip(found, expected, strict=True):  # long gradients are clipped
        torch.testing.assert_close(one, other * min(1.0, 1.0 / length), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("weight", [1.0, 100.0])
@pytest.mark.parametrize("scores", [1, 3])
def test_parts_of_a_batch_add_up_to_its_gradient(scores: int, weight: float) -> None:
    classes = max(scores, 2)
    given, weights = examples(classes=classes), np.array([1, 2, 0.5][:classes], np.float32)
    module = Bag(scores)
    with torch.no_grad():
        module.output.weight.mul_(weight)  # then the gradient is so long that it is clipped
    ours = trainer(module, given, weights, classes, batch_size=20, learning_rate=1e-30)

    def score(module: Any, window: Window) -> Any:
        ids = torch.from_numpy(window.ids)[None]
        return module(ids, torch.ones_like(ids))

    check_step(ours, score, weights)


@pytest.mark.parametrize("how", ["zeroed", "hidden"])
def test_ignored_words_are_deleted_in_training(how: str) -> None:
    """They are vectors of zeros, or masked; the vectors of other words learn all the same."""
    given, random = examples(), np.random.default_rng(1)
    gone = [random.random(len(one.ids)) < 0.4 for (one,) in given.texts]
    pairs = zip(given.texts, gone, strict=True)
    marked = [[Window(one.ids, one.words, **{how: chosen})] for (one,), chosen in pairs]
    marked_examples = Examples(marked, given.classes)
    ours = trainer(Bag(), marked_examples, batch_size=20, learning_rate=1e-30)

    def score(module: Any, window: Window) -> Any:
        chosen = window.hidden if how == "hidden" else window.zeroed
        assert chosen is not None
        ids, kept = torch.from_numpy(window.ids)[None], torch.from_numpy(~chosen)[None].long()
        if how == "zeroed":
            return module(ids * kept, torch.ones_like(ids))  # the vector of 0 is zero
        kept[0, 0] |= int(not kept.any())  # nothing at all has no mean
        return module(ids, kept)

    check_step(ours, score, np.ones(3, np.float32))


def test_each_text_is_read_once_in_an_epoch_with_little_padding() -> None:
    module = Bag(masked=False)  # without an attention mask
    ours = trainer(module, examples(50), min_length=3)
    epoch(ours)
    seen = [row[row > 0].tolist() for ids in module.seen for row in ids]
    assert sorted(seen) == sorted(one.ids.tolist() for (one,) in ours.examples.texts)
    assert min(ids.shape[1] for ids in module.seen) == 3
    padded = sum(ids.numel() for ids in module.seen)
    assert padded <= 1.15 * sum(max(3, len(one)) for one in seen)
    assert not module.training


def test_parts_of_long_texts_are_bounded() -> None:
    module, ids = Bag(), np.ones(1500, np.int64)
    given = Examples([[Window(ids, ids)]] * 5, np.zeros(5, np.intp))
    epoch(trainer(module, given))
    assert [tuple(one.shape) for one in module.seen] == [(2, 1500), (2, 1500), (1, 1500)]


def test_a_window_is_drawn_of_each_text() -> None:
    module = Bag()
    ours = trainer(module, examples(200, windows=3), batch_size=50)
    epoch(ours)
    drawn = {tuple(row[row > 0].tolist()) for ids in module.seen for row in ids}
    firsts, lasts = ({tuple(some[n].ids.tolist()) for some in ours.examples.texts} for n in (0, -1))
    assert len(drawn) > 150
    assert 20 < len(drawn & firsts) < 110
    assert 20 < len(drawn & lasts) < 110


def test_words_are_dropped_and_special_tokens_are_not() -> None:
    module = Bag()
    pairs = np.array([5, 6, 7, 8, 9]), np.array([-1, 0, 0, 1, 2])  # two pieces of one word
    given = Examples([[Window(*pairs)]] * 200, np.zeros(200, np.intp))
    epoch(trainer(module, given, blank=29, word_dropout=0.25, batch_size=50))
    rows = torch.cat([ids for ids in module.seen]).numpy()
    assert (rows[:, 0] == 5).all()
    dropped = rows[:, 1:] == 29
    np.testing.assert_array_equal(dropped[:, 0], dropped[:, 1])
    assert ((dropped.mean(0) > 0.15) & (dropped.mean(0) < 0.35)).all()
    np.testing.assert_array_equal(rows[:, 4][~dropped[:, 3]], 9)


def test_it_learns_the_same_by_the_same_seed() -> None:
    def trained(seed: int) -> tuple[list[float], dict[str, Tensor]]:
        ours = trainer(Bag(), examples(60), seed=seed)
        return [epoch(ours), epoch(ours)], ours.snapshot()

    (first, last), state = trained(1)
    assert last < first
    again, other = trained(1)[1], trained(2)[1]
    assert all(torch.equal(state[name], again[name]) for name in state)
    assert not all(torch.equal(state[name], other[name]) for name in state)


def test_frozen_weights_stay_and_are_not_in_a_snapshot() -> None:
    module = Bag()
    module.embedding.requires_grad_(False)
    before = module.embedding.weight.clone()
    ours = trainer(module, examples(60))
    epoch(ours)
    assert torch.equal(module.embedding.weight, before)
    state = ours.snapshot()
    assert set(state) == {"output.weight", "output.bias"}
    epoch(ours)
    assert not torch.equal(state["output.weight"], module.output.weight)  # it is a copy


def test_progress_is_told_at_most_fifty_times_an_epoch() -> None:
    for count, size, told in ((40, 8, 5), (200, 1, 50)):
        seen: list[tuple[float, float]] = []
        ours = trainer(Bag(), examples(count), batch_size=size)
        loss = ours.epoch(lambda *some: seen.append(some))  # noqa: B023
        assert [share for share, _ in seen] == pytest.approx([n / told for n in range(1, told + 1)])
        assert seen[-1][1] == loss


def test_settings_are_checked() -> None:
    for name, wrong in (("epochs", 0), ("learning_rate", 0), ("l2", -1), ("precision", "half")):
        with pytest.raises(InputError, match=name):
            Settings.of(SETTINGS | {name: wrong})
    assert Settings.of(SETTINGS | {"precision": None}).precision is None


def test_the_rate_grows_and_falls_and_only_matrices_decay() -> None:
    ours = trainer(Bag(), examples(16), learning_rate=1.0, l2=0.25)  # two epochs of two batches
    rates: list[float] = []
    groups: list[tuple[set[int], float]] = []

    def see(optimizer: torch.optim.Optimizer, *_: object) -> None:
        rates.append(optimizer.param_groups[0]["lr"])
        groups[:] = [
            ({one.dim() for one in some["params"]}, some["weight_decay"])
            for some in optimizer.param_groups
        ]

    with register_optimizer_step_pre_hook(see):
        epoch(ours)
        epoch(ours)
    assert rates == [0.5, 1.0, 1.0, 0.5]
    assert groups == [({2}, 0.25), ({1}, 0.0)]


# ---- random numbers -----------------------------------------------------------------------------


def test_random_numbers_are_those_of_torch_with_the_seed_and_go_on() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        expected = torch.randn(9), torch.rand(5)
    draws = Draws(7)
    before = torch.random.get_rng_state()
    with draws:
        first = torch.randn(9)
    assert torch.equal(torch.random.get_rng_state(), before)
    with draws, Draws(1):
        pass
    with draws:
        second = torch.rand(5)
    with pytest.raises(RuntimeError), Draws(0):
        torch.rand(3, -1)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(first, expected[0])
    assert torch.equal(second, expected[1])


def test_threads_do_not_disturb_the_random_numbers_of_each_other() -> None:
    before = torch.random.get_rng_state()
    drawn: dict[int, list[float]] = {}

    def draw(number: int) -> None:
        source = Draws(number % 2)
        drawn[number] = []
        for _ in range(300):
            with source:
                drawn[number] += [float(torch.rand(1)) for _ in range(3)]

    threads = [Thread(target=draw, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert drawn[0] == drawn[2] != drawn[1] == drawn[3]
    assert torch.equal(torch.random.get_rng_state(), before)


# ---- attention in bfloat16 ----------------------------------------------------------------------

attention: Any = functional.scaled_dot_product_attention
MASKS: dict[str, Callable[[Tensor], Any]] = {
    "none": lambda seen: None,
    "bool": lambda seen: seen,
    "added": lambda seen: torch.where(seen, 0.0, -1e4).bfloat16(),
}


def drawn(length: int, dtype: torch.dtype = torch.bfloat16) -> list[Tensor]:
    """Return queries, keys and values of two texts and three heads."""
    random = torch.Generator().manual_seed(length)
    return [torch.randn(2, 3, length, 8, generator=random).to(dtype) for _ in range(3)]


def result(parts: list[Tensor], **given: Any) -> list[Tensor]:
    """Return what attention gives, and the gradients of its arguments."""
    copies = [one.clone().requires_grad_() for one in parts]
    said = attention(*copies, **given)
    said.float().square().sum().backward()
    return [said.detach(), *(one.grad for one in copies if one.grad is not None)]


class Counted(TorchFunctionMode):
    """Count the calls of torch's own kernel."""

    count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is attention
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("length", [1, 33])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", [None, 0.3])
def test_attention_over_short_texts_has_the_values_and_gradients_of_torch(
    length: int, mask: str, scale: float | None
) -> None:
    seen = torch.rand(2, 1, 1, length, generator=torch.Generator().manual_seed(0)) < 0.7
    seen[..., 0] = True  # something is seen
    given = {"attn_mask": MASKS[mask](seen), "scale": scale}
    with ShortAttention():
        ours = result(drawn(length), **given)
    if mask == "added":
        given["attn_mask"] = given["attn_mask"].float()
    exact = result([one.float() for one in drawn(length)], **given)
    for one, wanted in zip(ours, exact, strict=True):
        assert one.dtype == torch.bfloat16
        largest = float(wanted.abs().max())
        torch.testing.assert_close(one.float(), wanted, rtol=0.05, atol=0.03 * largest)


@pytest.mark.parametrize(
    ("dtype", "length", "given", "kernels"),
    [
        (torch.bfloat16, 8, {}, 0),
        (torch.bfloat16, 256, {}, 0),
        (torch.bfloat16, 257, {}, 1),
        (torch.float32, 8, {}, 1),
        (torch.bfloat16, 8, {"is_causal": True}, 1),
        (torch.bfloat16, 8, {"dropout_p": 1.0}, 1),
        (torch.bfloat16, 8, {"enable_gqa": True}, 1),
    ],
)
def test_all_other_attention_is_left_to_torch(
    dtype: torch.dtype, length: int, given: dict[str, Any], kernels: int
) -> None:
    query, key, value = drawn(length, dtype)
    if "enable_gqa" in given:
        key, value = key[:, :1], value[:, :1]
    with Counted() as counted, ShortAttention():
        ours = attention(query, key, value, **given)
    assert counted.count == kernels
    with Counted() as counted:
        plain = attention(query, key, value, **given)  # nothing is left behind
    assert counted.count == 1
    if kernels:
        assert torch.equal(ours, plain)


def test_precision_is_that_of_the_settings() -> None:
    def product(precision: str | None) -> torch.dtype:
        with Settings.of(SETTINGS | {"precision": precision}).casting():
            made: Tensor = functional.linear(torch.ones(2, 2), torch.ones(2, 2))
        return made.dtype

    able = torch.cpu.get_capabilities()
    fast = bool(able.get("avx512_bf16") or able.get("amx_bf16"))
    assert product("bfloat16") == torch.bfloat16
    assert product("float32") == torch.float32
    assert product(None) == (torch.bfloat16 if fast else torch.float32)
