"""Word vectors: look-up, stacking, neighbors, coverage, saved files."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import cosine
from safetensors.numpy import save

from whyword import InputError, Vectors
from whyword.vectors import vectors as module
from whyword.vectors.store import read_store, write_store
from whyword.vectors.table import WordTable


def some(words: str, dimensions: int = 3) -> Vectors:
    names = words.split()
    random = np.random.default_rng(dimensions + len(names))
    return Vectors(names, random.normal(size=(len(names), dimensions)).astype(np.float32))


def test_exact_form_then_lower_case_then_zero() -> None:
    vectors = some("Moon moon sun")
    rows = vectors.rows(["Moon", "MOON", "Sun", "Saturn"])
    expected = [vectors["Moon"], vectors["moon"], vectors["sun"], np.zeros(3)]
    np.testing.assert_array_equal(rows, expected)
    assert vectors.known(["MOON", "Saturn"]).tolist() == [True, False]
    assert "Saturn" not in vectors
    assert vectors.rows([]).shape == (0, 3)
    assert vectors.places([]).shape == (0, 1)
    assert repr(vectors) == "Vectors(3 words, 3 dimensions)"


def test_short_and_long_look_ups_agree() -> None:
    def table() -> WordTable:
        return WordTable(["a", "B", "c", "d"], np.zeros((4, 1), np.float32))

    words, expected = ["A", "b", "B", "zebra", "d"], [0, -1, 1, -1, 3]
    once = table()
    for _ in range(6):  # first by going through the words, then by the index
        assert once.rows(words).tolist() == expected
    assert table().rows(words * 500).tolist() == expected * 500


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / (np.linalg.norm(vector) or 1)


def test_a_stack_looks_up_each_part_by_itself() -> None:
    a, b = some("nasa moon", 2), some("NASA moon mars", 3)
    stacked = Vectors.stack(a, b)
    assert stacked.dimensions == 5
    assert stacked.words == ["nasa", "moon", "NASA", "mars"]
    for word in ("NASA", "nasa", "Nasa", "Moon", "mars", "pluto"):
        expected = np.concatenate([unit(a[word]), unit(b[word])])
        np.testing.assert_allclose(stacked[word], expected, atol=1e-6)
    assert stacked.has_keys
    keys = stacked.keys(["NASA", "mars", "pluto"])
    assert keys.tolist() == [1 * 4 + 1, 3, 0]
    np.testing.assert_array_equal(stacked.rows_of(keys), stacked.rows(["NASA", "mars", "pluto"]))
    zero = Vectors(["a", "b"], np.zeros((2, 2), np.float32))
    nested = Vectors.stack(Vectors.stack(zero, some("a")), some("b", 4))
    assert nested.dimensions == 9
    assert np.isfinite(nested.rows(["a", "b"])).all()
    small = stacked.restrict({"NASA", "zebra"})
    assert small.words == ["nasa", "NASA"]
    np.testing.assert_array_equal(small["NASA"], stacked["NASA"])


def test_weighted_parts_are_standardized() -> None:
    random = np.random.default_rng(0)
    first = Vectors(["a", "b", "c", "d"], random.normal(3, 2, (4, 5)).astype(np.float32))
    second = Vectors(["a", "x", "y"], random.normal(-1, 0.1, (3, 8)).astype(np.float32))
    stacked = Vectors.stack(first, second, weights=(0.25, 1))
    (_, left), (_, right) = stacked.tables
    np.testing.assert_allclose(np.linalg.norm(right, axis=1), 8**0.5, rtol=1e-5)
    matrix = first.tables[0][1].astype(np.float64)
    expected = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    expected *= 0.25 * 5**0.5 / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(left, expected, atol=1e-5)
    assert not stacked.rows(["b"])[0, 5:].any()  # unknown to the second: its middle
    constant = Vectors(["a", "b"], np.ones((2, 3), np.float32))
    assert not Vectors.stack(constant, weights=[1]).rows(["a"]).any()
    with pytest.raises(InputError, match="weights and parts differ in length: 1 ≠ 2"):
        Vectors.stack(first, second, weights=[1])
    with pytest.raises(InputError, match="weights must be above 0"):
        Vectors.stack(first, weights=[0])


@pytest.mark.parametrize("stacked", [False, True])
def test_nearest_is_the_cosine(stacked: bool) -> None:
    vectors = some("a b c d e f", 4)
    if stacked:
        vectors = Vectors.stack(vectors, some("b c d g h", 3))
    for word in ("a", "b", "A"):
        expected = sorted(
            (-cosine(vectors[word].astype(float), vectors[other].astype(float)), other)
            for other in vectors.words
            if other != word.lower()
        )[:4]
        found = vectors.nearest(word, top=4)
        assert [near.word for near in found] == [other for _, other in expected]
        similarities = [near.similarity for near in found]
        np.testing.assert_allclose(similarities, [-value for value, _ in expected], atol=1e-6)
    with pytest.raises(InputError, match="'zebra' has no vector"):
        vectors.nearest("zebra")


@pytest.mark.parametrize("scale", [1e-45, 1e-20, 1e6])
def test_nearest_of_vectors_of_any_length(scale: float) -> None:
    rows = np.array([[1, 0], [1, 1], [0, 1], [-1, 0], [0, 0]], np.float64)
    vectors = Vectors(list("abcde"), (rows * scale).astype(np.float32))
    found = {near.word: near.similarity for near in vectors.nearest("a")}
    expected = {"b": np.sqrt(0.5), "c": 0, "d": -1, "e": 0}
    assert found == {word: pytest.approx(value, abs=1e-6) for word, value in expected.items()}
    assert {near.similarity for near in vectors.nearest("e")} == {0.0}  # it has no direction


def test_coverage() -> None:
    vectors = some("the moon")
    texts = ["The moon. The unknown moon!", "unknown Pluto"]
    assert vectors.coverage(texts) == pytest.approx(4 / 7)
    assert vectors.missing(texts) == [("unknown", 2), ("Pluto", 1)]
    assert vectors.missing(texts, top=1) == [("unknown", 2)]
    assert np.isnan(vectors.coverage([]))


def test_a_vocabulary_may_be_a_generator(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("the 1 2\nParis 3 4\nparis 5 6\n")
    wanted = ["The", "PARIS"]
    assert Vectors.load(path, vocabulary=iter(wanted)).words == ["the", "paris"]
    assert Vectors.load(path).restrict(iter(wanted)).words == ["the", "paris"]
    assert Vectors.load(path, vocabulary=["zebra"]).dimensions == 2
    with pytest.raises(InputError, match="vocabulary must be a list of strings, not one string"):
        Vectors.load(path, vocabulary="abc")


def test_the_more_text_the_less_glove(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    glove = Vectors(["moon", "shot"], np.eye(2, 50, dtype=np.float32))
    monkeypatch.setattr(Vectors, "load", lambda name: glove)

    def size_of_glove(times: int, epochs: int) -> float:
        vectors = Vectors.for_texts(["the moon shot the moon"] * times, epochs=epochs, seed=3)
        (_, left), (_, right) = vectors.tables
        np.testing.assert_allclose(np.linalg.norm(right, axis=1), 300**0.5, rtol=1e-5)
        return float(np.linalg.norm(left[0]) / 50**0.5)

    assert size_of_glove(20, 1) == pytest.approx(2.5)
    monkeypatch.setattr(module, "_TRAINED_WORDS", 400)
    assert size_of_glove(20, 2) == pytest.approx(2)
    assert size_of_glove(200, 4) == pytest.approx(0.25)


def test_bad_arguments() -> None:
    for words, matrix, said in (
        (["a"], np.zeros((2, 3)), "words and matrix differ in length: 1 ≠"),
        (["a", "a"], np.zeros((2, 3)), "1 words occur more than once"),
        (["a", "b"], [[0, 1], [0, np.nan]], "the vector of 'b' has NaN"),
        (["a", "b"], [[1e18, -1e18], [0, 1e19]], r"the vector of 'b' has numbers beyond ±1e\+18"),
        (["a"], [["x"]], "matrix must be numbers"),
        (["a", b"b"], np.zeros((2, 3)), "words: item 1 must be a str, not bytes"),
    ):
        with pytest.raises(InputError, match=said):
            Vectors(words, matrix)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no such file, nor one of the packages glove-6b-50d"):
        Vectors.load("glove")
    with pytest.raises(InputError, match="induce=True needs the training texts"):
        Vectors.load("glove-6b-50d", induce=True)
    for parts in ((), ([some("a"), some("b")],)):
        with pytest.raises(InputError, match="one or more Vectors"):
            Vectors.stack(*parts)
    for function in (some("a").coverage, some("a").missing, some("a").induce, Vectors.train_cbow):
        with pytest.raises(InputError, match="not one string"):
            function("one text")
    for window in (0, -(10**7), 2**62, 2.5):
        with pytest.raises(InputError, match="window must be a whole number"):
            some("a").induce(["a b"], window=window)  # type: ignore[arg-type]


# ---- saved files ------------------------------------------------------------------------------


def test_save_and_load(tmp_path: Path) -> None:
    vectors = Vectors.stack(some("a b\u2028 naïve", 2), some("b c"))
    path = tmp_path / "v.safetensors"
    vectors.save(path)
    again = Vectors.load(path)
    assert again.words == vectors.words
    np.testing.assert_array_equal(again.rows(again.words), vectors.rows(vectors.words))
    assert [file.name for file in tmp_path.iterdir()] == ["v.safetensors"]
    with pytest.raises(InputError, match=r"saved as \.safetensors"):
        vectors.save(tmp_path / "v.bin")
    write_store(path, [(["b\n"], np.ones((1, 2), np.float32)), ([], np.ones((0, 4), np.float32))])
    (words, matrix), (no_words, no_matrix) = read_store(path)
    assert (words, matrix.tolist(), no_words, no_matrix.shape) == (["b\n"], [[1, 1]], [], (0, 4))


def stored(words: str, matrix: NDArray[np.float32]) -> bytes:
    return save({"matrix_0": matrix, "words_0": np.frombuffer(words.encode(), np.uint8)})


ROWS = np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"garbage", "damaged or not a file of word vectors"),
        (b"\x08\0\0\0\0\0\0\0{}      ", "damaged or not a file of word vectors"),
        (stored('["a", "b"]', ROWS)[:-7], "damaged or not a file of word vectors"),
        (save({"x": np.zeros(2)}), "damaged or not a file of word vectors"),
        (stored('["a"]', ROWS), "words and matrix differ in length"),
        (stored('["a", "a"]', ROWS), "1 words occur more than once"),
        (stored('["a", 5]', ROWS), "item 1 must be a str"),
        (stored("5", ROWS), "words must be a list of strings"),
        (stored('["a", "b"]', ROWS[0]), r"the vectors are float32 of shape \(3,\)"),
        (stored('["a", "b"]', ROWS.astype(np.float16)), "the vectors are float16"),
        (stored('["a", "b"]', ROWS + np.nan), "the vector of 'a' has NaN"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "v.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        Vectors.load(path)
    with pytest.raises(InputError, match="no such file"):
        Vectors.load(tmp_path / "none.safetensors")
