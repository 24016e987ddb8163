"""The manners of torch networks that are trained here, whatever their kind."""

import copy
import json
import pickle
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
from networks import TOPICS, topical
from sklearn.base import clone
from tampered import Change, check_refused, settings, tensors
from torch_trained import trained, untrained

import whyword as ww
from whyword.evaluation.sanity import model_randomisation
from whyword.words.reader import Reader

pytestmark = pytest.mark.slow("trains small networks")

KINDS = ("recurrent", "characters")
TEXTS, LABELS = topical(30)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# ---- training ---------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_network(kind: str) -> None:
    state = torch.random.get_rng_state()
    first, again, other = (untrained(kind, seed=seed).fit(TEXTS, LABELS) for seed in (1, 1, 2))
    assert first.identity == again.identity != other.identity
    np.testing.assert_array_equal(first.class_scores(TEXTS), again.class_scores(TEXTS))
    assert torch.equal(state, torch.random.get_rng_state())
    assert clone(first).fit(TEXTS, LABELS).identity == first.identity


def test_scores_probabilities_and_predictions(kind: str) -> None:
    model = untrained(kind).fit(TEXTS, LABELS)
    scores = model.class_scores(TEXTS)
    assert scores.shape == (30, 3)
    np.testing.assert_allclose(model.predict_proba(TEXTS).sum(1), 1)
    assert model.predict(TEXTS).tolist() == model.classes_[scores.argmax(1)].tolist()
    assert model.class_scores([]).shape == (0, 3)
    two = untrained(kind).fit(*topical(20, 2))
    scores = two.class_scores(TEXTS)
    np.testing.assert_allclose(scores[:, 0], -scores[:, 1])
    np.testing.assert_allclose(two.decision_function(TEXTS), scores[:, 1])
    chances = 1 / (1 + np.exp(-scores[:, 1]))
    np.testing.assert_allclose(two.predict_proba(TEXTS)[:, 1], chances, rtol=1e-6)


def test_what_a_training_records(kind: str) -> None:
    facts = untrained(kind, validation=6).fit(TEXTS, LABELS).provenance_
    assert (facts["documents"], facts["held_out"]) == (30, 6)
    assert facts["best_epoch"] in (1, 2)
    assert 0 <= facts["validation_accuracy"] <= 1
    last = untrained(kind, validation=0).fit(TEXTS, LABELS).provenance_
    assert (last["held_out"], last["best_epoch"], last["validation_accuracy"]) == (0, 2, None)


def test_class_weights_count(kind: str) -> None:
    texts, labels = topical(30, 2)
    scores = [
        untrained(kind, validation=0, class_weight=weight).fit(texts, labels).class_scores(texts)
        for weight in (None, "balanced", {"space": 20.0})
    ]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-4)  # there are as many of each
    assert scores[2][:, 1].mean() > scores[0][:, 1].mean()


def test_long_texts_are_trained_on_in_parts(kind: str) -> None:
    texts = [" ".join([text] * 20) for text in TEXTS[:12]]
    length = 16 if kind == "recurrent" else 60
    model = untrained(kind, length=length).fit(texts, LABELS[:12])
    windows = model._windows(
        model.classifier_, model.classifier_.encoder(next(model.documents(texts[:1])))
    )
    assert len(windows) > 20
    assert {len(one.ids) for one in windows} == {length}
    assert len(ww.explain(model, texts[0]).words) == 320


@pytest.mark.parametrize(
    ("settings_", "labels", "message"),
    [
        ({}, ["one"] * 30, "there is only one class"),
        ({}, LABELS[:4], "differ in length"),
        ({"epochs": 0}, LABELS, "epochs must be a whole number"),
        ({"learning_rate": 0}, LABELS, "learning_rate must be above 0"),
        ({"word_dropout": 2}, LABELS, "word_dropout must be"),
        ({"validation": 30}, LABELS, "validation"),
        ({"class_weight": {"sea": 1.0}}, LABELS, "names 'sea'"),
        ({"reader": "mail"}, LABELS, "reader must be a Reader"),
        ({"max_words": 0}, LABELS, "max_words must be"),
        ({"patience": 0}, LABELS, "patience must be"),
    ],
)
def test_what_cannot_be_trained(
    kind: str, settings_: dict[str, Any], labels: list[str], message: str
) -> None:
    with pytest.raises(ww.InputError, match=message):
        untrained(kind, **settings_).fit(TEXTS, labels)
    with pytest.raises(ww.InputError, match="is not trained yet"):
        untrained(kind).predict(TEXTS)


