"""Somebody's scikit-learn pipeline, linear at heart, as a model of ours."""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import strings
from whyword.base.errors import InputError
from whyword.models.abilities import Reading, Trained
from whyword.models.estimator import Estimator
from whyword.models.pipeline.features import PipelineFeatures
from whyword.models.pipeline.gradients import Matrix
from whyword.models.pipeline.links import Link
from whyword.models.pipeline.stored import from_stored, to_stored
from whyword.models.pipeline.trace import PipelineLayer, PipelineTrace
from whyword.models.probabilities import check_finite
from whyword.models.protocol import Positions, Scores
from whyword.models.stored import StoredModel, largest_number
from whyword.models.stored_reader import read_otherwise, reader_argument
from whyword.words.document import Document, Text
from whyword.words.reader import Reader


class PipelineClassifier(Estimator, Reading, Trained):
    """A fitted scikit-learn pipeline; :func:`~whyword.from_pipeline` makes it of one.

    Parameters
    ----------
    reader : Reader or None
        What is decoded, removed and ignored before the pipeline looks, which cuts words itself.

    Attributes
    ----------
    classes_ : (C,) array
    features_ : PipelineFeatures
    output_weight_ : (P, C) float64
        Of what the classifier sees.
    output_bias_ : (C,) float64
    link_ : Link
        How scores become probabilities.
    own_ : function, or None
        From texts to the pipeline's own probabilities, where scores do not say them.
    provenance_ : dict
    """

    kind = "pipeline"

    def __init__(self, *, reader: Reader | None = None) -> None:
        self.reader = reader

    features_: PipelineFeatures
    output_weight_: NDArray[np.float64]
    output_bias_: NDArray[np.float64]
    link_: Link
    own_: Callable[[list[str]], Scores] | None

    def fit(self, texts: Iterable[str], labels: Iterable[object]) -> NoReturn:
        """Raise: it is trained already."""
        raise InputError("a wrapped pipeline is not trained; fit the pipeline and wrap it again")

    def check_fitted(self) -> None:
        """Raise unless a pipeline is in it."""
        if not self.__sklearn_is_fitted__():
            raise InputError("there is no pipeline in this PipelineClassifier; use from_pipeline")

    def largest_score(self) -> float:
        """Return a bound of what an occurrence adds to a score, and of what is on the way there."""
        weight, bias = map(largest_number, (self.output_weight_, self.output_bias_))
        last, most = self.features_.graph.reach()
        return max(weight * max(1.0, last) + bias, most)

    # ---- predicting ---------------------------------------------------------------------------

    @property
    def _layer(self) -> PipelineLayer:
        self.check_fitted()
        return PipelineLayer(
            self.features_, self.output_weight_, self.output_bias_, self.link_, self.own_
        )

    def _read(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield what is read of texts, in blocks."""
        features, most = self.features_, self.features_.graph.documents_at_once
        checked = strings("texts", texts)
        for start in range(0, len(checked), most):
            yield [features.read(text).visible for text in checked[start : start + most]]

    def class_scores(self, texts: Iterable[str]) -> Scores:
        """Return the scores of all classes, (documents, C); (−s, s) for two classes."""
        layer = self._layer
        none = np.empty((0, len(self.classes_)))
        return np.concatenate([none, *(layer.run(some).scores for some in self._read(texts))])

    def predict(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the class of each text, as the pipeline does."""
        predicted: NDArray[Any]
        if self._layer.link.by_score:
            predicted = super().predict(texts)
        else:
            predicted = self.classes_[self.predict_proba(texts).argmax(axis=1)]
        return predicted

    def predict_proba(self, texts: Iterable[str]) -> Scores:
        """Return the probability of each class, (documents, C)."""
        self.check_fitted()
        if self.own_ is None:
            return super().predict_proba(texts)
        none = np.empty((0, len(self.classes_)))
        chances = np.concatenate([none, *map(self.own_, self._read(texts))])
        return check_finite(chances, "probabilities")

    def probabilities(self, scores: NDArray[Any]) -> Scores:
        """Return the probability of each class from the scores of all, (documents, C)."""
        return self.link_.probabilities(scores)

    @property
    def reader_(self) -> Reader:
        """How it reads."""
        self.check_fitted()
        return self.features_.reader

    def with_reader(self, reader: Reader) -> Self:
        """Return a copy of the same pipeline that reads otherwise."""
        model = copy(self)
        model.features_ = PipelineFeatures(self.features_.graph, Reader.of(reader))
        return read_otherwise(model, self.reader_)

    @property
    def trace_kind(self) -> type[PipelineTrace]:
        """The class of its traces."""
        return PipelineTrace

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
    ) -> Iterator[PipelineTrace]:
        """Yield the texts in blocks; what is left without deleted words is read anew."""
        layer = self._layer
        most = layer.features.graph.documents_at_once
        return PipelineTrace.blocks(layer, texts, deleted, most)

    def input_matrix(self, text: str) -> Matrix:
        """Return exactly what the classifier sees, (1, P) sparse."""
        (some,) = self._read([text])
        return self._layer.run(some).last

    @property
    def weights(self) -> dict[str, NDArray[np.float64]]:
        """``output_weight`` (P, C) and ``output_bias`` (C,)."""
        self.check_fitted()
        return {"output_weight": self.output_weight_, "output_bias": self.output_bias_}

    @property
    def training_words(self) -> frozenset[str] | None:
        """The lower-cased words, or n-grams, of the training texts; None if they were hashed."""
        words = self.features_.words
        return None if words is None else frozenset(word.lower() for word in words)

    def shuffled(self, layers: str, seed: int) -> Self:
        """Return a copy with weights in random order; its probabilities are of its own scores."""
        model = copy(self)
        weight = np.random.default_rng(seed).permutation(self.output_weight_.ravel())
        model.output_weight_ = weight.reshape(self.output_weight_.shape)
        if model.own_ is not None:
            model.own_, model.link_ = None, Link()
        return model

    # ---- keeping ------------------------------------------------------------------------------

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""
        self.check_fitted()
        if self.own_ is not None:
            raise InputError(
                "the pipeline makes its probabilities in a way of its own (it is calibrated?), "
                "and a saved model holds no code; keep the pipeline and call from_pipeline again"
            )
        tensors, described = to_stored(self.features_)
        tensors |= {"output_weight": self.output_weight_, "output_bias": self.output_bias_}
        configuration = {
            "kind": self.kind,
            "classes": self.classes_.tolist(),
            "parameters": {},
            "features": described,
            "link": self.link_.configuration(),
            "provenance": self.provenance_,
        }
        return tensors, configuration

    @classmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        """Put a model together from what :meth:`save` wrote, each part taken, and so checked."""
        model = cls(**stored.parameters({}))
        model.classes_ = stored.classes()
        model.features_ = from_stored(stored)
        model.reader = reader_argument(model.features_.reader, None)
        width = model.features_.graph.widths[-1]
        model.output_weight_ = stored.tensor("output_weight", np.float64, width, "C")
        model.output_bias_ = stored.tensor("output_bias", np.float64, "C")
        stored.check_range(model.largest_score())
        model.link_ = Link.restore(stored.settings.section("link"))
        model.own_ = None
        model.provenance_ = stored.provenance()
        return model
