"""Linear models: the formulas literally, and what can be asked of their traces."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import oracle
import pytest
from networks import topical
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import SVMClassifier, explain, from_pipeline, tokenize
from whyword.models.erasure import text_without
from whyword.models.linear import trace as module
from whyword.models.linear.tfidf import TfIdf
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Erasable


def svm(classes: int = 3) -> SVMClassifier:
    return SVMClassifier(C=1.0).fit(*topical(60, classes))


def pipeline(vectorizer: CountVectorizer | None = None) -> PipelineClassifier:
    made = make_pipeline(vectorizer or TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    wrapping: PipelineClassifier = from_pipeline(made.fit(*topical(60)))
    return wrapping


Linear: TypeAlias = SVMClassifier | PipelineClassifier
MODELS: list[Callable[[], Linear]] = [svm, pipeline]
TEXTS = ["moon orbit, the moon", "", "unheard", "Puck goal ice"]


def test_the_kind_is_known_before_any_text_is_read() -> None:
    assert svm().trace_kind is TfIdfTrace
    assert pipeline().trace_kind is PipelineTrace


@pytest.mark.parametrize("make", MODELS)
def test_blocks_do_not_show(make: Callable[[], Linear], monkeypatch: pytest.MonkeyPatch) -> None:
    model = make()
    (whole,) = model.trace(TEXTS)
    monkeypatch.setattr(module, "_DOCUMENTS", 3)
    parts = list(model.trace(TEXTS))
    assert [len(part) for part in parts] == [3, 1]
    np.testing.assert_array_equal(np.concatenate([part.scores for part in parts]), whole.scores)
    assert [d.text for part in parts for d in part.documents] == TEXTS


@pytest.mark.parametrize("make", MODELS)
def test_it_is_the_models_own_prediction(make: Callable[[], Linear]) -> None:
    model = make()
    (trace,) = model.trace(TEXTS)
    np.testing.assert_array_equal(trace.scores, model.class_scores(TEXTS))
    np.testing.assert_allclose(trace.probabilities, model.predict_proba(TEXTS))
    np.testing.assert_allclose(trace.probabilities_of(trace.scores[None])[0], trace.probabilities)
    assert trace.known_words.tolist() == model.known_words(TEXTS).tolist()
    assert [known.any() for known in trace.known] == [True, False, False, True]


# ---- layer-wise relevance ---------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_svm_equals_the_literal_formula(classes: int) -> None:
    texts, labels = topical(60, classes)
    model = SVMClassifier(C=1.0).fit(texts, labels)
    features = model.features_
    assert isinstance(features, TfIdf)
    index = {word: place for place, word in enumerate(model.features_.words)}
    for text in [*texts[:5], "Orbit orbit ORBIT moon unheard", "moon"]:
        row = features.row_of(features.read(text))
        values = {model.features_.words[p]: x for p, x in zip(*row, strict=True)}
        explanation = explain(model, text, target="all")
        assert explanation.conserved
        for k in range(classes):
            weights = {word: model.output_weight_[index[word], k] for word in values}
            expected = oracle.linear_lrp(values, weights, model.output_bias_[k])
            pooled = {word: value[k] for word, value in explanation.by_word().items()}
            for word, value in expected.items():
                assert pooled.pop(word) == pytest.approx(value, abs=1e-6)
            assert all(value == 0 for value in pooled.values())


def test_svm_occurrences_share_the_words_value() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    explanation = explain(model, "moon the moon Moon", target="space")
    assert explanation.words == ["moon", "the", "moon", "Moon"]
    assert explanation.relevance[0] == explanation.relevance[2] == explanation.relevance[3]
    assert explanation.by_word()["moon"] == pytest.approx(3 * float(explanation.relevance[0]))


def test_svm_without_a_known_word_reports_the_bias_as_padding() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    for text in ("", "unheard things", "12 34"):
        explanation = explain(model, text, target="all", strict=True)
        assert (explanation.relevance == 0).all()
        np.testing.assert_allclose(explanation.padding, model.output_bias_)
        assert not explanation.known.any()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "rule", [{"bias": "shared"}, {"bias": "apart"}, {"method": "gradient_input"}]
)
def test_the_constant_equals_the_literal_formula(rule: dict[str, Any], classes: int) -> None:
    model = svm(classes)
    shared = rule.get("bias") == "shared"
    for text in (*TEXTS, "moon goal moon"):
        explanation = explain(model, text, "all", strict=True, **rule)
        expected = [oracle.linear_constant(bias, shared) for bias in model.output_bias_]
        np.testing.assert_allclose(explanation.constant, expected, atol=1e-12)
        total = (
            explanation.relevance.sum(axis=0, dtype=float)
            + explanation.padding
            + explanation.constant
        )
        np.testing.assert_allclose(total, explanation.scores, atol=1e-6)


def test_a_bias_apart_is_the_constant() -> None:
    model = svm()
    explanation = explain(model, "moon orbit the", target="space", bias="apart")
    assert explanation.constant == pytest.approx(float(model.output_bias_[2]), abs=1e-6)
    assert explanation.residual == pytest.approx(0, abs=1e-6)
    left = explanation.score - explanation.relevance.sum(dtype=float)
    assert left == pytest.approx(float(model.output_bias_[2]), abs=1e-6)


def test_gradient_input_leaves_the_bias() -> None:
    model = svm()
    explanation = explain(model, "moon goal moon", target="all", method="gradient_input")
    np.testing.assert_allclose(explanation.constant, model.output_bias_, atol=1e-6)
    left = explanation.scores - explanation.relevance.sum(axis=0, dtype=float) - explanation.padding
    np.testing.assert_allclose(left, model.output_bias_, atol=1e-6)


@pytest.mark.parametrize(
    "rule", [{"bias": "shared"}, {"bias": "apart"}, {"method": "gradient_input"}]
)
def test_features_without_a_place_are_padding_not_constant(rule: dict[str, Any]) -> None:
    def words(text: str) -> list[str]:
        return [*text.lower().split(), f"<{len(text) % 2}>"]

    model = pipeline(CountVectorizer(analyzer=words))
    for text in ("moon orbit the", ""):
        explanation = explain(model, text, "all", strict=True, **rule)
        assert (np.abs(explanation.padding) > 0).any()
        apart = "bias" not in rule or rule["bias"] == "apart"
        np.testing.assert_allclose(explanation.constant, model.output_bias_ * apart)


def test_sensitivity_is_the_squared_weight() -> None:
    model = svm()
    explanation = explain(model, "moon goal moon unheard", target="all", method="sensitivity")
    index = {word: place for place, word in enumerate(model.features_.words)}
    for word in ("moon", "goal"):
        squares = model.output_weight_[index[word]] ** 2
        np.testing.assert_allclose(explanation.by_word()[word], squares, rtol=1e-5)
    assert (explanation.by_word()["unheard"] == 0).all()


@pytest.mark.parametrize("make", MODELS)
def test_units_are_what_the_words_share(make: Callable[[], Linear]) -> None:
    (trace,) = make().trace(TEXTS)
    targets = np.array([[0, 2]] * 4, np.int32)
    for relevance in (trace.lrp(targets, bias="shared"), trace.sensitivity(targets)):
        assert relevance.units is not None
        for bag, units, words in zip(trace.bags, relevance.units, relevance.words, strict=True):
            assert units.shape == (len(bag.row.places), 2)
            np.testing.assert_allclose(words.sum(axis=0), units.sum(axis=0), atol=1e-9)


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("rule", [{"bias": "shared"}, {"bias": "apart"}])
def test_phrases_add_up_to_what_the_words_add_up_to(
    make: Callable[[], Linear], rule: dict[str, Any]
) -> None:
    (trace,) = make().trace(TEXTS)
    targets = np.array([[0, 2]] * 4, np.int32)
    phrases, words = trace.lrp_phrases(targets, **rule), trace.lrp(targets, **rule).words
    for some, relevance, text in zip(phrases, words, TEXTS, strict=True):
        assert len(some.names) == len(some.spans) == len(some.relevance)
        np.testing.assert_allclose(some.relevance.sum(axis=0), relevance.sum(axis=0), atol=1e-12)
        for name, (start, end) in zip(some.names, some.spans.tolist(), strict=True):
            assert tokenize(name).words == tokenize(text[start:end].lower()).words


# ---- words that go ----------------------------------------------------------------------------


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("insert", [True, False])
def test_words_that_are_deleted_from_the_start_stay_away(
    make: Callable[[], Linear], insert: bool
) -> None:
    model, text = make(), "moon goal rocket moon and key"
    (trace,) = model.trace([text], deleted=iter([np.array([1, 3])]))
    assert isinstance(trace, Erasable)
    np.testing.assert_allclose(trace.scores, model.class_scores(["moon rocket and key"]))
    orders = np.array([[[0, 4, 1]]], np.int32)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(4)).scores[0, 0]
    document = tokenize(text)
    steps = [[], [0], [0, 4], [0, 4]]  # word 1 is gone already
    for scores, changed in zip(erased, steps, strict=True):
        gone = np.full(len(document), insert)
        gone[changed] = not insert
        gone[[1, 3]] = True
        np.testing.assert_allclose(scores, model.class_scores([text_without(document, gone)])[0])


# ---- vectors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MODELS)
def test_vectors_are_the_features_relevance(make: Callable[[], Linear]) -> None:
    model = make()
    (trace,) = model.trace(TEXTS)
    binary, own = trace.summary(trace.uniform()), trace.summary(trace.tfidf())
    assert issparse(own)
    for number, text in enumerate(TEXTS):
        row = model.input_matrix(text).toarray()[0]
        np.testing.assert_allclose(own.toarray()[number], row, rtol=1e-6)
        np.testing.assert_array_equal(binary.toarray()[number], row != 0)
    targets = np.array([[1]] * 4, np.int32)
    relevance = trace.gradient_input(targets)
    expected = own.toarray() * model.output_weight_[:, 1]
    np.testing.assert_allclose(trace.summary(relevance).toarray(), expected, rtol=1e-5)


@pytest.mark.parametrize("make", MODELS)
def test_what_each_word_adds_to_the_vector(make: Callable[[], Linear]) -> None:
    (trace,) = make().trace(TEXTS[:1])
    relevance = trace.lrp(np.array([[1]], np.int32), bias="shared")
    each = trace.summary(relevance, each=True)
    assert each.shape[0] == 4
    whole = trace.summary(relevance).toarray()[0]
    np.testing.assert_allclose(each.toarray().sum(axis=0), whole, atol=1e-6)
    (several,) = make().trace([*TEXTS[:1], "", *TEXTS[:1]])
    relevance = several.lrp(np.array([[1]] * 3, np.int32), bias="shared")
    rows = several.summary(relevance, each=True).toarray()
    np.testing.assert_array_equal(rows, np.concatenate([each.toarray()] * 2))
