"""Safetensors files, good and bad: what is read is what the package safetensors reads."""

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
    (read,) = read_tensors(serialise_tensors({"x": array.T}), "x").values()
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array.T)


def test_tensors_are_views_that_nobody_changes() -> None:
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


def test_a_single_number_has_no_axis() -> None:
    tensors = {"count": np.array(7), "turned": np.arange(6).reshape(2, 3).T}
    found = read_tensors(serialise_tensors(tensors), "file")
    assert found["count"].shape == ()
    assert found["count"] == 7
    np.testing.assert_array_equal(found["turned"], tensors["turned"])


def test_nothing_is_a_file_too() -> None:
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
        (file_of(entry("a", dtype=["F32"])), "unknown dtype"),
        (file_of(entry("a", shape=[2.0, 3])), "no possible shape"),
        (file_of(entry("a", shape=[True, 6])), "no possible shape"),
        (file_of(entry("a", shape=[-2, -3])), "no possible shape"),
        (file_of(entry("a", shape=6)), "no possible shape"),
        (file_of(entry("a", shape=[6] + [1] * 40)), "no possible shape"),
        (file_of(entry("a", shape=[10**30])), "no possible shape"),
        (file_of(entry("empty", shape=[0, 2**62, 2**62])), "do not fit bytes"),
        (file_of(entry("a", shape=[2**61, 6])), "do not fit bytes"),
        (file_of(entry("a", shape=[9_999_999_999])), "do not fit bytes"),
        (file_of(entry("a", data_offsets=[0])), "no possible data_offsets"),
        (file_of(entry("a", data_offsets=[-24, 0])), "no possible data_offsets"),
        (file_of(entry("a", data_offsets=HEADER["long"]["data_offsets"])), "do not fit bytes"),
        (file_of(entry("long", shape=[3], data_offsets=[0, 24])), "begins at byte"),  # overlap
        (file_of({"bytes": HEADER["bytes"]}), "begins at byte"),  # a hole
        (file_of(HEADER, GOOD[START:] + b"more"), "there are"),
        (file_of(HEADER, GOOD[START:-1]), "there are"),
        (file_of({**HEADER, "__metadata__": {"a": 1}}), "__metadata__"),
        (file_of({**HEADER, "__metadata__": []}), "__metadata__"),
        (file_of({**HEADER, "\ud800": HEADER["empty"]}), "no name"),
        (file_of(GOOD[8:START].replace(b'"long"', b'"a"')), "'a' more than once"),
        (file_of(b'{"a":' * 50_000), "nested beyond reason"),
        (GOOD.replace(b"\x01\x00\x01", b"\x02\x00\x01"), "neither true nor false"),
    ],
    ids=range(31),
)
def test_what_is_wrong_is_said_in_one_line(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=r"damaged") as error:
        read_tensors(content, "x.safetensors")
    assert str(error.value).startswith("x.safetensors")
    assert said in str(error.value)
    assert len(str(error.value)) < 300


# ---- made up ----------------------------------------------------------------------------------

VALUES = st.sampled_from(
    [
        *(None, True, -1, 0, 1, 2, 3, 6, 24, 2**31, 2**63, 2**64, 10**30, 0.5, 1.0),
        *("", "F32", "I64", "BOOL", "a", "\ud800", {}, {"a": "b"}, {"a": 1}),
        *([], [0], [2, 3], [3, 2], [6], [0, 24], [24, 0], [0, 2**63], [[2]], [True, 2]),
        *([2.0, 3], [1] * 40, [0, 2**62, 2**62]),
    ]
)
NAMES = st.sampled_from([*HEADER, "b", "__metadata__", "", "é", "\ud800"])
FIELDS = st.sampled_from(["dtype", "shape", "data_offsets", "more"])
CHANGES = st.one_of(
    st.tuples(st.just("set"), NAMES, FIELDS, VALUES),
    st.tuples(st.just("entry"), NAMES, VALUES),
    st.tuples(st.just("drop"), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("swap"), NAMES, NAMES),
    st.tuples(st.just("turn"), NAMES),
    st.tuples(st.just("length"), st.integers(-9, 9)),
    st.tuples(st.just("data"), st.integers(-9, 9)),
    st.tuples(st.just("damage"), st.integers(0, 2**32)),
    st.tuples(st.just("damage header"), st.integers(0, 2**32)),
)


def change_header(header: dict[str, Any], what: str, *how: Any) -> None:  # noqa: ANN401 - drawn
    """Change what a header says, if it says such a thing."""
    said = header.get(how[0])
    if what == "set" and isinstance(said, dict):
        header[how[0]] = {**said, how[1]: how[2]}
    elif what == "entry":
        header[how[0]] = how[1]
    elif what == "drop":
        header.pop(how[0], None)
    elif what == "rename" and how[0] in header:
        header[how[1]] = header.pop(how[0])
    elif what == "swap" and {how[0], how[1]} <= header.keys():
        header[how[0]], header[how[1]] = header[how[1]], header[how[0]]
    elif what == "turn" and isinstance(said, dict) and isinstance(said.get("shape"), list):
        header[how[0]] = {**said, "shape": said["shape"][::-1]}


def changed(case: list[tuple[Any, ...]]) -> bytes:
    """Return the good file after these changes."""
    header, data, more = dict(HEADER), GOOD[START:], 0
    for what, *how in case:
        if what == "data":
            data = data + bytes(how[0]) if how[0] > 0 else data[: len(data) + how[0]]
        elif what == "length":
            more = how[0]
        elif not what.startswith("damage"):
            change_header(header, what, *how)
    text = json.dumps(header).encode()
    for what, *how in case:
        if what == "damage header":
            text = damage(text, random.Random(how[0]))
    whole = file_of(text, data)
    length = max(0, int.from_bytes(whole[:8], "little") + more)
    whole = length.to_bytes(8, "little") + whole[8:]
    for what, *how in case:
        if what == "damage":
            whole = damage(whole, random.Random(how[0]))
    return whole


def read_by_both(case: list[tuple[Any, ...]]) -> None:
    """Read a file; what is accepted, the package accepts, too, and reads the same."""
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
    cases = st.lists(CHANGES, min_size=1, max_size=3)
    return Fuzzer("safetensors headers", cases, read_by_both)


@pytest.mark.slow(reason="two thousand cases")
def test_two_thousand_headers() -> None:
    made_up = fuzzer()
    made_up.check(2_000)
    assert min(made_up.accepted, made_up.refused) > 300
    assert len(made_up.messages) > 20
