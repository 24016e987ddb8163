"""A model without some words: they are deleted, for each type of model, and predictions change."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from fuzzing import check_message
from keywords import Keywords
from networks import TOPICS, small_cnn, small_svm, some_vectors, topical
from numpy.typing import NDArray
from toys import RuledClassifier
from wrapped import fitted

import whyword as ww
from whyword import InputError, Reader
from whyword.audit import what_if, without
from whyword.audit.what_if_result import WhatIf
from whyword.evaluation.quality import classes_quality
from whyword.evaluation.significance import mcnemar, share_interval
from whyword.models.protocol import TextClassifier
from whyword.words.tokenizer import Tokenizer

TRAIN, TRUE = topical(60)
TEXTS, LABELS = topical(24, seed=5)
TEXTS += ["", "Moon", "the KEY of the moon, orbit ice! orbit", "some words 10 of 10", "moon moon"]
LABELS += ["crypto", "space", "space", "hockey", "space"]
WORDS = ["Moon", "the", "key of", "orbit ice", "/sk.*/", "puck"]
IGNORED = sorted(word.lower() for word in WORDS)


def module(**settings: Any) -> ww.TorchClassifier:  # noqa: ANN401
    import torch
    from torch_texts import CLASSES, VOCABULARY, Convolution

    torch.manual_seed(2)
    return ww.TorchClassifier(Convolution().eval(), VOCABULARY, CLASSES, **settings)


def trained(kind: Any) -> Any:  # noqa: ANN401
    own = {"vectors": some_vectors()} if kind is ww.RecurrentClassifier else {"filters": 4}
    return kind(hidden=4, epochs=1, validation=0, max_words=9, **own).fit(TRAIN, TRUE)


MODELS: dict[str, Callable[[], Any]] = {
    "svm": lambda: small_svm(ngrams=(1, 1)),
    "svm of n-grams": lambda: small_svm(ngrams=(1, 3)),
    "black box": lambda: ww.BlackBox(Keywords(), name="keywords"),
    "cnn of several widths": lambda: small_cnn((1, 3)),
    "pipeline": lambda: ww.from_pipeline(fitted("words and characters", 3)),
    "pipeline, calibrated": lambda: ww.from_pipeline(fitted("calibrated", 3)),
    "module": module,
    "module, cut": lambda: module(deletion="cut"),
    "module, mask": lambda: module(deletion="mask", mask=1),
    "recurrent": lambda: trained(ww.RecurrentClassifier),
    "characters": lambda: trained(ww.CharacterClassifier),
}
SLOW = pytest.mark.slow(reason="trains small models of all types")
EACH = [pytest.param(kind, marks=[SLOW] * (n > 2)) for n, kind in enumerate(MODELS)]


@cache
def model_of(kind: str) -> Any:  # noqa: ANN401
    return MODELS[kind]()


@pytest.fixture(params=EACH)
def model(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401
    return model_of(str(request.param))


def traced(model: TextClassifier, deleted: list[NDArray[np.intp]] | None = None) -> list[Any]:
    """Return scores, probabilities, known words and their numbers."""
    traces = list(model.trace(TEXTS, deleted=None if deleted is None else iter(deleted)))
    names = ("scores", "probabilities", "known_words")
    found = [np.concatenate([getattr(one, name) for one in traces]) for name in names]
    return [*found, [one.tolist() for trace in traces for one in trace.known]]


def positions(model: TextClassifier) -> list[NDArray[np.intp]]:
    """Return where the words stand among those that a model finds, by the literal rule."""
    documents = model.documents(TEXTS)
    return [np.flatnonzero(oracle.ignored_words(one.words, WORDS)) for one in documents]


def test_a_word_that_is_not_read_is_a_deleted_one(model: Any) -> None:  # noqa: ANN401
    gone, other, whole = positions(model), without(model, WORDS), traced(model)
    assert sum(map(len, gone)) > 20
    deleted, found = traced(model, gone), traced(other)
    np.testing.assert_array_equal(found[0], deleted[0])
    np.testing.assert_array_equal(found[1], deleted[1])
    assert found[2].tolist() == deleted[2].tolist() != whole[2].tolist()
    np.testing.assert_allclose(other.predict_proba(TEXTS), found[1], atol=1e-6)
    assert not np.allclose(found[1], whole[1])
    for before, after, places in zip(whole[3], deleted[3], gone, strict=True):
        left, then = (np.delete(one, places) for one in (before, after))
        assert not np.any(np.array(after, bool)[places])
        # of n-grams, others may go with it
        assert np.array_equal(left, then) or (model.kind == "svm" and then.sum() < left.sum())
    if model.kind != "pipeline":  # which finds no words there
        assert found[3] == deleted[3]
    for text, places in zip(TEXTS[:3], gone, strict=False):
        one = ww.explain(other, text, "all")
        assert one.conserved or not one.conserves
        if model.kind != "pipeline":
            assert not one.relevance[places].any()
            assert one.document.ignored.tolist() == places.tolist()


def test_its_identity_is_its_own(model: Any, tmp_path: Path) -> None:  # noqa: ANN401
    before, other = model.identity, without(model, WORDS)
    assert other.identity != before or before is None  # a calibrated pipeline has none
    assert model.identity == before
    again = other.with_reader(model.reader_)
    assert again.identity == before
    np.testing.assert_array_equal(traced(again)[0], traced(model)[0])
    assert other.provenance_["without"] == IGNORED
    assert "without" not in again.provenance_
    assert without(other, ["ice"]).provenance_["without"] == sorted(["ice", *IGNORED])
    assert "validation_accuracy" not in other.provenance_
    if model.kind == "torch":
        other.save(tmp_path / "kept", "some builder")
        loaded = ww.load_model(tmp_path / "kept", build=lambda: deepcopy(other.module))
    elif before is not None and hasattr(other, "to_tensors"):
        other.save(tmp_path / "kept")
        loaded = ww.load_model(tmp_path / "kept")
        assert loaded.get_params()["reader"] == other.get_params()["reader"]
    else:
        return
    assert (loaded.identity, loaded.reader_) == (other.identity, other.reader_)
    assert loaded.provenance_ == other.provenance_
    np.testing.assert_array_equal(traced(loaded)[0], traced(other)[0])


def test_before_and_after(model: Any) -> None:  # noqa: ANN401
    found, other = what_if(model, WORDS, TEXTS, LABELS, alpha=0.1), without(model, WORDS)
    np.testing.assert_array_equal(found.before, traced(model)[1].argmax(1))
    np.testing.assert_array_equal(found.after, traced(other)[1].argmax(1))
    held = [n for n, gone in enumerate(positions(model)) if len(gone)]
    assert (found.documents.tolist(), list(found.words)) == (held, IGNORED)
    assert found.truth is not None
    assert [found.classes[n] for n in found.truth] == LABELS
    judged = [ww.evaluation.model_quality(one, TEXTS, LABELS) for one in (model, other)]
    assert found.qualities is not None
    for ours, alone in zip(found.qualities, judged, strict=True):
        assert ours.macro_f1 == pytest.approx(alone.macro_f1)
        assert ours.accuracy == alone.accuracy
    assert found.alpha == 0.1


@SLOW
def test_words_that_are_cut_otherwise() -> None:
    """Symbols are words of a model that sees them; a pipeline cuts words as its reader does not."""
    (document,) = without(model_of("characters"), ["words 10"]).documents(["no words 10 of 10"])
    assert document.cut(document.ignored) == ["words", "10"]
    model = model_of("pipeline")
    for words, left in ((["moon"], "the     .orbit ice"), (["moon.orbit"], "the            ice")):
        found = without(model, words).class_scores(["the moon.orbit ice"])
        np.testing.assert_array_equal(found, model.class_scores([left]))


# ---- what becomes of predictions -----------------------------------------------------------------


@pytest.mark.parametrize("is_known", [False, True])
def test_texts_are_read_once_and_those_with_the_words_predicted_again(is_known: bool) -> None:
    calls: dict[str, list[str]] = {"read": [], "asked": [], "stages": []}

    def cut(text: str) -> list[tuple[int, int]]:
        calls["read"].append(text)
        return [one.span() for one in re.finditer(r"\S+", text)]

    def ask(texts: list[str]) -> NDArray[np.float64]:
        calls["asked"] += texts
        return Keywords().predict_proba(texts)

    model = ww.BlackBox(ask, list(TOPICS), reader=Reader(tokenizer=Tokenizer(rule=cut)))
    before = Keywords().predict_proba(TEXTS) if is_known else None
    told: Any = lambda progress: calls["stages"].append(progress.stage)  # noqa: E731
    found = what_if(model, ["moon", "puck goal"], TEXTS, before=before, on_progress=told)
    assert 0 < len(found.documents) < len(TEXTS)
    assert sorted(calls["read"]) == sorted(2 * TEXTS)
    assert len(calls["asked"]) == len(found.documents) + (0 if is_known else len(TEXTS))
    stages = ["predicting"] * (0 if is_known else 29) + ["predicting again"] * 29
    assert calls["stages"] == stages
    assert found.to_dict() == what_if(model, ["moon", "puck goal"], TEXTS).to_dict()


def test_words_that_occur_nowhere_or_are_not_read_already() -> None:
    model = model_of("svm")
    for given, words in ((model, ["nowhere", "no such phrase"]), (without(model, WORDS), WORDS)):
        found = what_if(given, words, TEXTS, LABELS)
        assert found.documents.tolist() == found.changed.tolist() == []
        assert found.accuracy is not None
        assert (found.accuracy.p, found.accuracy.difference) == (1.0, 0.0)
        assert "in 0 of 29 documents, 0 predictions changed" in repr(found)
    only = model.with_reader(replace(model.reader_, tokenizer=Tokenizer(2)))
    assert what_if(only, ["the"], ["a b the"]).documents.tolist() == []
    words = [f"x{chr(0x4E00 + n)}" for n in range(5_000)]
    phrases = [f"{word} moon y{word}" for word in words]
    found = what_if(model_of("svm of n-grams"), [*words, *phrases], [*TEXTS, phrases[7], "moon"])
    assert (found.documents.tolist(), len(found.words)) == ([29], 10_000)


def test_several_labels() -> None:
    def say(texts: list[str]) -> NDArray[np.float64]:
        return np.array([["moon" in text, "puck" in text] for text in texts], float)

    model = ww.BlackBox(say, ["space", "hockey"], multilabel=True)
    texts = ["moon puck", "moon", "puck", "none"]
    found = what_if(model, ["puck"], texts, [("space",), ("space",), (), ()])
    assert [one[1:] for one in found.changes] == [
        (("space", "hockey"), ("space",), ("space",), "wrong to right"),
        (("hockey",), (), (), "wrong to right"),
    ]
    assert found.turns == {"right to wrong": 0, "wrong to right": 2, "wrong to other wrong": 0}
    assert found.qualities is not None
    assert [one.accuracy for one in found.qualities] == [0.5, 1.0]
    assert what_if(model, ["puck"], texts, before=say(texts) > 0).before.tolist() == [
        *([True, True], [True, False], [False, True], [False, False]),
    ]
    with pytest.raises(InputError, match="4 × 2, of true and false"):
        what_if(model, ["puck"], texts, before=say(texts))


CLASSES = ("a", "b", "c")
TRUTH = np.array([0, 0, 0, 1, 1, 2, 2, 2])
BEFORE = np.array([0, 0, 1, 1, 0, 0, 0, 2])
AFTER = np.array([1, 1, 0, 1, 2, 2, 2, 2])


@pytest.mark.parametrize("truth", [TRUTH, None])
def test_results_by_hand(truth: Any, tmp_path: Path) -> None:  # noqa: ANN401
    judged: Any = [classes_quality(CLASSES, TRUTH, np.eye(3)[one]) for one in (BEFORE, AFTER)]
    qualities = None if truth is None else tuple(judged)
    found = WhatIf(CLASSES, BEFORE, AFTER, truth, ("w",), np.arange(7), qualities, 0.1)
    said = "WhatIf(1 word in 7 of 8 documents, 6 predictions changed"
    found.to_json(tmp_path / "what.json")
    data = json.loads((tmp_path / "what.json").read_text("utf-8"))
    assert data == json.loads(json.dumps(found.to_dict()))
    counts = (data["words"], data["with_words"], data["documents"], data["changed"])
    assert (counts, data["alpha"]) == ((["w"], 7, 8, 6), 0.1)
    if truth is None:
        assert (found.intervals, found.accuracy, data["judged"]) == (None, None, None)
        assert repr(found) == f"{said})"
        return
    assert repr(found) == f"{said}, accuracy 0.5000 → 0.6250)"
    assert found.intervals == (share_interval(4, 8, 0.1), share_interval(5, 8, 0.1))
    assert found.accuracy is not None
    assert (found.accuracy.p, found.accuracy.values) == (mcnemar(2, 3), (0.5, 0.625))
    assert found.accuracy.names == ("with them", "without them")
    after = data["judged"]["after"]
    assert after["quality"] == json.loads(json.dumps(judged[1].to_dict()))
    assert after["accuracy_interval"] == list(found.intervals[1])
    assert data["judged"]["comparison"]["p"] == found.accuracy.p


# ---- invalid input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "words names no word to take away"),
        (["a", " "], "words holds an empty word"),
        ("moon", "words must be a list of strings, not one string"),
        ([3], "words: item 0 must be a str"),
        (["/(a+)+b/"], "never end"),
        (["/[/"], "no regular expression"),
    ],
)
def test_what_cannot_be_taken_away(words: Any, said: str) -> None:  # noqa: ANN401
    model = model_of("svm")
    for call in (lambda: without(model, words), lambda: what_if(model, words, TEXTS, LABELS)):
        with pytest.raises(InputError, match=said) as caught:
            call()
        check_message(str(caught.value))
    with pytest.raises(InputError, match="finds its words itself: none can be taken away"):
        without(RuledClassifier().fit(TRAIN, TRUE), ["moon"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"texts": []}, "there are no texts to predict"),
        ({"labels": ["space"]}, "labels and texts differ in length"),
        ({"labels": ["sea"] * 29}, "there is no class 'sea'"),
        ({"labels": [["space"]] * 29}, "the labels are several each"),
        ({"alpha": 2}, "alpha"),
        ({"on_progress": 5}, "on_progress must be a function"),
        ({"before": np.zeros((28, 3))}, "29 × 3, of probabilities"),
        ({"before": np.zeros((29, 3), complex)}, "of probabilities"),
        ({"before": [[1], [1, 2]]}, "29 × 3"),
        ({"before": np.full((29, 3), np.nan)}, "before holds what is no number"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        what_if(**{"model": Keywords(), "words": ["moon"], "texts": TEXTS, **asked})
