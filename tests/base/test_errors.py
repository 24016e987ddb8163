"""Messages know the arguments they are about; every reader has his own names for them."""

import pickle
from dataclasses import replace

import pytest

from whyword.base.errors import (
    Advice,
    Argument,
    DownloadError,
    InputError,
    MissingExtraError,
    WhywordError,
)


def _option(argument: Argument) -> str | None:
    options = {"resume": "--resume", "texts": "--texts TEXTS"}
    return options.get(argument.name)


def test_python_shows_arguments_as_keywords() -> None:
    error = InputError(Argument("seed"), " is wrong; say ", Argument("resume", True))
    assert str(error) == "seed is wrong; say resume=True"
    assert str(InputError("pass ", Argument("texts", ...))) == "pass texts=…"
    assert str(InputError("pass ", Argument("limit", None))) == "pass limit=None"
    assert str(InputError("say ", Argument("engine", "ray"))) == "say engine='ray'"


def test_another_reader_has_other_names() -> None:
    error = InputError("say ", Argument("resume", True), " or pass ", Argument("texts", ...))
    assert error.message(_option) == "say --resume or pass --texts TEXTS"
    assert error.arguments == ["resume", "texts"]


def test_what_looks_like_an_argument_is_left_alone() -> None:
    error = InputError("resume=True/texts=…/x.parquet: no such file")
    assert error.message(_option) == str(error)
    assert error.arguments == []


def test_an_argument_the_reader_lacks_is_a_word() -> None:
    assert InputError(Argument("budget", 3), " is too small").message(_option) == (
        "budget is too small"
    )


def test_advice_is_left_out_where_it_cannot_be_taken() -> None:
    advice = Advice(", or ", Argument("labelled", False), " if there is none")
    error = InputError("there is no label", advice)
    assert str(error) == "there is no label, or labelled=False if there is none"
    assert error.message(_option) == "there is no label"
    assert error.arguments == ["labelled"]


def test_a_caller_may_know_an_argument_better() -> None:
    error = InputError(Argument("seed"), " is wrong", Advice("; say ", Argument("seed", 1)), "!")
    error.replace_arguments(lambda one: replace(one, name="resume", of="random"))
    assert str(error) == "resume is wrong; say resume=1!"
    assert error.parts[0] == Argument("resume", of="random")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("kind", [WhywordError, InputError, DownloadError])
def test_an_error_survives_the_way_to_another_process(kind: type[WhywordError]) -> None:
    error = kind(Argument("seed"), ": say ", Argument("resume", True))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == again.message(str) == "seed: say resume=True"
    assert again.message(_option) == "seed: say --resume"


def test_a_missing_extra_survives_it_too() -> None:
    again = pickle.loads(pickle.dumps(MissingExtraError("ray", "ray")))
    assert str(again) == "ray is not installed; run: pip install 'whyword[ray]'"


def test_an_error_may_be_about_what_it_does_not_name() -> None:
    error = InputError("there is no class 'x', see ", Argument("targets"), about=["target"])
    assert error.arguments == ["target", "targets"]
    assert str(error) == "there is no class 'x', see targets"
    assert pickle.loads(pickle.dumps(error)).arguments == ["target", "targets"]


def test_anything_may_be_raised_as_a_message() -> None:
    assert str(InputError(ValueError("x"), None)) == "xNone"  # type: ignore[arg-type]
