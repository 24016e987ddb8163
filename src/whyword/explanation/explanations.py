"""Explanations of several documents."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self, overload

from whyword.base.checks import existing_file, expand_path, items
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write, save_or_return
from whyword.explanation.explanation import Explanation
from whyword.explanation.formats import csv, excel, frame, html, json, parquet
from whyword.explanation.heatmap import styled_fragment
from whyword.explanation.row import has_own_targets

_SHOWN = 10  # in a notebook's cell


class Explanations(Sequence[Explanation]):
    """Explanations of several documents."""

    def __init__(self, explanations: Iterable[Explanation]) -> None:
        self._all: tuple[Explanation, ...] = tuple(
            items("explanations", explanations, "a list of explanations")
        )
        for kind in set(map(type, self._all)):
            if not issubclass(kind, Explanation):
                raise InputError(
                    Argument("explanations"),
                    f" takes a list of explanations, not of {kind.__name__}",
                )

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return Explanations(self._all[index])
        return self._all[index]

    def __repr__(self) -> str:
        methods = " ".join(sorted({explanation.method for explanation in self._all}))
        return f"Explanations({len(self):,} documents{', ' + methods if methods else ''})"

    def _check_alike(self) -> None:
        """Raise if they do not fit the same columns."""
        kinds = {
            (
                one.relevance.ndim,
                one.relevance.ndim == 2 and _same_targets(one),
                None if one.elements is None else one.elements.ndim,
                one.units is None,
            )
            for one in self._all
        }
        if len(kinds) > 1:
            raise InputError(
                "these explanations differ in their targets, elements or phrases; write those of "
                "each kind by themselves"
            )

    @property
    def conserved(self) -> bool:
        """Whether relevance is conserved in every one of them."""
        return all(explanation.conserved for explanation in self._all)

    def _repr_html_(self) -> str:
        shown = styled_fragment([one.heatmap() for one in self._all[:_SHOWN]])
        more = len(self) - _SHOWN
        return shown + (f"<p>… and {more:,} more documents</p>" if more > 0 else "")

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a page with all heatmaps; given a path, write it and return that."""
        title = f"whyword: {len(self):,} documents"
        return save_or_return("".join(html.pages(self, title)), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return JSON Lines, one explanation a line; given a path, write them and return that."""
        return save_or_return("".join(json.lines(self)), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Return the explanations that :meth:`to_json` wrote: its text, or the file's path."""
        lines = json.read_source(source).split("\n")  # only \n: texts may hold other line ends
        return cls(Explanation.from_json(line) for line in lines if line.strip())

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file with a row for each document."""
        self._check_alike()
        with atomic_write(expand_path(path)) as draft:
            parquet.write((one.fields() for one in self), draft)

    @classmethod
    def from_parquet(cls, path: str | Path) -> Self:
        """Return the explanations of a Parquet file."""
        rows = parquet.read(existing_file(expand_path(path)))
        return cls(map(Explanation.from_fields, rows))

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return CSV with a row for each word; given a path, write it and return that."""
        self._check_alike()
        return save_or_return("".join(csv.lines(self)), path)

    def to_excel(self, path: str | Path) -> None:
        """Write an Excel workbook (.xlsx) with a row for each word."""
        self._check_alike()
        with atomic_write(expand_path(path)) as draft:
            excel.write(self, draft)

    def to_frame(self, by: str = "word") -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each word, or for each "document"."""
        self._check_alike()
        targets = self._all[0].targets if self._all else ()
        is_by_word = isinstance(by, str) and by == "word"
        numbered = (
            one.fields() | ({"id": str(number)} if is_by_word and one.id is None else {})
            for number, one in enumerate(self)
        )
        return frame.encode(list(numbered), targets, by)

    @classmethod
    def from_frame(cls, table: Any) -> Self:  # noqa: ANN401 - pandas is optional
        """Return the explanations of a frame that has a row for each document."""
        return cls(map(Explanation.from_fields, frame.decode(table)))


def _same_targets(one: Explanation) -> object:
    """Return what explanations of several targets have in common that fit into one table."""
    return len(one.targets) if has_own_targets(one.target, one.parameters) else one.targets
