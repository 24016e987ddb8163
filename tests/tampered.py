"""Model folders that somebody changed, and gave the hashes that fit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from whyword import InputError, load_model
from whyword.models.store import read_model, without_added, write_model

Change: TypeAlias = Callable[[dict[str, NDArray[Any]], dict[str, Any]], object]


def tamper(folder: Path, change: Change) -> None:
    """Change the tensors and the settings of a model folder."""
    tensors, configuration = read_model(folder)
    settings = without_added(configuration)
    change(tensors, settings)
    write_model(folder, tensors, settings)


def check_refused(folder: Path, change: Change, said: str) -> None:
    """Change a model folder; see that it is refused in one line that says this."""
    tamper(folder, change)
    with pytest.raises(InputError) as error:
        load_model(folder)
    message = str(error.value)
    assert message.startswith(f"{folder} is not a whole model: ")
    assert said in message
    assert len(message.splitlines()) == 1


def tensors(**new: object) -> Change:
    """Return the change of tensors: to an array, by a function, or None, which removes it."""

    def change(old: dict[str, NDArray[Any]], _: object) -> None:
        for name, value in new.items():
            array = value(old[name]) if callable(value) else value
            if array is None:
                del old[name]
            else:
                old[name] = np.asarray(array)

    return change


def settings(**new: Any) -> Change:  # noqa: ANN401 - any plain data
    """Return the change of settings; those within others by ``outer__inner``."""

    def change(_: object, old: dict[str, Any]) -> None:
        for name, value in new.items():
            *inside, last = name.split("__")
            holder = old
            for key in inside:
                holder = holder[key]
            holder[last] = value

    return change


def words(content: object) -> NDArray[np.uint8]:
    """Return anything as a tensor of words."""
    return np.frombuffer(json.dumps(content).encode(), np.uint8)


def with_number(place: int, number: float) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return the function that puts a number into a copy of an array."""

    def change(array: NDArray[Any]) -> NDArray[Any]:
        changed = array.copy()
        changed.flat[place] = number
        return changed

    return change
