"""What a Hugging Face folder says, read before anything is made of it: settings and weights."""

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from whyword import InputError
from whyword.models.pytorch.configuration import (
    check_head,
    check_layers,
    classes_of,
    read_configuration,
    read_settings,
)
from whyword.models.pytorch.weights import Weights

GOOD = {
    "model_type": "bert",
    "architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "ham", "1": "spam"},
}


def folder_with(folder: Path, content: object, **files: object) -> Path:
    for name, more in ({"config": content} | files).items():
        (folder / f"{name}.json").write_text(json.dumps(more))
    return folder


def refusal(call: Any, *given: Any) -> str:
    with pytest.raises(InputError) as info:
        call(*given)
    said = str(info.value)
    assert said.isprintable()
    assert len(said) < 400
    return said


# ---- settings -----------------------------------------------------------------------------------


def test_settings_come_back_without_those_that_choose_code(tmp_path: Path) -> None:
    theirs = {"attn_implementation": "kernels-of/somebody", "_attn_implementation_internal": "x"}
    nested = GOOD | theirs | {"text_config": {"experts_implementation": "x", "size": 3}}
    found = read_configuration(folder_with(tmp_path, nested))
    assert found == GOOD | {"text_config": {"size": 3}}


@pytest.mark.parametrize(
    ("content", "files", "said"),
    [
        (GOOD | {"auto_map": {"AutoModel": "theirs.Model"}}, {}, "config.json wants code of its"),
        (GOOD, {"tokenizer_config": {"auto_map": ["a", "b"]}}, "tokenizer_config.json wants code"),
        (GOOD, {"adapter_config": {"base_model_name_or_path": "x/y"}}, "adapter of another model"),
        (GOOD | {"quantization_config": {"bits": 4}}, {}, "quantised weights"),
        ({"architectures": ["BertModel"]}, {}, "names no model_type"),
        (GOOD | {"model_type": ["bert"]}, {}, "names no model_type"),
        (GOOD | {"vocab_size": 10**40}, {}, "beyond 64 bits"),
        (GOOD | {"id2label": {"0": "\ud800"}}, {}, "half a surrogate pair"),
        (GOOD | {"num_labels": 1001}, {}, "num_labels is 1,001, but id2label names few"),
        (GOOD | {"text_config": {"num_labels": 10**9}}, {}, "num_labels is 1,000,000,000, but"),
        ([GOOD], {}, "holds no settings by name"),
    ],
)
def test_a_configuration_that_asks_for_more_is_refused(
    content: object, files: Any, said: str, tmp_path: Path
) -> None:
    assert said in refusal(read_configuration, folder_with(tmp_path, content, **files))


def test_many_labels_need_as_many_names(tmp_path: Path) -> None:
    names = {str(number): f"class {number}" for number in range(2_000)}
    for fine in (GOOD | {"id2label": names, "num_labels": 2_000}, GOOD | {"num_labels": 1_000}):
        assert read_configuration(folder_with(tmp_path, fine)) == fine


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"model_type": "b\xff"}', "damaged"),
        (b'{"a":' * 100_000, "damaged"),
        (b'{"a":' + b"[" * 100 + b"]" * 100 + b"}", "nested beyond reason"),
        (b'{"model_type": "a", "model_type": "b"}', "more than once"),
        (b'{"a": NaN}', "no number of JSON"),
        (b"", "damaged"),
        (b" " * ((16 << 20) + 1), "too long for settings"),
    ],
)
def test_damaged_settings_are_refused(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(data)
    assert said in refusal(read_configuration, tmp_path)


def test_settings_are_a_regular_file(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    assert "no such file" in refusal(read_settings, path)
    assert read_settings(path, missing={}) == {}
    path.symlink_to(path)  # in a circle
    assert "config.json" in refusal(read_settings, path)
    assert "config.json" in refusal(lambda: read_settings(path, missing={}))
    path.unlink()
    os.mkfifo(path)  # would wait for ever
    assert "not a regular file" in refusal(read_settings, path)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["BertModel"], "start a new one: whyword train CORPUS --model transformer --base "),
        (["BertForTokenClassification"], "labels words, not texts"),
        (["BertForMaskedLM"], "is no classifier of texts"),
        (["Bert\n\x1b[1m"], "is no classifier of texts"),
        ([], "names no architectures"),
        (None, "names no architectures"),
        ("BertForSequenceClassification", "names no architectures"),
        ([3], "'3' is no classifier"),
    ],
)
def test_a_head_of_another_kind_is_refused(named: object, said: str, tmp_path: Path) -> None:
    assert said in refusal(check_head, tmp_path, GOOD | {"architectures": named})
    check_head(tmp_path, GOOD)


def test_classes_are_in_the_order_of_their_ids(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    labels = {str(number): f"class {number}" for number in range(11)}
    backwards = dict(reversed(labels.items()))
    with caplog.at_level(logging.INFO):
        assert classes_of(tmp_path, {"id2label": backwards}) == ([*labels.values()], False)
        several = {"id2label": {"0": "toxic"}, "problem_type": "multi_label_classification"}
        assert classes_of(tmp_path, several) == (["toxic"], True)
        assert not caplog.text
        classes_of(tmp_path, {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "num_labels": 2})
    assert "no names of their own" in caplog.text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id2label": None}, "does not name the classes"),
        ({"id2label": {}}, "does not name the classes"),
        ({"id2label": ["a", "b"]}, "does not name the classes"),
        ({"id2label": {"0": "a", "2": "b"}}, "must name the ids 0 to 1"),
        ({"id2label": {"0": "a", "01": "b"}}, "must name the ids 0 to 1"),
        ({"id2label": {"0": "a", "1": "a"}}, "no distinct names"),
        ({"id2label": {"0": "a", "1": 5}}, "no distinct names"),
        ({"id2label": {"0": "LABEL_0"}}, "one number, as of regression"),
        ({"num_labels": 3}, "has 3 as num_labels, but 2 in id2label"),
        ({"problem_type": "regression"}, "a number and no classes"),
        ({"problem_type": ["x"]}, "unknown problem_type"),
    ],
)
def test_wrong_classes_are_refused(change: Any, said: str, tmp_path: Path) -> None:
    assert said in refusal(classes_of, tmp_path, GOOD | change)


