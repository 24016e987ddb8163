"""Predictions without units: those of predicting anew, exactly."""

import functools

import numpy as np
import pytest
from keywords import Keywords
from networks import small_cnn, topical
from planted import planted_svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import whyword as ww
from whyword.audit.suspicion import dependence
from whyword.audit.suspicion.candidates import Labelled, candidates
from whyword.audit.suspicion.dependence import predictions_without
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.units import UnitGroups
from whyword.base.progress import ignore
from whyword.models.blackbox import as_classifier
from whyword.models.protocol import TextClassifier

TEXTS = topical(25, seed=5)[0]


def units_of(model: TextClassifier) -> tuple[UnitGroups, Occurrences]:
    found = Occurrences.of(model.documents([*TEXTS, ""]))
    labelled = Labelled(np.zeros(len(found), np.intp), 3)
    return UnitGroups.of(candidates(found, labelled), found), found


@functools.cache
def calibrated() -> object:
    """Return a pipeline whose class is that of the largest probability, not of the score."""
    texts, labels = topical(90, seed=1)
    random = np.random.default_rng(0)
    mixed = [random.choice(labels) if random.random() < 0.5 else label for label in labels]
    head = CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=3)
    return make_pipeline(CountVectorizer(), head).fit(texts, mixed)


def test_probabilities_decide_where_the_pipeline_says_so() -> None:
    (trace,) = as_classifier(calibrated()).trace(TEXTS)
    assert (trace.scores.argmax(axis=1) != trace.predicted).any()  # else nothing is tested below


@pytest.mark.parametrize("kind", ["cnn", "svm", "black box", "calibrated"])
@pytest.mark.parametrize("near", [1e-3, 1e3])  # nothing is asked again, or everything
def test_they_are_those_of_predicting_anew(
    kind: str, near: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, object] = {"cnn": small_cnn(), "svm": planted_svm(), "black box": Keywords()}
    made["calibrated"] = calibrated()
    model = as_classifier(made[kind])
    units, found = units_of(model)
    monkeypatch.setattr(dependence, "_NEAR", near)
    after = predictions_without(model, found.documents, units, ignore, "deletion")
    assert len(after) == len(units) > 50
    for unit, document, said in list(zip(units.numbers, units.documents, after, strict=True))[::7]:
        at = int(np.flatnonzero((units.numbers == unit) & (units.documents == document))[0])
        gone = units.groups.positions[units.groups.starts[at] : units.groups.starts[at + 1]]
        (trace,) = model.trace([found.documents[document]], deleted=iter([gone.astype(np.intp)]))
        assert trace.predicted[0] == said


def test_deletion_begins_where_the_model_is() -> None:
    """All that is right is right as long as nothing is deleted."""
    model = as_classifier(calibrated())
    (trace,) = model.trace(TEXTS)
    said = np.array(model.classes_)[trace.predicted].tolist()
    curve = ww.deletion_curve(calibrated(), TEXTS, said, steps=2, least_words=1)
    assert curve.accuracy[0] == 1


def test_scores_that_are_nearly_equal_are_asked_again() -> None:
    scores = np.array([[1.0, 1.0 + 1e-6, 0], [1.0, 2.0, 0], [-500.0, -500.3, -900]])
    assert dependence._is_near(scores).tolist() == [True, False, True]
    assert dependence._is_near(np.ones((2, 1))).tolist() == [False, False]


def test_nothing_is_an_answer() -> None:
    model = planted_svm()
    found = Occurrences.of([])
    units = UnitGroups.of(candidates(found, Labelled(np.zeros(0, np.intp), 2)), found)
    assert len(predictions_without(model, [], units, ignore, "deletion")) == 0
