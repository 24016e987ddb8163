"""JSON: one object an explanation, one explanation a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from whyword.base.checks import existing_file, expand_path
from whyword.base.errors import InputError
from whyword.base.json import parse_json
from whyword.base.printable import storable
from whyword.explanation.formats.format import ExplanationLike, Format
from whyword.explanation.row import BY_NAME, Row

# of float32, nine digits are all there is
_SHORT = frozenset(name for name, field in BY_NAME.items() if field.element == "float32")


def encode(row: Row, indent: int | str | None = None) -> str:
    """Return one explanation as JSON; what is no number becomes null."""
    plain = {name: plain_value(value, name in _SHORT) for name, value in row.items()}
    return json.dumps(plain, ensure_ascii=False, indent=indent, allow_nan=False)


def lines(explanations: Iterable[ExplanationLike]) -> Iterator[str]:
    """Yield one JSON object a line."""
    return (encode(explanation.fields()) + "\n" for explanation in explanations)


def decode(text: str) -> Any:  # noqa: ANN401 - whatever JSON has
    """Return the explanation that :func:`encode` wrote."""
    try:
        return parse_json(text, "it")
    except InputError as error:
        several = "; for several lines take Explanations.from_json" if "Extra" in str(error) else ""
        raise InputError(f"this is not JSON: {error}{several}") from None


def plain_value(value: Any, short: bool) -> Any:  # noqa: ANN401 - whatever JSON has
    """Return the value in Python's own types, as JSON has them.

    Parameters
    ----------
    value : object
    short : bool
        Whether nine digits of its numbers are enough.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain_value(item, short) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item, short) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if not np.isfinite(value):
            return None
        return float(f"{value:.9g}") if short else value
    return storable(value) if isinstance(value, str) else value


def read_source(source: str | Path) -> str:
    """Return the text itself if it is JSON, else what stands in the file of that name."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", '"'):
        return source.lstrip("\ufeff")
    try:
        return existing_file(expand_path(source)).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8: {error}") from None
    except OSError as error:
        raise InputError(
            f"{str(source)[:60]!r} is neither JSON nor a file ({error.strerror})"
        ) from None


FORMAT = Format.textual("json", (".json", ".jsonl"), lines)
