"""Transformers from folders as Hugging Face's packages write them, read safely.

Nothing of a folder is run, and nothing but the folder is read. What ``config.json`` describes is
built without memory first, and compared with the headers of the weights: only what fits is made.
A weight that is missing, left over or of another shape is an error; it would be random otherwise,
or lost.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from whyword.base.checks import check_installed, existing_file, file_name, whole_number
from whyword.base.errors import Argument, InputError, WhywordError
from whyword.base.json import parse_json
from whyword.base.printable import one_line, reason, shown
from whyword.models.blackbox import checked_labels
from whyword.models.pytorch.configuration import (
    CONFIGURATION,
    MULTILABEL,
    check_head,
    check_layers,
    checked_configuration,
    classes_of,
    read_configuration,
)
from whyword.models.pytorch.draws import Draws
from whyword.models.pytorch.encoding import (
    SPECIAL,
    TokenizerEncoder,
    check_ids,
    panics_as_errors,
    tokenizer_of,
)
from whyword.models.pytorch.noise import without_noise
from whyword.models.pytorch.outline import Outline
from whyword.models.pytorch.weights import Weights

TOKENIZER = "tokenizer.json"
_LAYERS = "num_hidden_layers"
_ATTENTION_DROPOUT = ("attention_probs_dropout_prob", "attention_dropout", "attn_pdrop")
_LONGEST = 256 << 20  # bytes of a tokenizer
# what former versions of transformers wrote that is computed anew: numbers 0, 1, … and constants
_RECOMPUTED = ("position_ids", "token_type_ids", "masked_bias", "rotary_emb.inv_freq", "attn.bias")


@dataclass(frozen=True)
class Pretrained:
    """A transformer with a head for classes, and what encodes texts for it.

    Attributes
    ----------
    module : nn.Module
        In eval mode, float32, on the CPU.
    encoder : TokenizerEncoder
    classes : list of str
        By their ids.
    multilabel : bool
        Whether several of them may be right at once.
    settings : dict
        Those of ``config.json``, as plain data.
    """

    module: nn.Module
    encoder: TokenizerEncoder
    classes: list[str]
    multilabel: bool
    settings: dict[str, Any]


def read_classifier(folder: Path) -> Pretrained:
    """Return the classifier of a Hugging Face folder, just as it was trained.

    Parameters
    ----------
    folder : Path
        With ``config.json``, ``model.safetensors`` (or several and their index) and
        ``tokenizer.json``.
    """
    check_installed("transformers", "transformers")
    with _failing(folder):
        content = read_configuration(folder)
        check_head(folder, content)
        classes, several = classes_of(folder, content)
        encoder, module = _read(folder, content, new_head=False)
    return Pretrained(module, encoder, classes, several, content)


def read_base(
    folder: Path,
    labels: Sequence[str],
    *,
    layers: int | None = None,
    multilabel: bool = False,
    attention_dropout: float | None = None,
) -> Pretrained:
    """Return the encoder of a Hugging Face folder with a new head, drawn by torch's generator.

    Parameters
    ----------
    folder : Path
        As for :func:`read_classifier`; whatever head it has is left behind.
    labels : sequence of C str
        The classes of the new head.
    layers : int, optional
        How many layers are kept, the first ones; by default all.
    multilabel : bool
        Whether several labels may be right at once.
    attention_dropout : float, optional
        The share of attention's weights that are dropped while training, instead of its own.
    """
    check_installed("transformers", "transformers")
    classes = [str(label) for label in checked_labels(labels)]
    with _failing(folder):
        content = read_configuration(folder)
        check_layers(folder, content, len(Weights.of(folder).places))
        changed = _changed(content, layers, attention_dropout)
        changed |= _labelled(classes, multilabel)
        encoder, module = _read(folder, changed, new_head=True)
    return Pretrained(module, encoder, classes, multilabel, changed)


def built_classifier(content: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> Any:
    """Return the classifier that a configuration describes, its weights anything.

    Parameters
    ----------
    content : dict
        As in ``config.json``.
    shapes : dict from str to tuple of int
        Of the weights that it is for: what describes far more is not built.
    """
    check_installed("transformers", "transformers")
    folder = Path("the model")
    settings = checked_configuration(folder, content)
    check_layers(folder, settings, len(shapes))
    with _failing(folder), without_noise():
        config = _config(settings)
        outline = Outline.of(config, len(shapes), new_head=True)
        outline.check_size(folder, shapes)
        with Draws(0):  # weights that are thrown away
            return outline.kind(config).eval()


def _read(
    folder: Path, content: Mapping[str, Any], new_head: bool
) -> tuple[TokenizerEncoder, nn.Module]:
    """Return tokenizer and module; whether the sizes fit is known before there is any memory."""
    weights = Weights.of(folder)
    check_layers(folder, content, len(weights.places))
    with without_noise():
        config = _config(content)
        outline = Outline.of(config, len(weights.places), new_head)
        outline.check(folder, weights)
        return _read_tokenizer(folder, config), _load(folder, config, outline, weights)


@contextmanager
def _failing(folder: Path) -> Iterator[None]:
    """Let whatever is raised be one line about the folder."""
    try:
        yield
    except WhywordError:
        raise
    except RecursionError:
        raise InputError(f"{file_name(folder)} cannot be read: it is nested too deep") from None
    except MemoryError:
        raise InputError(f"{file_name(folder)} is larger than the memory there is") from None
    except Exception as error:
        raise InputError(f"{file_name(folder)} cannot be read ({reason(error)})") from error


# ---- the configuration ------------------------------------------------------------------------


def _config(content: Mapping[str, Any]) -> Any:
    """Return the configuration as transformers has it."""
    kind = _config_kind(content)
    try:
        return kind.from_dict(copy.deepcopy(dict(content)))
    except Exception as error:
        why = one_line(" ".join(str(error).split()))
        raise InputError(f"{CONFIGURATION} is none of {kind.__name__} ({why:.200})") from error


def _config_kind(content: Mapping[str, Any]) -> Any:
    from transformers import CONFIG_MAPPING

    kind = content["model_type"]
    if kind not in CONFIG_MAPPING:
        raise InputError(f"transformers knows no model_type {shown(kind)}; is it a newer one?")
    return CONFIG_MAPPING[kind]


def _labelled(classes: Sequence[str], multilabel: bool) -> dict[str, Any]:
    """Return what a configuration says of classes."""
    return {
        "num_labels": len(classes),
        "id2label": {str(number): label for number, label in enumerate(classes)},
        "label2id": {label: number for number, label in enumerate(classes)},
        "problem_type": MULTILABEL if multilabel else "single_label_classification",
    }


def _changed(
    content: dict[str, Any], layers: int | None, attention_dropout: float | None
) -> dict[str, Any]:
    """Return the configuration with fewer layers and another dropout."""
    plain = {name: value for name, value in content.items() if name != "id2label"}
    plain["num_labels"] = 2  # whatever there was; it may be less than a head needs
    config = _config(plain)
    changed = plain
    if attention_dropout is not None:
        names = [name for name in _ATTENTION_DROPOUT if hasattr(config, name)]
        changed = plain | dict.fromkeys(names, attention_dropout)
    if layers is None:
        return changed
    there = getattr(config, _LAYERS, None)
    if not isinstance(there, int):
        raise InputError(Argument("layers"), f" cannot be chosen of {type(config).__name__}")
    whole_number("layers", layers, most=there)
    changed[config.attribute_map.get(_LAYERS, _LAYERS)] = layers
    return {
        name: value[:layers]
        if "layer" in name and isinstance(value, list) and len(value) == there
        else value
        for name, value in changed.items()
    }


# ---- the weights ------------------------------------------------------------------------------


def _load(folder: Path, config: Any, outline: Outline, weights: Weights) -> nn.Module:
    """Return the module with the folder's weights, but for those that are to be new."""
    module, info = outline.kind.from_pretrained(
        None,
        config=config,
        state_dict=weights.read(lambda name: outline.name_of(name) not in outline.new),
        dtype=torch.float32,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # they are looked at below
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
    )
    missing = set(info["missing_keys"]) - outline.new - outline.optional
    if missing:
        raise InputError(f"{file_name(folder)} lacks weights, such as {shown(min(missing))}")
    for name, *shapes in sorted(info["mismatched_keys"], key=str):
        raise InputError(f"{file_name(folder)}: {shown(name)} has two shapes, {shapes!s:.80}")
    left = [name for name in info["unexpected_keys"] if not name.endswith(_RECOMPUTED)]
    if left and not outline.new:  # of a base, other heads and layers are left behind
        raise InputError(
            f"{file_name(folder)} has weights that {outline.kind.__name__} does not use, such as "
            f"{shown(min(left))}"
        )
    evaluating: nn.Module = module.eval()
    return evaluating


