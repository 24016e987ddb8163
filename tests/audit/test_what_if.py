"""A model without some words: deleted words, whatever its kind, and what becomes of predictions."""

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
import torch
from fuzzing import check_message
from keywords import Keywords
from networks import COMMON, TOPICS, some_vectors, topical
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import enliven
from toys import RuledClassifier
from wrapped import fitted

import whyword as ww
from whyword import InputError, Reader
from whyword.audit import WhatIf, what_if, without
from whyword.base.errors import WhywordError
from whyword.models.abilities import Reading
from whyword.models.protocol import TextClassifier
from whyword.words.tokenizer import Tokenizer

pytestmark = pytest.mark.slow("trains small models")

TRAIN, TRUE = topical(60)
TEXTS, LABELS = topical(24, seed=5)
TEXTS += [
    "",
    "Moon",
    "the KEY of the moon, orbit ice! orbit",
    "unknown words 10 of 10",
    "moon " * 3,
]
LABELS += ["crypto", "space", "space", "hockey", "space"]
WORDS = ["Moon", "the", "key of", "orbit ice", "/sk.*/", "puck"]
VOCABULARY = {
    word: number
    for number, word in enumerate(
        ["<pad>", "<unk>", *(word for topic in TOPICS.values() for word in topic), *COMMON]
    )
}


