"""A question put to a model: whose scores, by which method; answered a block at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.methods.blocks import Block, Positions, blocks, kind_of, model_classes
from whyword.methods.registry import Method, checked_parameters, find_method
from whyword.methods.relevance import Relevance
from whyword.methods.targets import Question, question
from whyword.models.estimator import Estimator
from whyword.models.linear.tfidf import TfIdf


class Answered(NamedTuple):
    """What was found in a block.

    Attributes
    ----------
    block : Block
    targets : (documents, K) int32
        The numbers of the classes, that of a contrast left out.
    found : Relevance
    """

    block: Block
    targets: NDArray[np.int32]
    found: Relevance


@dataclass(frozen=True, eq=False)
class Inquiry:
    """A model and what is asked of it.

    Attributes
    ----------
    model : object
    question : Question
    method : Method
    settings : dict
        The method's parameters.
    """

    model: object
    question: Question
    method: Method
    settings: dict[str, Any]

    @classmethod
    def of(
        cls,
        model: object,
        target: object,
        method: str,
        targets: Iterable[Any] | None = None,
        against: object = None,
        **parameters: float | str,
    ) -> "Inquiry":
        """Return a question that makes sense; raise if it does not."""
        chosen, kind = find_method(method), kind_of(model)
        asked = question(model_classes(model), target, targets, against)
        return cls(model, asked, chosen, checked_parameters(chosen, kind, parameters))

    def answers(
        self,
        texts: Iterable[str],
        elements: bool = False,
        deleted: Iterator[Positions] | None = None,
    ) -> Iterator[Answered]:
        """Yield what is found in each block of the texts."""
        extra = {"elements": True} if elements else {}
        contrast = self.question.against is not None
        for block in blocks(self.model, texts, self.question.count, elements, deleted):
            targets = self.question.numbers(block.scores)
            found = self.method.of_block[type(block)](block, targets, **extra, **self.settings)
            if contrast:
                found, targets = _difference(found), targets[:, :-1]
            yield Answered(block, targets, found)

    @property
    def recorded(self) -> dict[str, Any]:
        """What explanations record as their parameters."""
        recorded = dict(self.settings)
        if self.question.against is not None:
            recorded["against"] = self.question.classes[self.question.against]
        features = getattr(self.model, "features_", None)
        if self.method.equal_shares and isinstance(features, TfIdf):
            recorded["occurrences"] = "equal shares"
        if self.method.name == "occlusion":
            own = isinstance(self.model, Estimator)
            recorded["output"] = "score" if own else "probability"
        return recorded


def identity_of(model: object) -> str | None:
    """Return the model's identity; None for models that have none."""
    if not isinstance(model, Estimator):
        return None
    try:
        return model.identity
    except InputError:  # it holds somebody's function and cannot be saved
        return None


def _difference(found: Relevance) -> Relevance:
    """Return each target's relevance minus that of the last column."""
    return Relevance(
        [words[:, :-1] - words[:, -1:] for words in found.words],
        found.padding[:, :-1] - found.padding[:, -1:],
        found.elements and [rows[..., :-1] - rows[..., -1:] for rows in found.elements],
    )
