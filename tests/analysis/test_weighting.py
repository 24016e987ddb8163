"""Weightings: one interface, whether a method, a plain rule or somebody has the weights."""

from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text, topical
from toys import TopicsClassifier, several_topics

from whyword import InputError, SVMClassifier, explain
from whyword.analysis.weighting import (
    WEIGHTINGS,
    ByElement,
    ByWord,
    GivenRelevance,
    weighting_of,
)
from whyword.methods.registry import METHODS
from whyword.models.cnn.trace import CNNTrace
from whyword.models.protocol import Targets
from whyword.models.relevance import Relevance

MODEL = made_cnn((1, 3), seed=4)
TEXTS = [made_text([0, 1, 2, 6, 3]), "", made_text([4])]
TARGETS = np.array([[1], [0], [2]], np.int32)


@pytest.mark.parametrize("level", ["word", "element"])
@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input"])
def test_what_words_add_makes_the_document(method: str, level: str) -> None:
    (trace,) = MODEL.trace(TEXTS)
    weighting = weighting_of(MODEL, method, level, {})
    assert weighting.level == level
    sums = weighting.sums(trace, TARGETS)
    each, whole = sums(True), sums(False)
    assert (each.shape, whole.shape) == ((6, 4), (3, 4))
    np.testing.assert_allclose(each[:5].sum(axis=0), whole[0], atol=1e-5)
    np.testing.assert_array_equal(whole[1], 0)
    np.testing.assert_allclose(each[5], whole[2], atol=1e-5)


def test_relevance_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Targets] = []
    lrp = CNNTrace.lrp

    def counting(trace: CNNTrace, targets: Targets, **options: Any) -> Relevance:  # noqa: ANN401
        asked.append(targets)
        return lrp(trace, targets, **options)

    monkeypatch.setattr(CNNTrace, "lrp", counting)
    (trace,) = MODEL.trace(TEXTS)
    sums = weighting_of(MODEL, None, "word", {}).sums(trace, TARGETS)
    for each in (False, True, False):
        sums(each)
    assert len(asked) == 1


def test_what_is_not_known_of_a_model() -> None:
    model = TopicsClassifier().fit(*several_topics(30))
    assert isinstance(weighting_of(model, "uniform", "word", {}), ByWord)
    said = "method='tfidf': each word by its rarity in the training texts, which is not known"
    with pytest.raises(InputError, match=f"{said} of a model of kind 'topics'; say method='unifo"):
        weighting_of(model, "tfidf", "word", {})


def test_plain_weightings_are_no_methods_of_explain() -> None:
    assert not set(WEIGHTINGS) & set(METHODS)
    for name in WEIGHTINGS:
        assert isinstance(weighting_of(MODEL, name, "word", {}), ByWord)
        with pytest.raises(InputError, match="no method"):
            explain(MODEL, "wa", method=name)
    assert isinstance(weighting_of(MODEL, None, "element", {}), ByElement)


def test_unfit_weightings() -> None:
    bag = SVMClassifier(C=1.0).fit(*topical(60))
    with pytest.raises(InputError, match="level may be 'word' or 'element', not 'letter'"):
        weighting_of(MODEL, None, "letter", {})
    with pytest.raises(InputError, match="'tfidf' has no parameter 'epsilon'; it has: none"):
        weighting_of(MODEL, "tfidf", "word", {"epsilon": 1.0})
    for model, method in ((bag, "lrp"), (MODEL, "uniform"), (MODEL, "occlusion")):
        with pytest.raises(InputError, match=f"level='element' needs .*{method!r}") as caught:
            weighting_of(model, method, "element", {})
        assert caught.value.arguments == ["level"]


def test_given_relevance_is_taken_in_step() -> None:
    given = GivenRelevance([[1.0, 2, 3, 4, 5], [], [6.0]])
    (first,) = MODEL.trace(TEXTS[:2])
    (second,) = MODEL.trace(TEXTS[2:])
    assert [one[:, 0].tolist() for one in given(first, TARGETS[:2]).words] == [[1, 2, 3, 4, 5], []]
    assert [one.tolist() for one in given(second, TARGETS[2:]).words] == [[[6.0]]]
    with pytest.raises(InputError, match="takes a list with one entry per text, not str"):
        GivenRelevance("relevance")
