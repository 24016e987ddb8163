"""Files of word vectors, made up by the thousand: read as they are, or refused in one line."""

import gzip
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyword import Vectors

KINDS = ("glove.txt", "text.txt", "binary.bin", "store.safetensors")
WORDS = ("orbit", "Moon", "é", "日本", "a b", "", "x" * 300, "1.5", "nan", "\t", "5 3")
PLAIN_WORDS = ("orbit", "Moon", "é", "日本", "x" * 300, "a", "b", "c")
NUMBERS = ("nan", "inf", "-inf", "1e999", "1e-999", "x", "", "1,5", "0x10", "1_0", "--1", "9" * 400)
COUNTS = (0, 1, 2, 7, -1, 10**6, 10**9, 10**15, 10**30, "x", "", "1.0", "٣")
LISTS: tuple[Any, ...] = (
    [],
    {},
    None,
    "orbit",
    [1, 2],
    ["a", "a"],
    ["a", None],
    [["a"]],
    ["\ud800", "b"],
)
DTYPES = ("F64", "F16", "BF16", "I8", "U8", "BOOL", "I64", "F8_E4M3", "C64", "X")


def cases() -> st.SearchStrategy[dict[str, Any]]:
    """Return the makings of a file: what it holds, and what is wrong with it."""
    small = st.integers(1, 5)
    change = st.one_of(
        st.none(),
        st.tuples(st.just("count"), st.sampled_from(COUNTS)),
        st.tuples(st.just("dimensions"), st.sampled_from(COUNTS)),
        st.tuples(st.just("number"), st.sampled_from(NUMBERS)),
        st.tuples(st.just("word"), st.sampled_from(WORDS)),
        st.tuples(st.just("again"), st.none()),
        st.tuples(st.just("shorter"), st.none()),
        st.tuples(st.just("ends"), st.sampled_from(("", "\r\n", "\n\n", " \n"))),
        st.tuples(st.just("list"), st.sampled_from(LISTS)),
        st.tuples(st.just("dtype"), st.sampled_from(DTYPES)),
        st.tuples(st.just("shape"), st.lists(st.sampled_from((0, 1, 2, 3, 10**9)), max_size=3)),
        st.tuples(st.just("name"), st.sampled_from(("matrix_1", "words_1", "", "matrix_9999999"))),
        st.tuples(st.just("bytes"), st.integers(0, 10**6)),
    )
    return st.fixed_dictionaries(
        {
            "kind": st.sampled_from(KINDS),
            "words": small,
            "dimensions": st.integers(2, 4),
            "seed": st.integers(0, 10**6),
            "change": change,
            "compressed": st.booleans(),
            "vocabulary": st.booleans(),
        }
    )


def content_of(case: dict[str, Any]) -> tuple[list[str], NDArray[np.float32]]:
    matrix = np.random.default_rng(case["seed"]).normal(size=(case["words"], case["dimensions"]))
    return list(PLAIN_WORDS[: case["words"]]), matrix.astype(np.float32)


def file_of(case: dict[str, Any]) -> bytes:
    """Return the file of a case, its change made."""
    words, matrix = content_of(case)
    what, value = case["change"] or ("", None)
    if case["kind"] == "store.safetensors":
        data = store_of(words, matrix, what, value)
    else:
        data = lines_of(case["kind"], words, matrix, what, value)
    return damage(data, random.Random(value)) if what == "bytes" else data


def lines_of(
    kind: str,
    words: list[str],
    matrix: NDArray[np.float32],
    what: str,
    value: Any,  # noqa: ANN401 - of any change
) -> bytes:
    if what == "word":
        words = [value, *words[1:]]
    if what == "again":
        words, matrix = [*words, words[0]], np.concatenate([matrix, matrix[:1]])
    count = value if what == "count" else len(words)
    wide = value if what == "dimensions" else matrix.shape[1]
    header = b"" if kind == "glove.txt" else f"{count} {wide}\n".encode()
    if kind == "binary.bin":
        rows = [
            word.encode("utf-8", "surrogatepass") + b" " + struct.pack(f"<{len(row)}f", *row)
            for word, row in zip(words, matrix, strict=True)
        ]
        if what == "number":
            rows[0] = rows[0][:-4] + struct.pack("<f", float("nan" if value == "nan" else "inf"))
        return header + b"\n".join(rows)[: -1 if what == "shorter" else None]
    fields = [[word, *map(repr, row)] for word, row in zip(words, matrix.tolist(), strict=True)]
    if what == "number":
        fields[0][-1] = value
    if what == "shorter":
        fields[-1].pop()
    end = value if what == "ends" else "\n"
    text = "".join(" ".join(row) + end for row in fields)
    return header + text.encode("utf-8", "surrogatepass")


