"""Options that several commands have together: a dataclass whose fields are options.

A command takes the dataclass as one parameter. Typer knows single options only, so that the command
which it is given has the fields in the parameter's place.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Any


def with_options_of_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with an option for each field of the dataclasses that it takes."""
    own = inspect.signature(command).parameters.values()
    groups: dict[str, Any] = {
        one.name: one.annotation for one in own if is_dataclass(one.annotation)
    }

    @wraps(command)
    def with_options(**arguments: Any) -> None:  # noqa: ANN401 - what typer has read
        for name, group in groups.items():
            arguments[name] = group(**{one.name: arguments.pop(one.name) for one in fields(group)})
        command(**arguments)

    each = (_options(groups[one.name]) if one.name in groups else [one] for one in own)
    set_parameters(with_options, [option for several in each for option in several])
    return with_options


def _options(group: Any) -> list[Parameter]:  # noqa: ANN401 - a dataclass
    return [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
        for one in fields(group)
    ]


def set_parameters(command: Callable[..., None], parameters: Iterable[Parameter]) -> None:
    """Let a command that takes whatever keywords there are have these parameters for typer."""
    several = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters]
    command.__signature__ = inspect.Signature(several)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in several} | {"return": None}
