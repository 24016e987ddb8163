"""Linear models: relevance by the literal formulas, and predictions without some words."""

import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import oracle
import pytest
from networks import small_svm, topical
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import Reader, SVMClassifier, explain, from_pipeline, tokenize
from whyword.models.erasure import text_without
from whyword.models.linear import group_changes
from whyword.models.linear.ngram_trace import NgramTrace
from whyword.models.linear.tfidf import TfIdf
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import Erasable
from whyword.models.word_groups import WordGroups

Linear: TypeAlias = SVMClassifier | PipelineClassifier


@cache
def pipeline(vectorizer: Callable[[], CountVectorizer] | None = None) -> PipelineClassifier:
    made = TfidfVectorizer(ngram_range=(1, 2)) if vectorizer is None else vectorizer()
    fitted = make_pipeline(made, LogisticRegression()).fit(*topical(60))
    wrapped: PipelineClassifier = from_pipeline(fitted)
    return wrapped


MODELS: list[Callable[[], Linear]] = [small_svm, pipeline]
TEXTS = ["moon orbit, the moon", "", "unheard", "Puck goal ice"]
RULES: list[dict[str, Any]] = [
    {"bias": "shared"},
    {"bias": "apart"},
    {"method": "gradient_input"},
    {"method": "integrated_gradients"},
]


