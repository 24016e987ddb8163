"""A module as a folder: its weights, and what is needed to build it again.

Weights are safetensors; the rest is data. No code comes from the folder: what builds the module is
a function of the user's own, registered under the name that the folder has, or named on loading.
The weights must be those of the module that it builds, to the last name and shape.

============================  =====================================  ===============================
tensor                        dtype and shape                        what it is
============================  =====================================  ===============================
``module.<name>``             as in the module                       of its ``state_dict``
============================  =====================================  ===============================
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from whyword.base.checks import one_of, whole_number
from whyword.base.errors import Advice, Argument, InputError
from whyword.base.printable import reason, shown, storable
from whyword.base.tensors import Tensors
from whyword.models.imported import import_function
from whyword.models.pytorch.encoding import DELETIONS, Encoder, VocabularyEncoder, tokenizer_of
from whyword.models.stored import StoredModel, a_dict, list_of_numbers, optional
from whyword.models.stored_reader import reader_settings, stored_reader

if TYPE_CHECKING:
    from whyword.models.pytorch.classifier import TorchClassifier

Builder = Callable[..., Any]
BUILDERS: dict[str, Builder] = {}
_PREFIX = "module."


def builder(name: str) -> Callable[[Builder], Builder]:
    """Register what builds a module again under the name that folders have of it: a decorator.

    Parameters
    ----------
    name : str
        As in ``model.save(folder, builder=name)``.

    Examples
    --------
    ::

        @ww.pytorch.builder("spam-net")
        def build(hidden):
            return SpamNet(hidden)

        model.save("models/spam", builder="spam-net", arguments={"hidden": 64})
        model = ww.load_model("models/spam")
    """
    builder_name("name", name)

    def register(function: Builder) -> Builder:
        BUILDERS[name] = function
        return function

    return register


def builder_name(argument: str, name: object) -> str:
    """Return what folders call a builder; raise if that is no name."""
    if not isinstance(name, str) or not name.strip() or storable(name) != name:
        raise InputError(Argument(argument), f" must name what builds a module, not {shown(name)}")
    return name


def to_stored(
    model: "TorchClassifier", name: str, arguments: Mapping[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a model's tensors and settings.

    Parameters
    ----------
    model : TorchClassifier
    name : str
        Of what builds the module.
    arguments : dict
        That it is called with: plain data.
    """
    tensors = {
        _PREFIX + key: value.detach().contiguous().numpy().copy()
        for key, value in model.module.state_dict().items()
    }
    network = model.network
    settings = {
        "kind": model.kind,
        "classes": list(model.classes_),
        "name": model.name,
        "builder": {"name": name, "arguments": dict(arguments)},
        "encoding": model.encoder.settings or {},
        "pad": network.pad,
        "min_length": network.min_length,
        "window": network.window.size,
        "embeddings": network.tables.named,
        "deletion": model.deletion.how,
        "mask": model.deletion.id if model.deletion.how == "mask" else None,
        "multilabel": model.is_multilabel,
        "thresholds": model.thresholds_.tolist(),
        **reader_settings(model.reader_),
    }
    return tensors, settings


def restored(
    verdict: str, tensors: Tensors, configuration: Mapping[str, Any], build: object
) -> tuple[nn.Module, object, list[Any], dict[str, Any]]:
    """Return module, encoding, classes and options of the model in a folder.

    Parameters
    ----------
    verdict : str
        What is to be said if it is none, before the reason.
    tensors, configuration
        As they were read.
    build : callable, str or None
        What builds the module, or ``module:function``; None for the registered one.
    """
    settings = {name: value for name, value in configuration.items() if name != "kind"}
    stored = StoredModel(verdict, tensors, settings)
    classes = stored.classes().tolist()
    module, encoder = _built(stored, build)
    fill(stored, module, _PREFIX)
    several = stored.settings.take("multilabel", a_flag)
    thresholds = stored.settings.take("thresholds", list_of_numbers)
    count = optional(partial(whole_number, least=0))
    options: dict[str, Any] = {
        "name": stored.settings.take("name", optional(_a_string)),
        "pad": stored.settings.take("pad", count),
        "min_length": stored.settings.take("min_length", partial(whole_number, least=1)),
        "window": stored.settings.take("window", optional(partial(whole_number, least=1))),
        "mask": stored.settings.take("mask", count),
        "deletion": stored.settings.take("deletion", partial(one_of, choices=DELETIONS)),
        "embeddings": stored.settings.take("embeddings", optional(_a_string)),
        "reader": stored_reader(stored.settings),
    }
    if several:
        options |= {"multilabel": True, "threshold": thresholds}
    stored.check_all_taken()
    return module, encoder, classes, options


def _built(stored: StoredModel, build: object) -> tuple[nn.Module, object]:
    """Return the module that the user's own function builds, and what encodes texts for it."""
    section = stored.settings.section("builder")
    name, arguments = section.take("name", _a_string), section.take("arguments", a_dict)
    if isinstance(build, str):
        build = import_function(build)
    function = BUILDERS.get(name) if build is None else build
    if not callable(function):
        raise InputError(
            f"the folder's module is built by {name!r:.60}, which is not registered here: import "
            "what registers it (whyword.pytorch.builder) and load the folder in code of yours",
            Advice(", or name the function: ", Argument("build", "module:function")),
        )
    try:
        made = function(**arguments)
    except Exception as error:
        raise InputError(f"{name!r:.60} failed to build the module ({reason(error)})") from error
    module, encode = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    if not isinstance(module, nn.Module):
        raise InputError(f"{name!r:.60} built {shown(module)}, which is no torch.nn.Module")
    own = stored_encoder(stored)
    if own is None and encode is None:
        raise InputError(
            f"the folder does not say how texts become ids: let {name!r:.60} return (module, "
            "encode)"
        )
    return module.eval(), own if encode is None else encode


def stored_encoder(stored: StoredModel) -> Encoder | None:
    """Return what encodes texts, as a folder has it; None if it does not say."""
    section = stored.settings.section("encoding")
    taken = section.take_any({"vocabulary": a_dict, "tokenizer": a_dict})
    if "vocabulary" in taken:
        return VocabularyEncoder(taken["vocabulary"])
    return tokenizer_of(taken["tokenizer"]) if "tokenizer" in taken else None


def fill(stored: StoredModel, module: nn.Module, prefix: str = "") -> None:
    """Put the stored weights into a module; raise unless they are its own.

    Parameters
    ----------
    stored : StoredModel
        Of which all tensors are taken.
    module : nn.Module
        Perhaps on the device ``meta``, where nothing takes memory before its size is checked.
    prefix : str
        Before the names of its weights in the folder.
    """
    own = module.state_dict()
    missing = {prefix + name for name in own} ^ stored.tensor_names()
    if missing:
        raise stored.fault(
            f"the module that was built has other weights: {min(missing)!r:.80} is in one only"
        )
    state = {
        name: torch.from_numpy(
            np.array(stored.tensor(prefix + name, _numpy_type(value), *value.shape, least=0))
        )
        for name, value in own.items()
    }
    module.load_state_dict(state, assign=any(one.is_meta for one in own.values()))


def _numpy_type(tensor: torch.Tensor) -> type[np.generic]:
    return torch.empty(0, dtype=tensor.dtype).numpy().dtype.type


def _a_string(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string, not {value!r:.60}")
    return value


def a_flag(name: str, value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be true or false, not {value!r:.60}")
    return value
