"""The paper's network: word vectors, convolution, max-pooling, a linear layer."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import real_number, share, strings, whole_number
from whyword.base.errors import InputError
from whyword.corpora.split import held_out
from whyword.models.cnn.inputs import Inputs, normalisation
from whyword.models.cnn.network import TABLE_BYTES, Convolution, Network
from whyword.models.cnn.progress import training_progress
from whyword.models.cnn.training import LabelledBatch, Settings, train_network
from whyword.models.estimator import (
    Estimator,
    checked_training_data,
    class_weights,
    restored_parameters,
)
from whyword.models.store import fingerprint, packed, provenance, unpacked
from whyword.vectors.vectors import Vectors
from whyword.words.tokenizer import Tokenizer


class CNNClassifier(Estimator):
    """A convolutional network over frozen word vectors.

    Parameters
    ----------
    vectors : Vectors, str, Path or None
        Word vectors, or where to load them; None takes :meth:`Vectors.for_texts`, GloVe 50d
        beside CBOW trained on the texts given to :meth:`fit`.
    width : int or sequence of int
        How many words a filter sees; several widths at once as in Kim (2014).
    filters : int
        How many filters of each width.
    dropout : float
        Share of pooled features zeroed at random while training.
    word_dropout : float
        Share of words zeroed at random while training.
    l2 : float
        Strength of the pull of all weights towards zero.
    epochs, batch_size : int
    learning_rate : float
        Of Adam, at the beginning; it falls linearly to zero.
    class_weight : None, "balanced" or dict
        Weight of each class in the loss.
    validation : int or float
        Number or share of documents held out, by class; the epoch that does best on them is
        kept. 0 trains on everything and keeps the last epoch.
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    seed : int
    progress : bool or None
        Show a progress bar; None does on a terminal only.

    Attributes
    ----------
    classes_ : (C,) array
    network_ : Network
    inputs_ : Inputs
    vocabulary_ : dict
        Lower-cased training words and the number of documents that have each.
    provenance_ : dict
        What it was trained on, with which versions, and how well it did.
    """

    def __init__(
        self,
        *,
        vectors: Vectors | str | Path | None = None,
        width: int | Sequence[int] = 2,
        filters: int = 800,
        dropout: float = 0.5,
        word_dropout: float = 0.3,
        l2: float = 0.0,
        epochs: int = 15,
        batch_size: int = 64,
        learning_rate: float = 2e-3,
        class_weight: str | Mapping[Any, float] | None = None,
        validation: float = 0.1,
        max_words: int | None = None,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.vectors = vectors
        self.width = width
        self.filters = filters
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.l2 = l2
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.class_weight = class_weight
        self.validation = validation
        self.max_words = max_words
        self.seed = seed
        self.progress = progress

    # ---- training -----------------------------------------------------------------------------

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        """Train on texts and their labels."""
        start = time.perf_counter()
        checked, classes, numbers = checked_training_data(texts, labels)
        settings = self._settings()
        weights = class_weights(self.class_weight, classes, numbers)
        chosen = self._held_out(numbers)
        inputs = Inputs(
            Tokenizer(self.max_words), self._vectors(checked), shortest=max(settings.widths)
        )
        kept = [text for text, out in zip(checked, chosen, strict=True) if not out]
        mean, deviation = normalisation(inputs.batch(kept))
        inputs = replace(inputs, mean=mean, deviation=deviation)
        train = LabelledBatch(inputs.batch(kept), numbers[~chosen])
        validation = None
        if chosen.any():
            out = [text for text, is_out in zip(checked, chosen, strict=True) if is_out]
            validation = LabelledBatch(inputs.batch(out), numbers[chosen])
        with training_progress(settings.epochs, self.progress) as tell:
            network, best = train_network(train, validation, weights, settings, tell)
        self.classes_ = classes
        self.inputs_ = inputs
        self.network_ = _antisymmetric(network) if len(classes) == 2 else network
        self.vocabulary_ = _document_frequencies(checked)
        self.provenance_: dict[str, Any] = {
            "data": fingerprint(checked, numbers.tolist()),
            "documents": len(checked),
            "held_out": int(chosen.sum()),
            "vectors": "GloVe 50d + CBOW" if self.vectors is None else str(self.vectors),
            "best_epoch": best.number,
            "loss": best.loss,
            "validation_accuracy": best.accuracy,
            "seconds": round(time.perf_counter() - start, 1),
            "versions": provenance(),
        }
        return self

    def _settings(self) -> Settings:
        several = isinstance(self.width, Iterable) and not isinstance(self.width, str | Mapping)
        given = list(self.width) if several else [self.width]  # type: ignore[arg-type]
        widths = sorted(whole_number("width", width, most=100) for width in given)
        if not widths or len(set(widths)) != len(widths):
            raise InputError(f"width takes one or several different numbers, not {self.width!r}")
        return Settings(
            widths=tuple(widths),
            filters=whole_number("filters", self.filters, most=100_000),
            dropout=share("dropout", self.dropout),
            word_dropout=share("word_dropout", self.word_dropout),
            l2=real_number("l2", self.l2),
            epochs=whole_number("epochs", self.epochs),
            batch_size=whole_number("batch_size", self.batch_size),
            learning_rate=real_number("learning_rate", self.learning_rate, above=0),
            seed=whole_number("seed", self.seed, least=0),
        )

    def _held_out(self, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
        if isinstance(self.validation, float | np.floating):
            count = round(share("validation", self.validation) * len(numbers))
        else:
            count = whole_number("validation", self.validation, least=0, most=len(numbers) - 1)
        return held_out(numbers.tolist(), count, self.seed)

    def _vectors(self, texts: list[str]) -> Vectors:
        if isinstance(self.vectors, Vectors):
            return self.vectors
        if self.vectors is not None and not isinstance(self.vectors, str | Path):
            raise InputError(f"vectors takes Vectors or a path, not {type(self.vectors).__name__}")
        if self.vectors is not None:
            return Vectors.load(self.vectors)
        return Vectors.for_texts(texts, seed=self.seed, progress=self.progress)

    # ---- predicting ---------------------------------------------------------------------------

    def class_scores(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """Return the scores of all classes, (documents, classes); (−s, s) for two classes."""
        self.check_fitted()
        scores = [
            self.network_.forward(batch)
            for batch in self.inputs_.batches(strings("texts", texts), self.network_.most_rows())
        ]
        return np.concatenate([np.empty((0, len(self.classes_)), np.float32), *scores])

    def remember_words(self, budget: int = TABLE_BYTES) -> Self:
        """Keep the filters' answers to words from call to call, and return itself.

        Texts that come one by one are then predicted and explained in half the time. Answers are
        the same up to the rounding of float32.

        Parameters
        ----------
        budget : int
            Bytes they may take; the words not met for longest are forgotten first. 0 forgets all.
        """
        self.check_fitted()
        budget = whole_number("budget", budget, least=0)
        answers, dimensions = self.network_.row_size(), self.inputs_.vectors.dimensions
        for_vectors = budget * dimensions // (answers + dimensions)
        self.inputs_ = self.inputs_.remembering(for_vectors)
        self.network_ = self.network_.remembering(budget - for_vectors)
        return self

    def known_words(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return how many words of each text have a vector; a text with none says nothing."""
        self.check_fitted()
        vectors, tokenizer = self.inputs_.vectors, self.inputs_.tokenizer
        checked = strings("texts", texts)
        counts = [int(vectors.known(tokenizer(text).words).sum()) for text in checked]
        return np.array(counts, np.int64)

    def input_matrix(self, text: str) -> NDArray[np.float32]:
        """Return exactly what the network sees, padding included: (max(words, width), D)."""
        self.check_fitted()
        return self.inputs_.matrix(text)

    @property
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights, by name.

        ``conv_weight`` (H, D, F), ``conv_bias`` (F,), ``output_weight`` (F, C) and ``output_bias``
        (C,); with several widths ``conv_weight_<H>`` and ``conv_bias_<H>``, output rows in
        increasing H.
        """
        self.check_fitted()
        several = len(self.network_.convolutions) > 1
        found = {}
        for convolution in self.network_.convolutions:
            ending = f"_{convolution.width}" if several else ""
            found[f"conv_weight{ending}"] = convolution.weight.transpose(0, 2, 1)
            found[f"conv_bias{ending}"] = convolution.bias
        found["output_weight"] = self.network_.output_weight
        found["output_bias"] = self.network_.output_bias
        return found

    # ---- keeping ------------------------------------------------------------------------------

    def stored(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""
        self.check_fitted()
        tensors: dict[str, NDArray[Any]] = {
            "output_weight": self.network_.output_weight,
            "output_bias": self.network_.output_bias,
            "vocabulary": packed(list(self.vocabulary_)),
            "document_frequency": np.array(list(self.vocabulary_.values()), np.int32),
        }
        for convolution in self.network_.convolutions:
            tensors[f"conv_weight_{convolution.width}"] = convolution.weight
            tensors[f"conv_bias_{convolution.width}"] = convolution.bias
        for number, (words, matrix) in enumerate(self.inputs_.vectors.tables):
            tensors[f"vectors_{number}"] = matrix
            tensors[f"words_{number}"] = packed(words)
        parameters = self.get_params()
        for name in ("vectors", "progress"):  # the vectors themselves are among the tensors
            parameters.pop(name)
        widths = [convolution.width for convolution in self.network_.convolutions]
        parameters["width"] = widths if len(widths) > 1 else widths[0]
        if isinstance(self.class_weight, Mapping):
            parameters["class_weight"] = list(self.class_weight.items())
        configuration = {
            "kind": "cnn",
            "classes": self.classes_.tolist(),
            "parameters": parameters,
            "tokenizer": self.inputs_.tokenizer.configuration(),
            "normalisation": {"mean": self.inputs_.mean, "deviation": self.inputs_.deviation},
            "provenance": self.provenance_,
        }
        return tensors, configuration

    @classmethod
    def from_stored(
        cls, tensors: Mapping[str, NDArray[Any]], configuration: Mapping[str, Any]
    ) -> Self:
        """Put a model together from what :meth:`save` wrote."""
        model = cls(**restored_parameters(configuration["parameters"]))
        widths = sorted(int(name.rpartition("_")[2]) for name in tensors if "conv_bias" in name)
        model.network_ = Network(
            tuple(
                Convolution(tensors[f"conv_weight_{width}"], tensors[f"conv_bias_{width}"])
                for width in widths
            ),
            tensors["output_weight"],
            tensors["output_bias"],
        )
        count = sum(name.startswith("vectors_") for name in tensors)
        vectors = Vectors.from_tables(
            (unpacked(tensors[f"words_{n}"]), tensors[f"vectors_{n}"]) for n in range(count)
        )
        model.inputs_ = Inputs(
            Tokenizer.from_configuration(configuration["tokenizer"]),
            vectors,
            configuration["normalisation"]["mean"],
            configuration["normalisation"]["deviation"],
            max(widths),
        )
        model.vectors = vectors
        model.classes_ = np.array(configuration["classes"])
        frequencies = tensors["document_frequency"].tolist()
        model.vocabulary_ = dict(zip(unpacked(tensors["vocabulary"]), frequencies, strict=True))
        model.provenance_ = configuration["provenance"]
        return model


def _antisymmetric(network: Network) -> Network:
    """Return the same two-class network with scores (−s, s): the mean of the two goes."""
    return replace(
        network,
        output_weight=network.output_weight - network.output_weight.mean(axis=1, keepdims=True),
        output_bias=network.output_bias - network.output_bias.mean(),
    )


def _document_frequencies(texts: Iterable[str]) -> dict[str, int]:
    tokenizer = Tokenizer()
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({word.lower() for word in tokenizer(text).words})
    return dict(sorted(counts.items()))
