"""What a model says with some words and without them, judged by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whyword.audit.what_if_result import WhatIf
from whyword.evaluation.quality import classes_quality
from whyword.evaluation.significance import mcnemar, share_interval

CLASSES = ("a", "b", "c")
TRUTH = np.array([0, 0, 0, 1, 1, 2, 2, 2])
BEFORE = np.array([0, 0, 1, 1, 0, 0, 0, 2])
AFTER = np.array([1, 1, 0, 1, 2, 2, 0, 2])


def qualities() -> Any:  # noqa: ANN401
    return tuple(classes_quality(CLASSES, TRUTH, np.eye(3)[one]) for one in (BEFORE, AFTER))


def found(truth: Any = TRUTH) -> WhatIf:  # noqa: ANN401
    judged = None if truth is None else qualities()
    held = np.arange(7)
    return WhatIf(CLASSES, BEFORE, AFTER, truth, ("w",), held, judged, 0.05)


def test_accuracies() -> None:
    one = found()
    assert one.right is not None
    assert one.accuracy is not None
    assert one.accuracy.p == mcnemar(2, 2)
    assert one.accuracy.values == (0.5, 0.5)
    assert one.intervals == (share_interval(4, 8, 0.05),) * 2
    assert repr(one) == (
        "WhatIf(1 word in 7 of 8 documents, 5 predictions changed, accuracy 0.5000 → 0.5000)"
    )


def test_without_labels() -> None:
    one = found(None)
    assert [one.turns, one.right, one.intervals, one.accuracy] == [None] * 4
    assert one.to_dict()["judged"] is None
    assert repr(one) == "WhatIf(1 word in 7 of 8 documents, 5 predictions changed)"


@pytest.mark.parametrize("truth", [TRUTH, None])
def test_as_json(truth: Any, tmp_path: Path) -> None:  # noqa: ANN401
    one = found(truth)
    one.to_json(tmp_path / "what.json")
    data = json.loads((tmp_path / "what.json").read_text("utf-8"))
    assert json.loads(one.to_json()) == data == one.to_dict()
    assert (data["documents"], data["with_words"], data["changed"]) == (8, 7, 5)
    assert data["confusions"][0] == {
        "true": None if truth is None else "a",
        "before": "a",
        "after": "b",
        "documents": 2,
    }
    assert data["changes"][3]["document"] == 4
    if truth is not None:
        assert data["judged"]["before"]["quality"]["accuracy"] == 0.5
        assert data["turns"]["wrong to right"] == 2
        assert data["judged"]["comparison"]["test"] == "McNemar's exact test"
