import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from networks import literal_parts, made_cnn, small_cnn, some_vectors, topical

from whyword import CNNClassifier, Corpus, InputError, Reader, Vectors, explain, load_model
from whyword.base.progress import Progress


@pytest.fixture(params=[2, (1, 3)], ids=str)
def model(request: pytest.FixtureRequest) -> CNNClassifier:
    return small_cnn(request.param)


def small(**settings: Any) -> CNNClassifier:  # noqa: ANN401
    """Return a network that takes a moment to train."""
    given: dict[str, Any] = {"vectors": some_vectors(), "filters": 4, "epochs": 1}
    return CNNClassifier(**given | settings)


def test_it_learns(model: CNNClassifier) -> None:
    texts, labels = topical(60, seed=9)
    assert model.score(texts, labels) >= 0.95
    assert set(model.predict(texts)) == {"space", "hockey", "crypto"}


def test_a_batch_equals_its_singles(model: CNNClassifier) -> None:
    texts = [*topical(20, seed=5)[0], "", "unknown words only", "moon"]
    together = model.decision_function(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_allclose(model.decision_function([text])[0], row, atol=1e-5)
        expected = oracle.class_scores(*literal_parts(model, text))
        np.testing.assert_allclose(row, expected, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(texts).sum(axis=1), 1)
    assert model.decision_function([]).shape == (0, 3)


def test_weights_by_name() -> None:
    network = small_cnn((1, 3)).network_
    weights = small_cnn((1, 3)).weights
    assert list(weights) == [
        *("conv_weight_1", "conv_bias_1", "conv_weight_3", "conv_bias_3"),
        *("output_weight", "output_bias"),
    ]
    for convolution, width in zip(network.convolutions, (1, 3), strict=True):
        turned = convolution.weight.transpose(0, 2, 1)
        np.testing.assert_array_equal(weights[f"conv_weight_{width}"], turned)
        np.testing.assert_array_equal(weights[f"conv_bias_{width}"], convolution.bias)
    np.testing.assert_array_equal(weights["output_weight"], network.output_weight)
    np.testing.assert_array_equal(weights["output_bias"], network.output_bias)
    assert list(made_cnn((2,)).weights)[:2] == ["conv_weight", "conv_bias"]


def test_two_classes_have_one_score() -> None:
    model = small(filters=8, epochs=10, learning_rate=0.02).fit(*topical(60, classes=2))
    texts, labels = topical(20, classes=2, seed=3)
    scores = model.decision_function(texts)
    assert scores.shape == (20,)
    np.testing.assert_allclose(model.class_scores(texts), np.stack([-scores, scores], 1), atol=1e-6)
    assert ((scores > 0) == (model.predict(texts) == model.classes_[1])).all()
    assert model.score(texts, labels) > 0.9


def test_numpy_numbers_are_numbers(tmp_path: Path) -> None:
    model = small(width=np.array([1, 2]), filters=np.int64(4), dropout=np.float32(0.25))
    model.set_params(seed=np.int64(3)).fit(*topical(20))
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.class_scores(["moon"]), model.class_scores(["moon"]))
    assert "array" in repr(model)


