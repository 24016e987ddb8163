"""Several models side by side, as one value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.audit.changes import ChangedPredictions
from whyword.audit.rows import ModelRow, PairRow
from whyword.base.checks import names_meant
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.base.versions import VERSION
from whyword.evaluation.experiment import EXPERIMENTS
from whyword.explanation.explanation import Explanation


@dataclass(frozen=True, eq=False, repr=False)
class SideBySide:
    """What was found about several models, on the same n documents.

    Attributes
    ----------
    classes : tuple of C labels
        Of all models; in the order of the first's.
    models : dict from name to ModelRow
    pairs : list of PairRow
        Each two of them; p is corrected for how many pairs there are, by Holm's method.
    truth : (n,) intp, or (n, C) bool of several labels
        The documents' true classes.
    ids : list of n str
        What the documents are called.
    examples : dict from a model's name to dict from int to Explanation
        Why each model predicts what it does of some documents, by their numbers: documents of which
        the first model and another predict something else.
    remarks : list of str
        What was left out, and why.
    settings : dict
    seconds : dict from stage to float
    """

    classes: tuple[Label, ...]
    models: dict[str, ModelRow]
    pairs: list[PairRow]
    truth: NDArray[Any]
    ids: list[str]
    examples: dict[str, dict[int, Explanation]]
    remarks: list[str]
    settings: dict[str, Any]
    seconds: dict[str, float]

    def __repr__(self) -> str:
        rows = (f"{row.name} {row.quality.accuracy:.4f}" for row in self.models.values())
        return f"{type(self).__name__}({self.n_documents:,} documents, accuracy: {', '.join(rows)})"

    @property
    def n_documents(self) -> int:
        """How many documents were predicted."""
        return len(self.truth)

    @property
    def all_wrong(self) -> int:
        """How many documents no model has right."""
        return int((~np.any([row.right for row in self.models.values()], axis=0)).sum())

    def pair(self, first: str, second: str) -> PairRow:
        """Return how two models compare; the row's names may be the other way round."""
        wanted = {self._row(first).name, self._row(second).name}
        found = next((pair for pair in self.pairs if set(pair.names) == wanted), None)
        if found is None:
            raise InputError(f"two different models make a pair, not {first!r} twice")
        return found

    def changes(self, before: str | None = None, after: str | None = None) -> ChangedPredictions:
        """Return what changes from one model to another, and for which documents.

        Parameters
        ----------
        before, after : str, optional
            Names of models; by default the first and the second.
        """
        names = list(self.models)
        first = self._row(names[0] if before is None else before)
        second = self._row(names[1] if after is None else after)
        return ChangedPredictions(self.classes, first.predicted, second.predicted, self.truth)

    def changes_from_first(self) -> dict[str, ChangedPredictions]:
        """Return what changes from the first model to each of the others, by their names."""
        _, *others = self.models
        return {name: self.changes(after=name) for name in others}

    def _row(self, name: str) -> ModelRow:
        if not isinstance(name, str) or name not in self.models:
            hint = names_meant(str(name), list(self.models))
            raise InputError(f"there is no model {shown(name)}; {hint}")
        return self.models[name]

    def figures(self) -> list[dict[str, Any]]:
        """Return the main figures, a dict for each model; what was not measured is None."""
        return [_figures(row) for row in self.models.values()]

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return the main figures as a pandas DataFrame with a row for each model."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "frames") from None
        return pd.DataFrame(self.figures()).set_index("name")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; of documents those that models predict differently."""
        return {
            "classes": list(self.classes),
            "documents": self.n_documents,
            "all_wrong": self.all_wrong,
            "models": [row.to_dict() for row in self.models.values()],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "changes": {
                name: self._named(changes) for name, changes in self.changes_from_first().items()
            },
            "remarks": self.remarks,
            "settings": self.settings,
            "seconds": self.seconds,
            "whyword": VERSION,
        }

    def _named(self, changes: ChangedPredictions) -> dict[str, Any]:
        """Return changes as plain data, the documents by what they are called, too."""
        data = changes.to_dict()
        del data["classes"], data["documents"]  # the comparison's own
        for one in data["changes"]:
            one["id"] = self.ids[one["document"]]
        return data


def _figures(row: ModelRow) -> dict[str, Any]:
    deletions: dict[str, float | None] = {}
    for number in EXPERIMENTS:
        curve, chance = row.curve(number), row.chance_curve(number)
        deletions[f"area_{number}"] = None if curve is None else curve.area
        deletions[f"random_area_{number}"] = None if chance is None else chance.area
    return {
        "name": row.name,
        "kind": row.kind,
        "accuracy": row.quality.accuracy,
        "accuracy_low": row.interval[0],
        "accuracy_high": row.interval[1],
        "macro_f1": row.quality.macro_f1,
        "method": row.method,
        "epi": None if row.power is None else row.power.epi,
        "epi_uniform": None if row.uniform is None else row.uniform.epi,
        **deletions,
        "seconds_prediction": row.times.prediction,
        "seconds_explanation": row.times.explanation,
        "bytes": row.n_bytes,
    }


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names, those that were there before with a number behind them."""
    result: list[str] = []
    for name in names:
        number, made = 1, name
        while made in result:
            number += 1
            made = f"{name} ({number})"
        result.append(made)
    return result
