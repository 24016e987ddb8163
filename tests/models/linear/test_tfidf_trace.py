"""Our own bag of words: what is taken away by arithmetic is what the model says without it."""

import numpy as np
import pytest
from networks import topical
from numpy.typing import NDArray

from whyword import SVMClassifier, explain, tokenize
from whyword.models.erasure import text_without
from whyword.models.protocol import Erasable


def steps_of(
    model: SVMClassifier, text: str, order: list[int], insert: bool
) -> NDArray[np.float64]:
    """Return the scores of one text after each step of one order."""
    (trace,) = model.trace([text])
    assert isinstance(trace, Erasable)
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(len(order) + 1))
    np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
    scores: NDArray[np.float64] = erased.scores[0, 0]
    return scores


@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("insert", [True, False])
def test_bag_of_words_is_made_anew(sublinear: bool, insert: bool) -> None:
    model = SVMClassifier(C=1.0, sublinear=sublinear).fit(*topical(60))
    for text in ("moon the Moon goal moon unheard puck", "moon", "moon moon", "unheard", ""):
        document = tokenize(text)
        order = np.random.default_rng(0).permutation(len(document))
        steps = steps_of(model, text, order.tolist(), insert)
        for k in range(len(document) + 1):
            gone = np.full(len(document), insert)
            gone[order[:k]] = not insert
            again = model.class_scores([text_without(document, gone)])[0]
            np.testing.assert_allclose(steps[k], again, atol=1e-9)


@pytest.mark.parametrize("sublinear", [True, False])
def test_occlusion_equals_predicting_again(sublinear: bool) -> None:
    model = SVMClassifier(C=1.0, sublinear=sublinear).fit(*topical(60))
    for text in ("moon the Moon goal moon unheard puck", "moon", "moon moon", "unheard", ""):
        explanation = explain(model, text, target="all", method="occlusion")
        whole = model.class_scores([text])[0]
        for number, (start, end) in enumerate(explanation.spans.tolist()):
            without = model.class_scores([text[:start] + text[end:]])[0]
            np.testing.assert_allclose(explanation.relevance[number], whole - without, atol=1e-6)
