"""One table of words: looking up, rows made comparable."""

import numpy as np

from whyword.vectors.table import WordTable, unfit_numbers


def made(words: str, dimensions: int = 3) -> WordTable:
    names = words.split()
    matrix = np.random.default_rng(0).normal(3, 2, (len(names), dimensions)).astype(np.float32)
    return WordTable(names, matrix)


def test_short_and_long_questions_have_the_same_answers() -> None:
    table = made("a B c d")
    words = ["A", "b", "B", "zebra", "d"]
    expected = [0, -1, 1, -1, 3]
    for _ in range(6):  # first by going through the words, then by the index
        assert table.rows(words).tolist() == expected
    assert made("a B c d").rows(words * 500).tolist() == expected * 500
    assert made("a").rows([]).shape == (0,)


def test_unit_rows() -> None:
    table = made("a b c")
    table.matrix[1] = 0
    unit = table.unit()
    assert unit.words == table.words
    assert unit.matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(unit.matrix, axis=1), [1, 0, 1], rtol=1e-6)
    np.testing.assert_allclose(unit.matrix[0], table.matrix[0] / np.linalg.norm(table.matrix[0]))


def test_standardised_rows_have_the_size_asked_for() -> None:
    table = made("a b c d", 5)
    standard = table.standardise(0.25)
    matrix = table.matrix.astype(np.float64)
    expected = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    expected *= 0.25 * 5**0.5 / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(standard.matrix, expected, atol=1e-5)
    constant = WordTable(["a", "b"], np.ones((2, 3), np.float32))
    assert not constant.standardise(1).matrix.any()


def test_numbers_that_no_vector_has() -> None:
    assert unfit_numbers(np.array([1e18, -1e18, 0], np.float32)) is None
    assert unfit_numbers(np.array([1e19, 0], np.float32)) == "numbers beyond ±1e+18"
    assert unfit_numbers(np.array([1e19, np.nan], np.float32)) == "NaN or infinite numbers"
    assert unfit_numbers(np.array([[1, -np.inf]], np.float32)) == "NaN or infinite numbers"
