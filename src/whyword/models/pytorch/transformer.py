"""A transformer: fine-tuned here, or brought along as a Hugging Face folder."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from torch import nn

from whyword.base.checks import expand_path, file_name, one_of, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write
from whyword.base.printable import shown
from whyword.base.progress import OnProgress
from whyword.models.bases import BASES, base_folder
from whyword.models.imported import HUB
from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.encoding import DELETIONS, TokenizerEncoder
from whyword.models.pytorch.hub import hub_folder
from whyword.models.pytorch.place_tables import configured_places
from whyword.models.pytorch.pooled import PooledEncoder
from whyword.models.pytorch.pretrained import built_classifier, read_base, read_classifier
from whyword.models.pytorch.stored import a_flag, fill, stored_encoder
from whyword.models.pytorch.trained import TrainedNetwork
from whyword.models.pytorch.training import CHECKS
from whyword.models.stored import Check, StoredModel, a_dict, list_of_numbers, optional
from whyword.models.stored_reader import stored_reader
from whyword.words.document import Document
from whyword.words.reader import Reader

CLS, MEAN = POOLINGS = ("cls", "mean")
EMBEDDINGS, NOTHING = "embeddings", "nothing"


def _frozen(name: str, value: object) -> str | int:
    """Return what stays as it is: "nothing", "embeddings", or them and so many layers."""
    if isinstance(value, str) and value not in (NOTHING, EMBEDDINGS):
        raise InputError(
            Argument(name),
            f" may be {EMBEDDINGS!r}, {NOTHING!r} or a number of layers, not {shown(value)}",
        )
    return value if isinstance(value, str) else whole_number(name, value, least=0, most=1000)


class TransformerClassifier(TrainedNetwork):
    """A pretrained transformer, fine-tuned on labelled texts.

    Parameters
    ----------
    base : str or Path
        A Hugging Face folder with an encoder (``config.json``, ``model.safetensors``,
        ``tokenizer.json``), the name of one that is fetched (``"minilm-l6"``), or
        ``hf:owner/name``.
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
    length : int, optional
        How many pieces are read at a time, at most as many as it has positions (None: just so
        many); a longer text is read in overlapping windows, and its scores are their mean. In
        training one of them is drawn in each epoch.
    epochs, batch_size : int
    learning_rate : float
        Of AdamW, at its highest: it grows linearly over the first tenth of the training, then
        falls to zero.
    l2 : float
        Strength of the pull of matrices towards zero (weight decay).
    word_dropout : float
        Share of words that are masked at random while training, all pieces of each.
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
    checks: ClassVar[Mapping[str, Check[Any]]] = {
        "layers": optional(partial(whole_number, most=1000)),
        "frozen": _frozen,
        "pooling": partial(one_of, choices=POOLINGS),
        "hidden": optional(partial(whole_number, most=100_000)),
        "length": optional(partial(whole_number, least=8, most=1 << 20)),
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
        length: int | None = 128,
        epochs: int = 4,
        batch_size: int = 32,
        learning_rate: float = 5e-4,
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

    # ---- training -----------------------------------------------------------------------------

    def _untrained(self, documents: Sequence[Document], classes: NDArray[Any]) -> TorchClassifier:
        if self.hidden is not None and self.pooling != MEAN:
            raise InputError(Argument("hidden"), " is for ", Argument("pooling", MEAN))
        read = read_base(
            _base_folder(self.base),
            [str(label) for label in classes.tolist()],
            layers=self.layers,
            attention_dropout=0.0,  # with it, attention has no fast kernel
        )
        module = self._with_head(read.module, len(classes))
        _freeze(module, self.frozen)
        return self._wrapped(module, read.encoder, classes, Reader.of(self.reader, self.max_words))

    def _with_head(self, module: nn.Module, scores: int) -> nn.Module:
        """Return the model with the head that was asked for."""
        if self.pooling == CLS:
            return module
        encoder: nn.Module = module.base_model  # type: ignore[assignment]
        return PooledEncoder(encoder, scores, self.hidden).eval()

    def _wrapped(
        self,
        module: nn.Module,
        encoder: object,
        classes: NDArray[Any],
        reader: Reader,
        **labels: Any,
    ) -> TorchClassifier:
        return TorchClassifier(
            module,
            encoder,
            classes.tolist(),
            deletion=self.deletion,
            window=self._window(module),
            reader=reader,
            **labels,
        )

    def _window(self, module: nn.Module) -> int | None:
        """Return how many pieces are read at a time: as many as were asked for, and fit in."""
        places = configured_places(module)
        if self.length is None or places is None:
            return self.length
        return min(self.length, places)

    def _results(self) -> dict[str, Any]:
        return {"base": str(self.base)}

    # ---- brought along ------------------------------------------------------------------------

    @classmethod
    def from_folder(cls, folder: str | Path) -> Self:
        """Return the classifier of a Hugging Face folder, as it is.

        Parameters
        ----------
        folder : str or Path
            Of any ``AutoModelForSequenceClassification`` with a fast tokenizer. Nothing in it is
            run, and nothing is fetched.
        """
        path = expand_path(folder)
        read = read_classifier(path)
        model = cls.from_module(read.module, read.encoder, read.classes, multilabel=read.multilabel)
        model.base = str(path)
        model.provenance_ = model._results()
        return model

    @classmethod
    def from_module(
        cls, module: nn.Module, encode: object, classes: Iterable[Any], *, multilabel: bool = False
    ) -> Self:
        """Return the classifier that a trained module is, so that it can be kept as a folder.

        Parameters
        ----------
        module : nn.Module
            A ``…ForSequenceClassification`` of transformers', or a
            :class:`~whyword.models.pytorch.pooled.PooledEncoder`; in eval mode.
        encode : fast tokenizer
        classes : iterable of C labels
        multilabel : bool
            Whether several of them may be right at once.
        """
        head: dict[str, Any] = {"pooling": CLS}
        if isinstance(module, PooledEncoder):
            head = {"pooling": MEAN, "hidden": module.hidden}
        model = cls(frozen=NOTHING, length=None, **head)
        model.classes_ = np.array(list(classes))
        model.classifier_ = model._wrapped(
            module, encode, model.classes_, Reader(), multilabel=multilabel
        )
        model.parameters_, model.training_words_ = model._kept_parameters(), None
        model.provenance_ = {}
        return model

    # ---- keeping ------------------------------------------------------------------------------

    def save(self, folder: str | Path) -> str:
        """Write the model to a folder, for us and for Hugging Face; return its identity.

        ``AutoTokenizer`` and, with ``pooling="cls"``, ``AutoModelForSequenceClassification`` load
        it; with "mean" ``AutoModel`` has the encoder, and the head is in ``model.safetensors``.
        """
        identity = super().save(folder)
        path = expand_path(folder)
        tokenizer = self.classifier_.encoder.tokenizer  # type: ignore[attr-defined]
        tokenizer.save_pretrained(path)
        with atomic_write(path / "config.json") as draft:
            text = json.dumps(self._config(), indent=2, ensure_ascii=False)
            draft.write_text(text + "\n", encoding="utf-8")
        return identity

    def _config(self) -> dict[str, Any]:
        """Return the configuration as Hugging Face has it, as plain data."""
        module = self.classifier_.module
        built = module.get_submodule(module.prefix) if isinstance(module, PooledEncoder) else module
        config: Any = built.config
        settings: dict[str, Any] = json.loads(config.to_json_string(use_diff=False))
        for name in ("_name_or_path", "transformers_version"):  # no part of what it is
            settings.pop(name, None)
        return settings | {"architectures": [type(built).__name__]}

    def _described(self) -> dict[str, Any]:
        model = self.classifier_
        return {
            "config": self._config(),
            "encoding": model.encoder.settings,
            "multilabel": model.is_multilabel,
            "thresholds": model.thresholds_.tolist(),
        }

    @classmethod
    def _rebuilt(cls, stored: StoredModel, model: Self) -> TorchClassifier:
        config = stored.settings.take("config", a_dict)
        base = model.provenance_.get("base")
        model.base = base if isinstance(base, str) else model.base  # for who trains it again
        encoder = stored_encoder(stored)
        if not isinstance(encoder, TokenizerEncoder):
            raise stored.fault("it has no tokenizer")
        several = stored.settings.take("multilabel", a_flag)
        thresholds = stored.settings.take("thresholds", list_of_numbers)
        module = model._with_head(built_classifier(config, stored.shapes()), len(model.classes_))
        fill(stored, module)
        reader = stored_reader(stored.settings)
        labels = {"multilabel": True, "threshold": thresholds} if several else {}
        return model._wrapped(module, encoder, model.classes_, reader, **labels)


def _base_folder(base: object) -> Path:
    """Return the folder of a base: a path, the name of one, or one of a hub."""
    if not isinstance(base, str | Path):
        raise InputError(Argument("base"), f" is named by a str or Path, not {shown(base)}")
    if isinstance(base, str) and base.startswith(HUB):
        return hub_folder(base)
    path = expand_path(base)
    if path.exists():
        return path
    if base not in BASES:
        raise InputError(
            Argument("base"),
            f": there is no folder {file_name(path)}, and no base of that name; known are "
            f"{', '.join(BASES)}, and hf:owner/name is one of the hub's",
        )
    return base_folder(str(base))


def _freeze(module: nn.Module, what: str | int) -> None:
    """Let some of a transformer's weights stay as they are while it is trained."""
    if what == NOTHING:
        return
    table = module.get_input_embeddings()  # type: ignore[operator]
    named = dict(module.named_modules())
    (name,) = [name for name, part in named.items() if part is table]
    around, _, _ = name.rpartition(".")
    embeddings = named[around] if "embed" in around.rpartition(".")[2] else table
    embeddings.requires_grad_(False)
    if isinstance(what, str):
        return
    lists = [part for part in named.values() if isinstance(part, nn.ModuleList) and len(part)]
    if not lists or what > len(lists[0]):
        there = len(lists[0]) if lists else 0
        raise InputError(Argument("frozen"), f" is {what} layers; the model has {there}")
    for layer in lists[0][:what]:
        layer.requires_grad_(False)
