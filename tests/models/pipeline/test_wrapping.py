from pathlib import Path

import numpy as np
import pytest
from networks import topical
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from whyword import InputError, from_pipeline, load_model

VECTORISERS = [
    CountVectorizer(),
    CountVectorizer(binary=True, ngram_range=(1, 2), lowercase=False),
    TfidfVectorizer(stop_words=["the", "a"], sublinear_tf=True),
    TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), use_idf=False),
]


@pytest.mark.parametrize("vectorizer", VECTORISERS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_pipeline_predicts_as_before(
    vectorizer: CountVectorizer, classes: int, tmp_path: Path
) -> None:
    texts, labels = topical(60, classes=classes)
    pipeline = make_pipeline(vectorizer, LogisticRegression()).fit(texts, labels)
    model = from_pipeline(pipeline)
    unseen = [*topical(20, classes=classes, seed=7)[0], "", "zzz"]
    expected = pipeline.decision_function(unseen)
    np.testing.assert_allclose(model.decision_function(unseen), expected, atol=1e-9)
    assert model.predict(unseen).tolist() == pipeline.predict(unseen).tolist()
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_allclose(again.decision_function(unseen), expected, atol=1e-9)


def test_two_classes_keep_their_probabilities() -> None:
    texts, labels = topical(60, classes=2)
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels)
    model = from_pipeline(pipeline)
    np.testing.assert_allclose(model.predict_proba(texts), pipeline.predict_proba(texts), atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_ridge(classes: int) -> None:
    texts, labels = topical(60, classes=classes)
    pipeline = make_pipeline(TfidfVectorizer(), RidgeClassifier()).fit(texts, labels)
    model = from_pipeline(pipeline)
    assert model.predict(texts).tolist() == pipeline.predict(texts).tolist()


def test_a_function_in_the_vectoriser_cannot_be_saved(tmp_path: Path) -> None:
    texts, labels = topical(30)
    pipeline = make_pipeline(CountVectorizer(analyzer=str.split), LinearSVC()).fit(texts, labels)
    model = from_pipeline(pipeline)
    assert model.predict(texts[:3]).tolist() == pipeline.predict(texts[:3]).tolist()
    with pytest.raises(InputError, match="analyzer is a function, and a saved model holds no code"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_pipelines_that_cannot_be_wrapped() -> None:
    texts, labels = topical(30)
    with pytest.raises(InputError, match="has 0 steps"):
        from_pipeline(LinearSVC())
    hashing = make_pipeline(HashingVectorizer(), LinearSVC()).fit(texts, labels)
    with pytest.raises(InputError, match="begins with HashingVectorizer"):
        from_pipeline(hashing)
    with pytest.raises(InputError, match="not fitted yet"):
        from_pipeline(make_pipeline(CountVectorizer(), LinearSVC()))
    pairs = make_pipeline(CountVectorizer(), SVC(kernel="linear")).fit(texts, labels)
    with pytest.raises(InputError, match="SVC is not a fitted linear classifier"):
        from_pipeline(pairs)
    bayes = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, labels)
    with pytest.raises(InputError, match="MultinomialNB is not a fitted linear classifier"):
        from_pipeline(bayes)
