"""Sanity checks: does an explanation depend on what it should, and on nothing else.

An explanation of a network must change when the network's weights are shuffled; it should not
change when the same function is written in another way; and two trainings of the same network
should agree on what matters.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, real_number, strings, whole_number
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.labels import Label
from whyword.evaluation.ranking import Explainer
from whyword.explanation.alignment import aligned
from whyword.methods.blocks import documents_of, kind_of, model_classes
from whyword.methods.explain import explain
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier

Model: TypeAlias = CNNClassifier | SVMClassifier
Values = NDArray[np.float64]

_TOP = 10
_TELLING = 0.8  # overlap by chance from which it says nothing
_DIFFERENT = 0.5  # rank correlation below which two relevances are called different


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """How far two relevances of the same documents agree.

    Attributes
    ----------
    correlations : (n,) float64
        Spearman's rank correlation of each document; NaN where one side has no order.
    overlaps : (n,) float64
        Share of the top words that both have in common.
    chance : float
        The overlap to expect of random orders.
    top : int
    """

    correlations: Values
    overlaps: Values
    chance: float
    top: int

    @property
    def correlation(self) -> float:
        """Mean rank correlation of the documents that have one; NaN without any."""
        known = self.correlations[~np.isnan(self.correlations)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def overlap(self) -> float:
        """Mean share of common top words."""
        return float(self.overlaps.mean())

    def __repr__(self) -> str:
        return (
            f"Agreement(rank correlation {self.correlation:.3f}, {self.overlap:.0%} of the top "
            f"{self.top} words in common, {self.chance:.0%} by chance, {len(self.overlaps):,} "
            "documents)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        correlation = self.correlation
        return {
            "documents": len(self.overlaps),
            "without_order": int(np.isnan(self.correlations).sum()),
            "rank_correlation": None if np.isnan(correlation) else correlation,
            "overlap": self.overlap,
            "overlap_by_chance": self.chance,
            "top": self.top,
        }


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


def agreement(a: Iterable[Any], b: Iterable[Any], top: int = _TOP) -> Agreement:
    """Compare two relevances of the same documents, word by word.

    Parameters
    ----------
    a, b : iterables of (T,) arrays or Explanations of one target
        One per document.
    top : int
        How many of the highest words to compare.
    """
    top = whole_number("top", top)
    for each in (a, b):
        if isinstance(each, str) or not isinstance(each, Iterable):
            raise InputError(f"a list of relevances is needed, not {type(each).__name__}")
    first, second = ([_plain(one) for one in each] for each in (a, b))
    if len(first) != len(second):
        raise InputError(f"the two differ in their documents: {len(first)} ≠ {len(second)}")
    if not first:
        raise InputError("there are no documents to compare")
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        if one.shape != other.shape:
            raise InputError(f"document {number} has {one.size} and {other.size} values")
    pairs = [pair for pair in zip(first, second, strict=True) if pair[0].size]
    if not pairs:
        raise InputError("none of the documents has a word")
    counts = [min(top, one.size) for one, _ in pairs]
    return Agreement(
        np.array([rank_correlation(*pair) for pair in pairs]),
        np.array([_overlap(*pair, count) for pair, count in zip(pairs, counts, strict=True)]),
        float(np.mean([n / one.size for (one, _), n in zip(pairs, counts, strict=True)])),
        top,
    )


def rank_correlation(a: Values, b: Values) -> float:
    """Return Spearman's rank correlation, equal values sharing ranks; NaN if a side is constant."""
    try:
        from scipy.stats import rankdata
    except ImportError:
        raise MissingExtraError("scipy", "evaluate") from None
    first, second = (rankdata(values) - (len(values) + 1) / 2 for values in (a, b))
    lengths = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / lengths if lengths else float("nan")


