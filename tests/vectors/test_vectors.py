from pathlib import Path

import numpy as np
import pytest
from oracle import cosine

from whyword import InputError, Vectors
from whyword.vectors import vectors as module

RANDOM = np.random.default_rng(0)


def some(words: str, dimensions: int = 3) -> Vectors:
    names = words.split()
    return Vectors(names, RANDOM.normal(size=(len(names), dimensions)).astype(np.float32))


def test_exact_form_then_lower_case_then_zero() -> None:
    vectors = some("Moon moon sun")
    rows = vectors.rows(["Moon", "MOON", "Sun", "Saturn"])
    np.testing.assert_array_equal(rows[0], vectors["Moon"])
    np.testing.assert_array_equal(rows[1], vectors["moon"])
    np.testing.assert_array_equal(rows[2], vectors["sun"])
    np.testing.assert_array_equal(rows[3], np.zeros(3))
    assert vectors.known(["MOON", "Saturn"]).tolist() == [True, False]
    assert "Saturn" not in vectors
    assert vectors.rows([]).shape == (0, 3)
    assert vectors.places([]).shape == (0, 1)


def test_a_stack_looks_up_each_part_by_itself() -> None:
    a, b = some("nasa moon", 2), some("NASA moon mars", 3)
    stacked = Vectors.stack(a, b)
    assert stacked.dimensions == 5
    assert stacked.words == ["nasa", "moon", "NASA", "mars"]

    def unit(vector: np.ndarray) -> np.ndarray:
        norm = np.linalg.norm(vector)
        return vector / norm if norm else vector

    for word in ("NASA", "nasa", "Nasa", "Moon", "mars", "pluto"):
        expected = np.concatenate([unit(a[word]), unit(b[word])])
        np.testing.assert_allclose(stacked[word], expected, atol=1e-6)


def test_a_stack_of_stacks_and_zero_rows() -> None:
    zero = Vectors(["a", "b"], np.zeros((2, 2), np.float32))
    stacked = Vectors.stack(Vectors.stack(zero, some("a")), some("b", 4))
    assert stacked.dimensions == 9
    assert np.isfinite(stacked.rows(["a", "b"])).all()
    with pytest.raises(InputError, match="one or more Vectors"):
        Vectors.stack()


@pytest.mark.parametrize("stacked", [False, True])
def test_nearest_is_the_cosine(stacked: bool) -> None:
    vectors = some("a b c d e f", 4)
    if stacked:
        vectors = Vectors.stack(vectors, some("b c d g h", 3))
    for word in ("a", "b", "A"):
        neighbours = vectors.nearest(word, top=4)
        expected = sorted(
            (-cosine(vectors[word].astype(float), vectors[other].astype(float)), other)
            for other in vectors.words
            if other != word.lower()
        )[:4]
        assert [neighbour.word for neighbour in neighbours] == [other for _, other in expected]
        np.testing.assert_allclose(
            [neighbour.similarity for neighbour in neighbours],
            [-similarity for similarity, _ in expected],
            atol=1e-6,
        )
    with pytest.raises(InputError, match="'zebra' has no vector"):
        vectors.nearest("zebra")


@pytest.mark.parametrize("scale", [1e-45, 1e-38, 1e-20, 1e6])
def test_nearest_of_vectors_of_any_length(scale: float) -> None:
    rows = np.array([[1, 0], [1, 1], [0, 1], [-1, 0], [0, 0]], np.float64)
    matrix = (rows * scale).astype(np.float32)
    assert matrix.any()
    vectors = Vectors(list("abcde"), matrix)
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


def test_shown_in_one_line() -> None:
    assert repr(some("a b")) == "Vectors(2 words, 3 dimensions)"


def test_restrict() -> None:
    vectors = Vectors.stack(some("a B c"), some("b c"))
    small = vectors.restrict({"B", "zebra"})
    assert small.words == ["B", "b"]
    np.testing.assert_array_equal(small["B"], vectors["B"])


