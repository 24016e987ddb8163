"""Word vectors in a safetensors file: for each table its matrix and its words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.errors import InputError
from whyword.storage import written_whole

WordsAndMatrix: TypeAlias = tuple[list[str], NDArray[np.float32]]


def write_store(path: Path, tables: Sequence[WordsAndMatrix]) -> None:
    """Write tables, whole or not at all."""
    from safetensors.numpy import save_file

    tensors = {}
    for number, (words, matrix) in enumerate(tables):
        tensors[f"matrix_{number}"] = np.ascontiguousarray(matrix)
        tensors[f"words_{number}"] = np.frombuffer(json.dumps(words).encode(), np.uint8)
    with written_whole(path) as draft:
        save_file(tensors, draft)


def read_store(path: Path) -> list[WordsAndMatrix]:
    """Read the tables of a file written by :func:`write_store`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        tensors = load_file(path)
        return [
            (json.loads(tensors[f"words_{number}"].tobytes()), tensors[f"matrix_{number}"])
            for number in range(len(tensors) // 2)
        ]
    except (SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"{path}: damaged or not a file of word vectors ({error})") from None
