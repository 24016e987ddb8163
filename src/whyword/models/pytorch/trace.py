"""A module's trace: everything that can be asked of it.

Equations are those of docs/method.md.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from whyword.base.errors import Argument, InputError
from whyword.models.integration import path_points
from whyword.models.multilabel import MultiLabel
from whyword.models.probabilities import softmax
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    ElementWise,
    Erasable,
    Erased,
    Integrable,
    Scores,
    Targets,
    Trace,
)
from whyword.models.pytorch.encoding import Encoded
from whyword.models.pytorch.frozen import (
    FIXED,
    FrozenPass,
    FrozenRule,
    TokenRelevance,
    freeze_batches,
)
from whyword.models.pytorch.gradients import GradientPass
from whyword.models.pytorch.network import Batch, Network
from whyword.models.relevance import Relevance
from whyword.words.document import Document

Floats = NDArray[np.float32]
Without = Callable[[int, NDArray[np.bool_]], Encoded]
_Found = tuple[Sequence[Batch], Sequence[TokenRelevance]]  # of all batches
_Value = Callable[[Tensor, Tensor], Tensor]  # of vectors and gradients
_VARIANTS = 512  # texts without some words that are scored at a time


class TorchTrace(Trace, Decomposable, Differentiable, Integrable, Erasable, ElementWise):
    """Texts that a module has read, and the ways back from its scores.

    Parameters
    ----------
    network : Network
    documents : list of n Document
    texts : list of n Encoded
        As they are read, deleted words deleted.
    without : callable
        From a document's number and its words that are gone, (T,) bool, to what is read then.
    gone : list of (T,) bool
        The words that are deleted from the start.
    explained : bool
        Whether relevance will be asked for: then the scores come from the frozen pass.
    check : bool
        Whether the frozen pass is compared with the module's own.
    """

    rule_parameters = ("bias", "epsilon", "attention", "positions", "layer")
    rule_defaults: ClassVar[Mapping[str, Any]] = {"bias": "apart"}
    predicts_anew, all_classes = True, False

    def __init__(
        self,
        network: Network,
        documents: Sequence[Document],
        texts: Sequence[Encoded],
        without: Without,
        gone: Sequence[NDArray[np.bool_]],
        *,
        explained: bool,
        check: bool,
    ) -> None:
        self._network, self.documents, self._texts = network, documents, texts
        self._without, self._gone, self._explained = without, gone, explained
        self._check = check
        self._passes: dict[FrozenRule, tuple[list[Batch], list[FrozenPass]]] = {}

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def known(self) -> list[NDArray[np.bool_]]:  # type: ignore[override]
        """Whether the module knows each word: one of its pieces."""
        return [one.pieces.known_words(one.known & ~one.zeroed) for one in self._texts]

    @cached_property
    def scores(self) -> Scores:  # type: ignore[override]
        """The scores of all classes, (n, C)."""
        if not self._explained:
            return self._network.scores(self._texts)
        batches, passes = self._frozen(FrozenRule())
        scores = np.empty((len(self), self._network.classes))
        for batch, one in zip(batches, passes, strict=True):
            scores[batch.numbers] = self._network.scores_of(one.outputs)
        return scores

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the softmax of scores; of a single s, for (−s, s), σ(s)."""
        return softmax(scores / 2) if self._network.single else softmax(scores)

    # ---- LRP ----------------------------------------------------------------------------------

    @classmethod
    def check_rule(cls, settings: dict[str, Any], given: Any) -> dict[str, Any]:
        """Return the parameters that go together: ε only where biases are shared."""
        if settings["bias"] == "shared":
            for name, default in (("attention", FIXED), ("positions", "apart"), ("layer", None)):
                if settings[name] != default:
                    raise InputError(
                        Argument("bias", "shared"),
                        " is the paper's rule; it has no ",
                        Argument(name),
                    )
            return {"bias": "shared", "epsilon": settings["epsilon"]}
        if "epsilon" in given:
            raise InputError(
                Argument("epsilon"),
                " is for ",
                Argument("bias", "shared"),
                ": with biases apart this model's relevance is exact without one",
            )
        unused = {"epsilon"} | ({"layer"} if settings["layer"] is None else set())
        return {name: value for name, value in settings.items() if name not in unused}

    @classmethod
    def rule_conserves(cls, settings: Mapping[str, Any]) -> bool:
        """Return whether relevance adds up: not if attention has a share."""
        return bool(settings.get("attention", FIXED) == FIXED)

    def lrp(self, targets: Targets, *, elements: bool = False, **rule: Any) -> Relevance:
        """Return the words' relevance, equation (37): the frozen network's gradient times input."""
        with_words = rule.get("positions", "apart") != "apart"
        return self._gathered(targets, self._by_rule(targets, _rule(**rule), elements), with_words)

    def constants(self, targets: Targets) -> dict[str, Scores]:
        """Return what each constant said, by the name of what it belongs to, (n, K) each."""
        said: dict[str, Scores] = {}
        batches, passes = self._frozen(FrozenRule())
        for batch, one in zip(batches, passes, strict=True):
            for name, values in one.constants_by_name(targets[batch.numbers]).items():
                said.setdefault(name, np.zeros(targets.shape))[batch.numbers] = values
        return said

    def _frozen(self, rule: FrozenRule) -> tuple[list[Batch], list[FrozenPass]]:
        if rule not in self._passes:
            network = self._network
            batches = list(network.batches(self._texts))
            if network.mixes:
                batches = [next(network.batches([one])) for one in self._texts]
                for number, batch in enumerate(batches):
                    batch.numbers[:] = number
            passes = freeze_batches(network, batches, rule, self._check)
            self._passes[rule] = (batches, passes)
        return self._passes[rule]

    def _by_rule(self, targets: Targets, rule: FrozenRule, elements: bool) -> _Found:
        batches, passes = self._frozen(rule)
        pairs = zip(batches, passes, strict=True)
        return batches, [one.relevance(targets[batch.numbers], elements) for batch, one in pairs]

    def _gathered(
        self,
        targets: Targets,
        found: _Found,
        with_words: bool = False,
    ) -> Relevance:
        """Return the words' relevance from that of the tokens of all batches."""
        n, columns = targets.shape
        words: list[Any] = [None] * n
        pieces: list[Any] = [None] * n
        rows: list[Any] = [None] * n
        padding, constant = np.zeros((n, columns)), np.zeros((n, columns))
        for batch, part in zip(*found, strict=True):
            tokens = part.tokens + part.places if with_words else part.tokens
            constant[batch.numbers] = part.constant
            if not with_words:
                constant[batch.numbers] += part.places.sum(1)
            for row, number in enumerate(batch.numbers.tolist()):
                own = self._texts[number].pieces
                pieces[number] = tokens[row, : own.count]
                words[number] = own.to_words(pieces[number])
                padding[number] = (
                    part.others[row]
                    + tokens[row, own.count :].sum(0)
                    + pieces[number][~own.of_words].sum(0)
                )
                if part.elements is not None:
                    each = part.elements[row, : own.count].astype(np.float64)
                    rows[number] = own.to_words(each).astype(np.float32)
        elements = rows if any(part.elements is not None for part in found[1]) else None
        return Relevance(words, padding, constant, elements, pieces)

    # ---- gradients ----------------------------------------------------------------------------

    def sensitivity(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return Σ_i (∂x[k]/∂x[t, i])² of each word, equation (19)."""
        return self._gathered(targets, self._by_gradient(targets, _squared, elements))

    def gradient_input(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return equation (20), summed over i for each word."""
        return self._gathered(targets, self._by_gradient(targets, _times_input, elements))

    def integrated_gradients(
        self, targets: Targets, *, steps: int, elements: bool = False
    ) -> Relevance:
        """Return equation (35): the constant is what the module says of vectors of zeros."""
        return self._gathered(targets, self._by_path(targets, steps, elements))

    def _by_gradient(self, targets: Targets, value: _Value, elements: bool) -> _Found:
        batches = list(self._network.batches(self._texts))
        passes = [GradientPass(self._network, batch) for batch in batches]
        pairs = zip(batches, passes, strict=True)
        return batches, [
            one.relevance(targets[batch.numbers], value, elements) for batch, one in pairs
        ]

    def _by_path(self, targets: Targets, steps: int, elements: bool) -> _Found:
        batches = list(self._network.batches(self._texts))
        passes = [GradientPass(self._network, batch) for batch in batches]
        pairs, points = zip(batches, passes, strict=True), path_points(steps)
        return batches, [
            one.integrated(targets[batch.numbers], points, elements) for batch, one in pairs
        ]

    # ---- taking words out ---------------------------------------------------------------------

    def erase(self, documents: NDArray[np.intp], orders: NDArray[np.int32], insert: bool) -> Erased:
        """Return what the module says while words go, equation (27)."""
        _, runs, steps = orders.shape
        scores = np.empty((len(documents), runs, steps + 1, self._network.classes))
        for at, (number, each) in enumerate(zip(documents.tolist(), orders, strict=True)):
            variants = [gone for order in each for gone in self._steps(number, order, insert)]
            scores[at] = self._scores_without(number, variants).reshape(scores.shape[1:])
        return Erased(scores, self.probabilities_of(scores))

    def _steps(
        self, number: int, order: NDArray[np.int32], insert: bool
    ) -> list[NDArray[np.bool_]]:
        removed = self._gone[number]
        gone = np.full(len(removed), insert) | removed
        steps = [gone.copy()]
        for word in order.tolist():
            if word >= 0:
                gone[word] = not insert or removed[word]
            steps.append(gone.copy())
        return steps

    def _scores_without(self, number: int, variants: Sequence[NDArray[np.bool_]]) -> Scores:
        scores = [np.empty((0, self._network.classes))]
        for first in range(0, len(variants), _VARIANTS):
            some = [self._without(number, gone) for gone in variants[first : first + _VARIANTS]]
            scores.append(self._network.scores(some))
        return np.concatenate(scores)

    def occlusion(self, targets: Targets) -> Relevance:
        """Return equation (21): what the score loses without a word."""
        words = []
        for number, (document, chosen) in enumerate(zip(self.documents, targets, strict=True)):
            variants = [self._gone[number].copy() for _ in range(len(document))]
            for word, gone in enumerate(variants):
                gone[word] = True
            without = self._scores_without(number, variants)
            words.append(self.scores[number, chosen] - without[:, chosen])
        return Relevance(words, np.zeros(targets.shape))

    # ---- vectors ------------------------------------------------------------------------------

    @cached_property
    def _vectors(self) -> list[NDArray[np.float32]]:
        """The vectors of each document's pieces, (P, D); of several tables side by side."""
        result: list[Any] = [None] * len(self)
        for batch in self._network.batches(self._texts):
            vectors = GradientPass(self._network, batch).vectors()
            for row, number in enumerate(batch.numbers.tolist()):
                result[number] = vectors[row, : self._texts[number].pieces.count]
        return result

    def uniform(self) -> Relevance:
        """Return 1/P for each of P pieces, equation (24): the mean of their vectors."""
        return self._weights(lambda pieces: 1 / max(1, int(pieces.of_words.sum())))

    def _weights(self, weight: Callable[[Any], float]) -> Relevance:
        pieces = [
            one.pieces.of_words.astype(np.float64)[:, None] * weight(one.pieces)
            for one in self._texts
        ]
        words = [
            one.pieces.to_words(values) for one, values in zip(self._texts, pieces, strict=True)
        ]
        return Relevance(words, np.zeros((len(words), 1)), units=pieces)

    def summary(self, relevance: Relevance, each: bool = False) -> Floats:
        """Return Σ_p R[p]·x[p, i] of each document, equation (22), over its pieces of words."""
        pieces = relevance.units or [
            one.pieces.to_pieces(np.asarray(words, np.float64))
            for one, words in zip(self._texts, relevance.words, strict=True)
        ]
        rows = [
            values[:, :1] * vectors for values, vectors in zip(pieces, self._vectors, strict=True)
        ]
        return self._sums(rows, each)

    def _sums(self, rows: Sequence[NDArray[Any]], each: bool) -> Floats:
        """Return the sums over pieces of words, (P, D) each: of documents, or of their words."""
        own = [one.pieces for one in self._texts]
        if each:
            parts = [one.to_words(values) for one, values in zip(own, rows, strict=True)]
            return np.concatenate(parts).astype(np.float32)
        sums = [values[one.of_words].sum(0) for one, values in zip(own, rows, strict=True)]
        return np.stack(sums).astype(np.float32)

    def _element_sums(self, found: _Found, each: bool) -> Floats:
        rows: list[Any] = [None] * len(self)
        for batch, part in zip(*found, strict=True):
            assert part.elements is not None  # noqa: S101 - as it was asked for
            for row, number in enumerate(batch.numbers.tolist()):
                count = self._texts[number].pieces.count
                rows[number] = part.elements[row, :count, :, 0] * self._vectors[number]
        return self._sums(rows, each)

    def lrp_sums(self, targets: Targets, each: bool = False, **rule: Any) -> Floats:
        """Return Σ_p R[p, i, k]·x[p, i], equation (23), for LRP."""
        return self._element_sums(self._by_rule(targets[:, :1], _rule(**rule), True), each)

    def sensitivity_sums(self, targets: Targets, each: bool = False) -> Floats:
        """Return Σ_p R[p, i, k]·x[p, i], equation (23), for squared gradients."""
        return self._element_sums(self._by_gradient(targets[:, :1], _squared, True), each)

    def gradient_input_sums(self, targets: Targets, each: bool = False) -> Floats:
        """Return Σ_p R[p, i, k]·x[p, i], equation (23), for gradient × input."""
        return self._element_sums(self._by_gradient(targets[:, :1], _times_input, True), each)

    def integrated_gradients_sums(
        self, targets: Targets, each: bool = False, *, steps: int
    ) -> Floats:
        """Return Σ_p R[p, i, k]·x[p, i], equation (23), for integrated gradients."""
        return self._element_sums(self._by_path(targets[:, :1], steps, True), each)


class LabelsTorchTrace(MultiLabel, TorchTrace):
    """The same of a module whose scores are of independent labels."""


def _squared(vectors: Tensor, gradient: Tensor) -> Tensor:
    return gradient**2


def _times_input(vectors: Tensor, gradient: Tensor) -> Tensor:
    return vectors * gradient


def _rule(
    bias: str = "apart",
    epsilon: float | None = None,
    attention: str = FIXED,
    positions: str = "apart",
    layer: str | None = None,
) -> FrozenRule:
    return FrozenRule(attention, epsilon if bias == "shared" else None, layer)