@pytest.mark.parametrize("make", MODELS)
def test_blocks_have_the_models_own_predictions(
    make: Callable[[], Linear], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make()
    (whole,) = model.trace(TEXTS)
    assert (
        type(whole)
        is model.trace_kind
        is (TfIdfTrace if isinstance(model, SVMClassifier) else PipelineTrace)
    )
    np.testing.assert_array_equal(whole.scores, model.class_scores(TEXTS))
    np.testing.assert_allclose(whole.probabilities, model.predict_proba(TEXTS))
    np.testing.assert_allclose(whole.probabilities_of(whole.scores[None])[0], whole.probabilities)
    assert whole.known_words.tolist() == model.known_words(TEXTS).tolist()
    assert [known.any() for known in whole.known] == [True, False, False, True]
    texts = TEXTS * 65
    assert [len(part) for part in model.trace(texts)] == [256, 4]
    assert [d.text for part in model.trace(texts) for d in part.documents] == texts


# ---- relevance ----------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_relevance_of_a_bag_of_words(rule: dict[str, Any], classes: int) -> None:
    model = small_svm(classes)
    features = model.features_
    assert isinstance(features, TfIdf)
    index = {word: place for place, word in enumerate(features.words)}
    shared = rule.get("bias") == "shared"
    for text in [*topical(3, classes)[0], "Orbit orbit ORBIT moon unheard", "moon"]:
        row = features.row_of(features.read(text))
        values = {features.words[p]: x for p, x in zip(*row, strict=True)}
        explanation = explain(model, text, "all", strict=True, **rule)
        occurrences = Counter(word.lower() for word in explanation.words)
        for k in range(classes):
            weights = {word: model.output_weight_[index[word], k] for word in values}
            bias = model.output_bias_[k] if shared else 0
            expected = oracle.linear_lrp(values, weights, bias)
            for word, value in zip(explanation.words, explanation.relevance[:, k], strict=True):
                one = expected.get(word.lower(), 0) / occurrences[word.lower()]
                assert value == pytest.approx(one, abs=1e-6)
        constants = [oracle.linear_constant(bias, shared) for bias in model.output_bias_]
        np.testing.assert_allclose(explanation.constant, constants, atol=1e-12)


@pytest.mark.parametrize("rule", RULES[:3], ids=str)
def test_the_bias_of_a_text_without_a_known_word(rule: dict[str, Any]) -> None:
    model = small_svm()
    shared = rule.get("bias") == "shared"
    for text in ("", "unheard things", "12 34"):
        explanation = explain(model, text, "all", strict=True, **rule)
        assert not explanation.relevance.any()
        assert not explanation.known.any()
        np.testing.assert_allclose(explanation.padding, model.output_bias_ * shared)
        np.testing.assert_allclose(explanation.constant, model.output_bias_ * (not shared))


def marked(text: str) -> list[str]:
    """Return the words of a text, and one that stands nowhere in it."""
    return [*text.lower().split(), f"<{len(text) % 2}>"]


@pytest.mark.parametrize("rule", RULES[:3], ids=str)
def test_features_without_a_place_are_padding_not_constant(rule: dict[str, Any]) -> None:
    model = pipeline(lambda: CountVectorizer(analyzer=marked))
    for text in ("moon orbit the", ""):
        explanation = explain(model, text, "all", strict=True, **rule)
        assert explanation.words == text.split()
        assert (np.abs(explanation.padding) > 0).any()
        apart = "bias" not in rule or rule["bias"] == "apart"
        np.testing.assert_allclose(explanation.constant, model.output_bias_ * apart)


def test_sensitivity_is_the_squared_weight() -> None:
    model = small_svm()
    explanation = explain(model, "moon goal moon unheard", target="all", method="sensitivity")
    index = {word: place for place, word in enumerate(model.features_.words)}
    for word in ("moon", "goal"):
        squares = model.output_weight_[index[word]] ** 2
        np.testing.assert_allclose(explanation.by_word()[word], squares, rtol=1e-5)
    assert (explanation.by_word()["unheard"] == 0).all()
    assert (explanation.padding == 0).all()


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("method", ["lrp", "gradient_input"])
def test_units_and_phrases_add_up_to_the_words(make: Callable[[], Linear], method: str) -> None:
    (trace,) = make().trace(TEXTS)
    targets = np.array([[0, 2]] * 4, np.int32)
    rule = {"bias": "shared"} if method == "lrp" else {}
    relevance = getattr(trace, method)(targets, **rule)
    several = getattr(trace, f"{method}_phrases")(targets, **rule)
    for bag, units, words, phrases, text in zip(
        trace.bags, relevance.units, relevance.words, several, TEXTS, strict=True
    ):
        assert units.shape == (len(bag.row.places), 2)
        np.testing.assert_allclose(words.sum(axis=0), units.sum(axis=0), atol=1e-9)
        assert len(phrases.names) == len(phrases.spans) == len(phrases.relevance)
        np.testing.assert_allclose(phrases.relevance.sum(axis=0), words.sum(axis=0), atol=1e-12)
        for name, (start, end) in zip(phrases.names, phrases.spans.tolist(), strict=True):
            assert tokenize(name).words == tokenize(text[start:end].lower()).words


def test_occurrences_of_a_word_in_ngrams_have_shares_of_their_own() -> None:
    one = explain(made((1, 2), True), "moon the moon unheard moon", "all")
    assert "occurrences" not in one.parameters
    assert not np.allclose(one.relevance[0], one.relevance[2])
    assert explain(small_svm(), "moon", "all").parameters["occurrences"] == "equal shares"


# ---- words that go ------------------------------------------------------------------------------

MOONS = [
    "moon the Moon goal moon unheard puck the moon the moon",
    *("moon moon", "moon moon moon", "moon", "the unheard moon", "unheard", "", "the goal"),
]
KINDS = [
    ((1, 1), True, None),
    ((1, 1), False, "the"),
    ((1, 2), True, "the"),
    ((2, 2), False, None),
    ((1, 3), False, "the"),
    ((5, 5), True, None),
]


@cache
def made(lengths: tuple[int, int], sublinear: bool, stop: str | None = None) -> SVMClassifier:
    """Return a model that knows n-grams of the texts, with random weights."""
    texts, labels = topical(30)
    texts = [f"{text} {MOONS[number % 4]} moon moon moon" for number, text in enumerate(texts)]
    model = SVMClassifier(
        ngrams=lengths,
        min_documents=1,
        stop_words=None if stop is None else [stop],
        C=1.0,
        folds=2,
        sublinear=sublinear,
        reader=Reader(ignore=["goal"]),
    ).fit(texts, labels)
    random = np.random.default_rng(0)
    model.output_weight_ = random.normal(size=model.output_weight_.shape)
    return model


def scores_without(model: Linear, text: str, gone: list[int]) -> NDArray[np.float64]:
    document = tokenize(text)
    rest = text_without(document, np.isin(np.arange(len(document)), gone))
    scores: NDArray[np.float64] = model.class_scores([rest])[0]
    return scores


def check_steps(
    model: Linear, text: str, order: list[int], insert: bool, deleted: list[int] | None = None
) -> None:
    """Compare the scores after each step with those of predicting what is left."""
    gone = [[], deleted or [], []]
    texts = ["moon goal", text, "the moon"]
    (trace,) = model.trace(texts, deleted=iter([np.array(one, np.intp) for one in gone]))
    assert isinstance(trace, Erasable)
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    erased = trace.erase(np.array([1]), orders, insert, np.arange(len(order) + 1))
    np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
    every = set(range(len(tokenize(text))))
    for k, scores in enumerate(erased.scores[0, 0]):
        changed = {word for word in order[:k] if word >= 0}
        left = (every - changed if insert else changed) | {*(deleted or [])}
        expected = scores_without(model, text, sorted(left))
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_words_go_and_come_one_by_one(kind: tuple[Any, ...]) -> None:
    model = made(*kind)
    assert model.trace_kind is (TfIdfTrace if kind[0] == (1, 1) else NgramTrace)
    for number, text in enumerate(MOONS):
        order = np.random.default_rng(number).permutation(len(tokenize(text))).tolist()
        check_steps(model, text, order, insert=False)
        check_steps(model, text, order, insert=True)


@pytest.mark.parametrize("insert", [True, False])
def test_words_in_an_order_with_gaps_and_without_deleted_ones(insert: bool) -> None:
    for model in (made((1, 2), True), made((1, 1), True), pipeline()):
        check_steps(model, MOONS[0], [8, -1, 2, 0, -1], insert)
        check_steps(model, MOONS[0], [0, 4, 1, 6], insert, deleted=[1, 3])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_occlusion_equals_predicting_without_the_word(kind: tuple[Any, ...]) -> None:
    model = made(*kind)
    for text in MOONS:
        explanation = explain(model, text, target="all", method="occlusion")
        whole = model.class_scores([text])[0]
        for number in range(len(explanation.words)):
            expected = whole - scores_without(model, text, [number])
            np.testing.assert_allclose(explanation.relevance[number], expected, atol=1e-6)


@pytest.mark.parametrize("method", ["lrp", "occlusion"])
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]], ids=str)
def test_deleted_words_are_as_if_they_were_not_there(kind: tuple[Any, ...], method: str) -> None:
    model, text, document = made(*kind), MOONS[0], tokenize(MOONS[0])
    gone = np.isin(np.arange(len(document)), [1, 5, 9])
    one = explain(model, text, "all", method=method, deleted=[1, 5, 9])
    other = explain(model, text_without(document, gone), "all", method=method)
    np.testing.assert_allclose(one.relevance[~gone], other.relevance, atol=1e-6)
    assert not one.relevance[gone].any()


