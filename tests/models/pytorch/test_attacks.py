"""Modules that would mislead: each is explained rightly, or refused in one line."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import PAD, WORDS, encode, enliven, freeze, ragged

import whyword as ww
from whyword.base.errors import InputError, ModelError

Body = Callable[["Net", Tensor], object]
CLASSES = ["a", "b", "c"]


class Net(nn.Module):
    """Parts that a body puts together."""

    table: Tensor
    letters: Tensor
    memory: Tensor

    def __init__(self, body: Body, size: int = 6) -> None:
        super().__init__()
        self.body, self.size = body, size
        self.embedding, self.second_emb = (nn.Embedding(WORDS, size) for _ in range(2))
        self.inner, self.output = nn.Linear(size, size), nn.Linear(size, 3)
        self.over_time = nn.LSTM(size, size)
        order = torch.Generator().manual_seed(0)
        self.register_buffer("memory", torch.zeros(size))
        self.register_buffer("table", torch.randperm(WORDS, generator=order))
        self.register_buffer("letters", torch.randint(0, WORDS, (WORDS, 4), generator=order))

    def forward(self, ids: Tensor) -> object:
        return self.body(self, ids)

    def hidden(self, ids: Tensor) -> Tensor:
        """Return what the words' vectors become, (B, T, D)."""
        hidden: Tensor = torch.tanh(self.inner(self.embedding(ids)))
        return hidden


class Named(Net):
    """One that names its table."""

    def get_input_embeddings(self) -> nn.Embedding:
        return self.embedding


def made(body: Body, size: int = 6, kind: type[Net] = Net) -> nn.Module:
    return enliven(kind(body, size).double())


# ---- explained rightly ------------------------------------------------------------------------


def remapped(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(net.table[ids]).sum(1))


def taken(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(torch.take(net.table, ids)).sum(1))


def selected(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(net.table.index_select(0, ids.reshape(-1)).view_as(ids)).sum(1))


def spelled(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(net.letters[ids]).amax(2).sum(1))


