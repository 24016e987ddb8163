"""A transformer that is fine-tuned here, or brought along."""

import copy
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import torch
from hub_folders import CLASSES, change_config, write_folder
from networks import topical
from tampered import tamper
from torch.nn.modules.module import register_module_forward_pre_hook

import whyword as ww
from whyword import InputError, TransformerClassifier
from whyword.base.progress import Progress
from whyword.models.pytorch.pooled import PooledEncoder

TEXT = "The rocket and the orbit of the moon, 3 goals!"
LONG = " ".join([TEXT] * 12)
FEW = topical(24)
_KEPT = TemporaryDirectory()  # of the process


@cache
def base() -> Path:
    """Return the folder of a BERT of two layers that knows the words, and nothing else."""
    return write_folder(Path(_KEPT.name) / "bert", hidden_size=16, hidden_dropout_prob=0.0)


def made(**settings: Any) -> TransformerClassifier:
    given: dict[str, Any] = {
        "base": base(),
        "length": 16,
        "learning_rate": 0.005,
        "batch_size": 8,
        "epochs": 1,
        "frozen": "nothing",
        "precision": "float32",
    }
    return TransformerClassifier(**given | settings)


@cache
def _fitted(settings: tuple[tuple[str, Any], ...]) -> TransformerClassifier:
    return made(**dict(settings)).fit(*FEW)


def fitted(**settings: Any) -> TransformerClassifier:
    """Return a model after an epoch: a copy of one that is trained once."""
    return copy.deepcopy(_fitted(tuple(settings.items())))


def test_it_learns() -> None:
    texts, labels = topical(90)
    model = made(hidden=12, epochs=25, patience=None).fit(texts, labels)
    assert model.score(texts, labels) >= 0.9
    assert model.provenance_["validation_accuracy"] > 0.5
    assert model.provenance_["held_out"] == 9
    assert "rocket" in (model.training_words or ())


def test_it_is_explained_in_windows_too() -> None:
    model = fitted(hidden=12)
    for text in (TEXT, LONG, ""):
        e = ww.explain(model, text, "all")
        total = e.relevance.sum(axis=0) + e.padding + e.constant
        np.testing.assert_allclose(total, e.scores, atol=1e-4)
        np.testing.assert_allclose(e.scores, model.class_scores([text])[0], atol=1e-5)
        assert e.truncated == 0
    assert ww.explain(model, LONG).parameters["windows"] > 1
    assert "3" in ww.explain(model, TEXT).words
    lengths = {
        length: fitted(length=length).classifier_.network.window.size for length in (8, 1000, None)
    }
    assert lengths == {8: 8, 1000: 64, None: 64}  # no more than it has places for


@pytest.mark.parametrize("deletion", ["zero", "mask", "pad", "cut"])
def test_words_that_are_not_read_are_deleted(deletion: str, tmp_path: Path) -> None:
    plain = fitted(deletion=deletion)
    ignored = ["moon", "the rocket", "3"]
    other = ww.without(plain, ignored)
    (document,) = plain.documents([TEXT])
    gone = np.array([0, 1, 7, 9])
    assert document.cut(gone) == ["The", "rocket", "moon", "3"]
    (deleted,) = plain.trace([TEXT], deleted=iter([gone]))
    np.testing.assert_array_equal(other.class_scores([TEXT]), deleted.scores)
    other.save(tmp_path / "other")
    assert ww.load_model(tmp_path / "other").identity == other.identity != plain.identity
    trained = made(deletion=deletion, reader=ww.Reader(ignore=ignored)).fit(*FEW)
    assert trained.reader_ == other.reader_


@pytest.mark.parametrize("head", [{"pooling": "cls"}, {"hidden": 12}])
def test_whyword_and_transformers_load_its_folder(head: dict[str, Any], tmp_path: Path) -> None:
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    model = fitted(**head)
    identity = model.save(tmp_path / "model")
    again = ww.load_model(tmp_path / "model")
    assert isinstance(again, TransformerClassifier)
    assert again.identity == identity == model.identity
    assert again.get_params()["hidden"] == model.hidden
    np.testing.assert_array_equal(again.class_scores([LONG]), model.class_scores([LONG]))
    kept = json.loads((tmp_path / "model" / "model.json").read_text())
    assert (kept["kind"], kept["classes"]) == ("transformer", CLASSES)
    assert "transformers_version" not in kept["config"]
    kind = AutoModelForSequenceClassification if model.pooling == "cls" else AutoModel
    module, info = kind.from_pretrained(tmp_path / "model", output_loading_info=True)
    ids = AutoTokenizer.from_pretrained(tmp_path / "model")(TEXT, return_tensors="pt")
    (tmp_path / "model" / "model.json").unlink()  # now it is theirs alone
    with torch.no_grad():
        said = module(**ids)
        if model.pooling == "cls":
            assert not any(info.values())
            np.testing.assert_allclose(said.logits, model.class_scores([TEXT]), atol=1e-5)
            assert sorted(module.config.id2label.values()) == CLASSES
            theirs = ww.load_model(tmp_path / "model")
            np.testing.assert_allclose(theirs.class_scores([TEXT]), said.logits, atol=1e-5)
        else:
            own = model.module.get_submodule("bert")(**ids).last_hidden_state
            torch.testing.assert_close(said.last_hidden_state, own)
            with pytest.raises(InputError, match="has no head"):
                ww.load_model(tmp_path / "model")


