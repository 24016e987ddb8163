"""Hugging Face folders as they are, and everything that may be wrong with one."""

import json
import os
import pickle
import shutil
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hub_folders import CLASSES, change_config, write_folder
from safetensors.torch import load_file, save_file
from test_process_state import process_state

import whyword as ww
from whyword import InputError
from whyword.models.pytorch.pretrained import Pretrained, read_base, read_classifier

pytestmark = pytest.mark.slow("imports transformers")

TEXT = "The rocket and the orbit of the moon, 3 goals!"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("hub") / "bert")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """Return a copy that may be spoilt."""
    return Path(shutil.copytree(whole, tmp_path / "bert"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def refusal(folder: Path, read: Callable[[Path], object] = ww.load_model) -> str:
    with pytest.raises(InputError) as info:
        read(folder)
    said = str(info.value)
    assert said.isprintable()
    assert len(said) < 500
    return said


# ---- as it is -----------------------------------------------------------------------------------


def test_scores_are_those_of_transformers(whole: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = ww.load_model(whole)
    module = AutoModelForSequenceClassification.from_pretrained(whole)
    tokenizer = AutoTokenizer.from_pretrained(whole)
    ids = tokenizer(TEXT, truncation=False, padding=False, return_tensors="pt")
    with torch.no_grad():
        own = module(**ids).logits.numpy()
    np.testing.assert_allclose(model.class_scores([TEXT]), own, atol=1e-5)
    assert model.classes_.tolist() == CLASSES
    assert not model.classifier_.is_multilabel
    e = ww.explain(model, TEXT, "all")
    assert np.abs(e.residual).max() <= 1e-5
    assert "3" in e.words  # and is not cut to the five pieces that its file says
    assert len(e.words) == 12


def test_several_labels(folder: Path) -> None:
    change_config(folder, lambda c: c.update(problem_type="multi_label_classification"))
    assert ww.load_model(folder).classifier_.is_multilabel


def test_it_is_ready_to_be_asked(whole: Path) -> None:
    read = read_classifier(whole)
    assert not read.module.training
    assert {one.dtype for one in read.module.parameters()} == {torch.float32}
    assert read.classes == CLASSES
    assert read.settings["hidden_size"] == 8
    backend = read.encoder.tokenizer.backend_tokenizer
    assert (backend.truncation, backend.padding) == (None, None)
    assert (read.encoder.pad, read.encoder.mask) == (0, 4)


def test_halves_and_shards(folder: Path) -> None:
    expected = ww.load_model(folder).class_scores([TEXT])
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    index = {}
    for number, name in enumerate(tensors):
        file = f"model-{number % 3}-of-3.safetensors"
        index[name] = file
    for file in set(index.values()):
        some = {name: tensors[name].bfloat16() for name in tensors if index[name] == file}
        save_file(some, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert read_classifier(folder).module.dtype == torch.float32
    np.testing.assert_allclose(ww.load_model(folder).class_scores([TEXT]), expected, atol=0.2)


def test_names_of_former_times(folder: Path) -> None:
    """Norms had gamma and beta once, and the numbers 0, 1, … were kept."""
    expected = ww.load_model(folder).class_scores([TEXT])
    tensors = load_file(folder / "model.safetensors")
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): one
        for name, one in tensors.items()
    }
    old["bert.embeddings.position_ids"] = torch.arange(64)[None]
    save_file(old, folder / "model.safetensors", metadata={"format": "pt"})
    np.testing.assert_allclose(ww.load_model(folder).class_scores([TEXT]), expected)


def test_the_tokenizer_is_what_its_file_says(folder: Path) -> None:
    """Though transformers 5 would build a BERT's anew, and not see the difference."""
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    content["normalizer"]["lowercase"] = False
    path.write_text(json.dumps(content))
    (folder / "tokenizer_config.json").unlink()
    model = ww.load_model(folder)
    assert ww.explain(model, "orbit ORBIT").known.tolist() == [True, False]
    assert model.classifier_.encoder.pad == 0


def test_identity(folder: Path, tmp_path: Path) -> None:
    before = ww.load_model(folder).identity
    moved = shutil.copytree(folder, tmp_path / "elsewhere")
    assert ww.load_model(moved).identity == before
    change_config(folder, lambda c: c.update(num_attention_heads=4))  # no weight shows it
    assert ww.load_model(folder).identity != before


def test_nothing_is_said_or_changed(
    folder: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    read_classifier(folder)  # what imports leave behind is not meant
    process_state()
    before, drawn = process_state(), torch.get_rng_state()
    read_classifier(folder)
    assert process_state() == before
    assert torch.equal(torch.get_rng_state(), drawn)
    read_base(folder, ["a", "b"])
    assert process_state() == before
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_other_processes_get_it(whole: Path) -> None:
    model = ww.load_model(whole)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.class_scores([TEXT]), model.class_scores([TEXT]))
    assert again.identity == model.identity


# ---- a base with a new head ---------------------------------------------------------------------


def config_of(read: Pretrained) -> Any:
    return read.module.config


def test_a_base_has_a_new_head(whole: Path) -> None:
    torch.manual_seed(1)
    one = read_base(whole, ["x", "y", "z"], attention_dropout=0.0)
    torch.manual_seed(1)
    same = read_base(whole, ["x", "y", "z"])
    other = read_base(whole, ["x", "y", "z"])  # of as many classes as there were
    old = load_file(whole / "model.safetensors")
    for name, weight in one.module.named_parameters():
        is_new = name.startswith("classifier.")
        assert torch.equal(weight, old[name]) != is_new, name
        assert torch.equal(weight, dict(same.module.named_parameters())[name])
    head, another = (read.module.get_parameter("classifier.weight") for read in (one, other))
    assert not torch.equal(head, another)
    assert one.classes == ["x", "y", "z"]
    assert config_of(one).id2label == {0: "x", 1: "y", 2: "z"}
    assert [config_of(read).attention_probs_dropout_prob for read in (one, same)] == [0.0, 0.1]


def test_a_base_without_head_or_pooling(folder: Path) -> None:
    """As a model of masked words is kept, with a head of its own that is left behind."""
    old = load_file(folder / "model.safetensors")
    kept = {name: one for name, one in old.items() if "classifier" not in name}
    kept = {name: one for name, one in kept.items() if "pooler" not in name}
    save_file(kept | {"cls.predictions.bias": torch.zeros(3)}, folder / "model.safetensors")
    change_config(folder, lambda c: c.update(architectures=["BertForMaskedLM"]))
    change_config(folder, lambda c: c.pop("id2label"))
    read = read_base(folder, ["x", "y"], multilabel=True)
    assert read.multilabel
    assert config_of(read).problem_type == "multi_label_classification"
    assert torch.isfinite(read.module.get_parameter("bert.pooler.dense.weight")).all()
    headless = {name.removeprefix("bert."): one for name, one in kept.items()}
    save_file(headless, folder / "model.safetensors")
    read = read_base(folder, ["x", "y"])
    name = "embeddings.word_embeddings.weight"
    assert torch.equal(read.module.get_parameter(f"bert.{name}"), headless[name])


def test_the_first_layers_of_a_base(whole: Path) -> None:
    read = read_base(whole, ["x", "y"], layers=1)
    assert not [name for name in read.module.state_dict() if ".layer.1." in name]
    assert read.settings["num_hidden_layers"] == 1
    for layers in (0, 3, 1.5):
        with pytest.raises(InputError, match="layers must be a whole number from 1 to 2"):
            read_base(whole, ["x", "y"], layers=layers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"labels": ["x", "x"]}, "no distinct labels"),
        ({"labels": "xy"}, "a list of labels"),
        ({"attention_dropout": "much"}, "is none of BertConfig"),
    ],
)
def test_a_base_that_cannot_be_so(given: dict[str, Any], said: str, whole: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_base(whole, **{"labels": ["x", "y"], **given})


def test_layers_with_kinds_of_their_own(tmp_path: Path) -> None:
    """ModernBERT says of each layer what it attends to."""
    import transformers

    config = transformers.ModernBertConfig(
        vocab_size=81,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=3,
        num_attention_heads=2,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    folder = write_folder(tmp_path / "modern")
    module = transformers.ModernBertForSequenceClassification(config)
    state = {name: one.contiguous() for name, one in module.state_dict().items()}
    save_file(state, folder / "model.safetensors")
    (folder / "config.json").write_text(config.to_json_string(use_diff=False))
    read = read_base(folder, ["x", "y"], layers=2)
    assert len(read.settings["layer_types"]) == 2


# ---- what is refused ----------------------------------------------------------------------------

Spoil = Callable[[Path], object]


def config(**changes: object) -> Spoil:
    return lambda folder: change_config(folder, lambda content: content.update(changes))


def without(*names: str) -> Spoil:
    def spoil(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return spoil


def tensors(change: Callable[[dict[str, torch.Tensor]], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        there = load_file(folder / "model.safetensors")
        change(there)
        save_file(there, folder / "model.safetensors", metadata={"format": "pt"})

    return spoil


def cut(name: str, size: int) -> Spoil:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def slow_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\norbit\n")


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(os.getcwd))


def circle(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("adapter_config.json")
    (folder / "adapter_config.json").symlink_to("config.json")


WRONG: dict[str, tuple[Spoil, str]] = {
    "slow tokenizer": (slow_tokenizer, "has no tokenizer.json: a tokenizer that is not fast"),
    "no tokenizer": (without("tokenizer.json", "tokenizer_config.json"), "has no tokenizer.json"),
    "no labels": (config(id2label=None), "does not name the classes"),
    "regression": (config(problem_type="regression"), "regression"),
    "one score": (config(id2label={"0": "LABEL_0"}), "no score of two classes"),
    "words": (config(architectures=["BertForTokenClassification"]), "labels words, not texts"),
    "no head": (config(architectures=["BertModel"]), "only a TransformerClassifier may start"),
    "code": (config(auto_map={"AutoModel": "x.Y"}), "code of its own"),
    "adapter": (lambda f: (f / "adapter_config.json").write_text("{}"), "adapter of another model"),
    "quantised": (config(quantization_config={"bits": 4}), "quantised"),
    "pickle": (pickled, "as a pickle only"),
    "no weights": (without("model.safetensors"), "has no model.safetensors"),
    "cut weights": (cut("model.safetensors", -100), "damaged or not a safetensors file"),
    "no header": (cut("model.safetensors", 5), "damaged or not a safetensors file"),
    "cut config": (cut("config.json", 40), "config.json is damaged"),
    "cut tokenizer": (cut("tokenizer.json", 400), "tokenizer.json is damaged"),
    "no such tokenizer": (
        lambda f: (f / "tokenizer.json").write_text("{}"),
        "tokenizer.json is no tokenizer",
    ),
    "a list": (lambda f: (f / "tokenizer.json").write_text("[]"), "holds no tokenizer"),
    "layers": (config(num_hidden_layers=10**9), "num_hidden_layers' is 1,000,000,000, but"),
    "some layers": (config(num_hidden_layers=900), "far more parts than there are weights"),
    "a layer more": (config(num_hidden_layers=3), "describes"),
    "a layer less": (config(num_hidden_layers=1), "weights that BertForSequenceClassification"),
    "words of the table": (config(vocab_size=10**12), "is (1000000000000, 8), in the weights"),
    "beyond": (config(vocab_size=2**62), "cannot be read"),
    "positions": (config(max_position_embeddings=10**10), "in the weights it is"),
    "no size": (config(hidden_size=0), "cannot be read"),
    "negative": (config(hidden_size=-8), "cannot be read"),
    "a string": (config(hidden_size="8"), "is none of BertConfig (Validation error for field"),
    "a list of it": (config(hidden_size=[8]), "is none of BertConfig"),
    "another kind": (
        config(model_type="roberta"),
        "lacks weights, such as 'classifier.dense.bias'",
    ),
    "no kind": (config(model_type="nonsense"), "transformers knows no model_type 'nonsense'"),
    "a kind of pictures": (config(model_type="vit"), "has no classifier of texts of kind 'vit'"),
    "an activation": (config(hidden_act="os.system"), "cannot be read"),
    "labels": (config(id2label={"0": "a", "1": "b"}), "in the weights it is"),
    "a weight less": (
        tensors(lambda t: t.pop("bert.pooler.dense.bias")),
        "'bert.pooler.dense.bias' is",
    ),
    "a head less": (
        tensors(lambda t: (t.pop("classifier.bias"), t.update(more=torch.zeros(9)))),
        "lacks weights, such as 'classifier.bias'",
    ),
    "a weight more": (tensors(lambda t: t.update(more=torch.zeros(9))), "such as 'more'"),
    "another shape": (tensors(lambda t: t.update({"classifier.bias": torch.zeros(4)})), "(4,)"),
    "an endless link": (circle, "is no model"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_one_line(
    wrong: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spoil, said = WRONG[wrong]
    spoil(folder)
    assert said in refusal(folder)
    assert capfd.readouterr() == ("", "")


def test_tables_that_no_weight_bounds(folder: Path) -> None:
    """Some kinds keep a square of positions beside their weights."""
    import transformers

    config = transformers.GPTNeoConfig(
        vocab_size=81,
        hidden_size=8,
        num_layers=2,
        attention_types=[[["global", "local"], 1]],
        num_heads=2,
        max_position_embeddings=64,
    )
    module = transformers.GPTNeoForSequenceClassification(config)
    state = {name: one.contiguous() for name, one in module.state_dict().items()}
    state["transformer.wpe.weight"] = torch.zeros(20_000, 8)
    save_file(state, folder / "model.safetensors")
    content = json.loads(config.to_json_string()) | {
        "architectures": ["GPTNeoForSequenceClassification"],
        "id2label": {"0": "a", "1": "b"},
        "max_position_embeddings": 20_000,
    }
    (folder / "config.json").write_text(json.dumps(content))
    assert "tables of" in refusal(folder)


@pytest.mark.parametrize(
    ("part", "content", "said"),
    [
        (
            "normalizer",
            {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
            "no tokenizer (Runtime",
        ),
        (
            "post_processor",
            {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "nowhere", "type_id": 0}}],
                "pair": [],
                "special_tokens": {},
            },
            "encode failed",
        ),
        ("model", {"type": "Unigram", "unk_id": None, "vocab": []}, "encode failed"),
        (
            "model",
            {"type": "WordLevel", "vocab": {"[UNK]": 10**9}, "unk_token": "[UNK]"},
            "the id 1",
        ),
        ("model", {"type": "WordLevel", "vocab": {"[UNK]": 10**6}, "unk_token": "[UNK]"}, "rows"),
        ("added_tokens", [{"id": 2**32 - 1, "content": "moon"}], "the id 4294967295"),
        ("added_tokens", 5, "tokenizer"),
        ("model", ["WordLevel"], "tokenizer"),
    ],
)
def test_tokenizers_that_break(part: str, content: object, said: str, folder: Path) -> None:
    """Some panic, which no ``except Exception`` sees."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {part: content}))
    assert said in refusal(folder)


def test_code_is_not_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder's own, nor by the name of a tokenizer."""
    monkeypatch.chdir(folder)
    ran = folder / "ran"
    code = f"from pathlib import Path\nPath({str(ran)!r}).touch()\n"
    for name in ("theirs", "tokenization_theirs", "modeling_bert"):
        (folder / f"{name}.py").write_text(code)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "theirs.Theirs"}))
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    with suppress(InputError):
        ww.load_model(folder)
    assert not ran.exists()
