"""What becomes of predictions of a served corpus: that of the library's call, whatever is known."""

from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from numpy.typing import NDArray
from served import KINDS, LABELS, TEXTS, arrived, library, model, records

import whyword as ww
from whyword.audit.changes import TURNS
from whyword.base.progress import Progress
from whyword.web import what_if as module
from whyword.web.gate import TooLongError
from whyword.web.library import open_library

WORDS = ["Moon", "puck goal", "/[g-s].*/"]


class Asked(Keywords):
    """Counts the texts that it is asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        self.texts.extend(texts)
        return super().predict_proba(texts)


def changes(found: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - an answer, or a WhatIf
    """Return numbers, before, after and turn of what changed, in the order of the documents."""
    rows = [(one["number"], one["before"], one["after"], one["turn"]) for one in found["changes"]]
    return sorted(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_what_the_call_says(kind: str) -> None:
    labels = None if kind == "numbers" else LABELS  # its labels are none of the classes
    expected = ww.what_if(model(kind), WORDS, TEXTS, labels)
    found = arrived(library(kind).what_if(WORDS))
    assert found["words"] == list(expected.words)
    assert (found["documents"], found["with_words"]) == (40, len(expected.documents))
    assert found["changed"] == len(expected.changes) > 0
    assert changes(found) == [(*one[:3], one.turn) for one in expected.changes]
    assert all(one["id"] == f"post {one['number']}" for one in found["changes"])
    if labels is None:
        assert found["accuracy"] is None
        return
    accuracy, compared, intervals = found["accuracy"], expected.accuracy, expected.intervals
    assert compared is not None
    assert intervals is not None
    assert (accuracy["before"], accuracy["after"]) == compared.values
    assert (accuracy["before_interval"], accuracy["after_interval"]) == tuple(map(list, intervals))
    assert (accuracy["p"], accuracy["alpha"], accuracy["documents"]) == (compared.p, 0.05, 40)
    assert accuracy["turns"] == expected.turns
    order = [TURNS.index(one["turn"]) for one in found["changes"]]
    assert order == sorted(order)


def test_only_documents_with_the_words_are_asked_again() -> None:
    asked = Asked()
    opened = open_library(asked, records(TEXTS[:8], LABELS[:8]), "posts")
    asked.texts.clear()
    found = opened.what_if(["moon"])
    assert len(asked.texts) == found["with_words"] < 8


def test_labels_that_are_not_known() -> None:
    given: list[Any] = [
        None if n % 3 == 0 else "cats" if n % 3 == 1 else LABELS[n] for n in range(40)
    ]
    opened = open_library(model("svm"), records(TEXTS, given), "posts")
    found = arrived(opened.what_if(WORDS))
    whole = ww.what_if(model("svm"), WORDS, TEXTS)
    assert [row[:3] for row in changes(found)] == [one[:3] for one in whole.changes]
    assert {one["turn"] is None for one in found["changes"] if one["number"] % 3 < 2} == {True}
    some = range(2, 40, 3)
    judged = ww.what_if(model("svm"), WORDS, [TEXTS[n] for n in some], [LABELS[n] for n in some])
    assert judged.accuracy is not None
    assert found["accuracy"]["documents"] == len(some)
    assert found["accuracy"]["after"] == judged.accuracy.values[1]
    assert found["accuracy"]["turns"] == judged.turns


def test_several_labels() -> None:
    def say(texts: list[str]) -> NDArray[np.float64]:
        return np.array([["moon" in text, "puck" in text] for text in texts], float)

    used = ww.BlackBox(say, ["space", "hockey"], multilabel=True)
    rows: list[Any] = [("space",), (), ("hockey", "cats"), ("hockey", "space")]
    opened = open_library(used, records(["moon", "puck", "puck", "moon puck"], rows), "posts")
    found = arrived(opened.what_if(["PUCK"]))
    assert changes(found) == [
        (1, ["hockey"], [], "wrong to right"),
        (2, ["hockey"], [], None),  # cats are no label of the model
        (3, ["space", "hockey"], ["space"], "right to wrong"),
    ]
    assert found["accuracy"]["documents"] == 3
    assert found["accuracy"]["before"] == found["accuracy"]["after"] == pytest.approx(2 / 3)


def test_a_long_list_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = library("svm").what_if(WORDS)
    monkeypatch.setattr(module, "MOST_CHANGES", 2)
    found = library("svm").what_if(WORDS)
    assert found["changed"] == whole["changed"] > 2
    assert found["changes"] == whole["changes"][:2]


def test_it_ends_when_nobody_waits_any_more() -> None:
    times = iter([0.0, 1.0, 3.0])
    check = module._within(2.0, lambda: next(times))
    check(Progress())
    with pytest.raises(TooLongError, match="not ready after 2 s"):
        check(Progress())
    with pytest.raises(TooLongError, match="name fewer words"):
        library().what_if(WORDS, -1.0)