def test_save_and_load(tmp_path: Path) -> None:
    vectors = Vectors.stack(some("a b\u2028 naïve", 2), some("b c"))
    path = tmp_path / "v.safetensors"
    vectors.save(path)
    again = Vectors.load(path)
    assert again.words == vectors.words
    np.testing.assert_array_equal(again.rows(again.words), vectors.rows(vectors.words))
    assert [file.name for file in tmp_path.iterdir()] == ["v.safetensors"]
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(InputError, match="damaged"):
        Vectors.load(path)
    with pytest.raises(InputError, match=r"saved as \.safetensors"):
        vectors.save(tmp_path / "v.bin")


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="words and matrix differ in length: 1 ≠"):
        Vectors(["a"], np.zeros((2, 3), np.float32))
    with pytest.raises(InputError, match="1 words occur more than once"):
        Vectors(["a", "a"], np.zeros((2, 3), np.float32))
    with pytest.raises(InputError, match="no such file, nor one of the packages glove-6b-50d"):
        Vectors.load("glove")
    with pytest.raises(InputError, match="induce=True needs the training texts"):
        Vectors.load("glove-6b-50d", induce=True)
    with pytest.raises(InputError, match="the vector of 'b' has NaN"):
        Vectors(["a", "b"], np.array([[0, 1], [0, np.nan]], np.float32))
    with pytest.raises(InputError, match="words: item 1 must be a str, not bytes"):
        Vectors(["a", b"b"], np.zeros((2, 3), np.float32))  # type: ignore[list-item]
    with pytest.raises(InputError, match="one or more Vectors"):
        Vectors.stack([some("a"), some("b")])  # type: ignore[arg-type]
    for function in (some("a").coverage, some("a").missing, some("a").induce, Vectors.train_cbow):
        with pytest.raises(InputError, match="not one string"):
            function("one text")
    for window in (0, -(10**7), 2**62, 2.5):
        with pytest.raises(InputError, match="window must be a whole number"):
            some("a").induce(["a b"], window=window)  # type: ignore[arg-type]
    path = tmp_path / "v"
    path.write_text("a 1 2\n")
    with pytest.raises(InputError, match="vocabulary must be a list of strings, not one string"):
        Vectors.load(path, vocabulary="abc")


@pytest.mark.real
def test_glove() -> None:
    vectors = Vectors.load("glove-6b-50d")
    assert (len(vectors), vectors.dimensions) == (400_000, 50)
    assert "spacecraft" in [near.word for near in vectors.nearest("orbit")]
    few = Vectors.load("glove-6b-50d", vocabulary=["Orbit", "NASA", "zzzzq"])
    assert few.words == ["nasa", "orbit"]
    np.testing.assert_array_equal(few["NASA"], vectors["nasa"])


def test_weighted_parts_are_standardised() -> None:
    random = np.random.default_rng(0)
    first = Vectors(["a", "b", "c", "d"], random.normal(3, 2, (4, 5)).astype(np.float32))
    second = Vectors(["a", "x", "y"], random.normal(-1, 0.1, (3, 8)).astype(np.float32))
    stacked = Vectors.stack(first, second, weights=(0.25, 1))
    (_, left), (_, right) = stacked.tables
    np.testing.assert_allclose(np.linalg.norm(left, axis=1), 0.25 * 5**0.5, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(right, axis=1), 8**0.5, rtol=1e-5)
    matrix = first.tables[0][1].astype(np.float64)
    expected = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    expected *= 0.25 * 5**0.5 / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(left, expected, atol=1e-5)
    assert not stacked.rows(["b"])[0, 5:].any()  # unknown to the second: its middle
    constant = Vectors(["a", "b"], np.ones((2, 3), np.float32))
    assert not np.isnan(Vectors.stack(constant, weights=[1]).rows(["a"])).any()
    with pytest.raises(InputError, match="weights and parts differ in length: 1 ≠ 2"):
        Vectors.stack(first, second, weights=[1])
    with pytest.raises(InputError, match="weights must be above 0"):
        Vectors.stack(first, weights=[0])


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
    assert size_of_glove(20, 4) == pytest.approx(1)
    assert size_of_glove(200, 4) == pytest.approx(0.25)
