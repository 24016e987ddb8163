"""Models that live in somebody's Python code: ``py:module:name``."""

import importlib
import sys
from pathlib import Path
from typing import Any

from whyword.base.errors import InputError

PREFIX = "py:"


def import_model(source: str) -> Any:  # noqa: ANN401 - anybody's
    """Return the object that ``py:module:name`` names; the module is run, as ``import`` does.

    Modules are looked for in the current folder first, as ``python -m`` does.
    """
    module, _, name = source.removeprefix(PREFIX).partition(":")
    if not module or not name or module.startswith("."):
        raise InputError(
            f"{source!r} names no model; say py:module:name, as in py:spam.models:best"
        )
    working_folder = str(Path.cwd())
    if working_folder not in sys.path:
        sys.path.insert(0, working_folder)
    try:
        value: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if module == missing or module.startswith(f"{missing}."):
            raise InputError(
                f"{source}: there is no module {missing!r} here or installed"
            ) from None
        raise InputError(f"{source}: {module} needs {missing!r}, which is not installed") from None
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(f"{source}: {module} cannot be imported ({reason})") from error
    for part in name.split("."):
        if not hasattr(value, part):
            raise InputError(f"{source}: {module} has no {name!r}")
        value = getattr(value, part)
    return value
