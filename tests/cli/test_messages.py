"""Every command, given many kinds of bad input, answers in one line, of options that it has."""

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from networks import small_cnn, some_vectors, topical
from typer.core import TyperOption
from typer.testing import CliRunner

from whyword.base.errors import Advice, Argument, InputError
from whyword.base.printable import one_line
from whyword.cli.main import command_line
from whyword.cli.messages import Command, spelling
from whyword.web.serving import bound_socket

serve_module = import_module("whyword.cli.serve")

# ---- how one argument is spelled ----------------------------------------------------------------


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL")],
    rest: Annotated[str | None, typer.Argument(metavar="[REST]")] = None,
    labelled: Annotated[bool, typer.Option(" /--unlabelled")] = True,
    resume: Annotated[bool, typer.Option("--resume")] = False,
    engine: Annotated[str, typer.Option()] = "local",
    max_words: Annotated[int | None, typer.Option("--max-words", "-m")] = None,
    target: Annotated[list[str] | None, typer.Option(metavar="CLASS")] = None,
    output: Annotated[str, typer.Option("--format")] = "text",
) -> None:
    """Do nothing."""


@pytest.mark.parametrize(
    ("argument", "spelled"),
    [
        (Argument("max_words"), "--max-words"),
        (Argument("max_words", 3), "--max-words 3"),
        (Argument("max_words", None), None),
        (Argument("engine", "ray"), "--engine ray"),
        (Argument("engine", "my cluster"), "--engine 'my cluster'"),
        (Argument("engine", ...), "--engine …"),
        (Argument("target", ...), "--target CLASS"),
        (Argument("target", ["a", "b c"]), "--target a --target 'b c'"),
        (Argument("resume"), "--resume"),
        (Argument("resume", True), "--resume"),
        (Argument("resume", False), None),
        (Argument("labelled"), "--unlabelled"),
        (Argument("labelled", False), "--unlabelled"),
        (Argument("labelled", True), None),
        (Argument("model", ...), "MODEL"),
        (Argument("rest"), "REST"),
        (Argument("output", "png"), "--format png"),
        (Argument("format", "png"), None),
        (Argument("engine", of="lrp"), None),  # a method's, which is no option here
    ],
)
def test_an_argument_is_what_the_command_calls_it(argument: Argument, spelled: str | None) -> None:
    app = typer.Typer()
    app.command()(command)
    assert spelling(typer.main.get_command(app).params)(argument) == spelled


def failing(error: Exception) -> str:
    def fail(seed: Annotated[int, typer.Option()] = 0) -> None:
        raise error

    app = typer.Typer()
    app.command(cls=Command)(fail)
    done = CliRunner().invoke(app, [])
    assert (done.exit_code, done.stdout) == (1, "")
    return done.stderr


def test_a_mistake_is_one_line() -> None:
    advice = Advice(", or say ", Argument("labelled", False))
    error = InputError("a\nb\x1b[1m: ", Argument("seed", 3), advice, " is needed")
    assert failing(error) == "error: a·b␛[1m: --seed 3 is needed\n"
    assert failing(OSError(13, "Permission denied", "x")) == (
        "error: [Errno 13] Permission denied: 'x'\n"
    )


def test_other_errors_are_not_hidden() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    app = typer.Typer()
    app.command(cls=Command)(fail)
    assert isinstance(CliRunner().invoke(app, []).exception, ZeroDivisionError)


# ---- all commands, much bad input ---------------------------------------------------------------

HOSTILE = "new\nline\x1b[31m --nonsense [bold]x"
LOOK_LIKE_ARGUMENTS = ("hive/label=spam/x.parquet", "engine='ray'.csv", "text=…/resume=True.csv")

