"""scikit-learn's classifiers as weights over the features of a graph.

What a classifier is called is not trusted: its own scores and probabilities of a few rows are
compared with ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.models.pipeline.gradients import Matrix, Values
from whyword.models.pipeline.graph import Graph, Union
from whyword.models.pipeline.links import TRIED, Link
from whyword.models.pipeline.probes import (
    Estimator,
    NotLinearError,
    SeveralLabelsError,
    asked,
    is_close,
    probe_rows,
)
from whyword.models.pipeline.steps import Binarising
from whyword.models.pipeline.transformers import transformed
from whyword.models.protocol import Scores


@dataclass(frozen=True, eq=False)
class Linear:
    """A classifier: the node that it sees, its weights, and how it was found.

    Attributes
    ----------
    node : int
    weight : (P, C) float64
    bias : (C,) float64
    classes : (C,) array
    final : object
        The classifier itself, without the pipeline before it.
    below : int or None
        The node that this is given; None if it reads texts itself.
    """

    node: int
    weight: Values
    bias: Values
    classes: NDArray[Any]
    final: Estimator
    below: int | None

    def scores(self, matrix: Matrix) -> Scores:
        """Return the scores of what it sees."""
        scores: Scores = matrix @ self.weight + self.bias
        return scores


def linear_of(estimator: Estimator, below: int | None, graph: Graph) -> Linear:
    """Add what stands before a classifier to a graph, and return the classifier.

    Parameters
    ----------
    estimator : object
        Fitted: a classifier, a pipeline that ends with one, or a search for the best of them.
    below : int or None
        The node that it is given; None if it reads texts.
    graph : Graph

    Raises
    ------
    NotLinearError
        If it is not linear at heart.
    """
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import Pipeline

    estimator = unwrapped(estimator)
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps[:-1]:
            passed = step is None or (isinstance(step, str) and step == "passthrough")
            below = below if passed else transformed(step, below, graph)
        return linear_of(estimator.steps[-1][1], below, graph)
    if isinstance(estimator, OneVsRestClassifier):
        return _one_against_rest(estimator, below, graph)
    if isinstance(estimator, CalibratedClassifierCV):
        return _calibrated(estimator, below, graph)
    if below is None:
        raise NotLinearError(f"its {type(estimator).__name__} reads texts in a way of its own")
    return _basic(estimator, below, graph)


def unwrapped(estimator: Estimator) -> Estimator:
    """Return what was found best, or frozen; anything else as it is."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif type(estimator).__name__ == "FrozenEstimator":
            estimator = estimator.estimator
        else:
            return estimator


# ---- several classifiers ------------------------------------------------------------------------


def _one_against_rest(estimator: Estimator, below: int | None, graph: Graph) -> Linear:
    """Return the score of each class's own classifier; with two classes there is one."""
    if estimator.multilabel_:
        raise SeveralLabelsError("it predicts several labels of a text")
    classes, members = np.asarray(estimator.classes_), estimator.estimators_
    several = [linear_of(one, below, graph) for one in members]
    if any(len(one.classes) != 2 for one in several):
        raise NotLinearError("a class of its OneVsRestClassifier was in no text")
    if len(members) == 1:
        return _together(several, [np.eye(2)], classes, estimator, below, graph)
    kept = [np.zeros((2, len(classes))) for _ in several]
    for number, one in enumerate(kept):
        one[1, number] = 1  # of (−s, s), the score s
    return _together(several, kept, classes, estimator, below, graph)


def _calibrated(estimator: Estimator, below: int | None, graph: Graph) -> Linear:
    """Return the mean of the members' scores."""
    classes = np.asarray(estimator.classes_)
    found: dict[int, Linear] = {}  # one that was fitted before is the same in all
    members = []
    for one in estimator.calibrated_classifiers_:
        inner = unwrapped(one.estimator)
        if id(inner) not in found:
            found[id(inner)] = linear_of(inner, below, graph)
        members.append(found[id(inner)])
    if any(not np.array_equal(one.classes, classes) for one in members):
        raise NotLinearError("a part of its CalibratedClassifierCV does not know all classes")
    kept = [np.eye(len(classes)) / len(members)] * len(members)
    return _together(members, kept, classes, estimator, below, graph)


def _together(
    members: Sequence[Linear],
    kept: Sequence[Values],
    classes: NDArray[Any],
    final: Estimator,
    below: int | None,
    graph: Graph,
) -> Linear:
    """Return the sum of what is kept of each member's scores, (its classes, C)."""
    pairs = list(zip(members, kept, strict=True))
    bias = sum(one.bias @ each for one, each in pairs)
    weights = [one.weight @ each for one, each in pairs]
    nodes = [one.node for one in members]
    if len(set(nodes)) == 1:
        return Linear(nodes[0], sum(weights), bias, classes, final, below)  # type: ignore[arg-type]
    node = graph.add(Union(), tuple(nodes))
    return Linear(node, np.concatenate(weights), bias, classes, final, below)  # type: ignore[arg-type]


