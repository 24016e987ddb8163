"""What changed, counted by hand."""

import numpy as np

from whyword.audit.changes import Change, ChangedConfusion, ChangedPredictions, turn_order

CLASSES = ("a", "b", "c")
TRUTH = np.array([0, 0, 0, 1, 1, 2, 2, 2])
BEFORE = np.array([0, 0, 1, 1, 0, 0, 0, 2])
AFTER = np.array([1, 1, 0, 1, 2, 2, 0, 2])


def found(is_known: bool = True) -> ChangedPredictions:
    return ChangedPredictions(CLASSES, BEFORE, AFTER, TRUTH if is_known else None)


def test_documents_that_changed() -> None:
    assert found().changed.tolist() == [0, 1, 2, 4, 5]
    assert found().changes == [
        Change(0, "a", "b", "a", "right to wrong"),
        Change(1, "a", "b", "a", "right to wrong"),
        Change(2, "b", "a", "a", "wrong to right"),
        Change(4, "a", "c", "b", "wrong to other wrong"),
        Change(5, "a", "c", "c", "wrong to right"),
    ]
    assert found().turns == {"right to wrong": 2, "wrong to right": 2, "wrong to other wrong": 1}


def test_confusions_that_changed_most() -> None:
    assert found().confusions == [
        ChangedConfusion("a", "a", "b", 2),
        ChangedConfusion("a", "b", "a", 1),
        ChangedConfusion("b", "a", "c", 1),
        ChangedConfusion("c", "a", "c", 1),
    ]


def test_without_labels() -> None:
    one = found(is_known=False)
    assert [one.turns, one.right] == [None] * 2
    assert one.changes[0] == Change(0, "a", "b", None, None)
    assert one.confusions[0] == ChangedConfusion(None, "a", "b", 2)


def test_several_labels() -> None:
    before = np.array([[True, False], [True, True]])
    after = np.array([[False, False], [True, True]])
    one = ChangedPredictions(("a", "b"), before, after, None)
    assert one.changes == [Change(0, ("a",), (), None, None)]
    assert one.to_dict()["changes"][0] == {
        "document": 0,
        "before": ["a"],
        "after": [],
        "true": None,
        "turn": None,
    }


def test_some_of_each_turn() -> None:
    one = ChangedPredictions(CLASSES, BEFORE, AFTER, TRUTH)
    assert [change.document for change in one.some(3)] == [0, 2, 4]  # one of each turn
    assert [change.document for change in one.some(9)] == [0, 2, 4, 1, 5]
    assert one.some(0) == []
    ordered = sorted(one.changes, key=turn_order)
    assert [change.document for change in ordered] == [0, 1, 2, 5, 4]
    assert repr(one) == (
        "ChangedPredictions(5 of 8 predictions changed, 2 right to wrong, 2 wrong to right, "
        "1 wrong to other wrong)"
    )
    unknown = ChangedPredictions(CLASSES, BEFORE, AFTER, None)
    assert [change.document for change in unknown.some(2)] == [0, 1]
    assert repr(unknown) == "ChangedPredictions(5 of 8 predictions changed)"
