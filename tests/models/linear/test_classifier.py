"""The bag-of-words SVM: training, cross-validation, parameters, saving."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import small_svm, topical
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, identity, vstack
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

from whyword import Corpus, InputError, Reader, SVMClassifier, load_model
from whyword.models.linear import training
from whyword.models.linear.tfidf import TfIdf
from whyword.models.linear.training import GRID, Trainer, fit_temperature
from whyword.models.probabilities import softmax


@pytest.fixture
def model() -> SVMClassifier:
    return small_svm(C=None, folds=3)


def test_it_learns_and_chooses_c(model: SVMClassifier) -> None:
    texts, labels = topical(60, seed=9)
    assert model.score(texts, labels) > 0.95
    assert model.provenance_["C"] in GRID
    assert model.provenance_["features"] == len(model.output_weight_)
    assert model.provenance_["documents"] == 60


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
    scores = model.decision_function(texts)
    np.testing.assert_allclose(model.predict_proba(texts), softmax(scores / model.temperature_))


def test_weights_are_those_of_scikit_learns_svm() -> None:
    texts, labels = topical(60)
    weight = {"crypto": 1.0, "hockey": 3.0, "space": 0.5}
    ours = small_svm(C=0.3, class_weight="balanced", seed=5)
    for model in (ours, SVMClassifier(C=0.3, class_weight=weight, seed=5).fit(texts, labels)):
        matrix = vstack([model.input_matrix(text) for text in texts])
        theirs = LinearSVC(C=0.3, class_weight=model.class_weight, random_state=5)
        expected = theirs.fit(matrix, labels).decision_function(matrix)
        np.testing.assert_allclose(model.decision_function(texts), expected, atol=1e-6)


def test_two_classes() -> None:
    texts, _ = topical(40, classes=2)
    model = small_svm(2)
    scores = model.decision_function(texts)
    assert scores.shape == (40,)
    np.testing.assert_allclose(model.class_scores(texts), np.stack([-scores, scores], 1))
    assert ((scores > 0) == (model.predict(texts) == model.classes_[1])).all()


def test_scikit_learn_can_use_it() -> None:
    texts, labels = topical(60)
    model = SVMClassifier(C=1.0)
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(model, texts, labels, cv=3).mean() > 0.9
    search = GridSearchCV(model, {"sublinear": [True, False]}, cv=2).fit(texts, labels)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a b", "c d"], ["x"], "differ in length"),
        (["a b", "c d"], ["x", "x"], "only one class"),
        (["1", ""], ["x", "y"], "the texts to train on have no words$"),
        (["a b", "c"], ["x", "half \ud800"], "label 1 holds half a surrogate pair"),
    ],
)
def test_data_that_cannot_be_trained_on(texts: list[str], labels: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SVMClassifier().fit(texts, labels)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("C", (0.0, 9e-7, 1.1e6), "must be (above 0|from 1e-6 to 1e6 or None), not"),
        ("C", ("x",), "must be a number"),
        ("folds", (1,), "must be a whole number from 2"),
        ("seed", (-1,), "must be a whole number from 0"),
        ("sublinear", (2,), "must be True or False"),
        ("ngrams", (2, (2, 1), (1, 2, 3), "12"), "must be two numbers of words, the lower first"),
        ("ngrams", ((0, 1), (1, 6), (1.0, 2.0)), "must be a whole number from 1 to 5"),
        ("min_documents", (0, -1, 1.5, True), "must be a whole number"),
        ("stop_words", ("german", ""), "may be 'english'"),
        ("stop_words", ([""],), "holds an empty word"),
        ("stop_words", ([1], 3), "must be a list|must be a str"),
    ],
)
def test_unfit_parameters(name: str, values: tuple[Any, ...], message: str) -> None:
    for value in values:
        with pytest.raises(InputError, match=f"{name}.*{message}"):
            SVMClassifier().set_params(**{name: value}).fit(*topical(20))


def test_parameters_at_their_limits() -> None:
    for good in ({"C": 1e-6}, {"ngrams": (5, 5)}, {"ngrams": [1, 1]}, {"folds": 2}):
        SVMClassifier(C=1.0, min_documents=1).set_params(**good).fit(*topical(12))


def test_what_was_trained_is_saved_not_what_was_set_later(tmp_path: Path) -> None:
    texts, labels = topical(30)
    model = SVMClassifier(C=1.0, class_weight={"space": 2.0}, reader=Reader(ignore=["moon"]))
    model.fit([f"{t} {t}" for t in texts], labels)
    model.set_params(sublinear=False)
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert again.class_weight == {"space": 2.0}
    assert again.reader == again.reader_ == model.reader


def test_a_class_of_one_document_is_trained_without_folds() -> None:
    model = SVMClassifier().fit(["moon orbit", "ice goal", "goal puck"], ["x", "y", "y"])
    assert (model.provenance_["C"], model.provenance_["ngrams"]) == (1.0, [1, 1])
    assert model.provenance_["validation_accuracy"] is None
    assert model.temperature_ == 1.0
    assert model.predict(["orbit"])[0] == "x"
    assert SVMClassifier().fit(["moon", ""], ["x", "y"]).provenance_["features"] == 1
    with pytest.raises(InputError, match="texts: item 0 must be a str, not int"):
        model.class_scores([1])  # type: ignore[list-item]


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
    assert model.features_.ngrams.lengths == (1, 1)


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
    assert SVMClassifier(ngrams=(1, 3), C=1.0).fit(*negations()).training_words == frozenset(
        "the film plot cast end is so not good bad and set score".split()
    )


@pytest.mark.parametrize("lengths", [(1, 1), (1, 2), (2, 3), (5, 5)])
def test_saved_and_loaded_it_is_the_same(lengths: tuple[int, int], tmp_path: Path) -> None:
    texts, labels = negations()
    model = SVMClassifier(C=1.0, ngrams=lengths, stop_words={"the", "is"}).fit(texts, labels)
    identity = model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    assert again.features_.ngrams.stop_words == {"the", "is"}
    assert again.get_params() == model.get_params() | {"stop_words": ["is", "the"]}
    assert again.save(tmp_path / "n") == identity


def test_a_model_of_single_words_has_the_folder_it_always_had(tmp_path: Path) -> None:
    small_svm().save(tmp_path / "m")
    stored = json.loads((tmp_path / "m" / "model.json").read_text())
    assert {"C", "folds", "sublinear", "class_weight", "max_words", "seed"} == {
        *stored["parameters"]
    }
    assert {"documents", "sublinear", "tokenizer"} == {*stored["features"]}
    assert load_model(tmp_path / "m").features_.ngrams.lengths == (1, 1)


def test_shuffled_weights_and_another_reader() -> None:
    model = small_svm()
    other, again, third = (model.shuffled("all", seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(other.output_weight_, again.output_weight_)
    assert (other.output_weight_ != third.output_weight_).any()
    assert sorted(other.output_weight_.ravel()) == sorted(model.output_weight_.ravel())
    assert (other.output_weight_ != model.output_weight_).any()
    reading = model.with_reader(Reader(ignore=["moon"]))
    assert (model.reader_, reading.reader_.ignore) == (Reader(), ("moon",))
    expected = model.class_scores(["the rocket"])
    np.testing.assert_array_equal(reading.class_scores(["the moon rocket"]), expected)
    with pytest.raises(InputError, match="not trained yet"):
        SVMClassifier().class_scores(["a"])


@pytest.mark.real
def test_as_accurate_as_the_papers(news: Corpus) -> None:
    """With C as cross-validation chooses it (benchmarks/accuracy.py runs that too)."""
    model = SVMClassifier(C=1.0, ngrams=(1, 1), folds=2, max_words=400)
    model.fit(news.train.texts, news.train.labels or [])
    assert model.score(news.test.texts, news.test.labels or []) >= 0.8010


# ---- cross-validation ---------------------------------------------------------------------------

NUMBERS = np.arange(300) % 3


def random_features(strength: float) -> csr_matrix:
    """Return features that tell three classes apart, or not."""
    noise = np.random.default_rng(0).normal(size=(300, 12))
    noise[np.arange(300), NUMBERS] += strength
    return csr_matrix(noise)


def trainer(folds: int = 4) -> Trainer:
    return Trainer(NUMBERS, np.ones(3, np.float32), folds, 0)


def test_held_out_scores_are_those_of_svms_that_have_not_seen_them() -> None:
    matrix = random_features(1.0)
    choice = trainer().choose([matrix], 0.3)
    assert choice.scores is not None
    expected = np.empty((300, 3))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(matrix, NUMBERS):
        svm = LinearSVC(C=0.3, random_state=0).fit(matrix[train], NUMBERS[train])
        expected[test] = svm.decision_function(matrix[test])
    np.testing.assert_allclose(choice.scores, expected, atol=1e-6)
    assert (choice.matrix, choice.C) == (0, 0.3)
    assert choice.accuracy == np.mean(expected.argmax(axis=1) == NUMBERS)
    two = Trainer(NUMBERS % 2, np.ones(2, np.float32), 3, 0).choose([matrix], 1.0).scores
    assert two is not None
    np.testing.assert_array_equal(two[:, 0], -two[:, 1])


def test_features_that_say_more_are_chosen_others_are_not() -> None:
    matrix = random_features(0.7)
    useful = random_features(1.5)
    useless = csr_matrix(np.random.default_rng(5).normal(size=(300, 30)))
    assert trainer().choose([matrix, hstack([matrix, useful]).tocsr()], 1.0).matrix == 1
    assert trainer().choose([matrix, hstack([matrix, useless]).tocsr()], 1.0).matrix == 0
    assert trainer().choose([matrix, matrix], 1.0).matrix == 0
    assert trainer(1).choose([matrix, matrix]) == (0, 1.0, None, None)
    assert trainer(1).choose([matrix], 3.0) == (0, 3.0, None, None)


class Prescribed:
    """An SVM that is right about so many documents as its C says."""

    right: dict[float, int]
    tried: list[float]

    def __init__(self, C: float, **_: object) -> None:  # noqa: N803 - scikit-learn's name
        self.C = C

    def fit(self, matrix: csr_matrix, numbers: NDArray[np.intp]) -> None:
        Prescribed.tried.append(self.C)
        said = np.where(np.arange(300) < self.right[self.C], NUMBERS, (NUMBERS + 1) % 3)
        self.coef_, self.intercept_ = np.eye(3)[:, said], np.zeros(3)


@pytest.mark.parametrize(
    ("right", "chosen", "tried"),
    [
        ((240, 220, 200, 180, 160), 0.1, {0.1, 0.3, 1.0, 3.0}),
        ((180, 220, 200, 190, 160), 0.3, {0.1, 0.3, 1.0, 3.0}),
        ((240, 200, 200, 200, 240), 1.0, {0.3, 1.0, 3.0}),
        ((160, 180, 200, 220, 240), 10.0, {0.3, 1.0, 3.0, 10.0}),
        ((200, 200, 200, 201, 200), 1.0, {0.3, 1.0, 3.0}),  # by chance: no standard error more
        ((200, 200, 200, 202, 200), 3.0, {0.3, 1.0, 3.0, 10.0}),
    ],
)
def test_c_goes_step_by_step_to_the_best(
    right: tuple[int, ...], chosen: float, tried: set[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    Prescribed.right, Prescribed.tried = dict(zip(GRID, right, strict=True)), []
    monkeypatch.setattr("sklearn.svm.LinearSVC", Prescribed)
    choice = trainer().choose([identity(300, format="csr")])
    assert chosen == choice.C
    assert choice.accuracy == Prescribed.right[chosen] / 300
    assert set(Prescribed.tried) == tried
    assert len(Prescribed.tried) == 4 * len(tried)


@pytest.mark.slow(reason="starts processes")
def test_processes_choose_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one = trainer().choose([random_features(1.0)], 1.0)
    monkeypatch.setattr(training, "_FEW", 0)
    other = trainer().choose([random_features(1.0)], 1.0)
    assert one.scores is not None
    assert other.scores is not None
    np.testing.assert_array_equal(one.scores, other.scores)


def test_probabilities_are_calibrated_on_held_out_scores() -> None:
    random = np.random.default_rng(0)
    logits = random.normal(scale=2, size=(2000, 3))
    labels = np.array([random.choice(3, p=row) for row in softmax(logits)])
    assert fit_temperature(logits * 5, labels) == pytest.approx(5, rel=0.1)
    assert fit_temperature(logits / 4, labels) == pytest.approx(0.25, rel=0.1)


def test_classes_without_a_mistake_are_not_sure_beyond_measure() -> None:
    numbers = np.repeat([0, 1], 160)
    scores = np.where(numbers[:, None] == np.arange(2), 1.0, -1.0)
    chances = softmax(scores[:1] / fit_temperature(scores, numbers))[0]
    assert chances[0] == pytest.approx(161 / 162, abs=2e-3)
    few = fit_temperature(scores[::40], numbers[::40])
    assert softmax(scores[:1] / few)[0, 0] == pytest.approx(5 / 6, abs=0.02)
