"""From a fitted scikit-learn pipeline to a model: exact if it is linear at heart."""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakSet

import numpy as np

from whyword.base.errors import InputError, MissingExtraError, ModelError
from whyword.base.labels import check_storable
from whyword.base.printable import one_line, shown
from whyword.models.blackbox import BlackBox, register_wrapper
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.features import PipelineFeatures
from whyword.models.pipeline.frames import Frames, beginnings, frames_of
from whyword.models.pipeline.graph import Graph
from whyword.models.pipeline.heads import Linear, linear_of, link_of
from whyword.models.pipeline.links import Link
from whyword.models.pipeline.placement import locate_features
from whyword.models.pipeline.probes import (
    Estimator,
    NotLinearError,
    SeveralLabelsError,
    is_close,
    probe_rows,
)
from whyword.models.protocol import TextClassifier
from whyword.models.store import provenance
from whyword.models.stored import check_range
from whyword.words.reader import Reader
from whyword.words.rules import WORDS

log = logging.getLogger(__name__)

# what only pipelines have, searches among them, and what puts several of them together
_MARKS = ("steps", "best_estimator_", "calibrated_classifiers_", "multilabel_")
_NAMES = 40  # of features, in a text to try a pipeline with
_PROSE = "the cat sat on a mat, and it was not so good to see"
_TOLD: WeakSet[Any] = WeakSet()  # pipelines of which it was said that they are black boxes


def from_pipeline(
    pipeline: Estimator, *, column: str | int | None = None, reader: Reader | None = None
) -> Any:  # noqa: ANN401 - a PipelineClassifier, or a BlackBox
    """Wrap a fitted scikit-learn pipeline from texts to classes.

    One that is linear at heart is explained exactly, its n-grams are units, and its predictions,
    scores and probabilities stay what they were. Any other is a black box, and a line says why.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Or a fitted search for the best one, or calibrated ones.
    column : str, optional
        Which column is the text, of a pipeline that reads frames; else the one that it reads.
    reader : Reader, optional
        What is decoded, removed and ignored before the pipeline looks, which cuts words itself.

    Returns
    -------
    PipelineClassifier or BlackBox
    """
    reader_ = Reader.of(reader)
    _check_fitted(pipeline)
    frames = frames_of(pipeline, column)
    check_storable(getattr(pipeline, "classes_", ()))
    asked = pipeline if frames is None else FramePipeline(pipeline, frames)
    try:
        model = _Wrapping(pipeline, asked, frames).model(reader_)
    except NotLinearError as error:
        reason, several = str(error), isinstance(error, SeveralLabelsError)
    else:
        model.reader = reader
        check_range(model.largest_score())
        return model
    black_box = BlackBox(asked, reader=_with_own_words(reader_, pipeline), multilabel=several)
    _tell(pipeline, reason)
    return black_box