def test_more_layers_than_tensors_are_refused(tmp_path: Path) -> None:
    for change in (
        {"num_hidden_layers": 1001},
        {"text_config": {"n_layer": 1001}},
        {"encoder_layers": [2, 1001]},
    ):
        said = "is 1,001, but the weights are 39 tensors"
        assert said in refusal(check_layers, tmp_path, GOOD | change, 39)
        check_layers(tmp_path, GOOD | change, 1001)
    check_layers(tmp_path, GOOD | {"num_hidden_layers": 1000, "rope_theta": 10**9}, 27)


# ---- weights ------------------------------------------------------------------------------------

TENSORS = {
    "a": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "b": torch.arange(4, dtype=torch.bfloat16),
    "c": torch.tensor(3),
    "d": torch.empty(0, 4),
    "e": torch.arange(3, dtype=torch.float16),
}
KINDS = "bool uint8 int8 int16 int32 int64 float64".split()
TENSORS |= {name: torch.ones(2, dtype=getattr(torch, name)) for name in KINDS}
REST = sorted(TENSORS.keys() - {"a", "b"})


def shard(folder: Path, **where: Any) -> Path:
    """Write the tensors in two files, with an index that says which is where."""
    save_file({name: TENSORS[name] for name in "ab"}, folder / "model-1.safetensors")
    save_file({name: TENSORS[name] for name in REST}, folder / "model-2.safetensors")
    index = {name: f"model-{1 if name in 'ab' else 2}.safetensors" for name in TENSORS} | where
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    return folder


def whole(folder: Path) -> Path:
    save_file(TENSORS, folder / "model.safetensors")
    return folder


@pytest.mark.parametrize("write", [whole, shard])
def test_all_weights_come_back_in_memory_of_their_own(write: Any, tmp_path: Path) -> None:
    weights = Weights.of(write(tmp_path))
    assert weights.shapes == {name: tuple(one.shape) for name, one in TENSORS.items()}
    read = weights.read(lambda _: True)
    assert weights.read(lambda name: name == "c").keys() == {"c"}
    for path in tmp_path.glob("*.safetensors"):
        path.write_bytes(b"")  # whatever becomes of the files
    for name, one in TENSORS.items():
        assert read[name].dtype == one.dtype
        assert torch.equal(read[name], one)
    assert read["a"].untyped_storage().nbytes() == 24
    read["a"] += 1  # they may be trained


def test_a_file_that_shrinks_meanwhile_is_refused(tmp_path: Path) -> None:
    weights = Weights.of(whole(tmp_path))
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    assert "was changed while it was read" in refusal(weights.read, lambda _: True)


def test_weights_must_be_there_and_no_pickle(tmp_path: Path) -> None:
    assert "has no model.safetensors" in refusal(Weights.of, tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    assert "as a pickle only" in refusal(Weights.of, tmp_path)
    os.mkfifo(tmp_path / "model.safetensors")
    assert "not a regular file" in refusal(Weights.of, tmp_path)


def header(**entry: object) -> bytes:
    text = json.dumps({"a": entry}).encode()
    return len(text).to_bytes(8, "little") + text + b"\0" * 4


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "damaged"),
        (b"\x08\0\0\0\0\0\0\0", "a header of 8 bytes in a file of 8"),
        (b"\xff\xff\xff\xff\xff\xff\xff\x7f{}", "damaged"),
        (b"\x02\0\0\0\0\0\0\0{}more", "its tensors have 0 bytes, there are 4"),
        (header(dtype="F32", shape=[10**12, 8], data_offsets=[0, 4]), "do not fit bytes"),
        (header(dtype="F32", shape=[1], data_offsets=[0, 2**40]), "do not fit bytes"),
        (header(dtype="F8_E4M3", shape=[4], data_offsets=[0, 4]), "unknown dtype"),
        (header(dtype="U32", shape=[1], data_offsets=[0, 4]), "of U32, which are no weights"),
    ],
)
def test_damaged_weights_are_refused(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    assert said in refusal(Weights.of, tmp_path)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"a": "../model-1.safetensors"}, "no file beside it"),
        ({"a": "pytorch_model.bin"}, "no file beside it"),
        ({"a": 3}, "no file beside it"),
        ({"a": "model-3.safetensors"}, "model-"),
        ({"z": "model-1.safetensors"}, "does not hold what"),
        ({"a": "model-2.safetensors"}, "does not hold what"),
    ],
)
def test_an_index_that_lies_is_refused(where: Any, said: str, tmp_path: Path) -> None:
    assert said in refusal(Weights.of, shard(tmp_path, **where))


def test_an_index_without_a_map_or_with_a_tensor_twice_is_refused(tmp_path: Path) -> None:
    shard(tmp_path)
    save_file({name: TENSORS[name] for name in ("a", *REST)}, tmp_path / "model-2.safetensors")
    assert "'a' is in another file, too" in refusal(Weights.of, tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": []}')
    assert "has no weight_map" in refusal(Weights.of, tmp_path)
