"""Tensors of a safetensors file: nothing that its header says is believed before it is checked.

By hand, although the package safetensors reads such files too: its arrays are copies of what it
reads, and here they are views of bytes that the caller has, so that what was hashed is what is
used, and a gigabyte is held once. What this accepts, that package accepts as well
(tests/base/test_tensors.py).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.base.json import parse_json
from whyword.base.printable import storable

Tensors: TypeAlias = Mapping[str, NDArray[Any]]

_LENGTH = 8  # bytes that say how long the header is
_LONGEST = 100_000_000  # bytes of a header, as the format has it
_MOST_DIMENSIONS = 32
_DTYPES = {
    "BOOL": np.dtype("?"),
    **{f"{kind.upper()}{8 * size}": np.dtype(f"<{kind}{size}") for kind in "iu" for size in (1, 2)},
    **{
        f"{kind.upper()}{8 * size}": np.dtype(f"<{kind}{size}") for kind in "iuf" for size in (4, 8)
    },
    "F16": np.dtype("<f2"),
}


class _Entry(NamedTuple):
    """What the header says of a tensor: its bytes are ``data[begin:end]``, after the header."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


class _DamageError(ValueError):
    """What is wrong with a file."""


def serialise_tensors(tensors: Tensors) -> bytes:
    """Return tensors as the bytes of a safetensors file."""
    from safetensors.numpy import save

    return save({name: np.asarray(tensor, order="C") for name, tensor in tensors.items()})


def read_tensors(data: bytes | memoryview, name: object) -> dict[str, NDArray[Any]]:
    """Return the tensors in the bytes of a safetensors file, read-only and not copied.

    Parameters
    ----------
    data : bytes or memoryview
        The whole file. A tensor that is not aligned in it is a copy.
    name : object
        Where it is from, for the message.

    Raises
    ------
    InputError
        If these are not the bytes of such a file, one and all.
    """
    view = memoryview(data).toreadonly().cast("B")
    try:
        start, entries = _read_header(view, name)
        _check_cover(entries, len(view) - start)
        return {entry.name: _array(view, start, entry) for entry in entries}
    except _DamageError as error:
        raise InputError(f"{name} is damaged or not a safetensors file ({error})") from None


def _read_header(view: memoryview, name: object) -> tuple[int, list[_Entry]]:
    """Return where the data begin, and the entries of the header, each possible by itself."""
    length = int.from_bytes(view[:_LENGTH], "little")
    if len(view) < _LENGTH or not 2 <= length <= min(_LONGEST, len(view) - _LENGTH):
        raise _DamageError(f"a header of {length:,} bytes in a file of {len(view):,}")
    text = bytes(view[_LENGTH : _LENGTH + length])
    if not text.startswith(b"{"):
        raise _DamageError("its header is no JSON object")
    header = parse_json(text, f"{name}'s header", unique_keys=True)
    _check_metadata(header.pop("__metadata__", None))
    return _LENGTH + length, [_entry(key, said) for key, said in header.items()]


def _check_metadata(metadata: object) -> None:
    texts = [*metadata, *metadata.values()] if isinstance(metadata, dict) else []
    if not (metadata is None or isinstance(metadata, dict)) or not all(
        isinstance(text, str) and storable(text) == text for text in texts
    ):
        raise _DamageError("its __metadata__ are not texts by name")


def _entry(name: str, said: object) -> _Entry:
    shown = repr(name)[:60]
    if storable(name) != name:
        raise _DamageError(f"{shown} is no name of a tensor")
    if not isinstance(said, dict) or said.keys() != {"dtype", "shape", "data_offsets"}:
        raise _DamageError(f"{shown} must have dtype, shape and data_offsets, nothing else")
    dtype = _DTYPES.get(said["dtype"]) if isinstance(said["dtype"], str) else None
    if dtype is None:
        raise _DamageError(f"{shown} has the unknown dtype {said['dtype']!r:.40}")
    shape, offsets = _sizes(said["shape"]), _sizes(said["data_offsets"])
    if shape is None or len(shape) > _MOST_DIMENSIONS:
        raise _DamageError(f"{shown} has no possible shape: {said['shape']!r:.60}")
    if offsets is None or len(offsets) != 2:
        raise _DamageError(f"{shown} has no possible data_offsets: {said['data_offsets']!r:.60}")
    return _checked_size(_Entry(name, dtype, shape, *offsets))


def _sizes(value: object) -> tuple[int, ...] | None:
    """Return whole numbers that a machine can count to; None if these are something else."""
    if isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value):
        return tuple(value)
    return None


def _checked_size(entry: _Entry) -> _Entry:
    size = entry.dtype.itemsize * math.prod(entry.shape)
    # numpy multiplies the other dimensions even of an array that has nothing in it
    largest = entry.dtype.itemsize * math.prod(max(1, n) for n in entry.shape)
    if entry.end - entry.begin != size or largest >= 1 << 63:
        raise _DamageError(
            f"{entry.shape!s:.60} numbers of {entry.dtype} do not fit bytes "
            f"{entry.begin} to {entry.end}: {entry.name!r:.60}"
        )
    return entry


def _check_cover(entries: Sequence[_Entry], size: int) -> None:
    """Raise unless the tensors lie one after the other and fill the data, nothing left over."""
    done = 0
    for entry in sorted(entries, key=lambda one: (one.begin, one.end)):
        if entry.begin != done:
            raise _DamageError(f"{entry.name!r:.60} begins at byte {entry.begin}, not at {done}")
        done = entry.end
    if done != size:
        raise _DamageError(f"its tensors have {done:,} bytes, there are {size:,}")


def _array(view: memoryview, start: int, entry: _Entry) -> NDArray[Any]:
    part = view[start + entry.begin : start + entry.end]
    if entry.dtype.kind == "b" and len(part) and np.frombuffer(part, np.uint8).max() > 1:
        raise _DamageError(f"{entry.name!r:.60} has bytes that are neither true nor false")
    array = np.frombuffer(part, entry.dtype).reshape(entry.shape)
    if not array.flags.aligned:
        array = array.copy()  # compiled loops are not made for such
        array.flags.writeable = False
    return array