BAD_SOURCES = (
    *("missing.csv", "missing", "missing.csv:test", "2*newsgroup", "~nobody/x.csv", HOSTILE),
    *LOOK_LIKE_ARGUMENTS,
    *("empty.csv", "scan.pdf", "utf16.csv", "nul.csv", "three.csv", "twice.csv", "ragged.csv"),
    *("both.csv", "split.csv", "bad.jsonl", "numbers.jsonl", "cut.csv.gz", "damaged.parquet"),
    *("strange.xyz", "folder-of-tables", "half-split"),
)
NEED_LABELS = ("unlabelled.csv", "some-labels.csv", "texts.csv", "no-subfolders")
BAD_MODELS = (
    *("missing", "no-model", "text,label.csv", "damaged-model", "foreign-model", "cut-model"),
    *("py:nowhere:model", "py:json", HOSTILE, "label=spam/model", "resume=True"),
    *("hf:nosuch", "hub-folder", "half-hub-folder"),
)
BAD_VALUES: dict[str, tuple[str, ...]] = {
    "text": ("nosuch", "label=spam", HOSTILE),
    "label": ("nosuch", "text=…"),
    "test": ("2", "-0.1", "nan", "much"),
    "seed": ("-1", "99999999999", "x"),
    "chance_seed": ("-1",),
    "encoding": ("klingon", "engine='ray'", HOSTILE, "idna", "undefined", "base64"),
    "remove": ("nosuch", "headers,heads"),
    "method": ("nosuch", "lpr", "level='word'"),
    "methods": ("nosuch", ",", "lrp,nosuch"),
    "target": ("nosuch", "spce", HOSTILE),
    "against": ("nosuch", "method=x"),
    "epsilon": ("0", "-1", "nan", "x"),
    "bias": ("half",),
    "format": ("nosuch", "png"),
    "engine": ("nosuch", "engine='ray'"),
    "address": ("ray://127.0.0.1:1",),
    "workers": ("0", "x"),
    "top": ("0",),
    "limit": ("0",),
    "width": ("two", "0", "1,1000"),
    "filters": ("0", "-3"),
    "epochs": ("0",),
    "max_words": ("0",),
    "validation": ("1.5", "-1", "5000"),
    "vectors": ("missing.txt", "glove-6b-51d", "cut.txt", *LOOK_LIKE_ARGUMENTS),
    "near": ("nosuch", HOSTILE),
    "duplicates": ("nosuch",),
    "level": ("nosuch",),
    "projection": ("nosuch",),
    "index": ("damaged.parquet", "no-model"),
    "html": ("no-model", "text,label.csv"),
    "samples": ("-1",),
    "group": ("0",),
    "per": ("nosuch",),
    "rank": ("nosuch",),
    "least": ("0",),
    "out": ("text,label.csv/x", "text,label.csv/x.html"),
    "host": ("nosuch.invalid",),
    "port": ("70000",),
    "token": ("ä", " x"),
    "allow_origin": ("nowhere", "https://x/y"),
    "processes": ("0",),
    "timeout": ("0",),
}
# values that only some commands refuse, or that are refused beside others only
BESIDE: tuple[tuple[str, ...], ...] = (
    ("explain", "MODEL", "SOURCE", "--method", "random", "--random-seed", "-1"),
    ("explain", "MODEL", "SOURCE", "--method", "random", "--epsilon", "1"),
    ("explain", "MODEL", "SOURCE", "--method", "lrp", "--random-seed", "1"),
    ("explain", "MODEL", "SOURCE", "--random-seed", "1"),
    ("explain", "MODEL", "SOURCE", "--out", "why.doc"),
    ("explain", "MODEL", "SOURCE", "--level", "filter"),
    ("explain", "MODEL", "SOURCE", "--level", "phrase", "--method", "random"),
    ("explain", "MODEL", "text,label.csv", "--out", "new", "--level", "phrase"),
    ("words", "MODEL", "SOURCE", "--per", "occurrence", "--least", "2"),
    ("words", "MODEL", "SOURCE", "--per", "occurrence", "--rank", "mean"),
    ("explain", "MODEL", "header.csv"),
    ("predict", "MODEL", "header.csv"),
    ("predict", "MODEL", "header.csv", "--format", "csv"),
    ("explain", "MODEL", "SOURCE", "--target", "space", "--against", "space"),
    ("explain", "MODEL", "SOURCE", "--target", "space", "--target", "space"),
    ("explain", "MODEL", "SOURCE", "--target", "all", "--target", "space"),
    ("explain", "MODEL", "SOURCE", "--method", "random", "--strict"),
    *(
        ("explain", "MODEL", "SOURCE", *only)
        for only in (("--top", "3"), ("--resume",), ("--engine", "ray"), ("--workers", "1"))
    ),
    *(
        (name, "MODEL", source, "--out", out, *more)
        for name in ("explain", "predict")
        for source, out, more in (
            ("text,label.csv", "new", ("--address", "ray://127.0.0.1:1")),
            ("text,label.csv", "new", ("--engine", "nosuch")),
            ("text,label.csv", "new", ("--text", "nosuch")),
            ("text,label.csv", "unfinished", ()),
            ("text,label.csv", "unfinished", ("--resume",)),
            ("text,label.csv", "damaged-run", ("--resume",)),
            ("text,label.csv", "full", ()),
            ("text,label.csv", "full", ("--resume",)),
            ("text,label.csv:test", "new", ("--workers", "1")),
            ("mail.txt", "new", ()),
            ("-", "new", ()),
            ("folder-of-tables", "folder-of-tables/new", ()),
            ("nothing-*.csv", "new", ()),
            ("numbers.jsonl", "strict", ("--strict", "--workers", "1")),
            ("latin.csv", "strict", ("--strict", "--workers", "1", "--encoding", "utf-8")),
            *((name, "new", ()) for name in LOOK_LIKE_ARGUMENTS),
        )
    ),
    ("explain", "MODEL", "text,label.csv", "--out", "new", "--limit", "3"),
    ("explain", "MODEL", "text,label.csv", "--out", "text,label.csv"),
    ("predict", "MODEL", "SOURCE", "--strict"),
    ("predict", "MODEL", "SOURCE", "--probabilities"),
    ("predict", "MODEL", "SOURCE", "--format", "excel"),
    ("predict", "MODEL", "SOURCE", "--format", "parquet"),
    ("predict", "MODEL", "SOURCE", "--format", "table", "--out", "said.csv"),
    ("predict", "MODEL", "SOURCE", "--out", "said.doc"),
    ("predict", "MODEL", "SOURCE", "--out", "said.csv", "--resume"),
    ("predict", "MODEL", "text,label.csv", "--out", "text,label.csv"),
    ("predict", "MODEL", "half-split", "--out", "half-split/said.xlsx"),
    ("explain", "MODEL", "SOURCE", "--format", "excel"),
    ("explain", "MODEL", "half-split", "--out", "half-split/why.csv"),
    ("predict", "MODEL", "-", "--encoding", "utf-8"),
    ("predict", "MODEL", "latin.csv", "--encoding", "utf-8"),
    ("corpus", "latin.csv", "--encoding", "utf-8"),
    ("predict", "MODEL", "-", "--encoding", "klingon"),
    ("predict", "MODEL", "-", "--encoding", "idna"),
    ("predict", "MODEL", "open.csv"),
    ("corpus", "quotes.csv"),
    ("words", "MODEL", "-", "--html", "page.html"),
    ("evaluate", "MODEL", "text,label.csv", "--out", "cnn/x.html"),
    ("evaluate", "MODEL", "other-labels.csv"),
    ("evaluate", "MODEL", "text,label.csv", "--limit", "3", "--chance-seed", "-1"),
    ("evaluate", "MODEL", "text,label.csv", "--steps", "5,,9"),
    ("compare", "MODEL", "MODEL", "--corpus", "text,label.csv", "--steps", "9,5"),
    ("compare", "MODEL", "--corpus", "text,label.csv"),
    ("compare", "MODEL", "MODEL"),
    ("compare", "MODEL", "MODEL", "--corpus", "other-labels.csv"),
    ("compare", "MODEL", "MODEL", "--corpus", "text,label.csv", "--out", "cnn/x.html"),
    ("compare", "MODEL", "MODEL", "--corpus", "text,label.csv", "--chance-seed", "-1"),
    ("strategies", "MODEL", "text,label.csv", "--target", "space", "--out", "cnn/x.html"),
    ("strategies", "MODEL", "text,label.csv", "--target", "space", "--out", "ways.pdf"),
    ("strategies", "MODEL", "text,label.csv", "--target", "space", "--suspects", "@missing"),
    ("strategies", "MODEL", "text,label.csv", "--target", "space", "--documents", "3"),
    ("strategies", "MODEL", "text,label.csv", "--target", "space", "--most", "1000"),
    ("strategies", "MODEL", "other-labels.csv", "--target", "space"),
    ("strategies", "MODEL", "text,label.csv"),
    ("suspects", "MODEL", "text,label.csv", "--groups", "author"),
    ("suspects", "MODEL", "text,label.csv", "--least-documents", "0"),
    ("suspects", "MODEL", "text,label.csv", "--method", "magic"),
    ("suspects", "MODEL", "other-labels.csv"),
    ("suspects", "MODEL", "text,label.csv", "--out", "text,label.csv"),
    ("tour", "MODEL", "text,label.csv", "--out", "cnn"),
    ("tour", "MODEL", "other-labels.csv", "--out", "new"),
    ("map", "MODEL", "text,label.csv", "--out", "map.html", "--projection", "umap", "--limit", "3"),
    ("map", "MODEL", "text,label.csv", "--out", "text,label.csv"),
    ("map", "MODEL", "two.csv", "--out", "map.html"),
    ("train", "one-class.csv", "--out", "new"),
    ("train", "SOURCE", "--out", "cnn"),
    ("train", "SOURCE", "--out", "no-model", "--force"),
    ("train", "one-class.csv", "--out", "new", "--model", "svm"),
    ("train", "SOURCE", "--out", "new", "--model", "forest"),
    ("vectors", "twice.txt"),
    ("vectors", "cut.txt"),
    ("vectors", "empty.csv"),
    ("vectors", "text,label.csv"),
    *(("vectors", name) for name in ("missing", HOSTILE, *LOOK_LIKE_ARGUMENTS)),
    *(("base", name, "--out", "new") for name in ("minilm", HOSTILE, *LOOK_LIKE_ARGUMENTS)),
    ("base", "minilm-l6", "--out", "cnn"),
    ("corpus", "unlabelled.csv", "--unlabelled", "--label", "nosuch"),
    ("corpus", ""),
    ("predict", "MODEL", ""),
    ("search", "MODEL", "SOURCE"),
    ("serve", "MODEL", "two.csv"),
    ("reproduce",),
    ("reproduce", "--out", "text,label.csv"),
    ("nosuch",),
)
CALLS = {
    "corpus": ("SOURCE",),
    "vectors": ("v.txt", "--coverage", "SOURCE"),
    "base": ("minilm-l6", "--out", "new"),
    "train": ("SOURCE", "--out", "new", "--vectors", "VECTORS", "--epochs", "1", "--filters", "3"),
    "model": ("MODEL",),
    "predict": ("MODEL", "SOURCE"),
    "explain": ("MODEL", "SOURCE"),
    "words": ("MODEL", "SOURCE"),
    "search": ("MODEL", "SOURCE", "orbit"),
    "map": ("MODEL", "SOURCE", "--out", "map.html"),
    "evaluate": ("MODEL", "SOURCE"),
    "compare": ("cnn", "MODEL", "--corpus", "SOURCE"),
    "strategies": ("MODEL", "SOURCE", "--target", "space"),
    "suspects": ("MODEL", "SOURCE"),
    "what-if": ("MODEL", "SOURCE", "--without", "orbit"),
    "tour": ("MODEL", "SOURCE", "--out", "new"),
    "serve": ("MODEL", "SOURCE", "--no-open"),
}
LABELLED = ("corpus", "train", "evaluate", "compare", "tour")