def model_randomisation(
    model: Model,
    texts: Iterable[str],
    method: str | Explainer = "lrp",
    *,
    layers: str = "all",
    seed: int = 0,
    top: int = _TOP,
    **parameters: float | str,
) -> SanityCheck:
    """Explain a model with shuffled weights: the relevance must not stay as it was.

    Parameters
    ----------
    model : CNNClassifier or SVMClassifier
    texts : iterable of str
    method : str, or callable
        One of :func:`~whyword.explain`'s, or ``method(model, texts, targets)`` that returns
        relevances as :func:`~whyword.explanation.alignment.aligned` takes them.
    layers : {"all", "output"}
        Shuffle the output layer's weights only, or the filters' too.
    seed : int
    top : int
    **parameters
        Of the method.
    """
    kind_of(model)
    if not isinstance(model, CNNClassifier | SVMClassifier):
        raise InputError(f"a CNNClassifier or SVMClassifier is checked, not {type(model).__name__}")
    if layers not in ("all", "output"):
        raise InputError(f"layers may be 'all' or 'output', not {layers!r:.60}")
    shuffled = shuffled_model(model, layers == "all", whole_number("seed", seed, least=0))
    found, change = _both(model, shuffled, texts, method, top, parameters)
    passed = found.correlation < _DIFFERENT
    which = "the output weights" if layers == "output" else "all weights"
    said = "depends on what the model has learned" if passed else "hardly looks at the model"
    if np.isnan(found.correlation):
        said = "cannot be judged, for want of texts with several words"
    return SanityCheck(
        f"model randomisation ({layers})",
        passed,
        found,
        f"With {which} shuffled, relevance correlates by {_shown(found.correlation)} with what it "
        f"was: it {said}.",
        change,
    )


def input_invariance(
    model: CNNClassifier,
    texts: Iterable[str],
    method: str | Explainer = "lrp",
    *,
    shift: float = 1.0,
    top: int = _TOP,
    **parameters: float | str,
) -> SanityCheck:
    """Shift the word vectors and let the biases make up for it: the same function, written anew.

    A method is invariant if relevance stays as it was (Kindermans et al., 2017). Gradients are;
    what weighs inputs, as LRP and gradient × input do, depends on where their zero lies. Documents
    with fewer words than a filter has are left out: their padding does not shift.

    Parameters
    ----------
    model : CNNClassifier
    texts : iterable of str
    method, top, **parameters
        As for :func:`model_randomisation`.
    shift : float
        In standard deviations of the training vectors.
    """
    kind_of(model)
    if not isinstance(model, CNNClassifier):
        raise InputError("input invariance is checked of a CNNClassifier's word vectors")
    size = real_number("shift", shift, above=0)
    tokenizer, shortest = model.inputs_.tokenizer, model.inputs_.shortest
    long_enough = [t for t in strings("texts", texts) if len(tokenizer(t)) >= shortest]
    if not long_enough:
        raise InputError(f"none of the texts has {shortest} words")
    found, change = _both(model, shifted_model(model, size), long_enough, method, top, parameters)
    passed = found.correlation > 1 - 1e-3
    said = "is invariant" if passed else "depends on where the zero of the input lies"
    return SanityCheck(
        "input invariance",
        passed,
        found,
        f"With inputs shifted by {size:g} and biases that make up for it, relevance correlates by "
        f"{_shown(found.correlation)} with what it was: it {said}.",
        change,
    )


def seed_stability(
    first: Model,
    second: Model,
    texts: Iterable[str],
    method: str | Explainer = "lrp",
    *,
    top: int = _TOP,
    **parameters: float | str,
) -> SanityCheck:
    """Compare two trainings: do they agree on the top words, for the class the first predicts.

    They do if the share of common words is nearer to 1 than to what chance would give. What does
    not depend on the model agrees always: see :func:`model_randomisation`.

    Parameters
    ----------
    first, second : CNNClassifier or SVMClassifier
        Trained alike, with different seeds.
    texts, method, top, **parameters
        As for :func:`model_randomisation`.
    """
    kind_of(first)
    kind_of(second)
    if model_classes(first) != model_classes(second):
        raise InputError("the two models have different classes")
    found, change = _both(first, second, texts, method, top, parameters)
    passed = found.overlap >= (1 + found.chance) / 2 and found.chance < _TELLING
    said = "agree" if passed else "do not agree"
    if found.chance >= _TELLING:
        said = "cannot be compared, for texts this short"
    return SanityCheck(
        "seed stability",
        passed,
        found,
        f"Two trainings {said}: {found.overlap:.0%} of the top {found.top} words are the same "
        f"({found.chance:.0%} by chance), rank correlation {_shown(found.correlation)}.",
        change,
    )


