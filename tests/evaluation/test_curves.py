"""Deletion curves: areas, falls, which side is better; the steps at which they are measured."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count, repeat
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whyword import InputError
from whyword.evaluation import DeletionCurve
from whyword.evaluation.steps import asked_texts, plain_steps, shown_steps, step_numbers

# two documents, two runs, two steps
CURVE = DeletionCurve(
    method="lrp",
    subset="correct",
    target="true",
    order="most",
    action="delete",
    steps=np.arange(3),
    chosen=np.array([3, 5]),
    correct=np.array([[[1, 1, 0], [1, 0, 0]], [[1, 1, 1], [1, 0, 0]]], np.bool_),
    scores=np.array([[[4, 2, 0], [2, 1, 1]], [[4, 4, 2], [2, 0, 0]]], np.float32),
    probabilities=np.array([[[1, 0.5, 0], [1, 0.5, 0.5]]] * 2, np.float32),
)


def test_figures_by_hand() -> None:
    """A trace's area is (half the ends + what lies between) / steps."""
    np.testing.assert_allclose(CURVE.document_areas(), [(0.75 + 1) / 2, 0.25])
    np.testing.assert_allclose(CURVE.document_areas("score"), [(2 + 3.5) / 2, (1.25 + 0.5) / 2])
    asked = {"action": "delete", "count": 2, "steps": [0, 1, 2], "runs": 2}
    asked |= {"method": "lrp", "subset": "correct", "target": "true", "order": "most"}
    assert json.loads(json.dumps(CURVE.to_dict())) == asked | {
        "accuracy": [1, 0.5, 0.25],
        "mean_score": [3, 1.75, 0.75],
        "area": pytest.approx((0.875 + 0.25) / 2),
        "area_deviation": pytest.approx(np.std([0.5, 0.625], ddof=1)),
        "score_area": pytest.approx((2.75 + 0.875) / 2),
        "aopc": pytest.approx((0 + 1.25 + 2.25) / 3),
        "comprehensiveness": pytest.approx((0.5 + 1 + 0.5 + 0.5) / 4),
        "sufficiency": None,
    }
    inserted = replace(CURVE, action="insert", opposite=CURVE.probabilities[:, :, ::-1])
    assert inserted.aopc == -CURVE.aopc
    assert inserted.sufficiency == pytest.approx((-0.5 + 0 + 0 + 0) / 4)
    assert repr(CURVE) == (
        "DeletionCurve(lrp: delete most relevant first, 2 documents, steps 2, area 0.5625)"
    )
    one_run = replace(CURVE, correct=CURVE.correct[:1], scores=CURVE.scores[:1])
    assert one_run.deviation == 0
    with pytest.raises(InputError, match="measure may be 'accuracy' or 'score', not 'speed'"):
        CURVE.document_areas("speed")


def test_labels_of_documents_are_counted() -> None:
    assert (CURVE.size, CURVE.n_documents) == ("2 documents", 2)
    twice = replace(CURVE, chosen=np.array([3, 3]))
    assert (twice.size, twice.n_documents, len(twice)) == ("2 labels of 1 document", 1, 2)


@settings(max_examples=30)
@given(
    steps=st.sets(st.integers(1, 60), min_size=1, max_size=9),
    seed=st.integers(0, 999),
    insert=st.booleans(),
)
def test_figures_are_those_of_straight_lines(steps: set[int], seed: int, insert: bool) -> None:
    numbers, random = [0, *sorted(steps)], np.random.default_rng(seed)
    shape = (2, 3, len(numbers))
    scores, taken, kept = random.normal(size=(3, *shape)).astype(np.float32)
    scores *= np.float32(10.0) ** random.integers(-3, 4, shape)
    curve = replace(
        CURVE,
        steps=np.array(numbers, np.intp),
        chosen=np.arange(3),
        correct=random.random(shape) < 0.5,
        scores=scores,
        action="insert" if insert else "delete",
        probabilities=kept if insert else taken,
        opposite=taken if insert else kept,
    )
    for measure, traces in (("accuracy", curve.correct), ("score", curve.scores)):
        areas = [[oracle.curve_area(one, numbers) for one in run] for run in traces.tolist()]
        np.testing.assert_allclose(
            curve.document_areas(measure), np.mean(areas, axis=0), rtol=1e-6, atol=1e-9
        )
    y = oracle.straight_curve(curve.mean_score.tolist(), numbers)
    aopc = sum(y[0] - one for one in y) / len(y)
    assert curve.aopc == pytest.approx(-aopc if insert else aopc, abs=1e-6)
    for found, traces in ((curve.comprehensiveness, taken), (curve.sufficiency, kept)):
        fall = (taken[:, :, :1].astype(float) - traces).mean(axis=(0, 1)).tolist()
        after = oracle.straight_curve(fall, numbers)[1:]
        assert found == pytest.approx(sum(after) / len(after), abs=1e-6)


