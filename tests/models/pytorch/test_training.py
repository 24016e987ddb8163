"""The one trainer of torch networks."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from whyword import InputError
from whyword.models.pytorch.draws import Draws
from whyword.models.pytorch.network import Network
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
    """Mean of vectors, one linear layer; it notes what it is given."""

    def __init__(self, classes: int = 3) -> None:
        super().__init__()
        self.embedding = nn.Embedding(30, 4, padding_idx=0)
        self.output = nn.Linear(4, classes)
        self.seen: list[Tensor] = []

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
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
    network = Network(module.eval(), classes, 0, 1, None)
    weights = np.ones(classes, np.float32) if weights is None else weights
    return Trainer(network, given, weights, Settings.of(SETTINGS | settings), blank, lambda: None)


@pytest.mark.parametrize("one_score", [False, True])
def test_parts_of_a_batch_add_up_to_its_gradient(one_score: bool) -> None:
    """The oracle: the weighted mean of all losses at once, each text by itself."""
    classes = 2 if one_score else 3
    with Draws(0):
        module = Bag(1 if one_score else 3)
    given = examples(classes=classes)
    weights = np.array([1.0, 2.0, 0.5][:classes], np.float32)
    ours = trainer(module, given, weights, classes, batch_size=20, learning_rate=1e-30)
    ours._step(np.arange(20))
    found = _gradients(module)
    losses = []
    for (window,), wanted in zip(given.texts, given.classes, strict=True):
        ids = torch.from_numpy(window.ids)[None]
        scores = module(ids, torch.ones_like(ids))
        scores = torch.cat([0 * scores, scores], 1) if one_score else scores
        losses.append(-scores.log_softmax(1)[0, wanted] * weights[wanted])
    module.zero_grad()
    (sum(losses) / weights[given.classes].sum()).backward()
    expected = _gradients(module)
    length = torch.cat([one.flatten() for one in expected]).norm()
    scale = min(1.0, 1.0 / float(length))  # long gradients are clipped
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other * scale, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("how", ["zeroed", "hidden"])
def test_words_that_are_ignored_are_deleted_in_training(how: str) -> None:
    """The oracle: vectors of zeros, or a mask, by hand; other words' vectors learn all the same."""
    with Draws(0):
        module = Bag()
    given = examples()
    random = np.random.default_rng(1)
    gone = [random.random(len(one.ids)) < 0.4 for (one,) in given.texts]
    pairs = zip(given.texts, gone, strict=True)
    marked = [[Window(one.ids, one.words, **{how: chosen})] for (one,), chosen in pairs]
    ours = trainer(module, Examples(marked, given.classes), batch_size=20, learning_rate=1e-30)
    ours._step(np.arange(20))
    found = _gradients(module)
    losses = []
    for (window,), chosen, wanted in zip(given.texts, gone, given.classes, strict=True):
        ids, kept = torch.from_numpy(window.ids)[None], torch.from_numpy(~chosen)[None].long()
        if how == "hidden":
            kept[0, 0] |= int(not kept.any())  # of nothing at all there is no mean
            scores = module(ids, kept)
        else:
            scores = module(ids * kept, torch.ones_like(ids))  # the vector of 0 is zero
        losses.append(-scores.log_softmax(1)[0, wanted])
    module.zero_grad()
    (sum(losses) / 20).backward()
    expected = _gradients(module)
    scale = min(1.0, 1.0 / float(torch.cat([one.flatten() for one in expected]).norm()))
    assert float(expected[0].abs().max()) > 0
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other * scale, rtol=1e-4, atol=1e-6)


def _gradients(module: nn.Module) -> list[Tensor]:
    gradients = [one.grad for one in module.parameters()]
    return [one.clone() for one in gradients if one is not None]


def test_each_text_is_read_once_in_an_epoch_with_little_padding() -> None:
    module = Bag()
    ours = trainer(module, examples(50))
    ours.epoch(lambda share, loss: None)
    seen = [row[row > 0].tolist() for ids in module.seen for row in ids]
    assert sorted(seen) == sorted(one.ids.tolist() for (one,) in ours.examples.texts)
    padded = sum(ids.numel() for ids in module.seen) / sum(map(len, seen))
    assert padded <= 1.15
    assert not module.training


@pytest.mark.slow(reason="half a second and more")
def test_a_window_is_drawn_of_each_text() -> None:
    module = Bag()
    ours = trainer(module, examples(200, windows=3))
    ours.epoch(lambda share, loss: None)
    drawn = {tuple(row[row > 0].tolist()) for ids in module.seen for row in ids}
    firsts = {tuple(windows[0].ids.tolist()) for windows in ours.examples.texts}
    assert len(drawn) > 150
    assert 0 < len(drawn & firsts) < 150


def test_words_are_dropped_and_special_tokens_are_not() -> None:
    module = Bag()
    ours = trainer(module, examples(100), blank=29, word_dropout=0.5)
    ours.epoch(lambda share, loss: None)
    ids = [row[row > 0] for batch in module.seen for row in batch]
    blanks = float(np.mean([np.mean(one[1:].numpy() == 29) for one in ids if len(one) > 1]))
    assert 0.35 < blanks < 0.65
    assert np.mean([one[0] == 29 for one in ids]) < 0.1


def test_it_learns_and_a_seed_says_how() -> None:
    def trained(seed: int) -> tuple[list[float], dict[str, Tensor]]:
        with Draws(0):
            module = Bag()
        ours = trainer(module, examples(60), seed=seed)
        losses = [ours.epoch(lambda share, loss: None) for _ in range(2)]
        return losses, ours.snapshot()

    (first, last), state = trained(1)
    assert last < first
    again = trained(1)[1]
    assert all(torch.equal(state[name], again[name]) for name in state)
    other = trained(2)[1]
    assert not all(torch.equal(state[name], other[name]) for name in state)


def test_what_is_frozen_stays_and_is_not_kept() -> None:
    with Draws(0):
        module = Bag()
    module.embedding.requires_grad_(False)
    before = module.embedding.weight.clone()
    ours = trainer(module, examples(60))
    ours.epoch(lambda share, loss: None)
    assert torch.equal(module.embedding.weight, before)
    assert set(ours.snapshot()) == {"output.weight", "output.bias"}


def test_it_is_told_how_far_an_epoch_is() -> None:
    shares: list[float] = []
    trainer(Bag(), examples(40)).epoch(lambda share, loss: shares.append(share))
    assert shares == sorted(set(shares))
    assert shares[-1] == 1.0
    assert len(shares) == 5


def test_settings_are_checked() -> None:
    for name, wrong in (("epochs", 0), ("learning_rate", 0), ("l2", -1), ("precision", "half")):
        with pytest.raises(InputError, match=name):
            Settings.of(SETTINGS | {name: wrong})
    assert Settings.of(SETTINGS | {"precision": None}).precision is None


def test_the_rate_grows_and_falls() -> None:
    ours = trainer(Bag(), examples(16), learning_rate=1.0)  # two epochs of two batches
    rates = []
    for _ in range(4):
        rates.append(ours._optimiser.param_groups[0]["lr"])
        ours._step(np.arange(8))
    assert rates == [0.5, 1.0, 1.0, 0.5]
