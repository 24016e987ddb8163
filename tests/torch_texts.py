"""Small PyTorch text classifiers, trained on texts about topics: one for each way to encode texts.

Importable as it stands: what the command line calls ``module:function()``, and other processes.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import torch
from networks import COMMON, TOPICS, topical
from torch import Tensor, nn
from toys import several_topics

import whyword as ww

WORDS = [*COMMON, *(word for topic in TOPICS.values() for word in topic)]
VOCABULARY = {word: number for number, word in enumerate(["<pad>", "<unk>", *WORDS])}
CLASSES = sorted(TOPICS)
TEXTS, LABELS = topical(40, seed=1)  # that none was trained on
SEVERAL, TRUE = several_topics(40, seed=1)


class Recurrent(nn.Module):
    """Word vectors, an LSTM in both directions, the largest of its states over the text."""

    def __init__(self, classes: int = 3, size: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, bidirectional=True, batch_first=True)
        self.output = nn.Linear(2 * size, classes)

    def forward(self, input_ids: Tensor) -> Tensor:
        states, _ = self.lstm(self.embedding(input_ids))
        scores: Tensor = self.output(states.max(1).values)
        return scores


class Convolution(nn.Module):
    """Word vectors, a convolution, the largest over the text."""

    def __init__(self, classes: int = 3, size: int = 12) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), size, padding_idx=0)
        self.convolution = nn.Conv1d(size, 2 * size, 2, padding=1)
        self.output = nn.Linear(2 * size, classes)

    def forward(self, input_ids: Tensor) -> Tensor:
        found = self.convolution(self.embedding(input_ids).transpose(1, 2)).relu()
        scores: Tensor = self.output(found.amax(2))
        return scores


def ids_of(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return ids and spans of a text's words: a function that encodes."""
    ids, spans, start = [], [], 0
    for word in text.split():
        start = text.index(word, start)
        ids.append(VOCABULARY.get(word.lower(), 1))
        spans.append((start, start + len(word)))
        start += len(word)
    return ids, spans


def train(
    module: nn.Module, inputs: dict[str, Tensor], truth: Tensor, steps: int = 40
) -> nn.Module:
    """Return the module, trained: on classes, or on labels if there is a column for each."""
    loss_of = nn.BCEWithLogitsLoss() if truth.dim() > 1 else nn.CrossEntropyLoss()
    optimiser = torch.optim.Adam(module.parameters(), 0.03)
    for _ in range(steps):
        said: Any = module(**inputs)
        optimiser.zero_grad()
        loss_of(getattr(said, "logits", said), truth).backward()
        optimiser.step()
    return module.eval().requires_grad_(False)


def padded(texts: Iterable[str]) -> dict[str, Tensor]:
    """Return the ids of texts, (B, T)."""
    rows = [torch.tensor(ids_of(text)[0]) for text in texts]
    return {"input_ids": nn.utils.rnn.pad_sequence(rows, batch_first=True)}


def of_classes(labels: Iterable[str]) -> Tensor:
    """Return the numbers of classes."""
    return torch.tensor([CLASSES.index(label) for label in labels])


@cache
def recurrent() -> "ww.TorchClassifier":
    """Return a model that reads words by a dict."""
    torch.manual_seed(0)
    texts, labels = topical(60)
    module = train(Recurrent(), padded(texts), of_classes(labels))
    return ww.TorchClassifier(module, VOCABULARY, CLASSES)


@cache
def tokenizer() -> Any:
    """Return a fast tokenizer that cuts words into pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    whole = [word for word in WORDS if len(word) < 7]  # the others are of two pieces
    pieces = [piece for word in WORDS if len(word) > 6 for piece in (word[:4], "##" + word[4:])]
    known = {word: number for number, word in enumerate(dict.fromkeys([*special, *whole, *pieces]))}
    inner = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, cls_token="[CLS]", sep_token="[SEP]", model_max_length=64, **names
    )


@cache
def bert() -> "ww.TorchClassifier":
    """Return a model that reads pieces of words by a tokenizer."""
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    texts, labels = topical(60)
    config = BertConfig(
        vocab_size=len(tokenizer()),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=64,
        num_labels=3,
    )
    inputs = tokenizer()(texts, return_tensors="pt", padding=True)
    module = train(BertForSequenceClassification(config), dict(inputs), of_classes(labels))
    return ww.TorchClassifier(module, tokenizer(), CLASSES)


@cache
def several() -> "ww.TorchClassifier":
    """Return a model of several labels, which reads words by a function."""
    torch.manual_seed(0)
    texts, labels = several_topics(60)
    module = train(Convolution(), padded(texts), truth_of(labels))
    return ww.TorchClassifier(
        module, ids_of, CLASSES, pad=0, min_length=2, multilabel=True, name="topics 1"
    )


def truth_of(labels: Sequence[tuple[str, ...]]) -> Tensor:
    """Return which labels texts have, (B, C)."""
    return torch.tensor([[float(one in some) for one in CLASSES] for some in labels])