@cache
def options(name: str) -> dict[str, list[str]]:
    """Return the options of a command by the name of their parameter."""
    group: Any = typer.main.get_command(command_line())
    params = group.commands[name].params if name in group.commands else []
    return {
        one.name: [*one.opts, *one.secondary_opts] for one in params if isinstance(one, TyperOption)
    }


def calls() -> Iterator[tuple[str, ...]]:
    """Yield calls that cannot succeed, whatever the command."""
    for name, call in CALLS.items():
        for word, instead in (("SOURCE", BAD_SOURCES), ("MODEL", BAD_MODELS)):
            for bad in instead if word in call else ():
                yield name, *(bad if one == word else one for one in call)
        for bad in NEED_LABELS if name in LABELLED else ():
            yield name, *(bad if one == "SOURCE" else one for one in call)
        for parameter, values in BAD_VALUES.items():
            for value in values if parameter in options(name) else ():
                yield name, *call, options(name)[parameter][0], value
    yield from BESIDE


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with everything that can be wrong with an input, and what is right."""
    here = tmp_path_factory.mktemp("place")
    small_cnn().save(here / "cnn")
    some_vectors().save(here / "v.safetensors")
    texts, labels = topical(30)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    table = "\n".join(["text,label", *rows]) + "\n"
    files: dict[str, str | bytes] = {
        "text,label.csv": table,
        "mail.txt": "orbit",
        "texts.csv": "text\norbit\ngoal\nkey\n",
        "unlabelled.csv": "id,text\n1,orbit\n2,goal\n3,key\n",
        "some-labels.csv": "text,label\norbit,space\ngoal,\n",
        "other-labels.csv": "text,label\norbit,x\ngoal,y\nkey,x\nmoon,y\n",
        "one-class.csv": "text,label\norbit,space\ngoal,space\nkey,space\nmoon,space\n",
        "two.csv": "text,label\norbit,space\ngoal,hockey\n",
        "empty.csv": "",
        "header.csv": "text,label\n",
        "latin.csv": b"text,label\ncaf\xe9,x\n",
        "utf16.csv": table.encode("utf-16-le"),
        "nul.csv": b"text,label\n\0,x\n",
        "open.csv": 'text,label\norbit,space\n"goal,hockey\nkey,crypto\n',
        "quotes.csv": '"text"x,label\na,b\n',
        "three.csv": "label=spam,b,c\n1,2,3\n",
        "twice.csv": "text,text\na,b\n",
        "ragged.csv": "text,label\na,b,c\n",
        "both.csv": "text,body,label\na,b,c\n",
        "split.csv": "text,label,split\na,b,--later\n",
        "bad.jsonl": '{"text": "a", "label": ',
        "numbers.jsonl": '{"text": 5, "label": "x"}\n',
        "cut.csv.gz": gzip.compress(table.encode())[:50],
        "damaged.parquet": b"PAR1 and nothing more",
        "strange.xyz": b"\xff\0\xff",
        "scan.pdf": b"%PDF-1.4 and nothing more",
        "no-subfolders/note.txt": "a",
        "folder-of-tables/a.csv": "text\na\n",
        "half-split/train/x/1.txt": "a",
        "half-split/more/x/1.txt": "a",
        "no-model/note.txt": "a",
        "full/note.txt": "a",
        "damaged-model/model.json": '{"kind": "cnn", ',
        "foreign-model/model.json": '{"kind": "forest"}',
        "hub-folder/config.json": '{"auto_map": {"AutoModel": "engine.Model"}}',
        "half-hub-folder/config.json": '{"model_type": "bert"}',
        "damaged-run/run.json": "{",
        "v.txt": "orbit 1 2\ngoal 2 1\n",
        "twice.txt": "a 1 2\na 1 2\n",
        "cut.txt": "3 2\na 1 2\nb 1",
    }
    for name, content in files.items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    shutil.copytree(here / "cnn", here / "cut-model")
    (weights,) = (here / "cut-model").glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    return here


def unfinished(place: Path) -> None:
    """Make a folder with the beginning of a run, of another model."""
    run = place / "unfinished"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    (run / "run.json").write_text(json.dumps({"state": "running", "method": "other"}))


@pytest.fixture
def _no_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let ``whyword serve`` not go so far that it serves, and close what it has opened."""
    opened = []

    def bind(*where: Any) -> Any:  # noqa: ANN401
        opened.append(bound_socket(*where))
        return opened[-1]

    def run(*_: object) -> None:
        raise AssertionError("the server would run")

    monkeypatch.setattr(serve_module, "bound_socket", bind)
    monkeypatch.setattr(serve_module, "run", run)
    yield
    for one in opened:
        one.close()


