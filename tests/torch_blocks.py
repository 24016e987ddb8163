"""Blocks of random networks, (B, T, 4) to (B, T, 4), out of all operations that have rules."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import PAD, WORDS, enliven

SIZE = 4
LONGEST = 16


class Parts(nn.Module):
    """Layers that blocks are made of."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.second, self.wide = (
            nn.Linear(SIZE, size) for size in (SIZE, SIZE, 2 * SIZE)
        )
        self.vector, self.matrix = nn.Parameter(torch.zeros(SIZE)), nn.Linear(SIZE, SIZE, False)
        self.places = nn.Embedding(LONGEST, SIZE)
        self.conv = nn.Conv1d(SIZE, SIZE, 3, padding=1)
        self.grouped = nn.Conv1d(SIZE, SIZE, 2, dilation=2, groups=2)
        self.plane = nn.Conv2d(1, SIZE, (3, SIZE), padding=(1, 0))
        self.layer_norm, self.rms_norm = nn.LayerNorm(SIZE), nn.RMSNorm(SIZE)
        self.group_norm, self.batch_norm = nn.GroupNorm(2, SIZE), nn.BatchNorm1d(SIZE)
        self.instance_norm = nn.InstanceNorm1d(SIZE, affine=True)
        self.prelu = nn.PReLU(SIZE)
        self.bilinear = nn.Bilinear(SIZE, SIZE, SIZE)
        self.lstm = nn.LSTM(SIZE, SIZE // 2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(SIZE, SIZE, 2)
        self.rnn = nn.RNN(SIZE, SIZE, nonlinearity="relu", batch_first=True)
        self.lstm_cell, self.gru_cell = nn.LSTMCell(SIZE, SIZE), nn.GRUCell(SIZE, SIZE)
        self.attention = nn.MultiheadAttention(SIZE, 2, batch_first=True)


Block = Callable[[Any, Tensor, Tensor], Tensor]
BLOCKS: dict[str, Block] = {}


def block(function: Block) -> Block:
    """Name a block."""
    BLOCKS[function.__name__] = function
    return function


def activation(name: str, act: Callable[[Tensor], Tensor]) -> None:
    """Make a block of an activation of a linear layer."""
    BLOCKS[name] = lambda parts, x, seen: act(parts.linear(x))


for _name, _act in {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "tanh": torch.tanh,
    "softplus": functional.softplus,
    "elu": lambda x: functional.elu(x, 0.7),
    "leaky": lambda x: functional.leaky_relu(x, 0.2),
    "mish": functional.mish,
    "hardswish": functional.hardswish,
    "clamp": lambda x: x.clamp(-0.5, 0.8),
    "clamped_above_zero": lambda x: x.clamp(min=0.1),
    "abs": torch.abs,
    "sin_cos": lambda x: torch.sin(x) + torch.cos(x),
    "erf": torch.erf,
    "in_place": lambda x: functional.relu_(x * 1),
    "sigmoid": torch.sigmoid,
    "square": lambda x: 0.3 * x**2,
    "exp": lambda x: 0.2 * torch.exp(x.clamp(-2, 1)),
    "by_hand": lambda x: 0.5 * x * (1 + torch.tanh(0.8 * (x + 0.04 * torch.pow(x, 3)))),
    "swish_by_hand": lambda x: x * torch.sigmoid(1.7 * x),
    "maximum": lambda x: torch.maximum(x, x.flip(1)),
    "minimum_of_number": lambda x: torch.minimum(x, torch.tensor(0.3, dtype=x.dtype)),
}.items():
    activation(_name, _act)


# ---- layers -------------------------------------------------------------------------------------


@block
def linear(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.linear(x)


@block
def affine_by_hand(parts: Any, x: Tensor, seen: Tensor) -> Any:
    flat = torch.addmm(parts.vector, x.reshape(-1, SIZE), parts.matrix.weight.t())
    return flat.view(x.shape) - 0.3


@block
def conv(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.conv(x.transpose(1, 2)).transpose(1, 2)


@block
def grouped_conv(parts: Any, x: Tensor, seen: Tensor) -> Any:
    padded = functional.pad(x.permute(0, 2, 1), (1, 1), value=0.5)
    return parts.grouped(padded).permute(0, 2, 1)


@block
def conv2d(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.plane(x.unsqueeze(1)).squeeze(3).mT


@block
def layer_norm(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.layer_norm(x)


@block
def rms_norm(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.rms_norm(x + 0.1)


@block
def group_norm(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.group_norm(x.transpose(1, 2)).transpose(1, 2)


@block
def instance_norm(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.instance_norm(x.transpose(1, 2)).transpose(1, 2)


@block
def batch_norm(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.batch_norm(x.reshape(-1, SIZE)).reshape(x.shape)


@block
def layer_norm_by_hand(parts: Any, x: Tensor, seen: Tensor) -> Any:
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).pow(2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 0.1) * parts.vector + parts.vector


@block
def spread_by_hand(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.vector * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 0.5)


@block
def rms_norm_by_hand(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 0.1) * parts.vector


@block
def unit_length(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return functional.normalize(parts.linear(x), dim=-1, eps=1e-3)


@block
def prelu(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.prelu(x.transpose(1, 2)).transpose(1, 2)


@block
def bilinear(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return 0.3 * parts.bilinear(x, torch.tanh(x.flip(1)))


# ---- gates and products -------------------------------------------------------------------------


@block
def highway(parts: Any, x: Tensor, seen: Tensor) -> Any:
    gate = torch.sigmoid(parts.second(x))
    return gate * torch.tanh(parts.linear(x)) + (1 - gate) * x


@block
def glu(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return functional.glu(parts.wide(x), -1)


@block
def swiglu(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return 0.5 * functional.silu(parts.linear(x)) * parts.second(x)


@block
def product(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return 0.3 * torch.mul(torch.tanh(parts.linear(x)), parts.second(x))


@block
def product_of_three(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return 0.3 * x * torch.tanh(parts.linear(x)) * torch.tanh(parts.second(x))


@block
def outer_product(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return torch.einsum("bti,btj->btj", 0.3 * torch.tanh(x), torch.tanh(parts.linear(x)))


@block
def squeeze_and_excite(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return x * torch.sigmoid(parts.linear(x.mean(1))).unsqueeze(1)


@block
def quotient(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.linear(x) / (1 + parts.second(x).abs())


@block
def residual(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return x + parts.second(torch.relu(parts.linear(x)))


# ---- attention ----------------------------------------------------------------------------------


@block
def attention(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.attention(x, x, x, key_padding_mask=seen == 0, need_weights=False)[0]


@block
def attention_by_hand(parts: Any, x: Tensor, seen: Tensor) -> Any:
    scores = parts.linear(x) @ parts.second(x).transpose(1, 2) / SIZE**0.5
    scores = scores + (1.0 - seen.unsqueeze(1).to(x.dtype)) * torch.finfo(x.dtype).min
    return torch.matmul(torch.softmax(scores, -1), parts.matrix(x))


@block
def softmax_by_hand(parts: Any, x: Tensor, seen: Tensor) -> Any:
    scores = torch.exp(torch.einsum("bsd,btd->bst", torch.tanh(parts.linear(x)), x) * 0.2)
    return torch.einsum("bst,btd->bsd", scores / scores.sum(-1, keepdim=True), x)


@block
def causal_heads(parts: Any, x: Tensor, seen: Tensor) -> Any:
    heads = [
        layer(x).view(*x.shape[:2], 2, SIZE // 2).transpose(1, 2)
        for layer in (parts.linear, parts.second, parts.matrix)
    ]
    query, key, value = heads
    out = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    return out.transpose(1, 2).reshape(x.shape)


# ---- places and movements -----------------------------------------------------------------------


@block
def places(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return x + parts.places(torch.arange(x.shape[1]).expand(x.shape[:2]))


@block
def joined_with_constants(parts: Any, x: Tensor, seen: Tensor) -> Any:
    vector = parts.vector.expand(*x.shape[:2], SIZE)
    return functional.linear(torch.cat([x, vector], -1), parts.wide.weight.t(), parts.vector)


@block
def start_token(parts: Any, x: Tensor, seen: Tensor) -> Any:
    start = parts.vector.repeat(len(x), 1, 1)
    return torch.cat((start, x), 1)[:, :-1] + x


@block
def hidden_by_mask(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return x.masked_fill((seen == 0).unsqueeze(-1), -0.7) * 0.9


@block
def chosen_by_mask(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return torch.where(seen.bool().unsqueeze(-1), parts.linear(x), parts.vector)


@block
def added_in_place(parts: Any, x: Tensor, seen: Tensor) -> Any:
    out = parts.linear(x)
    out += parts.vector
    out.mul_(0.5).add_(x)
    out[:, 0] = parts.vector
    return out


@block
def gathered(parts: Any, x: Tensor, seen: Tensor) -> Any:
    order = torch.arange(x.shape[1]).roll(1).reshape(1, -1, 1).expand(x.shape)
    return x.gather(1, order) + x.index_select(2, torch.tensor([1, 0, 3, 2]))


@block
def best_words_first(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return torch.sort(x, dim=1, descending=True).values - 0.5 * x[:, torch.arange(x.shape[1])]


@block
def differences(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return functional.pad(x[:, 1:] - x[:, :-1], (0, 0, 0, 1)) + x.cumsum(1) / LONGEST


@block
def pooled_windows(parts: Any, x: Tensor, seen: Tensor) -> Any:
    across = x.transpose(1, 2)
    best = functional.max_pool1d(across, 3, stride=1, padding=1)
    return (best - functional.avg_pool1d(across, 3, stride=1, padding=1)).transpose(1, 2)


@block
def folded(parts: Any, x: Tensor, seen: Tensor) -> Any:
    first, second = parts.wide(x).chunk(2, -1)
    return torch.stack([first, second], 0).flip(0).sum(0) + torch.cat([x[..., 2:], x[..., :2]], -1)


@block
def winner(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return x - x.amax(1, keepdim=True) + x.amin((1, 2), keepdim=True)


# ---- recurrences --------------------------------------------------------------------------------


@block
def lstm(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.lstm(x)[0]


@block
def gru(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.gru(x.transpose(0, 1), parts.vector.expand(2, len(x), SIZE).contiguous())[
        0
    ].transpose(0, 1)


@block
def rnn(parts: Any, x: Tensor, seen: Tensor) -> Any:
    return parts.rnn(x * 0.5)[0] * 0.5


@block
def packed_gru(parts: Any, x: Tensor, seen: Tensor) -> Any:
    lengths = seen.sum(1).clamp(min=1)
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    out, _ = nn.utils.rnn.pad_packed_sequence(
        parts.lstm(packed)[0], batch_first=True, total_length=x.shape[1]
    )
    return out


@block
def cells(parts: Any, x: Tensor, seen: Tensor) -> Any:
    state = x.new_zeros(len(x), SIZE)
    both, hidden, said = (state, state), parts.vector.expand(len(x), SIZE), []
    for step in x.unbind(1):
        both = parts.lstm_cell(step, both)
        hidden = parts.gru_cell(both[0], hidden)
        said.append(hidden)
    return torch.stack(said, 1)


# ---- from words to a text -----------------------------------------------------------------------

Pool = Callable[[Any, Tensor, Tensor], Tensor]


def attentive(parts: Any, x: Tensor, seen: Tensor) -> Tensor:
    """Return a mean by learned weights."""
    asked = parts.matrix(torch.tanh(parts.linear(x)))[..., :1]
    weights = asked.masked_fill((seen == 0).unsqueeze(-1), -torch.inf).softmax(1)
    mean: Tensor = (weights * x).sum(1)
    return mean


POOLS: dict[str, Pool] = {
    "max": lambda parts, x, seen: x.max(1).values,
    "min": lambda parts, x, seen: torch.amin(x, dim=1),
    "mean": lambda parts, x, seen: x.mean(dim=1),
    "masked mean": lambda parts, x, seen: (
        (x * seen.unsqueeze(-1)).sum(1) / seen.sum(1, keepdim=True).clamp(min=1)
    ),
    "sum": lambda parts, x, seen: x.sum((1,)) * 0.2,
    "first": lambda parts, x, seen: x[:, 0],
    "last seen": lambda parts, x, seen: x[torch.arange(len(x)), (seen.sum(1) - 1).clamp(min=0)],
    "adaptive": lambda parts, x, seen: functional.adaptive_max_pool1d(x.transpose(1, 2), 1)[..., 0],
    "attentive": attentive,
    "norm": lambda parts, x, seen: torch.linalg.vector_norm(x, dim=1),
    "variance": lambda parts, x, seen: torch.var(x, 1, unbiased=False),
    "two best": lambda parts, x, seen: x.topk(2, 1).values.mean(1) if x.shape[1] > 1 else x[:, 0],
}


class Stack(nn.Module):
    """Some blocks, one after the other, and a pool."""

    def __init__(self, names: list[str], pool: str, classes: int = 3) -> None:
        super().__init__()
        self.names, self.pool = names, pool
        self.embedding = nn.Embedding(WORDS, SIZE)
        self.layers = nn.ModuleList(Parts() for _ in (*names, pool))
        self.output = nn.Linear(SIZE, classes)

    def forward(self, input_ids: Tensor) -> object:
        seen = (input_ids != PAD).long()
        x = self.embedding(input_ids)
        for name, layer in zip(self.names, self.layers, strict=False):
            x = BLOCKS[name](layer, x, seen)
        return self.output(POOLS[self.pool](self.layers[-1], x, seen))


def made_stack(names: list[str], pool: str, seed: int = 0, dead: bool = False) -> nn.Module:
    """Return a stack in float64; half of its units are dead, or some words are zeros."""
    module = enliven(Stack(names, pool).double(), seed)
    if dead:
        with torch.no_grad():
            for name, one in module.named_parameters():
                if name == "embedding.weight":
                    one[::3] = 0
                elif one.dim() == 1 and name.endswith("bias"):
                    one[: len(one) // 2] -= 40
                    one[len(one) // 2 :] = 0
    return module
