"""A dataclass that a command takes is as many options, in its place."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from whyword.cli.groups import with_options_of_groups
from whyword.cli.main import command_line


@dataclass(frozen=True)
class Size:
    """A group."""

    width: Annotated[int, typer.Option("--width", min=1)] = 3
    high: Annotated[bool, typer.Option("--high")] = False


def command(name: str, *, size: Size, colour: Annotated[str, typer.Option()] = "red") -> None:
    """Say what was given."""
    print(name, size, colour)


@pytest.mark.parametrize(
    ("arguments", "size"),
    [((), Size()), (("--width", "5", "--high"), Size(5, True))],
)
def test_a_group_is_made_of_its_options(arguments: tuple[str, ...], size: Size) -> None:
    app = typer.Typer()
    app.command()(with_options_of_groups(command))
    done = CliRunner().invoke(app, ["x", *arguments, "--colour", "blue"])
    assert done.output.strip() == f"x {size} blue"
    assert CliRunner().invoke(app, ["x", "--width", "0"]).exit_code == 2


def test_the_options_stand_in_the_place_of_the_group() -> None:
    shown = inspect.signature(with_options_of_groups(command)).parameters
    assert list(shown) == ["name", "width", "high", "colour"]


def test_commands_of_the_same_group_have_the_same_options() -> None:
    texts = ["text", "test", "seed", "encoding"]
    group = typer.main.get_command(command_line())
    for name in ("predict", "explain", "words", "search", "map", "serve"):
        names = [one.name for one in group.commands[name].params]  # type: ignore[attr-defined]
        assert [one for one in names if one in texts] == texts
