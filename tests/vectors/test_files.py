"""Files of word vectors: word2vec and GloVe are read, anything else is one clear error."""

import gzip
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from fuzzing import Fuzzer, damage
from gensim.models import KeyedVectors
from hypothesis import strategies as st

from whyword import InputError, Vectors
from whyword.vectors.files import read_vector_file

Write = Callable[[str, "str | bytes"], Path]

WORDS = ["the", "Moon", "moon", "naïve", "月"]
MATRIX = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)


def binary(
    words: Sequence[str] = WORDS, newline: bytes = b"\n", header: str | None = None
) -> bytes:
    head = (header or f"{len(words)} 4") + "\n"
    records = (
        word.encode() + b" " + row.tobytes() + newline
        for word, row in zip(words, MATRIX[np.arange(len(words)) % 5], strict=True)
    )
    return head.encode() + b"".join(records)


def text(header: bool = True, end: str = "\n", words: Sequence[str] = WORDS) -> str:
    lines = [
        " ".join([word, *(repr(float(x)) for x in row)])
        for word, row in zip(words, MATRIX[np.arange(len(words)) % 5], strict=True)
    ]
    return end.join([f"{len(words)} 4", *lines] if header else lines) + end


@pytest.mark.parametrize(
    "content",
    [binary(), binary(newline=b""), text(), text(end=" \n"), text(header=False)],
    ids=["binary", "binary without newlines", "text", "trailing spaces", "glove"],
)
def test_formats(write: Write, content: str | bytes) -> None:
    for name in ("v.txt.gz", "no-ending"):  # the content decides
        words, matrix = read_vector_file(write(name, content))
        assert words == WORDS
        np.testing.assert_array_equal(matrix, MATRIX)
        assert matrix.dtype == np.float32


@pytest.mark.parametrize("is_binary", [True, False])
def test_equal_to_gensim(tmp_path: Path, is_binary: bool) -> None:
    theirs = KeyedVectors(4)
    theirs.add_vectors(WORDS, MATRIX)
    path = tmp_path / "v"
    theirs.save_word2vec_format(path, binary=is_binary)
    words, matrix = read_vector_file(path)
    read = KeyedVectors.load_word2vec_format(path, binary=is_binary)
    assert words == read.index_to_key
    np.testing.assert_array_equal(matrix, read.vectors)


@pytest.mark.parametrize("content", [binary(), text(), text(header=False)])
def test_a_vocabulary_keeps_exact_and_lower_cased_forms(write: Write, content: str | bytes) -> None:
    words, matrix = read_vector_file(write("v", content), {"Moon", "THE", "sun"})
    assert words == ["the", "Moon", "moon"]
    np.testing.assert_array_equal(matrix, MATRIX[:3])
    assert read_vector_file(write("v", content), {"nothing"})[0] == []


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffa 1 2\nb 3 4\n",
        "\ufeff2 2\na 1 2\nb 3 4\n",
        "2 2\n\na 1 2\n\nb 3 4\n",
        "a  1  2\nb\t3\t4\n",
        "a 1 2\r\nb 3 4\r\n",
    ],
)
def test_harmless_oddities(write: Write, content: str) -> None:
    words, matrix = read_vector_file(write("v", content))
    assert words == ["a", "b"]
    assert matrix.tolist() == [[1, 2], [3, 4]]


