"""What a user reads who made a mistake: one line, whose arguments are options of the command.

A message names the library's arguments (:mod:`whyword.base.errors`). What the command calls them is
read off the command itself, so that it names no option that is not there.
"""

import shlex
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from whyword.base.errors import Argument, Spell, WhywordError
from whyword.base.printable import one_line


class _PlainFlags:
    """Shows flags as such in its help: typer's own says <bool>, as if they took a value."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer's own types are private
        """Return the parameters, ``--help`` with them."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in parameters:
            if isinstance(one, TyperOption) and one.is_flag and one.metavar is None:
                one.metavar = ""
        return parameters


class Commands(_PlainFlags, TyperGroup):
    """All commands."""


class Command(_PlainFlags, TyperCommand):
    """A command at which a user's mistake is one line on stderr and exit code 1."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types are private
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # nobody reads any more, which is no mistake
            raise
        except (WhywordError, OSError) as error:
            print_error(error, spelling(self.params))
            raise typer.Exit(1) from None


def print_error(error: Exception, spell: Spell = lambda _: None) -> None:
    """Print an error on stderr, in one line."""
    message = error.message(spell) if isinstance(error, WhywordError) else str(error)
    _print(f"error: {message}")


def print_stop(end: BaseException) -> None:
    """Print on stderr that the user stopped the command, and what is noted about that."""
    cause: BaseException | None = end
    notes: list[str] = []
    while cause is not None:  # typer makes an exit of its own of Ctrl-C
        notes += getattr(cause, "__notes__", [])
        cause = cause.__cause__ or cause.__context__
    _print("; ".join(["interrupted", *notes]))


def _print(message: str) -> None:
    with suppress(OSError):  # stderr takes nothing; the exit code says enough
        print(one_line(message), file=sys.stderr)


def spelling(parameters: Iterable[object]) -> Spell:
    """Return what a command calls the arguments of the library.

    Parameters
    ----------
    parameters : iterable of TyperOption and TyperArgument
        Those of the command, as typer made them; they are called as in the library.
    """
    known = {one.name: one for one in parameters if isinstance(one, TyperOption | TyperArgument)}

    def spell(argument: Argument) -> str | None:
        parameter = None if argument.of else known.get(argument.name)
        if isinstance(parameter, TyperOption):
            return _option(parameter, argument)
        return None if parameter is None else _placeholder(parameter).strip("[]")

    return spell


def _option(option: TyperOption, argument: Argument) -> str | None:
    name = (option.opts or option.secondary_opts)[0]
    if not argument.has_value:
        return name
    value = argument.value
    if option.is_flag:
        fitting = option.secondary_opts if value is False else option.opts
        return fitting[0] if fitting else None
    if value is None:  # is to leave it out
        return None
    if value is ...:
        return f"{name} {option.metavar or '…'}"
    several = value if isinstance(value, list | tuple) else [value]
    return " ".join(f"{name} {shlex.quote(str(one))}" for one in several)


def _placeholder(positional: TyperArgument) -> str:
    return positional.metavar or str(positional.name).upper()
