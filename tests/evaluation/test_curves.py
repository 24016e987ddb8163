"""What is read from a deletion curve: areas, falls, which side is the better one."""

import json
from dataclasses import replace

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whyword import InputError
from whyword.evaluation import DeletionCurve
from whyword.evaluation.curves import TRUE

# two documents, two runs, two steps
CURVE = DeletionCurve(
    method="lrp",
    subset="correct",
    target=TRUE,
    order="most",
    action="delete",
    steps=np.arange(3),
    chosen=np.array([3, 5]),
    correct=np.array([[[1, 1, 0], [1, 0, 0]], [[1, 1, 1], [1, 0, 0]]], np.bool_),
    scores=np.array([[[4, 2, 0], [2, 1, 1]], [[4, 4, 2], [2, 0, 0]]], np.float32),
    probabilities=np.array([[[1, 0.5, 0], [1, 0.5, 0.5]]] * 2, np.float32),
)


def test_areas_by_hand() -> None:
    """A trace's area is (half the ends + what lies between) / steps."""
    np.testing.assert_allclose(CURVE.document_areas(), [(0.75 + 1) / 2, 0.25])
    assert CURVE.area == pytest.approx((0.875 + 0.25) / 2)
    np.testing.assert_allclose(CURVE.document_areas("score"), [(2 + 3.5) / 2, (1.25 + 0.5) / 2])
    assert CURVE.score_area == pytest.approx((2.75 + 0.875) / 2)
    assert CURVE.deviation == pytest.approx(np.std([0.5, 0.625], ddof=1))
    assert (len(CURVE), CURVE.runs) == (2, 2)
    np.testing.assert_allclose(CURVE.accuracy, [1, 0.5, 0.25])
    np.testing.assert_allclose(CURVE.mean_score, [3, 1.75, 0.75])


def test_falls_by_hand() -> None:
    assert CURVE.aopc == pytest.approx((0 + 1.25 + 2.25) / 3)
    assert CURVE.comprehensiveness == pytest.approx((0.5 + 1 + 0.5 + 0.5) / 4)
    assert CURVE.sufficiency is None
    inserted = replace(CURVE, action="insert", opposite=CURVE.probabilities[:, :, ::-1])
    assert inserted.aopc == -CURVE.aopc
    assert inserted.sufficiency == pytest.approx((-0.5 + 0 + 0 + 0) / 4)


def random_curve(steps: list[int], seed: int, action: str = "delete") -> DeletionCurve:
    """Return a curve of 3 documents and 2 runs."""
    random = np.random.default_rng(seed)
    shape = (2, 3, len(steps))
    scores, chances, opposite = random.normal(size=(3, *shape)).astype(np.float32)
    scores *= np.float32(10.0) ** random.integers(-3, 4, shape)
    return DeletionCurve(
        *("lrp", "all", TRUE, "most", action, np.array(steps, np.intp), np.arange(3)),
        random.random(shape) < 0.5,
        scores,
        chances,
        opposite,
    )


@settings(max_examples=30)
@given(
    steps=st.sets(st.integers(1, 60), min_size=1, max_size=9),
    seed=st.integers(0, 999),
    insert=st.booleans(),
)
def test_figures_are_those_of_straight_lines(steps: set[int], seed: int, insert: bool) -> None:
    numbers = [0, *sorted(steps)]
    curve = random_curve(numbers, seed, "insert" if insert else "delete")
    for measure, traces in (("accuracy", curve.correct), ("score", curve.scores)):
        areas = [[oracle.curve_area(one, numbers) for one in run] for run in traces.tolist()]
        np.testing.assert_allclose(
            curve.document_areas(measure), np.mean(areas, axis=0), rtol=1e-6, atol=1e-9
        )
    y = oracle.straight_curve(curve.mean_score.tolist(), numbers)
    aopc = sum(y[0] - one for one in y) / len(y)
    assert curve.aopc == pytest.approx(-aopc if insert else aopc, abs=1e-6)
    taken, kept = curve.probabilities, curve.opposite
    assert kept is not None
    if insert:
        taken, kept = kept, taken
    for found, traces in ((curve.comprehensiveness, taken), (curve.sufficiency, kept)):
        fall = (taken[:, :, :1].astype(float) - traces).mean(axis=(0, 1)).tolist()
        after = oracle.straight_curve(fall, numbers)[1:]
        assert found == pytest.approx(sum(after) / len(after), abs=1e-6)


@settings(max_examples=30)
@given(last=st.integers(1, 130), seed=st.integers(0, 999))
def test_with_every_step_the_area_is_as_it_was_to_the_last_digit(last: int, seed: int) -> None:
    """The mean of all heights, the two ends counted half."""
    curve = random_curve(list(range(last + 1)), seed)
    for measure, traces in (("accuracy", curve.correct), ("score", curve.scores)):
        ends = (traces[..., 0].astype(np.float64) + traces[..., -1]) / 2
        inner = traces[..., 1:-1].sum(axis=2, dtype=np.float64)
        expected = ((ends + inner) / last).mean(axis=0)
        np.testing.assert_array_equal(curve.document_areas(measure), expected)
    change = float((curve.mean_score[0] - curve.mean_score).mean())
    assert curve.aopc == change


def test_chosen_steps_in_words_and_plain_data() -> None:
    curve = random_curve([0, 1, 5], 0)
    assert "steps 0, 1, 5, area" in repr(curve)
    assert json.loads(json.dumps(curve.to_dict()))["steps"] == [0, 1, 5]


def test_which_area_is_better() -> None:
    def better(**asked: str) -> tuple[str | None, str]:
        curve = replace(CURVE, **asked)  # type: ignore[arg-type]
        return curve.better, curve.better_score

    assert better(order="least") == ("higher", "higher")
    assert better(action="insert") == ("higher", "higher")
    assert better(action="insert", order="least") == ("lower", "lower")
    assert better(subset="all") == ("lower", "lower")
    assert better(subset="correct", target="predicted") == ("lower", "lower")
    assert better(subset="wrong", target="predicted") == ("higher", "lower")
    assert better(subset="all", target="predicted") == (None, "lower")
    assert better(subset="all", target="space") == (None, "lower")


def test_as_plain_data() -> None:
    data = json.loads(json.dumps(CURVE.to_dict()))
    assert data["accuracy"][0] == 1
    assert data["steps"] == [0, 1, 2]
    assert data["subset"] == "correct"
    assert data["sufficiency"] is None
    assert data["comprehensiveness"] == CURVE.comprehensiveness
    assert repr(CURVE) == (
        "DeletionCurve(lrp: delete most relevant first, 2 documents, steps 2, area 0.5625)"
    )


def test_bad_measure() -> None:
    with pytest.raises(InputError, match="measure may be"):
        CURVE.document_areas("speed")


def test_labels_of_documents_are_counted() -> None:
    assert (CURVE.size, CURVE.n_documents) == ("2 documents", 2)
    twice = replace(CURVE, chosen=np.array([3, 3]))
    assert (twice.size, twice.n_documents, len(twice)) == ("2 labels of 1 document", 1, 2)
