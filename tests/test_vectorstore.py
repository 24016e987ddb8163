from pathlib import Path

import numpy as np
import pytest

from whyword import InputError
from whyword.vectorstore import read_store, write_store


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


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x08\0\0\0\0\0\0\0{}      "])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.safetensors"
    path.write_bytes(content)
    if content.endswith(b"{}      "):
        assert read_store(path) == []
        return
    with pytest.raises(InputError, match="damaged or not a file of word vectors"):
        read_store(path)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_store(tmp_path / "none.safetensors")
