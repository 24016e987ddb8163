"""Columns and frames of other packages, known by what they can do: none of them is imported.

pandas, polars, Arrow, Hugging Face's datasets: whoever passes such an object has imported its
package, so that its class says what it is.
"""

from collections.abc import Iterable, Sequence

import numpy as np

# by which names columns are known for what they hold
COLUMN_NAMES = {
    "text": "text body content document message review sentence comment post article tweet",
    "label": "label class category target topic sentiment newsgroup y",
    "id": "id doc_id document_id uid filename",
    "split": "split",
}

_FRAMES = (
    ("iloc", "columns"),  # pandas
    ("get_column", "columns"),  # polars
    ("collect_schema", "collect"),  # polars, lazy
    ("column_names", "schema"),  # Arrow: tables and batches
    ("column_names", "features"),  # datasets
)


def is_frame(value: object) -> bool:
    """Whether the value is a table of somebody's: of pandas, polars, Arrow or datasets."""
    kind = type(value)
    return any(all(hasattr(kind, name) for name in names) for names in _FRAMES)


def is_lazy(frame: object) -> bool:
    """Whether a frame is still to be computed."""
    return all(hasattr(type(frame), name) for name in ("collect_schema", "collect")) and not (
        hasattr(type(frame), "get_column")
    )


def is_arrow(value: object) -> bool:
    """Whether the value is an Arrow array, whose items are no Python values."""
    return hasattr(type(value), "to_pylist") and not is_frame(value)


def frame_columns(frame: object) -> list[str]:
    """Return the names of a frame's columns as strings; none if it does not know them."""
    if is_lazy(frame):
        return []
    attribute = "column_names" if hasattr(type(frame), "column_names") else "columns"
    names = getattr(frame, attribute, None)
    return [str(name) for name in names] if isinstance(names, Iterable) else []


def is_missing(value: object) -> bool:
    """Whether the value stands for none: None, NaN, pandas's NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def candidates(names: Iterable[str], role: str) -> list[str]:
    """Return the columns whose names speak for a role: "text", "label", "id" or "split"."""
    return [name for name in names if name.lower() in COLUMN_NAMES[role].split()]


def only(names: Sequence[str]) -> str | None:
    """Return the only name there is, or None."""
    return names[0] if len(names) == 1 else None


def instead_of_frame(frame: object, role: str) -> str:
    """Return what it is, and what to pass instead, where one column of a frame is meant."""
    kind = type(frame).__name__
    if is_lazy(frame):
        return f"a {kind}, not a column: collect it, and pass one of its columns"
    names = frame_columns(frame)
    column = only(candidates(names, role)) if role in COLUMN_NAMES else None
    if column is None:
        shown = ", ".join(repr(name[:40]) for name in names[:8])
        return f"a {kind}, not a column: pass one of its columns: {shown}"
    return f"a {kind}, not a column: pass frame[{column!r}]"
