"""What explanations of every kind have: a score, and the parts it is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import join_names
from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.explanation import row
from whyword.words.document import Document


class _ModelIdentity:
    """A field that may be given a function, called when somebody asks: a hash takes its time."""

    def __get__(self, explanation: "Decomposition | None", owner: type) -> str | None:
        if explanation is None:
            return None  # the field's default
        given = vars(explanation)["model"]
        if callable(given):
            given = vars(explanation)["model"] = given()
        identity: str | None = given
        return identity

    def __set__(
        self, explanation: "Decomposition", given: str | Callable[[], str | None] | None
    ) -> None:
        vars(explanation)["model"] = given


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Decomposition:
    """What all explanations have: whose score is decomposed, by what, and how well it adds up.

    Attributes
    ----------
    document : Document
    classes : tuple of C labels
    scores : (C,) float64
        The model's score of each class.
    target : label, tuple of K labels or "all"
        The class that is explained.
    relevance : (…,) or (…, K) float32
        Raw, never normalised.
    padding : float or (K,) float64
        What landed on no word of the text: on padding, or on features without a place.
    constant : float or (K,) float64
        What biases said, where the method does not share them out; one number stands for all K.
    conserves : bool
        Whether the method promises, under its parameters, that all of this adds up to the score.
    method : str
    parameters : dict
    model : str or None
        The model's identity.
    id : str or None
    labels_predicted : tuple of labels, or None
        Of a model that predicts several labels, or none; None of one that predicts a class.
    """

    document: Document
    classes: tuple[Label, ...]
    scores: NDArray[np.float64]
    target: Label | tuple[Label, ...]
    relevance: NDArray[np.float32]
    padding: Any
    constant: Any = 0.0
    conserves: bool = False
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    model: _ModelIdentity = _ModelIdentity()
    id: str | None = None
    labels_predicted: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        # its own copy: the explanations of a call are made with one dict
        vars(self)["parameters"] = dict(self.parameters)
        if self.relevance.ndim == 2 and np.ndim(self.constant) == 0:
            everywhere = np.full(self.relevance.shape[1], self.constant, np.float64)
            object.__setattr__(self, "constant", everywhere)

    def __getstate__(self) -> dict[str, Any]:
        """Take the identity along, not the model that would have to be hashed for it."""
        return vars(self) | {"model": self.model}

    @property
    def text(self) -> str:
        """The text as passed."""
        return self.document.text

    @property
    def words(self) -> list[str]:
        """The T words."""
        return self.document.words

    @property
    def spans(self) -> NDArray[np.int32]:
        """Where they stand, (T, 2) in code points."""
        return self.document.spans

    @property
    def truncated(self) -> int:
        """How many words beyond the model's ``max_words`` were not read."""
        return self.document.truncated

    @property
    def targets(self) -> tuple[Label, ...]:
        """The classes explained, one per column of the relevance."""
        if isinstance(self.target, tuple):
            return self.target
        return self.classes if self.relevance.ndim == 2 else (self.target,)

    @property
    def against(self) -> Label | None:
        """The class of a contrast, None without one."""
        against: Label | None = self.parameters.get("against")
        return against

    @property
    def highest(self) -> Label:
        """The class with the highest score."""
        return self.classes[int(self.scores.argmax())]

    @property
    def predicted(self) -> Any:  # noqa: ANN401 - a label, or a tuple of labels
        """The class with the highest score; of a model with several labels those it predicts."""
        return self.highest if self.labels_predicted is None else self.labels_predicted

    @cached_property
    def score(self) -> Any:  # noqa: ANN401 - one or several
        """The target's score (a contrast: the difference of two); (K,) for several targets."""
        at = {label: number for number, label in reversed(list(enumerate(self.classes)))}
        targets = np.array([at[target] for target in self.targets], np.intp)
        against = None if self.against is None else at[self.against]
        scores = row.target_scores(self.scores, targets, against)
        return scores if self.relevance.ndim == 2 else float(scores[0])

    @cached_property
    def residual(self) -> Any:  # noqa: ANN401 - one or several
        """Score − Σ relevance − padding − constant: what the explanation fails to account for."""
        total = self.relevance.sum(axis=0, dtype=np.float64)
        residual = row.residual_of(self.score, total, self.padding, self.constant)
        return residual if self.relevance.ndim == 2 else float(residual)

    @property
    def conserved(self) -> bool:
        """Whether ``|residual| ≤ 1e-4·max(1, |score|)`` for every target."""
        return bool(row.is_conserved(self.residual, self.score).all())

    def check(self) -> Self:
        """Return itself; raise a ConservationError if relevance is not conserved."""
        row.check_conserved(self.residual, self.score, self.method, self.id)
        return self

    def _column(self, target: Label | None) -> int:
        """Return the column of a target; by default of the highest class, else the first."""
        if target is None:
            return self.targets.index(self.highest) if self.highest in self.targets else 0
        if isinstance(target, np.generic):
            target = target.item()
        if not isinstance(target, Label) or target not in self.targets:
            explained = join_names(map(str, self.targets))
            raise InputError(f"{shown(target)} was not explained, only {explained}")
        return self.targets.index(target)

    def _target_name(self) -> str:
        """Return whose score it is, as people read it."""
        shown = self.target if isinstance(self.target, str) else repr(self.target)
        against = "" if self.against is None else f" against {self.against}"
        return f"{shown}{against}"
