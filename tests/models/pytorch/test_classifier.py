"""Somebody's module as a classifier."""

import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch_networks import PAD, Vote, encode, enliven, state_of

import whyword as ww
from whyword.base.errors import InputError

CLASSES = ["a", "b", "c"]
TEXTS = ["The film was good", "", "music", "not good at all, at all!", "The film was good"]
WORDS = "the film was not good at all music".split()
VOCABULARY = {"<pad>": 0, "<unk>": 1} | {word: n + 2 for n, word in enumerate(WORDS)}


def made(seed: int = 0, encoder: Any = VOCABULARY, **options: Any) -> ww.TorchClassifier:
    return ww.TorchClassifier(enliven(Vote(), seed), encoder, CLASSES, **options)


# ---- what it says -------------------------------------------------------------------------------


def test_predictions_are_the_modules_own() -> None:
    model = made()
    scores = model.class_scores(TEXTS)
    for text, said in zip(TEXTS, scores, strict=True):
        ids = [VOCABULARY.get(word.strip(",!").lower(), 1) for word in text.split()] or [0]
        with torch.no_grad():
            own = model.module(torch.tensor([ids]), torch.ones(1, len(ids)))[0]
        np.testing.assert_allclose(said, own.double().numpy(), atol=1e-6)
    chances = model.predict_proba(TEXTS)
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(chances, expected, atol=1e-6)
    assert model.predict(TEXTS).tolist() == [CLASSES[k] for k in scores.argmax(1)]
    np.testing.assert_array_equal(model.decision_function(TEXTS), scores)


def test_no_texts() -> None:
    model = made()
    assert model.predict([]).tolist() == []
    assert model.class_scores([]).shape == (0, 3)
    assert model.predict_proba([]).shape == (0, 3)
    assert list(ww.explain(model, [])) == []


def test_many_texts_in_blocks() -> None:
    model, texts = made(), [f"{word} film " * n for n, word in enumerate(WORDS * 20)]
    alone = [model.class_scores([text])[0] for text in texts]
    np.testing.assert_allclose(model.class_scores(texts), alone, atol=1e-5)
    found = ww.explain(model, texts)
    for one, scores in zip(found, alone, strict=True):
        assert one.score == pytest.approx(scores.max(), abs=1e-5)
        assert abs(one.residual) < 1e-5


HOSTILE = ["\ud800", "a\x00b", "😡" * 50, " " * 1000, "ا" * 300, "e\u0301" * 40, "\u200b", "1 2 3"]


@pytest.mark.parametrize("encoder", [VOCABULARY, encode])
def test_hostile_texts(encoder: Any) -> None:
    for one in ww.explain(made(encoder=encoder, pad=PAD), HOSTILE, target="all"):
        assert np.isfinite(one.relevance).all()
        assert np.abs(one.residual).max() < 1e-5


# ---- what it is ---------------------------------------------------------------------------------


def test_its_identity_is_that_of_all_that_it_does() -> None:
    model = made()
    others = [
        made(seed=1),
        made(encoder=VOCABULARY | {"more": 11}),
        made(deletion="cut"),
        made(window=7),
        made(min_length=4),
        made(pad=5),
        made(name="another"),
        ww.TorchClassifier(enliven(Vote()), VOCABULARY, ["x", "y", "z"]),
    ]
    identities = [one.identity for one in (model, *others)]
    assert None not in identities
    assert len(set(identities)) == len(identities)
    assert made().identity == model.identity
    lazy = model.lazy_identity()
    assert callable(lazy)
    assert lazy() == model.identity


def test_how_large_it_is() -> None:
    model = made()
    numbers = sum(one.numel() for one in (*model.module.parameters(), *model.module.buffers()))
    assert model.n_bytes == 4 * numbers
    model.module.register_parameter("again", next(model.module.parameters()))  # shared: once
    assert model.n_bytes == 4 * numbers


def test_its_identity_changes_with_the_weights() -> None:
    model = made()
    before = model.identity
    with torch.no_grad():
        model.module.output.bias += 1  # type: ignore[union-attr,operator]
    assert model.identity != before


def test_nobody_can_tell_a_function_without_a_name() -> None:
    assert made(encoder=encode).identity is None
    assert made(encoder=encode, name="mine").identity is not None


def test_it_is_shown() -> None:
    assert repr(made()) == "TorchClassifier(Vote, 3 classes)"
    assert made().layer_names == ["embedding", "output"]


def test_it_is_pickled() -> None:
    model = made()
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))
    assert other.identity == model.identity


@pytest.mark.parametrize("layers", ["all", "output"])
def test_shuffled(layers: str) -> None:
    model = made()
    before = state_of(model.module)
    other = model.shuffled(layers, 3)
    assert state_of(model.module) == before
    same = model.shuffled(layers, 3)
    np.testing.assert_array_equal(other.class_scores(TEXTS), same.class_scores(TEXTS))
    assert np.abs(other.class_scores(TEXTS) - model.class_scores(TEXTS)).max() > 1e-3
    table = model.module.embedding.weight  # type: ignore[union-attr]
    assert torch.equal(other.module.embedding.weight, table) == (layers == "output")  # type: ignore[union-attr,arg-type]
    assert other.identity != model.identity
    assert np.abs(ww.explain(other, TEXTS[0]).residual).max() < 1e-5


# ---- what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pad": -1}, "pad"),
        ({"pad": 1.5}, "pad"),
        ({"mask": "[MASK]"}, "mask"),
        ({"min_length": 0}, "min_length"),
        ({"deletion": "forget"}, "deletion"),
        ({"deletion": "mask"}, "mask"),
        ({"name": 7}, "name"),
        ({"reader": "none"}, "reader"),
        ({"threshold": 0.3}, "multilabel"),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        made(**options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("classes", [["a"], [], ["a", "a", "b"], "abc", None])
def test_wrong_classes(classes: Any) -> None:
    with pytest.raises(InputError, match="class"):
        ww.TorchClassifier(enliven(Vote()), VOCABULARY, classes)


@pytest.mark.parametrize("texts", ["one text", [1, 2], None, [None]])
def test_wrong_texts(texts: Any) -> None:
    with pytest.raises(InputError, match="texts"):
        made().predict(texts)


def test_what_is_kept_with_its_way_back_is_bounded() -> None:
    model = made()
    model.network.width = 1 << 24  # of each token: 64 tokens are kept
    texts = ["not good at all " * 10, "music", "film " * 70, "good", "good"] * 20
    blocks = [trace.documents for trace in model.trace(texts, columns=1)]
    assert [one.text for block in blocks for one in block] == texts
    sizes = [[len(one) for one in block] for block in blocks]
    assert max(sum(block) for block in sizes if len(block) > 1) <= 64
    assert [70] in sizes
    assert [len(trace) for trace in model.trace(texts)] == [64, 36]
