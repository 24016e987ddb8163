"""JSON that somebody else may have written or damaged."""

import json
from typing import Any, NoReturn

from whyword.base.errors import InputError


def parse_json(text: str | bytes, name: object, *, unique_keys: bool = False) -> Any:  # noqa: ANN401 - whatever it says
    """Return what JSON says; raise in one line whatever is wrong with it.

    Parameters
    ----------
    text : str or bytes
        Bytes are UTF-8. NaN and Infinity, which Python would write, are no JSON.
    name : object
        Where it is from, for the message.
    unique_keys : bool
        Refuse objects that have a key twice, of which others may take the first.

    Raises
    ------
    InputError
        If it is no JSON, or nested or numbered beyond what can be read.
    """
    try:
        content = text.decode("utf-8") if isinstance(text, bytes) else text
        pairs = _unique if unique_keys else None
        return json.loads(content, parse_constant=_refuse, object_pairs_hook=pairs)
    except RecursionError:
        raise InputError(f"{name} is damaged: it is nested beyond reason") from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError, thousands of digits
        raise InputError(f"{name} is damaged: {error}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ValueError(f"it has {key!r:.60} more than once")
        content[key] = value
    return content
