"""Hugging Face folders as they are, and everything that may be wrong with one."""

import json
import logging
import os
import pickle
import shutil
import socket
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hub_folders import CLASSES, CONFIG, change_config, write_folder
from safetensors.torch import load_file, save_file

import whyword as ww
from whyword import InputError
from whyword.base.errors import DownloadError
from whyword.models.pytorch.hub import hub_folder
from whyword.models.pytorch.noise import without_noise
from whyword.models.pytorch.outline import Outline
from whyword.models.pytorch.pretrained import Pretrained, read_base, read_classifier
from whyword.models.pytorch.weights import Weights

TEXT = "The rocket and the orbit of the moon, 3 goals!"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("hub") / "bert")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """Return a copy that may be spoilt."""
    return Path(shutil.copytree(whole, tmp_path / "bert"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def save_tensors(folder: Path, state: dict[str, torch.Tensor]) -> None:
    contiguous = {name: one.contiguous() for name, one in state.items()}
    save_file(contiguous, folder / "model.safetensors", metadata={"format": "pt"})


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
    again = pickle.loads(pickle.dumps(model))  # for other processes
    np.testing.assert_allclose(again.class_scores([TEXT]), model.class_scores([TEXT]))
    assert again.identity == model.identity


def test_a_classifier_is_read_ready_to_be_asked(whole: Path) -> None:
    read = read_classifier(whole)
    assert not read.module.training
    assert {one.dtype for one in read.module.parameters()} == {torch.float32}
    assert read.classes == CLASSES
    assert read.settings["hidden_size"] == 8
    backend = read.encoder.tokenizer.backend_tokenizer
    assert (backend.truncation, backend.padding) == (None, None)
    assert (read.encoder.pad, read.encoder.mask) == (0, 4)


def test_weights_may_be_halves_in_several_files(folder: Path) -> None:
    expected = ww.load_model(folder).class_scores([TEXT])
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    index = {name: f"model-{n % 3}-of-3.safetensors" for n, name in enumerate(tensors)}
    for file in set(index.values()):
        some = {name: tensors[name].bfloat16() for name in tensors if index[name] == file}
        save_file(some, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert read_classifier(folder).module.dtype == torch.float32
    np.testing.assert_allclose(ww.load_model(folder).class_scores([TEXT]), expected, atol=0.2)


def test_former_names_of_weights_are_known(folder: Path) -> None:
    """Norms had gamma and beta once, and the numbers 0, 1, … were kept."""
    expected = ww.load_model(folder).class_scores([TEXT])
    tensors = load_file(folder / "model.safetensors")
    for name in list(tensors):
        old = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        tensors[old.replace("LayerNorm.bias", "LayerNorm.beta")] = tensors.pop(name)
    save_tensors(folder, tensors | {"bert.embeddings.position_ids": torch.arange(64)[None]})
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


def test_the_identity_is_that_of_what_it_computes(folder: Path, tmp_path: Path) -> None:
    before = ww.load_model(folder).identity
    moved = shutil.copytree(folder, tmp_path / "elsewhere")
    assert ww.load_model(moved).identity == before
    change_config(folder, lambda c: c.update(num_attention_heads=4))  # no weight shows it
    assert ww.load_model(folder).identity != before


def test_reading_prints_and_changes_nothing(
    folder: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def state() -> list[Any]:
        names = [*logging.root.manager.loggerDict]
        levels = [logging.getLogger(name).level for name in names]
        return [[*warnings.filters], dict(os.environ), levels, torch.get_rng_state().tolist()]

    read_classifier(folder)  # what imports leave behind is not meant
    before = state()
    read_classifier(folder)
    assert state() == before
    read_base(folder, ["a", "b"])
    assert state()[:3] == before[:3]
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


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
    assert (one.classes, one.multilabel) == (["x", "y", "z"], False)
    config = config_of(one)
    assert config.id2label == {0: "x", 1: "y", 2: "z"}
    assert config.label2id == {"x": 0, "y": 1, "z": 2}
    assert config.problem_type == "single_label_classification"
    assert [config_of(read).attention_probs_dropout_prob for read in (one, same)] == [0.0, 0.1]


def test_a_base_may_have_no_head_and_no_pooling(folder: Path) -> None:
    """As a model of masked words is kept, with a head of its own that is left behind."""
    old = load_file(folder / "model.safetensors")
    kept = {name: one for name, one in old.items() if "classifier" not in name}
    kept = {name: one for name, one in kept.items() if "pooler" not in name}
    save_tensors(folder, kept | {"cls.predictions.bias": torch.zeros(3)})
    change_config(folder, lambda c: c.update(architectures=["BertForMaskedLM"]))
    change_config(folder, lambda c: c.pop("id2label"))
    read = read_base(folder, ["x", "y"], multilabel=True)
    assert read.multilabel
    assert config_of(read).problem_type == "multi_label_classification"
    assert torch.isfinite(read.module.get_parameter("bert.pooler.dense.weight")).all()
    headless = {name.removeprefix("bert."): one for name, one in kept.items()}
    save_tensors(folder, headless)
    read = read_base(folder, ["x", "y"])
    name = "embeddings.word_embeddings.weight"
    assert torch.equal(read.module.get_parameter(f"bert.{name}"), headless[name])


def test_the_first_layers_of_a_base(whole: Path, tmp_path: Path) -> None:
    import transformers

    read = read_base(whole, ["x", "y"], layers=1)
    assert not [name for name in read.module.state_dict() if ".layer.1." in name]
    assert read.settings["num_hidden_layers"] == 1
    for layers in (0, 3, 1.5):
        with pytest.raises(InputError, match="layers must be a whole number from 1 to 2"):
            read_base(whole, ["x", "y"], layers=layers)  # type: ignore[arg-type]
    config = transformers.ModernBertConfig(  # which says of each layer what it attends to
        vocab_size=81,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=3,
        num_attention_heads=2,
        pad_token_id=0,
    )
    folder = write_folder(tmp_path / "modern")
    save_tensors(folder, transformers.ModernBertForSequenceClassification(config).state_dict())
    (folder / "config.json").write_text(config.to_json_string(use_diff=False))
    assert len(read_base(folder, ["x", "y"], layers=2).settings["layer_types"]) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"labels": ["x", "x"]}, "no distinct labels"),
        ({"labels": "xy"}, "a list of labels"),
        ({"attention_dropout": "much"}, "is none of BertConfig"),
    ],
)
def test_wrong_arguments_of_a_base_are_refused(
    given: dict[str, Any], said: str, whole: Path
) -> None:
    with pytest.raises(InputError, match=said):
        read_base(whole, **{"labels": ["x", "y"], **given})