def test_long_lines_and_words_with_spaces(write: Write) -> None:
    numbers = " ".join(["0.1234"] * 20_000)
    assert read_vector_file(write("v", f"a {numbers}\nb {numbers}\n"))[1].shape == (2, 20_000)
    words, matrix = read_vector_file(write("v", "a 1 2\n. . . 3 4\n"))
    assert words == ["a", ". . ."]
    assert matrix.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x80\x04\x95pickle", "not a word2vec or GloVe file"),
        (b"hello world how are you\n", "not a word2vec or GloVe file"),
        (b"0 4\n", "the header promises 0 words"),
        (binary()[:-3], "cut off|but the file has"),
        (binary()[:40], "the header promises 5 words of 4 numbers, at least 90 bytes|cut off"),
        (binary(header="4 4"), "more data than the header promises"),
        (binary(header="6 4"), "at least 108 bytes|cut off"),
        (binary(header="99999999999 300"), "the header promises 99,999,999,999 words"),
        (binary(header="5 3"), "more data|not UTF-8|cut off|NaN|second time"),
        (binary(["a", "b", "a"]), "record 3: the word 'a' for the second time"),
        (text().replace("5 4", "6 4", 1).encode(), "promises 6 words, but the file has 5"),
        (text(words=["a", "b", "a"]).encode(), "record 3: the word 'a' for the second time"),
        (b"a 1 2\nb 1\n", "record 2: 1 numbers instead of 2; cut off?"),
        (b"a 1 2\nb 1 x\n", "record 2: after 'b' not 2 numbers"),
        (b"2 3\nthe 0.1 x 0.3\nof 0.3 0.4 0.5\n", "record 1: after 'the' not 3 numbers"),
        (b"2 5\na 1 2 3\nb 1 2 3\n", "record 1: 3 numbers instead of 5; cut off?"),
        (b"2 2\na 1 2 3\nb 1 2 3\n", "record 1: more than 2 numbers after 'a 1'"),
        (b"a 1 2 3\nb 1 2 3 4\n", "record 2: more than 3 numbers after 'b 1'"),
        (b"a 1 2 3 4\nb    5\n", "record 2: 1 numbers instead of 4|not 4 numbers"),
        (b"-3 3\nthe 1 2 3\n", "not a word2vec or GloVe file"),
        (b"Error 404\nNot found here 404\n", "not a word2vec or GloVe file"),
        (b"2 2\na 1 2\nb 1 2.7", "record 2: the last line has no end"),
        (b"9" * 5000 + b" 3\n", "not a word2vec or GloVe file"),
        (b"2 999999999\na 1\n", "the header promises 2 words of 999,999,999 numbers"),
        (b"a 1 2\nb 1 1e39\n", "record 2: the vector of 'b' has NaN or infinite"),
        (b"a 1 2\nb 1 nan\n", "record 2: the vector of 'b' has NaN"),
        (b"a 1 2\n\xff 1 2\n", "record 2: the word .* is not UTF-8"),
    ],
)
def test_bad_files(write: Write, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_vector_file(write("v.bin", content))
    assert "\n" not in str(caught.value)


def test_duplicates_can_be_allowed(write: Write) -> None:
    path = write("v", text(words=["a", "b", "a"]))
    words, matrix = read_vector_file(path, duplicates="first")
    assert words == ["a", "b"]
    np.testing.assert_array_equal(matrix, MATRIX[:2])
    with pytest.raises(InputError, match="duplicates may be"):
        read_vector_file(path, duplicates="last")


def test_damaged_gzip_and_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(binary())[:-5])
    with pytest.raises(InputError, match="gzip"):
        read_vector_file(path)
    with pytest.raises(InputError, match="no such file"):
        Vectors.load(tmp_path / "none")


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of vector files, good ones and damaged ones, which works in a folder."""
    goods = [binary(), binary(newline=b""), text().encode(), text(header=False).encode()]
    seeds = st.lists(st.integers(0, 1 << 32), max_size=2)

    def load(case: tuple[bytes, list[int], bool, bool]) -> None:
        good, seeds, packed, restricted = case
        data = good
        for seed in seeds:
            data = damage(data, random.Random(seed))
        path = folder / ("v.gz" if packed else "v")
        path.write_bytes(gzip.compress(data, 1) if packed else data)
        vectors = Vectors.load(path, vocabulary=WORDS if restricted else None)
        ((names, rows),) = vectors.tables
        assert len(set(names)) == len(names) == len(rows)
        assert np.isfinite(rows).all()
        assert data != good or names == WORDS

    cases = st.tuples(st.sampled_from(goods), seeds, st.booleans(), st.booleans())
    return Fuzzer("vector files", cases, load)


@pytest.mark.parametrize(
    "count", [100, pytest.param(2_000, marks=pytest.mark.nightly(reason="long fuzzing"))]
)
def test_damaged_files_are_read_or_refused(tmp_path: Path, count: int) -> None:
    fuzz = fuzzer(tmp_path)
    fuzz.check(count)
    assert min(fuzz.accepted, fuzz.refused) > count // 10


def test_a_line_without_an_end_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"  # a few hundred kilobytes
    with gzip.open(path, "wb", 1) as stream:
        stream.write(b"a 1.0 2.0\n")
        for _ in range(100):
            stream.write(b"1" * (1 << 20))
    fuzz = Fuzzer("a bomb", st.just(0), lambda _: Vectors.load(path))
    fuzz.try_one(0)
    assert fuzz.refused == 1
    assert fuzz.growth < 100 << 20
