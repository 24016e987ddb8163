import gzip
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
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
@pytest.mark.parametrize("name", ["v.bin", "v.txt.gz", "no-ending"])
def test_formats(write: Write, name: str, content: str | bytes) -> None:
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


def test_a_very_long_first_line(write: Write) -> None:
    numbers = " ".join(["0.1234"] * 20_000)
    assert read_vector_file(write("v", f"a {numbers}\nb {numbers}\n"))[1].shape == (2, 20_000)


def test_words_with_spaces_in_glove_files(write: Write) -> None:
    words, matrix = read_vector_file(write("v", "a 1 2\n. . . 3 4\n"))
    assert words == ["a", ". . ."]
    assert matrix.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
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
        (text().replace("5 4", "3 4", 1).encode(), "promises 3 words, but the file has 5"),
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
        (b"a 1 2\nb 1 2.7", "record 2: the last line has no end"),
        (b"9" * 5000 + b" 3\n", "not a word2vec or GloVe file"),
        (b"2 999999999\na 1\n", "the header promises 2 words of 999,999,999 numbers"),
        (b"a 1 2\nb 1 1e39\n", "record 2: the vector of 'b' has NaN or infinite"),
        (b"a 1 2\nb 1 nan\n", "record 2: the vector of 'b' has NaN"),
        (b"a 1 2\n\xff 1 2\n", "record 2: the word .* is not UTF-8"),
    ],
)
@pytest.mark.parametrize("name", ["v.bin", "v.bin.gz"])
def test_bad_files(write: Write, name: str, content: bytes, message: str) -> None:
    path = write(name, content)
    if name.endswith(".gz"):
        message = message.replace("at least", "(at least)?") + "|cut off|does not fit"
    with pytest.raises(InputError, match=message) as caught:
        read_vector_file(path)
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


@given(content=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "v"
    path.write_bytes(content)
    try:
        words, matrix = read_vector_file(path)
    except InputError:
        return
    assert len(words) == len(matrix)
    assert np.isfinite(matrix).all()


@given(at=st.integers(0, 200), damage=st.binary(min_size=1, max_size=4))
def test_damaged_binary_files(
    at: int, damage: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "v"
    whole = bytearray(binary())
    whole[at : at + len(damage)] = damage
    path.write_bytes(whole)
    try:
        words, _ = read_vector_file(path)
    except InputError:
        return
    assert len(words) <= 9


@pytest.mark.slow(reason="half a second and more")
def test_memory_is_that_of_the_words_wanted(tmp_path: Path) -> None:
    """A miniature of benchmarks/vector_memory.py: 60 MB of which 1 % is wanted."""
    path, count, dimensions = tmp_path / "v.bin", 50_000, 300
    row = np.ones(dimensions, np.float32).tobytes()
    with path.open("wb") as stream:
        stream.write(f"{count} {dimensions}\n".encode())
        stream.writelines(b"word%d %s\n" % (number, row) for number in range(count))
    vocabulary = [f"word{number}" for number in range(0, count, 100)]
    tracemalloc.start()
    words, _ = read_vector_file(path, vocabulary)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert words == vocabulary
    assert peak < 25e6  # the rows wanted (0.6 MB) and a few blocks of 4 MiB
