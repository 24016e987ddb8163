"""What is asked and answered about words that a model perhaps should not have learned."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import FailFast, Strict

from whyword.web.schema import STRICT, Class


@dataclass(frozen=True)
class WhatIfRequest:
    """What the model is not to read: words, whatever their case, phrases, /patterns/ of words."""

    words: Annotated[list[str], FailFast()]

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class TableRequest:
    """Which rows of the suspects are artefacts, by their numbers."""

    artefacts: Annotated[list[Annotated[int, Strict()]], FailFast()]

    __pydantic_config__ = STRICT


# ---- answers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class WhatIfAccuracy:
    """The share of labelled documents predicted right, with the words and without them.

    `documents` are those whose labels the model knows; the intervals are Wilson's, `p` is of
    McNemar's exact test; `turns` counts the predictions that turned from right to wrong and so on.
    """

    documents: int
    before: float
    after: float
    before_interval: list[float]
    after_interval: list[float]
    p: float
    alpha: float
    turns: dict[str, int]


@dataclass(frozen=True)
class ChangeOut:
    """A document of which something else is predicted; `turn` is null where nobody knows."""

    number: int
    id: str
    before: Class | list[Class]
    after: Class | list[Class]
    true: Class | list[Class] | None
    turn: str | None


@dataclass(frozen=True)
class WhatIfAnswer:
    """Predictions before and after: of `documents`, so many with the words, so many changed.

    Of those that changed the first 200 are listed, those that turned wrong first; `accuracy` is
    null where no label is known.
    """

    words: list[str]
    documents: int
    with_words: int
    changed: int
    accuracy: WhatIfAccuracy | None
    changes: list[ChangeOut]


@dataclass(frozen=True)
class SuspectOut:
    """What a model perhaps should not have learned: all of `entries` together, and why."""

    number: int
    entries: list[str]
    label: Class
    verdict: str
    score: float
    kind: str
    form: str
    documents: int
    reasons: list[str]


@dataclass(frozen=True)
class SuspectsAnswer:
    """How many were found, and some of them, the worst first."""

    found: int
    rows: list[SuspectOut]


@dataclass(frozen=True)
class TableAnswer:
    """All suspects as a table that ``whyword train --ignore`` takes."""

    csv: str
