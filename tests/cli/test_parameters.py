"""A command has an option for every parameter of every method, and none of its own."""

import inspect
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from whyword.base.errors import Argument, InputError
from whyword.cli.parameters import takes_parameters, with_method_parameters
from whyword.methods.registry import METHODS, Method, Parameter, register
from whyword.models.relevance import Relevance


def check(name: str, value: Any) -> Any:  # noqa: ANN401
    return value


def nothing(*_: object) -> Relevance:
    raise AssertionError


@pytest.fixture
def blur() -> Iterator[None]:
    parameters = (Parameter("width", 3, check, "of the blur"), Parameter("seed", 0, check, "of it"))
    register(Method("blur", "a toy", nothing, parameters=parameters))
    yield
    del METHODS["blur"]


def command(
    source: str,
    method: Annotated[str | None, typer.Option()] = None,
    seed: Annotated[int, typer.Option()] = 0,
    parameters: dict[str, Any] | None = None,
) -> None:
    """Say what was given."""
    print(source, method, seed, parameters)


def run(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(with_method_parameters(command))
    done = CliRunner().invoke(app, list(arguments))
    return done.output if done.exit_code == 0 else f"exit {done.exit_code}: {done.output}"


def test_which_commands_take_them() -> None:
    assert takes_parameters(command)
    assert not takes_parameters(check)


def test_only_what_is_given_is_passed_on() -> None:
    assert run("x").strip() == "x None 0 {}"
    assert run("x", "--epsilon", "0.5").strip() == "x None 0 {'epsilon': 0.5}"
    given = ("--bias", "apart", "--method", "lrp", "--seed", "4", "--random-seed", "7")
    assert run("x", *given).strip() == "x lrp 4 {'bias': 'apart', 'seed': 7}"
    assert run("x", "--epsilon", "much").startswith("exit 2")


def test_errors_name_a_methods_parameter_by_its_option() -> None:
    def fail(
        method: str | None = None, seed: int = 0, parameters: dict[str, Any] | None = None
    ) -> None:
        raise InputError(Argument("seed"), *(Argument(name, of="m") for name in ("seed", "bias")))

    options = inspect.signature(with_method_parameters(fail)).parameters
    with pytest.raises(InputError) as raised:
        with_method_parameters(fail)(**dict.fromkeys(options))
    assert raised.value.arguments == ["seed", "random_seed", "bias"]


@pytest.mark.usefixtures("blur")
def test_methods_that_are_registered_later_have_theirs() -> None:
    assert run("x", "--width", "5").strip() == "x None 0 {'width': 5}"
    shown = inspect.signature(with_method_parameters(command)).parameters
    of_methods = {one.name for method in METHODS.values() for one in method.parameters}
    assert list(shown)[:4] == ["source", "method", "epsilon", "bias"]
    assert list(shown)[-3:] == ["random_seed", "width", "seed"]
    assert set(shown) == {"source", "method", "random_seed", *of_methods}
    assert run("x", "--layer", "bag").strip() == "x None 0 {'layer': 'bag'}"
    printed = " ".join(run("--help").replace("│", " ").split())
    assert "of the blur (default: 3)" in printed
    assert "(default: shared, or the model's own)" in printed
