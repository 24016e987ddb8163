"""What ``config.json`` of a Hugging Face folder says, before anything is made of it.

The folder may come from a stranger: no code of its own is run, nothing but it is read, and what
would be guessed (a head, the names of classes) is refused.
"""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from whyword.base.checks import existing_file, file_name
from whyword.base.errors import InputError
from whyword.base.json import parse_json
from whyword.base.labels import check_storable
from whyword.base.printable import shown
from whyword.models.store import unfit

CONFIGURATION, ADAPTER = "config.json", "adapter_config.json"
MULTILABEL = "multi_label_classification"

_CODE = "auto_map"  # names Python files of the folder
_PROBLEMS = (None, "single_label_classification", MULTILABEL)
_HEAD = "ForSequenceClassification"
_LONGEST = 16 << 20  # bytes of a file of settings
_MANY = 1_000  # layers or labels that are no burden, whatever weights there are
# which code computes attention: it may name a package of the hub
_IMPLEMENTATIONS = ("attn_implementation", "experts_implementation")

log = logging.getLogger(__name__)


def read_configuration(folder: Path) -> dict[str, Any]:
    """Return what ``config.json`` says, as plain data; raise if it asks for more than the folder.

    Parameters
    ----------
    folder : Path
    """
    if (folder / ADAPTER).exists():
        raise InputError(
            f"{file_name(folder)} is an adapter of another model: merge the two (peft's "
            "merge_and_unload) and save that"
        )
    content = read_settings(folder / CONFIGURATION)
    of_tokenizer = folder / "tokenizer_config.json"
    _check_code(of_tokenizer, read_settings(of_tokenizer, missing={}))
    return checked_configuration(folder, content)


def checked_configuration(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without what chooses code; raise if it is none, or wants to run some.

    Parameters
    ----------
    folder : Path
        Where it is from, for messages.
    content : dict
    """
    path = folder / CONFIGURATION
    if (why := unfit(content)) is not None:
        raise InputError(f"{file_name(path)} is damaged: {why}")
    _check_code(path, content)
    if content.get("quantization_config"):
        raise InputError(
            f"{file_name(folder)} holds quantised weights, whose scores are no sums over words: "
            "save the model in full precision"
        )
    if not isinstance(content.get("model_type"), str):
        raise InputError(f"{file_name(path)} names no model_type")
    _check_labels(path, content)
    plain: dict[str, Any] = _without_implementations(content)
    return plain


def _check_labels(path: Path, content: Mapping[str, Any]) -> None:
    """Raise if there are far more labels than names: transformers would name them one by one."""
    named = content.get("id2label")
    most = max(_MANY, len(named) if isinstance(named, dict) else 0)
    for name, number in _numbers(content):
        if name == "num_labels" and number > most:
            raise InputError(f"{file_name(path)}: num_labels is {number:,}, but id2label names few")


def _check_code(path: Path, content: Mapping[str, Any]) -> None:
    if content.get(_CODE):
        raise InputError(
            f"{file_name(path)} wants code of its own to be run ({_CODE}), which is never done"
        )


def read_settings(path: Path, missing: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the settings that a JSON file holds.

    Parameters
    ----------
    path : Path
    missing : dict, optional
        What there is if there is no such file; by default that is an error.
    """
    if missing is not None and not path.is_symlink() and not path.exists():
        return missing
    with existing_file(path).open("rb") as stream:
        text = stream.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise InputError(f"{file_name(path)} is too long for settings")
    content = parse_json(text, file_name(path), unique_keys=True)
    if not isinstance(content, dict):
        raise InputError(f"{file_name(path)} is damaged: it holds no settings by name")
    return content


def _without_implementations(content: Any) -> Any:
    """Return settings without those that choose how something is computed, nested ones too."""
    if not isinstance(content, dict):
        return content
    return {
        name: _without_implementations(value)
        for name, value in content.items()
        if name.lstrip("_").removesuffix("_internal") not in _IMPLEMENTATIONS
    }


def check_head(folder: Path, content: Mapping[str, Any]) -> None:
    """Raise unless the folder's model has a head that classifies texts."""
    named = content.get("architectures")
    names = named if isinstance(named, list) else []
    if any(isinstance(name, str) and name.endswith(_HEAD) for name in names):
        return
    if not names:
        raise InputError(
            f"{file_name(folder / CONFIGURATION)} names no architectures; that of a classifier of "
            f"texts ends in {_HEAD}"
        )
    first = str(names[0])
    if first.endswith("Model"):
        why = (
            "has no head that was trained; only a TransformerClassifier may start a new one: "
            f"whyword train CORPUS --model transformer --base {file_name(folder)} --out MODEL"
        )
    elif first.endswith("ForTokenClassification"):
        why = "labels words, not texts"
    else:
        why = f"is no classifier of texts (…{_HEAD})"
    raise InputError(f"{file_name(folder)}: {shown(first)} {why}")


def classes_of(folder: Path, content: Mapping[str, Any]) -> tuple[list[str], bool]:
    """Return the classes by their ids, and whether several may be right at once."""
    name = file_name(folder / CONFIGURATION)
    problem = content.get("problem_type")
    if problem == "regression":
        raise InputError(f"{name}: the head is of regression, a number and no classes")
    if problem not in _PROBLEMS:
        raise InputError(f"{name} has the unknown problem_type {shown(problem)}")
    labels = content.get("id2label")
    if not isinstance(labels, dict) or not labels:
        raise InputError(
            f'{name} does not name the classes: write {{"id2label": {{"0": …, "1": …}}}} into it'
        )
    if labels.keys() != {str(number) for number in range(len(labels))}:
        raise InputError(f"{name}: id2label must name the ids 0 to {len(labels) - 1}, each once")
    classes = [labels[str(number)] for number in range(len(labels))]
    if not all(isinstance(label, str) for label in classes) or len(set(classes)) < len(classes):
        raise InputError(f"{name}: id2label has no distinct names: {shown(classes)}")
    check_storable(classes)
    if content.get("num_labels") not in (None, len(classes)):
        said = shown(content["num_labels"])
        raise InputError(f"{name} has {said} as num_labels, but {len(classes)} in id2label")
    several = problem == MULTILABEL
    if len(classes) < 2 and not several:
        raise InputError(
            f"{name}: the head gives one number, as of regression, which is no score of two classes"
        )
    if all(label == f"LABEL_{number}" for number, label in enumerate(classes)):
        log.info("%s: the classes have no names of their own (id2label)", name)
    return classes, several


def check_layers(folder: Path, content: Mapping[str, Any], tensors: int) -> None:
    """Raise if there are more layers than the weights can be of: they would be made one by one."""
    most = max(_MANY, tensors)
    for name, number in _numbers(content):
        if "layer" in name and number > most:
            raise InputError(
                f"{file_name(folder / CONFIGURATION)}: {shown(name)} is {number:,}, but the "
                f"weights are {tensors:,} tensors"
            )


def _numbers(content: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """Yield the whole numbers in settings, each by the name of what it stands in."""
    if isinstance(content, dict):
        for inner, value in content.items():
            yield from _numbers(value, inner)
    elif isinstance(content, list):
        for value in content:
            yield from _numbers(value, name)
    elif isinstance(content, int) and not isinstance(content, bool):
        yield name, content
