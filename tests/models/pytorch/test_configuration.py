import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from whyword import InputError
from whyword.models.pytorch.configuration import (
    check_head,
    check_layers,
    classes_of,
    read_configuration,
    read_settings,
)

GOOD = {
    "model_type": "bert",
    "architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "ham", "1": "spam"},
}


def folder_with(folder: Path, content: object, **files: object) -> Path:
    (folder / "config.json").write_text(json.dumps(content))
    for name, more in files.items():
        (folder / f"{name}.json").write_text(json.dumps(more))
    return folder


def refusal(call: Any, *given: Any) -> str:
    with pytest.raises(InputError) as info:
        call(*given)
    said = str(info.value)
    assert said.isprintable()
    assert len(said) < 400
    return said


def test_what_it_says_comes_back(tmp_path: Path) -> None:
    assert read_configuration(folder_with(tmp_path, GOOD)) == GOOD


def test_which_code_computes_is_not_the_folders_choice(tmp_path: Path) -> None:
    theirs = {"attn_implementation": "kernels-of/somebody", "_attn_implementation_internal": "x"}
    nested = GOOD | theirs | {"text_config": {"experts_implementation": "x", "size": 3}}
    said = read_configuration(folder_with(tmp_path, nested))
    assert said == GOOD | {"text_config": {"size": 3}}


@pytest.mark.parametrize(
    ("content", "files", "said"),
    [
        (GOOD | {"auto_map": {"AutoModel": "theirs.Model"}}, {}, "wants code of its own"),
        (GOOD, {"tokenizer_config": {"auto_map": ["a", "b"]}}, "tokenizer_config.json wants code"),
        (GOOD, {"adapter_config": {"base_model_name_or_path": "x/y"}}, "adapter of another model"),
        (GOOD | {"quantization_config": {"bits": 4}}, {}, "quantised weights"),
        ({"architectures": ["BertModel"]}, {}, "names no model_type"),
        (GOOD | {"model_type": ["bert"]}, {}, "names no model_type"),
        (GOOD | {"vocab_size": 10**40}, {}, "beyond 64 bits"),
        (GOOD | {"id2label": {"0": "\ud800"}}, {}, "half a surrogate pair"),
        ([GOOD], {}, "holds no settings by name"),
    ],
)
def test_what_asks_for_more(content: object, files: Any, said: str, tmp_path: Path) -> None:
    assert said in refusal(read_configuration, folder_with(tmp_path, content, **files))


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
def test_damaged_bytes(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(data)
    assert said in refusal(read_configuration, tmp_path)


def test_what_is_no_file(tmp_path: Path) -> None:
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
def test_heads_of_another_kind(named: object, said: str, tmp_path: Path) -> None:
    assert said in refusal(check_head, tmp_path, GOOD | {"architectures": named})
    check_head(tmp_path, GOOD)


def test_classes_by_their_ids(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    labels = {str(number): f"class {number}" for number in range(11)}
    backwards = dict(reversed(labels.items()))
    assert classes_of(tmp_path, {"id2label": backwards}) == ([*labels.values()], False)
    several = {"id2label": {"0": "toxic"}, "problem_type": "multi_label_classification"}
    assert classes_of(tmp_path, several) == (["toxic"], True)
    with caplog.at_level(logging.INFO):
        classes_of(tmp_path, {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}})
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
        ({"id2label": {"0": "a", "1": ["b"]}}, "no distinct names"),
        ({"id2label": {"0": "LABEL_0"}}, "one number, as of regression"),
        ({"num_labels": 3}, "has 3 as num_labels, but 2 in id2label"),
        ({"num_labels": 10**9}, "as num_labels"),
        ({"problem_type": "regression"}, "a number and no classes"),
        ({"problem_type": ["x"]}, "unknown problem_type"),
    ],
)
def test_no_classes(change: Any, said: str, tmp_path: Path) -> None:
    assert said in refusal(classes_of, tmp_path, GOOD | change)


@pytest.mark.parametrize(
    "change",
    [
        {"num_hidden_layers": 10**9},
        {"text_config": {"n_layer": 10**9}},
        {"encoder_layers": [2, 10**9]},
    ],
)
def test_more_layers_than_weights(change: Any, tmp_path: Path) -> None:
    assert "is 1,000,000,000, but" in refusal(check_layers, tmp_path, GOOD | change, 39)
    check_layers(tmp_path, GOOD | {"num_hidden_layers": 24, "rope_theta": 10**9}, 27)


@pytest.mark.parametrize("nested", [False, True])
def test_more_labels_than_names(nested: bool, tmp_path: Path) -> None:
    many = {"num_labels": 10**9}
    content = GOOD | ({"text_config": many} if nested else many)
    assert "is 1,000,000,000, but" in refusal(read_configuration, folder_with(tmp_path, content))
    names = {str(number): f"class {number}" for number in range(2_000)}
    fine = GOOD | {"id2label": names, "num_labels": 2_000}
    assert read_configuration(folder_with(tmp_path, fine)) == fine