def test_known_words() -> None:
    model = small_cnn()
    assert model.known_words(["the moon", "qqq zzz", ""]).tolist() == [2, 0, 0]
    assert np.isfinite(model.decision_function(["qqq zzz", ""])).all()
    with pytest.raises(InputError, match="not one string"):
        model.known_words("moon god")


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a b", "c d"], ["x"], "labels and texts differ in length: 1 ≠ 2"),
        (["a b", "c d"], ["x", "x"], "only one class"),
        ([], [], "no texts to train on"),
        (["a", 5], ["x", "y"], "texts: item 1 must be a str, not int"),
        ("one text", ["x"], "not one string"),
        (["a", "b"], ["x", None], "label 1 is missing"),
        (["a", "b"], ["x", float("nan")], "label 1 is missing"),
        (["a", "b"], [["x"], ["y"]], "label 0 must be a string or a number, not list"),
        (["a", "b"], [b"x", b"y"], "label 0 must be a string or a number, not bytes"),
    ],
)
def test_data_that_cannot_be_trained_on(texts: Any, labels: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        small().fit(texts, labels)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 0}, "width must be a whole number from 1 to 100, not 0"),
        ({"width": 101}, "width must be a whole number from 1 to 100"),
        ({"width": [2, 2]}, "width takes one or several different numbers"),
        ({"width": []}, "width takes one or several different numbers"),
        ({"width": "2"}, "width must be a whole number"),
        ({"filters": 1.5}, "filters must be a whole number"),
        ({"filters": 100_001}, "filters must be a whole number from 1 to 100,000"),
        ({"dropout": 1}, "dropout must be a share"),
        ({"word_dropout": -0.1}, "word_dropout must be a share"),
        ({"epochs": 0}, "epochs must be a whole number"),
        ({"batch_size": "many"}, "batch_size must be a whole number"),
        ({"learning_rate": 0}, "learning_rate must be above 0"),
        ({"vectors": 5}, "vectors takes Vectors or a path"),
        ({"class_weight": 5}, "class_weight"),
        ({"class_weight": {"x": -1.0}}, "class_weight"),
        ({"class_weight": {"zebra": 2.0}}, "class_weight names 'zebra', which is no class"),
        ({"l2": float("nan")}, "l2 must be a number"),
        ({"validation": 1.0}, "validation"),
        ({"validation": 99}, "validation"),
        ({"max_words": 0}, "max_words must be a whole number"),
        ({"seed": -1}, "seed must be a whole number from 0"),
    ],
    ids=str,
)
def test_unfit_parameters(wrong: dict[str, object], message: str) -> None:
    model = CNNClassifier(vectors=some_vectors()).set_params(**wrong)
    with pytest.raises(InputError, match=message):
        model.fit(["moon", "ice"], ["x", "y"])


def test_unusual_but_right_data() -> None:
    texts, labels = topical(20)
    texts[0], texts[1] = "", "zzz"
    texts.append("alone moon")
    labels.append("single")
    model = small(class_weight="balanced", validation=5).fit(texts, labels)
    assert (model.provenance_["held_out"], model.provenance_["documents"]) == (5, 21)
    assert model.provenance_["best_epoch"] == 1
    assert model.provenance_["validation_accuracy"] in np.arange(6) / 5
    assert "single" in model.classes_
    assert model.vocabulary_["alone"] == 1
    assert model.vocabulary_["moon"] == sum("moon" in text.split() for text in texts)
    numbers = small(validation=0).fit(texts, list(range(len(texts))))
    assert numbers.predict(["moon"])[0] in range(21)
    assert numbers.provenance_["held_out"] == 0


def test_the_normalization_is_of_the_documents_that_are_trained_on() -> None:
    texts, labels = topical(20)
    model = small(validation=0, max_words=5).fit(texts, labels)
    words = [word for text in texts for word in text.split()[:5]]
    rows = some_vectors().rows(words)
    assert model.inputs_.mean == pytest.approx(rows.mean(), abs=1e-6)
    assert model.inputs_.deviation == pytest.approx(rows.std(), rel=1e-5)
    other = small(validation=10, max_words=5).fit(texts, labels)
    assert other.inputs_.mean != model.inputs_.mean


def test_words_beyond_max_words_change_nothing() -> None:
    model = small(max_words=2).fit(*topical(20))
    first, second = model.decision_function(["moon ice", "moon ice goal"])
    np.testing.assert_array_equal(first, second)
    assert "team" in model.vocabulary_ or "league" in model.vocabulary_  # of whole texts


def test_another_reader_and_what_it_reads() -> None:
    model = small_cnn()
    other = model.with_reader(Reader(ignore=["moon"]))
    assert (model.reader_, other.reader_.ignore) == (Reader(), ("moon",))
    explanation = explain(other, "the moon", "space")
    assert explanation.known.tolist() == [True, False]
    deleted = explain(model, "the moon", "space", deleted=[1])
    np.testing.assert_array_equal(explanation.scores, deleted.scores)
    assert model.training_words == model.vocabulary_


def test_it_must_be_trained() -> None:
    for ask in ("predict", "known_words", "input_matrix", "cache_words"):
        with pytest.raises(InputError, match="not trained yet; call fit first"):
            getattr(CNNClassifier(), ask)(["a"])


