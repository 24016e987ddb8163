"""A transformer that is fine-tuned here, or brought along."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hub_folders import CLASSES, change_config, write_folder
from networks import topical
from tampered import tamper

import whyword as ww
from whyword import InputError, TransformerClassifier
from whyword.base.progress import Progress

pytestmark = pytest.mark.slow("imports transformers")

TEXT = "The rocket and the orbit of the moon, 3 goals!"
LONG = " ".join([TEXT] * 12)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers that knows the words, and nothing else."""
    folder = tmp_path_factory.mktemp("base") / "bert"
    return write_folder(folder, hidden_size=16, hidden_dropout_prob=0.0)


def made(base: Path, **settings: Any) -> TransformerClassifier:
    given: dict[str, Any] = {
        "length": 16,
        "learning_rate": 0.005,
        "batch_size": 8,
        "frozen": "nothing",
    }
    return TransformerClassifier(base, **given | {"precision": "float32"} | settings)


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str]]:
    return topical(90)


@pytest.fixture(scope="module", params=["mean", "cls"])
def model(
    request: pytest.FixtureRequest, base: Path, texts: tuple[list[str], list[str]]
) -> TransformerClassifier:
    hidden = 12 if request.param == "mean" else None
    return made(base, pooling=request.param, hidden=hidden, epochs=25, patience=None).fit(*texts)


def test_it_learns(model: TransformerClassifier, texts: tuple[list[str], list[str]]) -> None:
    assert model.score(*texts) >= 0.9
    assert model.provenance_["validation_accuracy"] > 0.5
    assert model.provenance_["held_out"] == 9
    assert "rocket" in (model.training_words or ())
    chances = model.predict_proba(texts[0][:3])
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_it_is_explained_in_windows_too(model: TransformerClassifier) -> None:
    for text in (TEXT, LONG, ""):
        e = ww.explain(model, text, "all")
        total = e.relevance.sum(axis=0) + e.padding + e.constant
        np.testing.assert_allclose(total, e.scores, atol=1e-4)
        np.testing.assert_allclose(e.scores, model.class_scores([text])[0], atol=1e-5)
        assert e.truncated == 0
    assert ww.explain(model, LONG).parameters["windows"] > 1
    assert "3" in ww.explain(model, TEXT).words


@pytest.mark.parametrize("deletion", ["zero", "mask", "pad", "cut"])
def test_words_that_are_not_read_are_deleted(base: Path, deletion: str, tmp_path: Path) -> None:
    texts, labels = topical(18)
    plain = made(base, deletion=deletion, epochs=1).fit(texts, labels)
    ignored = ["moon", "the rocket", "3"]
    other = ww.without(plain, ignored)
    (document,) = plain.documents([TEXT])
    gone = np.array([0, 1, 7, 9])
    assert document.cut(gone) == ["The", "rocket", "moon", "3"]
    (deleted,) = plain.trace([TEXT], deleted=iter([gone]))
    np.testing.assert_array_equal(other.class_scores([TEXT]), deleted.scores)
    other.save(tmp_path / "other")
    assert ww.load_model(tmp_path / "other").identity == other.identity != plain.identity
    trained = made(base, deletion=deletion, epochs=1, reader=ww.Reader(ignore=ignored))
    assert trained.fit(texts, labels).reader_ == other.reader_


