"""A module's trace: everything that can be asked of it.

Equations are those of docs/method.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from whyword.base.errors import Argument, InputError
from whyword.models.erasure import words_gone
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
)
from whyword.models.pytorch.encoding import Encoded
from whyword.models.pytorch.frozen import (
    FIXED,
    FrozenPass,
    FrozenPasses,
    FrozenRule,
    TokenRelevance,
)
from whyword.models.pytorch.gradients import GradientPass
from whyword.models.pytorch.network import Batch, Network
from whyword.models.relevance import Relevance
from whyword.words.document import Document

Floats = NDArray[np.float32]
Without = Callable[[int, NDArray[np.bool_]], Encoded]
_Found = Iterable[tuple[Batch, TokenRelevance]]  # of all batches
_Value = Callable[[Tensor, Tensor], Tensor]  # of vectors and gradients
_VARIANTS = 512  # texts without some words that are scored at a time,
_TOKENS = 1 << 18  # with so many tokens


class TorchTrace(Erasable, Decomposable, Differentiable, Integrable, ElementWise):
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
        self._windows = network.windows(texts)
        self._passes: dict[FrozenRule, FrozenPasses] = {}

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def known(self) -> list[NDArray[np.bool_]]:  # type: ignore[override]
        """Whether the module knows each word: one of its pieces."""
        return [one.pieces.known_words(one.known) for one in self._texts]

    @cached_property
    def scores(self) -> Scores:  # type: ignore[override]
        """The scores of all classes, (n, C)."""
        if not self._explained:
            return self._network.scores(self._texts)
        scores = np.zeros((len(self), self._network.classes))
        for batch, one in self._frozen(FrozenRule()):
            self._windows.add(scores, batch.numbers, self._network.scores_of(one.outputs))
        return scores

    def recorded(self, number: int) -> dict[str, Any]:
        """Return in how many windows a document was read, if there is more than one."""
        count = int(self._windows.counts[number])
        return {"windows": count} if count > 1 else {}

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
        for batch, one in self._frozen(FrozenRule()):
            for name, values in one.constants_by_name(self._of(batch, targets)).items():
                sums = said.setdefault(name, np.zeros(targets.shape))
                self._windows.add(sums, batch.numbers, values)
        return said

    def _of(self, batch: Batch, targets: Targets) -> Targets:
        """Return the targets of a batch, (B, K)."""
        chosen: Targets = targets[self._windows.owner[batch.numbers]]
        return chosen

    def _frozen(self, rule: FrozenRule) -> FrozenPasses:
        if rule not in self._passes:
            network = self._network
            batches = list(network.batches(self._windows, singly=network.mixes))
            self._passes[rule] = FrozenPasses(network, batches, rule, self._check)
        return self._passes[rule]

    def _by_rule(self, targets: Targets, rule: FrozenRule, elements: bool) -> _Found:
        for batch, one in self._frozen(rule):
            yield batch, one.relevance(self._of(batch, targets), elements)

    def _gathered(
        self,
        targets: Targets,
        found: _Found,
        with_words: bool = False,
    ) -> Relevance:
        """Return the words' relevance from that of the tokens of all batches."""
        windows = self._windows
        padding, constant = np.zeros(targets.shape), np.zeros(targets.shape)
        pieces, rows = windows.nothing(targets.shape[1]), None
        for batch, part in found:
            tokens = part.tokens + part.places if with_words else part.tokens
            places = 0 if with_words else part.places.sum(1)
            windows.add(constant, batch.numbers, part.constant + places)
            windows.add(padding, batch.numbers, part.others)
            windows.add_pieces(pieces, batch.numbers, tokens, padding)
            if part.elements is not None:
                rows = rows or windows.nothing(*part.elements.shape[2:], dtype=np.float32)
                windows.add_pieces(rows, batch.numbers, part.elements)
        own = [one.pieces for one in self._texts]
        for number, (one, values) in enumerate(zip(own, pieces, strict=True)):
            padding[number] += values[~one.of_words].sum(0)
        words = [one.to_words(values) for one, values in zip(own, pieces, strict=True)]
        elements = rows and [
            one.to_words(values).astype(np.float32) for one, values in zip(own, rows, strict=True)
        ]
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
        for batch in self._network.batches(self._windows):
            one = GradientPass(self._network, batch)
            yield batch, one.relevance(self._of(batch, targets), value, elements)

    def _by_path(self, targets: Targets, steps: int, elements: bool) -> _Found:
        points = path_points(steps)
        for batch in self._network.batches(self._windows):
            one = GradientPass(self._network, batch)
            yield batch, one.integrated(self._of(batch, targets), points, elements)

    # ---- taking words out ---------------------------------------------------------------------

    def erase(
        self,
        documents: NDArray[np.intp],
        orders: NDArray[np.int32],
        insert: bool,
        steps: NDArray[np.intp],
    ) -> Erased:
        """Return what the module says while words go, equation (27)."""
        scores = np.empty((len(documents), orders.shape[1], len(steps), self._network.classes))
        for at, (number, each) in enumerate(zip(documents.tolist(), orders, strict=True)):
            removed = self._gone[number]
            variants = (
                gone for order in each for gone in words_gone(removed, order, insert, steps)
            )
            scores[at] = self._scores_without(number, variants).reshape(scores.shape[1:])
        return Erased(scores, self.probabilities_of(scores))

    def _scores_without(self, number: int, variants: Iterable[NDArray[np.bool_]]) -> Scores:
        scores = [np.empty((0, self._network.classes))]
        variants = iter(variants)
        most = _TOKENS // max(1, len(self._texts[number].ids))
        while some := list(islice(variants, min(_VARIANTS, max(1, most)))):
            scores.append(self._network.scores([self._without(number, gone) for gone in some]))
        return np.concatenate(scores)

    def _each_gone(self, number: int) -> Iterator[NDArray[np.bool_]]:
        for word in range(len(self.documents[number])):
            gone = self._gone[number].copy()
            gone[word] = True
            yield gone

    def occlusion(self, targets: Targets) -> Relevance:
        """Return equation (21): what the score loses without a word."""
        words = []
        for number, chosen in enumerate(targets):
            without = self._scores_without(number, self._each_gone(number))
            words.append(self.scores[number, chosen] - without[:, chosen])
        return Relevance(words, np.zeros(targets.shape))

    # ---- vectors ------------------------------------------------------------------------------

    @cached_property
    def _vectors(self) -> list[NDArray[np.float32]]:
        """The vectors of each document's pieces, (P, D); of several tables side by side."""
        result: list[Any] = []
        for batch, one in self._reads():
            vectors = one.vectors()
            result = result or self._windows.nothing(vectors.shape[-1], dtype=np.float32)
            for row, text, places in self._windows.rows(batch.numbers):
                result[text][places] = vectors[row, : len(places)]
        return result

    def _reads(self) -> Iterable[tuple[Batch, FrozenPass | GradientPass]]:
        """Yield passes in which all is read once: those that relevance comes from, if it does."""
        if self._explained:
            return self._frozen(FrozenRule())
        batches = self._network.batches(self._windows)
        return ((batch, GradientPass(self._network, batch)) for batch in batches)

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
        rows: list[Any] = []
        for batch, part in found:
            assert part.elements is not None  # noqa: S101 - as it was asked for
            values = part.elements[..., 0]
            rows = rows or self._windows.nothing(values.shape[-1], dtype=np.float32)
            self._windows.add_pieces(rows, batch.numbers, values)
        pairs = zip(rows, self._vectors, strict=True)
        return self._sums([values * vectors for values, vectors in pairs], each)

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
