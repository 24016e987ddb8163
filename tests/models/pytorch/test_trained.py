"""Torch networks that are trained here, recurrent ones and those of characters, as estimators."""

import copy
import json
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from networks import some_vectors, topical
from sklearn.base import clone
from tampered import Change, check_refused, settings, tensors, with_number
from torch import Tensor
from torch.nn.modules.module import register_module_forward_pre_hook
from torch_trained import trained, untrained

import whyword as ww
from whyword.base.progress import Progress
from whyword.words.reader import Reader

KINDS = ("recurrent", "characters")
TEXTS, LABELS = topical(30)
ODD = ["the moon, of rocket!", "", "🚀 2020", "puck", "goal ice " * 12, "Moon\n\n chip  C++ the a"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def _fitted(kind: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    return untrained(kind, **dict(settings)).fit(TEXTS, LABELS)


def fitted(kind: str, **settings: Any) -> Any:
    """Return a network after two epochs: a copy of one that is trained once."""
    return copy.deepcopy(_fitted(kind, tuple(settings.items())))


@contextmanager
def training_batches() -> Iterator[list[Tensor]]:
    """Record the ids that networks read while they are in training mode."""
    seen: list[Tensor] = []

    def see(module: Any, given: Any) -> None:
        if type(module).__name__ in ("RecurrentNetwork", "CharacterNetwork") and module.training:
            seen.append(given[0].clone())

    with register_module_forward_pre_hook(see):
        yield seen


# ---- training -----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_network(kind: str) -> None:
    state = torch.random.get_rng_state()
    first, other = fitted(kind), untrained(kind, seed=1).fit(TEXTS, LABELS)
    again = clone(first).fit(TEXTS, LABELS)
    assert first.identity == again.identity != other.identity
    np.testing.assert_array_equal(first.class_scores(TEXTS), again.class_scores(TEXTS))
    assert torch.equal(state, torch.random.get_rng_state())


def test_scores_probabilities_and_predictions_agree(kind: str) -> None:
    model = fitted(kind)
    scores = model.class_scores(TEXTS)
    np.testing.assert_array_equal(model.decision_function(TEXTS), scores)
    chances = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(TEXTS), chances, rtol=1e-6)
    assert model.predict(TEXTS).tolist() == model.classes_[scores.argmax(1)].tolist()
    assert model.class_scores([]).shape == (0, 3)
    two = untrained(kind).fit(*topical(20, 2))
    scores = two.class_scores(TEXTS)
    np.testing.assert_allclose(scores[:, 0], -scores[:, 1])
    np.testing.assert_allclose(two.decision_function(TEXTS), scores[:, 1])
    chances = 1 / (1 + np.exp(-scores[:, 1]))
    np.testing.assert_allclose(two.predict_proba(TEXTS)[:, 1], chances, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_and_records_how(kind: str) -> None:
    model = trained(kind)
    texts, labels = topical(60, seed=5)
    assert model.score(texts, labels) > 0.9
    facts = model.provenance_
    assert (facts["documents"], facts["held_out"]) == (60, 6)
    assert 1 <= facts["best_epoch"] <= 12
    assert facts["validation_accuracy"] == 1
    assert {"moon", "the"} <= set(model.training_words)
    last = fitted(kind, validation=0).provenance_
    assert (last["held_out"], last["best_epoch"], last["validation_accuracy"]) == (0, 2, None)


def test_class_weights_count(kind: str) -> None:
    texts, labels = topical(30, 2)
    scores = [
        untrained(kind, validation=0, class_weight=weight).fit(texts, labels).class_scores(texts)
        for weight in (None, "balanced", {"space": 20.0})
    ]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-4)  # there are as many of each
    assert scores[2][:, 1].mean() > scores[0][:, 1].mean()


def test_long_texts_are_trained_on_in_parts_and_read_as_a_whole(kind: str) -> None:
    texts = [" ".join([text] * 20) for text in TEXTS[:12]]
    length = 16 if kind == "recurrent" else 60
    with training_batches() as batches:
        model = untrained(kind, length=length, word_dropout=0).fit(texts, LABELS[:12])
    assert {one.shape[1] for one in batches} == {length}
    rows = {tuple(row.tolist()) for one in batches for row in one}
    assert len(rows) > 12  # of each text another part in each epoch
    assert len(ww.explain(model, texts[0]).words) == 320


def test_words_are_dropped_as_a_whole() -> None:
    text = "the moon chip of team"
    with training_batches() as batches:
        model = untrained("characters", epochs=4, word_dropout=0.5, validation=0)
        model.fit([text] * 12, ["a", "b"] * 6)
    (document,) = model.documents([text])
    whole = model.classifier_.encoder(document)
    gone = set()
    for row in torch.cat(batches).numpy():
        lost = [word for word in range(5) if not row[whole.pieces.owners == word].any()]
        expected = np.where(np.isin(whole.pieces.owners, lost), 0, whole.ids)
        np.testing.assert_array_equal(row, expected)
        gone.add(len(lost))
    assert len(gone) > 2


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
        ({"precision": "float16"}, LABELS, "precision may be"),
        ({"length": 0}, LABELS, "length must be a whole number"),
        ({"dropout": 2}, LABELS, "dropout must be"),
        ({"hidden": -1}, LABELS, "hidden must be a whole number"),
    ],
)
def test_a_wrong_training_is_refused(
    kind: str, settings_: dict[str, Any], labels: list[str], message: str
) -> None:
    with pytest.raises(ww.InputError, match=message):
        untrained(kind, **settings_).fit(TEXTS, labels)