def hashed(net: Net, ids: Tensor) -> object:
    return net.output((net.hidden(ids % 7) + net.second_emb((ids * 31 + 5) // 3 % 11)).sum(1))


def median_of_time(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(ids.t()).median(0)[0] + net.inner.bias)


def third_of_time(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(ids.t()).kthvalue(3, 0)[0] + net.inner.bias)


def copied(net: Net, ids: Tensor) -> object:
    made = torch.zeros(len(ids), ids.shape[1], net.size, dtype=torch.float64)
    made.copy_(net.hidden(ids))
    return net.output(made.sum(1))


@pytest.mark.parametrize(
    "body",
    [remapped, taken, selected, spelled, hashed, median_of_time, third_of_time, copied],
)
def test_texts_of_a_batch_have_what_they_have_alone(body: Body) -> None:
    module, ids = made(body, size=3), ragged((6, 6, 6))  # as many texts as dimensions
    together = freeze(module, ids)
    assert together.residual.max() < 1e-9
    for row in range(len(ids)):
        alone = freeze(module, ids[row : row + 1])
        np.testing.assert_allclose(alone.found.tokens[0], together.found.tokens[row], atol=1e-9)
        np.testing.assert_allclose(alone.found.constant[0], together.found.constant[row], atol=1e-9)


def test_ids_looked_up_in_a_table_are_still_those_of_their_words() -> None:
    module, ids = made(remapped), ragged((6, 6))
    direct = made(lambda net, ids: net.output(net.hidden(ids).sum(1)))
    found = freeze(module, ids).found
    same = freeze(direct, module.table[ids]).found  # type: ignore[index]
    np.testing.assert_allclose(found.tokens, same.tokens, atol=1e-12)


def test_a_prompt_as_long_as_the_text_is_no_word() -> None:
    def prompted(net: Net, ids: Tensor) -> object:
        prompt = net.embedding(torch.arange(6)).expand(len(ids), 6, -1)
        return net.output(torch.relu(net.inner(torch.cat([prompt, net.embedding(ids)], 1))).sum(1))

    ids = ragged((6,))
    plain, named = (freeze(made(prompted, kind=kind), ids).found for kind in (Net, Named))
    np.testing.assert_allclose(plain.tokens, named.tokens, atol=1e-12)


# ---- refused: words would end in the constant, or with others -----------------------------------


def copied_anew(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids)
    return net.output(hidden.mean(1) + hidden.new_tensor(hidden[:, 0]))


def kept_view(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids)
    both = torch.zeros(len(ids), 2, net.size, dtype=hidden.dtype)
    first = both[:, 0]
    both[:, 0] = hidden.mean(1)
    return net.output(both.sum(1) + first)


def behind_its_back(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids)
    made = torch.zeros_like(hidden)
    made.data.add_(hidden)
    return net.output((hidden + made).mean(1))


def given_out(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids)
    made = torch.zeros_like(hidden)
    torch.tanh(hidden.detach(), out=made)
    return net.output((hidden + made).mean(1))


def nearest_code(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids)
    codes = (hidden @ net.second_emb.weight.T).argmax(-1)
    return net.output((hidden + net.second_emb(codes)).mean(1))


def by_hand(net: Net, ids: Tensor) -> object:
    others = torch.tensor([[7 * one % WORDS for one in row] for row in ids.tolist()])
    return net.output((net.hidden(ids) + net.second_emb(others)).mean(1))


def pairs(net: Net, ids: Tensor) -> object:
    two = (31 * ids[:, 1:] + ids[:, :-1]) % WORDS
    return net.output(net.hidden(ids).sum(1) + net.second_emb(two).sum(1))


def in_order(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(ids.sort(1)[0]).sum(1))


def summed_up(net: Net, ids: Tensor) -> object:
    return net.output(net.hidden(ids.cumsum(1) % WORDS).sum(1))


def without_history(net: Net, ids: Tensor) -> object:
    with torch.inference_mode():
        vectors = net.embedding(ids)
    return net.output(torch.tanh(net.inner(vectors)).sum(1))


def mapped(net: Net, ids: Tensor) -> object:
    vectors = net.embedding(ids)
    return net.output(vectors.sum(1) + torch.func.vmap(torch.tanh)(vectors).sum(1))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (copied_anew, "made of words but frozen"),
        (kept_view, "writes something made of words"),
        (behind_its_back, "writes something made of words"),
        (given_out, "out= of tanh"),
        (nearest_code, "made of words but frozen"),
        (by_hand, "out of torch"),
        (pairs, "computed from the word ids"),
        (in_order, "computed from the word ids"),
        (summed_up, "computed from the word ids"),
        (without_history, "inference mode"),
        (mapped, "torch.func"),
    ],
)
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_what_would_mislead_is_refused(body: Body, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        freeze(made(body), ragged((6, 6)))


def remembered(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids).mean(1)
    net.memory.mul_(0.5).add_(hidden[0])
    return net.output(hidden + net.memory)


def overwritten(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids).mean(1)
    net.memory[:].copy_(hidden[0])
    return net.output(hidden + net.memory)


@pytest.mark.parametrize("body", [remembered, overwritten])
def test_no_graph_is_left_in_what_a_module_keeps(body: Body) -> None:
    module = made(body)
    with pytest.raises(ModelError, match="that it keeps"):
        freeze(module, ragged((6,)))
    assert not module.get_buffer("memory").requires_grad


# ---- batches ------------------------------------------------------------------------------------


def wrong_axis(net: Net, ids: Tensor) -> object:
    return net.output(net.over_time(net.embedding(ids))[0].mean(1))


def centred(net: Net, ids: Tensor) -> object:
    hidden = net.hidden(ids).mean(1)
    return net.output(2 * hidden - hidden.mean(0))


def one_at_a_time(net: Net, ids: Tensor) -> object:
    if len(ids) > 1:
        raise ValueError("one at a time")
    return net.output(net.hidden(ids).mean(1))


def test_a_padding_id_outside_of_the_table_is_named() -> None:
    with pytest.raises(ModelError, match="999 is outside of embedding"):
        ww.TorchClassifier(made(copied), encode, CLASSES, pad=999)


def test_nothing_is_padded_beyond_all_memory() -> None:
    with pytest.raises(InputError, match="min_length must be"):
        ww.TorchClassifier(made(copied), encode, CLASSES, pad=PAD, min_length=2**31 - 1)


@pytest.mark.parametrize("pad", [PAD, None])
@pytest.mark.parametrize("body", [wrong_axis, centred, one_at_a_time])
def test_texts_that_would_change_each_other_are_read_one_by_one(
    body: Body, pad: int | None
) -> None:
    model = ww.TorchClassifier(made(body), encode, CLASSES, pad=pad)
    texts = ["good film", "bad film", "no music", "music at all"]
    alone = np.concatenate([model.class_scores([text]) for text in texts])
    np.testing.assert_allclose(model.class_scores(texts), alone, atol=1e-12)
    for one, text in zip(ww.iter_explanations(model, texts), texts, strict=True):
        np.testing.assert_allclose(one.relevance, ww.explain(model, text).relevance, atol=1e-12)
