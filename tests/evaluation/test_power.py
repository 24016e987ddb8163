"""The explanatory power index against its definition and against scikit-learn."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

from whyword import CNNClassifier, Corpus, InputError, explanatory_power, summarize
from whyword.evaluation.neighbour_kernels import predicted_by_count
from whyword.evaluation.neighbours import nearest_neighbours, unit_vectors


@settings(max_examples=60)
@given(
    count=st.integers(4, 30),
    classes=st.integers(1, 5),
    small=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_equals_the_definition(count: int, classes: int, small: bool, seed: int) -> None:
    """Ties of distances (whole numbers along the axes) and of votes, zero vectors, rare classes."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count, 4))
    if small:
        vectors = np.eye(4)[random.integers(0, 4, count)] * random.integers(0, 3, (count, 1))
    labels = random.integers(0, classes, count).tolist()
    most = count // 2
    power = explanatory_power(vectors, labels, 3, range(1, most + 1), seed=seed)
    splits = [(train.tolist(), test.tolist()) for train, test in power.splits]
    expected = oracle.explanatory_power(vectors, labels, splits, most)
    np.testing.assert_allclose(power.accuracies, expected, atol=1e-12)
    assert power.epi == pytest.approx(power.curve.max(), abs=1e-12)
    assert power.k == 1 + int(np.argmax(expected.mean(axis=0).round(12)))
    sparse = explanatory_power(csr_matrix(vectors), labels, 3, range(1, most + 1), seed=seed)
    np.testing.assert_allclose(sparse.accuracies, expected, atol=1e-12)


def test_equals_scikit_learn_where_nothing_ties() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(400, 12))
    labels = np.array([f"class {n}" for n in random.integers(0, 6, 400)])
    vectors[:, 0] += 3 * (labels == "class 2")
    power = explanatory_power(vectors, labels, 4)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for number, (train, test) in enumerate(power.splits):
        for k in (1, 2, 5, 17, 30):
            theirs = KNeighborsClassifier(k, algorithm="brute").fit(units[train], labels[train])
            assert theirs.score(units[test], labels[test]) == pytest.approx(
                power.accuracies[number, k - 1], abs=1e-12
            )


def test_the_splits_are_halves_by_the_seed() -> None:
    vectors, labels = np.random.default_rng(0).normal(size=(41, 3)), [0, 1] * 20 + [0]
    power = explanatory_power(vectors, labels, neighbours=[3, 1], seed=5)
    assert power.neighbours.tolist() == [1, 3]
    assert power.accuracies.shape == (10, 2)
    for train, test in power.splits:
        assert (len(train), len(test)) == (21, 20)
        assert sorted([*train, *test]) == list(range(41))
    again = explanatory_power(vectors * 7, labels, neighbours=[1, 3], seed=5)
    np.testing.assert_array_equal(again.accuracies, power.accuracies)
    other = explanatory_power(vectors, labels, neighbours=[1, 3], seed=6)
    assert not np.array_equal(other.splits[0][0], power.splits[0][0])


def test_given_splits() -> None:
    vectors = np.eye(4)[[0, 0, 1, 1, 2, 2]]
    splits = [([0, 2, 4], [1, 3, 5]), (np.array([5, 3, 1]), [0])]
    power = explanatory_power(vectors, list("aabbcc"), splits, [1])
    assert power.accuracies.tolist() == [[1.0], [1.0]]
    assert power.splits[1][0].tolist() == [1, 3, 5]


def test_constant_vectors_go_by_their_order() -> None:
    labels = [0] * 10 + [1] * 10
    splits = [([1, 2, 12], [0, 11])]
    for vectors in (np.ones((20, 3)), np.zeros((20, 3)), csr_matrix((20, 3))):
        power = explanatory_power(vectors, labels, splits, [1, 2, 3])
        assert power.accuracies.tolist() == [[0.5, 0.5, 0.5]]


def test_rounding_is_no_order() -> None:
    """Whole numbers at equal angles: neither the order of columns nor the format matters."""
    random = np.random.default_rng(0)
    vectors = random.integers(0, 2, (200, 12)).astype(float)
    vectors[::9] = 0
    labels = random.integers(0, 3, 200).tolist()
    power = explanatory_power(vectors, labels, 4, range(1, 11))
    for other in (vectors[:, random.permutation(12)], csr_matrix(vectors), vectors * 3):
        again = explanatory_power(other, labels, 4, range(1, 11))
        np.testing.assert_array_equal(again.accuracies, power.accuracies)


def test_tiny_differences_count_dense_and_sparse() -> None:
    vectors = np.column_stack([np.ones(40), np.array([0, 1, 2, 3] * 10) * 1e-7])
    labels = [0, 1, 2, 3] * 10
    for given_ in (vectors, csr_matrix(vectors)):
        assert explanatory_power(given_, labels, neighbours=[1]).epi == 1.0