def test_both_worlds_load_it(model: TransformerClassifier, tmp_path: Path) -> None:
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    identity = model.save(tmp_path / "model")
    again = ww.load_model(tmp_path / "model")
    assert isinstance(again, TransformerClassifier)
    assert again.identity == identity == model.identity
    assert again.get_params()["hidden"] == model.hidden
    np.testing.assert_array_equal(again.class_scores([LONG]), model.class_scores([LONG]))
    kind = AutoModelForSequenceClassification if model.pooling == "cls" else AutoModel
    module, info = kind.from_pretrained(tmp_path / "model", output_loading_info=True)
    ids = AutoTokenizer.from_pretrained(tmp_path / "model")(TEXT, return_tensors="pt")
    with torch.no_grad():
        said = module(**ids)
    if model.pooling == "cls":
        assert not any(info.values())
        np.testing.assert_allclose(said.logits, model.class_scores([TEXT]), atol=1e-5)
        assert sorted(module.config.id2label.values()) == CLASSES
        (tmp_path / "model" / "model.json").unlink()  # now it is theirs alone
        theirs = ww.load_model(tmp_path / "model")
        np.testing.assert_allclose(theirs.class_scores([TEXT]), said.logits, atol=1e-5)
    else:
        encoder = model.module.get_submodule("bert")
        with torch.no_grad():
            own = encoder(**ids).last_hidden_state
        torch.testing.assert_close(said.last_hidden_state, own)
        (tmp_path / "model" / "model.json").unlink()
        with pytest.raises(InputError, match="has no head"):
            ww.load_model(tmp_path / "model")


def test_a_folder_that_was_brought_along_can_be_kept(base: Path, tmp_path: Path) -> None:
    model = ww.load_model(base)
    assert isinstance(model, TransformerClassifier)
    identity = model.save(tmp_path / "kept")
    again = ww.load_model(tmp_path / "kept")
    assert again.identity == identity == model.identity
    np.testing.assert_array_equal(again.class_scores([LONG]), model.class_scores([LONG]))
    assert again.training_words is None


def test_several_labels_of_a_folder(base: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "several"))
    change_config(folder, lambda c: c.update(problem_type="multi_label_classification"))
    model = ww.load_model(folder)
    assert isinstance(model.predict([TEXT])[0], tuple)
    model.save(tmp_path / "kept")
    assert ww.load_model(tmp_path / "kept").predict([TEXT]) == model.predict([TEXT])


@pytest.mark.parametrize(
    ("frozen", "changed"),
    [
        ("nothing", {"embeddings", "layer.0", "layer.1"}),
        ("embeddings", {"layer.0", "layer.1"}),
        (0, {"layer.0", "layer.1"}),
        (1, {"layer.1"}),
    ],
)
def test_what_is_frozen_stays(
    frozen: object, changed: set[str], base: Path, texts: tuple[list[str], list[str]]
) -> None:
    model = made(base, frozen=frozen, epochs=1, pooling="cls").fit(*texts)
    before = ww.load_model(base).module.state_dict()
    after = model.module.state_dict()
    parts = {"embeddings", "layer.0", "layer.1"}
    moved = {
        part
        for part in parts
        if any(part in name and not torch.equal(before[name], after[name]) for name in before)
    }
    assert moved == changed


def test_fewer_layers(base: Path, texts: tuple[list[str], list[str]]) -> None:
    model = made(base, layers=1, epochs=1).fit(*texts)
    assert not any("layer.1" in name for name in model.layer_names)
    assert model.get_params()["layers"] == 1


