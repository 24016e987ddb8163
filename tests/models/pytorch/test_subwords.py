"""Words of sub-words: whatever the text is, nothing of it is lost, and it adds up."""

import string
import unicodedata
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch_networks import enliven

import whyword as ww
from whyword.models.pytorch.trace import TorchTrace

pytestmark = pytest.mark.slow("transformers")

SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
WINDOW = 12
TWO = np.array([[0, 1]], np.int32)
pieces_of_text = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["2020", "3.14", "😡", "👩‍👩‍👧", "🇩🇪", "C++", "don't", "naïve", "İ", "日本語", "e\u0301"]
    ),
    st.sampled_from([" ", "\n", "\t", "\u00a0", "\u200b", "\x00", "\ufffd", "\u202e", "a" * 120]),
    st.characters(categories=["Cs"]),
)
texts = st.lists(pieces_of_text, max_size=12).map("".join)


def fast(inner: Any) -> Any:
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    pairs = [(one, SPECIAL.index(one)) for one in ("<s>", "</s>")]
    inner.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=pairs)
    names = {f"{name}_token": f"<{name}>" for name in ("pad", "unk", "mask")}
    return PreTrainedTokenizerFast(tokenizer_object=inner, **names)


def word_pieces() -> Any:
    """Return a tokenizer of letters, digits and what follows them in a word; else it is unknown."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    single = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    words = [*SPECIAL, *single, *(f"##{one}" for one in single), "the", "do", "##n", "20", "##20"]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    inner = Tokenizer(models.WordPiece(numbers, unk_token="<unk>"))
    inner.normalizer = normalizers.BertNormalizer()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return fast(inner)


def byte_pairs() -> Any:
    """Return a tokenizer of bytes, some of them in pairs."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    single = sorted(pre_tokenizers.ByteLevel.alphabet())
    pairs = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("2", "0"), ("20", "20")]
    words = [*SPECIAL, *single, *("".join(pair) for pair in pairs)]
    inner = Tokenizer(models.BPE({word: n for n, word in enumerate(words)}, pairs))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return fast(inner)


class Masked(nn.Module):
    """What words say, weighed by what they are."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.embedding, self.look = nn.Embedding(words, 3), nn.Linear(3, 1)
        self.output = nn.Linear(3, 2)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        x = torch.tanh(self.embedding(input_ids))
        asked = self.look(x)[..., 0].masked_fill(attention_mask == 0, -torch.inf)
        return self.output((asked.softmax(1).unsqueeze(-1) * x).sum(1))


@cache
def model(name: str) -> ww.TorchClassifier:
    tokenizer = {"word pieces": word_pieces, "byte pairs": byte_pairs}[name]()
    module = enliven(Masked(len(tokenizer)).double())
    return ww.TorchClassifier(module, tokenizer, ["no", "yes"], window=WINDOW)


def traced(one: ww.TorchClassifier, text: str) -> TorchTrace:
    (trace,) = one.trace([text], columns=2)
    return trace


def is_lasting(letter: str) -> bool:
    """Whether no tokenizer may drop a character: letters, digits, signs, emoji.

    (BERT's own drops U+FFFD, which stands for what could not be decoded.)
    """
    return letter != "\ufffd" and unicodedata.category(letter) in (
        "Lu",
        "Ll",
        "Lo",
        "Nd",
        "So",
        "Sc",
        "Sm",
        "Po",
    )


@pytest.mark.parametrize("name", ["word pieces", "byte pairs"])
@settings(max_examples=60)
@given(text=texts)
def test_nothing_is_lost_of_any_text(name: str, text: str) -> None:
    one = model(name)
    trace = traced(one, text)
    (document,) = trace.documents
    covered = [place for start, end in document.spans.tolist() for place in range(start, end)]
    assert covered == [place for place, letter in enumerate(text) if not letter.isspace()]
    pieces = one.encoder(document).pieces
    for number, (start, end) in enumerate(document.spans.tolist()):
        if any(map(is_lasting, text[start:end])):
            assert number in pieces.word
    shares = np.bincount(pieces.piece, pieces.share, pieces.count)
    np.testing.assert_allclose(shares, 1.0 * pieces.of_words)
    found = trace.lrp(TWO)
    assert found.units is not None
    own = found.units[0][pieces.of_words].sum(0)
    np.testing.assert_allclose(found.words[0].sum(0), own, atol=1e-12)
    total = found.words[0].sum(0) + found.padding[0] + found.constant[0]
    np.testing.assert_allclose(total, trace.scores[0], atol=1e-10)
    windows = -(-(max(pieces.count - 2, 1) - (WINDOW - 2)) // ((WINDOW - 2) // 2)) + 1
    assert trace.recorded(0).get("windows", 1) == max(1, windows)


@pytest.mark.parametrize("name", ["word pieces", "byte pairs"])
def test_spans_are_those_of_the_words(name: str) -> None:
    text = "In 2020, the naïve 😡 don't!"
    document = next(iter(model(name).documents([text])))
    words = [text[start:end] for start, end in document.spans.tolist()]
    assert words == ["In", "2020,", "the", "naïve", "😡", "do", "n't", "!"]
    pieces = model(name).encoder(document).pieces
    assert set(pieces.word.tolist()) == set(range(8))
    counts = np.bincount(pieces.word)
    assert counts[2] == 1  # a piece of its own
    assert counts[4] == (1 if name == "word pieces" else 4)  # unknown, or four bytes
    found = ww.explain(model(name), text, "all")
    assert found.conserved
    assert (np.abs(found.relevance).max(1) > 0).all()
