"""SVMs, and what cross-validation chooses."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, hstack
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from whyword.models.linear.training import GRID, Trainer, fit_temperature
from whyword.models.probabilities import softmax


def made(strength: float, documents: int = 300) -> tuple[csr_matrix, np.ndarray]:
    """Return features that say something, or nothing, of three classes."""
    random = np.random.default_rng(0)
    numbers = np.arange(documents) % 3
    noise = random.normal(size=(documents, 12))
    noise[np.arange(documents), numbers] += strength
    return csr_matrix(noise), numbers


def trainer(numbers: np.ndarray, folds: int = 4) -> Trainer:
    return Trainer(numbers, np.ones(3, np.float32), folds, 0)


def test_probabilities_are_calibrated_on_held_out_scores() -> None:
    random = np.random.default_rng(0)
    logits = random.normal(scale=2, size=(4000, 3))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = np.array([random.choice(3, p=row) for row in chances])
    assert fit_temperature(logits * 5, labels) == pytest.approx(5, rel=0.1)
    assert fit_temperature(logits / 4, labels) == pytest.approx(0.25, rel=0.1)


def test_held_out_scores_are_those_of_svms_that_have_not_seen_them() -> None:
    matrix, numbers = made(1.0)
    choice = trainer(numbers).choose([matrix], 0.3)
    assert choice.scores is not None
    expected = np.empty((len(numbers), 3))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(matrix, numbers):
        svm = LinearSVC(C=0.3, random_state=0).fit(matrix[train], numbers[train])
        expected[test] = svm.decision_function(matrix[test])
    np.testing.assert_allclose(choice.scores, expected, atol=1e-6)
    assert (choice.matrix, choice.C) == (0, 0.3)
    assert choice.accuracy == np.mean(expected.argmax(axis=1) == numbers)


def test_features_that_say_more_are_chosen_others_are_not() -> None:
    matrix, numbers = made(0.7)
    useful, useless = made(1.5)[0], csr_matrix(np.random.default_rng(5).normal(size=(300, 30)))
    assert trainer(numbers).choose([matrix, hstack([matrix, useful]).tocsr()], 1.0).matrix == 1
    assert trainer(numbers).choose([matrix, hstack([matrix, useless]).tocsr()], 1.0).matrix == 0
    assert trainer(numbers).choose([matrix, matrix], 1.0).matrix == 0


@pytest.mark.parametrize("best", range(len(GRID)))
def test_c_is_the_best_one_that_is_reached_step_by_step(
    best: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix, numbers = made(1.0)
    tried = []

    def scores(self: Trainer, settings: list[tuple[csr_matrix, float]]) -> list[np.ndarray]:
        results = []
        for _, c in settings:
            tried.append(c)
            right = 200 - 20 * abs(GRID.index(c) - best)
            said = np.eye(3)[np.where(np.arange(300) < right, numbers, (numbers + 1) % 3)]
            results.append(said)
        return results

    monkeypatch.setattr(Trainer, "_held_out_scores", scores)
    choice = trainer(numbers).choose([matrix])
    assert GRID[best] == choice.C
    assert len(tried) == len(set(tried)) <= 4


def test_chance_chooses_nothing() -> None:
    matrix, numbers = made(50.0)
    assert pytest.approx(1.0) == trainer(numbers).choose([matrix]).C
    useless = csr_matrix(np.random.default_rng(6).normal(size=(300, 4)))
    assert trainer(numbers).choose([useless, useless[:, :3]]).matrix == 0


def test_without_folds_nothing_is_chosen() -> None:
    matrix, numbers = made(1.0)
    assert trainer(numbers, 1).choose([matrix, matrix]) == (0, 1.0, None, None)
    assert trainer(numbers, 1).choose([matrix], 3.0) == (0, 3.0, None, None)


@pytest.mark.slow(reason="starts processes")
def test_processes_choose_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, numbers = made(1.0)
    one = trainer(numbers).choose([matrix], 1.0)
    monkeypatch.setattr("whyword.models.linear.training._FEW", 0)
    other = trainer(numbers).choose([matrix], 1.0)
    assert one.scores is not None
    assert other.scores is not None
    np.testing.assert_array_equal(one.scores, other.scores)


def test_classes_that_are_told_apart_without_a_mistake_are_not_sure_beyond_measure() -> None:
    numbers = np.repeat([0, 1], 160)
    scores = np.where(numbers[:, None] == np.arange(2), 1.0, -1.0)
    chances = softmax(scores[:1] / fit_temperature(scores, numbers))[0]
    assert chances[0] == pytest.approx(161 / 162, abs=2e-3)
    few = fit_temperature(scores[::40], numbers[::40])
    assert softmax(scores[:1] / few)[0, 0] == pytest.approx(5 / 6, abs=0.02)