@pytest.mark.parametrize(
    ("kind", "settings_", "message"),
    [
        ("recurrent", {"cell": "rnn"}, "cell may be 'lstm' or 'gru', not 'rnn'"),
        (
            "recurrent",
            {"pooling": "min"},
            "pooling may be 'last' or 'mean' or 'max' or",
        ),
        ("recurrent", {"hidden": 0}, "hidden must be a whole number"),
        ("recurrent", {"hidden": 4097}, "hidden must be a whole number"),
        ("recurrent", {"layers": 17}, "layers must be a whole number"),
        ("recurrent", {"bidirectional": "yes"}, "bidirectional must be"),
        ("recurrent", {"vectors": 3}, "vectors takes Vectors or a path, not int"),
        (
            "recurrent",
            {"vectors": ww.Vectors(["x"], np.ones((1, 2), np.float32))},
            "no word of the training texts has a vector",
        ),
        ("characters", {"alphabet": 0}, "alphabet must be a whole number"),
        ("characters", {"width": (3, 3)}, "width takes one or several different numbers"),
        ("characters", {"width": 0}, "width must be a whole number"),
        ("characters", {"filters": 10**9}, "filters must be a whole number"),
        ("characters", {"dimensions": None}, "dimensions must be a whole number"),
        ("characters", {"lowercase": "no"}, "lowercase must be"),
    ],
)
def test_a_wrong_network_is_refused(kind: str, settings_: dict[str, Any], message: str) -> None:
    with pytest.raises(ww.InputError, match=message):
        untrained(kind, **settings_).fit(TEXTS, LABELS)


def test_a_network_must_be_trained_before_it_is_asked(kind: str) -> None:
    for name in ("recorded", "layer_names", "reader_", "module"):
        with pytest.raises(ww.InputError, match="not trained yet"):
            getattr(untrained(kind), name)
    for ask in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(ww.InputError, match="not trained yet"):
            getattr(untrained(kind), ask)(TEXTS)
    with pytest.raises(ww.InputError, match="there is no character in the training texts"):
        untrained("characters", validation=0).fit(["", " "], ["x", "y"])


def test_an_ignored_word_is_trained_on_as_an_unknown_one() -> None:
    """Both are zeros to a network of words."""
    texts = [text.replace("moon", "qqq") for text in TEXTS]
    for train_vectors in (False, True):
        how = {"train_vectors": train_vectors}
        one = untrained("recurrent", reader=Reader(ignore=["moon"]), **how).fit(TEXTS, LABELS)
        other = untrained("recurrent", **how).fit(texts, LABELS)
        np.testing.assert_allclose(one.class_scores(TEXTS), other.class_scores(texts), atol=1e-5)
        plain = one.with_reader(Reader().shortened(9))
        assert plain.identity != one.identity
        assert not np.allclose(plain.class_scores(TEXTS), one.class_scores(TEXTS)) or train_vectors


def test_a_network_no_better_than_chance_is_told(caplog: pytest.LogCaptureFixture) -> None:
    labels = ["a", "b"] * 15
    untrained("recurrent", learning_rate=1e-9, validation=10).fit(["moon"] * 30, labels)
    said = "of the 10 documents held out, the network has 50 % right, no more than who always"
    assert said in caplog.text
    caplog.clear()
    trained("recurrent", validation=10)
    assert not caplog.text


def test_progress_is_told() -> None:
    events: list[Progress] = []
    untrained("recurrent", on_progress=events.append).fit(TEXTS, LABELS)
    assert [one.number for one in events if "validation accuracy" in one.metrics] == [1, 2]
    assert events[-1].share == 1


def test_an_interrupted_training_leaves_the_model_as_it_was(kind: str, tmp_path: Path) -> None:
    model = fitted(kind)
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


