"""What README and docs show is what happens."""

import doctest
import functools
import re
from pathlib import Path

import numpy as np
import pytest

import whyword as ww

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_with_output(page: Path) -> None:
    failures, _ = doctest.testfile(str(page), module_relative=False)
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scripts_and_tests_named_exist(page: Path) -> None:
    for name in re.findall(r"`((?:benchmarks|examples|tests|docs)/[\w./]+)`", page.read_text()):
        assert (ROOT / name).exists(), name


@pytest.mark.real
def test_the_readmes_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"hello {i},{label}" for label in "ab" for i in range(10)]
    Path("mails.csv").write_text("\n".join(["text,label", *rows]))
    train = ww.Vectors.train_cbow
    # Two of the forty epochs, a small network: what is tested is that the lines run.
    monkeypatch.setattr(ww.Vectors, "train_cbow", lambda texts: train(texts[::50], epochs=2))
    small = functools.partial(ww.CNNClassifier, filters=8, epochs=1, max_words=50)
    monkeypatch.setattr(ww, "CNNClassifier", small)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        exec(block, names)
    document = names["document"]
    assert isinstance(document, ww.Document)
    assert document.words == ["Dr.", "Who", "did", "n't", "land", "on", "Mars"]
    np.testing.assert_array_equal(document.spans[0], [0, 3])


def test_commands_are_real() -> None:
    """Every `whyword …` of the README's table is a command."""
    from whyword.cli import app

    commands = app.registered_commands
    known = {command.name or getattr(command.callback, "__name__", "") for command in commands}
    shown = set(re.findall(r"\| `whyword (\w+)", (ROOT / "README.md").read_text()))
    assert shown == known
