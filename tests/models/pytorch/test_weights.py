import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from whyword import InputError
from whyword.models.pytorch.weights import Weights

TENSORS = {
    "a": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "b": torch.arange(4, dtype=torch.bfloat16),
    "c": torch.tensor(3),
    "d": torch.empty(0, 4),
    "e": torch.arange(3, dtype=torch.float16),
}


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as info:
        Weights.of(folder)
    said = str(info.value)
    assert said.isprintable()
    return said


def shard(folder: Path, **where: Any) -> Path:
    """Write the tensors in two files, with an index that says which is where."""
    save_file({name: TENSORS[name] for name in "ab"}, folder / "model-1.safetensors")
    save_file({name: TENSORS[name] for name in "cde"}, folder / "model-2.safetensors")
    index = {name: f"model-{1 if name in 'ab' else 2}.safetensors" for name in TENSORS} | where
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    return folder


def whole(folder: Path) -> Path:
    save_file(TENSORS, folder / "model.safetensors")
    return folder


@pytest.mark.parametrize("write", [whole, shard])
def test_all_of_them_come_back(write: Any, tmp_path: Path) -> None:
    weights = Weights.of(write(tmp_path))
    assert weights.shapes == {name: tuple(one.shape) for name, one in TENSORS.items()}
    read = weights.read(lambda _: True)
    for name, one in TENSORS.items():
        assert read[name].dtype == one.dtype
        assert torch.equal(read[name], one)
    assert weights.read(lambda name: name == "c").keys() == {"c"}


def test_they_are_not_the_files(tmp_path: Path) -> None:
    """Whatever becomes of the file, and each by itself: a pickle of one holds no others."""
    read = Weights.of(whole(tmp_path)).read(lambda _: True)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert torch.equal(read["a"], TENSORS["a"])
    assert read["a"].untyped_storage().nbytes() == 24
    read["a"] += 1  # they may be trained


def test_a_file_that_shrinks_meanwhile(tmp_path: Path) -> None:
    weights = Weights.of(whole(tmp_path))
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match="was changed while it was read"):
        weights.read(lambda _: True)


def test_no_weights(tmp_path: Path) -> None:
    assert "has no model.safetensors" in refusal(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    assert "as a pickle only" in refusal(tmp_path)
    os.mkfifo(tmp_path / "model.safetensors")
    assert "not a regular file" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "damaged"),
        (b"\x08\0\0\0\0\0\0\0", "a header of 8 bytes in a file of 8"),
        (b"\xff\xff\xff\xff\xff\xff\xff\x7f{}", "damaged"),
        (b"\x02\0\0\0\0\0\0\0{}more", "its tensors have 0 bytes, there are 4"),
        (b"version https://git-lfs.github.com/spec/v1\n", "damaged"),
    ],
)
def test_damaged_files(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    assert said in refusal(tmp_path)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"dtype": "F32", "shape": [10**12, 8], "data_offsets": [0, 4]}, "do not fit bytes"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [0, 2**40]}, "do not fit bytes"),
        ({"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}, "unknown dtype"),
        ({"dtype": "U32", "shape": [1], "data_offsets": [0, 4]}, "which are no weights"),
    ],
)
def test_a_header_that_lies(entry: Any, said: str, tmp_path: Path) -> None:
    header = json.dumps({"a": entry}).encode()
    data = len(header).to_bytes(8, "little") + header + b"\0" * 4
    (tmp_path / "model.safetensors").write_bytes(data)
    assert said in refusal(tmp_path)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"a": "../model-1.safetensors"}, "no file beside it"),
        ({"a": "/etc/passwd"}, "no file beside it"),
        ({"a": "pytorch_model.bin"}, "no file beside it"),
        ({"a": 3}, "no file beside it"),
        ({"a": "model-3.safetensors"}, "model-"),
        ({"z": "model-1.safetensors"}, "does not hold what"),
        ({"a": "model-2.safetensors"}, "does not hold what"),
    ],
)
def test_an_index_that_lies(where: Any, said: str, tmp_path: Path) -> None:
    assert said in refusal(shard(tmp_path, **where))


def test_an_index_without_a_map(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": []}')
    assert "has no weight_map" in refusal(tmp_path)


def test_a_tensor_that_is_in_two_files(tmp_path: Path) -> None:
    shard(tmp_path)
    save_file({name: TENSORS[name] for name in "acde"}, tmp_path / "model-2.safetensors")
    assert "is in another file, too" in refusal(tmp_path)
