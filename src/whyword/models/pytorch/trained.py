"""A torch network that is trained here: scikit-learn's manners around a torch classifier."""

import copy
import logging
import time
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from whyword.base.checks import strings
from whyword.base.progress import reporting
from whyword.models.abilities import Layered, Reading, Recorded, Trained
from whyword.models.epochs import STAGE, Epoch, best_epoch, held_out_documents
from whyword.models.estimator import (
    Estimator,
    check_training_data,
    class_weights,
    stored_class_weight,
    stored_parameters,
)
from whyword.models.protocol import Positions, Scores
from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.draws import Draws
from whyword.models.pytorch.encoding import Encoded
from whyword.models.pytorch.module_weights import weights_state
from whyword.models.pytorch.trace import TorchTrace
from whyword.models.pytorch.training import Examples, Settings, Trainer, Window
from whyword.models.store import training_provenance
from whyword.models.stored import Check, StoredModel, list_of_strings, optional
from whyword.models.stored_reader import read_otherwise, reader_argument, reader_settings
from whyword.words.document import Document, Text, document_frequencies
from whyword.words.reader import Reader

log = logging.getLogger(__name__)


class TrainedNetwork(Estimator, Reading, Trained, Layered, Recorded):
    """What all kinds of torch network that are trained here have in common.

    A kind builds the module with what encodes texts for it (:meth:`_untrained`), and again from a
    folder (:meth:`_rebuilt`); it has the parameters of the trainer.

    Attributes
    ----------
    classes_ : (C,) array
    classifier_ : TorchClassifier
        The network, as it predicts and is explained.
    parameters_ : dict
        The arguments that it was trained with; those that are changed later are for the next time.
    training_words_ : list of str
        Lower-cased words of the training texts.
    provenance_ : dict
        What it was trained on, with which versions, and how well it did.
    """

    checks: ClassVar[Mapping[str, Check[Any]]]  # of the parameters that are kept
    shuffled_layers = TorchClassifier.shuffled_layers
    classifier_: TorchClassifier
    parameters_: dict[str, Any]
    training_words_: list[str] | None

    # what every kind has as parameters
    class_weight: str | Mapping[Any, float] | None
    validation: float
    max_words: int | None
    length: int | None
    reader: Reader | None
    seed: int
    on_progress: Any

    # ---- training -----------------------------------------------------------------------------

    @abstractmethod
    def _untrained(self, documents: Sequence[Document], classes: NDArray[Any]) -> TorchClassifier:
        """Return the network before training; torch is seeded.

        Parameters
        ----------
        documents : list of Document
            Of the training; the reader is theirs.
        classes : (C,) array
        """

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        """Train on texts and their labels."""
        start = time.perf_counter()
        checked, classes, numbers = check_training_data(texts, labels)
        for name, check in self.checks.items():
            check(name, getattr(self, name))
        settings = Settings.of(self.get_params())
        weights = class_weights(self.class_weight, classes, numbers)
        chosen = held_out_documents(self.validation, numbers, self.seed)
        documents = list(Reader.of(self.reader, self.max_words).documents(checked))
        draws = Draws(settings.seed)
        with draws:
            model = self._untrained(documents, classes)
        encoded = [model.encoded(model.with_units(one)) for one in documents]
        train = [one for one, out in zip(encoded, chosen, strict=True) if not out]
        held = [one for one, out in zip(encoded, chosen, strict=True) if out]
        trainer = Trainer(
            model.network,
            Examples([self._windows(model, one) for one in train], numbers[~chosen]),
            weights,
            settings,
            self._blank(model),
            partial(_accuracy, model, held, numbers[chosen]),
            draws,
        )
        with reporting(self.on_progress, STAGE) as report:
            state, best = best_epoch(trainer, settings.epochs, report, settings.patience)
        _warn_of_chance(best, numbers[chosen])
        model.module.load_state_dict(state, strict=False)  # frozen ones are not among them
        model.module.requires_grad_(False)
        self.classifier_, self.classes_, self._identity = model, classes, None
        self.parameters_ = self._kept_parameters()
        self.training_words_ = list(document_frequencies(documents))
        self.provenance_ = training_provenance(
            checked,
            numbers.tolist(),
            start,
            held_out=int(chosen.sum()),
            best_epoch=best.number,
            loss=best.loss,
            validation_accuracy=best.accuracy,
            **self._results(),
        )
        return self

    def _kept_parameters(self) -> dict[str, Any]:
        """Return the arguments that a folder keeps, as they are now."""
        return {name: getattr(self, name) for name in (*self.checks, "class_weight")}

    def _results(self) -> dict[str, Any]:
        """Return what else a training records."""
        return {}

    def _windows(self, model: TorchClassifier, text: Encoded) -> list[Window]:
        """Return what is trained on at a time of a text."""
        owners, window = text.pieces.owners, model.network.window
        sizes = [one for one in (self.length, window.size) if one is not None]
        window = window._replace(size=min(sizes, default=None))
        return [
            Window(text.ids[one], owners[one], text.hidden[one], text.zeroed[one])
            for one in window.places(text)
        ]

    def _blank(self, model: TorchClassifier) -> int | None:
        """Return what is read instead of words that are dropped in training."""
        return model.encoder.mask if model.encoder.mask is not None else model.network.pad

    # ---- predicting: the classifier's ---------------------------------------------------------

    @property
    def reader_(self) -> Reader:
        """How it reads."""
        self.check_fitted()
        return self.classifier_.reader_

    def with_reader(self, reader: Reader) -> Self:
        """Return a copy of the same network that reads otherwise."""
        other = copy.copy(self)
        other.classifier_, other._identity = self.classifier_.with_reader(reader), None
        read_otherwise(other, self.reader_)
        if "max_words" in self.parameters_:
            other.parameters_ = self.parameters_ | {"max_words": other.max_words}
        return other

    @property
    def training_words(self) -> Collection[str] | None:
        """The lower-cased words of the training texts; None if nobody knows them."""
        return self.training_words_

    @property
    def layer_names(self) -> list[str]:
        """The names of the network's parts."""
        self.check_fitted()
        return self.classifier_.layer_names

    @property
    def recorded(self) -> dict[str, Any]:
        """What explanations record of it."""
        self.check_fitted()
        return self.classifier_.recorded

    @property
    def module(self) -> nn.Module:
        """The torch module itself, in eval mode."""
        self.check_fitted()
        return self.classifier_.module

    @property
    def trace_kind(self) -> type[TorchTrace]:
        """The class of its traces."""
        return self.classifier_.trace_kind if hasattr(self, "classifier_") else TorchTrace

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with the words that the network sees."""
        return self.classifier_.documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[TorchTrace]:
        """Yield the texts in blocks; see :class:`~whyword.models.protocol.TextClassifier`."""
        return self.classifier_.trace(texts, deleted=deleted, columns=columns, elements=elements)

    def decision_function(self, texts: Iterable[str]) -> Scores:
        """Return the scores, (texts, C); of two classes s₁ − s₀, or the single s, (texts,)."""
        self.check_fitted()
        return self.classifier_.decision_function(strings("texts", texts))

    def predict_proba(self, texts: Iterable[str]) -> Scores:
        """Return the probability of each class, (texts, C)."""
        self.check_fitted()
        return self.classifier_.predict_proba(strings("texts", texts))

    def shuffled(self, layers: str, seed: int) -> Self:
        """Return a copy whose weights are in random order: all of them, or the last layer's."""
        other = copy.copy(self)
        other.classifier_ = self.classifier_.shuffled(layers, seed)
        other._identity = None
        return other

    # ---- keeping ------------------------------------------------------------------------------

    def _hashed_parts(self) -> dict[str, Any]:
        parts = super()._hashed_parts()
        if "classifier_" in parts:  # in place, weights change without another classifier
            parts["weights"] = weights_state(self.module)
        return parts

    @abstractmethod
    def _described(self) -> dict[str, Any]:
        """Return, as plain data, what the module and its encoder are built from again."""

    @classmethod
    @abstractmethod
    def _rebuilt(cls, stored: StoredModel, model: Self) -> TorchClassifier:
        """Return the network; its tensors and what :meth:`_described` said are taken."""

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""
        self.check_fitted()
        configuration = {
            "kind": self.kind,
            "classes": self.classes_.tolist(),
            "parameters": stored_parameters(self.parameters_),
            **self._described(),
            **reader_settings(self.reader_),
            "training_words": self.training_words_,
            "provenance": self.provenance_,
        }
        return self._tensors(), configuration

    def _tensors(self) -> dict[str, NDArray[Any]]:
        """Return the network's weights, and what else a folder keeps as tensors."""
        state = self.classifier_.module.state_dict()
        return {name: one.contiguous().numpy().copy() for name, one in state.items()}

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        """Put a model together from what :meth:`save` wrote, each part taken, and so checked."""
        classes, provenance = stored.classes(), stored.provenance()
        checks = {**cls.checks, "class_weight": stored_class_weight(classes)}
        model = cls(**stored.parameters(checks))
        model.classes_, model.provenance_ = classes, provenance
        model.parameters_ = model._kept_parameters()
        model.training_words_ = stored.settings.take("training_words", optional(list_of_strings))
        model.classifier_ = cls._rebuilt(stored, model)
        model.reader = reader_argument(model.classifier_.reader_, model.max_words)
        return model


def _warn_of_chance(best: Epoch, classes: NDArray[np.intp]) -> None:
    """Say if a network is no better than who always names the most frequent class."""
    if best.accuracy is not None and best.accuracy <= np.bincount(classes).max() / len(classes):
        log.warning(
            "of the %d documents held out, the network has %.0f %% right, no more than who always "
            "names the most frequent class: more epochs, another rate or less that is frozen may "
            "help",
            len(classes),
            100 * best.accuracy,
        )


def _accuracy(
    model: TorchClassifier, texts: Sequence[Encoded], classes: NDArray[np.intp]
) -> float | None:
    """Return the share of texts that a network has right, None without texts."""
    if not len(texts):
        return None
    with torch.no_grad():
        predicted = model.network.scores(texts).argmax(axis=1)
    return float(np.mean(predicted == classes))
