"""What README and docs show is what happens."""

import contextlib
import doctest
import functools
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow.dataset
import pytest
import typer

import whyword as ww
from whyword.cli.main import command_line
from whyword.corpora.corpus import Corpus, Part
from whyword.methods.registry import METHODS
from whyword.models.blackbox import BlackBoxTrace
from whyword.models.cnn.trace import CNNTrace
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.pipeline.trace import PipelineTrace
from whyword.models.protocol import (
    Decomposable,
    Differentiable,
    Embedded,
    Erasable,
    Integrable,
    Trace,
)
from whyword.models.pytorch.trace import TorchTrace

ROOT = Path(__file__).parent.parent
ABOUT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*ABOUT, *sorted((ROOT / "docs").rglob("*.md"))]


def name(page: Path) -> str:
    """Return where a page stands, "docs/howto/explain.md"."""
    return page.relative_to(ROOT).as_posix()


def slugs(page: Path) -> list[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_examples_with_output(page: Path) -> None:
    before = set(METHODS)
    failures, attempted = doctest.testfile(str(page), module_relative=False)
    for name in set(METHODS) - before:  # an example's own
        del METHODS[name]
    assert failures == 0
    assert (attempted > 0) == (">>>" in page.read_text())


def test_links_lead_somewhere() -> None:
    links = [
        (page, target) for page in PAGES for target in re.findall(r"\]\(([^)#]+)", page.read_text())
    ]
    assert len(links) > 30
    assert [link for link in links if not (link[0].parent / link[1]).exists()] == []


def test_anchors_are_there() -> None:
    """Those of README, too, which is no page of the site; Sphinx looks after the others."""
    links = [
        (page, page.parent / target if target else page, anchor)
        for page in PAGES
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text())
    ]
    assert len(links) > 100
    assert [link for link in links if link[2] not in slugs(link[1])] == []


def test_the_figures_of_readme_are_those_of_the_page() -> None:
    readme, page = (ROOT / "README.md").read_text(), (ROOT / "docs/performance.md").read_text()
    measured = readme.partition("## Measured")[2].partition("## More")[0]
    rows = [line for line in measured.splitlines() if line.startswith("|")]
    assert len(rows) > 5
    assert [row for row in rows if row not in page] == []


def test_what_is_to_be_installed_is_a_copy_of_the_repository() -> None:
    # The package is on no index: its name would not be found in a fresh environment.
    pages = [*PAGES, *(ROOT / "examples").rglob("*.py"), *(ROOT / "examples").rglob("*.ipynb")]
    assert [name(page) for page in pages if "pip install 'whyword" in page.read_text()] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [
        extra
        for page in pages
        for found in re.findall(r"pip install '\.\[([\w,]+)\]'", page.read_text())
        for extra in found.split(",")
    ]
    assert len(asked) > 15
    assert set(asked) <= set(project["optional-dependencies"])


def test_scripts_and_tests_named_exist() -> None:
    pattern = r"`((?:benchmarks|examples|tests|docs)/[\w./]+)`"
    names = [found for page in PAGES for found in re.findall(pattern, page.read_text())]
    assert len(names) > 20
    assert [found for found in names if not (ROOT / found).exists()] == []


def test_modules_named_exist() -> None:
    package = Path(ww.__file__).parent
    rooms = "|".join(path.name for path in package.iterdir() if path.is_dir())
    names = [
        found
        for page in PAGES
        for found in re.findall(rf"`((?:{rooms})/[\w/]+\.py)`", page.read_text())
    ]
    assert len(names) > 80
    assert [found for found in names if not (package / found).exists()] == []


def python_blocks(page: Path) -> list[str]:
    """Return the examples of a page that show no output; those that do are doctests."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    return [block for block in blocks if ">>>" not in block]


def small_news() -> Corpus:
    """Return a corpus with the real one's classes, a few sentences each."""
    sentences = {
        "sci.space": "The shuttle in space reached orbit , space and the space station . ",
        "sci.med": "The doctor said that motion sickness is no disease in the clinic today . ",
        "rec.sport.hockey": "The team shot the puck into the goal on the ice last night . ",
    }
    parts: list[Part] = []
    for count in (30, 1_000):
        labels = [label for _ in range(count) for label in sentences]
        texts = [f"{sentences[label] * 5} post {n}" for n, label in enumerate(labels)]
        ids = [f"{label}/{n}" for n, label in enumerate(labels)]
        parts.append(Part(texts, labels, ids))
    return Corpus("20newsgroups", train=parts[0], test=parts[1])