# ---- the tokenizer ------------------------------------------------------------------------------


def _read_tokenizer(folder: Path, config: Any) -> TokenizerEncoder:
    """Return the folder's tokenizer, which cuts as its file says, and neither shortens nor pads.

    transformers 5 would build some kinds anew from their vocabulary, whatever else the file says;
    it is asked for the names of special tokens only.
    """
    from transformers import AutoTokenizer

    path = folder / TOKENIZER
    if not path.exists():
        raise InputError(
            f"{file_name(folder)} has no {TOKENIZER}: a tokenizer that is not fast does not say "
            "which characters its pieces are of; save a fast one there"
        )
    with existing_file(path).open("rb") as stream:
        text = stream.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise InputError(f"{file_name(path)} is too long for a tokenizer")
    stored = parse_json(text, file_name(path))
    if not isinstance(stored, dict):
        raise InputError(f"{file_name(path)} is damaged: it holds no tokenizer")
    check_ids(stored)
    try:
        with panics_as_errors():
            named = AutoTokenizer.from_pretrained(
                folder, config=config, use_fast=True, local_files_only=True, trust_remote_code=False
            )
    except Exception as error:
        raise InputError(f"{file_name(path)} is no tokenizer ({reason(error)})") from error
    special = {f"{one}_token": getattr(named, f"{one}_token", None) for one in SPECIAL}
    known = named.get_vocab()
    names = {name: str(token) for name, token in special.items() if str(token) in known}
    return tokenizer_of({**stored, "truncation": None, "padding": None, "special": names})
