"""Words cut out of texts, of any model; arithmetic instead is tested beside its models."""

import numpy as np
import pytest
from networks import topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, from_pipeline, tokenize
from whyword.models import erasure as module
from whyword.models.blackbox import BlackBoxTrace, as_classifier
from whyword.models.erasure import ErasableText, next_positions, text_without
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.trace import PipelineTrace


def steps_of(model: object, text: str, order: list[int], insert: bool) -> NDArray[np.float64]:
    """Return the scores of one text after each step of one order."""
    (trace,) = as_classifier(model).trace([text])
    assert isinstance(trace, ErasableText)
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(len(order) + 1))
    np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
    scores: NDArray[np.float64] = erased.scores[0, 0]
    return scores


class Loud:
    """Somebody's model: the share of capitals."""

    classes_ = np.array(["loud", "quiet"])

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        loud = [sum(c.isupper() for c in text) / max(1, len(text)) for text in texts]
        return np.array([[share, 1 - share] for share in loud])


def pipeline() -> PipelineClassifier:
    texts, labels = topical(60)
    made = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    wrapping: PipelineClassifier = from_pipeline(made.fit(texts, labels))
    return wrapping


@pytest.mark.parametrize("model", [Loud(), pipeline()])
@pytest.mark.parametrize("insert", [True, False])
def test_of_other_models_words_are_cut_out(model: object, insert: bool) -> None:
    text = "The MOON, the puck and GOAL!"
    order = [1, 5, 0]
    steps = steps_of(model, text, order, insert)
    document = tokenize(text)
    gone = np.full(len(document), insert)
    for k in range(4):
        if k:
            gone[order[k - 1]] = not insert
        changed = text_without(document, gone)
        score = model.predict_proba if isinstance(model, Loud) else model.class_scores  # type: ignore[attr-defined]
        np.testing.assert_allclose(steps[k], score([changed])[0])


def test_cutting_words_out_leaves_the_rest() -> None:
    document = tokenize("A b, c!")
    assert text_without(document, np.array([False, True, False])) == "A , c!"
    assert text_without(document, np.array([True, True, True])) == " , !"


def test_who_cuts_words_out() -> None:
    assert issubclass(BlackBoxTrace, ErasableText)
    assert issubclass(PipelineTrace, ErasableText)


def test_minus_one_changes_nothing_in_a_text() -> None:
    steps = steps_of(Loud(), "AA bb", [0, -1, 1], insert=False)
    np.testing.assert_array_equal(steps[1], steps[2])
    assert not np.array_equal(steps[0], steps[1])


def test_several_documents_and_orders() -> None:
    texts = ["AA bb", "cc", "dd EE FF"]
    (trace,) = as_classifier(Loud()).trace(texts)
    assert isinstance(trace, ErasableText)
    orders = np.array([[[0, 2], [2, 1]], [[0, -1], [-1, 0]]], np.int32)
    erased = trace.erase(np.array([2, 1]), orders, False, np.arange(3))
    assert erased.scores.shape == erased.probabilities.shape == (2, 2, 3, 2)
    for at, number in enumerate((2, 1)):
        for run in range(2):
            expected = steps_of(Loud(), texts[number], orders[at, run].tolist(), insert=False)
            np.testing.assert_array_equal(erased.scores[at, run], expected)


@pytest.mark.parametrize("most", [1, 2, 64])
def test_portions_do_not_show(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, order = "The MOON, the puck and GOAL!", [1, 5, 0]
    whole = steps_of(Loud(), text, order, insert=True)
    monkeypatch.setattr(module, "_TEXTS", most)
    np.testing.assert_array_equal(steps_of(Loud(), text, order, insert=True), whole)


def test_positions_are_read_in_step_and_must_fit() -> None:
    document = tokenize("one two three")
    deleted = iter([np.array([2, 0]), np.array([], np.intp), np.array([3]), np.array([-1])])
    assert next_positions(deleted, document).tolist() == [2, 0]
    assert next_positions(deleted, document).tolist() == []
    with pytest.raises(InputError, match="word 3 is to be deleted, but the text's words are 0 … 2"):
        next_positions(deleted, document)
    with pytest.raises(InputError, match="word -1 is to be deleted"):
        next_positions(deleted, document)
    with pytest.raises(InputError, match="fewer lists of deleted words than texts"):
        next_positions(deleted, document)
    with pytest.raises(InputError, match="word 0 is to be deleted, but there is no word"):
        next_positions(iter([np.array([0])]), tokenize(""))