def store_of(
    words: list[str],
    matrix: NDArray[np.float32],
    what: str,
    value: Any,  # noqa: ANN401 - of any change
) -> bytes:
    listed: Any = words
    if what == "word":
        listed = [value, *words[1:]]
    if what == "again":
        listed = [words[-1], *words[1:]]
    if what == "list":
        listed = value
    if what == "number" and value in ("nan", "inf", "-inf"):
        matrix[-1, -1] = float(value)
    parts = [matrix.tobytes(), json.dumps(listed).encode()]
    ends = np.cumsum([0, *map(len, parts)]).tolist()
    shape = value if what == "shape" else list(matrix.shape)
    if what in ("count", "dimensions") and isinstance(value, int):
        shape = [value, shape[1]] if what == "count" else [shape[0], value]
    name = value if what == "name" else "matrix_0"
    dtype = value if what == "dtype" else "F32"
    head = {
        name: {"dtype": dtype, "shape": shape, "data_offsets": ends[:2]},
        "words_0": {"dtype": "U8", "shape": [len(parts[1])], "data_offsets": ends[1:]},
    }
    header = json.dumps(head).encode()
    size = 10**12 if what == "shorter" else len(header)
    return struct.pack("<Q", size) + header + b"".join(parts)


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of vector files, which works in a folder."""

    def load(case: dict[str, Any]) -> None:
        data, name = file_of(case), case["kind"]
        if case["compressed"] and name != "store.safetensors":
            data, name = gzip.compress(data, 1), f"{name}.gz"
        (folder / name).write_bytes(data)
        wanted = list(PLAIN_WORDS) if case["vocabulary"] else None
        vectors = Vectors.load(folder / name, vocabulary=wanted)
        words, matrix = content_of(case)
        if case["change"] is None:
            assert vectors.words == words
            np.testing.assert_array_equal(vectors.rows(words), matrix)
        ((names, rows),) = vectors.tables
        assert len(set(names)) == len(names) == len(rows)
        assert np.isfinite(rows).all()
        if names:
            assert len(vectors.nearest(names[0], top=3)) < len(names)

    return Fuzzer("vector files", cases(), load)


@pytest.mark.slow(reason="two thousand files")
def test_vector_files(tmp_path: Path) -> None:
    fuzz = fuzzer(tmp_path)
    fuzz.check(2_000)
    assert fuzz.accepted > 400
    assert fuzz.refused > 400


def test_undamaged_files_are_read_as_they_are(tmp_path: Path) -> None:
    fuzz = fuzzer(tmp_path)
    for kind in KINDS:
        for compressed in (False, True):
            case = {
                "kind": kind,
                "words": 5,
                "dimensions": 3,
                "seed": 1,
                "change": None,
                "compressed": compressed,
                "vocabulary": False,
            }
            fuzz.try_one(case)
    assert (fuzz.accepted, fuzz.refused) == (2 * len(KINDS), 0)


def test_a_line_without_an_end_takes_little_room(tmp_path: Path) -> None:
    """Compressed it is a few hundred kilobytes."""
    path = tmp_path / "bomb.txt.gz"
    with gzip.open(path, "wb", 1) as stream:
        stream.write(b"a 1.0 2.0\n")
        for _ in range(100):
            stream.write(b"1" * (1 << 20))

    def load(_: object) -> None:
        Vectors.load(path)

    fuzz = Fuzzer("a bomb", st.just(0), load)
    fuzz.try_one(0)
    assert fuzz.refused == 1
    assert fuzz.growth < 100 << 20
