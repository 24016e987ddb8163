"""Frames of pandas: a row for each word, or for each document."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.printable import shown, storable
from whyword.explanation.formats.word_rows import NOTHING, word_columns
from whyword.explanation.row import NAMES, Row


def encode(rows: Sequence[Row], targets: Sequence[object], by: str) -> Any:  # noqa: ANN401 - pandas is optional
    """Return a pandas DataFrame with a row for each word, or for each document."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("pandas", "frames") from None
    if not isinstance(by, str) or by not in ("word", "document"):
        raise InputError(Argument("by"), f" may be 'word' or 'document', not {shown(by)}")
    if by == "document":
        plain = [
            {
                **row,
                "id": row["id"] and storable(row["id"]),
                "spans": row["spans"].tolist(),
                "text": storable(row["text"]),
            }
            for row in rows
        ]
        return pd.DataFrame(plain, columns=list(plain[0]) if plain else list(NAMES))
    parts = [word_columns(row, targets) for row in rows]
    empty = word_columns(NOTHING, ())
    names = parts[0] if parts else empty
    return pd.DataFrame(
        {name: np.concatenate([part[name] for part in parts]) for name in names} if parts else empty
    )


def decode(table: Any) -> Iterator[Row]:  # noqa: ANN401 - pandas is optional
    """Yield the explanations of a DataFrame with a row for each document."""
    if not callable(getattr(table, "to_dict", None)) or not hasattr(table, "columns"):
        raise InputError(f"a pandas DataFrame is needed, not {type(table).__name__}")
    if "text" not in list(table.columns):
        raise InputError(
            "this frame has no text; make it with to_frame(", Argument("by", "document"), ")"
        )
    yield from table.to_dict("records")