def test_an_ignored_word_is_trained_on_as_an_unknown_one() -> None:
    """Both are zeros to a network of words, and a blank to one of characters."""
    texts = [text.replace("moon", "qqq") for text in TEXTS]
    for train_vectors in (False, True):
        how = {"train_vectors": train_vectors}
        one = untrained("recurrent", reader=Reader(ignore=["moon"]), **how).fit(TEXTS, LABELS)
        other = untrained("recurrent", **how).fit(texts, LABELS)
        np.testing.assert_allclose(one.class_scores(TEXTS), other.class_scores(texts), atol=1e-5)
        plain = one.with_reader(Reader())
        assert not np.allclose(plain.class_scores(TEXTS), one.class_scores(TEXTS)) or train_vectors


# ---- keeping ----------------------------------------------------------------------------------


def test_a_folder_gives_it_back(kind: str, tmp_path: Path) -> None:
    reader = Reader("html", ignore=["team"])
    model = untrained(kind, reader=reader, max_words=12, class_weight={"space": 2.0})
    model.fit(TEXTS, LABELS)
    identity = model.save(tmp_path / "model")
    loaded = ww.load_model(tmp_path / "model")
    assert type(loaded) is type(model)
    assert loaded.identity == model.identity == identity
    np.testing.assert_array_equal(loaded.class_scores(TEXTS), model.class_scores(TEXTS))
    kept = {*model.get_params()} - {"vectors", "width", "on_progress"}
    assert {name: loaded.get_params()[name] for name in kept} == {
        name: model.get_params()[name] for name in kept
    }
    assert loaded.reader_ == model.reader_
    assert loaded.training_words == model.training_words
    assert loaded.provenance_ == model.provenance_
    a, b = (ww.explain(one, TEXTS[0], "all") for one in (model, loaded))
    np.testing.assert_array_equal(a.relevance, b.relevance)
    assert loaded.save(tmp_path / "again") == identity
    assert json.loads((tmp_path / "model" / "model.json").read_text())["kind"] == kind


def test_copies(kind: str) -> None:
    model = untrained(kind).fit(TEXTS, LABELS)
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.identity == model.identity
        np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))
    before = model.identity
    with torch.no_grad():
        model.module.output.bias += 1
    assert model.identity != before


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / str(request.param)
    untrained(str(request.param)).fit(TEXTS, LABELS).save(path)
    return path


def _added(name: str) -> Change:
    def change(old: dict[str, Any], _: object) -> None:
        old[name] = old[name] + np.float32(1)

    return change


def _changed(name: str, value: float) -> Change:
    def change(old: dict[str, Any], _: object) -> None:
        array = old[name].copy()
        array.reshape(-1)[-1] = value
        old[name] = array

    return change


