"""Options for the parameters of methods: they come from the registry, none is written here."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Annotated, Any

import typer

from whyword.base.errors import Argument, WhywordError
from whyword.cli.groups import set_parameters
from whyword.methods.registry import METHODS, Method, Parameter
from whyword.models.protocol import Decomposable


def takes_parameters(command: Callable[..., None]) -> bool:
    """Return whether a command takes the parameters of methods."""
    return "parameters" in inspect.signature(command).parameters


def with_method_parameters(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with an option for each parameter of a method.

    The command takes those that were given as its argument `parameters`, a dict.
    """
    every = inspect.signature(command).parameters
    own = {name: one for name, one in every.items() if name != "parameters"}
    options = dict(_options(set(own)))
    option_of = {name: option for option, name in options.items()}

    def as_option(argument: Argument) -> Argument:
        if argument.of is None or argument.name not in option_of:
            return argument
        return Argument(option_of[argument.name], argument.value)

    @wraps(command)
    def with_options(**arguments: Any) -> None:  # noqa: ANN401 - what typer has read
        values = {options[name]: arguments.pop(name) for name in options}
        chosen = {name: value for name, value in values.items() if value is not None}
        try:
            command(parameters=chosen, **arguments)
        except WhywordError as error:
            error.replace_arguments(as_option)
            raise

    added = [
        inspect.Parameter(
            option,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_annotation(option, name),
        )
        for option, name in options.items()
    ]
    after = list(own).index("method") + 1
    set_parameters(with_options, [*list(own.values())[:after], *added, *list(own.values())[after:]])
    return with_options


def _options(taken: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each option's name and the parameter's: they differ where the command has its own."""
    for method, parameter in _parameters():
        name = parameter.name
        yield (f"{method.name}_{name}" if name in taken else name), name


def _parameters() -> Iterator[tuple[Method, Parameter]]:
    """Yield the parameters of all methods, each name once."""
    seen: set[str] = set()
    for method in METHODS.values():
        for parameter in method.parameters:
            if parameter.name not in seen:
                seen.add(parameter.name)
                yield method, parameter


def _annotation(option: str, name: str) -> Any:  # noqa: ANN401 - a type
    having = [m for m in METHODS.values() if name in {one.name for one in m.parameters}]
    (parameter, *_) = (one for one in having[0].parameters if one.name == name)
    of = ", ".join(method.name for method in having)
    own = ", or the model's own" if having[0].needs is Decomposable else ""
    default = "none" if parameter.default is None else parameter.default
    about = f"Of {of}: {parameter.meaning} (default: {default}{own})."
    option = "--" + option.replace("_", "-")
    kind = parameter.values or type(parameter.default)
    return Annotated[kind | None, typer.Option(option, help=about)]