def shuffled_model(model: Model, filters: bool, seed: int) -> Model:
    """Return the model with weights in random order: of the output layer, and of the filters."""
    random = np.random.default_rng(seed)

    def shuffled(weights: NDArray[Any]) -> NDArray[Any]:
        return random.permutation(weights.ravel()).reshape(weights.shape)

    other = copy(model)
    if isinstance(other, CNNClassifier):
        network = replace(other.network_, output_weight=shuffled(other.network_.output_weight))
        if filters:
            changed = (replace(c, weight=shuffled(c.weight)) for c in network.convolutions)
            network = replace(network, convolutions=tuple(changed))
        other.network_ = network
    else:
        other.output_weight_ = shuffled(other.output_weight_)
    return other


def shifted_model(model: CNNClassifier, shift: float) -> CNNClassifier:
    """Return a model whose word vectors are moved by a constant, with the same scores.

    x′ = x + shift and b′_j = b_j − shift·Σ_{τ,i} w[τ, j, i], so z_j = w·x + b_j stays as it was.
    """
    other = copy(model)
    mean = model.inputs_.mean - shift * model.inputs_.deviation
    other.inputs_ = replace(model.inputs_, mean=mean)
    convolutions = (
        replace(
            convolution,
            bias=(
                convolution.bias - shift * convolution.weight.sum(axis=(0, 2), dtype=np.float64)
            ).astype(np.float32),
        )
        for convolution in model.network_.convolutions
    )
    other.network_ = replace(model.network_, convolutions=tuple(convolutions))
    return other


def _both(
    model: Model,
    other: Model,
    texts: Iterable[str],
    method: str | Explainer,
    top: int,
    parameters: dict[str, float | str],
) -> tuple[Agreement, float]:
    """Return how the relevances of two models agree, and how far their targets' scores differ."""
    for one in (model, other):
        if not isinstance(one, CNNClassifier | SVMClassifier):
            kind = type(one).__name__
            raise InputError(f"a CNNClassifier or SVMClassifier is checked, not {kind}")
    several = strings("texts", texts)
    if not several:
        raise InputError("there are no texts to explain")
    chosen = model.class_scores(several).argmax(axis=1)
    targets = [model_classes(model)[number] for number in chosen.tolist()]
    explained = [_relevances(one, several, targets, method, parameters) for one in (model, other)]
    rows = np.arange(len(several))
    scores = [one.class_scores(several)[rows, chosen] for one in (model, other)]
    return agreement(explained[0], explained[1], top), float(np.abs(scores[0] - scores[1]).max())


def _relevances(
    model: Model,
    texts: list[str],
    targets: list[Label],
    method: str | Explainer,
    parameters: dict[str, Any],
) -> list[Values]:
    if isinstance(method, str):
        found = explain(model, texts, targets=targets, method=method, **parameters)
        return [one.relevance.astype(np.float64) for one in found]
    if not callable(method):
        raise InputError(f"method takes a name or a function, not {method!r:.60}")
    given = one_each("relevance", method(model, texts, targets, **parameters), len(texts))
    return aligned(given, list(documents_of(model, texts)))


def _plain(relevance: object) -> Values:
    try:
        values = np.asarray(getattr(relevance, "relevance", relevance), np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a relevance is no list of numbers: {relevance!r:.60}") from None
    if values.ndim != 1:
        raise InputError(f"a relevance has shape {values.shape}; one value per word is needed")
    if not np.isfinite(values).all():
        raise InputError("a relevance has a value that is no finite number")
    return values


def _overlap(a: Values, b: Values, count: int) -> float:
    tops = [set(np.argsort(-values, kind="stable")[:count].tolist()) for values in (a, b)]
    return len(tops[0] & tops[1]) / count


def _shown(correlation: float) -> str:
    return "no number (no order)" if np.isnan(correlation) else f"{correlation:.2f}"
