"""Experiments: which documents take part, whose score is looked at."""

from typing import Any

import numpy as np
import pytest
from networks import small_cnn, topical

from whyword import InputError, deletion_curve
from whyword.base.errors import NoDocumentsError
from whyword.evaluation import EXPERIMENTS
from whyword.evaluation.decisions import OfClasses
from whyword.evaluation.erased_words import ErasedWords
from whyword.evaluation.experiment import Experiment, nothing_to_start_from
from whyword.evaluation.ranking import ranking_of

MODEL = small_cnn()
CLASSES = MODEL.classes_.tolist()
TEXTS = [*topical(8, seed=3)[0], "moon", ""]
(TRACE,) = MODEL.trace(TEXTS)
PREDICTED = TRACE.predicted
TRUTH = np.where(np.arange(10) % 3 == 0, (PREDICTED + 1) % 3, PREDICTED)  # each third is wrong
DECISIONS = OfClasses(CLASSES, TRUTH)


def experiment(**changed: Any) -> Experiment:  # noqa: ANN401
    asked = {"order": "most", "target": "true", "subset": "all", "steps": 4, **changed}
    return Experiment.of(CLASSES, **asked)


@pytest.mark.parametrize("action", ["delete", "insert"])
def test_what_becomes_of_a_block(action: str) -> None:
    asked = experiment(action=action, steps=40)
    ranking = ranking_of(MODEL, "lrp", None, len(TEXTS))
    (paths,) = asked.trajectories(ranking, ErasedWords(TRACE), DECISIONS, first=0)
    assert paths.chosen.tolist() == list(range(9))
    assert paths.targets.tolist() == TRUTH[:9].tolist()
    assert paths.scores.shape == (1, 9, 41)  # a document without words left stays as it is
    at_first, at_last = (0, 40) if action == "delete" else (40, 0)
    whole = TRACE.scores[np.arange(9), TRUTH[:9]]
    np.testing.assert_allclose(paths.scores[0, :, at_first], whole, atol=1e-4)
    assert paths.opposite is not None
    np.testing.assert_allclose(
        paths.opposite[0, :, at_first], paths.probabilities[0, :, at_last], atol=1e-5
    )
    curve = asked.curve("mine", paths)
    assert (curve.method, curve.action, curve.target, len(curve)) == ("mine", action, "true", 9)
    alone = experiment(action=action, sufficiency=False)
    (paths,) = alone.trajectories(ranking, ErasedWords(TRACE), DECISIONS, first=0)
    assert paths.opposite is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"order": "first"}, "order may be 'most' or 'least', not 'first'"),
        ({"subset": None}, "subset may be 'correct' or 'wrong' or 'all', not None"),
        ({"action": "add"}, "action may be 'delete' or 'insert'"),
        ({"steps": 10**9}, "steps must be a whole number from 1 to 100,000"),
        ({"least_words": 0}, "least_words must be a whole number from 1"),
    ],
)
def test_unfit_settings(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        experiment(**asked)
    assert caught.value.arguments == list(asked)


def test_why_there_is_nothing() -> None:
    assert nothing_to_start_from("all", 3, 0) == "there are no texts"
    message = "none of the 1 texts is predicted wrong and has at least 1 word"
    assert nothing_to_start_from("wrong", 1, 1) == message
    with pytest.raises(NoDocumentsError, match=f"^{message}$"):
        deletion_curve(MODEL, ["moon orbit"], ["space"], subset="wrong")


def test_the_papers_three_make_sense() -> None:
    for settings in EXPERIMENTS.values():
        assert experiment(**settings).steps.tolist() == [0, 1, 2, 3, 4]
