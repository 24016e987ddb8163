"""Tensors of a safetensors file: nothing that its header says is believed before it is checked.

By hand, although the package safetensors reads such files too: its arrays are copies of what it
reads, and here they are views of bytes that the caller has, so that what was hashed is what is
used, and a gigabyte is held once. What this accepts, that package accepts as well
(tests/base/test_tensors.py).
"""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import existing_file
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
_BYTES = {name: dtype.itemsize for name, dtype in _DTYPES.items()}
_BYTES_OF_OTHERS = {**_BYTES, "BF16": 2}  # which numpy lacks


class Entry(NamedTuple):
    """What the header says of a tensor.

    Attributes
    ----------
    name : str
    dtype : str
        As the format calls it: F32.
    shape : tuple of int
    begin, end : int
        Its bytes are ``data[begin:end]``, after the header.
    """

    name: str
    dtype: str
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
        start = _data_start(view[:_LENGTH], len(view))
        entries = _entries(bytes(view[_LENGTH:start]), name, _BYTES)
        _check_cover(entries, len(view) - start)
        return {entry.name: _array(view, start, entry) for entry in entries}
    except _DamageError as error:
        raise _damaged(name, error) from None


def read_entries(path: Path) -> tuple[int, list[Entry]]:
    """Return where the data of a safetensors file begin, and what is there; no data are read.

    Parameters
    ----------
    path : Path
        Its tensors may be of bfloat16, too.

    Raises
    ------
    InputError
        If there is no such file, or its header does not fit it.
    """
    with existing_file(path).open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        try:
            start = _data_start(stream.read(_LENGTH), size)
            entries = _entries(stream.read(start - _LENGTH), path, _BYTES_OF_OTHERS)
            _check_cover(entries, size - start)
        except _DamageError as error:
            raise _damaged(path, error) from None
    return start, entries


def _damaged(name: object, error: _DamageError) -> InputError:
    return InputError(f"{name} is damaged or not a safetensors file ({error})")


def _data_start(first: bytes | memoryview, size: int) -> int:
    """Return where the data of a file of so many bytes begin, by its first eight."""
    length = int.from_bytes(first, "little")
    if size < _LENGTH or not 2 <= length <= min(_LONGEST, size - _LENGTH):
        raise _DamageError(f"a header of {length:,} bytes in a file of {size:,}")
    return _LENGTH + length


def _entries(text: bytes, name: object, known: Mapping[str, int]) -> list[Entry]:
    """Return the entries of a header, each possible by itself and of a known dtype."""
    if not text.startswith(b"{"):
        raise _DamageError("its header is no JSON object")
    header = parse_json(text, f"{name}'s header", unique_keys=True)
    _check_metadata(header.pop("__metadata__", None))
    return [_entry(key, said, known) for key, said in header.items()]


def _check_metadata(metadata: object) -> None:
    texts = [*metadata, *metadata.values()] if isinstance(metadata, dict) else []
    if not (metadata is None or isinstance(metadata, dict)) or not all(
        isinstance(text, str) and storable(text) == text for text in texts
    ):
        raise _DamageError("its __metadata__ are not texts by name")


def _entry(name: str, said: object, known: Mapping[str, int]) -> Entry:
    shown = repr(name)[:60]
    if storable(name) != name:
        raise _DamageError(f"{shown} is no name of a tensor")
    if not isinstance(said, dict) or said.keys() != {"dtype", "shape", "data_offsets"}:
        raise _DamageError(f"{shown} must have dtype, shape and data_offsets, nothing else")
    dtype = said["dtype"]
    if not isinstance(dtype, str) or dtype not in known:
        raise _DamageError(f"{shown} has the unknown dtype {dtype!r:.40}")
    shape, offsets = _sizes(said["shape"]), _sizes(said["data_offsets"])
    if shape is None or len(shape) > _MOST_DIMENSIONS:
        raise _DamageError(f"{shown} has no possible shape: {said['shape']!r:.60}")
    if offsets is None or len(offsets) != 2:
        raise _DamageError(f"{shown} has no possible data_offsets: {said['data_offsets']!r:.60}")
    entry = Entry(name, dtype, shape, *offsets)
    _check_size(entry, known[dtype])
    return entry


def _sizes(value: object) -> tuple[int, ...] | None:
    """Return whole numbers that a machine can count to; None if these are something else."""
    if isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value):
        return tuple(value)
    return None


def _check_size(entry: Entry, each: int) -> None:
    """Raise unless a tensor has the bytes that its numbers need, so many each."""
    size = each * math.prod(entry.shape)
    # numpy multiplies the other dimensions even of an array that has nothing in it
    largest = each * math.prod(max(1, n) for n in entry.shape)
    if entry.end - entry.begin != size or largest >= 1 << 63:
        raise _DamageError(
            f"{entry.shape!s:.60} numbers of {entry.dtype} do not fit bytes "
            f"{entry.begin} to {entry.end}: {entry.name!r:.60}"
        )


def _check_cover(entries: Sequence[Entry], size: int) -> None:
    """Raise unless the tensors lie one after the other and fill the data, nothing left over."""
    done = 0
    for entry in sorted(entries, key=lambda one: (one.begin, one.end)):
        if entry.begin != done:
            raise _DamageError(f"{entry.name!r:.60} begins at byte {entry.begin}, not at {done}")
        done = entry.end
    if done != size:
        raise _DamageError(f"its tensors have {done:,} bytes, there are {size:,}")


def _array(view: memoryview, start: int, entry: Entry) -> NDArray[Any]:
    part = view[start + entry.begin : start + entry.end]
    dtype = _DTYPES[entry.dtype]
    if dtype.kind == "b" and len(part) and np.frombuffer(part, np.uint8).max() > 1:
        raise _DamageError(f"{entry.name!r:.60} has bytes that are neither true nor false")
    array = np.frombuffer(part, dtype).reshape(entry.shape)
    if not array.flags.aligned:
        array = array.copy()  # compiled loops are not made for such
        array.flags.writeable = False
    return array
