"""JSON that somebody else may have written or damaged."""

import json
from typing import Any, NoReturn

from whyword.base.errors import InputError


def parse_json(text: str | bytes, name: object) -> Any:  # noqa: ANN401 - whatever it says
    """Return what JSON says; raise in one line whatever is wrong with it.

    Parameters
    ----------
    text : str or bytes
        Bytes are UTF-8. NaN and Infinity, which Python would write, are no JSON.
    name : object
        Where it is from, for the message.

    Raises
    ------
    InputError
        If it is no JSON, or nested or numbered beyond what can be read.
    """
    try:
        content = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(content, parse_constant=_refuse)
    except RecursionError:
        raise InputError(f"{name} is damaged: it is nested beyond reason") from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError, thousands of digits
        raise InputError(f"{name} is damaged: {error}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