# ---- explanations -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("recurrent", {"pooling": "last"}),
        ("recurrent", {"cell": "gru", "pooling": "attention"}),
        ("recurrent", {"pooling": "mean", "bidirectional": False}),
        ("recurrent", {"layers": 2}),
        ("characters", {}),
        ("characters", {"hidden": 5}),
    ],
)
def test_relevance_adds_up_and_is_together_as_alone(kind: str, shape: dict[str, Any]) -> None:
    model = untrained(kind, epochs=1, **shape).fit(*topical(12, 2 if shape else 3))
    together = ww.explain(model, ODD, "all")
    for one, text in zip(together, ODD, strict=True):
        assert np.abs(one.residual).max() < 1e-5
        alone = ww.explain(model, text, "all")
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-5)
        np.testing.assert_allclose(one.scores, alone.scores, atol=1e-5)
        if kind == "recurrent":
            assert not one.relevance[~one.known].any()
        else:
            assert not np.abs(one.padding).max()  # blanks have none
    assert model.classifier_.network.pads


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_relevance_of_a_word_does_not_grow_with_the_text(cell: str) -> None:
    """The relevance of a word is at most Σ |v|·|W·x|, whatever stands before and behind it."""
    model = untrained("recurrent", epochs=1, cell=cell).fit(*topical(12, 3))
    network, size = model.module, model.hidden
    text = " ".join(np.random.default_rng(0).permutation("Moon chip the a team".split() * 100))
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if "bias_hh" in name:
                weight[: 2 * size] += 1.0  # gates are open
    found = ww.explain(model, text, "all")
    assert np.abs(found.residual).max() < 1e-4
    vector = torch.from_numpy(model.vectors.rows([word.lower() for word in found.words]))
    inputs = (vector.float() * network.words.scale) @ torch.cat(
        [cells[0].weight_ih_l0[2 * size : 3 * size] for cells in (network.forth, network.back)]
    ).T
    bound = (inputs.abs() @ network.output.weight.abs().T).detach().numpy()
    assert (np.abs(found.relevance) <= bound + 1e-5).all()


def test_characters_that_are_no_word_are_read_too() -> None:
    model = fitted("characters")
    said = ww.explain(model, "Moon\n\n it: C++ 2020 🚀")
    assert said.words == ["Moon", "it", ":", "C++", "2020", "🚀"]
    assert said.relevance[:4].all()
    one, other = model.class_scores(["moon  chip\n", "moon chip "])
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_case_is_kept_if_that_is_said() -> None:
    kept, lower = fitted("characters", lowercase=False), fitted("characters")
    assert not np.allclose(*kept.class_scores(["MOON", "moon"]))
    np.testing.assert_array_equal(*lower.class_scores(["MOON", "moon"]))
    assert ww.explain(kept, "MOON moon").known.tolist() == [False, True]


def test_deleted_words_of_characters_are_blank() -> None:
    model, text = fitted("characters"), "the moon chip"
    without = ww.explain(model, text, "all", deleted=[1])
    assert not without.relevance[1].any()
    assert not without.known[1]
    (document,) = model.documents([text])
    whole = model.classifier_.encoder(document)
    blank = np.where(whole.pieces.owners == 1, 0, whole.ids)
    said = model.module(torch.from_numpy(blank)[None], torch.ones(1, len(blank)))
    np.testing.assert_allclose(without.scores, said[0].numpy(), atol=1e-5)


# ---- word vectors -------------------------------------------------------------------------------


def test_vectors_are_trained_if_that_is_said() -> None:
    fewer = [text.replace("orbit", "the") for text in TEXTS]
    moon = some_vectors()["moon"]
    for train_vectors in (False, True):
        model = untrained("recurrent", train_vectors=train_vectors).fit(fewer, LABELS)
        (known,) = (one.known.tolist() for one in ww.explain(model, ["orbit Moon nasa"]))
        assert known == [not train_vectors, True, False]  # nasa has no vector
        assert "orbit" not in model.training_words
        table = model.module.words
        row = table.weights[0][table.rows_0[model.classifier_.encoder.numbers["moon"]]].numpy()
        assert np.array_equal(row, moon) == (not train_vectors)
        assert not table.weights[0][0].any()
    words = [word for text in fewer for word in text.split() if word in some_vectors()]
    squares = np.square(some_vectors().rows(words)).mean()
    kept = untrained("recurrent").fit(fewer, LABELS).module.words
    assert float(kept.scale) == pytest.approx(squares**-0.5, rel=1e-6)


