"""What a model used as units, asked for after the text was explained."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import Argument, InputError
from whyword.explanation.phrases import Phrases
from whyword.methods.registry import Settings
from whyword.methods.request import PHRASE, Request, has_phrases
from whyword.methods.targets import Target
from whyword.models.protocol import Positions
from whyword.words.document import Document


@dataclass(frozen=True, eq=False)
class LaterPhrases:
    """A request that was not for phrases, without its model, which explanations do not keep.

    Attributes
    ----------
    model : callable
        Returns the model as it was passed; None if it is there no more.
    target : Target
    method : str
    settings : dict
    """

    model: Callable[[], object]
    target: Target
    method: str
    settings: Settings

    @classmethod
    def of(cls, request: Request) -> "LaterPhrases | None":
        """Return what can be asked later; None if the model or the method has no phrases."""
        if request.level == PHRASE or not has_phrases(request.method, request.model):
            return None
        given = request.given
        try:
            model: Callable[[], object] = weakref.ref(given)
        except TypeError:  # somebody's class without room for references to it
            model = lambda: given  # noqa: E731
        return cls(model, request.target, request.method.name, request.settings)

    def question(
        self,
        document: Document,
        scores: NDArray[np.float64],
        targets: list[int],
        deleted: Positions | None,
    ) -> Callable[[], Phrases]:
        """Return what asks for a document's phrases.

        Parameters
        ----------
        document : Document
        scores : (C,) float64
            What the model said of it.
        targets : list of K int
        deleted : (n,) intp or None
        """
        return partial(self._ask, document, scores.copy(), targets, deleted)

    def _ask(
        self,
        document: Document,
        scores: NDArray[np.float64],
        targets: list[int],
        deleted: Positions | None,
    ) -> Phrases:
        model = self.model()
        if model is None:
            raise InputError(
                "the model that said this is there no more, so it cannot be asked for phrases; "
                "explain with ",
                Argument("level", PHRASE),
            )
        labels, against = self.target.labels, self.target.against
        again = Request.of(
            model,
            [labels[number] for number in targets],
            self.method,
            against=None if against is None else labels[against],
            level=PHRASE,
            parameters=self.settings,
        )
        (answer,) = again.answers([document], None if deleted is None else iter([deleted]))
        if not np.allclose(answer.trace.scores[0], scores, rtol=1e-5, atol=1e-6):
            raise InputError(
                "the model has changed since this was explained; explain the text again"
            )
        (phrases,) = answer.relevance.phrases or ()
        return for_targets(phrases, self.target.single)


def for_targets(phrases: Phrases, single: bool) -> Phrases:
    """Return the phrases as explanations have them: float32, (P,) for a single target."""
    chosen = phrases.relevance[:, 0] if single else phrases.relevance
    return replace(phrases, relevance=chosen.astype(np.float32))
