"""Arguments that users pass, checked where they come in."""

import difflib
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from whyword.base.columns import instead_of_frame, is_arrow, is_frame, is_missing
from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.printable import one_line, shown

_LONGEST_NAME = 300  # letters of a path in a message
_LONGEST_COMPARED = 200  # letters of a name that is compared with others
# arguments that a column of a frame may be, and what it is called there
_ROLES = dict.fromkeys(("texts", "train", "test"), "text") | {
    "labels": "label",
    "targets": "label",
    "ids": "id",
}


def whole_number(name: str, value: object, least: int = 1, most: int = 2**31 - 1) -> int:
    """Return the value as an int; raise unless it is a whole number within the limits."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise InputError(
            Argument(name), f" must be a whole number from {least} to {most:,}, not {shown(value)}"
        )
    return number


def share(name: str, value: object) -> float:
    """Return the value as a float; raise unless 0 ≤ value < 1."""
    number = _as_float(value)
    if number is None or not 0 <= number < 1:
        raise InputError(
            Argument(name), f" must be a share, at least 0 and below 1, not {shown(value)}"
        )
    return number


def real_number(name: str, value: object, above: float | None = None) -> float:
    """Return the value as a float; raise unless it is finite, and above a limit or at least 0."""
    number = _as_float(value)
    if number is None or not np.isfinite(number):
        raise InputError(Argument(name), f" must be a number, not {shown(value)}")
    if number <= above if above is not None else number < 0:
        limit = "at least 0" if above is None else f"above {above:g}"
        raise InputError(Argument(name), f" must be {limit}, not {shown(value)}")
    return number


def _as_float(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        return float(value)
    except OverflowError:  # an int of hundreds of digits
        return None


def flag(name: str, value: object) -> bool:
    """Return the value as a bool; raise unless it is true or false, and nothing in between."""
    if isinstance(value, bool | np.bool_) or (
        isinstance(value, int | np.integer) and value in (0, 1)
    ):
        return bool(value)
    raise InputError(Argument(name), f" must be True or False, not {shown(value)}")


def one_of(name: str, value: object, choices: Sequence[str]) -> str:
    """Return the value; raise unless it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(
            Argument(name), f" may be {' or '.join(map(repr, choices))}, not {shown(value)}"
        )
    return value


def strings(name: str, values: Iterable[str]) -> list[str]:
    """Return the values as a list; raise if they are one string, or not all strings."""
    if isinstance(values, str):
        raise InputError(Argument(name), " must be a list of strings, not one string")
    check_no_frame(name, values)
    no_texts = isinstance(values, Mapping) and name in _ROLES  # of a dict, the keys would be read
    if no_texts or not isinstance(values, Iterable):
        raise InputError(Argument(name), f" must be a list of strings, not {type(values).__name__}")
    try:
        several = list(_column(name, values))
    except TypeError:  # an array without dimensions says that it is iterable
        raise InputError(
            Argument(name), f" must be a list of strings, not {shown(values)}"
        ) from None
    for number, value in enumerate(several):
        if not isinstance(value, str):
            raise no_string(name, number, value)
    return several


def no_string(name: str, number: int, value: object) -> InputError:
    """Return the error that an item of several is no string."""
    if is_missing(value):
        return InputError(Argument(name), f": item {number} is missing ({shown(value)})")
    kind = type(value).__name__
    return InputError(Argument(name), f": item {number} must be a str, not {kind}: {shown(value)}")


def check_no_frame(name: str, values: object) -> None:
    """Raise if the values are a whole frame where one column of it is meant."""
    if not isinstance(values, list | tuple) and is_frame(values):
        raise InputError(Argument(name), f": {instead_of_frame(values, _ROLES.get(name, ''))}")


def _column(name: str, values: Iterable[Any]) -> Iterable[Any]:
    """Return the values of a column, Arrow's as Python's."""
    if isinstance(values, list | tuple) or not is_arrow(values):
        return values
    try:
        return list(values.to_pylist())  # type: ignore[attr-defined]
    except (ValueError, ArithmeticError, LookupError) as error:
        said = one_line(str(error).partition("\n")[0])
        raise InputError(Argument(name), f" cannot be read from Arrow ({said:.200})") from None


def check_callable(name: str, value: object) -> None:
    """Raise unless the value is a function, or None."""
    if value is not None and not callable(value):
        raise InputError(Argument(name), f" must be a function, not {shown(value)}")


def items(name: str, values: object, kind: str = "a list") -> Iterator[Any]:
    """Return what goes through the values, none read yet; raise if they are no list of anything.

    One string is none, although Python would go through its letters.
    """
    check_no_frame(name, values)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(Argument(name), f" takes {kind}, not {type(values).__name__}")
    try:
        return iter(_column(name, values))
    except TypeError:  # an array without dimensions says that it is iterable
        raise InputError(Argument(name), f" takes {kind}, not {shown(values)}") from None


def one_each(name: str, values: Iterable[Any], count: int, of: str = "text") -> list[Any]:
    """Return the values as a list; raise unless there is one for each of the texts."""
    each = list(items(name, values, f"a list with one entry per {of}"))
    if len(each) != count:
        raise InputError(Argument(name), f" and {of}s differ in length: {len(each)} ≠ {count}")
    return each


def expand_path(path: str | Path) -> Path:
    """Return the path with ``~`` expanded where that is possible."""
    if not isinstance(path, str | Path):
        raise InputError(f"a path must be a str or Path, not {type(path).__name__}")
    if not str(path):
        raise InputError("an empty name is no file")
    if "\0" in str(path):
        raise InputError(f"{shown(str(path))} is no file's name")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise InputError(f"{shown(str(path))} is no file's name: it cannot be encoded") from None
    return Path(os.path.expanduser(path))


def file_name(path: Path) -> str:
    """Return a path for a message: in one line, a very long one cut short."""
    name = one_line(str(path))
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def exists(path: Path) -> bool:
    """Whether there is something of that name; there is none of a name that no file can have."""
    try:
        return path.exists()
    except OSError:
        return False


def existing_file(path: Path) -> Path:
    """Return the path; raise unless it is a file that can be read from its beginning."""
    try:
        is_file = path.is_file()
        what = "not a regular file" if not is_file and path.exists() else "no such file"
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        is_file, what = False, error.strerror or str(error)
    if not is_file:
        raise InputError(f"{file_name(path)}: {what}")
    return path


def check_installed(extra: str, *packages: str) -> None:
    """Raise unless these are installed; better before long work than after it."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra)


def scipy_sparse() -> Any:  # noqa: ANN401 - scipy has no types
    """Return scipy's module of sparse matrices; raise if it is not installed."""
    check_installed("train", "scipy")
    from scipy import sparse

    return sparse


def names_meant(said: str, names: Sequence[str]) -> str:
    """Return for a message which of the names somebody may have meant, or which there are."""
    close = difflib.get_close_matches(said[:_LONGEST_COMPARED], names, n=3, cutoff=0.6)
    ending = [name for name in names if said and said.lower() in name.lower()]
    suggested = list(dict.fromkeys([*close, *ending]))[:3]
    if suggested:
        return f"did you mean {' or '.join(suggested)}?"
    return f"there are {join_names(names)}"


def join_names(names: Iterable[str], most: int = 12) -> str:
    """Return names for a message, a long list cut short."""
    every = list(names)
    shown = ", ".join(one_line(name[:40]) for name in every[:most])
    return shown if len(every) <= most else f"{shown}, … ({len(every):,} in all)"
