"""Which kind of classifier has which options."""

import inspect
import json
from dataclasses import fields
from pathlib import Path

import pytest
from commands import run

from whyword import InputError
from whyword.cli.kinds import KINDS, BagOptions, Model, NetworkOptions, arguments_of


@pytest.mark.parametrize("model", list(Model))
def test_every_option_is_a_parameter_of_its_kind(model: Model) -> None:
    kind = KINDS[model]
    parameters = inspect.signature(kind.load()).parameters
    assert {*kind.options, *kind.fixed} <= {*parameters}
    groups = {one.name for group in (NetworkOptions, BagOptions) for one in fields(group)}
    assert {*kind.options} <= groups


def test_arguments() -> None:
    network = NetworkOptions(width="3,5", validation=6.0)
    expected = {"width": [3, 5], "validation": 6}
    assert arguments_of(Model.CHARACTERS, network, BagOptions()) == expected
    pooled = NetworkOptions(pooling="mean", bidirectional=False)
    assert arguments_of(Model.GRU, pooled, BagOptions()) == {
        "cell": "gru",
        "pooling": "mean",
        "bidirectional": False,
    }
    for model, group in ((Model.LSTM, network), (Model.CNN, pooled), (Model.SVM, pooled)):
        with pytest.raises(InputError, match="is for another kind of classifier than"):
            arguments_of(model, group, BagOptions())


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("lstm", ("--hidden", 4, "--vectors", "v.safetensors", "--one-way", "--pooling", "mean")),
        ("gru", ("--hidden", 4, "--vectors", "v.safetensors", "--train-vectors")),
        ("characters", ("--filters", 8, "--width", "3,4", "--length", 50)),
    ],
)
def test_train_a_network(
    model: str, options: tuple[object, ...], topics: Path, tmp_path: Path
) -> None:
    named = [topics / one if one == "v.safetensors" else one for one in options]
    call = ("train", topics / "topics.csv", "--model", model, "--out", tmp_path / "m")
    done = run(*call, "--epochs", 2, *named)
    assert done.returncode == 0, done.stderr
    assert "best epoch" in done.stdout
    stored = json.loads((tmp_path / "m" / "model.json").read_text())
    assert stored["kind"] == ("characters" if model == "characters" else "recurrent")
    assert stored["parameters"].get("cell", model) == model
    (tmp_path / "text.txt").write_text("moon and ice")
    done = run("explain", tmp_path / "m", tmp_path / "text.txt")
    assert done.returncode == 0, done.stderr
    assert "moon" in done.stdout