@pytest.mark.parametrize("at_once", [1, 1 << 17])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_groups_of_words(
    kind: tuple[Any, ...], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Single words, random ones, none and all, in any portions, deleted ones gone already."""
    monkeypatch.setattr(group_changes, "_AT_ONCE", at_once)
    model, random = made(*kind), np.random.default_rng(1)
    texts = [MOONS[0], *MOONS[::-1]]
    deleted = [[1, 5, 9], *([] for _ in MOONS)]
    groups = [
        [
            *([t] for t in range(length)),
            *(np.flatnonzero(random.random(length) < share).tolist() for share in (0.3, 0.7)),
            [],
            list(range(length)),
        ]
        for length in (len(tokenize(text)) for text in texts)
    ]
    gone: Iterator[NDArray[np.intp]] = (np.array(one, np.intp) for one in deleted)
    (trace,) = model.trace(texts, deleted=gone)
    assert isinstance(trace, TfIdfTrace)
    expected = [
        scores_without(model, text, [*one, *group])
        for text, one, each in zip(texts, deleted, groups, strict=True)
        for group in each
    ]
    scores = trace.scores_without(WordGroups.of(groups))
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


def test_what_is_left_of_a_long_text_is_not_lost_in_rounding() -> None:
    """Without the word that makes almost all of the norm, the rest has unit length."""
    model = made((1, 2), False)
    (trace,) = model.trace(["moon " * 2_000 + "puck the"])
    assert isinstance(trace, TfIdfTrace)
    scores = trace.scores_without(WordGroups.of([[range(2_000), range(1, 2_000)]]))
    expected = model.class_scores(["puck the", "moon puck the"])
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def test_classes_that_are_not_asked_for_take_no_memory() -> None:
    model = copy(made((1, 2), True))
    model.classes_ = np.arange(1_000).astype(str)
    model.output_weight_ = np.ones((len(model.features_.ngrams), 1_000))
    model.output_bias_ = np.zeros(1_000)
    (trace,) = model.trace(["moon the moon " * 1_000])
    assert isinstance(trace, NgramTrace)
    tracemalloc.start()
    trace.occlusion(np.array([[3]]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000  # words times classes would be 24 MB, several times


# ---- vectors ------------------------------------------------------------------------------------


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
    relevance = trace.gradient_input(np.array([[1]] * 4, np.int32))
    expected = own.toarray() * model.output_weight_[:, 1]
    np.testing.assert_allclose(trace.summary(relevance).toarray(), expected, rtol=1e-5)
    assert isinstance(trace, TfIdfTrace | PipelineTrace)
    occlusion = trace.occlusion(np.array([[1]] * 4, np.int32))
    assert occlusion.units is None
    sums = [
        words[:, 0][known].sum() for words, known in zip(occlusion.words, trace.known, strict=True)
    ]
    np.testing.assert_allclose(trace.summary(occlusion).sum(axis=1).A1, sums, atol=1e-6)


@pytest.mark.parametrize("make", MODELS)
def test_what_each_word_adds_to_the_vector(make: Callable[[], Linear]) -> None:
    (trace,) = make().trace(TEXTS[:1])
    relevance = trace.lrp(np.array([[1]], np.int32), bias="shared")
    each = trace.summary(relevance, each=True)
    np.testing.assert_allclose(each.sum(axis=1).A1, relevance.words[0][:, 0], atol=1e-6)
    whole = trace.summary(relevance).toarray()[0]
    np.testing.assert_allclose(each.toarray().sum(axis=0), whole, atol=1e-6)
    (several,) = make().trace([*TEXTS[:1], "", *TEXTS[:1]])
    relevance = several.lrp(np.array([[1]] * 3, np.int32), bias="shared")
    rows = several.summary(relevance, each=True).toarray()
    np.testing.assert_array_equal(rows, np.concatenate([each.toarray()] * 2))
