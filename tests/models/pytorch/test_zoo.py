"""Many architectures, unmodified: relevance adds up, and the module is left as it was.

Tiny random configurations; nothing is downloaded.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import (
    END,
    PAD,
    START,
    WORDS,
    booked,
    encode,
    enliven,
    freeze,
    ragged,
    state_of,
)

import whyword as ww

TEXTS = ["The film was not good at all", "I liked the music", "music", "good film at all, at all"]


class DeepConvolutions(nn.Module):
    """Three convolutions with batch norm; what is masked is zero, and never wins."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8)
        self.layers = nn.ModuleList(nn.Conv1d(8, 8, width, padding="same") for width in (3, 1, 5))
        self.norms = nn.ModuleList(nn.BatchNorm1d(8) for _ in range(3))
        self.output = nn.Linear(16, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        seen = attention_mask.unsqueeze(1)
        hidden = self.embedding(input_ids).transpose(1, 2) * seen
        for layer, norm in zip(self.layers, self.norms, strict=True):
            hidden = torch.relu(norm(layer(hidden))) * seen
        best = hidden.masked_fill(seen == 0, -torch.inf).amax(2)
        return self.output(torch.cat([best, hidden.sum(2) / seen.sum(2)], 1))


class Attentive(nn.Module):
    """Two layers of GRU both ways; attention pools what is not masked."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8)
        self.cells = nn.GRU(8, 5, num_layers=2, bidirectional=True)
        self.start = nn.Parameter(torch.zeros(4, 1, 5))
        self.look, self.query = nn.Linear(10, 6), nn.Linear(6, 1, bias=False)
        self.output = nn.Linear(10, 3)

    def forward(self, ids: Tensor) -> object:
        hidden, _ = self.cells(self.embedding(ids.t()), self.start.repeat(1, len(ids), 1))
        asked = self.query(torch.tanh(self.look(hidden)))
        weights = torch.softmax(asked.masked_fill((ids.t() == PAD).unsqueeze(-1), -1e9), 0)
        return self.output((weights * hidden).sum(0))


class Packed(nn.Module):
    """A packed sequence, its texts in any order."""

    def __init__(self, kind: Callable[..., nn.Module]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8)
        self.cells = kind(8, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.output = nn.Linear(10, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(input_ids), attention_mask.sum(1), batch_first=True, enforce_sorted=False
        )
        packed, last = self.cells(packed)
        hidden, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-9.0)
        states, cells = last if isinstance(last, tuple) else (last, last)
        ends = torch.cat([states[-2], states[-1]], 1) + torch.cat([cells[0], cells[3]], 1)
        return self.output(hidden.max(1).values + ends)


class Encoder(nn.Module):
    """nn.TransformerEncoder, which has a way of its own when nobody differentiates."""

    def __init__(self, norm_first: bool, nested: bool, activation: str = "gelu") -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8)
        self.places = nn.Parameter(torch.zeros(1, 40, 8))
        layer = nn.TransformerEncoderLayer(
            8, 2, 16, norm_first=norm_first, batch_first=True, activation=activation
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=nested)
        self.output = nn.Linear(8, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        hidden = self.embedding(input_ids) * 8**0.5 + self.places[:, : input_ids.shape[1]]
        hidden = self.encoder(hidden, src_key_padding_mask=attention_mask == 0)
        seen = attention_mask.unsqueeze(-1)
        return self.output((hidden * seen).sum(1) / seen.sum(1))


class Bag(nn.Module):
    """FastText: the vectors of words, added up in one step; in rows, or one after the other."""

    def __init__(self, mode: str, flat: bool = False) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(WORDS, 8, mode=mode, padding_idx=PAD)
        self.output, self.flat = nn.Linear(8, 3), flat

    def forward(self, ids: Tensor) -> object:
        if self.flat:
            starts = torch.arange(len(ids)) * ids.shape[1]
            return self.output(self.embedding(ids.flatten(), starts))
        return self.output(self.embedding(ids))


OWN: dict[str, Callable[[], nn.Module]] = {
    "deep CNN": DeepConvolutions,
    "bi-GRU, attention": Attentive,
    "packed LSTM": lambda: Packed(nn.LSTM),
    "packed GRU": lambda: Packed(nn.GRU),
    "encoder, post-norm, fast": lambda: Encoder(False, True),
    "encoder, post-norm": lambda: Encoder(False, False, "relu"),
    "encoder, pre-norm": lambda: Encoder(True, False),
    "bag, mean": lambda: Bag("mean"),
    "bag, sum": lambda: Bag("sum", flat=True),
    "bag, max": lambda: Bag("max"),
}
# whose padding is not masked, so that the scores of a text change beside longer ones
UNMASKED = ("bi-GRU, attention",)

_SMALL: dict[str, Any] = {
    "vocab_size": WORDS,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}
_BART = {
    f"{part}_{name}": size
    for part in ("encoder", "decoder")
    for name, size in (("layers", 2), ("attention_heads", 2), ("ffn_dim", 24))
}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "Bert": _SMALL,
    "Roberta": _SMALL,
    "XLMRoberta": _SMALL,
    "Electra": _SMALL | {"embedding_size": 12},
    "DistilBert": {"vocab_size": WORDS, "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24},
    "Albert": _SMALL | {"embedding_size": 8},
    "MPNet": _SMALL,
    "ModernBert": _SMALL
    | {
        "global_attn_every_n_layers": 2,
        "local_attention": 4,
        "norm_bias": True,
        "attention_bias": True,
        "mlp_bias": True,
        "classifier_bias": True,
        "cls_token_id": START,
        "sep_token_id": END,
    },
    "DebertaV2": _SMALL
    | {
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "norm_rel_ebd": "layer_norm",
        "position_buckets": 8,
        "share_att_key": True,
    },
    "Bart": {
        "vocab_size": WORDS,
        "d_model": 16,
        "decoder_start_token_id": END,
        "forced_eos_token_id": END,
    }
    | _BART,
    "GPT2": {"vocab_size": WORDS, "n_embd": 16, "n_layer": 2, "n_head": 2},
    "Llama": _SMALL | {"num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True},
    "Qwen3": _SMALL | {"num_key_value_heads": 1, "head_dim": 8, "attention_bias": True},
}


def ready_made(name: str, **more: object) -> nn.Module:
    """Return a sequence classifier of transformers, tiny, its weights random."""
    import transformers

    tokens = {"pad_token_id": PAD, "bos_token_id": START, "eos_token_id": END}
    settings = CONFIGURATIONS[name] | tokens | {"num_labels": 3} | more
    configuration = getattr(transformers, f"{name}Config")(**settings)
    module: nn.Module = getattr(transformers, f"{name}ForSequenceClassification")(configuration)
    return module


def made(name: str) -> nn.Module:
    """Return an architecture of the zoo."""
    return enliven(OWN[name]() if name in OWN else ready_made(name))


# one architecture for each mechanism; the others vary these
DISTINCT = ("Bert", "Roberta", "ModernBert", "DebertaV2", "Bart", "GPT2", "Llama")
MORE = [
    pytest.param(name, marks=pytest.mark.nightly(reason="varies another architecture"))
    for name in sorted(CONFIGURATIONS.keys() - DISTINCT)
]
EVERY = [*OWN, *DISTINCT, *MORE]
pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors"),
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated"),  # of DeBERTa's module
]


def same(one: Any, other: Any) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", EVERY)
def test_relevance_of_an_architecture_adds_up(name: str) -> None:
    """Residual, forward pass, padding, the module itself: of one ragged batch."""
    module, ids = made(name), ragged()
    before = state_of(module)
    whole = freeze(module, ids)
    assert len(whole.passes) == 1  # the texts of a batch are never mixed up
    assert whole.residual.max() <= 1e-5
    assert np.abs(whole.found.constant).max() > 1e-3  # biases are large, so the test can fail
    masked = name in CONFIGURATIONS or "attention_mask" in module.forward.__code__.co_varnames
    with torch.no_grad():
        own = module(ids, **({"attention_mask": (ids != PAD).long()} if masked else {}))
    same(whole.scores, getattr(own, "logits", own).double().numpy())
    assert state_of(module) == before
    if name in UNMASKED:
        return
    padding = (ids == PAD).numpy()
    assert not whole.found.tokens[padding].any()
    assert not whole.found.places[padding].any()
    for row, text in enumerate(ids):
        alone = freeze(module, text[text != PAD].unsqueeze(0))
        length = alone.found.tokens.shape[1]
        same(whole.found.tokens[row, :length], alone.found.tokens[0])
        same(whole.found.places[row, :length], alone.found.places[0])
        same(whole.found.constant[row], alone.found.constant[0])


@pytest.mark.parametrize("name", EVERY)
def test_constants_are_made_of_no_word(name: str) -> None:
    """Two texts of equal length: what is booked is the same, only gradients differ."""
    module, said, relevance = made(name), [], []
    for seed in (1, 2):
        with booked() as constants:
            relevance.append(freeze(module, ragged((8,), seed)).found)
        said.append(constants)
    assert [one for one, _ in said[0]] == [one for one, _ in said[1]]
    for (_, one), (_, other) in zip(*said, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)
    assert len(said[0]) > 0
    assert np.abs(relevance[0].tokens - relevance[1].tokens).max() > 1e-3


@pytest.mark.parametrize("name", EVERY)
def test_texts_are_explained(name: str) -> None:
    module = made(name)
    before = state_of(module)
    model = ww.TorchClassifier(module, encode, ["a", "b", "c"], pad=PAD, min_length=4)
    assert model.network.pads == (name not in UNMASKED)
    for one, scores in zip(ww.explain(model, TEXTS, "all"), model.class_scores(TEXTS), strict=True):
        assert np.abs(one.residual).max() <= 1e-5 * max(1, np.abs(one.scores).max())
        same(one.scores, scores)
        assert np.abs(one.relevance).max() > 1e-4
    assert not model.network.mixes
    assert state_of(module) == before


@pytest.mark.parametrize("name", ["encoder, post-norm, fast", "encoder, pre-norm"])
def test_a_module_that_is_not_trained_has_no_fast_path(name: str) -> None:
    module = made(name).requires_grad_(False)
    before = state_of(module)
    assert freeze(module, ragged()).residual.max() <= 1e-5
    assert state_of(module) == before


@pytest.mark.parametrize(
    "name",
    [
        *(one for one in DISTINCT if one != "DebertaV2"),
        *(one for one in MORE if one.values != ("MPNet",)),
    ],
)
def test_attention_that_is_written_out_adds_up(name: str) -> None:
    """By default it is one function of torch, but for the two that have no other way."""
    module = enliven(ready_made(name, attn_implementation="eager"))
    assert freeze(module, ragged()).residual.max() <= 1e-5
