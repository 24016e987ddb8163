"""What a model perhaps should not have learned, found beforehand, to be worked through."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from whyword.audit.suspicion.row import reasons
from whyword.audit.suspicion.table import Suspects
from whyword.audit.suspicion.weighing import VERDICTS
from whyword.base.checks import one_of
from whyword.base.errors import Argument, InputError
from whyword.methods.targets import class_number


@dataclass(frozen=True, eq=False)
class SuspectList:
    """Suspects, beside the model that is served.

    Attributes
    ----------
    found : Suspects
    identity : str or None
        Of the served model.
    """

    found: Suspects
    identity: str | None

    @property
    def warning(self) -> str | None:
        """What is to be known before any row is believed; None if they are of the served model."""
        if self.found.settings.get("model") == self.identity:
            return None
        return "these suspects were found for another model than the one that is served"

    @cached_property
    def about(self) -> dict[str, Any]:
        """The list in figures."""
        counts = {verdict: 0 for verdict in VERDICTS}
        for row in self.found:
            counts[row.verdict] += 1
        used = {row.label for row in self.found}
        return {
            "verdicts": counts,
            "classes": [label for label in self.found.classes if label in used],
            "units": self.found.n_units,
            "train_documents": self.found.n_train,
            "held_out_documents": self.found.n_held_out,
            "remarks": self.found.remarks,
            "warning": self.warning,
        }

    def rows(
        self, label: str | None, verdict: str | None, offset: int, limit: int
    ) -> dict[str, Any]:
        """Return those of a class and a verdict, worst first, by their numbers in the list."""
        classes = self.found.classes
        own = None if label is None else classes[class_number(classes, label, "label")]
        if verdict is not None:
            one_of("verdict", verdict, VERDICTS)
        numbers = [
            number
            for number, row in enumerate(self.found)
            if (own is None or row.label == own) and (verdict is None or row.verdict == verdict)
        ]
        return {
            "found": len(numbers),
            "rows": [self._row(number) for number in numbers[offset : offset + limit]],
        }

    def _row(self, number: int) -> dict[str, Any]:
        row = self.found[number]
        return {
            "number": number,
            "entries": row.entries,
            "label": row.label,
            "verdict": row.verdict,
            "score": row.score,
            "kind": row.kind,
            "form": row.form,
            "documents": row.n_documents,
            "reasons": reasons(row, self.found.groups),
        }

    def table(self, artefacts: Iterable[int]) -> dict[str, str]:
        """Return the whole list as CSV, with a yes in the rows that are artefacts."""
        chosen = frozenset(artefacts)
        if any(not 0 <= number < len(self.found) for number in chosen):
            raise InputError(
                Argument("artefacts"), f" are numbers of rows, from 0 to {len(self.found) - 1}"
            )
        return {"csv": self.found.to_csv(artefacts=chosen)}
