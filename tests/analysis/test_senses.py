from collections.abc import Callable

import numpy as np
import pytest
from keywords import Keywords
from networks import TOPICS, small_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.analysis import senses
from whyword.base.errors import MissingExtraError

MODEL = small_cnn()
# "goal" in texts about hockey, and in texts about space
TEXTS = [f"{' '.join(TOPICS['hockey'][:4])} goal {n}" for n in range(12)]
TEXTS += [f"the Goal of {' '.join(TOPICS['space'][:5])} orbit moon {n}" for n in range(12)]


def test_uses_are_all_occurrences_that_serve_a_class() -> None:
    groups = senses(MODEL, [*TEXTS, "nothing here", ""], "GOAL", ids=[f"d{n}" for n in range(26)])
    uses = [use for sense in groups for use in sense.uses]
    assert 0 < len(uses) <= 24
    for sense in groups:
        assert sum(sense.classes.values()) == len(sense.uses)
        values = [use.relevance for use in sense.uses]
        assert values == sorted(values, reverse=True)
        assert min(values) > 0
        assert sense.relevance == pytest.approx(float(np.mean(values)))
        assert "uses, mean relevance" in repr(sense)
    for use in uses:
        text = TEXTS[int(str(use.document)[1:])]
        assert text.split()[use.position].lower() == "goal"
        assert "goal" in use.context.lower()
        assert use.predicted == MODEL.predict([text])[0]


def test_occurrences_in_equal_texts_are_one_sense() -> None:
    served = (
        text
        for text in topical(90)[0]
        if text.split().count("goal") == 1 and explain(MODEL, text).by_word()["goal"] > 0
    )
    same = [next(served)] * 6
    assert len(senses(MODEL, same, "goal")) == 1
    assert len(senses(MODEL, same, "goal", count=4)) == 1
    both = senses(MODEL, topical(90)[0], "goal", count=2)
    assert len(both) == 2
    assert len(both[0].uses) >= len(both[1].uses)


def test_unfit_arguments() -> None:
    with pytest.raises(InputError, match="does not speak for a class anywhere"):
        senses(MODEL, TEXTS, "zebra")
    with pytest.raises(InputError, match="does not speak for a class anywhere"):
        senses(MODEL, [], "goal")
    with pytest.raises(InputError, match="fewer ids than texts"):
        senses(MODEL, TEXTS, "goal", ids=["a"])
    for word in ("", None, 3):
        with pytest.raises(InputError, match="a word must be a str"):
            senses(MODEL, TEXTS, word)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="count must be a whole number"):
        senses(MODEL, TEXTS, "goal", count=0)
    svm = SVMClassifier(C=1.0).fit(*topical(30))
    with pytest.raises(InputError, match=r"senses needs a model of word vectors, which .*'svm'"):
        senses(svm, TEXTS, "goal")
    with pytest.raises(
        InputError, match=r"senses needs a model of word vectors, which .*'Keywords'"
    ):
        senses(Keywords(), TEXTS, "goal")


def test_without_scikit_learn(uninstall: Callable[[str], None]) -> None:
    uninstall("sklearn")
    with pytest.raises(MissingExtraError, match="scikit-learn is not installed"):
        senses(MODEL, TEXTS, "goal")