class FramePipeline:
    """A pipeline that reads frames, asked of texts.

    Parameters
    ----------
    pipeline : object
        Of scikit-learn.
    frames : Frames
    """

    def __init__(self, pipeline: Estimator, frames: Frames) -> None:
        self.pipeline, self.frames = pipeline, frames

    @property
    def classes_(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        """The pipeline's own."""
        return self.pipeline.classes_

    @property
    def predict_proba(self) -> Callable[[list[str]], Any]:
        """The pipeline's probabilities of texts, if it has such."""
        ask = self.pipeline.predict_proba
        return lambda texts: ask(self.frames(texts))

    @property
    def decision_function(self) -> Callable[[list[str]], Any]:
        """The pipeline's scores of texts, if it has such."""
        ask = self.pipeline.decision_function
        return lambda texts: ask(self.frames(texts))


class _Wrapping:
    """A pipeline that is being taken apart."""

    def __init__(self, pipeline: Estimator, asked: Any, frames: Frames | None) -> None:  # noqa: ANN401
        self.pipeline, self.asked, self.frames = pipeline, asked, frames
        self.graph = Graph()

    def model(self, reader: Reader) -> PipelineClassifier:
        """Return the model; raise unless it says what the pipeline says."""
        linear = linear_of(self.pipeline, None, self.graph)
        if len(linear.classes) < 2:
            raise InputError("the pipeline has one class only; at least two are needed")
        check_storable(linear.classes.tolist())
        link = self._link(linear)
        self._check_whole(linear, link)
        model = PipelineClassifier()
        model.classes_ = linear.classes
        model.features_ = PipelineFeatures(self.graph.pruned(linear.node), reader)
        model.output_weight_, model.output_bias_ = linear.weight, linear.bias
        model.link_ = link
        model.own_ = BlackBox(self.asked).predict_proba if link.is_own else None
        model.provenance_ = {"pipeline": repr(self.pipeline), "versions": provenance()}
        return model

    def _link(self, linear: Linear) -> Link:
        """Return how its classifier makes probabilities."""
        if linear.below is None:
            texts = self._texts()
            probes = texts if self.frames is None else self.frames(texts)
            return link_of(linear, probes, self._scores(linear, texts))
        rows = probe_rows(self.graph.widths[linear.below])
        made = self.graph.outputs((), linear.node, {linear.below: rows})
        return link_of(linear, rows, linear.scores(made[linear.node]))

    def _scores(self, linear: Linear, texts: list[str]) -> Any:  # noqa: ANN401 - (n, C)
        return linear.scores(self.graph.outputs(texts, linear.node)[linear.node])

    def _texts(self) -> list[str]:
        """Return texts of features that vectorisers know, each word or n-gram a word."""
        names: list[str] = []
        for one in self.graph.vectorizers_there():
            known = one.names if one.names is not None else _PROSE.split()
            names += known[:: max(1, len(known) // _NAMES)]
        return [" ".join(names), " ".join(names[::3]), " ".join(names[1::5]), ""]

    def _check_whole(self, linear: Linear, link: Link) -> None:
        """Raise unless all together says what the pipeline says."""
        texts = self._texts()
        ours = self._scores(linear, texts)
        if hasattr(self.asked, "decision_function"):
            own = self._ask("decision_function", texts)
            ours = ours[:, 1] if own.ndim == 1 and ours.shape[1] == 2 else ours
        elif link.is_own or not hasattr(self.asked, "predict_proba"):
            return  # nothing to compare with: its parts were
        else:
            own, ours = self._ask("predict_proba", texts), link.probabilities(ours)
        single = any(one.vectorizer.dtype == np.float32 for one in self.graph.vectorizers_there())
        if not is_close(ours, own, 1e-5 if single else 1e-6):
            raise NotLinearError("what it says is not what its parts say together")

    def _ask(self, method: str, texts: list[str]) -> Any:  # noqa: ANN401 - an array
        try:
            return np.asarray(getattr(self.asked, method)(texts), np.float64)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise NotLinearError(f"its {method} failed ({reason:.100})") from error


def _check_fitted(pipeline: Estimator) -> None:
    """Raise unless it is a fitted pipeline of scikit-learn's."""
    try:
        from sklearn.base import BaseEstimator
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted
    except ImportError:
        raise MissingExtraError("scikit-learn", "train") from None

    name = type(pipeline).__name__
    if not isinstance(pipeline, BaseEstimator):
        raise InputError(f"{shown(pipeline)} is no scikit-learn pipeline")
    try:
        check_is_fitted(pipeline)
    except NotFittedError:
        raise InputError(f"this {name} is not fitted yet; fit it first") from None
    if getattr(pipeline, "refit", True) is False:
        raise InputError(f"this {name} was fitted with refit=False, so it has no best estimator")
    if not any(hasattr(pipeline, mark) for mark in _MARKS) and not _reads_texts(pipeline):
        raise InputError(
            f"{name} is no pipeline from texts to classes; put the vectoriser before it: "
            f"make_pipeline(TfidfVectorizer(), {name}())"
        )


def _with_own_words(reader: Reader, pipeline: Estimator) -> Reader:
    """Return the reader, words cut as the pipeline's first vectoriser of words does."""
    by_words = (
        one
        for one in beginnings(pipeline)
        if hasattr(one, "build_analyzer") and getattr(one, "analyzer", None) == "word"
    )
    vectorizer = next(by_words, None)
    if vectorizer is None or reader.tokenizer.rule != WORDS:  # somebody's rule is his choice
        return reader
    rule = partial(_spans, vectorizer)
    return replace(reader, tokenizer=replace(reader.tokenizer, rule=rule))


def _spans(vectorizer: Estimator, text: str) -> list[tuple[int, int]]:
    spans = locate_features(vectorizer, text)[0].spans.tolist()
    return [(start, end) for start, end in spans if start < end]


def _reads_texts(estimator: Estimator) -> bool:
    """Whether it says something of texts: a vote of pipelines, or one with a threshold, does."""
    try:
        BlackBox(estimator).scores([_PROSE])
    except (InputError, ModelError):
        return False
    return True


def _tell(pipeline: Estimator, reason: str) -> None:
    """Say once that a pipeline is taken as a black box."""
    if pipeline not in _TOLD:
        _TOLD.add(pipeline)
        log.warning(
            "this %s is explained as a black box, word by word: %s",
            type(pipeline).__name__,
            one_line(reason),
        )


@register_wrapper
def adopt(model: object) -> TextClassifier | None:
    """Return a scikit-learn pipeline, wrapped; None for anything else."""
    sklearn = sys.modules.get("sklearn.base")  # whoever has a pipeline has imported it
    if sklearn is None or not isinstance(model, sklearn.BaseEstimator):
        return None
    is_pipeline = any(hasattr(model, mark) for mark in _MARKS)
    wrapped: TextClassifier | None = from_pipeline(model) if is_pipeline else None
    return wrapped
