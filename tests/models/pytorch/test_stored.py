"""A module as a folder: what is loaded is what was saved, or one line says why not."""

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
from torch_networks import PAD, WORDS, encode, enliven

import whyword as ww
from whyword.base.errors import InputError
from whyword.models.pytorch.stored import BUILDERS
from whyword.words import Reader

NAME = "test-vote"
VOCABULARY = {"<pad>": 0, "<unk>": 1, "good": 2, "film": 3, "bad": 4}
TEXTS = ["A good film", "", "bad bad film"]
READER = Reader(ignore=["bad"])


class Sized(nn.Module):
    """The mean of vectors of some size."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(WORDS, size), nn.Linear(size, 3)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        seen = attention_mask.unsqueeze(-1)
        return self.output((self.embedding(input_ids) * seen).sum(1) / seen.sum(1)) * self.scale


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Know what builds the module, for this test."""
    ww.pytorch.builder(NAME)(lambda size: Sized(size))
    yield
    BUILDERS.pop(NAME, None)


def made(**options: Any) -> ww.TorchClassifier:
    given = {"encode": VOCABULARY, "classes": ["a", "b", "c"]} | options
    return ww.TorchClassifier(enliven(Sized(5), 3), given.pop("encode"), **given)


def saved(folder: Path, **options: Any) -> ww.TorchClassifier:
    model = made(**options)
    model.save(folder, NAME, {"size": 5})
    return model


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deletion": "mask", "mask": 1, "min_length": 3},
        {"embeddings": "embedding", "pad": 4},
        {"multilabel": True, "threshold": [0.2, 0.5, 0.7]},
        {"reader": READER},
        {"classes": [3, 5, 8]},
        {"window": 3},
    ],
)
def test_what_is_loaded_is_what_was_saved(options: dict[str, Any], tmp_path: Path) -> None:
    model = saved(tmp_path / "model", **options)
    other = ww.load_model(tmp_path / "model")
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))
    assert list(other.classes_) == list(model.classes_)
    assert other.deletion == model.deletion
    assert other.network.min_length == model.network.min_length
    assert other.network.window == model.network.window
    assert other.is_multilabel == model.is_multilabel
    np.testing.assert_array_equal(other.thresholds_, model.thresholds_)
    one, two = (ww.explain(each, TEXTS[0]) for each in (model, other))
    np.testing.assert_array_equal(one.relevance, two.relevance)
    assert other.identity == model.identity


@pytest.mark.parametrize("how", ["function", "named"])
def test_what_builds_it_is_named_on_loading(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(tmp_path / "model")
    BUILDERS.clear()
    build: Any = lambda size: Sized(size)  # noqa: E731
    if how == "named":
        module = types.ModuleType("somebodys_torch_code")
        module.build = build  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "somebodys_torch_code", module)
        build = "somebodys_torch_code:build"
    other = ww.load_model(tmp_path / "model", build=build)
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))


def test_a_function_that_encodes_comes_with_the_module(tmp_path: Path) -> None:
    model = saved(tmp_path / "model", encode=encode, pad=PAD)
    with pytest.raises(InputError, match=r"does not say how texts become ids"):
        ww.load_model(tmp_path / "model")
    other = ww.load_model(tmp_path / "model", build=lambda size: (Sized(size), encode))
    np.testing.assert_array_equal(other.class_scores(TEXTS), model.class_scores(TEXTS))


def fail(size: int) -> nn.Module:
    raise RuntimeError("no")


BUILDS: dict[str, tuple[Any, str]] = {
    "fails": (fail, r"failed to build the module \(RuntimeError: no\)"),
    "other arguments": (lambda: Sized(5), "failed to build the module"),
    "no module": (lambda size: "module", "which is no torch.nn.Module"),
    "another size": (lambda size: Sized(size + 1), "is not a whole model"),
    "another module": (lambda size: nn.Linear(2, 2), "is not a whole model"),
    "no such function": ("no_such_module:build", "no_such_module"),
    "no function": (7, "not registered here"),
}


@pytest.mark.parametrize("name", BUILDS)
def test_wrong_builders(name: str, tmp_path: Path) -> None:
    build, said = BUILDS[name]
    saved(tmp_path / "model")
    with pytest.raises(InputError, match=said) as error:
        ww.load_model(tmp_path / "model", build=build)
    assert "\n" not in str(error.value)


def test_a_builder_that_nobody_knows(tmp_path: Path) -> None:
    saved(tmp_path / "model")
    BUILDERS.clear()
    with pytest.raises(InputError, match=f"built by '{NAME}', which is not registered here"):
        ww.load_model(tmp_path / "model")


Settings = dict[str, Any]
TAMPERED: dict[str, Callable[[dict[str, Any], Settings], object]] = {
    "a weight less": lambda tensors, _: tensors.pop("module.output.bias"),
    "a weight more": lambda tensors, _: tensors.update(more=np.zeros(2, np.float32)),
    "another shape": lambda tensors, _: tensors.update(
        {"module.output.bias": np.zeros(4, np.float32)}
    ),
    "another type": lambda tensors, _: tensors.update(
        {"module.output.bias": np.zeros(3, np.int64)}
    ),
    "no number": lambda tensors, _: tensors.update(
        {"module.output.bias": np.full(3, np.nan, np.float32)}
    ),
    "no builder": lambda _, settings: settings.pop("builder"),
    "a builder that is none": lambda _, settings: settings.update(builder=["os", "system"]),
    "its name": lambda _, settings: settings["builder"].update(name=7),
    "its arguments": lambda _, settings: settings["builder"].update(arguments=[1]),
    "a setting more": lambda _, settings: settings.update(hooks="os:system"),
    "a deletion": lambda _, settings: settings.update(deletion="forget"),
    "a padding id": lambda _, settings: settings.update(pad=-1),
    "a length": lambda _, settings: settings.update(min_length=0),
    "a table": lambda _, settings: settings.update(embeddings=7),
    "words": lambda _, settings: settings["encoding"].update(vocabulary={"a": "b"}),
    "labels": lambda _, settings: settings.update(multilabel="yes"),
    "classes": lambda _, settings: settings.update(classes=["a"]),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_folders_that_somebody_changed(name: str, tmp_path: Path) -> None:
    saved(tmp_path / "model")
    tamper(tmp_path / "model", TAMPERED[name])
    with pytest.raises(InputError) as error:
        ww.load_model(tmp_path / "model")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("builder", "arguments"), [("", None), (7, None), (" ", None), (NAME, [5]), (NAME, {5: 5})]
)
def test_wrong_names_of_builders(builder: Any, arguments: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"builder|arguments"):
        made().save(tmp_path / "model", builder, arguments)