def test_several_tables_are_kept_apart(tmp_path: Path) -> None:
    vectors = ww.Vectors.stack(
        some_vectors(), ww.Vectors(["nasa", "moon"], np.eye(2, dtype=np.float32))
    )
    model = untrained("recurrent", vectors=vectors).fit(TEXTS, LABELS)
    assert ww.explain(model, "nasa moon orbit chip").known.tolist() == [True, True, True, False]
    assert model.save(tmp_path / "m") == model.identity
    loaded = ww.load_model(tmp_path / "m")
    assert loaded.identity == model.identity
    np.testing.assert_array_equal(loaded.class_scores(TEXTS), model.class_scores(TEXTS))
    words = ["nasa", "moon", "orbit", "chip"]
    np.testing.assert_allclose(loaded.vectors.rows(words), vectors.rows(words))
    again = loaded.set_params(on_progress=False).fit(TEXTS, LABELS)
    np.testing.assert_allclose(again.class_scores(TEXTS), model.class_scores(TEXTS), atol=1e-5)


def test_default_vectors_are_made_of_whole_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def for_texts(texts: Any, **options: object) -> ww.Vectors:
        read.extend(len(one) for one in texts)
        return some_vectors()

    monkeypatch.setattr(ww.Vectors, "for_texts", for_texts)
    texts, labels = topical(12)
    model = untrained("recurrent", vectors=None, max_words=5).fit(texts, labels)
    assert read == [16] * 12
    assert model.provenance_["vectors"] == "GloVe 50d + CBOW"
    assert ww.explain(model, texts[0]).truncated == 11


# ---- keeping ------------------------------------------------------------------------------------


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
    for name in kept:
        assert loaded.get_params()[name] == model.get_params()[name], name
    assert loaded.reader_ == model.reader_
    assert loaded.training_words == model.training_words
    assert loaded.provenance_ == model.provenance_
    a, b = (ww.explain(one, TEXTS[0], "all") for one in (model, loaded))
    np.testing.assert_array_equal(a.relevance, b.relevance)
    assert loaded.save(tmp_path / "again") == identity
    assert json.loads((tmp_path / "model" / "model.json").read_text())["kind"] == kind


def test_copies_are_equal_until_weights_change(kind: str) -> None:
    model = fitted(kind)
    for other in (copy.copy(model), pickle.loads(pickle.dumps(model))):
        assert other.identity == model.identity
        np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))
    before = model.identity
    assert model.shuffled("output", 0).identity != before
    with torch.no_grad():
        model.module.output.bias += 1
    assert model.identity != before


@pytest.mark.parametrize(
    "changed", [{"pooling": "mean"}, {"pooling": "last", "hidden": 9}, {"width": 2, "filters": 3}]
)
def test_arguments_changed_after_the_training_are_for_the_next(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    model = fitted("recurrent" if "pooling" in changed else "characters")
    identity = model.identity
    model.set_params(**changed)
    assert model.save(tmp_path / "model") == identity == model.identity
    again = ww.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.class_scores(TEXTS), model.class_scores(TEXTS))
    assert model.get_params()[min(changed)] != again.get_params()[min(changed)]


def added(name: str) -> Change:
    return tensors(**{name: lambda old: old + np.float32(1)})


HOSTILE: dict[str, list[tuple[Change, str]]] = {
    "recurrent": [
        (settings(parameters__hidden=4000), "has the shape"),
        (settings(parameters__hidden=10**12), "parameters.hidden"),
        (settings(parameters__layers=16), "is in one only"),
        (settings(parameters__cell="gru"), "has the shape"),
        (tensors(words_0=None), "words_0 is missing"),
        (added("words.tables.0.weight"), "of unknown words is not zero"),
    ],
    "characters": [
        (settings(parameters__filters=100_000), "has the shape"),
        (settings(parameters__dimensions=4096), "has the shape"),
        (settings(parameters__width=[3, 100]), "has the shape"),
        (settings(characters__alphabet="a"), "has the shape"),
        (settings(characters__alphabet="aa"), "a character twice"),
        (settings(characters__alphabet=""), "alphabet must be a string of characters"),
        (settings(characters={}), "characters.alphabet is missing"),
        (added("characters.weight"), "of blanks is not"),
    ],
}
for _changes in HOSTILE.values():
    _changes += [
        (tensors(**{"output.weight": with_number(-1, 1e25)}), "so large that a score"),
        (tensors(**{"output.weight": with_number(-1, np.nan)}), "NaN or infinite"),
        (tensors(more=np.ones(1)), "'more' is in one only"),
        (settings(classes=["a", "b", "c", "d"]), "has the shape"),
        (settings(colour=1), "'colour' is no setting"),
        (settings(parameters__colour=1), "parameters.'colour'"),
        (settings(training_words=3), "training_words must be a list"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_somebody_changed_is_refused(kind: str, tmp_path: Path) -> None:
    model = fitted(kind)
    for number, (change, said) in enumerate(HOSTILE[kind]):
        model.save(tmp_path / str(number))
        check_refused(tmp_path / str(number), change, said)
