"""Messages know the arguments they are about; each reader has other names for them."""

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
    return {"resume": "--resume", "texts": "--texts TEXTS"}.get(argument.name)


SEED, RESUME, LABELLED = Argument("seed"), Argument("resume", True), Argument("labelled", False)


@pytest.mark.parametrize(
    ("error", "python", "command", "arguments"),
    [
        (InputError(SEED, ": say ", RESUME), "seed: say resume=True", "seed: say --resume", 2),
        (InputError("a ", Argument("texts", ...)), "a texts=…", "a --texts TEXTS", 1),
        (InputError("say ", Argument("limit", None)), "say limit=None", "say limit", 1),
        (InputError("a ", Argument("engine", "ray")), "a engine='ray'", "a engine", 1),
        (InputError("no", Advice("; or ", LABELLED, "!")), "no; or labelled=False!", "no", 1),
        (InputError("resume=True/x: no such file"), *["resume=True/x: no such file"] * 2, 0),
        (InputError("see ", Argument("targets"), about=["target"]), *["see targets"] * 2, 2),
        (InputError(ValueError("x"), None), "xNone", "xNone", 0),  # type: ignore[arg-type]
    ],
)
def test_messages(error: InputError, python: str, command: str, arguments: int) -> None:
    assert str(error) == python
    assert error.message(_option) == command
    assert len(error.arguments) == arguments
    again = pickle.loads(pickle.dumps(error))  # as on its way to another process
    assert (str(again), again.arguments) == (python, error.arguments)


def test_arguments_can_be_replaced() -> None:
    about = InputError("see ", Argument("targets"), SEED, SEED, about=["target"])
    assert about.arguments == ["target", "targets", "seed"]
    error = InputError(Argument("seed"), " is wrong", Advice("; say ", Argument("seed", 1)), "!")
    error.replace_arguments(lambda one: replace(one, name="resume", of="random"))
    assert str(error) == "resume is wrong; say resume=1!"
    assert error.parts[0] == Argument("resume", of="random")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_errors_can_be_sent_to_another_process() -> None:
    for kind in (WhywordError, InputError, DownloadError):
        again = pickle.loads(pickle.dumps(kind(SEED, ": say ", RESUME)))
        assert type(again) is kind
        assert str(again) == again.message(str) == "seed: say resume=True"
    extra = pickle.loads(pickle.dumps(MissingExtraError("ray", "ray")))
    assert str(extra) == "ray is not installed; run: pip install 'whyword[ray]'"