@pytest.mark.parametrize("several", [False, True])
def test_a_folder_that_was_brought_along_can_be_kept(several: bool, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(base(), tmp_path / "brought"))
    if several:
        change_config(folder, lambda c: c.update(problem_type="multi_label_classification"))
    model: Any = ww.load_model(folder)
    assert isinstance(model.predict([TEXT])[0], tuple) == several
    identity = model.save(tmp_path / "kept")
    again: Any = ww.load_model(tmp_path / "kept")
    assert again.identity == identity == model.identity
    np.testing.assert_array_equal(again.class_scores([LONG]), model.class_scores([LONG]))
    assert list(again.predict([TEXT])) == list(model.predict([TEXT]))
    assert again.training_words is None
    assert again.base == str(folder)


@pytest.mark.parametrize(
    ("frozen", "changed"),
    [
        ("nothing", {"embeddings", "layer.0", "layer.1"}),
        ("embeddings", {"layer.0", "layer.1"}),
        (0, {"layer.0", "layer.1"}),
        (1, {"layer.1"}),
    ],
)
def test_frozen_weights_stay(frozen: object, changed: set[str]) -> None:
    before: Any = ww.load_model(base())
    old, new = before.module.state_dict(), fitted(frozen=frozen, pooling="cls").module.state_dict()
    parts = {"embeddings", "layer.0", "layer.1"}
    moved = {
        part
        for part in parts
        if any(part in name and not torch.equal(old[name], new[name]) for name in old)
    }
    assert moved == changed


def test_the_first_layers_may_be_taken() -> None:
    model = fitted(layers=1)
    assert not any("layer.1" in name for name in model.layer_names)
    assert model.get_params()["layers"] == 1


def test_the_same_seed_gives_the_same_model() -> None:
    one, same, other = (
        made(seed=seed, word_dropout=0.2).fit(*FEW).class_scores([TEXT]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_progress_is_told() -> None:
    events: list[Progress] = []
    made(epochs=2, on_progress=events.append).fit(*FEW)
    shares = [one.share or 0.0 for one in events]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert "validation accuracy" in events[-1].metrics


def test_numbers_and_signs_are_dropped_as_words_are() -> None:
    """All pieces but special tokens may be masked in training."""
    seen: list[Any] = []

    def see(module: torch.nn.Module, given: Any) -> None:
        if isinstance(module, PooledEncoder) and module.training:
            seen.append(given[0])

    with register_module_forward_pre_hook(see):
        made(word_dropout=0.9999, validation=0).fit([f"{text} 3 !" for text in FEW[0]], FEW[1])
    assert {number for ids in seen for number in ids.unique().tolist()} == {2, 3, 4}


def test_weights_changed_in_place_are_another_model() -> None:
    model = fitted(hidden=12)
    before = model.identity
    with torch.no_grad():
        next(one for one in model.module.parameters() if one.dim() == 1).add_(1)
    assert model.identity != before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base": "no such folder"}, "no such folder, and no base of that name; known are"),
        ({"base": 3}, "base is named by a str or Path, not 3"),
        ({"layers": 9}, "layers must be a whole number from 1 to 2"),
        ({"layers": 0}, "layers must be"),
        ({"frozen": 3}, "frozen is 3 layers; the model has 2"),
        ({"frozen": "all"}, "frozen may be .* or a number of layers"),
        ({"frozen": -1}, "frozen must be a whole number"),
        ({"pooling": "max"}, "pooling may be"),
        ({"pooling": "cls", "hidden": 3}, "hidden is for pooling='mean'"),
        ({"epochs": 0}, "epochs must be"),
        ({"deletion": "away"}, "deletion may be"),
        ({"learning_rate": "fast"}, "learning_rate must be"),
        ({"precision": "half"}, "precision may be"),
        ({"length": 7}, "length must be"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as info:
        made(**settings).fit(*FEW)
    assert "\n" not in str(info.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_hidden_layers": 10**9}, "is 1,000,000,000, but the weights are"),
        ({"vocab_size": 10**12}, "weights, there are"),
        ({"num_labels": 10**9}, "num_labels is 1,000,000,000"),
        ({"hidden_size": 4096}, "weights, there are"),
        ({"auto_map": {"AutoModel": "evil.Model"}}, "code of its own"),
        ({"model_type": "vit"}, "no classifier of texts"),
        ({"model_type": 3}, "names no model_type"),
    ],
)
def test_a_changed_folder_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    fitted(hidden=12).save(tmp_path / "model")
    tamper(tmp_path / "model", lambda _, settings: settings["config"].update(change))
    with pytest.raises(InputError, match=said):
        ww.load_model(tmp_path / "model")


@pytest.mark.parametrize("encoding", [{}, {"vocabulary": {"a": 1}}])
def test_a_folder_without_a_tokenizer_is_refused(encoding: dict[str, Any], tmp_path: Path) -> None:
    fitted(hidden=12).save(tmp_path / "model")
    tamper(tmp_path / "model", lambda _, settings: settings.update(encoding=encoding))
    with pytest.raises(InputError, match="it has no tokenizer"):
        ww.load_model(tmp_path / "model")


@pytest.mark.parametrize("changed", [{"length": 32}, {"deletion": "cut"}, {"pooling": "cls"}])
def test_arguments_changed_after_the_training_are_for_the_next(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    model = fitted()
    identity = model.identity
    model.set_params(**changed)
    assert model.save(tmp_path / "model") == identity
    again: Any = ww.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.class_scores([LONG]), model.class_scores([LONG]))
    assert again.recorded == model.recorded
    assert again.base == again.provenance_["base"] == str(base())
    if "length" in changed:
        assert again.fit(*FEW).identity == identity
