from pathlib import Path

import numpy as np
import pytest
from networks import topical
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from whyword import Corpus, InputError, SVMClassifier, load_model
from whyword.models.linear.classifier import fit_temperature


@pytest.fixture(scope="module")
def model() -> SVMClassifier:
    return SVMClassifier(folds=3).fit(*topical())


def test_it_learns_and_chooses_c(model: SVMClassifier) -> None:
    texts, labels = topical(60, seed=9)
    assert model.score(texts, labels) > 0.95
    assert model.provenance_["C"] in (0.1, 0.3, 1.0, 3.0, 10.0)


def test_scores_are_linear_in_the_input(model: SVMClassifier) -> None:
    texts = ["the moon", "", "unknown", "ice ice goal"]
    weights = model.weights
    for text, scores in zip(texts, model.decision_function(texts), strict=True):
        row = model.input_matrix(text)
        assert row.shape == (1, len(weights["output_weight"]))
        expected = row @ weights["output_weight"] + weights["output_bias"]
        np.testing.assert_allclose(scores, expected[0])
    np.testing.assert_array_equal(model.decision_function([""])[0], weights["output_bias"])
    assert model.known_words(texts).tolist() == [2, 0, 0, 2]
    assert model.decision_function([]).shape == (0, 3)


def test_equal_to_scikit_learns_svm(model: SVMClassifier) -> None:
    from scipy.sparse import vstack
    from sklearn.svm import LinearSVC

    texts, labels = topical()
    matrix = vstack([model.input_matrix(text) for text in texts])
    svm = LinearSVC(C=model.provenance_["C"], random_state=0).fit(matrix, labels)
    np.testing.assert_allclose(
        model.decision_function(texts), svm.decision_function(matrix), atol=1e-6
    )


def test_two_classes() -> None:
    texts, labels = topical(40, classes=2)
    model = SVMClassifier(C=1.0).fit(texts, labels)
    scores = model.decision_function(texts)
    assert scores.shape == (40,)
    np.testing.assert_allclose(model.class_scores(texts), np.stack([-scores, scores], 1))
    assert ((scores > 0) == (model.predict(texts) == model.classes_[1])).all()


def test_probabilities_are_calibrated_on_held_out_scores() -> None:
    random = np.random.default_rng(0)
    logits = random.normal(scale=2, size=(4000, 3))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = np.array([random.choice(3, p=row) for row in chances])
    assert fit_temperature(logits * 5, labels) == pytest.approx(5, rel=0.1)
    assert fit_temperature(logits / 4, labels) == pytest.approx(0.25, rel=0.1)


def test_probabilities_sum_to_one(model: SVMClassifier) -> None:
    np.testing.assert_allclose(model.predict_proba(["moon", ""]).sum(axis=1), 1)


def test_scikit_learn_can_use_it() -> None:
    texts, labels = topical(60)
    model = SVMClassifier(C=1.0)
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(model, texts, labels, cv=3).mean() > 0.9
    search = GridSearchCV(model, {"sublinear": [True, False]}, cv=2).fit(texts, labels)
    assert search.best_score_ > 0.9


def test_saved_and_loaded_it_is_the_same(model: SVMClassifier, tmp_path: Path) -> None:
    identity = model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    texts, _ = topical(10, seed=4)
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    assert again.save(tmp_path / "n") == identity


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a b", "c d"], ["x"], "differ in length"),
        (["a b", "c d"], ["x", "x"], "only one class"),
        (["1", ""], ["x", "y"], "have no words"),
    ],
)
def test_bad_data(texts: list[str], labels: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SVMClassifier().fit(texts, labels)


def test_bad_parameters() -> None:
    for wrong in ({"C": 0.0}, {"C": 1e-300}, {"C": "x"}, {"folds": 1}, {"seed": -1}):
        with pytest.raises(InputError):
            SVMClassifier().set_params(**wrong).fit(*topical(20))


def test_what_was_trained_is_saved_not_what_was_set_later(tmp_path: Path) -> None:
    texts, labels = topical(30)
    model = SVMClassifier(C=1.0, class_weight={"space": 2.0}).fit(
        [f"{t} {t}" for t in texts], labels
    )
    model.set_params(sublinear=False)
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert again.class_weight == {"space": 2.0}


def test_a_class_of_one_document_is_trained_without_folds() -> None:
    model = SVMClassifier().fit(["moon orbit", "ice goal", "goal puck"], ["x", "y", "y"])
    assert model.provenance_["C"] == 1.0
    assert model.predict(["orbit"])[0] == "x"


@pytest.mark.real
def test_as_accurate_as_the_papers(news: Corpus) -> None:
    """With C as cross-validation chooses it (benchmarks/accuracy.py runs that too)."""
    model = SVMClassifier(C=1.0, folds=2, max_words=400)
    model.fit(news.train.texts, news.train.labels or [])
    assert model.score(news.test.texts, news.test.labels or []) >= 0.8010
