"""Modules whose explanations would mislead are refused in one line that names the operation."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import WORDS, enliven, freeze, ragged

import whyword as ww
from whyword.base.errors import ModelError

IDS = ragged((6, 6))
FROZEN = "made of words but frozen"
ESCAPES = "takes numbers that are made of words out of torch"


class Net(nn.Module):
    """Parts that a function puts together."""

    memory: Tensor

    def __init__(self, body: Callable[[Any, Tensor], Any]) -> None:
        super().__init__()
        self.body = body
        self.embedding, self.second_emb = (nn.Embedding(WORDS, 4) for _ in range(2))
        self.linear, self.output = nn.Linear(4, 4), nn.Linear(4, 3)
        self.register_buffer("memory", torch.zeros(4).double())

    def forward(self, ids: Tensor) -> object:
        return self.body(self, ids)

    def hidden(self, ids: Tensor) -> Tensor:
        """Return what the words' vectors become, (B, T, 4)."""
        hidden: Tensor = torch.tanh(self.linear(self.embedding(ids)))
        return hidden


def made(body: Callable[[Any, Tensor], Any]) -> nn.Module:
    return enliven(Net(body).double())


class Hidden(torch.autograd.Function):
    """A function that torch does not show."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient * 2


def written(target: Tensor, value: Tensor) -> Tensor:
    target[:, 0] = value[:, 0]
    return target


def filled_out(x: Tensor) -> Tensor:
    made = torch.zeros_like(x)
    torch.tanh(x.detach(), out=made)
    return x + made


def added_to_data(x: Tensor) -> Tensor:
    made = torch.zeros_like(x)
    made.data.add_(x)
    return x + made


def view_before_writing(x: Tensor) -> Tensor:
    both = torch.zeros(len(x), 2, 4, dtype=x.dtype)
    first = both[:, 0]
    both[:, 0] = x.mean(1)
    return both.sum(1, keepdim=True) + first.unsqueeze(1)


def part_of_a_gate(x: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    gate[:, 0].add_(1)
    return gate


def gate_by_itself(x: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    gate[:, 0] = gate[:, 1] * 2
    return gate


def changed_factor(x: Tensor) -> Tensor:
    hidden = x * 1
    product = hidden * x
    hidden += 1
    return product


# from the vectors that a module has of the words, (B, T, 4), to others that are summed over time
OF_VECTORS: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    # words would become constants, with a perfect residual
    "added weights": (lambda x: x + torch.softmax(x, 1), FROZEN),
    "concatenated weights": (lambda x: torch.cat([x, torch.softmax(x, 1)], 1), FROZEN),
    "transformed weights": (lambda x: torch.softmax(x, 1), FROZEN),
    "detached": (lambda x: x + x.tanh().detach(), FROZEN),
    "data": (lambda x: x + x.tanh().data, FROZEN),
    "comparison": (lambda x: x - (x > 0).to(x.dtype), FROZEN),
    "filled in": (lambda x: torch.where(x > 0, x, torch.softmax(x, 1)), FROZEN),
    "added in place": (lambda x: x.tanh().add_(torch.softmax(x, 1)), FROZEN),
    "written in": (lambda x: written(x.tanh(), torch.softmax(x, 1)), FROZEN),
    "counted": (lambda x: x + (x > 0).sum(1, keepdim=True), FROZEN),
    "place of the best": (lambda x: x + x.argmax(1, keepdim=True), FROZEN),
    "copied anew": (lambda x: x + x.new_tensor(x[:, :1]), FROZEN),
    "reciprocal": (torch.reciprocal, "no value at 0|" + FROZEN),
    "quotient": (lambda x: 1 / (x * x + 1), FROZEN),
    "x ** -2": (lambda x: x**-2, "no value at 0|" + FROZEN),
    "out=": (filled_out, "where it is told (out= of tanh)"),
    "data changed": (added_to_data, "writes something made of words into a tensor seen before"),
    "view": (view_before_writing, "writes something made of words into a tensor seen before"),
    "part of a gate": (part_of_a_gate, "changes gates or products in place that it uses later"),
    "gate by itself": (gate_by_itself, "changes gates or products in place that it uses later"),
    "factor": (changed_factor, "changes in place what it has multiplied"),
    # numbers that leave torch
    "item": (lambda x: x * float(x.sum()), ESCAPES),
    "numpy": (lambda x: x * float(x.detach().numpy().sum()), ESCAPES + " (numpy)"),
    "custom function": (lambda x: Hidden.apply(x), "by what torch does not show"),  # type: ignore[no-untyped-call]
    "vmap": (lambda x: x + torch.func.vmap(torch.tanh)(x), "uses torch.func (vmap, grad)"),
    # no rule
    "fft": (
        lambda x: torch.fft.fft(x).real,
        "uses fft_fft, for which there is no rule; whyword.pytorch.rule adds one",
    ),
    "inverse": (lambda x: torch.linalg.inv(x[:, :4]), "uses linalg_inv, for which there is no"),
    "addbmm": (lambda x: torch.addbmm(torch.zeros(6, 6), x, x.mT), "uses addbmm, for which"),
    "log": (lambda x: torch.log(x.abs() + 0.1), "uses log, which has no value at 0, as a signal"),
    "three in an einsum": (
        lambda x: torch.einsum("bti,bti,bti->bti", x, x, x),
        "multiplies more than two signals in one einsum",
    ),
    "bounds": (
        lambda x: x.clamp(min=x.mean(1, keepdim=True)),
        "has clamp bounded by what is made of words",
    ),
    "rounded": (lambda x: torch.div(x, 2, rounding_mode="floor"), "rounds a quotient of signals"),
    "convolved": (
        lambda x: functional.conv1d(x.mT, x[:1].mT[:, :, :1].expand(4, 4, 1)).mT,
        "convolves with weights that are made of words",
    ),
    "median of everything": (lambda x: x + x.median(), "takes median of all numbers at once"),
    # in training mode
    "attention dropout": (
        lambda x: functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5),
        "drops out attention at random; call module.eval()",
    ),
    "dropout": (
        lambda x: functional.dropout(x, 0.5, training=True),
        "drops out at random; call module.eval()",
    ),
    "batch norm": (
        lambda x: functional.batch_norm(x.mT, None, None, training=True).mT,
        "normalises by the other texts of a batch; call module.eval()",
    ),
}


@pytest.mark.parametrize("name", OF_VECTORS)
def test_an_operation_that_would_mislead_is_refused(name: str) -> None:
    function, said = OF_VECTORS[name]
    module = made(lambda m, ids: m.output(function(m.embedding(ids)).sum(1)))
    pattern = said if "|" in said else re.escape(said)
    with pytest.raises(ModelError, match=pattern) as error:
        freeze(module, IDS)
    assert re.match(r"(Net|linear|output) ", str(error.value))
    assert "\n" not in str(error.value)


def by_hand(net: Any, ids: Tensor) -> object:
    others = torch.tensor([[7 * one % WORDS for one in row] for row in ids.tolist()])
    return net.output((net.hidden(ids) + net.second_emb(others)).mean(1))


def nearest_code(net: Any, ids: Tensor) -> object:
    hidden = net.hidden(ids)
    codes = (hidden @ net.second_emb.weight.T).argmax(-1)
    return net.output((hidden + net.second_emb(codes)).mean(1))


def pairs(net: Any, ids: Tensor) -> object:
    two = (31 * ids[:, 1:] + ids[:, :-1]) % WORDS
    return net.output(net.hidden(ids).sum(1) + net.second_emb(two).sum(1))


def without_history(net: Any, ids: Tensor) -> object:
    with torch.inference_mode():
        vectors = net.embedding(ids)
    return net.output(torch.tanh(net.linear(vectors)).sum(1))


def remembered(net: Any, ids: Tensor) -> object:
    hidden = net.hidden(ids).mean(1)
    net.memory.mul_(0.5).add_(hidden[0])
    return net.output(hidden + net.memory)


def overwritten(net: Any, ids: Tensor) -> object:
    hidden = net.hidden(ids).mean(1)
    net.memory[:].copy_(hidden[0])
    return net.output(hidden + net.memory)


OF_IDS: dict[str, tuple[Callable[[Any, Tensor], Any], str]] = {
    "by hand": (by_hand, "takes word ids out of torch (tolist)"),
    "nearest code": (nearest_code, FROZEN),
    "pairs": (pairs, "looks up vectors by what was computed from the word ids"),
    "sorted": (
        lambda net, ids: net.output(net.hidden(ids.sort(1)[0]).sum(1)),
        "computed from the word ids",
    ),
    "summed up": (
        lambda net, ids: net.output(net.hidden(ids.cumsum(1) % WORDS).sum(1)),
        "computed from the word ids",
    ),
    "numbers": (
        lambda net, ids: net.output(ids.double().unsqueeze(-1).expand(*ids.shape, 4).sum(1)),
        "uses word ids as numbers (double)",
    ),
    "inference mode": (without_history, "looks words up in inference mode"),
    "memory": (remembered, "writes words into a tensor that it keeps (add_)"),
    "memory's view": (overwritten, "writes words into a tensor that it keeps (copy_)"),
    "frozen scores": (
        lambda net, ids: torch.softmax(net.output(net.hidden(ids)), 1).sum(1),
        FROZEN,
    ),
    "no words": (
        lambda net, ids: net.output(torch.zeros_like(net.embedding(ids)[:, 0])),
        "the scores of Net do not depend on the words",
    ),
}


@pytest.mark.parametrize("name", OF_IDS)
def test_a_module_that_would_mislead_is_refused(name: str) -> None:
    body, said = OF_IDS[name]
    module = made(body)
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        freeze(module, IDS)
    assert "\n" not in str(error.value)
    assert not module.get_buffer("memory").requires_grad  # no graph is left in what it keeps


def test_which_word_it_is_is_no_constant() -> None:
    """Counting the words of a list is evidence that no vector has."""

    class Lexicon(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.output = nn.Embedding(60, 4), nn.Linear(4, 2)

        def forward(self, input_ids: Tensor) -> Tensor:
            listed = torch.isin(input_ids, torch.tensor([2, 3])).float().sum(1, keepdim=True)
            seen = (input_ids != 0).float().unsqueeze(-1)
            scores: Tensor = self.output((self.embedding(input_ids) * seen).mean(1)) + listed
            return scores

    words = {"<pad>": 0, "moon": 1, "sun": 2, "star": 3, "rain": 4}
    model = ww.TorchClassifier(Lexicon().eval(), words, ["a", "b"])
    with pytest.raises(ww.WhywordError, match=FROZEN):
        ww.explain(model, ["moon rain moon", "sun star rain"])


def test_the_error_names_the_part_of_the_module() -> None:
    class Inner(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + torch.softmax(x, 1)

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.inner = nn.Embedding(WORDS, 3), Inner()

        def forward(self, ids: Tensor) -> object:
            return self.inner(self.embedding(ids)).sum(1)

    said = r"^inner \(Inner\) adds, concatenates, transforms or returns something"
    with pytest.raises(ModelError, match=said):
        freeze(enliven(Outer()), IDS)


def test_a_tensor_kept_from_another_text_is_no_constant() -> None:
    kept: list[Tensor] = []

    def remember(net: Any, ids: Tensor) -> object:
        kept.append(net.hidden(ids).sum(1))
        return net.output(kept[-1] + kept[0])

    freeze(made(remember), IDS)
    with pytest.raises(ModelError, match="kept from another text"):
        freeze(made(remember), IDS)


def test_a_module_that_changes_its_scores_is_refused() -> None:
    asked: list[int] = []

    def unsteady(net: Any, ids: Tensor) -> object:
        asked.append(1)
        return net.output(net.hidden(ids).sum(1)) * len(asked)

    said = "Net gives scores .* off when it is frozen: it does something that is not followed"
    with pytest.raises(ModelError, match=said):
        freeze(made(unsteady), IDS)
    asked.clear()
    steady = made(lambda net, ids: net.output(net.hidden(ids).sum(1)) * (1 + 1e-7 * len(asked)))
    assert np.isfinite(freeze(steady, ragged((6, 5, 4, 6, 5))).scores).all()


def test_an_error_of_the_module_while_it_is_frozen_is_named() -> None:
    def fail(net: Any, ids: Tensor) -> object:
        raise ValueError("no")

    with pytest.raises(ModelError, match=r"Net failed while frozen \(ValueError: no\)"):
        freeze(made(fail), IDS)
