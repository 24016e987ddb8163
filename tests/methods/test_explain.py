"""What a user sees of explain: spans, texts, deleted words, levels, streams, real documents."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, assert_type

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import made_cnn, made_text, small_svm, some_vectors, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import (
    CNNClassifier,
    Corpus,
    Explanation,
    Explanations,
    InputError,
    SVMClassifier,
    explain,
    iter_explanations,
)
from whyword.explanation import FilterExplanation
from whyword.methods.registry import METHODS
from whyword.methods.request import Request
from whyword.models.blackbox import as_classifier

ODD_TEXTS = [
    *("Der 👩\u200d🚀 startet, Müller e\u0301te\u0301 wa!", "שלום wa עולם\r\nמה שלומך", ""),
    *("مرحبا بالعالم wa", "wa\r\nwb\rwc\n\r\nwd", "Don't wa\u2019s cannot", "नमस्ते wa दुनिया"),
    *("\ufeffwa \u202ewb\u202c", " \n ", "\ud800 wa\0wb"),
]


@pytest.mark.parametrize("method", METHODS)
def test_spans_point_into_the_text_as_passed(method: str) -> None:
    for model in (made_cnn(), small_svm()):
        for text, one in zip(ODD_TEXTS, explain(model, ODD_TEXTS, method=method), strict=True):
            assert one.text == text
            assert [text[start:end] for start, end in one.spans.tolist()] == one.words
            assert (np.diff(one.spans.ravel()) >= 0).all()
            assert len(one.relevance) == len(one.words) == len(one.known)
    assert explain(made_cnn(), "שלום wa wz").known.tolist() == [False, True, False]


@pytest.mark.nightly(reason="thousands of texts")
@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_is_explained(text: str) -> None:
    for model in (made_cnn((1, 3)), small_svm()):
        explanation = explain(model, text, target="all", strict=True)
        assert explanation.relevance.shape == (len(explanation.words), 3)
        assert (np.diff(explanation.spans.ravel()) >= 0).all()


@pytest.mark.parametrize("texts", [["a", None], [1], 3, None, b"bytes", [b"bytes"]])
def test_objects_that_are_no_texts(texts: object) -> None:
    with pytest.raises(InputError, match="texts"):
        explain(made_cnn(), texts)  # type: ignore[call-overload]


def test_explanations_are_a_sequence() -> None:
    explanations = explain(made_cnn(), ["wa", "wb wc", ""], ids=["a", "b", "c"])
    assert [one.id for one in explanations] == ["a", "b", "c"]
    assert isinstance(explanations[1], Explanation)
    assert isinstance(explanations[1:], Explanations)
    assert explanations[-1].words == []
    assert repr(explanations) == "Explanations(3 documents, lrp)"
    assert repr(explanations[0]) == f"Explanation({explanations[0].target}, 1 word, lrp)"
    assert str(explanations[1]) == explanations[1].to_text()
    nothing = explain(made_cnn(), [])
    assert isinstance(nothing, Explanations)
    assert len(nothing) == 0
    assert nothing.conserved
    several = explain(made_cnn(), "wa wb wc", target="all").to_text()
    assert (several.count("wa wb wc"), several.count("score")) == (1, 3)
    predicted = made_cnn().predict(["wa"])[0]
    assert "there is nothing to explain" in str(explain(made_cnn(), "wa", against=predicted))


def test_words_beyond_max_words_are_counted_and_shown_as_such() -> None:
    texts, labels = topical(20)
    model = CNNClassifier(vectors=some_vectors(), filters=4, epochs=1, max_words=5)
    explanation = explain(model.fit(texts, labels), texts[0])
    assert (len(explanation.words), explanation.truncated) == (5, 11)
    assert "not read" in explanation.to_html()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [lambda: made_cnn((1, 3), seed=2), small_svm])
def test_a_batch_equals_its_singles(make: Callable[[], Any], method: str) -> None:
    model = make()
    texts = [made_text([0, 1, 6, 2]), "", "wa", *topical(6)[0], made_text([3] * 20), "wa wb \n wa"]
    together = explain(model, texts, target="all", method=method)
    for text, one in zip(texts, together, strict=True):
        alone = explain(model, text, target="all", method=method)
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-5)
        np.testing.assert_allclose(one.padding, alone.padding, atol=1e-5)
        single = explain(model, text, method=method)
        column = list(model.classes_).index(single.target)
        np.testing.assert_allclose(single.relevance, one.relevance[:, column], atol=1e-5)


def test_mypy_knows_what_is_returned() -> None:
    model, text, texts = made_cnn(), "wa wb", ["wa", "wb"]
    assert_type(explain(model, text), Explanation)
    assert_type(explain(model, texts, targets=["class 0"] * 2, strict=True), Explanations)
    assert_type(explain(model, text, "class 1", level="element", epsilon=1.0), Explanation)
    assert_type(explain(model, text, level="filter", strict=True, bias="apart"), FilterExplanation)
    assert_type(explain(model, texts, "all", level="filter"), list[FilterExplanation])


# ---- deleted words ------------------------------------------------------------------------------


def test_deleted_words_are_recorded_and_have_no_relevance() -> None:
    """Their formulas are tested beside the models."""
    model, text = made_cnn((1, 2)), made_text([0, 1, 6, 2, 3])
    explanation = explain(model, text, "all", deleted=[4, 1])
    assert not explanation.relevance[[1, 4]].any()
    assert explanation.parameters["deleted"] == [1, 4]
    assert explain(model, text).known.tolist() == [True, True, False, True, True]
    assert explanation.known.tolist() == [True, False, False, True, False]
    assert explanation.words == explain(model, text).words


def test_deleting_everything_and_nothing() -> None:
    model, text = made_cnn(), made_text([0, 1, 2])
    nothing = explain(model, text, "all", deleted=[])
    np.testing.assert_array_equal(nothing.relevance, explain(model, text, "all").relevance)
    assert "deleted" not in nothing.parameters
    everything = explain(model, text, "all", deleted=range(3))
    np.testing.assert_allclose(everything.scores, explain(model, "", "all").scores, atol=1e-6)
    assert not everything.relevance.any()
    many = explain(model, [text, "", text], "all", deleted=[[0], [], [2, 2]])
    assert [e.parameters.get("deleted") for e in many] == [[0], None, [2]]
    again = Explanation.from_json(many[0].to_json())
    assert again.parameters["deleted"] == [0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"deleted": [3]}, "word 3 is to be deleted, but the text's words are 0 … 2"),
        ({"deleted": [-1]}, "deleted must be a whole number from 0"),
        ({"deleted": ["wa"]}, "deleted must be a whole number from 0"),
        ({"deleted": 5}, "a list of positions"),
        ({"deleted": [0], "level": "filter"}, "deleted words are for explanations by word"),
    ],
)
def test_unfit_deletions(given: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        explain(made_cnn(), made_text([0, 1, 2]), **given)
    with pytest.raises(InputError, match=r"deleted and texts differ in length: 1 ≠ 2"):
        explain(made_cnn(), ["wa", "wb"], deleted=[[]])


# ---- phrases and filters ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"target": "class 2"},
        {"target": "all", "deleted": [1, 3]},
        {"target": ["class 2", "class 0"], "against": "class 1"},
    ],
)
def test_phrases_asked_for_later_are_the_same(options: dict[str, Any]) -> None:
    model, text = made_cnn((1, 2)), "wa wb wc wa wb"
    asked, later = explain(model, text, level="phrase", **options), explain(model, text, **options)
    assert asked.units is not None
    assert later.units is None
    assert later.phrases() == asked.phrases()
    sums = asked.units.relevance.sum(axis=0)
    np.testing.assert_allclose(sums, asked.relevance.sum(axis=0), atol=1e-5)
    assert "phrases" not in later.fields()


def test_phrases_of_a_model_that_has_changed_or_is_gone() -> None:
    model = made_cnn()
    explanation = explain(model, "wa wb wc")
    model.network_.output_bias[:] += 1
    with pytest.raises(InputError, match="the model has changed since this was explained"):
        explanation.phrases()
    with pytest.raises(InputError, match=r"there no more, .* explain with level='phrase'"):
        explain(made_cnn(), "wa wb").phrases()
    pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
    pipeline.fit(["not good", "good", "so bad", "not bad"], ["bad", "good", "bad", "good"])
    phrases = explain(pipeline, "not so good", "good").phrases()
    assert {one.text for one in phrases} == {"not", "so", "good"}


def test_filters_of_several_texts() -> None:
    explanations = explain(made_cnn(), ["wa wb", ""], level="filter", ids=["a", "b"])
    assert [(one.id, one.words) for one in explanations] == [("a", ["wa", "wb"]), ("b", [])]


# ---- streams ------------------------------------------------------------------------------------


def test_texts_may_be_endless() -> None:
    def texts() -> Iterator[str]:
        for number in itertools.count():
            yield made_text([number % 7, 1, 2])

    for model in (made_cnn((1, 3)), small_svm()):
        explanations = list(itertools.islice(iter_explanations(model, texts()), 500, 503))
        assert [one.words[0] for one in explanations] == ["wd", "we", "wf"]
        assert all(one.relevance.base is None for one in explanations)  # no block is kept


def test_a_stream_that_does_not_fit_its_ids_or_targets() -> None:
    with pytest.raises(InputError, match="fewer ids than texts"):
        list(iter_explanations(made_cnn(), ["wa", "wb"], ids=["a"]))
    with pytest.raises(InputError, match="fewer targets than texts"):
        list(iter_explanations(made_cnn(), ["wa", "wb"], targets=iter(["class 1"])))
    with pytest.raises(InputError, match="texts must be a list of strings, not one string"):
        iter_explanations(made_cnn(), "wa")
    with pytest.raises(InputError, match=r"item 1 is missing \(None\)"):
        list(iter_explanations(small_svm(), ["wa", None]))  # type: ignore[list-item]


# ---- requests: checked at once, answered block by block ------------------------------------------


@pytest.mark.parametrize("against", [None, "crypto"])
def test_answers_of_a_request_are_those_of_explain(against: str | None) -> None:
    model, (texts, _) = small_svm(), topical(300)
    request = Request.of(model, "all", "lrp", against=against)
    expected = iter(explain(model, texts, "all", against=against))
    blocks = list(request.answers(texts))
    assert [len(trace.documents) for trace, _, _ in blocks] == [256, 44]
    for trace, targets, relevance in blocks:
        assert targets.tolist() == [[0, 1, 2]] * len(trace.documents)
        for words in relevance.words:
            one = next(expected)
            np.testing.assert_allclose(words, one.relevance, rtol=1e-6, atol=1e-7)
            assert request.recorded == one.parameters


@pytest.mark.parametrize("against", [None, "class 0"])
def test_answers_of_filters(against: str | None) -> None:
    model, texts = made_cnn((1, 2)), [made_text([0, 1]), ""]
    request = Request.of(model, "all", against=against, level="filter")
    expected = explain(model, texts, "all", against=against, level="filter")
    ((_, targets, relevance),) = request.filter_answers(texts)
    assert targets.tolist() == [[0, 1, 2]] * 2
    for values, constant, one in zip(relevance.filters, relevance.constant, expected, strict=True):
        np.testing.assert_allclose(values, one.relevance, atol=1e-6)
        np.testing.assert_array_equal(constant, one.constant)
    with pytest.raises(TypeError, match="random does not go through filters"):
        next(Request.of(model, "all", "random").filter_answers(texts))


def test_what_a_request_promises() -> None:
    svm = small_svm()
    asked = Request.of(svm, "space", against="hockey")
    shares = {"occurrences": "equal shares"}
    assert asked.recorded == {"bias": "shared", "against": "hockey"} | shares
    assert asked.conserves
    assert not Request.of(svm, "space", "sensitivity").conserves
    assert Request.of(made_cnn(), "predicted").method.name == "lrp"
    deleted = iter([np.array([1]), np.array([], np.intp)])
    texts = [made_text([0, 1, 2])] * 2
    ((trace, _, _),) = Request.of(made_cnn(), "predicted").answers(texts, deleted)
    expected = explain(made_cnn(), texts, deleted=[[1], []])
    np.testing.assert_array_equal(trace.scores, [one.scores for one in expected])
    with pytest.raises(InputError, match="level may be "):
        Request.of(svm, "predicted", level=None)  # type: ignore[arg-type]
    assert as_classifier(svm).identity == svm.identity


# ---- the real corpus ----------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize("width", [2, 3])
def test_relevance_is_conserved_on_every_real_document(
    news: Corpus, real_cnn: Callable[[int], CNNClassifier], width: int
) -> None:
    """7,532 documents × 20 classes."""
    count = 0
    for explanation in iter_explanations(
        real_cnn(width), news.test.texts, target="all", strict=True
    ):
        assert explanation.relevance.shape == (len(explanation.words), 20)
        count += 1
    assert count == 7532


@pytest.mark.real
def test_svm_relevance_is_conserved_on_every_real_document(news: Corpus) -> None:
    model = SVMClassifier(C=1.0, folds=2, max_words=400, ngrams=(1, 1))
    model.fit(news.train.texts, news.train.labels or [])
    explanations = iter_explanations(model, news.test.texts, target="all", strict=True)
    assert sum(1 for _ in explanations) == 7532
