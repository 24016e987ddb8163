"""Models that live in somebody's Python code: ``module:name``, or ``py:module:name``."""

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from whyword.base.checks import exists
from whyword.base.errors import InputError
from whyword.base.printable import reason, shown

PREFIX = "py:"
HUB = "hf:"  # before the name of a model of the Hugging Face hub, which is no module's
_CALL = "()"  # behind the name of a function that makes the model
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_NAMED = re.compile(rf"{_DOTTED}:{_DOTTED}(?:\(\))?")


def names_import(source: str) -> bool:
    """Return whether a model is named by its module: so if it says so, or if there is no file."""
    if source.startswith((PREFIX, HUB)):
        return source.startswith(PREFIX)
    return _NAMED.fullmatch(source) is not None and not exists(Path(source))


def import_model(source: str) -> Any:  # noqa: ANN401 - anybody's
    """Return the object that ``module:name`` names; the module is run, as ``import`` does.

    With ``()`` behind the name, what the function of that name returns, called once. Modules are
    looked for in the current folder first, as ``python -m`` does.
    """
    _, name = _parts(source)
    plain = name.removesuffix(_CALL)
    value = import_function(source.removesuffix(_CALL))
    if plain != name:
        try:
            return value()
        except Exception as error:
            raise InputError(f"{source}: {name} failed ({reason(error)})") from error
    if isinstance(value, FunctionType) and not _takes_texts(value):
        raise InputError(f"{source}: {plain} takes no texts; if it makes a model, say {source}()")
    return value


def import_function(source: str) -> Any:  # noqa: ANN401 - anybody's
    """Return the function that ``module:name`` names, whatever it takes."""
    value: Any = import_module_of(source)
    module, name = _parts(source)
    for part in name.split("."):
        if not hasattr(value, part):
            raise InputError(f"{source}: {module} has no {name!r}")
        value = getattr(value, part)
    return value


def import_module_of(source: str) -> ModuleType:
    """Return the module that a model stands in, which is run if it was not before."""
    module, _ = _parts(source)
    working_folder = str(Path.cwd())
    if working_folder not in sys.path:
        sys.path.insert(0, working_folder)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if module == missing or module.startswith(f"{missing}."):
            nothing = "" if source.startswith(PREFIX) else "there is no such folder, and "
            raise InputError(
                f"{source}: {nothing}there is no module {missing!r} here or installed"
            ) from None
        raise InputError(f"{source}: {module} needs {missing!r}, which is not installed") from None
    except Exception as error:
        raise InputError(f"{source}: {module} cannot be imported ({reason(error)})") from error


def _parts(source: str) -> tuple[str, str]:
    """Return the module's name and the model's; raise if one is missing."""
    module, _, name = source.removeprefix(PREFIX).partition(":")
    if not module or not name.removesuffix(_CALL) or module.startswith("."):
        raise InputError(
            f"{shown(source)} names no model; say py:module:name, as in py:spam.models:best"
        )
    return module, name


def _takes_texts(function: FunctionType) -> bool:
    """Whether a function can be called with one argument."""
    try:
        inspect.signature(function).bind([])
    except TypeError:
        return False
    return True