# ---- what is refused ----------------------------------------------------------------------------

Spoil = Callable[[Path], object]


def config(**changes: object) -> Spoil:
    return lambda folder: change_config(folder, lambda content: content.update(changes))


def tensors(change: Callable[[dict[str, torch.Tensor]], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        there = load_file(folder / "model.safetensors")
        change(there)
        save_tensors(folder, there)

    return spoil


def written(name: str, content: str) -> Spoil:
    return lambda folder: (folder / name).write_text(content)


def tokenizer(**parts: object) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / "tokenizer.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | parts))

    return spoil


def word_level(number: int) -> dict[str, object]:
    return {"type": "WordLevel", "vocab": {"[UNK]": number}, "unk_token": "[UNK]"}


NOWHERE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "nowhere", "type_id": 0}}],
    "pair": [],
    "special_tokens": {},
}
WRONG: dict[str, tuple[Spoil, str]] = {
    # the configuration
    "no head": (config(architectures=["BertModel"]), "only a TransformerClassifier may start"),
    "regression": (config(problem_type="regression"), "regression"),
    "layers": (config(num_hidden_layers=10**9), "num_hidden_layers' is 1,000,000,000, but"),
    "some layers": (config(num_hidden_layers=900), "far more parts than there are weights"),
    "a layer more": (config(num_hidden_layers=3), "weights, there are"),
    "a layer less": (config(num_hidden_layers=1), "weights that BertForSequenceClassification"),
    "words": (config(vocab_size=10**12), "is (1000000000000, 8), in the weights"),
    "beyond": (config(vocab_size=2**62), "cannot be read"),
    "positions": (config(max_position_embeddings=10**10), "in the weights it is"),
    "no size": (config(hidden_size=0), "cannot be read"),
    "a string": (config(hidden_size="8"), "is none of BertConfig (Validation error for field"),
    "another kind": (config(model_type="roberta"), "lacks weights, such as 'classifier.dense.b"),
    "no kind": (config(model_type="nonsense"), "transformers knows no model_type 'nonsense'"),
    "a kind of pictures": (config(model_type="vit"), "has no classifier of texts of kind 'vit'"),
    "an activation": (config(hidden_act="os.system"), "cannot be read"),
    "labels": (config(id2label={"0": "a", "1": "b"}), "in the weights it is"),
    # the weights
    "a weight less": (tensors(lambda t: t.pop("bert.pooler.dense.bias")), "pooler.dense.bias' is"),
    "a head less": (
        tensors(lambda t: (t.pop("classifier.bias"), t.update(more=torch.zeros(9)))),
        "lacks weights, such as 'classifier.bias'",
    ),
    "a weight more": (tensors(lambda t: t.update(more=torch.zeros(9))), "such as 'more'"),
    "another shape": (tensors(lambda t: t.update({"classifier.bias": torch.zeros(4)})), "(4,)"),
    # the tokenizer
    "none": (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer.json: a token"),
    "cut": (written("tokenizer.json", '{"version": "1.0"'), "tokenizer.json is damaged"),
    "empty": (written("tokenizer.json", "{}"), "tokenizer.json is no tokenizer"),
    "a list": (written("tokenizer.json", "[]"), "holds no tokenizer"),
    "a panic": (  # which no ``except Exception`` sees
        tokenizer(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "no tokenizer (Runtime",
    ),
    "a panic later": (tokenizer(post_processor=NOWHERE), "encode failed"),
    "no words": (
        tokenizer(model={"type": "Unigram", "unk_id": None, "vocab": []}),
        "encode failed",
    ),
    "a huge id": (tokenizer(model=word_level(10**9)), "the id 1"),
    "an id outside": (tokenizer(model=word_level(10**6)), "rows"),
    "an added id": (
        tokenizer(added_tokens=[{"id": 2**32 - 1, "content": "m"}]),
        "the id 4294967295",
    ),
    "no added tokens": (tokenizer(added_tokens=5), "tokenizer"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_spoilt_folder_is_refused_in_one_line(
    wrong: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spoil, said = WRONG[wrong]
    spoil(folder)
    with pytest.raises(InputError) as info:
        ww.load_model(folder)
    message = str(info.value)
    assert said in message
    assert message.isprintable()
    assert len(message) < 500
    assert "panic" in wrong or capfd.readouterr() == ("", "")


def test_tables_that_no_weight_bounds_are_refused(folder: Path) -> None:
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
    state = transformers.GPTNeoForSequenceClassification(config).state_dict()
    save_tensors(folder, state | {"transformer.wpe.weight": torch.zeros(20_000, 8)})
    content = json.loads(config.to_json_string()) | {
        "architectures": ["GPTNeoForSequenceClassification"],
        "id2label": {"0": "a", "1": "b"},
        "max_position_embeddings": 20_000,
    }
    (folder / "config.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"describes tables of \d+,\d+,\d+ numbers"):
        ww.load_model(folder)


def test_code_of_a_folder_is_not_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


# ---- what a configuration describes -------------------------------------------------------------


def outline(folder: Path, new_head: bool = False, **changes: Any) -> tuple[Outline, Weights]:
    from transformers import BertConfig

    weights = Weights.of(folder)
    described = BertConfig.from_dict({**CONFIG, **changes})
    return Outline.of(described, len(weights.places), new_head), weights


def test_an_outline_has_no_memory_and_fits_its_weights(whole: Path) -> None:
    made, weights = outline(whole)
    made.check(Path("x"), weights)
    assert set(made.shapes) == set(weights.shapes)
    assert made.new == made.optional == frozenset()
    made, _ = outline(whole, vocab_size=10**12)
    assert {one.device.type for one in made.module.parameters()} == {"meta"}
    assert made.shapes["bert.embeddings.word_embeddings.weight"] == (10**12, 8)
    assert made.kind.__name__ == "BertForSequenceClassification"
    assert torch.empty(1).device.type == "cpu"
    made, weights = outline(whole, new_head=True, id2label={"0": "a", "1": "b"})
    assert made.new == {"classifier.weight", "classifier.bias"}
    assert made.optional == {"bert.pooler.dense.weight", "bert.pooler.dense.bias"}
    made.check(Path("x"), weights)  # whatever the size of the old one


def test_names_of_files_are_those_of_the_module(whole: Path) -> None:
    made, _ = outline(whole)
    for theirs, ours in (
        ("classifier.bias", "classifier.bias"),
        ("embeddings.word_embeddings.weight", "bert.embeddings.word_embeddings.weight"),
        ("bert.embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"),
        ("embeddings.LayerNorm.beta", "bert.embeddings.LayerNorm.bias"),
        ("bert.classifier.bias", "classifier.bias"),
        ("gamma", None),
        ("", None),
    ):
        assert made.name_of(theirs) == ours


def test_weights_that_are_shared_count_once(tmp_path: Path) -> None:
    """BART's table is that of encoder and decoder, and in the file once."""
    import transformers

    sizes = {f"{one}_{name}": 2 for one in ("encoder", "decoder") for name in ("layers", "ffn_dim")}
    heads = {f"{one}_attention_heads": 2 for one in ("encoder", "decoder")}
    config = transformers.BartConfig(
        vocab_size=31, d_model=8, max_position_embeddings=16, **sizes, **heads
    )
    transformers.BartForSequenceClassification(config).save_pretrained(tmp_path)
    weights = Weights.of(tmp_path)
    Outline.of(config, len(weights.places)).check(tmp_path, weights)


# ---- the hub ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "bert", "../x", "a/..", "a/b/c", "a b/c", "a/b\0", "a/b@main", "ä/b", "/a", "a/"]
)
def test_a_wrong_name_of_the_hub_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="names no model of the hub; say hf:owner/name"):
        hub_folder(f"hf:{name}")


def test_an_unreachable_hub_is_told() -> None:
    with pytest.raises(DownloadError) as info:
        ww.load_model("hf:nobody-at-all/nothing")
    said = str(info.value)
    assert said.isprintable()
    assert said.startswith("hf:nobody-at-all/nothing cannot be fetched (")
    assert said.endswith("and name the path")


def test_settings_weights_and_tokenizer_are_fetched_and_no_code(
    monkeypatch: pytest.MonkeyPatch, whole: Path
) -> None:
    import huggingface_hub

    asked: dict[str, Any] = {}

    def fetch(name: str, **given: object) -> str:
        asked.update(given, name=name)
        return str(whole)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    model = ww.load_model("hf:owner/some-model.v2")
    assert model.classes_.tolist() == CLASSES
    assert asked["name"] == "owner/some-model.v2"
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(asked["allow_patterns"])
    assert not [one for one in asked["allow_patterns"] if one.endswith((".py", ".bin"))]
    asked["tqdm_class"](range(3)).close()  # nothing is drawn where there is no terminal


def test_a_path_never_asks_the_hub(
    monkeypatch: pytest.MonkeyPatch, whole: Path, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(whole, tmp_path / "hf:owner" / "name")
    assert ww.load_model("./hf:owner/name").classes_.tolist() == CLASSES
    assert ww.load_model(Path("hf:owner/name")).classes_.tolist() == CLASSES
    with pytest.raises(InputError, match="no such model folder"):
        ww.load_model(Path("hf:owner/other"))


# ---- messages of other packages -----------------------------------------------------------------


def test_other_packages_print_nothing_for_a_while(capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils import logging as theirs

    def make_noise() -> None:
        theirs.get_logger("transformers.modeling_utils").warning("a report")
        logging.getLogger("huggingface_hub.file_download").warning("a report")
        warnings.warn("a warning", stacklevel=1)
        bars.append(theirs.tqdm(range(3), desc="a bar"))

    def fail() -> None:
        make_noise()
        raise KeyError

    bars: list[Any] = []
    level = logging.getLogger("transformers").level
    with pytest.raises(KeyError), without_noise(), without_noise():
        fail()
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("transformers").level == level
    with pytest.warns(UserWarning, match="a warning"):
        make_noise()
    assert [isinstance(one, theirs.EmptyTqdm) for one in bars] == [True, False]
    bars[1].close()