HOSTILE: dict[str, tuple[str | None, Change, str]] = {
    "more cells": ("recurrent", settings(parameters__hidden=4000), "has the shape"),
    "too many cells": ("recurrent", settings(parameters__hidden=10**12), "parameters.hidden"),
    "many layers": ("recurrent", settings(parameters__layers=16), "is in one only"),
    "another cell": ("recurrent", settings(parameters__cell="gru"), "has the shape"),
    "no words": ("recurrent", tensors(words_0=None), "words_0 is missing"),
    "more filters": ("characters", settings(parameters__filters=100_000), "has the shape"),
    "a long vector": ("characters", settings(parameters__dimensions=4096), "has the shape"),
    "wide filters": ("characters", settings(parameters__width=[3, 100]), "has the shape"),
    "an alphabet of a letter": ("characters", settings(characters__alphabet="a"), "has the shape"),
    "a letter twice": ("characters", settings(characters__alphabet="aa"), "a character twice"),
    "no alphabet": ("characters", settings(characters={}), "characters.alphabet is missing"),
    "blanks that say something": ("characters", _added("characters.weight"), "of blanks is not"),
    "unknown words that say something": (
        "recurrent",
        _added("words.tables.0.weight"),
        "of unknown words is not zero",
    ),
    "huge weights": (None, _changed("output.weight", 1e25), "so large that a score"),
    "no number": (None, _changed("output.weight", np.nan), "NaN or infinite"),
    "another tensor": (None, tensors(more=np.ones(1)), "'more' is in one only"),
    "another class": (None, settings(classes=["a", "b", "c", "d"]), "has the shape"),
    "an unknown setting": (None, settings(colour=1), "'colour' is no setting"),
    "an unknown parameter": (None, settings(parameters__colour=1), "parameters.'colour'"),
    "no training words": (None, settings(training_words=3), "training_words must be a list"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_other_folders_are_refused(folder: Path, what: str, tmp_path: Path) -> None:
    kind, change, said = HOSTILE[what]
    if kind in (None, folder.name):
        other = tmp_path / "other"
        ww.load_model(folder).save(other)
        check_refused(other, change, said)


# ---- the whole product ------------------------------------------------------------------------


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest) -> Any:
    return trained(str(request.param))


def test_class_words_summaries_map_and_search(model: Any) -> None:
    words = ww.class_words(model, TEXTS, top=2)
    for name in model.classes_.tolist():
        assert {entry.word for entry in words[name]} <= {*TOPICS[name]}
        assert all(entry.seen for entry in words[name])
    vectors = ww.summarize(model, TEXTS, level="element")
    assert np.isfinite(vectors).all()
    assert ww.explanatory_power(vectors, LABELS, 2, range(1, 4)).epi > 0.8
    assert len(ww.document_map(model, TEXTS, LABELS).points) == 30
    assert ww.SearchIndex(model, TEXTS).search(TEXTS[3], 1)[0].id == "3"


def test_deletion_and_sanity(model: Any) -> None:
    by_relevance, by_chance = (
        ww.deletion_curve(model, TEXTS, LABELS, method, steps=4, least_words=8)
        for method in ("lrp", "random")
    )
    assert by_relevance.area < by_chance.area
    before = model.identity
    assert model_randomisation(model, TEXTS[:10]).passed
    assert model.identity == before
    for method in ("sensitivity", "gradient_input", "integrated_gradients", "occlusion"):
        assert np.isfinite(ww.explain(model, TEXTS[0], method=method).relevance).all()


def test_evaluation(model: Any) -> None:
    found = ww.evaluate(model, TEXTS, LABELS, methods=["lrp"], steps=2, least_words=6, runs=1)
    assert found.quality.accuracy >= 0.9
    assert json.loads(found.to_json())["kind"] == model.kind


# ---- what happens in between --------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed", [{"pooling": "mean"}, {"pooling": "max", "hidden": 9}, {"width": 2, "filters": 3}]
)
def test_arguments_changed_after_the_training_are_for_the_next(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    kind = "recurrent" if "pooling" in changed else "characters"
    model = untrained(kind).fit(TEXTS, LABELS)
    identity = model.identity
    model.set_params(**changed)
    assert model.save(tmp_path / "model") == identity == model.identity
    again = ww.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.class_scores(TEXTS), model.class_scores(TEXTS))
    assert model.get_params()[min(changed)] != again.get_params()[min(changed)]


def test_a_training_that_is_interrupted_leaves_the_model_as_it_was(
    kind: str, tmp_path: Path
) -> None:
    model = trained(kind)
    before, identity = model.class_scores(TEXTS), model.save(tmp_path / "model")

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    model.on_progress = interrupt
    if kind == "recurrent":
        model.vectors = ww.Vectors(["orbit", "goal"], np.eye(2, dtype=np.float32))
    with pytest.raises(KeyboardInterrupt):
        model.fit(["orbit goal", "goal goal", "orbit orbit"], ["a", "b", "a"])
    np.testing.assert_array_equal(model.class_scores(TEXTS), before)
    assert model.save(tmp_path / "model") == identity
    assert not model.module.training


def test_what_is_asked_of_a_network_before_it_is_trained(kind: str) -> None:
    for name in ("recorded", "layer_names", "reader_", "module"):
        with pytest.raises(ww.InputError, match="not trained yet"):
            getattr(untrained(kind), name)


def test_networks_may_be_trained_side_by_side(kind: str) -> None:
    expected = untrained(kind).fit(TEXTS, LABELS).identity
    found: list[str] = []

    def fit() -> None:
        found.append(untrained(kind).fit(TEXTS, LABELS).identity)

    threads = [Thread(target=fit) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [expected] * 3
