"""Sanity checks: does an explanation depend on what it should, and on nothing else.

An explanation of a network must change when the network's weights are shuffled; it should not
change when the same function is written in another way; and two trainings of the same network
should agree on what matters.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from whyword.base.checks import (
    check_installed,
    one_each,
    one_of,
    real_number,
    strings,
    whole_number,
)
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.evaluation.agreement import TOP, Agreement, Values, agreement
from whyword.evaluation.ranking import Explainer
from whyword.explanation.alignment import align
from whyword.methods.explain import explain
from whyword.methods.predict import scores_of
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.abilities import Shiftable, Trained
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import TextClassifier

_TELLING = 0.8  # overlap by chance from which it says nothing
_DIFFERENT = 0.5  # rank correlation below which two relevances are called different


@dataclass(frozen=True, repr=False)
class SanityCheck:
    """What a check found.

    Attributes
    ----------
    name : str
    passed : bool
    agreement : Agreement
        With the relevance of the changed model.
    verdict : str
        In a sentence.
    score_change : float
        How much the change moved the targets' scores, at most.
    """

    name: str
    passed: bool
    agreement: Agreement
    verdict: str
    score_change: float

    def __repr__(self) -> str:
        return f"SanityCheck({self.name}, {'passed' if self.passed else 'failed'}: {self.verdict})"

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "name": self.name,
            "passed": self.passed,
            "verdict": self.verdict,
            "score_change": self.score_change,
            **self.agreement.to_dict(),
        }


def model_randomisation(
    model: object,
    texts: Iterable[str],
    method: str | Explainer | None = None,
    *,
    layers: str = "all",
    seed: int = 0,
    top: int = TOP,
    **parameters: float | str,
) -> SanityCheck:
    """Explain a model with shuffled weights: the relevance must not stay as it was.

    Parameters
    ----------
    model : TextClassifier
        One whose weights can be shuffled.
    texts : iterable of str
    method : str, or callable, optional
        One of :func:`~whyword.explain`'s, or ``method(model, texts, targets)`` that returns
        relevances as :func:`~whyword.explanation.alignment.align` takes them.
    layers : {"all", "output"}
        Shuffle the output layer's weights only, or the filters' too.
    seed : int
    top : int
    **parameters
        Of the method.
    """
    traced = _checked(model, method, top, parameters)
    if not isinstance(traced, Trained):
        raise InputError(
            f"model randomisation needs weights to shuffle, which a model of kind {traced.kind!r} "
            "does not show"
        )
    one_of("layers", layers, traced.shuffled_layers)
    several = strings("texts", texts)
    shuffled = traced.shuffled(layers, whole_number("seed", seed, least=0))
    similarity, change = _compare(model, shuffled, several, method, top, parameters)
    passed = similarity.correlation < _DIFFERENT
    which = "the output weights" if layers == "output" else "all weights"
    conclusion = "depends on what the model has learned" if passed else "hardly looks at the model"
    if np.isnan(similarity.correlation):
        conclusion = "cannot be judged, for want of texts with several words"
    return SanityCheck(
        f"model randomisation ({layers})",
        passed,
        similarity,
        f"With {which} shuffled, relevance correlates by {_format(similarity.correlation)} with "
        f"what it was: it {conclusion}.",
        change,
    )


def input_invariance(
    model: object,
    texts: Iterable[str],
    method: str | Explainer | None = None,
    *,
    shift: float = 1.0,
    top: int = TOP,
    **parameters: float | str,
) -> SanityCheck:
    """Shift the word vectors and let the biases make up for it: the same function, written anew.

    A method is invariant if relevance stays as it was (Kindermans et al., 2017). Gradients are;
    what weighs inputs, as LRP and gradient × input do, depends on where their zero lies. Documents
    with fewer words than a filter has are left out: their padding does not shift.

    Parameters
    ----------
    model : TextClassifier
        One of word vectors.
    texts : iterable of str
    method, top, **parameters
        As for :func:`model_randomisation`.
    shift : float
        In standard deviations of the training vectors.
    """
    traced = _checked(model, method, top, parameters)
    if not isinstance(traced, Shiftable):
        raise InputError(
            "input invariance needs word vectors that can be shifted, which a model of kind "
            f"{traced.kind!r} has not"
        )
    size = real_number("shift", shift, above=0)
    long_enough = [text for text in strings("texts", texts) if traced.is_shiftable(text)]
    if not long_enough:
        raise InputError("none of the texts has as many words as the widest filter")
    similarity, change = _compare(model, traced.shifted(size), long_enough, method, top, parameters)
    passed = similarity.correlation > 1 - 1e-3
    conclusion = "is invariant" if passed else "depends on where the zero of the input lies"
    return SanityCheck(
        "input invariance",
        passed,
        similarity,
        f"With inputs shifted by {size:g} and biases that make up for it, relevance correlates by "
        f"{_format(similarity.correlation)} with what it was: it {conclusion}.",
        change,
    )


def seed_stability(
    first: object,
    second: object,
    texts: Iterable[str],
    method: str | Explainer | None = None,
    *,
    top: int = TOP,
    **parameters: float | str,
) -> SanityCheck:
    """Compare two trainings: do they agree on the top words, for the class the first predicts.

    They do if the share of common words is nearer to 1 than to what chance would give. What does
    not depend on the model agrees always: see :func:`model_randomisation`.

    Parameters
    ----------
    first, second : TextClassifier
        Trained alike, with different seeds.
    texts, method, top, **parameters
        As for :func:`model_randomisation`.
    """
    both = [_checked(model, method, top, parameters) for model in (first, second)]
    if labels_of(both[0]) != labels_of(both[1]):
        raise InputError("the two models have different classes")
    similarity, change = _compare(first, second, texts, method, top, parameters)
    passed = similarity.overlap >= (1 + similarity.chance) / 2 and similarity.chance < _TELLING
    conclusion = "agree" if passed else "do not agree"
    if similarity.chance >= _TELLING:
        conclusion = "cannot be compared, for texts this short"
    return SanityCheck(
        "seed stability",
        passed,
        similarity,
        f"Two trainings {conclusion}: {similarity.overlap:.0%} of the top {similarity.top} words "
        f"are the same ({similarity.chance:.0%} by chance), rank correlation "
        f"{_format(similarity.correlation)}.",
        change,
    )


def _checked(
    model: object, method: str | Explainer | None, top: int, parameters: dict[str, Any]
) -> TextClassifier:
    """Return the model that is judged; raise if something does not fit, before any work."""
    check_installed("evaluate", "scipy")
    whole_number("top", top)
    if method is None or isinstance(method, str):
        return Request.of(model, PREDICTED, method, parameters=parameters).model
    if not callable(method):
        raise InputError(Argument("method"), f" takes a name or a function, not {shown(method)}")
    return as_classifier(model)


def _compare(
    model: object,
    other: object,
    texts: Iterable[str],
    method: str | Explainer | None,
    top: int,
    parameters: dict[str, float | str],
) -> tuple[Agreement, float]:
    """Return how the relevances of two models agree, and how far their targets' scores differ."""
    several = strings("texts", texts)
    if not several:
        raise InputError("there are no texts to explain")
    first, second = as_classifier(model), as_classifier(other)
    before = scores_of(first, several)
    chosen = before.argmax(axis=1)
    labels = labels_of(first)
    targets = [labels[number] for number in chosen.tolist()]
    explained = [_relevances(one, several, targets, method, parameters) for one in (model, other)]
    rows = np.arange(len(several))
    change = np.abs(before[rows, chosen] - scores_of(second, several)[rows, chosen])
    return agreement(explained[0], explained[1], top), float(change.max())


def _relevances(
    model: object,
    texts: list[str],
    targets: list[Label],
    method: str | Explainer | None,
    parameters: dict[str, Any],
) -> list[Values]:
    if method is None or isinstance(method, str):
        explanations = explain(model, texts, targets=targets, method=method, **parameters)
        return [one.relevance.astype(np.float64) for one in explanations]
    relevance = one_each("relevance", method(model, texts, targets, **parameters), len(texts))
    return align(relevance, list(as_classifier(model).documents(texts)))


def _format(correlation: float) -> str:
    return "no number (no order)" if np.isnan(correlation) else f"{correlation:.2f}"
