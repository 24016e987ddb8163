"""Which decisions take part in an experiment, and whether they are right."""

from collections.abc import Iterator

import numpy as np
import pytest
from networks import small_cnn, topical
from toys import TopicsClassifier, several_topics

from whyword import InputError
from whyword.evaluation.decisions import Decisions, OfClasses, OfLabels, decisions_of
from whyword.models.protocol import Erased, Trace

MODEL = small_cnn()
CLASSES = MODEL.classes_.tolist()
TEXTS = [*topical(8, seed=3)[0], "moon", ""]
(TRACE,) = MODEL.trace(TEXTS)
PREDICTED = TRACE.predicted
TRUTH = np.where(np.arange(10) % 3 == 0, (PREDICTED + 1) % 3, PREDICTED)  # each third is wrong


@pytest.mark.parametrize(
    ("subset", "least", "expected"),
    [
        ("all", 1, range(9)),
        ("wrong", 1, [0, 3, 6]),
        ("correct", 1, [1, 2, 4, 5, 7, 8]),
        ("correct", 2, [1, 2, 4, 5, 7]),
    ],
)
def test_who_takes_part(subset: str, least: int, expected: list[int]) -> None:
    (only,) = OfClasses(CLASSES, TRUTH).rounds(TRACE, 0, "true", subset, least)
    assert only.chosen.tolist() == list(expected)


def test_whose_score() -> None:
    decisions = OfClasses(CLASSES, TRUTH)
    for target, numbers in (("true", TRUTH), ("predicted", PREDICTED), ("hockey", np.full(10, 1))):
        (only,) = decisions.rounds(TRACE, 0, target, "all", 1)
        assert only.targets.dtype == np.int32
        np.testing.assert_array_equal(only.targets[:, 0], numbers)
    with pytest.raises(InputError, match="there is no class 'sport'"):
        next(decisions.rounds(TRACE, 0, "sport", "all", 1))


# ---- several labels ---------------------------------------------------------------------------

SEVERAL, LABELS = several_topics(24, seed=5)
TOPICS = TopicsClassifier().fit(*several_topics(60))
NAMES = TOPICS.classes_.tolist()


def pairs(
    decisions: Decisions, target: object, subset: str, least: int = 1
) -> Iterator[tuple[int, str]]:
    """Yield the texts and labels of all rounds; a text comes once in each."""
    for number, trace in enumerate(TOPICS.trace(SEVERAL)):
        for chosen, targets in decisions.rounds(trace, number, target, subset, least):
            assert len(set(chosen.tolist())) == len(chosen)
            for at in chosen.tolist():
                yield number + at, NAMES[targets[at, 0]]


@pytest.mark.parametrize("subset", ["correct", "wrong", "all"])
@pytest.mark.parametrize("target", ["true", "predicted", "space"])
def test_each_label_takes_part(target: str, subset: str) -> None:
    """Against one loop over all texts and labels."""
    expected = []
    predicted = TOPICS.predict(SEVERAL)
    for number, (true, said) in enumerate(zip(LABELS, predicted, strict=True)):
        for name in NAMES:
            of_target = {"true": name in true, "predicted": name in said, "space": name == "space"}
            right = (name in true) == (name in said)
            if of_target[target] and (subset == "all" or right == (subset == "correct")):
                expected.append((number, name))
    decisions = decisions_of(TOPICS, NAMES, LABELS)
    assert isinstance(decisions, OfLabels)
    found = list(pairs(decisions, target, subset))
    assert sorted(found) == expected
    assert (subset == "wrong") or found
    assert not list(pairs(decisions, target, subset, least=1000))


def test_a_decision_is_right_by_its_label_alone() -> None:
    decisions = decisions_of(TOPICS, NAMES, [("space",)])
    (trace,) = TOPICS.trace(["moon goal"])
    rounds = list(decisions.rounds(trace, 0, "hockey", "all", 1))
    chances = np.zeros((1, 1, 2, 3))
    chances[0, 0, :, NAMES.index("hockey")] = [0.5, 0.4]  # said from its threshold on
    erased = Erased(np.zeros(chances.shape), chances)
    assert decisions.right(trace, 0, rounds[0], erased).tolist() == [[[False, True]]]
    (one,) = decisions.rounds(trace, 0, "space", "all", 1)
    chances[0, 0, :, NAMES.index("space")] = [0.9, 0.1]
    assert decisions.right(trace, 0, one, erased).tolist() == [[[True, False]]]


def test_labels_of_another_sort() -> None:
    with pytest.raises(InputError, match=r"the model predicts several labels.* not 'space'"):
        decisions_of(TOPICS, NAMES, ["space"])
    with pytest.raises(InputError, match="the model predicts one class of each text"):
        decisions_of(MODEL, CLASSES, [("space",)])
    with pytest.raises(InputError, match="there is no class 'tennis'"):
        decisions_of(TOPICS, NAMES, [("space", "tennis")])


def test_a_text_without_labels() -> None:
    trace: Trace
    (trace,) = TOPICS.trace(["moon"])
    assert list(decisions_of(TOPICS, NAMES, [()]).rounds(trace, 0, "true", "all", 1)) == []
