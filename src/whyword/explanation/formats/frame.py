"""Frames of pandas: a row for each word, or for each document."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.printable import shown, storable
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
    parts = [_word_rows(row, targets) for row in rows]
    empty = _word_rows(_NOTHING, ())
    names = parts[0] if parts else empty
    return pd.DataFrame(
        {name: np.concatenate([part[name] for part in parts]) for name in names} if parts else empty
    )


_NOTHING: Row = {
    "id": None,
    "words": (),
    "spans": np.empty((0, 2), np.int32),
    "known": np.empty(0, np.bool_),
    "target": None,
    "relevance": np.empty(0, np.float32),
}


def _word_rows(row: Row, targets: Sequence[object]) -> dict[str, Any]:
    count = len(row["words"])
    columns = {
        "id": np.full(count, row["id"] and storable(row["id"]), object),
        "position": np.arange(count),
        "word": np.array([storable(word) for word in row["words"]], object),
        "start": row["spans"][:, 0],
        "end": row["spans"][:, 1],
        "known": row["known"],
    }
    relevance = row["relevance"]
    if relevance.ndim == 1:
        return columns | {"target": np.full(count, row["target"], object), "relevance": relevance}
    names = (str(target) for target in targets)
    free = (f"relevance of {name}" if name in columns else name for name in names)
    return columns | {name: relevance[:, k] for k, name in enumerate(free)}


def decode(table: Any) -> Iterator[Row]:  # noqa: ANN401 - pandas is optional
    """Yield the explanations of a DataFrame with a row for each document."""
    if not callable(getattr(table, "to_dict", None)) or not hasattr(table, "columns"):
        raise InputError(f"a pandas DataFrame is needed, not {type(table).__name__}")
    if "text" not in list(table.columns):
        raise InputError(
            "this frame has no text; make it with to_frame(", Argument("by", "document"), ")"
        )
    yield from table.to_dict("records")
