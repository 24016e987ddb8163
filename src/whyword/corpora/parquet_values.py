"""Values of a Parquet file's columns as Python's, whatever their type, with pandas or without.

By hand where pyarrow gives up: at times in nanoseconds, for which it needs pandas, in time zones
that are unknown here, and of years that Python does not count.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

_MEASURED = ("timestamp", "time32", "time64", "duration")  # types that are numbers of a unit
_MANY_BYTES = 1 << 25


class NotText(NamedTuple):
    """A value that cannot be read, and why."""

    reason: str


@dataclass(frozen=True, repr=False)
class Time:
    """A time that Python's own classes do not hold, as text."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def python_values(column: Any) -> Iterable[object]:  # noqa: ANN401 - pyarrow has no types
    """Return an Arrow array's values; those that cannot be read are :class:`NotText`."""
    import pyarrow

    if _unit(column.type) == "ns":
        return map(_safely(_nanoseconds), column)
    if column.nbytes <= _MANY_BYTES:
        try:
            values: list[object] = column.to_pylist()
        except (pyarrow.ArrowException, ValueError, ArithmeticError, LookupError, TypeError):
            pass
        else:
            return values
    return map(_safely(_value), column)  # one by one: a dictionary's may be long and many


def _safely(convert: Callable[[Any], object]) -> Callable[[Any], object]:
    import pyarrow

    def converted(scalar: Any) -> object:  # noqa: ANN401 - pyarrow has no types
        try:
            return convert(scalar)
        except UnicodeDecodeError as error:
            return NotText(f"text that is not UTF-8 ({error.reason}, byte {error.start})")
        except (pyarrow.ArrowException, ValueError, ArithmeticError, LookupError, TypeError):
            if _unit(scalar.type) is not None:
                return Time(str(scalar.value))
            return NotText(f"a value of the type {scalar.type!s:.60} cannot be read")

    return converted


def _value(scalar: Any) -> object:  # noqa: ANN401 - pyarrow has no types
    import pyarrow

    try:
        return scalar.as_py()
    except pyarrow.ArrowException:
        if not pyarrow.types.is_timestamp(scalar.type):
            raise
        return _in_utc(scalar.value, scalar.type.unit)  # in a time zone that is unknown here


def _in_utc(value: int, unit: str) -> object:
    import pyarrow

    return pyarrow.scalar(value, pyarrow.timestamp(unit, "UTC")).as_py()


def _nanoseconds(scalar: Any) -> object:  # noqa: ANN401 - pyarrow has no types
    """Return a time, to the nanosecond if it has such, as pandas would show it."""
    import pyarrow

    if not scalar.is_valid:
        return None
    kind = scalar.type
    microseconds, rest = divmod(scalar.value, 1000)
    if pyarrow.types.is_timestamp(kind):
        coarse = pyarrow.timestamp("us", kind.tz)
    else:
        coarse = pyarrow.time64("us") if pyarrow.types.is_time(kind) else pyarrow.duration("us")
    value = _value(pyarrow.scalar(microseconds, coarse))
    if rest == 0:
        return value
    shown = str(value)
    head, dot, tail = shown.partition(".")
    if not dot:  # no microseconds; what may follow is the time zone
        zone = next((shown[at:] for at in range(19, len(shown)) if shown[at] in "+-"), "")
        head, tail = shown.removesuffix(zone), "000000" + zone
    return Time(f"{head}.{tail[:6]}{rest:03}{tail[6:]}")


def _unit(kind: Any) -> str | None:  # noqa: ANN401 - pyarrow has no types
    """Return the unit of a type of times, or None."""
    return kind.unit if str(kind).startswith(_MEASURED) else None
