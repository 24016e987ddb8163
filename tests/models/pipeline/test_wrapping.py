"""Ordinary pipelines, wrapped: predictions are scikit-learn's, and relevance adds up to them."""

import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from networks import topical
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC
from wrapped import (
    FRAMES,
    LINEAR,
    NOT_LINEAR,
    NOT_LINEAR_SCORES,
    OF_TWO,
    columns,
    fit,
    fitted,
    frame,
    words,
)

from whyword import InputError, Reader, class_words, explain, from_pipeline, load_model
from whyword.models.blackbox import BlackBox, as_classifier
from whyword.models.erasure import text_without
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.frames import Frames, frames_of
from whyword.models.pipeline.graph import Graph
from whyword.models.pipeline.heads import linear_of
from whyword.models.pipeline.links import LINKS, Link, clipped, sigmoids
from whyword.models.pipeline.probes import NotLinearError
from whyword.models.pipeline.wrapping import FramePipeline, adopt
from whyword.models.probabilities import softmax
from whyword.words.tokenizer import Tokenizer

EVERY = LINEAR | FRAMES | OF_TWO
QUICK = {  # one for each kind of step, head and link
    *("the tutorial's", "sublinear by a transformer", "weighted parts", "parts with steps"),
    *("a union over features", "hashed, colliding, binary", "by elimination"),
    *("topics, centred, of length 1", "components", "topics in a range", "modified Huber"),
    *("log loss", "naive Bayes", "complement", "Bernoulli above a threshold"),
    *("scaled against the rest", "calibrated", "calibrated pipelines", "a search at the end"),
    *("one column, several vectorisers", "steps that do nothing", "a linear kernel"),
    *("fitted before, then calibrated", "somebody's own vectoriser"),
}
CASES = [
    pytest.param(name, classes, marks=[] if classes == 2 or name in QUICK else slow)
    for slow in [pytest.mark.slow(reason="many pipelines")]
    for name in EVERY
    for classes in ((2,) if name in OF_TWO else (2, 3) if name in QUICK else (3,))
]
HOSTILE = ["", "zzz", "\ud800 moon", "moon\0moon", "The MOON, the moon! orbit", "x" * 5_000]
TEXTS = ["the rocket and the moon", "goal", ""]
# what cannot be saved, and why
UNSAVED = {
    "calibrated": "probabilities in a way of its own",
    "somebody's own": "Shouting is a class of your own",
}


def texts_to_try(classes: int) -> list[str]:
    return [*topical(6, classes, seed=7)[0], *HOSTILE]