@pytest.fixture
def small_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Make what the pages speak of, small, in a folder of the test's own; return their names."""
    monkeypatch.chdir(tmp_path)
    news, load_corpus, load_vectors = small_news(), ww.load_corpus, ww.Vectors.load
    words = sorted({word for text in news.train.texts[:3] for word in ww.tokenize(text).words})
    matrix = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32)
    vectors = ww.Vectors(words, matrix)
    vectors.save("vectors.safetensors")
    packages = ("glove-6b-50d", "GoogleNews-vectors-negative300.bin.gz")
    train_cbow = functools.partial(
        ww.Vectors.train_cbow, dimensions=4, epochs=1, cache=False, on_progress=False
    )

    def load(source: str, **given: Any) -> ww.Vectors:  # noqa: ANN401
        return load_vectors("vectors.safetensors" if source in packages else source, **given)

    monkeypatch.setattr(ww.Vectors, "load", load)
    monkeypatch.setattr(ww.Vectors, "train_cbow", train_cbow)
    monkeypatch.setattr(ww.Vectors, "for_texts", lambda texts, **_: vectors)
    monkeypatch.setattr(
        ww,
        "load_corpus",
        lambda name, **given: (
            news if name is not None and str(name) == news.name else load_corpus(name, **given)
        ),
    )
    small = functools.partial(ww.CNNClassifier, epochs=20, learning_rate=0.02, on_progress=False)
    monkeypatch.setattr(
        ww,
        "CNNClassifier",
        lambda vectors=vectors, filters=8, **given: small(vectors=vectors, filters=8, **given),
    )
    model = ww.CNNClassifier(width=2).fit(news.train.texts, news.train.labels or [])
    model.save("models/cnn2")
    texts, labels = news.test.texts[:60], (news.test.labels or [])[:60]
    rows = [f"{json.dumps(text)},{label}" for text, label in zip(texts, labels, strict=True)]
    Path("mails.csv").write_text("\n".join(["text,label", *rows]))
    Path("mails").mkdir()
    pandas.read_csv("mails.csv").to_parquet("mails/1.parquet")
    curves = [
        ww.deletion_curve(model, texts, labels, method=method)
        for method in ("lrp", "sensitivity", "occlusion")
    ]
    power = ww.explanatory_power(ww.summarize(model, texts), labels, 2, [1, 2])
    names = dict(zip(("curve", "other", "third"), curves, strict=True))
    return {
        **names,
        "ww": ww,
        "model": model,
        "text": texts[0],
        "texts": texts,
        "labels": labels,
        "my_words": words,
        "power_of_lrp": power,
        "power_of_sa": power,
        "pandas": pandas,
        "polars": polars,
        "duckdb": duckdb,
        "pyarrow": pyarrow,
    }


