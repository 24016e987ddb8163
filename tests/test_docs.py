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
@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_python_of_the_first_pages(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"hello {i},{label}" for label in "ab" for i in range(10)]
    Path("mails.csv").write_text("\n".join(["text,label", *rows]))
    for_texts = ww.Vectors.for_texts
    # Two of the forty epochs, a small network: what is tested is that the lines run.
    few = functools.partial(for_texts, epochs=2)
    monkeypatch.setattr(ww.Vectors, "for_texts", lambda texts, **_: few(texts[::50]))
    kind = ww.CNNClassifier
    small = functools.partial(kind, filters=8, epochs=1, max_words=50)
    monkeypatch.setattr(ww, "CNNClassifier", small)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
        exec(block, names)
    assert isinstance(names["model"], kind)
    if "document" in names:
        document = names["document"]
        assert isinstance(document, ww.Document)
        assert document.words == ["Dr.", "Who", "did", "n't", "land", "on", "Mars"]
        np.testing.assert_array_equal(document.spans[0], [0, 3])


def test_the_reference_has_every_name() -> None:
    shown = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "reference.md").read_text()))
    assert set(ww.__all__) <= shown


def test_commands_are_real() -> None:
    """Every `whyword …` of the README's table is a command."""
    from whyword.cli.main import app

    commands = app.registered_commands
    known = {command.name or getattr(command.callback, "__name__", "") for command in commands}
    shown = set(re.findall(r"\| `whyword (\w+)", (ROOT / "README.md").read_text()))
    assert shown == known