def close(ours: Any, expected: Any) -> None:  # noqa: ANN401
    scale = max(1.0, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize(("name", "classes"), CASES)
def test_a_wrapped_pipeline_predicts_what_the_pipeline_does(name: str, classes: int) -> None:
    pipeline, texts = fitted(name, classes), texts_to_try(classes)
    model = from_pipeline(pipeline)
    assert isinstance(model, PipelineClassifier)
    if "hashed" in name:  # which scikit-learn refuses: it cannot be encoded
        assert len(model.predict(texts)) == len(texts)
        texts = [text for text in texts if "\ud800" not in text]
    given = frame(texts) if name in FRAMES else texts
    assert model.predict(texts).tolist() == pipeline.predict(given).tolist()
    if hasattr(pipeline, "decision_function"):
        close(model.decision_function(texts), pipeline.decision_function(given))
    if hasattr(pipeline, "predict_proba"):
        close(model.predict_proba(texts), pipeline.predict_proba(given))
    (trace,) = model.trace(texts)
    assert model.classes_[trace.predicted].tolist() == pipeline.predict(given).tolist()
    close(trace.probabilities, model.predict_proba(texts))


@pytest.mark.parametrize(("name", "classes"), CASES)
def test_relevance_adds_up(name: str, classes: int) -> None:
    model, texts = from_pipeline(fitted(name, classes)), texts_to_try(classes)
    (trace,) = model.trace(texts)
    targets = np.tile(np.arange(classes, dtype=np.int32), (len(texts), 1))
    for rule in ({"bias": "shared"}, {"bias": "apart"}):
        relevance, phrases = trace.lrp(targets, **rule), trace.lrp_phrases(targets, **rule)
        sums = np.array([one.sum(axis=0) for one in relevance.words])
        close(sums + relevance.padding + relevance.constant, trace.scores)
        close(np.array([one.relevance.sum(axis=0) for one in phrases]), sums)
        for document, one in zip(trace.documents, phrases, strict=True):
            assert (one.spans >= 0).all()
            assert (one.spans[:, 1] <= len(document.text)).all()
    names = {name for one in phrases for name in one.names}
    features = model.features_.graph.vectorizers
    if any(one.by_word and one.vectorizer.ngram_range == (1, 2) for one in features):
        assert any(" " in name for name in names)
    seen = {
        name for one in features for text in texts for name in one.vectorizer.build_analyzer()(text)
    }
    assert names <= seen


@pytest.mark.parametrize(("name", "classes"), [c for c in CASES if c.values[1] == 3])
def test_it_is_saved_and_loaded_or_says_why_not(name: str, classes: int, tmp_path: Path) -> None:
    model, texts = from_pipeline(fitted(name, classes)), texts_to_try(classes)
    reason = next((why for what, why in UNSAVED.items() if what in name), None)
    if reason is not None:
        with pytest.raises(InputError, match=reason):
            model.save(tmp_path / "m")
        assert model.identity is None
        assert not (tmp_path / "m").exists()
        return
    identity = model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert isinstance(again, PipelineClassifier)
    assert again.identity == identity == model.identity
    np.testing.assert_allclose(again.class_scores(texts), model.class_scores(texts), atol=1e-12)
    np.testing.assert_allclose(again.predict_proba(texts), model.predict_proba(texts), atol=1e-12)
    one, other = (explain(each, texts[:2], "all") for each in (model, again))
    for mine, its in zip(one, other, strict=True):
        np.testing.assert_allclose(mine.relevance, its.relevance, atol=1e-12)


# ---- an outside oracle --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["the tutorial's", "words and characters", "ridge"])
def test_relevance_is_scikit_learns_coefficients_times_its_values(name: str) -> None:
    pipeline = fitted(name, 3)
    model = from_pipeline(pipeline)
    before, classifier = pipeline[:-1], pipeline[-1]
    text = "The rocket reached the moon; the moon, and the goal"
    values = before.transform([text]).toarray()[0]
    np.testing.assert_allclose(model.input_matrix(text).toarray()[0], values)
    np.testing.assert_array_equal(model.weights["output_weight"], classifier.coef_.T)
    names = [name.rpartition("__")[2] for name in before.get_feature_names_out()]
    (trace,) = model.trace([text])
    for number in range(3):
        expected: dict[str, float] = {}
        for name_, value, weight in zip(names, values, classifier.coef_[number], strict=True):
            if value:
                expected[name_] = expected.get(name_, 0.0) + value * weight
        (phrases,) = trace.gradient_input_phrases(np.array([[number]], np.int32))
        ours: dict[str, float] = {}
        for unit, (relevance,) in zip(phrases.names, phrases.relevance, strict=True):
            ours[unit] = ours.get(unit, 0.0) + float(relevance)
        assert ours == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_naive_bayes_has_joint_log_probabilities_without_their_mean(classes: int) -> None:
    pipeline = fit(make_pipeline(words(), MultinomialNB()), classes)
    joint = pipeline[-1].predict_joint_log_proba(pipeline[0].transform(TEXTS))
    scores = from_pipeline(pipeline).class_scores(TEXTS)
    np.testing.assert_allclose(scores, joint - joint.mean(axis=1, keepdims=True), atol=1e-9)
    if classes == 2:
        np.testing.assert_allclose(scores[:, 0], -scores[:, 1], atol=1e-12)


# ---- links from scores to probabilities ---------------------------------------------------------

SCORES = np.array([[0.3, -0.5, 2.0], [-900.0, -900.0, -900.0], [-2.0, -3.0, -1.5]])


@pytest.mark.parametrize("name", LINKS)
def test_probabilities_sum_to_one(name: str) -> None:
    for scores in (SCORES, SCORES[None], SCORES[:, :2]):
        chances = Link(name, 0.5).probabilities(scores)
        assert chances.shape == scores.shape
        np.testing.assert_allclose(chances.sum(axis=-1), 1)


def test_formulas_of_links() -> None:
    each = 1 / (1 + np.exp(-SCORES[0]))
    np.testing.assert_allclose(sigmoids(SCORES)[0], each / each.sum())
    np.testing.assert_allclose(clipped(SCORES)[0], np.array([0.65, 0.25, 1.0]) / 1.9)
    np.testing.assert_allclose(clipped(SCORES)[2], 1 / 3)  # all at the lower end
    two = np.array([[-0.4, 0.4]])
    np.testing.assert_allclose(
        Link("softmax", 2.0).probabilities(two)[0, 1], 1 / (1 + np.exp(-0.4))
    )
    np.testing.assert_array_equal(Link("own").probabilities(SCORES), softmax(SCORES))


@pytest.mark.parametrize(
    ("name", "classes", "link"),
    [
        ("tf-idf, SVM", 2, Link("softmax", 2.0)),
        ("tf-idf, SVM", 3, Link("softmax", 1.0)),
        ("counts", 2, Link("softmax", 2.0)),
        ("counts", 3, Link("softmax", 1.0)),
        ("log loss", 3, Link("sigmoids", 1.0)),
        ("modified Huber", 3, Link("clipped", 1.0)),
        ("calibrated", 3, Link("own", 1.0, by_score=False)),
        ("calibrated at once", 3, Link("own", 1.0, by_score=False)),
        ("naive Bayes", 2, Link("softmax", 1.0)),
    ],
)
def test_the_link_that_fits_is_chosen(name: str, classes: int, link: Link) -> None:
    found = from_pipeline(fitted(name, classes)).link_
    assert found == link
    assert (found.is_own, found.by_score) == (found.name == "own", found.name != "own")


def test_scores_of_a_calibrated_classifier_are_its_members_mean() -> None:
    pipeline = fitted("calibrated", 3)
    rows = pipeline[:-1].transform(TEXTS)
    members = [one.estimator for one in pipeline[-1].calibrated_classifiers_]
    expected = np.mean([one.decision_function(rows) for one in members], axis=0)
    np.testing.assert_allclose(from_pipeline(pipeline).class_scores(TEXTS), expected)


# ---- traces -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["calibrated", "topics, centred, of length 1", "hashed", "one column"]
)
def test_words_that_go(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    (trace,) = model.trace(TEXTS[:1], deleted=iter([np.array([2])]))
    document = trace.documents[0]
    orders = np.array([[[0, 4, -1]]], np.int32)
    erased = trace.erase(np.array([0]), orders, False, np.arange(4))
    gone = np.zeros(len(document), np.bool_)
    gone[2] = True
    np.testing.assert_allclose(
        trace.probabilities, model.predict_proba([text_without(document, gone)])
    )
    for step, word in enumerate([None, 0, 4, None]):
        if word is not None:
            gone[word] = True
        text = text_without(document, gone)
        np.testing.assert_allclose(erased.scores[0, 0, step], model.class_scores([text])[0])
        np.testing.assert_allclose(erased.probabilities[0, 0, step], model.predict_proba([text])[0])


@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_explanations_without_a_deleted_word(analyzer: str) -> None:
    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(1, 2))
    model = from_pipeline(fit(make_pipeline(vectorizer, LinearSVC(random_state=0)), 3))
    explanation = explain(model, "moon goal rocket moon and key", "all", deleted=[1], strict=True)
    without = explain(model, "moon rocket moon and key", "all")
    np.testing.assert_allclose(explanation.scores, without.scores)
    np.testing.assert_allclose(explanation.relevance[[0, 2, 3, 4, 5]], without.relevance, atol=1e-7)
    assert not explanation.relevance[1].any()


