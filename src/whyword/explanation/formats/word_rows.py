"""Explanations as a table with a row for each word."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.base.printable import storable
from whyword.explanation.formats.format import ExplanationLike
from whyword.explanation.row import Row, has_own_targets

NOTHING: Row = {
    "id": None,
    "words": (),
    "spans": np.empty((0, 2), np.int32),
    "known": np.empty(0, np.bool_),
    "target": None,
    "relevance": np.empty(0, np.float32),
    "parameters": {},
}


def word_columns(row: Row, targets: Sequence[object]) -> dict[str, Any]:
    """Return an explanation's columns by name, (T,) each: a target and its relevance.

    Or, of several targets, a column of relevance for each of them; of each document's own highest
    ones, columns of the first and its relevance, of the second and its relevance, and so on.
    """
    count = len(row["words"])
    columns = {
        "id": _repeated(row["id"] and storable(row["id"]), count),
        "position": np.arange(count),
        "word": np.array([storable(word) for word in row["words"]], object),
        "start": row["spans"][:, 0],
        "end": row["spans"][:, 1],
        "known": row["known"],
    }
    relevance = row["relevance"]
    if relevance.ndim == 1:
        return columns | {"target": _repeated(row["target"], count), "relevance": relevance}
    if has_own_targets(row["target"], row["parameters"]):
        for k, target in enumerate(row["target"]):
            columns |= {f"target {k + 1}": _repeated(target, count)}
            columns |= {f"relevance {k + 1}": relevance[:, k]}
        return columns
    names = (str(target) for target in targets)
    free = (f"relevance of {name}" if name in columns else name for name in names)
    return columns | {name: relevance[:, k] for k, name in enumerate(free)}


def _repeated(value: object, count: int) -> NDArray[np.object_]:
    return np.array([value] * count, object)  # np.full loses a NUL at the end


def word_rows(explanations: Iterable[ExplanationLike]) -> Iterator[list[object]]:
    """Yield the headings, then a row for each word of each explanation, in plain types.

    A document without an id has its number, from 0 on; relevance has the nine digits that are all
    there is of float32.
    """
    headings: list[str] = []
    for number, explanation in enumerate(explanations):
        row = explanation.fields()
        target = row["target"]
        targets = target if isinstance(target, list) else row["classes"]
        columns = word_columns(row | ({"id": str(number)} if row["id"] is None else {}), targets)
        if not headings:
            headings = list(columns)
            yield [storable(heading) for heading in headings]
        elif headings != list(columns):
            raise InputError("these explanations differ in their targets; write each by itself")
        yield from map(list, zip(*map(_plain, columns.values()), strict=True))
    if not headings:
        yield list(word_columns(NOTHING, ()))


def _plain(column: Any) -> list[object]:  # noqa: ANN401 - an array
    values: list[Any] = column.tolist()
    if column.dtype == np.float32:
        return [float(f"{value:.9g}") if math.isfinite(value) else None for value in values]
    return [storable(value) if isinstance(value, str) else value for value in values]