@pytest.mark.slow(reason="starts a process")
def test_predicting_imports_neither_torch_nor_scikit_learn(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "model")
    code = (
        "import sys, whyword\n"
        f"model = whyword.load_model({str(tmp_path / 'model')!r})\n"
        "print(model.predict(['the moon is in orbit'])[0])\n"
        "e = whyword.explain(model, 'orbit and goal', target='all')\n"
        "e.to_html(), e.to_svg(), e.to_text(), e.to_json(), e.by_word()\n"
        "extras = 'torch sklearn pandas shap matplotlib pyarrow'.split()\n"
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["space", "[]"]


def test_saved_and_loaded_it_is_the_same(model: CNNClassifier, tmp_path: Path) -> None:
    identity = model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert isinstance(again, CNNClassifier)
    texts = [*topical(10, seed=2)[0], "", "Moon unheard-of"]
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.vocabulary_ == model.vocabulary_
    mine, its = (one.get_params() for one in (model, again))
    for name in ("vectors", "on_progress"):
        del mine[name], its[name]
    assert its == mine | {"width": 2 if model.width == 2 else [1, 3]}
    assert again.save(tmp_path / "n") == identity


@pytest.mark.real
def test_a_small_network_on_real_data(news: Corpus, tmp_path: Path) -> None:
    """A hundredth of the work of benchmarks/accuracy.py: far from 80 %, and from 5 %, chance."""
    vectors = Vectors.for_texts(news.train.texts, epochs=2)
    model = CNNClassifier(vectors=vectors, filters=100, epochs=3, max_words=400)
    model.fit(news.train.texts, news.train.labels or [])
    assert model.score(news.test.texts, news.test.labels or []) >= 0.5
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    some = news.test.texts[:50]
    np.testing.assert_array_equal(again.class_scores(some), model.class_scores(some))


def test_a_progress_callback_is_no_part_of_the_model(tmp_path: Path) -> None:
    events: list[Progress] = []
    texts, labels = topical(30, seed=2)
    model = small(epochs=2, on_progress=lambda event: events.append(event)).fit(texts, labels)
    assert callable(model.get_params()["on_progress"])
    assert [(event.number, event.total, event.share) for event in events] == [
        (1, 2, 0.5),
        (2, 2, 1),
    ]
    assert set(events[0].metrics) == {"loss", "validation accuracy"}
    silent = small(epochs=2, on_progress=False).fit(texts, labels)
    assert (model.predict_proba(texts) == silent.predict_proba(texts)).all()
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").get_params()["on_progress"] is None
    sent = pickle.loads(pickle.dumps(model))  # a lambda cannot be pickled
    assert sent.get_params()["on_progress"] is False
    assert (sent.predict_proba(texts) == model.predict_proba(texts)).all()


def test_weights_from_which_scores_may_overflow_are_refused() -> None:
    with pytest.raises(InputError, match="weights are so large that a score may be"):
        small(learning_rate=1e12, batch_size=100).fit(*topical(20))


def test_ids_of_words_and_rarity_of_the_training_texts() -> None:
    """idf = ln((1 + N) / (1 + n)) + 1, of lower-cased words."""
    model = made_cnn()
    model.vocabulary_, model.provenance_ = {"wa": 3, "wb": 10}, {"documents": 10}
    (trace,) = model.trace(["Wa wb wc", ""])
    expected = [np.log(11 / 4) + 1, 1, np.log(11) + 1]
    np.testing.assert_allclose(trace.tfidf().words[0][:, 0], expected)
    np.testing.assert_allclose(trace.uniform().words[0][:, 0], [1 / 3] * 3)
    assert trace.tfidf().words[1].shape == trace.uniform().words[1].shape == (0, 1)
    x = model.input_matrix("Wa wb wc")
    np.testing.assert_allclose(trace.summary(trace.tfidf())[0], expected @ x, atol=1e-5)
    model.provenance_ = {}
    (unknown,) = model.trace(["wc"])
    assert unknown.tfidf().words[0].tolist() == [[1]]