def test_one_name_at_one_place_is_one_phrase() -> None:
    model = from_pipeline(fitted("calibrated pipelines", 3))
    (trace,) = model.trace(["the moon and the moon"])
    (phrases,) = trace.lrp_phrases(np.array([[0]], np.int32), bias="apart")
    keys = list(zip(phrases.names, map(tuple, phrases.spans.tolist()), strict=True))
    assert len(set(keys)) == len(keys)
    assert {("moon", (4, 8)), ("moon", (17, 21))} <= set(keys)
    assert len(model.features_.graph.vectorizers) == 3


@pytest.mark.parametrize("name", ["topics", "parts with steps"])
def test_sensitivity_is_the_squared_gradient(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    (trace,) = model.trace(TEXTS)
    targets = np.array([[0, 2]] * 3, np.int32)
    for number, units in enumerate(trace.sensitivity(targets).units or ()):
        np.testing.assert_allclose(units, trace.gradient(number)[:, [0, 2]] ** 2)
    rows = trace.summary(trace.lrp(targets, bias="shared"))
    widths = [one.width for one in model.features_.graph.vectorizers]
    assert rows.shape == (3, trace.width) == (3, sum(widths))


def test_without_a_known_word_the_bias_is_padding() -> None:
    model = from_pipeline(fitted("topics, centred, of length 1", 3))
    one = explain(model, "", "all", strict=True)
    np.testing.assert_allclose(one.padding, one.scores, atol=1e-9)


# ---- the estimator ------------------------------------------------------------------------------


def test_a_wrapped_pipeline_as_an_estimator() -> None:
    reader = Reader(ignore=["moon"])
    model = from_pipeline(fitted("tf-idf, SVM", 3), reader=reader)
    assert model.get_params() == {"reader": reader}
    assert model.reader_ == clone(model).reader == reader
    plain = from_pipeline(fitted("tf-idf, SVM", 3))
    assert repr(plain) == "PipelineClassifier()"
    expected = model.class_scores(TEXTS)
    np.testing.assert_array_equal(plain.with_reader(reader).class_scores(TEXTS), expected)
    assert plain.provenance_["pipeline"].startswith("Pipeline(")
    assert {"the moon", "moon"} <= (plain.training_words or set())
    with pytest.raises(InputError, match="fit the pipeline and wrap it again"):
        model.fit(TEXTS, ["a", "b", "c"])
    with pytest.raises(InputError, match="use from_pipeline"):
        PipelineClassifier().predict(TEXTS)
    hashed = from_pipeline(fitted("hashed", 3))
    assert hashed.training_words is None
    found = class_words(hashed, TEXTS[:2])
    assert all(one.seen is None for several in found.values() for one in several)


@pytest.mark.parametrize("name", ["tf-idf, SVM", "calibrated"])
def test_shuffled_weights(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    other, again = model.shuffled("all", 0), model.shuffled("all", 0)
    np.testing.assert_array_equal(other.output_weight_, again.output_weight_)
    assert not np.array_equal(other.output_weight_, model.output_weight_)
    np.testing.assert_array_equal(
        np.sort(other.output_weight_, None), np.sort(model.output_weight_, None)
    )
    assert other.link_ == (Link() if name == "calibrated" else model.link_)
    np.testing.assert_allclose(other.predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize("name", ["words and characters", "one column, calibrated"])
def test_a_pickle_predicts_the_same(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    list(model.trace(TEXTS))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert model.predict_proba([]).shape == model.class_scores([]).shape == (0, 3)
    assert list(model.trace([])) == []
    assert len(model.predict([])) == 0


@pytest.mark.parametrize("labels", [[3, 7], [False, True], ["b", "a"], [1, 2, 3]])
def test_classes_of_any_type(labels: list[Any], tmp_path: Path) -> None:
    texts, names = topical(30, len(labels))
    of = dict(zip(sorted(set(names)), labels, strict=True))
    pipeline = make_pipeline(words(), LogisticRegression()).fit(texts, [of[name] for name in names])
    model = from_pipeline(pipeline)
    assert model.predict(texts[:4]).tolist() == pipeline.predict(texts[:4]).tolist()
    assert explain(model, texts[0]).predicted == pipeline.predict(texts[:1]).tolist()[0]
    model.save(tmp_path)
    assert load_model(tmp_path).classes_.tolist() == pipeline.classes_.tolist()


@pytest.mark.parametrize("classes", [2, 3])
def test_single_precision(classes: int, tmp_path: Path) -> None:
    pipeline = fit(make_pipeline(words(dtype=np.float32), LogisticRegression()), classes)
    model, texts = from_pipeline(pipeline), topical(5, classes, seed=3)[0]
    assert isinstance(model, PipelineClassifier)
    np.testing.assert_allclose(
        model.decision_function(texts), pipeline.decision_function(texts), atol=1e-5
    )
    assert not model.link_.is_own
    model.save(tmp_path)
    again = load_model(tmp_path)
    np.testing.assert_allclose(again.class_scores(texts), model.class_scores(texts), atol=1e-12)


# ---- what is not linear is a black box ----------------------------------------------------------


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_a_pipeline_that_is_not_linear_is_a_black_box(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    pipeline = fit(NOT_LINEAR[name][0](), 3, frames="frame" in name)
    with caplog.at_level(logging.WARNING, "whyword"):
        model = from_pipeline(pipeline)
        assert isinstance(from_pipeline(pipeline), BlackBox)
    assert isinstance(model, BlackBox)
    (record,) = caplog.records  # logged once
    assert record.getMessage().startswith("this Pipeline is explained as a black box, word by word")
    assert NOT_LINEAR[name][1] in record.getMessage()
    given = frame(TEXTS) if "frame" in name else TEXTS
    close(model.predict_proba(TEXTS), pipeline.predict_proba(given))
    assert explain(model, "the moon orbit").method == "occlusion"


@pytest.mark.parametrize("name", NOT_LINEAR_SCORES)
def test_heads_that_are_not_linear(name: str) -> None:
    with pytest.raises(NotLinearError, match=r"its (SVC|OneVsOneClassifier) is not linear"):
        linear_of(fitted(name, 3), None, Graph())


def test_heads_are_asked_for_their_scores(caplog: pytest.LogCaptureFixture) -> None:
    class Bent(LinearSVC):  # type: ignore[misc]
        def decision_function(self, X: Any) -> Any:  # noqa: ANN401, N803
            return np.tanh(super().decision_function(X))

    class Broken(LinearSVC):  # type: ignore[misc]
        def decision_function(self, X: Any) -> Any:  # noqa: ANN401, N803
            raise RuntimeError("no\nmore")

    class Odd(TfidfVectorizer):  # type: ignore[misc]
        def transform(self, raw_documents: list[str]) -> Any:  # noqa: ANN401
            return super().transform(raw_documents)

    for kind, said in (
        (Bent, "not linear in its features"),
        (Broken, r"failed \(RuntimeError: no\)"),
    ):
        with pytest.raises(NotLinearError, match=said):
            linear_of(fit(make_pipeline(words(), kind()), 3), None, Graph())
    with pytest.raises(NotLinearError, match="its Ridge is not linear"):
        linear_of(make_pipeline(words(), Ridge()).fit(["a bc", "cd e"], [0.0, 1.0]), None, Graph())
    assert isinstance(from_pipeline(fit(make_pipeline(Odd(), Bent()), 3)), BlackBox)

    class Failing(Pipeline):  # type: ignore[misc]
        def decision_function(self, X: Any) -> Any:  # noqa: ANN401, N803
            raise RuntimeError("no\nmore")

    failing = fit(Failing([("words", words()), ("svm", LogisticRegression())]), 3)
    assert isinstance(from_pipeline(failing), BlackBox)
    assert (
        caplog.records[-1].getMessage().endswith("its decision_function failed (RuntimeError: no)")
    )
    other = from_pipeline(fit(make_pipeline(Odd(), LogisticRegression()), 3))
    assert isinstance(other, PipelineClassifier)


@pytest.mark.parametrize("head", [LogisticRegression(), LinearSVC()])
def test_several_labels_are_a_multilabel_black_box(head: object) -> None:
    texts = topical(20)[0]
    several = MultiLabelBinarizer().fit_transform([["a", "b"], ["a"], ["b"], []] * 5)
    pipeline = make_pipeline(words(), OneVsRestClassifier(head)).fit(texts, several)
    assert isinstance(from_pipeline(pipeline), BlackBox)
    said = [one.predicted for one in explain(pipeline, texts)]
    assert said == [tuple(np.flatnonzero(row)) for row in pipeline.predict(texts)]


def test_a_vote_and_a_threshold_are_black_boxes(caplog: pytest.LogCaptureFixture) -> None:
    single = make_pipeline(CountVectorizer(), LogisticRegression())
    for made in (
        VotingClassifier([("one", single)], voting="soft"),
        FixedThresholdClassifier(single),
    ):
        model = from_pipeline(fit(made, 2))
        assert isinstance(model, BlackBox)
        assert f"its {type(made).__name__} reads texts in a way of its own" in caplog.text


def test_a_black_boxs_words_are_the_vectorizers() -> None:
    texts = ["I cannot log in", "log in again", "you cannot pay", "pay again"] * 5
    labels = ["login", "login", "billing", "billing"] * 5
    forest = RandomForestClassifier(10, random_state=0)
    pipeline = make_pipeline(TfidfVectorizer(), forest).fit(texts, labels)
    explanation = explain(pipeline, "I cannot log in", "login")
    assert explanation.words == ["cannot", "log", "in"]
    without = pipeline.predict_proba(["I  log in"])[0]
    whole = pipeline.predict_proba(["I cannot log in"])[0]
    expected = (whole - without)[list(pipeline.classes_).index("login")]
    assert explanation.relevance[0] == pytest.approx(expected, abs=1e-6)
    own = Reader(tokenizer=Tokenizer(rule="characters"))
    assert from_pipeline(pipeline, reader=own).reader_ == own


@pytest.mark.parametrize("name", ["tf-idf, SVM", "found by a grid", "calibrated pipelines"])
def test_explain_wraps_pipelines(name: str) -> None:
    pipeline, text = fitted(name, 3), "the rocket and the moon"
    ours, wrapped = explain(pipeline, text), explain(from_pipeline(pipeline), text)
    assert ours.method == "lrp"
    np.testing.assert_array_equal(ours.relevance, wrapped.relevance)
    assert isinstance(as_classifier(pipeline), PipelineClassifier)


def test_other_objects_are_not_wrapped() -> None:
    class Steps:
        steps = (1, 2)

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.5, 0.5] for _ in texts]

    assert adopt(Steps()) is adopt(None) is adopt(LinearSVC()) is None
    assert isinstance(as_classifier(Steps()), BlackBox)


# ---- what is refused ----------------------------------------------------------------------------


def test_pipelines_that_cannot_be_wrapped(tmp_path: Path) -> None:
    svm = make_pipeline(words(), LinearSVC())
    search = GridSearchCV(svm, {"linearsvc__C": [1]}, cv=2)
    texts, labels = topical(30)
    few = make_pipeline(CountVectorizer(max_features=3), LogisticRegression()).fit(texts, labels)
    few.steps[0] = ("more", CountVectorizer().fit(texts))
    path = tmp_path / "a.txt"
    path.write_text("moon goal")
    files = make_pipeline(CountVectorizer(input="filename"), LogisticRegression())
    half = make_pipeline(CountVectorizer(), LogisticRegression())
    for made, said in (
        ("models/svm", "is no scikit-learn pipeline"),
        (svm, "this Pipeline is not fitted yet; fit it first"),
        (search, "this GridSearchCV is not fitted yet"),
        (fit(clone(search).set_params(refit=False), 3), "refit=False, so it has no best estimator"),
        (LinearSVC().fit([[0.0], [1.0]], [0, 1]), "put the vectoriser before it"),
        (few, r"makes \d+ features, and it has weights for 3"),
        (files.fit([str(path)] * 2, ["a", "b"]), "make it with input='content'"),
        (
            make_pipeline(CountVectorizer(), MultinomialNB()).fit(["a b", "bc"], ["x", "x"]),
            "the pipeline has one class only; at least two are needed",
        ),
        (half.fit(["wa", "wc"], ["first", "half \ud800"]), "label 1 holds half a surrogate pair"),
    ):
        with pytest.raises(InputError, match=said):
            from_pipeline(made)
    with pytest.raises(InputError, match="is not fitted yet"):
        explain(make_pipeline(CountVectorizer(), LinearSVC()), "a text")


# ---- frames -------------------------------------------------------------------------------------

TABLE = pd.DataFrame(
    {"size": [1, 2, 3], "text": ["a moon", "a goal", "a key"], "place": list("xyz")}
)


def of_table(*parts: tuple[str, object, object], names: bool = True) -> Any:  # noqa: ANN401
    made = make_pipeline(ColumnTransformer(list(parts)), LogisticRegression())
    return made.fit(TABLE if names else TABLE.to_numpy(), ["s", "h", "c"])


def test_frames_of_texts() -> None:
    table = Frames("text", ("size", "text"), 2)(["a", "b"])
    assert table.to_dict("list") == {"size": ["", ""], "text": ["a", "b"]}
    assert Frames(1, ("size", "text"), 2)(["a"]).to_dict("list") == {"size": [""], "text": ["a"]}
    assert Frames(1, None, 3)(["a", "b"]).tolist() == [["", "a", ""], ["", "b", ""]]
    assert [Frames(1, ("size", "text"), 2).text_column, Frames(1, None, 2).text_column] == [
        *("text", 1)
    ]


def test_the_text_column_is_deduced() -> None:
    every = ("size", "text", "place")
    made = of_table(("words", CountVectorizer(), "text"))
    assert frames_of(made, None) == frames_of(made, "text") == Frames("text", every, 3)
    assert frames_of(of_table(("words", CountVectorizer(), 1)), "text") == Frames(1, every, 3)
    twice = of_table(("words", CountVectorizer(), 1), ("letters", CountVectorizer(), "text"))
    assert frames_of(twice, None) is not None
    calibrated = CalibratedClassifierCV(FrozenEstimator(made), ensemble=False)
    assert frames_of(calibrated.fit(pd.concat([TABLE] * 5), list("shc") * 5), None) is not None
    nameless = of_table(("words", CountVectorizer(), 1), names=False)
    assert from_pipeline(nameless).predict(["a goal"]).tolist() == ["h"]


def test_other_columns_are_refused() -> None:
    text, size = ("words", CountVectorizer(), "text"), ("size", "passthrough", ["size"])
    place = ("more", CountVectorizer(analyzer="char"), "place")
    for parts, read in (
        ([text, size], r"text, \['size'\] \(size\)"),
        ([text, place], "text, place"),
        ([size], r"\['size'\] \(size\)"),
    ):
        with pytest.raises(InputError, match=f"reads the columns {read}; only one that reads a te"):
            frames_of(of_table(*parts), None)


def test_a_frames_column() -> None:
    pipeline = fitted("one column", 3)
    same = from_pipeline(pipeline, column="body")
    close(same.decision_function(TEXTS), pipeline.decision_function(frame(TEXTS)))
    with pytest.raises(InputError, match=r"reads the columns body, not just 'id'; only one"):
        from_pipeline(pipeline, column="id")
    with pytest.raises(InputError, match=r"this pipeline reads texts, no frames: leave out column"):
        from_pipeline(fitted("tf-idf, SVM", 3), column="body")
    with pytest.raises(InputError, match=r"column must name a column, not True"):
        from_pipeline(pipeline, column=True)
    others = make_pipeline(columns(words(), remainder="passthrough"), LogisticRegression())
    with pytest.raises(InputError, match=r"only one that reads a text and no other column"):
        from_pipeline(fit(others, 3, frames=True))
    forest = from_pipeline(fit(NOT_LINEAR["a frame's forest"][0](), 3, frames=True))
    assert isinstance(forest.model, FramePipeline)
    assert hasattr(forest.model, "predict_proba")
    assert not hasattr(forest.model, "decision_function")
    assert list(forest.classes_) == list(same.classes_)
