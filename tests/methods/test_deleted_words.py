"""Explaining a text some of whose words are deleted."""

import numpy as np
import oracle
import pytest
from networks import literal_parts, made_cnn, made_text, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from whyword import Explanation, InputError, SVMClassifier, explain, from_pipeline


class Outside:
    """A model of which nothing but its probabilities is known."""

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        return np.array([[0.5 + len(text.split()) / 4, 0.5] for text in texts])


def test_deleted_words_are_zeros_in_the_input() -> None:
    """Against the literal rule on an input matrix with zeros in those places."""
    model = made_cnn((1, 2))
    text = made_text([0, 1, 6, 2, 3])
    inputs, convolutions, weight, bias = literal_parts(model, text)
    inputs[[1, 4]] = 0
    for target in range(3):
        words = oracle.lrp(inputs, convolutions, weight, bias, target).sum(axis=1)
        explanation = explain(model, text, f"class {target}", deleted=[4, 1])
        kept = [0, 2, 3]
        np.testing.assert_allclose(explanation.relevance[kept], words[kept], atol=1e-5)
        assert explanation.relevance[[1, 4]].tolist() == [0, 0]
        assert explanation.padding == pytest.approx(words[[1, 4]].sum(), abs=1e-5)
        assert explanation.conserved
        assert explanation.parameters["deleted"] == [1, 4]
        assert explain(model, text).known.tolist() == [True, True, False, True, True]
        assert explanation.known.tolist() == [True, False, False, True, False]
        assert explanation.words == explain(model, text).words


@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input", "occlusion"])
def test_deleting_from_a_bag_is_leaving_out(method: str) -> None:
    texts, labels = topical()
    model = SVMClassifier(seed=0).fit(texts, labels)
    text = "moon goal rocket moon and key"
    explanation = explain(model, text, "all", deleted=[3, 1], method=method)
    without = explain(model, "moon rocket and key", "all", method=method)
    np.testing.assert_allclose(explanation.scores, without.scores)
    np.testing.assert_allclose(explanation.relevance[[0, 2, 4, 5]], without.relevance, atol=1e-7)
    assert not explanation.relevance[[1, 3]].any()


@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_deleting_from_a_pipelines_text(analyzer: str) -> None:
    texts, labels = topical()
    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(1, 2))
    pipeline = make_pipeline(vectorizer, LinearSVC(random_state=0)).fit(texts, labels)
    model = from_pipeline(pipeline)
    explanation = explain(model, "moon goal rocket moon and key", "all", deleted=[1])
    without = explain(model, "moon rocket moon and key", "all")
    np.testing.assert_allclose(explanation.scores, without.scores)
    np.testing.assert_allclose(explanation.relevance[[0, 2, 3, 4, 5]], without.relevance, atol=1e-7)
    assert not explanation.relevance[1].any()
    assert explanation.conserved


def test_deleting_everything_and_nothing() -> None:
    model = made_cnn()
    text = made_text([0, 1, 2])
    nothing = explain(model, text, "all", deleted=[])
    np.testing.assert_array_equal(nothing.relevance, explain(model, text, "all").relevance)
    assert "deleted" not in nothing.parameters
    everything = explain(model, text, "all", deleted=range(3))
    np.testing.assert_allclose(everything.scores, explain(model, "", "all").scores, atol=1e-6)
    assert not everything.relevance.any()
    assert everything.conserved
    many = explain(model, [text, "", text], "all", deleted=[[0], [], [2, 2]])
    assert [e.parameters.get("deleted") for e in many] == [[0], None, [2]]
    again = Explanation.from_json(many[0].to_json())
    assert again.parameters["deleted"] == [0]


@pytest.mark.parametrize(
    ("deleted", "message"),
    [
        ([3], "word 3 is to be deleted, but the text's words are 0 … 2"),
        ([-1], "deleted must be a whole number from 0"),
        (["wa"], "deleted must be a whole number from 0"),
        (5, "a list of positions"),
    ],
)
def test_unfit_deletions(deleted: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain(made_cnn(), made_text([0, 1, 2]), deleted=deleted)  # type: ignore[call-overload]
    with pytest.raises(InputError, match=r"deleted and texts differ in length: 1 ≠ 2"):
        explain(made_cnn(), ["wa", "wb"], deleted=[[]])


def test_deleting_from_what_somebodys_model_reads() -> None:
    """More of it in tests/models/test_blackbox.py."""
    explanation = explain(Outside(), "a b", deleted=[0])
    np.testing.assert_array_equal(explanation.scores, Outside().predict_proba([" b"])[0])
    assert explanation.relevance[0] == 0
    assert explanation.relevance[1] == pytest.approx(0.25)


def test_filters_have_no_words_to_delete() -> None:
    with pytest.raises(InputError, match="deleted words are for explanations by word"):
        explain(made_cnn(), "wa wb", level="filter", deleted=[0])
