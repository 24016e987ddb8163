from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save

from whyword import InputError
from whyword.vectors.store import read_store, write_store


def test_what_is_written_is_read(tmp_path: Path) -> None:
    tables = [
        (["a", "b\n", "naïve"], np.arange(6, dtype=np.float32).reshape(3, 2)),
        ([], np.empty((0, 4), np.float32)),
    ]
    write_store(tmp_path / "v.safetensors", tables)
    for (words, matrix), (read_words, read_matrix) in zip(
        tables, read_store(tmp_path / "v.safetensors"), strict=True
    ):
        assert read_words == words
        np.testing.assert_array_equal(read_matrix, matrix)


EMPTY = b"\x08\0\0\0\0\0\0\0{}      "


@pytest.mark.parametrize("content", [b"", b"garbage", EMPTY, save({"x": np.zeros(2)})])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged or not a file of word vectors"):
        read_store(path)


@pytest.mark.parametrize(
    ("words", "matrix"),
    [
        ('["a"]', np.zeros((2, 3), np.float32)),
        ('["a", "a"]', np.zeros((2, 3), np.float32)),
        ('["a", 5]', np.zeros((2, 3), np.float32)),
        ("5", np.zeros((2, 3), np.float32)),
        ('["a", "b"]', np.zeros(2, np.float32)),
        ('["a", "b"]', np.full((2, 3), np.nan, np.float32)),
    ],
)
def test_inconsistent_files_are_refused(
    tmp_path: Path, words: str, matrix: NDArray[np.float32]
) -> None:
    path = tmp_path / "v.safetensors"
    encoded = np.frombuffer(words.encode(), np.uint8)
    path.write_bytes(save({"matrix_0": matrix, "words_0": encoded}))
    with pytest.raises(InputError):
        read_store(path)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_store(tmp_path / "none.safetensors")
