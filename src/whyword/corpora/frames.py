"""Tables that are in memory already: frames of other packages, lists of dicts.

Each becomes a :class:`~whyword.corpora.tables.Table`, so that columns, labels, splits and bad rows
are what they are in files. None of the packages is imported: whoever passes a frame has done so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whyword.base.checks import join_names
from whyword.base.columns import frame_columns, is_frame, is_lazy, is_missing
from whyword.base.errors import InputError
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.parquet_values import NotText, python_values
from whyword.corpora.tables import BadRow, OnBadRow, Row, Table, raise_bad_row

# rows, a tuple of values each, of the named columns; what is said instead of a bad one
Values: TypeAlias = Iterator[tuple[object, ...] | BadRow]

_ROWS = 1024  # of a frame that become Python values at a time
_PARTS = ("train", "test")
_SPLIT = "split"  # the column that says so, of a dict of frames
_TAKEN = (
    "a file, a folder, a corpus's name, a frame of pandas, polars, Arrow or datasets, "
    "a dict of frames ('train' and 'test') or a list of dicts"
)


class _Frame(NamedTuple):
    """A frame, whatever it is: its name, its columns, its rows, how many (−1 if unknown)."""

    name: str
    columns: tuple[str, ...]
    values: Callable[[Sequence[str]], Values]
    size: int = -1


def is_in_memory(source: object) -> bool:
    """Whether the source is no path or name, but a table that is there."""
    return not hasattr(type(source), "__fspath__") and not isinstance(source, str)


def open_frame(source: object) -> tuple[Table, list[str]]:
    """Return the table that a frame is, and what there is to say about it.

    Parameters
    ----------
    source : DataFrame of pandas or polars, Arrow table, datasets.Dataset, list of dicts; or a dict
        Of a dict the parts ``"train"`` and ``"test"`` are taken, and become a column ``split``.

    Raises
    ------
    InputError
        If it is none of these.
    """
    if not isinstance(source, Mapping):
        return _table(_frame_of(source)), []
    parts = {part: _frame_of(source[part]) for part in _PARTS if part in source}
    if not parts:
        raise InputError(_no_source(source, f"with {join_names(map(str, source))}"))
    left_out = [str(name) for name in source if name not in parts]
    notes = [f"left out: {join_names(left_out)}"] if left_out else []
    if "test" not in parts:
        return _table(parts["train"]), notes
    return _table(_both(type(source).__name__, parts)), notes


def _table(frame: _Frame) -> Table:
    def rows(
        names: Sequence[str],
        on_bad_row: OnBadRow = raise_bad_row,
        on_progress: OnProgress = ignore,
    ) -> Iterator[Row]:
        for number, values in enumerate(frame.values(names), 1):
            if frame.size > 0 and number % _ROWS == 0:
                on_progress(Progress(share=number / frame.size))
            place = f"{frame.name}, row {number}"
            if isinstance(values, BadRow):
                on_bad_row(BadRow(values.place or place, values.reason))
                continue
            broken = next((value for value in values if isinstance(value, NotText)), None)
            if broken is None:
                yield place, tuple(map(_plain, values))
            else:
                on_bad_row(BadRow(place, broken.reason))

    return Table(frame.name, frame.columns, rows)


def _plain(value: object) -> object:
    """Return a value as a file would have it: NumPy's as Python's, a missing one as nothing."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    return value.item() if isinstance(value, np.generic) else value


def _both(name: str, parts: Mapping[str, _Frame]) -> _Frame:
    """Return the frames of a dict as one, with a column that says which part a row is of."""
    columns = dict.fromkeys(next(iter(parts.values())).columns)
    for part, frame in parts.items():
        missing = [column for column in columns if column not in frame.columns]
        if missing:
            raise InputError(f"{name}: {part!r} has no column {missing[0]!r}, which the other has")

    def of_part(part: str, names: Sequence[str]) -> Values:
        own = [column for column in names if column != _SPLIT]
        for number, values in enumerate(parts[part].values(own), 1):
            if isinstance(values, BadRow):
                yield BadRow(f"{name}, {part!r}, row {number}", values.reason)
            else:
                there = iter(values)
                yield tuple(part if column == _SPLIT else next(there) for column in names)

    def values(names: Sequence[str]) -> Values:
        return chain.from_iterable(of_part(part, names) for part in parts)

    sizes = [frame.size for frame in parts.values()]
    size = -1 if -1 in sizes else sum(sizes)
    return _Frame(name, tuple(columns | {_SPLIT: None}), values, size)


