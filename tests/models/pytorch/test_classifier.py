"""Somebody's module as a classifier: predictions, identity, and the folder that it is kept in."""

import pickle
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tampered import tamper
from torch import Tensor, nn
from torch_networks import PAD, WORDS, encode, enliven, state_of

import whyword as ww
from whyword.base.errors import InputError
from whyword.models.pytorch.module_weights import module_digest, shuffled_module, weights_bytes
from whyword.models.pytorch.stored import BUILDERS
from whyword.words import Reader

CLASSES = ["a", "b", "c"]
TEXTS = ["The film was good", "", "music", "not good at all, at all!", "The film was good"]
WORD_LIST = "the film was not good at all music".split()
VOCABULARY = {"<pad>": 0, "<unk>": 1} | {word: n + 2 for n, word in enumerate(WORD_LIST)}
NAME = "test-vote"


class Sized(nn.Module):
    """The mean of vectors of some size."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(WORDS, size), nn.Linear(size, 3)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        seen = attention_mask.unsqueeze(-1)
        return self.output((self.embedding(input_ids) * seen).sum(1) / seen.sum(1)) * self.scale


def made(seed: int = 0, encoder: Any = VOCABULARY, **options: Any) -> ww.TorchClassifier:
    classes = options.pop("classes", CLASSES)
    return ww.TorchClassifier(enliven(Sized(6), seed), encoder, classes, **options)


# ---- predictions --------------------------------------------------------------------------------


def test_predictions_are_those_of_the_module() -> None:
    model = made()
    scores = model.class_scores(TEXTS)
    for text, said in zip(TEXTS, scores, strict=True):
        ids = [VOCABULARY.get(word.strip(",!").lower(), 1) for word in text.split()] or [0]
        with torch.no_grad():
            own = model.module(torch.tensor([ids]), torch.ones(1, len(ids)))[0]
        np.testing.assert_allclose(said, own.double().numpy(), atol=1e-6)
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(TEXTS), expected, atol=1e-6)
    assert model.predict(TEXTS).tolist() == [CLASSES[k] for k in scores.argmax(1)]
    np.testing.assert_array_equal(model.decision_function(TEXTS), scores)
    assert model.predict([]).tolist() == []
    assert model.class_scores([]).shape == model.predict_proba([]).shape == (0, 3)
    assert list(ww.explain(model, [])) == []


def test_several_labels_are_predicted_from_their_thresholds_on() -> None:
    model = made(multilabel=True, threshold=[0.2, 0.5, 0.9])
    scores = model.class_scores(TEXTS)
    chances = 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(model.predict_proba(TEXTS), chances, atol=1e-6)
    above = chances >= [0.2, 0.5, 0.9]
    expected = [tuple(np.array(CLASSES)[row].tolist()) for row in above]
    assert model.predict(TEXTS) == expected
    assert len(set(expected)) > 1
    np.testing.assert_array_equal(model.decision_function(TEXTS), scores)


def test_many_texts_are_read_in_blocks() -> None:
    model, texts = made(), [f"{word} film " * n for n, word in enumerate(WORD_LIST * 20)]
    alone = [model.class_scores([text])[0] for text in texts]
    np.testing.assert_allclose(model.class_scores(texts), alone, atol=1e-5)
    for one, scores in zip(ww.explain(model, texts), alone, strict=True):
        assert one.score == pytest.approx(scores.max(), abs=1e-5)
        assert abs(one.residual) < 1e-5


def test_blocks_that_are_kept_for_explanations_are_bounded() -> None:
    model = made()
    model.network.width = 1 << 24  # of each token: 64 tokens are kept
    texts = ["not good at all " * 10, "music", "film " * 70, "good", "good"] * 20
    blocks = [trace.documents for trace in model.trace(texts, columns=1)]
    assert [one.text for block in blocks for one in block] == texts
    sizes = [[len(one) for one in block] for block in blocks]
    assert max(sum(block) for block in sizes if len(block) > 1) <= 64
    assert [70] in sizes
    assert [len(trace) for trace in model.trace(texts)] == [64, 36]


HOSTILE = ["\ud800", "a\x00b", "😡" * 50, " " * 1000, "ا" * 300, "e\u0301" * 40, "\u200b", "1 2 3"]


@pytest.mark.parametrize("encoder", [VOCABULARY, encode])
def test_hostile_texts_are_explained(encoder: Any) -> None:
    for one in ww.explain(made(encoder=encoder, pad=PAD), HOSTILE, target="all"):
        assert np.isfinite(one.relevance).all()
        assert np.abs(one.residual).max() < 1e-5


# ---- identity -----------------------------------------------------------------------------------


def test_the_identity_is_that_of_everything_that_matters() -> None:
    model = made()
    others = [
        made(seed=1),
        made(encoder=VOCABULARY | {"more": 11}),
        made(deletion="cut"),
        made(deletion="mask", mask=1),
        made(deletion="mask", mask=2),
        made(window=7),
        made(min_length=4),
        made(pad=5),
        made(name="another"),
        made(reader=Reader(ignore=["film"])),
        made(multilabel=True),
        made(multilabel=True, threshold=0.4),
        made(classes=["x", "y", "z"]),
    ]
    identities = [one.identity for one in (model, *others)]
    assert None not in identities
    assert len(set(identities)) == len(identities)
    assert made().identity == model.identity
    assert model.with_reader(Reader(ignore=["film"])).identity == others[9].identity
    lazy = model.lazy_identity()
    assert callable(lazy)
    assert lazy() == model.identity
    with torch.no_grad():
        model.module.output.bias += 1  # type: ignore[union-attr,operator]
    assert model.identity not in identities
    assert made(encoder=encode).identity is None  # which function it is cannot be told
    assert made(encoder=encode, name="mine").identity is not None


def linear(seed: int = 0, bias: bool = True) -> nn.Sequential:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 4, bias=bias), nn.Linear(4, 2))


def test_a_digest_tells_weights_parts_and_settings_apart() -> None:
    assert module_digest(linear()) == module_digest(linear())
    others = [linear(), linear(1), linear(bias=False), nn.Sequential(*linear(), nn.ReLU())]
    for settings in ({"heads": 2}, {"heads": 4}):
        configured: Any = linear()
        configured.config = types.SimpleNamespace(to_dict=lambda settings=settings: settings)
        others.append(configured)
    assert len({module_digest(one) for one in others}) == 6
    moved: Any = linear()
    moved.config = types.SimpleNamespace(to_dict=lambda: {"heads": 2, "_name_or_path": "there"})
    assert module_digest(moved) == module_digest(others[4])


def test_bytes_are_those_of_parameters_and_buffers_each_once() -> None:
    module = linear()
    assert weights_bytes(module) == 4 * (3 * 4 + 4 + 4 * 2 + 2)
    assert weights_bytes(nn.Sequential(module, module)) == weights_bytes(module)
    assert made().n_bytes == 4 * (WORDS * 6 + 6 * 3 + 3 + 1)


def test_it_is_shown_and_copied() -> None:
    model = made(name="mine")
    assert repr(model) == "TorchClassifier(Sized, 3 classes)"
    assert model.layer_names == ["embedding", "output"]
    assert model.provenance_ == {"name": "mine"}
    assert made().provenance_ == {}
    assert model.recorded == {"deletion": "pad"}
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))
    assert other.identity == model.identity


@pytest.mark.parametrize("layers", ["all", "output"])
def test_shuffled_weights_are_those_of_a_copy(layers: str) -> None:
    model = made()
    before = state_of(model.module)
    other = model.shuffled(layers, 3)
    assert state_of(model.module) == before
    same = model.shuffled(layers, 3)
    np.testing.assert_array_equal(other.class_scores(TEXTS), same.class_scores(TEXTS))
    assert np.abs(other.class_scores(TEXTS) - model.class_scores(TEXTS)).max() > 1e-3
    assert len({one.identity for one in (model, other, model.shuffled(layers, 4))}) == 3
    assert np.abs(ww.explain(other, TEXTS[0]).residual).max() < 1e-5
    module = linear()
    moved = shuffled_module(module, layers, 0)
    pairs = list(zip(module.parameters(), moved.parameters(), strict=True))
    changed = [not torch.equal(one, two) for one, two in pairs]
    assert changed == [layers == "all", False, True, False]  # biases stay
    assert all(torch.equal(one.flatten().sort()[0], two.flatten().sort()[0]) for one, two in pairs)


# ---- arguments ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pad": -1}, "pad must be a whole number"),
        ({"pad": 1.5}, "pad must be a whole number"),
        ({"mask": "[MASK]"}, "mask must be a whole number"),
        ({"min_length": 0}, "min_length must be a whole number"),
        ({"min_length": 2**31 - 1}, "min_length must be"),
        ({"window": 0}, "window must be a whole number"),
        ({"deletion": "forget"}, "deletion may be"),
        ({"deletion": "mask"}, "needs the id that is read instead"),
        ({"name": 7}, "name"),
        ({"reader": "none"}, "reader must be"),
        ({"multilabel": "yes"}, "multilabel must be"),
        ({"threshold": 0.3}, "threshold is for several labels: say multilabel=True"),
        ({"classes": ["a"]}, "classes must be two at least"),
        ({"classes": []}, "class"),
        ({"classes": ["a", "a", "b"]}, "class"),
        ({"classes": "abc"}, "class"),
        ({"classes": None}, "class"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        made(**options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("texts", ["one text", [1, 2], None, [None]])
def test_wrong_texts_are_told(texts: Any) -> None:
    for ask in (made().predict, made().predict_proba, made().class_scores):
        with pytest.raises(InputError, match="texts"):
            ask(texts)


# ---- a folder -----------------------------------------------------------------------------------


@pytest.fixture
def registered() -> Iterator[None]:
    """Register what builds the module, for this test."""
    ww.pytorch.builder(NAME)(lambda size: Sized(size))
    yield
    BUILDERS.pop(NAME, None)


def saved(folder: Path, **options: Any) -> ww.TorchClassifier:
    model = made(**options)
    model.save(folder, NAME, {"size": 6})
    return model


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deletion": "mask", "mask": 1, "min_length": 3},
        {"embeddings": "embedding", "pad": 4, "name": "mine"},
        {"multilabel": True, "threshold": [0.2, 0.5, 0.7]},
        {"reader": Reader(ignore=["good"])},
        {"classes": [3, 5, 8]},
        {"window": 3},
    ],
)
def test_a_folder_gives_the_model_back(options: dict[str, Any], tmp_path: Path) -> None:
    model = saved(tmp_path / "model", **options)
    other = ww.load_model(tmp_path / "model")
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))
    for facts in (
        lambda one: (list(one.classes_), one.deletion, one.is_multilabel, one.provenance_),
        lambda one: (one.network.min_length, one.network.window, one.network.tables.named),
        lambda one: (one.thresholds_.tolist(), one.identity),
    ):
        assert facts(other) == facts(model)
    one, two = (ww.explain(each, TEXTS[0]) for each in (model, other))
    np.testing.assert_array_equal(one.relevance, two.relevance)


@pytest.mark.parametrize("how", ["function", "named"])
def test_the_builder_may_be_named_on_loading(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(tmp_path / "model")
    said = (
        f"the folder's module is built by '{NAME}', which is not registered here: import what .*"
        "build="
    )
    with pytest.raises(InputError, match=said):
        ww.load_model(tmp_path / "model")
    build: Any = Sized
    if how == "named":
        module = types.ModuleType("somebodys_torch_code")
        module.build = Sized  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "somebodys_torch_code", module)
        build = "somebodys_torch_code:build"
    other = ww.load_model(tmp_path / "model", build=build)
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))


@pytest.mark.usefixtures("registered")
def test_a_function_that_encodes_comes_with_the_module(tmp_path: Path) -> None:
    model = saved(tmp_path / "model", encoder=encode, pad=PAD)
    said = r"does not say how texts become ids: let 'test-vote' return \(module, encode\)"
    with pytest.raises(InputError, match=said):
        ww.load_model(tmp_path / "model")
    other = ww.load_model(tmp_path / "model", build=lambda size: (Sized(size), encode))
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))


def fail(size: int) -> nn.Module:
    raise RuntimeError("no")


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (fail, r"failed to build the module \(RuntimeError: no\)"),
        (lambda: Sized(6), "failed to build the module"),
        (lambda size: "module", "built 'module', which is no torch.nn.Module"),
        (lambda size: Sized(size + 1), "module.embedding.weight has the shape"),
        (lambda size: nn.Linear(2, 2), "has other weights: 'module.bias' is in one only"),
        ("no_such_module:build", "no_such_module"),
        (7, "not registered here"),
    ],
)
def test_wrong_builders_are_told_in_one_line(build: Any, said: str, tmp_path: Path) -> None:
    saved(tmp_path / "model")
    with pytest.raises(InputError, match=said) as error:
        ww.load_model(tmp_path / "model", build=build)
    assert "\n" not in str(error.value)


Settings = dict[str, Any]
BIAS = "module.output.bias"
TAMPERED: dict[str, tuple[Callable[[dict[str, Any], Settings], object], str]] = {
    "a weight less": (lambda tensors, _: tensors.pop(BIAS), f"{BIAS}' is in one only"),
    "a weight more": (
        lambda tensors, _: tensors.update(more=np.zeros(2, np.float32)),
        "'more' is in one only",
    ),
    "another shape": (
        lambda tensors, _: tensors.update({BIAS: np.zeros(4, np.float32)}),
        f"{BIAS} has the shape",
    ),
    "another type": (lambda tensors, _: tensors.update({BIAS: np.zeros(3, np.int64)}), BIAS),
    "no number": (
        lambda tensors, _: tensors.update({BIAS: np.full(3, np.nan, np.float32)}),
        "NaN or infinite",
    ),
    "no builder": (lambda _, settings: settings.pop("builder"), "builder"),
    "a builder that is none": (lambda _, settings: settings.update(builder=["os"]), "builder"),
    "its name": (lambda _, settings: settings["builder"].update(name=7), "name must be a string"),
    "its arguments": (lambda _, settings: settings["builder"].update(arguments=[1]), "arguments"),
    "a setting more": (lambda _, settings: settings.update(hooks="os:system"), "hooks"),
    "a deletion": (lambda _, settings: settings.update(deletion="forget"), "deletion may be"),
    "a padding id": (lambda _, settings: settings.update(pad=-1), "pad must be"),
    "a length": (lambda _, settings: settings.update(min_length=0), "min_length must be"),
    "a window": (lambda _, settings: settings.update(window=0), "window must be"),
    "a mask": (lambda _, settings: settings.update(mask=-1), "mask must be"),
    "a table": (lambda _, settings: settings.update(embeddings=7), "embeddings must be a string"),
    "words": (lambda _, one: one["encoding"].update(vocabulary={"a": "b"}), "must map words"),
    "labels": (lambda _, settings: settings.update(multilabel="yes"), "must be true or false"),
    "classes": (lambda _, settings: settings.update(classes=["a"]), "classes must be two"),
}


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", TAMPERED)
def test_a_folder_that_somebody_changed_is_refused(name: str, tmp_path: Path) -> None:
    change, said = TAMPERED[name]
    saved(tmp_path / "model")
    tamper(tmp_path / "model", change)
    with pytest.raises(InputError, match=said) as error:
        ww.load_model(tmp_path / "model")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("builder", "arguments"), [("", None), (7, None), (" ", None), (NAME, [5]), (NAME, {5: 5})]
)
def test_a_wrong_name_of_a_builder_is_told(builder: Any, arguments: Any, tmp_path: Path) -> None:
    said = "arguments must be" if arguments else "builder must name what builds a module"
    with pytest.raises(InputError, match=said):
        made().save(tmp_path / "model", builder, arguments)
