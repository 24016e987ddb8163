"""What README and docs show is what happens."""

import doctest
import functools
import json
import re
from pathlib import Path

import numpy as np
import pytest

import whyword as ww
from whyword.methods.registry import METHODS
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.trace import PipelineTrace, TfIdfTrace
from whyword.models.protocol import Decomposable, Differentiable, Embedded, Erasable, Trace

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_with_output(page: Path) -> None:
    before = set(METHODS)
    failures, _ = doctest.testfile(str(page), module_relative=False)
    for name in set(METHODS) - before:  # an example's own
        del METHODS[name]
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
        assert isinstance(document, ww.words.Document)
        assert document.words == ["Dr.", "Who", "did", "n't", "land", "on", "Mars"]
        np.testing.assert_array_equal(document.spans[0], [0, 3])


def test_the_reference_has_every_name() -> None:
    shown = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "reference.md").read_text()))
    rooms = [ww.words, ww.corpora, ww.explanation, ww.analysis, ww.evaluation, ww.batch]
    public = {name for room in rooms for name in room.__all__}
    assert set(ww.__all__) | public <= shown


def test_commands_are_real() -> None:
    """Every `whyword …` of the README's table is a command."""
    from whyword.cli.main import command_line

    commands = command_line().registered_commands
    known = {command.name or getattr(command.callback, "__name__", "") for command in commands}
    shown = set(re.findall(r"\| `whyword (\w+)", (ROOT / "README.md").read_text()))
    assert shown == known


def test_the_table_of_methods_is_the_registry() -> None:
    """docs/explanations.md lists the methods as they registered themselves."""
    kinds: list[type[Trace]] = [CNNTrace, TfIdfTrace, PipelineTrace, BlackBoxTrace]
    expected = []
    for name, method in METHODS.items():
        able = [kind for kind in kinds if method.is_for(kind)]
        (adds_up,) = {method.conserves(kind, method.settings(kind, {})) for kind in able}
        given = (f"`{one.name}={json.dumps(one.default)}`" for one in method.parameters)
        needs = "any" if method.needs is Trace else method.needs.__name__.lower()
        adds = "yes" if adds_up else "no"
        expected.append(
            [f'`"{name}"`', method.meaning, needs, ", ".join(given), adds, method.cost.value]
        )
    assert table("| `method` | what a word's relevance is |") == expected


def test_the_table_of_abilities_is_what_traces_can_do() -> None:
    abilities = [Decomposable, Differentiable, Erasable, Embedded]
    heading = "| | " + " | ".join(ability.__name__.lower() for ability in abilities) + " |"
    kinds = [(CNNTrace,), (TfIdfTrace, PipelineTrace), (BlackBoxTrace,)]
    for (_, *shown), same in zip(table(heading), kinds, strict=True):
        for kind in same:
            can = ["yes" if issubclass(kind, ability) else "no" for ability in abilities]
            assert shown == can


def table(heading: str) -> list[list[str]]:
    """Return the cells of the table in docs/explanations.md that begins so."""
    _, found, rest = (ROOT / "docs" / "explanations.md").read_text().partition(heading)
    assert found
    rows = rest.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
