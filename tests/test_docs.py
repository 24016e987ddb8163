"""What README and docs show is what happens."""

import contextlib
import doctest
import functools
import json
import re
import shlex
import sys
import tomllib
from copy import deepcopy
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


@pytest.mark.parametrize("page", [p for p in PAGES if ">>>" in p.read_text()], ids=name)
def test_examples_with_output(page: Path) -> None:
    before = set(METHODS)
    failures, attempted = doctest.testfile(str(page), module_relative=False)
    for name in set(METHODS) - before:  # an example's own
        del METHODS[name]
    assert failures == 0
    assert attempted > 0


def test_links_lead_somewhere() -> None:
    """To files, and to headings: those of README, too, which is no page of the site."""
    links = [
        (page, page.parent / target if target else page, anchor)
        for page in PAGES
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", page.read_text())
    ]
    assert [link for link in links if not link[1].exists()] == []
    assert [link for link in links if link[2] and link[2] not in slugs(link[1])] == []


def test_the_figures_of_readme_are_those_of_the_page() -> None:
    readme, page = (ROOT / "README.md").read_text(), (ROOT / "docs/performance.md").read_text()
    measured = readme.partition("## Measured")[2].partition("## More")[0]
    rows = [line for line in measured.splitlines() if line.startswith("|")]
    assert rows
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
    assert set(asked) <= set(project["optional-dependencies"])


def test_files_that_pages_name_exist() -> None:
    package = Path(ww.__file__).parent
    rooms = "|".join(path.name for path in package.iterdir() if path.is_dir())
    folders = ((ROOT, r"(?:benchmarks|examples|tests|docs)"), (package, rf"(?:{rooms})"))
    for folder, first in folders:
        ending = r"[\w./]+" if folder == ROOT else r"[\w/]+\.py"
        for page in PAGES:
            named = re.findall(rf"`({first}/{ending})`", page.read_text())
            assert [found for found in named if not (folder / found).exists()] == [], page


def test_cited_equations_exist() -> None:
    numbers = set(re.findall(r"\\tag\{(\d+)\}", (ROOT / "docs" / "method.md").read_text()))
    citation = re.compile(r"(?:docs/method\.md|[Ee]quations?)((?:,? (?:and |to |or )?\(\d+\))+)")
    cited = {
        (path.name, number)
        for folder in ("src", "tests", "benchmarks", "examples")
        for path in (ROOT / folder).rglob("*.py")
        for one in citation.findall(path.read_text())
        for number in re.findall(r"\d+", one)
    }
    assert cited
    assert [one for one in cited if one[1] not in numbers] == []


def python_blocks(page: Path) -> list[str]:
    """Return the examples of a page that show no output; those that do are doctests."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    return [block for block in blocks if ">>>" not in block]


@functools.cache
def small_news(count: int = 100) -> Corpus:
    """Return a corpus with the real one's classes, a few sentences each."""
    sentences = {
        "sci.space": "The shuttle in space reached orbit , space and the space station . ",
        "sci.med": "The doctor said that motion sickness is no disease in the clinic today . ",
        "rec.sport.hockey": "The team shot the puck into the goal on the ice last night . ",
    }
    parts: list[Part] = []
    for number in (30, count):
        labels = [label for _ in range(number) for label in sentences]
        texts = [f"{sentences[label] * 5} post {n}" for n, label in enumerate(labels)]
        ids = [f"{label}/{n}" for n, label in enumerate(labels)]
        parts.append(Part(texts, labels, ids))
    return Corpus("20newsgroups", train=parts[0], test=parts[1])


@functools.cache
def small_vectors() -> ww.Vectors:
    """Return vectors for the words of that corpus."""
    texts = small_news().train.texts[:3]
    words = sorted({word for text in texts for word in ww.tokenize(text).words})
    matrix = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32)
    return ww.Vectors(words, matrix)


SMALL = {"epochs": 20, "learning_rate": 0.02, "on_progress": False, "filters": 8}


@functools.cache
def trained() -> dict[str, Any]:
    """Return a model and what is measured of it, by the names that the pages give them."""
    news = small_news()
    model = ww.CNNClassifier(vectors=small_vectors(), width=2, **SMALL)  # type: ignore[arg-type]
    model.fit(news.train.texts, news.train.labels or [])
    texts, labels = news.test.texts[:60], (news.test.labels or [])[:60]
    names = {"curve": "lrp", "other": "sensitivity", "third": "occlusion"}
    curves = {
        name: ww.deletion_curve(model, texts, labels, method=method)
        for name, method in names.items()
    }
    power = ww.explanatory_power(ww.summarize(model, texts), labels, 2, [1, 2])
    return {
        **curves,
        "model": model,
        "text": texts[0],
        "texts": texts,
        "labels": labels,
        "my_words": small_vectors().words,
        "power_of_lrp": power,
        "power_of_sa": power,
    }


@pytest.fixture
def small_world(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Make what the pages speak of, small, in a folder of the test's own; return their names."""
    monkeypatch.chdir(tmp_path)
    made = deepcopy(trained())
    news = small_news(1_000 if "[::50]" in page.read_text() else 100)
    vectors = small_vectors()
    load_corpus, load_vectors, classifier = ww.load_corpus, ww.Vectors.load, ww.CNNClassifier
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
    monkeypatch.setattr(
        ww, "CNNClassifier", lambda **given: classifier(**{"vectors": vectors} | SMALL | given)
    )
    made["model"].save("models/cnn2")
    rows = zip(made["texts"], made["labels"], strict=True)
    lines = [f"{json.dumps(text)},{label}" for text, label in rows]
    Path("mails.csv").write_text("\n".join(["text,label", *lines]))
    Path("mails").mkdir()
    pandas.read_csv("mails.csv").to_parquet("mails/1.parquet")
    tools = {"pandas": pandas, "polars": polars, "duckdb": duckdb, "pyarrow": pyarrow}
    return {**made, **tools, "ww": ww}


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


def test_no_other_kind_of_example_goes_unnoticed() -> None:
    for page in PAGES:
        text = page.read_text()
        assert set(re.findall(r"^```(\w*)$", text, re.MULTILINE)) <= {"", "python"}
        blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        plain = "\n".join(block for kind, block in blocks if not kind)
        assert not re.search(r"^(import |from \w+ import|.*\bww\.)", plain, re.MULTILINE), page


def commands_shown(page: Path) -> list[list[str]]:
    """Return the commands of ours that a page shows, as a shell takes them apart."""
    text = page.read_text()
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for kind, block in blocks if not kind for line in block.splitlines()]
    pieces = [piece.strip() for line in lines for piece in line.split(" | ")]
    inline = re.findall(r"`(whyword [^`]+)`", text)
    shown = [one for one in (*pieces, *inline) if one.startswith("whyword ")]
    return [shlex.split(one, comments=True)[1:] for one in shown]


def test_commands_and_options_exist() -> None:
    group: Any = typer.main.get_command(command_line())
    for page in PAGES:
        for called, *arguments in commands_shown(page):
            if called == "COMMAND":
                continue
            if called.startswith("-"):  # an option before any command
                assert called in {own for one in group.params for own in one.opts}, page
                continue
            command = group.commands[called]
            context = command.context_class(command, info_name=called, resilient_parsing=True)
            _, extra, _ = command.make_parser(context).parse_args(list(arguments))
            assert extra == [], (page, called, arguments)


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
