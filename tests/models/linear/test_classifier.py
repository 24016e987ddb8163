import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import topical
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from whyword import Corpus, InputError, SVMClassifier, load_model
from whyword.models.linear.ngram_trace import NgramTrace
from whyword.models.linear.tfidf import TfIdf


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
    several: tuple[Any, ...] = (
        *({"C": 0.0}, {"C": 1e-300}, {"C": "x"}, {"folds": 1}, {"seed": -1}),
        *({"ngrams": one} for one in (2, (2, 1), (0, 1), (1, 6), (1, 2, 3), "12", (1.0, 2.0))),
        *({"min_documents": one} for one in (0, -1, 1.5, True)),
        *({"stop_words": one} for one in ("german", [""], [1], 3, "")),
    )
    for wrong in several:
        with pytest.raises(InputError, match=next(iter(wrong))):
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


def negations(count: int = 80) -> tuple[list[str], list[str]]:
    """Return reviews whose single words say nothing: "not good, so bad" and "so good, not bad"."""
    random = np.random.default_rng(3)
    texts, labels = [], []
    for number in range(count):
        good = number % 2 == 0
        pairs = random.permutation(["so good", "not bad"] if good else ["not good", "so bad"])
        film = random.choice(["film", "plot", "cast", "end"])
        texts.append(
            f"The {film} is {pairs[0]} and the {random.choice(['set', 'score'])} {pairs[1]}"
        )
        labels.append("for" if good else "against")
    return texts, labels


def test_pairs_of_words_are_chosen_where_they_say_more(model: SVMClassifier) -> None:
    chosen = SVMClassifier().fit(*negations())
    assert chosen.provenance_["ngrams"] == [1, 2]
    assert chosen.provenance_["validation_accuracy"] == 1.0
    assert chosen.predict(["so good", "not good"]).tolist() == ["for", "against"]
    single = SVMClassifier(ngrams=(1, 1)).fit(*negations())
    assert single.provenance_["ngrams"] == [1, 1]
    assert single.provenance_["validation_accuracy"] < 0.7
    assert model.provenance_["ngrams"] == [1, 1]  # words do as well there


def test_the_phrase_is_the_unit() -> None:
    model = SVMClassifier(C=1.0).fit(*negations())
    trace = next(model.trace(["It is not good, so bad"]))
    assert isinstance(trace, NgramTrace)
    (phrases,) = trace.lrp_phrases(np.array([[0, 1]]), bias="apart")
    strongest = np.argsort(-phrases.relevance[:, 0])[:2]
    assert {phrases.names[number] for number in strongest} == {"not good", "so bad"}
    relevance = trace.lrp(np.array([[0, 1]]), bias="apart")
    np.testing.assert_allclose(phrases.relevance.sum(axis=0), relevance.words[0].sum(axis=0))


def test_training_words_are_single_words() -> None:
    model = SVMClassifier(ngrams=(1, 3), C=1.0).fit(*negations())
    assert model.training_words == frozenset(
        "the film plot cast end is so not good bad and set score".split()
    )
    assert len(model.output_weight_) == model.provenance_["features"] > len(model.training_words)


def test_rare_and_stop_words_are_left_out() -> None:
    texts = ["not good at all", "not good, at first", "bad", "bad as ever", "once only bad"]
    labels = ["x", "x", "y", "y", "y"]
    model = SVMClassifier(C=1.0, ngrams=(1, 2), stop_words="english").fit(texts, labels)
    assert model.training_words == {"not", "good", "first", "bad", "only"}
    assert isinstance(model.features_, TfIdf)
    assert model.features_.ngrams.sizes == [5, 1]
    assert model.features_.ngrams.name(5) == "not good"
    model.set_params(min_documents=2, stop_words=["GOOD"]).fit(texts, labels)
    assert model.training_words == {"not", "at", "bad"}
    assert model.provenance_["features"] == 4  # and "not at"
    with pytest.raises(InputError, match="no words that 6 of them have"):
        SVMClassifier(min_documents=6).fit(texts, labels)
    with pytest.raises(InputError, match="no runs of 5 words"):
        SVMClassifier(ngrams=(5, 5)).fit(texts, labels)


@pytest.mark.parametrize("lengths", [(1, 1), (1, 2), (2, 3), (5, 5)])
def test_n_grams_are_saved_and_loaded(lengths: tuple[int, int], tmp_path: Path) -> None:
    texts, labels = negations()
    model = SVMClassifier(C=1.0, ngrams=lengths, stop_words={"the", "is"}).fit(texts, labels)
    identity = model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert again.features_.ngrams.stop_words == {"the", "is"}
    assert again.get_params() == model.get_params() | {"stop_words": ["is", "the"]}
    assert again.save(tmp_path / "n") == identity


def test_a_model_of_single_words_is_stored_as_ever(tmp_path: Path) -> None:
    SVMClassifier(C=1.0).fit(*topical(30)).save(tmp_path / "m")
    stored = json.loads((tmp_path / "m" / "model.json").read_text())
    new = {"ngrams", "min_documents", "stop_words"}
    assert not new & {*stored["parameters"], *stored["features"]}
    assert load_model(tmp_path / "m").features_.ngrams.lengths == (1, 1)


@pytest.mark.real
def test_as_accurate_as_the_papers(news: Corpus) -> None:
    """With C as cross-validation chooses it (benchmarks/accuracy.py runs that too)."""
    model = SVMClassifier(C=1.0, ngrams=(1, 1), folds=2, max_words=400)
    model.fit(news.train.texts, news.train.labels or [])
    assert model.score(news.test.texts, news.test.labels or []) >= 0.8010
