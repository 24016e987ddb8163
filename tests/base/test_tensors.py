"""Safetensors files, good and bad: the package safetensors reads the same."""

import json
import random
from typing import Any

import numpy as np
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from whyword.base.errors import InputError
from whyword.base.tensors import read_tensors, serialise_tensors

TENSORS: dict[str, NDArray[Any]] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "bytes": np.frombuffer(b'["word"]', np.uint8),
    "empty": np.empty((0, 4), np.int32),
    "flags": np.array([True, False, True]),
    "long": np.arange(4),
    "one": np.array(0.5),
}
GOOD = save(TENSORS)
START = 8 + int.from_bytes(GOOD[:8], "little")
HEADER: dict[str, Any] = json.loads(GOOD[8:START])


def file_of(header: object, data: bytes = GOOD[START:], length: int | None = None) -> bytes:
    """Return a file with that header, padded as the package pads it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


@pytest.mark.parametrize("dtype", "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split())
def test_every_dtype_comes_back(dtype: str) -> None:
    array = (np.arange(12).reshape(3, 4) % 2).astype(dtype)
    read = read_tensors(serialise_tensors({"x": array.T, "one": array[0, 1]}), "x")
    assert read["x"].dtype == array.dtype
    np.testing.assert_array_equal(read["x"], array.T)
    assert read["one"].shape == ()
    assert read["one"] == 1


def test_tensors_are_read_only_views() -> None:
    data = bytearray(GOOD)
    read = read_tensors(memoryview(data), "x")
    assert list(read) == list(HEADER)  # in the order of the file
    assert np.shares_memory(read["a"], np.frombuffer(data, np.uint8))
    with pytest.raises(ValueError, match="read-only"):
        read["a"][0] = 1


def test_a_tensor_that_is_not_aligned_is_copied() -> None:
    header = {"b": HEADER["bytes"] | {"data_offsets": [0, 1], "shape": [1]}}
    header["a"] = {"dtype": "F32", "shape": [2], "data_offsets": [1, 9]}
    numbers = np.array([1.5, 2.5], np.float32)
    read = read_tensors(file_of(header, b"x" + numbers.tobytes()), "x")["a"]
    assert read.flags.aligned
    assert not read.flags.writeable
    np.testing.assert_array_equal(read, numbers)


def test_files_without_tensors() -> None:
    assert read_tensors(file_of({}, b""), "x") == {}
    assert read_tensors(file_of({"__metadata__": {"made": "by hand"}}, b""), "x") == {}


def entry(name: str, **changes: object) -> dict[str, Any]:
    """Return the good header with one entry changed."""
    return {**HEADER, name: {**HEADER[name], **changes}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "a header of 0 bytes in a file of 0"),
        (b"\xff" * 8, "18,446,744,073,709,551,615 bytes in a file of 8"),
        (b"\xff" * 4 + bytes(4) + GOOD[8:], "4,294,967,295 bytes"),
        (file_of(b"[]"), "no JSON object"),
        (file_of(b' {"a": 1}'), "no JSON object"),
        (file_of({"a": "not this"}), "'a' must have dtype, shape and data_offsets"),
        (file_of(entry("a", more=1)), "'a' must have dtype, shape and data_offsets"),
        (file_of(entry("a", dtype="F7")), "unknown dtype 'F7'"),
        (file_of(entry("a", shape=[2.0, 3])), "no possible shape"),
        (file_of(entry("a", shape=6)), "no possible shape"),
        (file_of(entry("a", shape=[6] + [1] * 40)), "no possible shape"),
        (file_of(entry("a", shape=[10**30])), "no possible shape"),
        (file_of(entry("empty", shape=[0, 2**62, 2**62])), "do not fit bytes"),
        (file_of(entry("a", shape=[9_999_999_999])), "do not fit bytes"),
        (file_of(entry("a", data_offsets=[0])), "no possible data_offsets"),
        (file_of(entry("a", data_offsets=HEADER["long"]["data_offsets"])), "do not fit bytes"),
        (file_of(entry("long", shape=[3], data_offsets=[0, 24])), "begins at byte"),  # overlap
        (file_of({"bytes": HEADER["bytes"]}), "begins at byte"),  # a hole
        (file_of(HEADER, GOOD[START:] + b"more"), "there are"),
        (file_of(HEADER, GOOD[START:-1]), "there are"),
        (file_of({**HEADER, "__metadata__": {"a": 1}}), "__metadata__"),
        (file_of({**HEADER, "\ud800": HEADER["empty"]}), "no name"),
        (file_of(GOOD[8:START].replace(b'"long"', b'"a"')), "'a' more than once"),
        (file_of(b'{"a":' * 50_000), "nested beyond reason"),
        (GOOD.replace(b"\x01\x00\x01", b"\x02\x00\x01"), "neither true nor false"),
    ],
    ids=range(25),
)
def test_bad_files_are_one_line_errors(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=r"damaged") as error:
        read_tensors(content, "x.safetensors")
    assert str(error.value).startswith("x.safetensors")
    assert said in str(error.value)
    assert len(str(error.value)) < 300


# ---- made up ----------------------------------------------------------------------------------

VALUES: list[object] = [
    None,
    True,
    -1,
    0,
    1,
    3,
    24,
    2**63,
    10**30,
    0.5,
    "",
    "I64",
    "BOOL",
    "\ud800",
]
VALUES += [{}, {"a": 1}, [], [0], [2, 3], [6], [0, 24], [24, 0], [0, 2**63], [True, 2], [2.0, 3]]
CHANGES = st.tuples(
    st.sampled_from([*HEADER, "b", "__metadata__", "\ud800"]),
    st.sampled_from(["dtype", "shape", "data_offsets", "more", ""]),
    st.sampled_from(VALUES),
)
CASES = st.tuples(
    st.permutations(list(HEADER)),
    st.lists(CHANGES, max_size=1),
    st.lists(st.integers(0, 2**32), max_size=2),
)
Case = tuple[list[str], list[tuple[str, str, object]], list[int]]


def changed(case: Case) -> bytes:
    """Return the good file with other names, a value of its header changed, and damage."""
    names, changes, seeds = case
    header: dict[str, Any] = dict(zip(names, HEADER.values(), strict=True))
    for name, field, value in changes:
        said = header.get(name)
        header[name] = {**said, field: value} if field and isinstance(said, dict) else value
    whole = file_of(header)
    for seed in seeds:
        at = START if seed % 2 else len(whole)  # half of the accidents happen to the header
        whole = damage(whole[:at], random.Random(seed)) + whole[at:]
    return whole


def read_by_both(case: Case) -> None:
    """Read a file; if it is accepted, the package safetensors reads the same."""
    data = changed(case)
    ours = read_tensors(data, "x")
    if b"-0" in data[:START]:
        return  # 0 in Python's JSON, no whole number in Rust's
    try:
        theirs = load(data)
    except SafetensorError as error:
        raise AssertionError(f"safetensors refuses it: {error}") from None
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype
        assert array.shape == theirs[name].shape
        assert array.tobytes() == theirs[name].tobytes()


def fuzzer() -> Fuzzer:
    """Return the fuzzer of safetensors files."""
    return Fuzzer("safetensors headers", CASES, read_by_both)


@pytest.mark.parametrize(
    "cases", [150, pytest.param(2_000, marks=pytest.mark.nightly(reason="long fuzzing"))]
)
def test_headers_made_up(cases: int) -> None:
    made_up = fuzzer()
    made_up.check(cases)
    assert min(made_up.accepted, made_up.refused) > cases // 10
    assert len(made_up.messages) > 10
