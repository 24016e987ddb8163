"""Ordinary pipelines, wrapped: what scikit-learn says is what is said and explained."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import topical
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC
from wrapped import (
    FRAMES,
    LINEAR,
    NOT_LINEAR,
    OF_TWO,
    columns,
    fit,
    fitted,
    frame,
    words,
)

from whyword import InputError, Reader, explain, from_pipeline, load_model
from whyword.models.blackbox import BlackBox, as_classifier
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.wrapping import FramePipeline, adopt
from whyword.words.tokenizer import Tokenizer

EVERY = LINEAR | FRAMES | OF_TWO
CASES = [(name, classes) for name in EVERY for classes in ((2,) if name in OF_TWO else (2, 3))]
HOSTILE = ["", "zzz", "\ud800 moon", "moon\0moon", "The MOON, the moon! orbit", "x" * 5_000]
CLOSE = 1e-9
# what cannot be saved, and why
UNSAVED = {
    "calibrated": "probabilities in a way of its own",
    "somebody's own": "Shouting is a class of your own",
}


def texts_to_try(classes: int) -> list[str]:
    return [*topical(6, classes, seed=7)[0], *HOSTILE]


def close(ours: Any, expected: Any) -> None:  # noqa: ANN401
    scale = max(1.0, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(ours, expected, rtol=0, atol=CLOSE * scale)


def test_there_are_enough_of_them() -> None:
    assert len(EVERY) >= 40


@pytest.mark.parametrize(("name", "classes"), CASES)
@pytest.mark.slow(reason="many pipelines")
def test_it_says_what_the_pipeline_says(name: str, classes: int) -> None:
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
@pytest.mark.slow(reason="many pipelines")
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


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.slow(reason="many pipelines")
def test_it_is_saved_and_loaded_or_says_why_not(name: str, tmp_path: Path) -> None:
    classes = 2 if name in OF_TWO else 3
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


# ---- an outside oracle ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["the tutorial's", "tf-idf, SVM", "words and characters", "ridge"])
def test_relevance_is_scikit_learns_coefficients_times_its_values(name: str) -> None:
    pipeline = fitted(name, 3)
    model = from_pipeline(pipeline)
    before, classifier = pipeline[:-1], pipeline[-1]
    text = "The rocket reached the moon; the moon, and the goal"
    values = before.transform([text]).toarray()[0]
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


def test_topics_are_explained_by_their_words() -> None:
    pipeline = fitted("topics", 3)
    vectorizer, svd, classifier = pipeline
    text = "the rocket and the moon"
    (explanation,) = explain(from_pipeline(pipeline), [text], "all", method="gradient_input")
    values = vectorizer.transform([text]).toarray()[0]
    weights = svd.components_.T @ classifier.coef_.T
    whole = (values[:, None] * weights).sum(axis=0)
    np.testing.assert_allclose(explanation.relevance.sum(axis=0), whole, atol=1e-6)


# ---- black boxes ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_what_is_not_linear_is_a_black_box(name: str, caplog: pytest.LogCaptureFixture) -> None:
    pipeline = fit(NOT_LINEAR[name][0](), 3, frames="frame" in name)
    with caplog.at_level(logging.WARNING, "whyword"):
        model = from_pipeline(pipeline)
        assert isinstance(from_pipeline(pipeline), BlackBox)
    assert isinstance(model, BlackBox)
    (record,) = caplog.records  # said once
    assert record.getMessage().startswith("this Pipeline is explained as a black box, word by word")
    assert NOT_LINEAR[name][1] in record.getMessage()
    texts = ["the moon", "goal"]
    given = frame(texts) if "frame" in name else texts
    close(model.predict_proba(texts), pipeline.predict_proba(given))
    assert explain(model, "the moon orbit").method == "occlusion"


def test_a_transformer_that_is_not_what_it_is_called() -> None:
    class Odd(TfidfVectorizer):  # type: ignore[misc]
        def transform(self, raw_documents: list[str]) -> Any:  # noqa: ANN401
            return super().transform(raw_documents)

    class Doubling(LogisticRegression):  # type: ignore[misc]
        def decision_function(self, X: Any) -> Any:  # noqa: ANN401, N803
            return 2 * super().decision_function(X)

    pipeline = fit(make_pipeline(Odd(), Doubling()), 3)
    assert isinstance(from_pipeline(pipeline), BlackBox)
    assert isinstance(
        from_pipeline(fit(make_pipeline(Odd(), LogisticRegression()), 3)), PipelineClassifier
    )


@pytest.mark.parametrize("head", [LogisticRegression(), LinearSVC()])
def test_several_labels_are_a_black_box_that_knows_it(head: object) -> None:
    texts = topical(20)[0]
    several = MultiLabelBinarizer().fit_transform([["a", "b"], ["a"], ["b"], []] * 5)
    pipeline = make_pipeline(words(), OneVsRestClassifier(head)).fit(texts, several)
    assert isinstance(from_pipeline(pipeline), BlackBox)
    said = [one.predicted for one in explain(pipeline, texts)]
    assert said == [tuple(np.flatnonzero(row)) for row in pipeline.predict(texts)]


# ---- what is explained without being wrapped --------------------------------------------------


@pytest.mark.parametrize("name", ["tf-idf, SVM", "found by a grid", "calibrated pipelines"])
def test_explain_wraps_pipelines_by_itself(name: str) -> None:
    pipeline, text = fitted(name, 3), "the rocket and the moon"
    ours, wrapped = explain(pipeline, text), explain(from_pipeline(pipeline), text)
    assert ours.method == "lrp"
    np.testing.assert_array_equal(ours.relevance, wrapped.relevance)
    assert isinstance(as_classifier(pipeline), PipelineClassifier)


def test_others_are_not_wrapped() -> None:
    class Steps:
        steps = (1, 2)

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.5, 0.5] for _ in texts]

    assert adopt(Steps()) is adopt(None) is adopt(LinearSVC()) is None
    assert isinstance(as_classifier(Steps()), BlackBox)


# ---- what is refused --------------------------------------------------------------------------


def test_what_votes_or_has_a_threshold_is_a_black_box(caplog: pytest.LogCaptureFixture) -> None:
    single = make_pipeline(CountVectorizer(), LogisticRegression())
    for made in (
        VotingClassifier([("one", single)], voting="soft"),
        FixedThresholdClassifier(single),
    ):
        model = from_pipeline(fit(made, 2))
        assert isinstance(model, BlackBox)
        assert f"its {type(made).__name__} reads texts in a way of its own" in caplog.text


def test_what_is_no_fitted_pipeline() -> None:
    with pytest.raises(InputError, match="is no scikit-learn pipeline"):
        from_pipeline("models/svm")
    with pytest.raises(InputError, match="this Pipeline is not fitted yet; fit it first"):
        from_pipeline(make_pipeline(CountVectorizer(), LinearSVC()))
    search = GridSearchCV(make_pipeline(words(), LinearSVC()), {"linearsvc__C": [1]}, cv=2)
    with pytest.raises(InputError, match="this GridSearchCV is not fitted yet"):
        from_pipeline(search)
    with pytest.raises(InputError, match="refit=False, so it has no best estimator"):
        from_pipeline(fit(search.set_params(refit=False), 3))
    with pytest.raises(InputError, match="put the vectoriser before it"):
        from_pipeline(LinearSVC().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(InputError, match="is not fitted yet"):
        explain(make_pipeline(CountVectorizer(), LinearSVC()), "a text")


def test_files_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("moon goal")
    vectorizer = CountVectorizer(input="filename")
    pipeline = make_pipeline(vectorizer, LogisticRegression()).fit([str(path)] * 2, ["a", "b"])
    with pytest.raises(InputError, match="make it with input='content'"):
        from_pipeline(pipeline)


def test_names_of_classes_that_no_file_can_keep() -> None:
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    pipeline.fit(["wa wb", "wc wd"], ["first", "half \ud800"])
    with pytest.raises(InputError, match="label 1 holds half a surrogate pair"):
        from_pipeline(pipeline)


# ---- frames -----------------------------------------------------------------------------------


def test_a_frames_column() -> None:
    pipeline = fitted("one column", 3)
    texts = ["the moon", "goal"]
    same = from_pipeline(pipeline, column="body")
    close(same.decision_function(texts), pipeline.decision_function(frame(texts)))
    with pytest.raises(InputError, match=r"reads the columns body, not just 'id'; only one"):
        from_pipeline(pipeline, column="id")
    with pytest.raises(InputError, match=r"this pipeline reads texts, no frames: leave out column"):
        from_pipeline(fitted("tf-idf, SVM", 3), column="body")
    others = make_pipeline(columns(words(), remainder="passthrough"), LogisticRegression())
    with pytest.raises(InputError, match=r"only one that reads a text and no other column"):
        from_pipeline(fit(others, 3, frames=True))


def test_a_frame_pipeline_has_what_the_pipeline_has() -> None:
    pipeline = fitted("one column, several vectorisers", 3)
    model = from_pipeline(pipeline)
    assert isinstance(model, PipelineClassifier)
    forest = from_pipeline(fit(NOT_LINEAR["a frame's forest"][0](), 3, frames=True))
    assert isinstance(forest.model, FramePipeline)
    assert hasattr(forest.model, "predict_proba")
    assert not hasattr(forest.model, "decision_function")
    assert list(forest.classes_) == list(model.classes_)


# ---- classes and numbers ----------------------------------------------------------------------


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


def test_a_vocabulary_that_was_given() -> None:
    vectorizer = CountVectorizer(vocabulary=["moon", "goal", "never seen"], min_df=1)
    pipeline = fit(make_pipeline(vectorizer, LogisticRegression()), 3)
    model = from_pipeline(pipeline)
    close(model.decision_function(["moon goal"]), pipeline.decision_function(["moon goal"]))


def test_a_black_boxs_words_are_the_vectorisers() -> None:
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
