"""Word vectors in a safetensors file: for each table its matrix and its words."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import existing_file, strings
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write
from whyword.base.printable import shown

WordsAndMatrix: TypeAlias = tuple[list[str], NDArray[np.float32]]


def write_store(path: Path, tables: Sequence[WordsAndMatrix]) -> None:
    """Write tables, whole or not at all."""
    from safetensors.numpy import save

    with atomic_write(path) as draft:
        draft.write_bytes(save(dict(_tensors(tables))))


def _tensors(tables: Sequence[WordsAndMatrix]) -> Iterator[tuple[str, NDArray[Any]]]:
    for number, (words, matrix) in enumerate(tables):
        yield f"matrix_{number}", np.ascontiguousarray(matrix, np.float32)
        yield f"words_{number}", np.frombuffer(json.dumps(words).encode(), np.uint8)


def read_store(path: Path) -> list[WordsAndMatrix]:
    """Read the tables of a file written by :func:`write_store`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(existing_file(path))
        tables = [
            check_table(
                json.loads(tensors[f"words_{number}"].tobytes()), tensors[f"matrix_{number}"]
            )
            for number in range(max(1, len(tensors) // 2))
        ]
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: damaged or not a file of word vectors ({error})") from None
    return tables


def read_table(path: Path) -> WordsAndMatrix:
    """Read the only table of a file written by :func:`write_table`."""
    return read_store(path)[0]


def write_table(table: WordsAndMatrix, path: Path) -> None:
    """Write one table, whole or not at all."""
    write_store(path, [table])


def check_table(words: Sequence[str], matrix: NDArray[Any]) -> WordsAndMatrix:
    """Return words and matrix; raise unless they are unique strings with a finite row each."""
    names = strings("words", words)
    try:
        with np.errstate(over="ignore"):  # becomes infinite, which is refused with its word
            rows = np.asarray(matrix, np.float32)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            Argument("matrix"), f" must be numbers, (words, D), not {shown(matrix)}"
        ) from None
    if rows.ndim != 2 or len(names) != len(rows):
        raise InputError(
            Argument("words"),
            " and ",
            Argument("matrix"),
            f" differ in length: {len(names)} ≠ {rows.shape}; one row per word",
        )
    if len(set(names)) != len(names):
        raise InputError(f"{len(names) - len(set(names))} words occur more than once")
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InputError(f"the vector of {shown(names[bad])} has NaN or infinite numbers")
    return names, rows