def test_a_seed_says_what_comes_out(base: Path, texts: tuple[list[str], list[str]]) -> None:
    one, same, other = (
        made(base, epochs=1, seed=seed, word_dropout=0.2).fit(*texts).class_scores([TEXT])
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_it_tells_how_far_it_is(base: Path, texts: tuple[list[str], list[str]]) -> None:
    events: list[Progress] = []
    made(base, epochs=2, on_progress=events.append).fit(*texts)
    shares = [one.share or 0.0 for one in events]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert "validation accuracy" in events[-1].metrics


def test_numbers_and_signs_are_dropped_as_words_are(
    base: Path, texts: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class SeenError(Exception):
        """Enough was seen."""

    def look(network: object, examples: Any, *_: object) -> None:
        for window, *_more in examples.texts:
            assert (window.words[1:-1] >= 0).all()
            assert (window.words[[0, -1]] == -1).all()
        raise SeenError

    monkeypatch.setattr("whyword.models.pytorch.trained.Trainer", look)
    with pytest.raises(SeenError):
        made(base).fit([f"{text} 3 !" for text in texts[0]], texts[1])


def test_who_learned_nothing_is_told(
    base: Path, texts: tuple[list[str], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    made(base, epochs=1, learning_rate=1e-9).fit(*texts)
    assert "no more than who always names the most frequent class" in caplog.text


def test_it_reads_no_more_than_it_has_places_for(
    base: Path, texts: tuple[list[str], list[str]]
) -> None:
    long = [" ".join([text] * 6) for text in texts[0]]  # longer than its table
    model = made(base, epochs=1, length=1000).fit(long, texts[1])
    assert ww.explain(model, LONG).parameters["windows"] > 1


def test_weights_changed_in_place_are_another_model(model: TransformerClassifier) -> None:
    before = model.identity
    with torch.no_grad():
        bias = [one for one in model.module.parameters() if one.dim() == 1][-1]
        bias.add_(1)
        changed = model.identity
        bias.sub_(1)
    assert changed != before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base": "no such folder"}, "no such folder"),
        ({"base": 3}, "base is named by"),
        ({"layers": 9}, "layers"),
        ({"layers": 0}, "layers"),
        ({"frozen": 9}, "frozen is 9 layers; the model has 2"),
        ({"frozen": "all"}, "frozen may be .* or a number of layers"),
        ({"pooling": "max"}, "pooling may be"),
        ({"pooling": "cls", "hidden": 3}, "hidden is for pooling='mean'"),
        ({"epochs": 0}, "epochs"),
        ({"deletion": "away"}, "deletion may be"),
        ({"learning_rate": "fast"}, "learning_rate"),
        ({"precision": "half"}, "precision may be"),
    ],
)
def test_what_is_wrong_is_said(
    settings: dict[str, Any], said: str, base: Path, texts: tuple[list[str], list[str]]
) -> None:
    given = {"base": base} | settings
    with pytest.raises(InputError, match=said) as info:
        made(**given).fit(*texts)
    assert "\n" not in str(info.value)


@pytest.mark.parametrize(
    "change",
    [
        {"num_hidden_layers": 10**9},
        {"vocab_size": 10**12},
        {"num_labels": 10**9},
        {"text_config": {"num_labels": 10**9}},
        {"hidden_size": 4096},
        {"auto_map": {"AutoModel": "evil.Model"}},
        {"model_type": "vit"},
        {"model_type": 3},
    ],
)
def test_a_changed_folder_is_refused(
    change: dict[str, Any], model: TransformerClassifier, tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    tamper(tmp_path / "model", lambda _, said: said["config"].update(change))
    with pytest.raises(InputError):
        ww.load_model(tmp_path / "model")


def test_json_is_plain(model: TransformerClassifier, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    said = json.loads((tmp_path / "model" / "model.json").read_text())
    assert said["kind"] == "transformer"
    assert said["classes"] == CLASSES
    assert "transformers_version" not in said["config"]


@pytest.mark.parametrize("changed", [{"length": 32}, {"deletion": "cut"}, {"pooling": "cls"}])
def test_arguments_changed_after_the_training_are_for_the_next(
    base: Path, texts: tuple[list[str], list[str]], changed: dict[str, Any], tmp_path: Path
) -> None:
    model = made(base, epochs=1).fit(*texts)
    identity = model.identity
    model.set_params(**changed)
    assert model.save(tmp_path / "model") == identity
    again = ww.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.class_scores([LONG]), model.class_scores([LONG]))
    assert again.recorded == model.recorded


def test_what_it_began_with_is_kept(
    base: Path, texts: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    model = made(base, epochs=1).fit(*texts)
    model.save(tmp_path / "model")
    again = ww.load_model(tmp_path / "model")
    assert again.base == again.provenance_["base"] == str(base)
    assert again.fit(*texts).identity == model.identity
    brought = ww.load_model(base)
    brought.save(tmp_path / "brought")
    assert ww.load_model(tmp_path / "brought").base == str(base)