# ---- the kinds --------------------------------------------------------------------------------


def _frame_of(source: object) -> _Frame:
    name = type(source).__name__
    kind = type(source)
    if isinstance(source, list | tuple) and not is_frame(source):
        return _of_dicts(source)
    if not is_frame(source):
        raise InputError(_no_source(source))
    if is_lazy(source):
        raise InputError(f"a {name} is still to be computed: pass what its collect() returns")
    if hasattr(kind, "features"):
        return _of_dataset(source)
    columns = tuple(frame_columns(source))
    frame: Any = source  # its package has no types here
    at = {column: number for number, column in enumerate(columns)}
    size = len(frame)

    def pandas(start: int, column: str) -> Iterable[object]:
        part: list[object] = frame.iloc[start : start + _ROWS, at[column]].tolist()
        return part

    def polars(start: int, column: str) -> Iterable[object]:
        part: list[object] = frame.get_column(column).slice(start, _ROWS).to_list()
        return part

    def arrow(start: int, column: str) -> Iterable[object]:
        return python_values(frame.column(at[column]).slice(start, _ROWS))

    part = pandas if hasattr(kind, "iloc") else polars if hasattr(kind, "get_column") else arrow

    def values(names: Sequence[str]) -> Values:
        for start in range(0, size, _ROWS):
            yield from zip(*(part(start, column) for column in names), strict=True)

    return _Frame(name, columns, values, size)


def _of_dicts(source: Sequence[object]) -> _Frame:
    if not source:
        raise InputError("the list has no rows")
    first = source[0]
    if not isinstance(first, Mapping):
        raise InputError(_no_source(source, f"of {type(first).__name__}"))

    def values(names: Sequence[str]) -> Values:
        for row in source:
            if not isinstance(row, Mapping):
                yield BadRow("", f"a {type(row).__name__}, not a dict")
                continue
            missing = [name for name in names if name not in row]
            if missing:
                yield BadRow("", f"no {missing[0]!r}, which the first row has")
            else:
                yield tuple(row[name] for name in names)

    columns = tuple(name for name in first if isinstance(name, str))
    return _Frame(type(source).__name__, columns, values, len(source))


def _of_dataset(source: Any) -> _Frame:  # noqa: ANN401 - datasets.Dataset, or what is like it
    name, kind = type(source).__name__, type(source)
    features: Mapping[str, Any] = source.features or {}
    has_length = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    plain = source.with_format(None) if hasattr(kind, "with_format") else source
    columns = frame_columns(source)
    if not columns:  # a stream that does not know them
        columns = list(next(iter(plain), {}))
        if not columns:
            raise InputError(f"the {name} has no rows")

    def named(column: str) -> Callable[[object], object]:
        """Return what makes a class's number its name, which the dataset knows."""
        feature = features.get(column)
        inner = getattr(feature, "feature", None)  # of lists
        if inner is None and isinstance(feature, list) and feature:
            inner = feature[0]
        names = getattr(feature if inner is None else inner, "names", None)
        if not isinstance(names, list | tuple):
            return lambda value: value

        def name_of(value: object) -> object:
            is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not is_number or not -1 <= int(value) < len(names):  # type: ignore[call-overload]
                return value
            return None if value == -1 else names[int(value)]  # type: ignore[call-overload]

        def names_of(value: object) -> object:
            return list(map(name_of, value)) if isinstance(value, list | tuple) else value

        return name_of if inner is None else names_of

    def values(names: Sequence[str]) -> Values:
        convert = [named(column) for column in names]
        for row in rows(names):
            yield tuple(to(value) for to, value in zip(convert, row, strict=True))

    def rows(names: Sequence[str]) -> Iterator[tuple[object, ...]]:
        if not has_length:
            yield from (tuple(row.get(column) for column in names) for row in plain)
            return
        chosen = plain.select_columns(list(names)) if hasattr(kind, "select_columns") else plain
        for start in range(0, len(source), _ROWS):
            part = chosen[start : start + _ROWS]
            yield from zip(*(part[column] for column in names), strict=True)

    return _Frame(name, tuple(columns), values, len(source) if has_length else -1)


def _no_source(source: object, more: str = "") -> str:
    return f"the source is {_TAKEN}; not a {type(source).__name__} {more}".rstrip()