@pytest.mark.usefixtures("_no_server")
@pytest.mark.parametrize("call", list(calls()), ids=lambda call: one_line(" ".join(call)))
def test_bad_input_is_answered_with_options_that_exist(
    call: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    unfinished(place)
    known = {"MODEL": "cnn", "SOURCE": "text,label.csv:test", "VECTORS": "v.safetensors"}
    arguments = [known.get(word, word) for word in call]
    done = CliRunner().invoke(command_line(), arguments, input=b"\xff\xfeorbit\xff")
    assert isinstance(done.exception, SystemExit), (done.exception, done.output)
    assert done.exit_code in (1, 2), done.output
    if done.exit_code == 2:  # what typer itself refuses
        assert "Usage:" in done.stderr
        return
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert line.isprintable()
    check_message(line, call[0], arguments)


def check_message(line: str, name: str, arguments: list[str]) -> None:
    """Raise unless a message speaks of the command's own options, and of no keywords."""
    for word in sorted({*arguments, *(a.partition(":t")[0] for a in arguments)}, key=len)[::-1]:
        if len(word) > 2 and not re.fullmatch("-?-?[a-z_-]+", word):  # the user's own
            line = line.replace(one_line(word), "·").replace(repr(word)[1:-1], "·")
    there = {option for several in options(name).values() for option in several}
    named = set(re.findall(r"(?<!\w)--[a-z][a-z-]*", re.sub(r"'split' is '[^']*'", "", line)))
    assert named <= there, line
    unquoted = re.sub(r"(?<![\w=])'[^']*'", "", re.sub(r"among [^;]*;", "", line))
    assert not re.search(r"\b[a-z_]+=", unquoted), line
    bare = re.match(r"error: ([a-z_]+) (?:must|may|takes|names|and|is)\b", line)
    assert bare is None or bare[1] not in options(name), line


def test_the_walk_goes_everywhere() -> None:
    group: Any = typer.main.get_command(command_line())
    assert {*CALLS, "reproduce"} == set(group.commands)
