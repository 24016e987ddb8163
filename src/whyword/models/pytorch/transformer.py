"""A transformer: fine-tuned here, or brought along as a Hugging Face folder."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from torch import nn

from whyword.base.checks import expand_path, flag, one_of, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write
from whyword.base.progress import OnProgress
from whyword.models.multilabel import thresholds_of
from whyword.models.pytorch.bases import base_folder
from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.encoding import DELETIONS, TokenizerEncoder, tokenizer_of
from whyword.models.pytorch.pooled import PooledEncoder
from whyword.models.pytorch.pretrained import module_of, read_base, read_classifier
from whyword.models.pytorch.trained import TrainedNetwork
from whyword.models.pytorch.training import CHECKS
from whyword.models.stored import Check, StoredModel, a_dict, list_of_numbers, optional
from whyword.models.stored_reader import stored_reader
from whyword.words.document import Document
from whyword.words.reader import Reader

CLS, MEAN = POOLINGS = ("cls", "mean")
EMBEDDINGS, NOTHING = "embeddings", "nothing"
_ATTENTION_DROPOUT = ("attention_probs_dropout_prob", "attention_dropout", "attn_pdrop")


def _frozen(name: str, value: object) -> str | int:
    """Return what stays as it is: "nothing", "embeddings", or them and so many layers."""
    if isinstance(value, str):
        return one_of(name, value, (NOTHING, EMBEDDINGS))
    return whole_number(name, value, least=0, most=1000)


class TransformerClassifier(TrainedNetwork):
    """A pretrained transformer, fine-tuned on labelled texts.

    Parameters
    ----------
    base : str or Path
        A Hugging Face folder with an encoder (``config.json``, ``model.safetensors``,
        ``tokenizer.json``), the name of one that is fetched (``"minilm-l6"``), or ``hf:owner/name``.
    layers : int, optional
        Take only so many of its layers, the first ones: training and reading get faster in
        proportion.
    frozen : {"embeddings", "nothing"} or int
        What stays as it is: the vectors of words and positions; nothing; or, a number, they and
        so many layers, from below.
    pooling : {"mean", "cls"}
        What the scores are made of: the mean over a text's tokens, or what the model's own head
        makes of its first (or last) token.
    hidden : int, optional
        With "mean", so many ReLUs before the scores.
    length : int
        How many pieces are read at a time; a longer text is read in overlapping windows, and its
        scores are their mean. In training one of them is drawn in each epoch.
    epochs, batch_size : int
    learning_rate : float
        Of AdamW, at its highest: it grows linearly over the first tenth of the training, then
        falls to zero.
    l2 : float
        Strength of the pull of matrices towards zero (weight decay).
    word_dropout : float
        Share of pieces that are masked at random while training.
    patience : int, optional
        Stop after so many epochs in a row that were no better on the documents held out.
    class_weight : None, "balanced" or dict
        Weight of each class in the loss.
    validation : int or float
        Number or share of documents held out, by class; the epoch that does best on them is
        kept. 0 trains on everything and keeps the last epoch.
    deletion : {"zero", "mask", "pad", "cut"}, optional
        What deleting a word means; by default what disturbs least, see docs/pytorch.md.
    precision : {"float32", "bfloat16"}, optional
        What training computes in; by default bfloat16 where the processor has it. Predictions and
        explanations are float32.
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    reader : Reader or None
        How texts are read, in training and ever after; None reads them as they are.
    seed : int
    on_progress : callable, bool or None
        Called with the :class:`~whyword.base.progress.Progress`, instead of a bar. True shows the
        bar, False does not, None does on a terminal only.

    Examples
    --------
    ::

        model = TransformerClassifier("minilm-l6", layers=2).fit(texts, labels)
        model.save("models/mini")  # also a Hugging Face folder
    """

    kind = "transformer"
    warmup = 0.1
    checks: ClassVar[Mapping[str, Check[Any]]] = {
        "layers": optional(partial(whole_number, most=1000)),
        "frozen": _frozen,
        "pooling": partial(one_of, choices=POOLINGS),
        "hidden": optional(partial(whole_number, most=100_000)),
        "length": partial(whole_number, least=8, most=1 << 20),
        "deletion": optional(partial(one_of, choices=DELETIONS)),
        **{
            name: CHECKS[name]
            for name in (
                "epochs",
                "batch_size",
                "learning_rate",
                "l2",
                "word_dropout",
                "patience",
                "validation",
                "precision",
                "max_words",
                "seed",
            )
        },
    }

    def __init__(
        self,
        base: str | Path = "minilm-l6",
        *,
        layers: int | None = None,
        frozen: str | int = EMBEDDINGS,
        pooling: str = MEAN,
        hidden: int | None = None,
        length: int = 256,
        epochs: int = 4,
        batch_size: int = 32,
        learning_rate: float = 3e-4,
        l2: float = 0.01,
        word_dropout: float = 0.1,
        patience: int | None = 2,
        class_weight: str | Mapping[Any, float] | None = None,
        validation: float = 0.1,
        deletion: str | None = None,
        precision: str | None = None,
        max_words: int | None = None,
        reader: Reader | None = None,
        seed: int = 0,
        on_progress: OnProgress | bool | None = None,
    ) -> None:
        self.base = base
        self.layers = layers
        self.frozen = frozen
        self.pooling = pooling
        self.hidden = hidden
        self.length = length
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l2 = l2
        self.word_dropout = word_dropout
        self.patience = patience
        self.class_weight = class_weight
        self.validation = validation
        self.deletion = deletion
        self.precision = precision
        self.max_words = max_words
        self.reader = reader
        self.seed = seed
        self.on_progress = on_progress
