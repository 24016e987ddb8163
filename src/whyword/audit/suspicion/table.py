"""All suspects of a model, worst first, as one value."""

import io
import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from whyword.audit.suspicion.page import Head, suspects_page
from whyword.audit.suspicion.row import (
    MARK_COLUMN,
    NEAR_COPIES,
    WORDS_COLUMN,
    Suspect,
    Turned,
    joined_entries,
    reasons,
)
from whyword.audit.suspicion.weighing import NOISE, SUSPECT
from whyword.base.csv import write_csv
from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.files import save_or_return
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.base.versions import VERSION
from whyword.explanation.explanation import Explanation
from whyword.pages.render import count, percent

COLUMNS = (
    WORDS_COLUMN,
    MARK_COLUMN,
    "class",
    "verdict",
    "score",
    "kind",
    "form",
    "relevance",
    "documents",
    "train_documents",
    "train_in_class",
    "held_out_documents",
    "held_out_in_class",
    "groups",
    "groups_expected",
    "q_groups",
    "q_odds",
    "train_right_to_wrong",
    "train_wrong_to_right",
    "held_out_right_to_wrong",
    "held_out_wrong_to_right",
    "reasons",
)


@dataclass(frozen=True, eq=False, repr=False)
class Suspects:
    """Everything that a model depends on and that something speaks against, worst first.

    Attributes
    ----------
    rows : list of Suspect
        Suspects, noise, and what else has a score.
    classes : tuple of C labels
    n_units : int
        How many words, lines, pairs and patterns were looked at.
    n_train, n_held_out : int
        Documents.
    accuracy : float or None
        On held-out documents; None if there are none, or no labels.
    remarks : list of str
        What could not be said, and why.
    settings : dict
    seconds : dict from stage to float
    examples : dict from int to Explanation
        Of example documents of the first rows, by their numbers in the corpus: what the page shows.
    """

    rows: list[Suspect]
    classes: tuple[Label, ...]
    n_units: int
    n_train: int
    n_held_out: int
    accuracy: float | None
    remarks: list[str]
    settings: dict[str, Any]
    seconds: dict[str, float]
    examples: dict[int, Explanation] = field(default_factory=dict)

    def __repr__(self) -> str:
        first = ", ".join(f"{row.name:.40}" for row in self.suspects[:3])
        return (
            f"Suspects({len(self.suspects):,} of {self.n_units:,} words, lines, pairs and patterns"
            + (f": {first}, …)" if first else "; no evidence)")
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Suspect]:
        return iter(self.rows)

    @overload
    def __getitem__(self, at: int) -> Suspect: ...
    @overload
    def __getitem__(self, at: slice) -> list[Suspect]: ...
    def __getitem__(self, at: int | slice) -> Suspect | list[Suspect]:
        return self.rows[at]

    @property
    def suspects(self) -> list[Suspect]:
        """The rows whose evidence and weight are above the thresholds."""
        return [row for row in self.rows if row.verdict == SUSPECT]

    @property
    def noise(self) -> list[Suspect]:
        """The rows without which as many held-out predictions turn right as wrong."""
        return [row for row in self.rows if row.verdict == NOISE]

    def of_class(self, label: Label) -> list[Suspect]:
        """Return the rows that speak for a class, worst first."""
        if label not in self.classes:
            raise InputError(Argument("label"), f": there is no class {shown(label)}")
        return [row for row in self.rows if row.label == label]

    def entries(self) -> list[str]:
        """Return what the suspects are, as ``ignore`` of a Reader and ``without`` take it."""
        return [entry for row in self.suspects for entry in row.entries]

    @property
    def groups(self) -> str:
        """What groups are called in sentences."""
        name = self.settings.get("groups")
        if name == NEAR_COPIES:
            return NEAR_COPIES
        return f"{name}s" if isinstance(name, str) else "groups"

    # ---- kept ---------------------------------------------------------------------------------

    def to_rows(self, artefacts: Container[int] | Mapping[int, str] = ()) -> Iterator[list[Any]]:
        """Yield the rows of a table, in the order of its columns; ``artefact`` is to fill in.

        Parameters
        ----------
        artefacts : container of int, or mapping from int to str
            The numbers of the rows that are known to be some; what to say of them, if not yes.
        """
        marks = artefacts if isinstance(artefacts, Mapping) else {}
        for number, row in enumerate(self.rows):
            yield [
                joined_entries(row.entries),
                marks.get(number, "yes") if number in artefacts else "",
                row.label,
                row.verdict,
                round(row.score, 4),
                row.kind,
                row.form,
                round(row.relevance, 4),
                row.n_documents,
                row.train,
                row.train_class,
                row.held_out,
                row.held_out_class,
                row.groups,
                row.groups_expected,
                row.q_groups,
                row.q_odds,
                *_turns(row.train_turned),
                *_turns(row.held_out_turned),
                "; ".join(reasons(row, self.groups)),
            ]

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "frames") from None
        return pd.DataFrame(list(self.to_rows()), columns=list(COLUMNS)).drop(columns=MARK_COLUMN)

    def to_csv(
        self,
        path: str | Path | None = None,
        *,
        artefacts: Container[int] | Mapping[int, str] = (),
    ) -> str:
        """Return a table as CSV; given a path, write it.

        Say yes in its column ``artefact`` to what is one, or name the numbers of these rows here;
        ``whyword train --ignore`` takes the table then.
        """
        stream = io.StringIO()
        write_csv(stream, [COLUMNS, *self.to_rows(artefacts)])
        return save_or_return(stream.getvalue(), path)

    def to_html(self, path: str | Path | None = None, title: str | None = None) -> str:
        """Return a self-contained page to tick artefacts on; given a path, write it.

        It has up to 300 suspects and 50 rows each of noise and of those without evidence, the
        examples of the first rows as heatmaps, and downloads the list as ``to_csv`` writes it.
        """
        page = suspects_page(
            self.rows,
            [COLUMNS, *self.to_rows()],
            self.examples,
            head=Head(
                self._title if title is None else str(title),
                list(self._tiles()),
                self.remarks,
                self.settings,
            ),
            classes=self.classes,
            groups=self.groups,
            n_train=self.n_train,
            n_held_out=self.n_held_out,
        )
        return save_or_return("".join(page), path)

    @property
    def _title(self) -> str:
        source = self.settings.get("source")
        return "What it should not have learned" + (f": {source}" if source else "")

    def _tiles(self) -> Iterator[tuple[str, str]]:
        yield count(len(self.suspects)), "suspects"
        yield count(len(self.noise)), "noise"
        yield count(self.n_units), "words, lines, pairs and patterns looked at"
        yield count(self.n_train), "training documents"
        yield count(self.n_held_out), "held-out documents"
        if self.accuracy is not None:
            yield percent(self.accuracy, 1), "held-out accuracy"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "classes": list(self.classes),
            "units": self.n_units,
            "train_documents": self.n_train,
            "held_out_documents": self.n_held_out,
            "accuracy": self.accuracy,
            "rows": [row.to_dict(self.groups) for row in self.rows],
            "remarks": self.remarks,
            "settings": self.settings,
            "seconds": self.seconds,
            "whyword": VERSION,
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Return everything as JSON; given a path, write it."""
        data = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return save_or_return(data + "\n", path)


def _turns(turned: Turned | None) -> tuple[int | None, int | None]:
    return (None, None) if turned is None else (turned.right_to_wrong, turned.wrong_to_right)
