"""PyTorch modules made by code, and what a frozen pass says of them, for tests."""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from whyword.models.pytorch.bookkeeping import Bookkeeping
from whyword.models.pytorch.frozen import FrozenPass, FrozenPasses, FrozenRule, TokenRelevance
from whyword.models.pytorch.network import Batch, Network

WORDS = 60  # ids of the modules here
PAD, START, END = 0, 1, 2
SIZE = 4  # of the vectors

Floats = NDArray[np.float64]


def enliven(module: nn.Module, seed: int = 0) -> nn.Module:
    """Give a module large weights and no bias of zero, so that errors show, and eval mode."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, one in module.named_parameters():
            numbers = torch.randn(one.shape, generator=random, dtype=one.dtype)
            if one.dim() > 1:
                is_table = "emb" in name or "wte" in name or "wpe" in name
                one.copy_(numbers if is_table else numbers / one[0].numel() ** 0.5)
            else:
                one.copy_(numbers * 0.4 + ("norm" in name.lower() and "weight" in name))
        for name, known in module.named_buffers():
            if name.endswith("running_mean"):
                known.copy_(torch.randn(known.shape, generator=random))
            if name.endswith("running_var"):
                known.copy_(torch.rand(known.shape, generator=random) + 0.5)
    return module.eval()


def ragged(lengths: tuple[int, ...] = (9, 5, 7), seed: int = 1) -> Tensor:
    """Return ids of texts, (B, T), that begin and end as such, padded."""
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(3, WORDS, (len(lengths), max(lengths)), generator=random)
    for row, length in enumerate(lengths):
        ids[row, 0], ids[row, length - 1] = START, END
        ids[row, length:] = PAD
    return ids


def batch_of(ids: Tensor, zeroed: Tensor | None = None) -> Batch:
    """Return a batch of ids, (B, T), padding masked."""
    gone = torch.zeros(ids.shape, dtype=torch.bool) if zeroed is None else zeroed
    return Batch(np.arange(len(ids)), ids.clone(), (ids != PAD).long(), gone)


class Frozen(NamedTuple):
    """What a frozen pass says of a batch, for all classes.

    Attributes
    ----------
    scores : (B, C) float64
    found : TokenRelevance
    passes : list of FrozenPass
        One, or as many as there are texts if they had to be taken apart.
    """

    scores: Floats
    found: TokenRelevance
    passes: list[FrozenPass]

    @property
    def residual(self) -> Floats:
        """What is missing, relative to max(1, |score|), (B, C)."""
        found = self.found
        summed = (found.tokens + found.places).sum(1) + found.others + found.constant
        residual: Floats = np.abs(self.scores - summed) / np.maximum(1, np.abs(self.scores))
        return residual


def freeze(
    module: nn.Module,
    ids: Tensor,
    rule: FrozenRule | None = None,
    *,
    classes: int = 3,
    zeroed: Tensor | None = None,
) -> Frozen:
    """Return what a module's frozen pass says; it is compared with the module's own."""
    network = Network(module, classes, PAD, 1, None)
    batches = [batch_of(ids, zeroed)]
    parts, scores, passes = [], [], []
    for batch, one in FrozenPasses(network, batches, rule or FrozenRule(), check=True):
        every = np.tile(np.arange(classes, dtype=np.int32), (len(batch.numbers), 1))
        parts.append(one.relevance(every, elements=True))
        scores.append(one.outputs.detach().double().numpy())
        passes.append(one)
    columns = [[getattr(part, name) for part in parts] for name in TokenRelevance.__annotations__]
    found = TokenRelevance(*map(np.concatenate, columns))
    return Frozen(np.concatenate(scores), found, passes)


@contextmanager
def booked() -> Iterator[list[tuple[str, Tensor]]]:
    """Record what is booked as a constant, and under which name; places, too."""
    book, place = Bookkeeping.book, Bookkeeping.place
    said: list[tuple[str, Tensor]] = []

    def record_booking(
        self: Bookkeeping,
        out: Tensor,
        added: Tensor | float,
        name: str | None = None,
        factor: Tensor | None = None,
    ) -> Tensor:
        said.append((name or self.module_name(), torch.as_tensor(added).detach().clone()))
        return book(self, out, added, name, factor)

    def record_place(self: Bookkeeping, constant: Tensor, signal: Tensor) -> Tensor:
        said.append(("place", constant.detach().clone()))
        return place(self, constant, signal)

    Bookkeeping.book, Bookkeeping.place = record_booking, record_place  # type: ignore[method-assign]
    try:
        yield said
    finally:
        Bookkeeping.book, Bookkeeping.place = book, place  # type: ignore[method-assign]


_HOOKS = re.compile(r"^_.*hooks.*$")


def state_of(module: nn.Module) -> dict[str, Any]:
    """Return all that must not change while a module is explained, comparable by ==."""
    state: dict[str, Any] = {}
    for name, one in module.state_dict(keep_vars=True).items():
        facts = (one.requires_grad, one._version, one.grad, sorted(vars(one)), id(one))
        state[name] = (*facts, one.detach().numpy().tobytes())
    for name, part in module.named_modules():
        state[f"{name} training"] = part.training
        for key, value in vars(part).items():
            if _HOOKS.match(key):
                state[f"{name} {key}"] = len(value) if hasattr(value, "__len__") else value
            elif isinstance(value, Tensor):
                state[f"{name} {key}"] = (id(value), sorted(vars(value)), value.requires_grad)
            elif not key.startswith("_"):
                state[f"{name} {key}"] = repr(value)
        state[f"{name} attributes"] = sorted(vars(part))
        state[f"{name} forward"] = part.forward.__func__ is type(part).forward
    return state


def encode(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return ids and spans of a text's words, with what begins and ends it."""
    found = list(re.finditer(r"\w+", text))
    ids = [3 + zlib.crc32(match.group().encode()) % (WORDS - 3) for match in found]
    return [START, *ids, END], [(0, 0), *(match.span() for match in found), (0, 0)]