def trackers(page: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put something in the place of MLflow and W&B, which are large; return what they are given."""
    given: list[str] = []
    if "import mlflow" in page.read_text():
        run = SimpleNamespace(log=lambda kept: given.append(kept["why"]))
        mlflow = SimpleNamespace(
            start_run=contextlib.nullcontext,
            log_text=lambda text, _: given.append(text),
            log_dict=lambda kept, _: given.append(json.dumps(kept)),
        )
        wandb = SimpleNamespace(init=lambda **_: contextlib.nullcontext(run), Html=str)
        monkeypatch.setitem(sys.modules, "mlflow", mlflow)
        monkeypatch.setitem(sys.modules, "wandb", wandb)
    return given


def models_of_others(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make what a page speaks of and others have trained: small, with random weights."""
    text = page.read_text()
    if 'spacy.load("nlp")' in text:
        import spacy

        nlp = spacy.blank("en")
        parts: Any = nlp.add_pipe("textcat")
        for label in ("good", "bad"):
            parts.add_label(label)
        nlp.initialize()
        nlp.to_disk("nlp")
    if '"folder"' in text or '"minilm-l6"' in text:
        from hub_folders import write_folder

        write_folder(Path("folder"))
        load_model, trained = ww.load_model, ww.TransformerClassifier
        monkeypatch.setattr(
            ww,
            "load_model",
            lambda source, **given: load_model(source.replace("hf:owner/name", "folder"), **given),
        )
        small = {"length": 16, "epochs": 1, "validation": 0, "on_progress": False}
        monkeypatch.setattr(
            ww, "TransformerClassifier", lambda _, **given: trained("folder", **given | small)
        )


@pytest.mark.slow(reason="runs every example")
@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=name)
def test_the_python_of_every_page(
    page: Path, small_world: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    models_of_others(page, monkeypatch)
    tracked = trackers(page, monkeypatch)
    names = dict(small_world)
    for block in python_blocks(page):
        exec(compile(block, page.name, "exec"), names)
    if tracked:
        assert [one.lower().startswith("<!doctype html>") for one in tracked] == [True, False, True]
    if "by_token" in names:
        explained = names["doc"]._.explanation
        assert sum(names["by_token"].values()) == pytest.approx(explained.relevance.sum(), 1e-5)
    if "strongest" in names:
        assert names["strongest"]["id"].null_count() == 0
    if "document" in names:
        assert names["document"].words == ["Dr.", "Who", "did", "n't", "land", "on", "Mars"]
        np.testing.assert_array_equal(names["document"].spans[0], [0, 3])


def test_there_is_python_to_run() -> None:
    counts = {name(page): len(python_blocks(page)) for page in PAGES}
    assert counts["README.md"] == 1
    assert counts["docs/start.md"] == 6
    assert sum(counts.values()) >= 40
    text = "".join(page.read_text() for page in PAGES)
    fences = re.findall(r"^```(\w*)$", text, re.MULTILINE)
    assert len(fences) % 2 == 0
    assert set(fences) <= {"", "python"}  # no other kind of example goes unnoticed
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    plain = [block for kind, block in blocks if not kind]
    assert [
        one for one in plain if re.search(r"^(import |from \w+ import|.*\bww\.)", one, re.M)
    ] == []


def commands_shown(page: Path) -> list[list[str]]:
    """Return the commands of ours that a page shows, as a shell takes them apart."""
    text = page.read_text()
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for kind, block in blocks if not kind for line in block.splitlines()]
    pieces = [piece.strip() for line in lines for piece in line.split(" | ")]
    inline = re.findall(r"`(whyword [^`]+)`", text)
    shown = [one for one in (*pieces, *inline) if one.startswith("whyword ")]
    return [shlex.split(one, comments=True)[1:] for one in shown]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_and_options_exist(page: Path) -> None:
    group: Any = typer.main.get_command(command_line())
    for called, *arguments in commands_shown(page):
        if called == "COMMAND":
            continue
        if called.startswith("-"):  # an option before any command
            assert called in {own for one in group.params for own in one.opts}, called
            continue
        command = group.commands[called]
        context = command.context_class(command, info_name=called, resilient_parsing=True)
        _, extra, _ = command.make_parser(context).parse_args(list(arguments))
        assert extra == [], (called, arguments)


def test_there_are_commands_to_try() -> None:
    shown = {name(page): commands_shown(page) for page in PAGES}
    assert len(shown["docs/scale.md"]) == 5
    assert len(shown["docs/start.md"]) == 27
    assert sum(map(len, shown.values())) >= 60


def test_the_reference_has_every_name() -> None:
    shown = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "reference.md").read_text()))
    rooms = [ww.words, ww.corpora, ww.explanation, ww.analysis, ww.evaluation, ww.audit, ww.batch]
    public = {name for room in rooms for name in room.__all__}
    assert set(ww.__all__) | public <= shown


def test_commands_are_real() -> None:
    """Every `whyword …` of the table of all commands is one."""
    commands = command_line().registered_commands
    known = {command.name or getattr(command.callback, "__name__", "") for command in commands}
    shown = set(re.findall(r"\| `whyword ([\w-]+)", (ROOT / "docs/start.md").read_text()))
    assert shown == known


def test_the_table_of_methods_is_the_registry() -> None:
    """docs/explanations.md lists the methods as they registered themselves."""
    kinds: list[type[Trace]] = [CNNTrace, TfIdfTrace, PipelineTrace, BlackBoxTrace]
    expected = []
    for name, method in METHODS.items():
        able = [kind for kind in kinds if method.is_for(kind)]
        (adds_up,) = {method.conserves(kind, method.settings(kind, {})) for kind in able}
        defaults = {one.name: one.default for one in method.parameters}
        shown = {n: json.dumps(d) if isinstance(d, str) else repr(d) for n, d in defaults.items()}
        given = (f"`{name_}={default}`" for name_, default in shown.items())
        needs = "any" if method.needs is Trace else method.needs.__name__.lower()
        adds = "yes" if adds_up else "no"
        expected.append(
            [f'`"{name}"`', method.meaning, needs, ", ".join(given), adds, method.cost.value]
        )
    assert table("| `method` | what a word's relevance is |") == expected


def test_the_table_of_abilities_is_what_traces_can_do() -> None:
    abilities = [Decomposable, Differentiable, Integrable, Erasable, Embedded]
    heading = "| | " + " | ".join(ability.__name__.lower() for ability in abilities) + " |"
    kinds = [(CNNTrace,), (TfIdfTrace, PipelineTrace), (TorchTrace,), (BlackBoxTrace,)]
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