# ---- one classifier -----------------------------------------------------------------------------


def _basic(classifier: Estimator, below: int, graph: Graph) -> Linear:
    """Return a classifier with weights; raise unless its own scores are what they say."""
    from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

    name, node = type(classifier).__name__, below
    if isinstance(classifier, BernoulliNB) and classifier.binarize is not None:
        if classifier.binarize < 0:
            raise NotLinearError(f"its {name} makes something of nothing")
        node = graph.add(Binarising(float(classifier.binarize)), (below,))
    if isinstance(classifier, BernoulliNB | ComplementNB | MultinomialNB):
        weight, bias = _log_odds(classifier)
    elif all(hasattr(classifier, part) for part in ("coef_", "intercept_", "decision_function")):
        weight, bias = _coefficients(classifier)
    else:
        raise NotLinearError(f"its {name} is not linear")
    classes = np.asarray(getattr(classifier, "classes_", ()))
    width = graph.widths[node]
    if len(weight) != width:
        raise InputError(
            f"what stands before the pipeline's {name} makes {width:,} features, and it has "
            f"weights for {len(weight):,}"
        )
    if classes.ndim != 1 or weight.shape[1] != len(classes):
        raise NotLinearError(f"its {name} has not one row of weights for each class")
    linear = Linear(node, weight, bias, classes, classifier, below)
    rows = probe_rows(graph.widths[below])
    ours = linear.scores(graph.outputs((), node, {below: rows})[node])
    if not is_close(ours, _own_scores(classifier, rows)):
        raise NotLinearError(f"its {name} is not linear in its features")
    return linear


def _coefficients(classifier: Estimator) -> tuple[Values, Values]:
    """Return (P, C) and (C,); one row of weights for two classes becomes (−s, s)."""
    weight = classifier.coef_
    dense = weight.toarray() if hasattr(weight, "toarray") else weight
    weight = np.atleast_2d(np.asarray(dense, np.float64)).T
    bias = np.broadcast_to(np.asarray(classifier.intercept_, np.float64), weight.shape[1])
    if weight.shape[1] == 1:
        return np.concatenate([-weight, weight], axis=1), np.concatenate([-bias, bias])
    return np.ascontiguousarray(weight), np.array(bias)


def _log_odds(classifier: Estimator) -> tuple[Values, Values]:
    """Return naive Bayes's joint log probabilities, without their mean over the classes."""
    from sklearn.naive_bayes import BernoulliNB, MultinomialNB

    weight = np.asarray(classifier.feature_log_prob_, np.float64)
    bias = np.zeros(len(weight))
    if isinstance(classifier, BernoulliNB):
        absent = np.log(1 - np.exp(weight))
        bias, weight = absent.sum(axis=1), weight - absent
    if isinstance(classifier, BernoulliNB | MultinomialNB):
        bias = bias + np.asarray(classifier.class_log_prior_, np.float64)
    return np.ascontiguousarray((weight - weight.mean(axis=0)).T), bias - bias.mean()


def _own_scores(classifier: Estimator, rows: Matrix) -> Scores:
    """Return a classifier's own scores of rows, (n, C); (−s, s) for two classes."""
    if hasattr(classifier, "decision_function"):
        scores = np.asarray(asked(classifier, "decision_function", rows), np.float64)
        return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    joint = np.asarray(asked(classifier, "predict_joint_log_proba", rows), np.float64)
    result: Scores = joint - joint.mean(axis=1, keepdims=True)
    return result


# ---- probabilities ------------------------------------------------------------------------------


def link_of(linear: Linear, probes: Any, ours: Scores) -> Link:  # noqa: ANN401 - rows, texts, or a frame
    """Return how a classifier makes probabilities of its scores, and how it decides.

    Parameters
    ----------
    linear : Linear
    probes : (n, P) csr, or what else the classifier reads
    ours : (n, C) float64
        Their scores.
    """
    if not hasattr(linear.final, "predict_proba"):
        # (−s, s) has twice the distance of (0, s), whose softmax a logistic regression uses
        return Link("softmax", 2.0 if len(linear.classes) == 2 else 1.0)
    chances = np.asarray(asked(linear.final, "predict_proba", probes), np.float64)
    for link in TRIED:
        if is_close(link.probabilities(ours), chances):
            return link
    predicted = np.asarray(asked(linear.final, "predict", probes))
    by_chance = np.array_equal(linear.classes[chances.argmax(axis=1)], predicted)
    by_score = np.array_equal(linear.classes[ours.argmax(axis=1)], predicted)
    if not by_chance and not by_score:
        raise NotLinearError(f"its {type(linear.final).__name__} decides in a way of its own")
    calibrated = hasattr(linear.final, "calibrated_classifiers_")
    return Link("own", by_score=by_score and not (by_chance and calibrated))
