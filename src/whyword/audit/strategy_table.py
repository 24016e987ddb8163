"""The strategies by which documents of one class are recognised, as one value."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.document_map import DocumentMap
from whyword.audit.strategies_page import strategies_page
from whyword.audit.strategy import Strategy
from whyword.base.errors import MissingExtraError
from whyword.base.files import save_or_return
from whyword.base.labels import Label
from whyword.base.versions import VERSION
from whyword.explanation.explanation import Explanation


@dataclass(frozen=True, eq=False, repr=False)
class Strategies(Sequence[Strategy]):
    """The ways in which documents are recognised as a class, that of most documents first.

    Attributes
    ----------
    target : label
    strategies : list of Strategy
    documents : (n,) intp
        The documents that were looked at, by their numbers among the texts.
    groups : (n,) intp
        The number of each one's strategy, from 1.
    points : (n, 2) float64
        Where they are on the plane of most variance.
    plane_share : float
        Of the vectors' variance, that on the plane.
    strengths : dict from int to float
        Of each number of strategies that was tried, how far it was found again: its prediction
        strength.
    explanations : list of n Explanation
    remarks : list of str
        What was left out, and why.
    settings : dict
    """

    target: Label
    strategies: list[Strategy]
    documents: NDArray[np.intp]
    groups: NDArray[np.intp]
    points: NDArray[np.float64]
    plane_share: float
    strengths: dict[int, float]
    explanations: list[Explanation]
    remarks: list[str]
    settings: dict[str, Any]

    def __getitem__(self, number: Any) -> Any:  # noqa: ANN401 - one, or some of them
        return self.strategies[number]

    def __iter__(self) -> Iterator[Strategy]:
        return iter(self.strategies)

    def __len__(self) -> int:
        return len(self.strategies)

    def __repr__(self) -> str:
        said = "; ".join(f"{one.name} ({one.share:.0%})" for one in self.strategies)
        return f"Strategies({self.target}, {self.n_documents:,} documents: {said})"

    @property
    def n_documents(self) -> int:
        """How many documents were looked at."""
        return len(self.documents)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        given = f"{self.n_documents:,} documents are given {self.target}"
        if len(self) == 1:
            return f"{given}: no evidence of several ways to recognise it"
        strength = self.strengths[len(self)]
        return f"{given}, in {len(self)} ways (found again in other documents: {strength:.2f})"

    def to_map(self) -> DocumentMap:
        """Return the documents on a plane, coloured by strategy; a click shows a heatmap."""
        names = [self.strategies[group - 1].name for group in self.groups.tolist()]
        ids = [
            one.id or str(number)
            for one, number in zip(self.explanations, self.documents.tolist(), strict=True)
        ]
        title = f"how they are recognised as {self.target}"
        return DocumentMap(self.points, ids, names, self.plane_share, title, self.explanations)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; not the texts."""
        return {
            "target": self.target,
            "verdict": self.verdict,
            "strategies": [one.to_dict() for one in self.strategies],
            "documents": self.documents.tolist(),
            "ids": [one.id for one in self.explanations],
            "groups": self.groups.tolist(),
            "points": self.points.round(6).tolist(),
            "plane_share": self.plane_share,
            "strengths": {str(number): value for number, value in self.strengths.items()},
            "remarks": self.remarks,
            "settings": self.settings,
            "whyword": VERSION,
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all figures as JSON; given a path, write them."""
        data = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return save_or_return(data + "\n", path)

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each strategy."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "frames") from None
        rows = [
            one.to_dict()
            | {key: [word.word for word in getattr(one, key)] for key in ("words", "distinct")}
            for one in self.strategies
        ]
        return pd.DataFrame(rows).set_index("number")

    def to_html(self, path: str | Path | None = None, title: str | None = None) -> str:
        """Return a self-contained page: a table, words, the map, typical documents.

        Given a path, write it.
        """
        page = strategies_page(
            self.strategies,
            self.to_map(),
            dict(zip(self.documents.tolist(), self.explanations, strict=True)),
            title=f"How {self.target} is recognised" if title is None else str(title),
            verdict=self.verdict,
            remarks=self.remarks,
            strengths=self.strengths,
            settings=self.settings,
        )
        return save_or_return("".join(page), path)
