"""Predictions beside what is true, of one class and of several labels."""

from typing import Any

import numpy as np
import pytest

from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.methods.predict import Prediction
from whyword.web.judged import Judged

CLASSES: list[Label] = ["a", "b", 3]


def judged(labels: list[Any], said: list[Any], best: list[int]) -> Judged:
    chances = [np.eye(3)[number] * 0.9 for number in best]
    pairs = zip(said, chances, strict=True)
    predictions = [Prediction(str(n), *both[:1], None, both[1], 1) for n, both in enumerate(pairs)]
    return Judged.of(CLASSES, labels, predictions)


ONE = judged(["a", "c", None, "", "3"], ["a", "b", "a", "a", "3"], [0, 1, 0, 0, 2])
SEVERAL = judged(
    [("b", "a"), (), ("3",), None, ("c",)], [("a", "b"), (), ("a",), (), ("3",)], [0, 1, 0, 0, 2]
)


def test_what_is_right() -> None:
    assert [ONE.is_right(n) for n in range(5)] == [True, False, None, None, True]
    assert (ONE.n_labelled, ONE.accuracy) == (3, 2 / 3)
    assert [SEVERAL.is_right(n) for n in range(5)] == [True, True, False, None, False]
    assert (SEVERAL.n_labelled, SEVERAL.accuracy) == (4, 0.5)
    assert judged([None], ["a"], [0]).accuracy is None
    assert SEVERAL.prediction(4) == (3,)  # as the model has it


def test_groups() -> None:
    assert ONE.names() == ["a", "b", "3", "c"]
    assert ONE.groups(range(5)) == {
        "predicted": [0, 1, 0, 0, 2],
        "label_names": ["a", "b", "3", "c"],
        "labels": [0, 3, -1, -1, 2],
        "right": [True, False, None, None, True],
    }
    names = ["a", "b", "3", "no label", "several labels", "c"]
    assert SEVERAL.names() == names
    assert SEVERAL.groups([0, 1, 4])["predicted"] == [4, 3, 2]
    assert SEVERAL.groups([0, 1, 4])["labels"] == [4, 3, 5]


def test_selected() -> None:
    assert ONE.select(None, "a").tolist() == [0, 2, 3]
    assert ONE.select("c", None).tolist() == [1]
    assert SEVERAL.select("a", "b").tolist() == [0]
    assert SEVERAL.select(None, "3").tolist() == [4]
    with pytest.raises(InputError, match="there is no class 'z'"):
        SEVERAL.select(None, "z")


def test_confusion() -> None:
    assert ONE.confusion()["counts"] == [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]]
    with pytest.raises(InputError, match="several labels, each by itself"):
        SEVERAL.confusion()
    with pytest.raises(InputError, match="no labels"):
        judged([None], [("a",)], [0]).confusion()
    of_several = judged([("a", "b"), ("a",)], ["a", "b"], [0, 1])  # whose model predicts a class
    assert of_several.confusion()["labels"] == ["a", "b", "3", "several labels"]


def test_foreign_labels() -> None:
    assert not ONE.labels_are_foreign
    assert not SEVERAL.labels_are_foreign
    assert judged([("x",)], [("a",)], [0]).labels_are_foreign
    assert not judged([()], [()], [0]).labels_are_foreign
    assert judged([("\ud800",)], [()], [0]).labels == [("\ufffd",)]
