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
from whyword.base.json import parse_json
from whyword.base.printable import one_line, shown
from whyword.vectors.table import unfit_numbers

_LONGEST_REASON = 200  # letters of what somebody else says is wrong
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
    """Read the tables of a file written by :func:`write_store`; raise if it holds anything else."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(existing_file(path))
        count = max(1, len(tensors) // 2)
        if len(tensors) != 2 * count:
            raise ValueError(f"{len(tensors)} tensors are no pairs of words and vectors")
        return [
            _read_pair(tensors[f"words_{number}"], tensors[f"matrix_{number}"])
            for number in range(count)
        ]
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError) as error:
        reason = one_line(" ".join(str(error).split()))[:_LONGEST_REASON]
        raise InputError(f"{path}: damaged or not a file of word vectors ({reason})") from None


def _read_pair(words: NDArray[Any], matrix: NDArray[Any]) -> WordsAndMatrix:
    """Return a table that was written as two tensors."""
    if words.dtype != np.uint8 or words.ndim != 1:
        raise ValueError(f"the words are {words.dtype} of shape {words.shape}, not bytes")
    if matrix.dtype != np.float32 or matrix.ndim != 2 or not matrix.shape[1]:
        raise ValueError(
            f"the vectors are {matrix.dtype} of shape {matrix.shape}, not float32 of (words, D)"
        )
    return check_table(parse_json(words.tobytes(), "its list of words"), matrix)


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
    if unfit_numbers(rows):
        name, reason = next(
            (name, reason)
            for name, row in zip(names, rows, strict=True)
            if (reason := unfit_numbers(row))
        )
        raise InputError(f"the vector of {shown(name)} has {reason}")
    return names, rows