@pytest.mark.parametrize(
    ("changed", "better"),
    [
        ({}, ("lower", "lower")),
        ({"order": "least"}, ("higher", "higher")),
        ({"action": "insert"}, ("higher", "higher")),
        ({"action": "insert", "order": "least"}, ("lower", "lower")),
        ({"subset": "all"}, ("lower", "lower")),
        ({"target": "predicted"}, ("lower", "lower")),
        ({"subset": "wrong", "target": "predicted"}, ("higher", "lower")),
        ({"subset": "wrong", "target": "predicted", "order": "least"}, ("lower", "higher")),
        ({"subset": "all", "target": "predicted"}, (None, "lower")),
        ({"target": "space"}, (None, "lower")),
    ],
)
def test_which_area_is_better(changed: dict[str, str], better: tuple[str | None, str]) -> None:
    curve: Callable[..., DeletionCurve] = replace
    made = curve(CURVE, **changed)
    assert (made.better, made.better_score) == better


# ---- steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "numbers"),
    [
        (np.int64(3), [0, 1, 2, 3]),
        (np.array(2), [0, 1, 2]),
        ([0, 2, 7], [0, 2, 7]),
        ((3,), [0, 3]),
        (np.array([1, 100_000]), [0, 1, 100_000]),
        ((2**n for n in range(3)), [0, 1, 2, 4]),
    ],
)
def test_steps_are_all_up_to_a_number_or_those_listed(steps: Any, numbers: list[int]) -> None:  # noqa: ANN401
    found = step_numbers(steps)
    assert (found.dtype, found.tolist()) == (np.dtype(np.intp), numbers)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (0, "must be a whole number from 1 to 100,000, not 0"),
        (True, "must be a whole number from 1"),
        (100_001, "must be a whole number from 1 to 100,000, not 100001"),
        (2.0, "takes a whole number, or an increasing list of them, not float"),
        ("0,5", "takes a whole number, or an increasing list of them, not str"),
        ([], "must have a number above 0"),
        ([0], "must have a number above 0"),
        ([0, 0, 1], "must increase, but 0 follows 0"),
        ([1, 5, 5], "must increase, but 5 follows 5"),
        ([-1, 5], "must be a whole number from 0 to 100,000, not -1"),
        ([1, 2.0], "must be a whole number from 0 to 100,000, not 2.0"),
        (count(), "must be a whole number from 0 to 100,000, not 100001"),
        (repeat(1), "must increase, but 1 follows 1"),
    ],
)
def test_invalid_steps(steps: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=f"^steps {message}") as caught:
        step_numbers(steps)
    assert caught.value.arguments == ["steps"]


def test_steps_as_plain_data_and_in_a_line() -> None:
    assert plain_steps(step_numbers(4)) == plain_steps(step_numbers([1, 2, 3, 4])) == 4
    assert plain_steps(step_numbers([1, 4])) == [0, 1, 4]
    assert shown_steps(50) == "50"
    assert shown_steps(range(12)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert shown_steps(range(0, 26, 2)) == "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, …, 24"
    sparse = replace(CURVE, steps=np.array([0, 1, 5]))
    assert "steps 0, 1, 5, area" in repr(sparse)


def test_a_short_document_needs_fewer_predictions() -> None:
    steps = step_numbers([1, 2, 5, 10, 20])
    assert [asked_texts(steps, longest) for longest in (0, 1, 5, 6, 20, 99)] == [1, 2, 4, 5, 6, 6]
    assert asked_texts(step_numbers(50), 30) == 31