class Vote(nn.Module):
    """The mean of the vectors of what is not masked, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 6)
        self.output = nn.Linear(6, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        seen = attention_mask.unsqueeze(-1)
        return self.output((self.embedding(input_ids) * seen).sum(1) / seen.sum(1))


class Written(nn.Module):
    """A module whose scores are somebody's function of the vectors, (B, T, 4)."""

    def __init__(self, function: Callable[["Written", Tensor], Any]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, SIZE)
        self.linear, self.output = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, 3)
        self.function = function

    def forward(self, ids: Tensor) -> object:
        return self.function(self, self.embedding(ids))


def written(function: Callable[[Written, Tensor], Any]) -> nn.Module:
    """Return a module in float64 whose scores are somebody's function of itself and the vectors."""
    return enliven(Written(function).double())


def relevance_of(
    function: Callable[[Tensor], Tensor], vectors: Tensor, rule: FrozenRule | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return the relevance of each element of vectors, (B, T, D), and of constants, and scores.

    The scores are the sums over all but the last axis of what the function gives: elements are
    (B, T, D, C), constants (those of places included) and scores (B, C).
    """
    batch, length, size = vectors.shape

    class Given(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(batch * length, size)
            self.embedding.weight.data = vectors.reshape(-1, size).clone()
            self.function = function

        def forward(self, ids: Tensor) -> Tensor:
            out: Tensor = self.function(self.embedding(ids))
            return out.flatten(1, -2).sum(1) if out.dim() > 2 else out

    module = Given().eval()
    with torch.no_grad():
        ids = torch.arange(batch * length).reshape(batch, length)
        classes = module(ids).shape[1]
    network = Network(module, classes, None, 1, None)
    gone = torch.zeros(ids.shape, dtype=torch.bool)
    given = Batch(np.arange(batch), ids, torch.ones_like(ids), gone)
    ((_, one),) = FrozenPasses(network, [given], rule or FrozenRule(), check=True)
    every = np.tile(np.arange(classes, dtype=np.int32), (batch, 1))
    found = one.relevance(every, elements=True)
    assert found.elements is not None
    outputs = one.outputs.detach().double().numpy()
    return found.elements.astype(np.float64), found.constant + found.places.sum(1), outputs