class Convolved(nn.Module):
    """Vectors, one convolution, the largest answers; with or without an attention mask."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), 6, padding_idx=0)
        self.convolution = nn.Conv1d(6, 8, 2, padding=1)
        self.output = nn.Linear(8, 3)

    def forward(self, ids: Tensor) -> Tensor:
        said: Tensor = self.output(self.convolution(self.embedding(ids).transpose(1, 2)).amax(2))
        return said


class Averaged(nn.Module):
    """The mean of the vectors that are not hidden, and of their products."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), 6, padding_idx=0)
        self.output = nn.Linear(6, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        seen = attention_mask.unsqueeze(-1)
        vectors = torch.tanh(self.embedding(input_ids)) * seen
        said: Tensor = self.output(vectors.sum(1) / seen.sum(1))
        return said


def cnn(width: int | tuple[int, ...], **settings: Any) -> ww.CNNClassifier:  # noqa: ANN401
    model = ww.CNNClassifier(
        vectors=some_vectors(), width=width, filters=8, epochs=3, learning_rate=0.02, **settings
    )
    return model.fit(TRAIN, TRUE)


def svm(ngrams: tuple[int, int], **settings: Any) -> ww.SVMClassifier:  # noqa: ANN401
    return ww.SVMClassifier(ngrams=ngrams, C=1.0, folds=2, **settings).fit(TRAIN, TRUE)


def module(kind: type[nn.Module], **settings: Any) -> ww.TorchClassifier:  # noqa: ANN401
    classes = sorted(TOPICS)
    return ww.TorchClassifier(enliven(kind()), VOCABULARY, classes, **settings)


def trained(kind: Any) -> Any:  # noqa: ANN401
    own = {"vectors": some_vectors()} if kind is ww.RecurrentClassifier else {"filters": 4}
    return kind(hidden=4, epochs=1, validation=0, max_words=9, **own).fit(TRAIN, TRUE)


KINDS: dict[str, Callable[[], Any]] = {
    "cnn": lambda: cnn(2),
    "cnn of several widths": lambda: cnn((1, 3)),
    "svm": lambda: svm((1, 1)),
    "svm of n-grams": lambda: svm((1, 3)),
    "svm of few words": lambda: svm((1, 2), max_words=7),
    "pipeline": lambda: ww.from_pipeline(fitted("words and characters", 3)),
    "pipeline, calibrated": lambda: ww.from_pipeline(fitted("calibrated", 3)),
    "torch, zero": lambda: module(Convolved),
    "torch, cut": lambda: module(Convolved, deletion="cut"),
    "torch, mask": lambda: module(Convolved, deletion="mask", mask=1),
    "torch, pad": lambda: module(Averaged),
    "recurrent": lambda: trained(ww.RecurrentClassifier),
    "characters": lambda: trained(ww.CharacterClassifier),
    "black box": lambda: ww.BlackBox(Keywords(), name="keywords"),
}


@cache
def model_of(kind: str) -> Any:  # noqa: ANN401
    return KINDS[kind]()


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401
    return model_of(str(request.param))


def traced(model: TextClassifier, deleted: list[NDArray[np.intp]] | None = None) -> tuple[Any, ...]:
    """Return scores and probabilities of the texts."""
    gone = None if deleted is None else iter(deleted)
    traces = list(model.trace(TEXTS, deleted=gone))
    return (
        np.concatenate([one.scores for one in traces]),
        np.concatenate([one.probabilities for one in traces]),
    )


def positions(model: TextClassifier, words: list[str]) -> list[NDArray[np.intp]]:
    """Return where the words stand among those that a model finds, by the literal rule."""
    entries = [" ".join(word.split()) for word in words]
    return [
        np.flatnonzero(oracle.ignored_words(document.words, entries))
        for document in model.documents(TEXTS)
    ]


def test_a_word_that_is_not_read_is_a_deleted_one(model: Any) -> None:  # noqa: ANN401
    deleted = positions(model, WORDS)
    assert sum(map(len, deleted)) > 20
    for found, expected in zip(traced(without(model, WORDS)), traced(model, deleted), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_it_predicts_what_it_traces(model: Any) -> None:  # noqa: ANN401
    other = without(model, WORDS)
    scores, chances = traced(other)
    np.testing.assert_allclose(other.predict_proba(TEXTS), chances, atol=1e-6)
    if hasattr(other, "predict"):
        best = chances if other.kind == "pipeline" else scores
        assert list(other.predict(TEXTS)) == [other.classes_[n] for n in best.argmax(1)]
    assert not np.allclose(chances, traced(model)[1])


def test_its_explanations_are_of_what_it_reads(model: Any) -> None:  # noqa: ANN401
    other = without(model, WORDS)
    for text, gone in zip(TEXTS[:3], positions(model, WORDS), strict=False):
        one = ww.explain(other, text, "all")
        assert one.conserved or not one.conserves
        if model.kind != "pipeline":  # which finds no words there
            assert not one.relevance[gone].any()
            assert not one.known[gone].any()
            assert one.document.ignored.tolist() == gone.tolist()


def known_of(
    model: TextClassifier, deleted: list[NDArray[np.intp]] | None = None
) -> tuple[list[list[bool]], list[int]]:
    """Return which words of each text a model knows, and how much that is."""
    gone = None if deleted is None else iter(deleted)
    traces = list(model.trace(TEXTS, deleted=gone))
    counts = np.concatenate([trace.known_words for trace in traces])
    return [one.tolist() for trace in traces for one in trace.known], counts.tolist()


def test_a_word_that_is_gone_is_not_known(model: Any) -> None:  # noqa: ANN401
    """Deleted or ignored, whatever the kind; of n-grams, others may go with it."""
    gone = positions(model, WORDS)
    whole, count = known_of(model)
    left, left_count = known_of(model, gone)
    for before, after, places in zip(whole, left, gone, strict=True):
        hidden = {int(place) for place in places}
        assert not any(after[place] for place in hidden)
        staying = [is_known for n, is_known in enumerate(before) if n not in hidden]
        still = [is_known for n, is_known in enumerate(after) if n not in hidden]
        assert still == staying or (model.kind == "svm" and sum(still) < sum(staying))
    other = without(model, WORDS)
    ignored, ignored_count = known_of(other)
    assert left_count == ignored_count != count
    if model.kind != "pipeline":  # which finds no words there
        assert ignored == left
    every = [np.arange(len(document)) for document in model.documents(TEXTS)]
    assert not any(any(one) for one in known_of(model, every)[0])
    if hasattr(other, "known_words"):
        assert other.known_words(TEXTS).tolist() == ignored_count


def test_its_identity_is_its_own(model: Any, tmp_path: Path) -> None:  # noqa: ANN401
    before = model.identity
    other: Any = without(model, WORDS)
    assert other.identity != before or before is None  # a calibrated pipeline has none
    assert model.identity == before
    again = other.with_reader(model.reader_)
    assert again.identity == before
    for found, expected in zip(traced(again), traced(model), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert other.provenance_["without"] == sorted(word.lower() for word in WORDS)
    assert "without" not in again.provenance_
    assert without(other, ["ice"]).provenance_["without"] == sorted(
        ["ice", *(word.lower() for word in WORDS)]
    )
    assert "validation_accuracy" not in other.provenance_
    assert other.provenance_.get("data") == model.provenance_.get("data")
    if before is not None and hasattr(other, "to_tensors"):
        other.save(tmp_path / "kept")
        loaded = ww.load_model(tmp_path / "kept")
        assert loaded.identity == other.identity
        assert loaded.reader_ == other.reader_
        assert loaded.provenance_ == other.provenance_
        assert loaded.get_params()["reader"] == other.get_params()["reader"]
        np.testing.assert_array_equal(traced(loaded)[0], traced(other)[0])
        if hasattr(model, "training_words"):
            assert set(loaded.training_words or ()) == set(model.training_words or ())


@pytest.mark.parametrize("kind", ["torch, cut", "torch, pad"])
def test_a_module_that_is_kept(kind: str, tmp_path: Path) -> None:
    other = without(model_of(kind), WORDS)
    other.save(tmp_path / "kept", "some builder")
    loaded = ww.load_model(tmp_path / "kept", build=lambda: deepcopy(other.module))
    assert loaded.identity == other.identity != model_of(kind).identity
    assert loaded.provenance_ == other.provenance_
    np.testing.assert_array_equal(traced(loaded)[0], traced(other)[0])


def test_what_is_kept_of_words_is_not_shared() -> None:
    model = deepcopy(model_of("cnn")).cache_words(1 << 20)
    warm = traced(model)
    other = without(model, WORDS)
    np.testing.assert_array_equal(traced(other)[0], traced(without(model_of("cnn"), WORDS))[0])
    frequent = model.cache_frequent_words(TEXTS, 1 << 20)
    np.testing.assert_allclose(
        traced(without(frequent, WORDS))[0], traced(other)[0], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_array_equal(traced(model)[0], warm[0])
    kept = without(model, WORDS).cache_words(1 << 20)
    np.testing.assert_allclose(traced(kept)[0], traced(other)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["cnn", "svm", "recurrent", "characters"])
def test_training_without_them_reads_as_it_does(kind: str) -> None:
    """A network that has learned from the words before: the same reader, the same inputs."""
    other = without(model_of(kind), WORDS)
    makers = {"cnn": ww.CNNClassifier, "svm": ww.SVMClassifier}
    if kind in makers:
        own = {"vectors": some_vectors(), "epochs": 1} if kind == "cnn" else {"C": 1.0, "folds": 2}
        fresh = makers[kind](reader=Reader(ignore=WORDS), **own).fit(TRAIN, TRUE)
        own_words = fresh.training_words
        assert not {"moon", "the", "puck", "skate"} & set(own_words)
        assert {"orbit", "key"} <= set(own_words)
    else:
        fresh = model_of(kind).__class__(**model_of(kind).get_params())
        fresh.set_params(reader=Reader(ignore=WORDS)).fit(TRAIN, TRUE)
    assert fresh.reader_ == other.reader_
    for one, two in zip(fresh.documents(TEXTS), other.documents(TEXTS), strict=True):
        assert one.unread.tolist() == two.unread.tolist()


def test_a_network_is_trained_on_what_it_will_read() -> None:
    """Deleted by hand beforehand, and by the reader: the same ids, zeros and masks."""
    model = model_of("recurrent")
    other = without(model, WORDS).classifier_
    encoded = [other.encoded(one) for one in other.documents(TEXTS)]
    for one, document in zip(encoded, other.documents(TEXTS), strict=True):
        owners = one.pieces.owners
        assert set(owners[one.zeroed].tolist()) == set(document.ignored.tolist())
    windows = [model._windows(other, one) for one in encoded]
    assert sum(int(w.zeroed.sum()) for one in windows for w in one if w.zeroed is not None) > 20


def test_symbols_are_words_of_a_module_that_sees_them() -> None:
    characters = model_of("characters")
    text = "unknown words 10 of 10"
    (document,) = without(characters, ["10", "words"]).documents([text])
    assert document.cut(document.ignored) == ["words", "10", "10"]
    (document,) = without(characters, ["words 10"]).documents([text])
    assert document.cut(document.ignored) == ["words", "10"]


def test_words_as_a_pipeline_cuts_them_and_as_its_reader_does() -> None:
    model = model_of("pipeline")
    text = "the moon.orbit ice"
    for words, left in ((["moon"], "the     .orbit ice"), (["moon.orbit"], "the            ice")):
        np.testing.assert_array_equal(
            without(model, words).class_scores([text]), model.class_scores([left])
        )


# ---- what becomes of predictions -----------------------------------------------------------------


def test_before_and_after(model: Any) -> None:  # noqa: ANN401
    found = what_if(model, WORDS, TEXTS, LABELS)
    classes = [str(label) for label in found.classes]
    anew = traced(without(model, WORDS))[1]
    np.testing.assert_array_equal(found.before, traced(model)[1].argmax(1))
    np.testing.assert_array_equal(found.after, anew.argmax(1))
    held = [n for n, gone in enumerate(positions(model, WORDS)) if len(gone)]
    assert found.documents.tolist() == held
    assert found.truth is not None
    assert [classes[n] for n in found.truth] == LABELS
    assert found.qualities is not None
    judged = ww.evaluation.model_quality(without(model, WORDS), TEXTS, LABELS)
    assert found.qualities[1].accuracy == judged.accuracy
    assert found.qualities[1].macro_f1 == pytest.approx(judged.macro_f1)


def test_only_documents_with_the_words_are_predicted_again() -> None:
    asked: list[str] = []

    class Asked(Keywords):
        def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
            asked.extend(texts)
            return super().predict_proba(texts)

    found = what_if(Asked(), ["moon", "puck goal"], TEXTS)
    assert len(asked) == len(TEXTS) + len(found.documents) < 2 * len(TEXTS)


@pytest.mark.parametrize("is_known", [False, True])
def test_texts_are_read_once_with_the_words_and_once_without(is_known: bool) -> None:
    read: list[str] = []

    def cut(text: str) -> list[tuple[int, int]]:
        read.append(text)
        return [found.span() for found in re.finditer(r"\S+", text)]

    model = ww.BlackBox(Keywords(), reader=Reader(tokenizer=Tokenizer(rule=cut)))
    before = Keywords().predict_proba(TEXTS) if is_known else None
    found = what_if(model, ["moon", "puck goal"], TEXTS, before=before)
    assert 0 < len(found.documents) < len(TEXTS)
    assert sorted(read) == sorted(2 * TEXTS)


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


def test_several_labels() -> None:
    def say(texts: list[str]) -> NDArray[np.float64]:
        return np.array([["moon" in text, "puck" in text] for text in texts], float)

    model = ww.BlackBox(say, ["space", "hockey"], multilabel=True)
    texts = ["moon puck", "moon", "puck", "none"]
    labels = [("space",), ("space",), (), ()]
    found = what_if(model, ["puck"], texts, labels)
    assert [one[1:] for one in found.changes] == [
        (("space", "hockey"), ("space",), ("space",), "wrong to right"),
        (("hockey",), (), (), "wrong to right"),
    ]
    assert found.turns == {"right to wrong": 0, "wrong to right": 2, "wrong to other wrong": 0}
    assert found.qualities is not None
    assert [one.accuracy for one in found.qualities] == [0.5, 1.0]
    assert what_if(model, ["puck"], texts).turns is None


def test_thousands_of_entries() -> None:
    words = [f"x{chr(0x4E00 + n)}" for n in range(5_000)]
    phrases = [f"{word} moon y{word}" for word in words]
    found = what_if(model_of("svm of n-grams"), [*words, *phrases], [*TEXTS, phrases[7], "moon"])
    assert found.documents.tolist() == [29]
    assert len(found.words) == 10_000


# ---- bad input -------------------------------------------------------------------------------


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


def test_a_model_that_finds_its_words_itself() -> None:
    own = RuledClassifier().fit(TRAIN, TRUE)
    assert not isinstance(own, Reading)
    with pytest.raises(InputError, match="finds its words itself: none can be taken away"):
        without(own, ["moon"])


@pytest.mark.parametrize(
    ("texts", "labels", "said"),
    [
        ([], None, "there are no texts to predict"),
        (["moon"], ["space", "space"], "labels"),
        (["moon"], ["sea"], "there is no class 'sea'"),
        (["moon"], [["space"]], "the labels are several each"),
    ],
)
def test_texts_and_labels_that_do_not_fit(texts: list[str], labels: Any, said: str) -> None:  # noqa: ANN401
    with pytest.raises(WhywordError, match=said):
        what_if(model_of("svm"), ["moon"], texts, labels)
    with pytest.raises(InputError, match="alpha"):
        what_if(model_of("svm"), ["moon"], ["moon"], alpha=2)
    with pytest.raises(InputError, match="reader must be a Reader"):
        model_of("svm").with_reader("mail")


def test_it_is_public() -> None:
    assert (ww.without, ww.what_if, ww.audit.WhatIf) == (without, what_if, WhatIf)


# ---- what is known before --------------------------------------------------------------------


def test_what_is_known_is_not_asked_again() -> None:
    asked: list[str] = []

    class Asked(Keywords):
        def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
            asked.extend(texts)
            return super().predict_proba(texts)

    before = Keywords().predict_proba(TEXTS)
    found = what_if(Asked(), WORDS, TEXTS, before=before.tolist())
    assert len(asked) == len(found.documents)
    assert found.to_dict() == what_if(Keywords(), WORDS, TEXTS).to_dict()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (np.zeros((29, 2)), "before must be an array with a row for each text"),
        (np.zeros((28, 3)), "29 × 3, of probabilities"),
        (np.zeros((29, 3), complex), "of probabilities"),
        ([[1], [1, 2]], "29 × 3"),
        (np.full((29, 3), np.nan), "before holds what is no number"),
        ("abc", "before must be an array"),
        (np.array([["a"] * 3] * 29), "of probabilities"),
    ],
)
def test_what_cannot_be_known(before: Any, said: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=said):
        what_if(Keywords(), ["moon"], TEXTS, before=before)


def test_progress_is_told_and_may_end_the_work() -> None:
    stages: list[str] = []
    found = what_if(Keywords(), ["moon"], TEXTS, on_progress=lambda one: stages.append(one.stage))
    assert stages == ["predicting"] * len(TEXTS) + ["predicting again"] * len(TEXTS)
    assert len(found.documents)

    def end(_: object) -> None:
        raise InputError("enough")

    with pytest.raises(InputError, match="enough"):
        what_if(Keywords(), ["moon"], TEXTS, on_progress=end)