def test_few_to_choose_from() -> None:
    random = np.random.default_rng(0)
    vectors, labels = random.normal(size=(60, 5)), random.integers(0, 3, 60).tolist()
    splits = [(range(4), range(4, 60)), (range(30), range(30, 60))]
    power = explanatory_power(vectors, labels, splits, [1, 3])
    pairs = [(list(train), list(test)) for train, test in splits]
    expected = oracle.explanatory_power(vectors, labels, pairs, 3)[:, [0, 2]]
    np.testing.assert_allclose(power.accuracies, expected, atol=1e-12)


def test_a_class_with_one_document_is_missed_and_counts() -> None:
    vectors = np.concatenate([np.tile([1.0, 0], (9, 1)), [[0, 1.0]]])
    power = explanatory_power(
        vectors, ["a"] * 9 + ["b"], [(range(9), [9]), (range(1, 10), [0])], [1]
    )
    assert power.accuracies.tolist() == [[0.0], [1.0]]


def test_as_plain_data() -> None:
    power = explanatory_power(np.random.default_rng(0).normal(size=(40, 3)), [0, 1] * 20, 3, [1, 5])
    data = json.loads(json.dumps(power.to_dict()))
    assert data["epi"] == power.epi
    assert data["train"] == [20, 20, 20]
    assert (
        repr(power) == f"ExplanatoryPower(epi={power.epi:.4f} ± {power.deviation:.4f}, k={power.k})"
    )
    single = explanatory_power(np.eye(4), [0, 0, 1, 1], 1, [1])
    assert single.deviation == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"labels": [0, 1]}, "labels and vectors differ in length: 2 ≠ 20"),
        ({"labels": [None] * 20}, "label 0 is missing"),
        ({"labels": [float("nan")] * 20}, "label 0 is missing"),
        ({"labels": np.full(20, np.nan, np.float32)}, "label 0 is missing"),
        ({"labels": [(0, 1)] * 20}, "label 0 must be a string or a number"),
        ({"labels": ["a", 1] * 10}, "all strings or all numbers"),
        ({"labels": np.array(3)}, "one entry per vector"),
        ({"splits": np.array(0)}, "splits must be a whole number"),
        ({"neighbours": range(1, 31)}, r"30 neighbours .* a split has 10: .*range\(1, 11\)"),
        ({"neighbours": []}, "neighbours is empty"),
        ({"neighbours": [0]}, "neighbours must be a whole number"),
        ({"neighbours": [1.5]}, "neighbours must be a whole number"),
        ({"splits": 0}, "splits must be a whole number"),
        ({"splits": []}, "splits is empty"),
        ({"splits": [([0], [0])]}, "document 0 is in train and in test"),
        ({"splits": [([0], [20])]}, "test names document 20; there are 20"),
        ({"splits": [([-1], [2])]}, "train names document -1"),
        ({"splits": [([], [2])]}, "train must be some documents' numbers"),
        ({"splits": [([0.5], [2])]}, "train must be some documents' numbers"),
        ({"splits": [(1, 2, 3)]}, "split 0 is no pair"),
        ({"splits": ["ab"]}, "must be some documents' numbers"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"vectors": np.full((20, 2), np.nan)}, r"vector 0 .*20 of 20"),
    ],
)
def test_bad_questions(asked: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {
        "vectors": np.random.default_rng(0).normal(size=(20, 3)),
        "labels": [0, 1] * 10,
        "neighbours": [1],
    }
    with pytest.raises(InputError, match=message):
        explanatory_power(**{**usual, **asked})


def test_too_few_documents() -> None:
    with pytest.raises(InputError, match="there are 1 documents; two halves need at least 2"):
        explanatory_power([[1.0]], ["a"])
    with pytest.raises(InputError, match="there are 0 documents"):
        explanatory_power(np.empty((0, 3)), [])


@pytest.mark.real
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_real_predictions_differ_from_scikit_learns_by_ties_only(
    news: Corpus, real_cnn: Callable[[int], CNNClassifier], kind: str
) -> None:
    """Where K + 1 neighbours are at the distances of K, scikit-learn may take another one."""
    texts, names = news.test.texts, news.test.labels or []
    if kind == "sparse":  # which scikit-learn takes long for
        texts, names = texts[::3], names[::3]
    labels = np.unique(names, return_inverse=True)[1].astype(np.int64)
    if kind == "dense":
        vectors: Any = summarize(real_cnn(2), texts, level="element").astype(np.float64)
        units: Any = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    else:
        vectors = units = TfidfVectorizer().fit_transform(texts)
    power = explanatory_power(vectors, labels, 2)
    neighbours = nearest_neighbours(unit_vectors(vectors), 150)
    for train, test in power.splits:
        allowed = np.zeros(len(labels), np.bool_)
        allowed[train] = True
        near = neighbours.among(test, allowed, 31)
        ours = predicted_by_count(near[:, :30], labels, 20)
        for k in (1, 2, 5, 30):
            theirs = KNeighborsClassifier(k, algorithm="brute").fit(units[train], labels[train])
            for number in np.flatnonzero(ours[:, k - 1] != theirs.predict(units[test])).tolist():
                pair = near[number, [k - 1, k]]
                gaps = neighbours.vectors.exactly(test[[number]], pair[None])[0]
                assert gaps[1] - gaps[0] <= 1e-12
