import numpy as np

from whyword.evaluation.trajectories import concatenate, trajectories_of
from whyword.models.protocol import Erased

# two documents, one order, one step, three classes
SCORES = np.array([[[[3.0, 1, 0], [1, 2, 0]]], [[[0, 0, 1], [0, 0, 2]]]])
ERASED = Erased(SCORES, SCORES / 10)
RIGHT = np.array([[[True, False]], [[False, False]]])
TARGETS = np.array([1, 2], np.int32)


def test_of_scores() -> None:
    trajectories = trajectories_of(np.array([4, 7]), ERASED, None, RIGHT, TARGETS)
    assert trajectories.chosen.tolist() == [4, 7]
    assert trajectories.correct.tolist() == [[[True, False], [False, False]]]
    assert trajectories.scores.tolist() == [[[1, 2], [1, 2]]]
    np.testing.assert_allclose(trajectories.probabilities, [[[0.1, 0.2], [0.1, 0.2]]])
    assert trajectories.opposite is None
    assert trajectories.targets is TARGETS


def test_some_steps_and_concatenated() -> None:
    trajectories = trajectories_of(np.array([4, 7]), ERASED, ERASED, RIGHT, TARGETS)
    longer = trajectories.at(np.array([0, 1, 1, 1]))
    assert longer.scores.tolist() == [[[1, 2, 2, 2], [1, 2, 2, 2]]]
    assert longer.correct.shape == (1, 2, 4)
    assert longer.opposite is not None
    assert longer.opposite.shape == (1, 2, 4)
    both = concatenate([longer, longer])
    assert both.chosen.tolist() == [4, 7, 4, 7]
    assert both.targets.tolist() == [1, 2, 1, 2]
    assert both.scores.shape == (1, 4, 4)
    assert both.opposite is not None
