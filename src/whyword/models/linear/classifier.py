"""The bag-of-words classifier: TF-IDF and one linear SVM per class.

The notation, and the numbers of equations, are those of docs/method.md.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import strings
from whyword.base.errors import InputError
from whyword.models.abilities import Reading, Trained
from whyword.models.estimator import (
    Estimator,
    check_training_data,
    class_weights,
    stored_class_weight,
    stored_parameters,
)
from whyword.models.linear.ngram_trace import NgramTrace
from whyword.models.linear.ngrams import count_words
from whyword.models.linear.stored import CHECKS, from_stored, to_stored
from whyword.models.linear.tfidf import TfIdf, fit_tfidf
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.linear.trace import LinearLayer, LinearTrace
from whyword.models.linear.training import Trainer, fit_temperature, sparse_matrix
from whyword.models.protocol import Positions
from whyword.models.store import training_provenance
from whyword.models.stored import StoredModel, largest_number, positive_number
from whyword.models.stored_reader import read_otherwise, reader_argument
from whyword.words.document import Document, Text
from whyword.words.reader import Reader
from whyword.words.stop_words import ENGLISH

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_TRIED = ((1, 1), (1, 2))  # n-grams, if nobody says which
_SETTINGS = ("ngrams", "min_documents", "stop_words", "C", "folds", "sublinear", "seed")
_ADDED = ("ngrams", "min_documents", "stop_words")  # arguments that stored models may be without


class SVMClassifier(Estimator, Reading, Trained):
    """TF-IDF of unit length over words and n-grams, and a one-vs-rest linear SVM.

    Parameters
    ----------
    ngrams : tuple of int or None
        How many adjacent words make a feature, from and to, 5 at most: (1, 1) is single words,
        (1, 2) words and pairs. None chooses between these two by cross-validation.
    min_documents : int or None
        Leave out words and n-grams that fewer training documents have; None leaves out n-grams of
        several words that only one has.
    stop_words : "english", collection of str or None
        Words that are not read, whatever their case; their neighbours are adjacent.
    C : float or None
        Weight of errors against the margin; None chooses it by cross-validation.
    folds : int
        Of the cross-validation that chooses `ngrams` and `C`, and fits the probabilities.
    sublinear : bool
        Whether an n-gram that occurs m times counts 1 + ln m rather than m.
    class_weight : None, "balanced" or dict
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    reader : Reader or None
        How texts are read, in training and ever after; None reads them as they are.
    seed : int

    Attributes
    ----------
    classes_ : (C,) array
    features_ : TfIdf
    output_weight_ : (V, C) float64
        w[i, k].
    output_bias_ : (C,) float64
        b[k].
    temperature_ : float
        θ of equation (5): scores are divided by it before the softmax.
    provenance_ : dict
    """

    kind = "svm"

    def __init__(
        self,
        *,
        ngrams: tuple[int, int] | None = None,
        min_documents: int | None = None,
        stop_words: str | Collection[str] | None = None,
        C: float | None = None,  # noqa: N803 - scikit-learn's name
        folds: int = 5,
        sublinear: bool = True,
        class_weight: str | Mapping[Any, float] | None = None,
        max_words: int | None = None,
        reader: Reader | None = None,
        seed: int = 0,
    ) -> None:
        self.ngrams = ngrams
        self.min_documents = min_documents
        self.stop_words = stop_words
        self.C = C
        self.folds = folds
        self.sublinear = sublinear
        self.class_weight = class_weight
        self.max_words = max_words
        self.reader = reader
        self.seed = seed

    # ---- training -----------------------------------------------------------------------------

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> Self:
        """Train on texts and their labels."""
        start = time.perf_counter()
        checked, classes, numbers = check_training_data(texts, labels)
        settings = {name: CHECKS[name](name, getattr(self, name)) for name in _SETTINGS}
        weights = class_weights(self.class_weight, classes, numbers)
        reader = Reader.of(self.reader, self.max_words)
        documents = list(reader.documents(checked))
        candidates = self._candidates(documents, reader, settings)
        folds = min(settings["folds"], int(np.bincount(numbers).min()))
        trainer = Trainer(numbers, weights, folds, settings["seed"])
        choice = trainer.choose([matrix for _, matrix in candidates], settings["C"])
        features, matrix = candidates[choice.matrix]
        self.output_weight_, self.output_bias_ = trainer.train(matrix, choice.C)
        self.classes_ = classes
        self.features_ = features
        scores = choice.scores
        self.temperature_ = 1.0 if scores is None else fit_temperature(scores, numbers)
        self.provenance_ = training_provenance(
            checked,
            numbers.tolist(),
            start,
            ngrams=list(features.ngrams.lengths),
            features=len(features.ngrams),
            C=choice.C,
            validation_accuracy=choice.accuracy,
        )
        return self

    def _candidates(
        self, documents: list[Document], reader: Reader, settings: Mapping[str, Any]
    ) -> list[tuple[TfIdf, "csr_matrix"]]:
        """Return the features that may be chosen, and the documents' rows of them."""
        given, least = settings["ngrams"], settings["min_documents"]
        stop_words = settings["stop_words"] or ()
        words = count_words(
            documents,
            least or 1,
            ENGLISH if stop_words == "english" else frozenset(map(str.lower, stop_words)),
        )
        found: list[tuple[TfIdf, csr_matrix]] = []
        for lengths in _TRIED if given is None else (given,):
            features, rows = fit_tfidf(
                words, len(documents), reader, settings["sublinear"], lengths, least or 2
            )
            if len(features.ngrams) > (len(found[-1][0].ngrams) if found else 0):
                matrix = sparse_matrix(rows.values, rows.places, rows.ends, len(features.ngrams))
                found.append((features, matrix))
        if not found:
            few = "" if least is None else f" that {least:,} of them have"
            what = "words" if given is None or given[0] == 1 else f"runs of {given[0]} words"
            raise InputError(f"the texts to train on have no {what}{few}")
        return found

    # ---- predicting ---------------------------------------------------------------------------

    @property
    def _layer(self) -> LinearLayer:
        self.check_fitted()
        return LinearLayer(
            self.features_, self.output_weight_, self.output_bias_, self.temperature_
        )

    def class_scores(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the scores x[k] of equation (14), (documents, C); (−s, s) for two classes."""
        layer, features = self._layer, self.features_
        checked = strings("texts", texts)
        return layer.scores([features.row_of(features.read(text)) for text in checked])

    @property
    def reader_(self) -> Reader:
        """How it reads."""
        self.check_fitted()
        return self.features_.reader

    def with_reader(self, reader: Reader) -> Self:
        """Return a copy with the same features and weights that reads otherwise."""
        model = copy(self)
        model.features_ = replace(self.features_, reader=Reader.of(reader))
        return read_otherwise(model, self.reader_)

    @property
    def trace_kind(self) -> type[LinearTrace]:
        """The class of its traces: single words, or n-grams."""
        return TfIdfTrace if self.features_.ngrams.lengths == (1, 1) else NgramTrace

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with the words that the features stand for."""
        return self.features_.read_documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[LinearTrace]:
        """Yield the texts in blocks; bags are made anew without deleted words."""
        return self.trace_kind.blocks(self._layer, texts, deleted)

    def _temperature(self) -> float:
        return self.temperature_

    def input_matrix(self, text: str) -> "csr_matrix":
        """Return exactly what the classifier sees, (1, V) sparse."""
        self.check_fitted()
        features = self.features_
        places, values = features.row_of(features.read(text))
        ends = np.array([0, len(places)])
        return sparse_matrix(values, places, ends, len(self.output_weight_))

    @property
    def weights(self) -> dict[str, NDArray[np.float64]]:
        """``output_weight`` (V, C) and ``output_bias`` (C,)."""
        self.check_fitted()
        return {"output_weight": self.output_weight_, "output_bias": self.output_bias_}

    @property
    def training_words(self) -> frozenset[str]:
        """The lower-cased words of the training texts."""
        return frozenset(word.lower() for word in self.features_.words)

    def shuffled(self, layers: str, seed: int) -> Self:
        """Return a copy with weights in random order."""
        model = copy(self)
        random = np.random.default_rng(seed)
        weight = random.permutation(self.output_weight_.ravel())
        model.output_weight_ = weight.reshape(self.output_weight_.shape)
        return model

    # ---- keeping ------------------------------------------------------------------------------

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""
        self.check_fitted()
        tensors, described = to_stored(self.features_)
        tensors |= {"output_weight": self.output_weight_, "output_bias": self.output_bias_}
        configuration = {
            "kind": self.kind,
            "classes": self.classes_.tolist(),
            "parameters": {
                name: sorted(value) if isinstance(value, set | frozenset) else value
                for name, value in stored_parameters(self.get_params()).items()
                if name != "reader"  # told with the features
                and not (name in _ADDED and value is None)
            },
            "temperature": self.temperature_,
            "features": described,
            "provenance": self.provenance_,
        }
        return tensors, configuration

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        """Put a model together from what :meth:`save` wrote, each part taken, and so checked."""
        classes = stored.classes()
        model = cls(**stored.parameters({**CHECKS, "class_weight": stored_class_weight(classes)}))
        model.classes_ = classes
        model.features_ = from_stored(stored)
        model.reader = reader_argument(model.features_.reader, model.max_words)
        model.output_weight_ = stored.tensor("output_weight", np.float64, "V", "C")
        model.output_bias_ = stored.tensor("output_bias", np.float64, "C")
        stored.check_range(_largest(model))
        model.temperature_ = stored.settings.take("temperature", positive_number)
        model.provenance_ = stored.provenance()
        return model


def _largest(model: SVMClassifier) -> float:
    """Return a bound of what one occurrence of a word may add to a score, and of the bias."""
    return largest_number(model.output_weight_) + largest_number(model.output_bias_)
