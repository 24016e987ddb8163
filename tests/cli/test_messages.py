"""Bad input is answered in one line that names options of the command; each check once."""

import gzip
import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from commands import run
from networks import small_cnn, some_vectors, topical

from whyword.base.errors import Advice, Argument, InputError
from whyword.cli.main import command_line
from whyword.cli.messages import Command, spelling

COMMANDS: dict[str, Any] = typer.main.get_command(command_line()).commands  # type: ignore[attr-defined]

# ---- each command ------------------------------------------------------------------------------

# what none of them can do, as there is nothing of this name
CALLS = {
    "corpus": "nowhere",
    "vectors": "nowhere",
    "base": "nowhere --out new",
    "train": "nowhere --out new",
    "model": "nowhere",
    "predict": "nowhere -",
    "explain": "nowhere -",
    "words": "nowhere -",
    "search": "nowhere - orbit",
    "map": "nowhere - --out map.html",
    "evaluate": "nowhere texts.csv",
    "compare": "nowhere nowhere --corpus texts.csv",
    "suspects": "nowhere texts.csv",
    "what-if": "nowhere texts.csv --without orbit",
    "strategies": "nowhere texts.csv --target space",
    "tour": "nowhere texts.csv --out new",
    "reproduce": "--out text,label.csv/nowhere",
    "serve": "nowhere --port 0",
}


@pytest.mark.usefixtures("place", "no_server")
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_in_one_line(name: str) -> None:
    done = run(name, *CALLS[name].split())
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"error: .*nowhere.*\n", done.stderr)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_in_its_help(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0
    assert f"whyword {name} " in done.stdout.partition("Example: ")[2]
    assert "--help" in done.stdout
    assert "<bool>" not in done.stdout  # typer's own help of flags


# ---- each check --------------------------------------------------------------------------------

FILES: dict[str, str | bytes] = {
    "mail.txt": "orbit",
    "texts.csv": "text\norbit\ngoal\nkey\n",
    "some-labels.csv": "text,label\norbit,space\ngoal,\n",
    "other-labels.csv": "text,label\norbit,x\ngoal,y\nkey,x\nmoon,y\n",
    "one-class.csv": "text,label\norbit,space\ngoal,space\nkey,space\nmoon,space\n",
    "two.csv": "text,label\norbit,space\ngoal,hockey\n",
    "empty.csv": "",
    "header.csv": "text,label\n",
    "latin.csv": b"text,label\ncaf\xe9,x\n",
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
    "damaged.parquet": b"PAR1 and nothing more",
    "strange.xyz": b"\xff\0\xff",
    "scan.pdf": b"%PDF-1.4 and nothing more",
    "no-subfolders/note.txt": "a",
    "folder-of-tables/a.csv": "text\na\n",
    "half-split/train/x/1.txt": "a",
    "half-split/more/x/1.txt": "a",
    "full/note.txt": "a",
    "damaged-model/model.json": '{"kind": "cnn", ',
    "foreign-model/model.json": '{"kind": "forest"}',
    "hub-folder/config.json": '{"auto_map": {"AutoModel": "engine.Model"}}',
    "half-hub-folder/config.json": '{"model_type": "bert"}',
    "v.txt": "orbit 1 2\ngoal 2 1\n",
    "cut.txt": "3 2\na 1 2\nb 1",
    "bad.json": '{"rows": []}',
    "in.json/a": "",
}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with everything that can be wrong with an input, and what is right."""
    here = tmp_path_factory.mktemp("place")
    small_cnn().save(here / "cnn")
    some_vectors().save(here / "v.safetensors")
    rows = [f"{text},{label}" for text, label in zip(*topical(30), strict=True)]
    table = "\n".join(["text,label", *rows]) + "\n"
    more: dict[str, str | bytes] = {
        "text,label.csv": table,
        "utf16.csv": table.encode("utf-16-le"),
        "cut.csv.gz": gzip.compress(table.encode())[:50],
    }
    for name, content in (FILES | more).items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    shutil.copytree(here / "cnn", here / "cut-model")
    (weights,) = (here / "cut-model").glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    done = run("explain", here / "cnn", here / "text,label.csv", "--out", here / "done")
    assert done.returncode == 0, done.stderr
    plan = json.loads((here / "done" / "_whyword.json").read_text())
    manifests = {"begun": json.dumps(plan | {"state": "begun"}), "damaged": "{", "foreign": "{}"}
    for name, manifest in manifests.items():
        shutil.copytree(here / "done", here / f"{name}-run")
        (here / f"{name}-run" / "_whyword.json").write_text(manifest)
    return here


@pytest.fixture
def place(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


# a call, and what its message holds
MESSAGES = r"""
# sources
corpus missing.csv:test | missing.csv: no such file or folder
corpus '' | an empty name is no file
corpus ~nobody/x.csv | ~nobody/x.csv: no such file
corpus 2*newsgroup | no such file or folder; did you mean 20newsgroups?
corpus HOSTILE | new·line␛[31m --nonsense [bold]x: no such file or folder
corpus text=…/resume=True.csv | text=…/resume=True.csv: no such file or folder
corpus empty.csv | empty.csv is empty
corpus scan.pdf | a PDF, no plain text: get its text out first, say with pdftotext
corpus nul.csv | NUL byte at byte 11 (line 2): not a text file, or not in this encoding
corpus three.csv | no text column among label=spam, b, c; say which one it is: --text …
corpus twice.csv | two columns are called 'text'
corpus ragged.csv | line 2: 3 fields, but the header has 2 (text, label)
corpus both.csv | both 'text' and 'body' could be the text; say which: --text …
corpus split.csv | line 2: 'split' is '--later'; it may be 'train' or 'test' only
corpus bad.jsonl | line 1: not JSON
corpus numbers.jsonl | line 1: 'text' is int 5, not text
corpus open.csv | line 3: unexpected end of data; is a quotation mark not closed
corpus quotes.csv | the quotation marks of the header line do not fit
corpus cut.csv.gz | damaged or cut-off gzip file
corpus damaged.parquet | not a whole Parquet file
corpus strange.xyz | unknown kind of file; expected .csv, .tsv, .jsonl
corpus folder-of-tables | is a folder of tables: name one
corpus half-split | has the folders more, train; expected one per class
corpus no-subfolders | has no sub-folders; expected one per class
corpus texts.csv | no label column among text; say which one it is: --label …, or --unlabelled
tour MODEL texts.csv --out new | which one it is: --label … (is the header line missing?)
corpus some-labels.csv | line 3: 'label' is empty; every document needs a label
corpus latin.csv --encoding utf-8 | byte 14 (line 2) is not valid utf-8: 0xe9; say --encoding latin
corpus SOURCE --encoding klingon | unknown --encoding 'klingon'
corpus SOURCE --encoding idna | idna is not what text files are written in
corpus SOURCE --text label=spam | no column 'label=spam'; there are text, label
corpus texts.csv --unlabelled --label nosuch | no column 'nosuch'; there are text
corpus SOURCE --test nan | --test must be a share, at least 0 and below 1, not nan
corpus SOURCE --seed -1 | --seed must be a whole number from 0 to 2,147,483,647, not -1
corpus SOURCE --remove headers,heads | --remove takes headers, quotes, footers; not 'heads'
predict MODEL 'the orbit' | a text itself goes to stdin, which '-' names: echo
predict MODEL - --encoding utf-8 | stdin: 'utf-8' codec can't decode byte 0xff
predict MODEL - --encoding klingon | stdin: unknown --encoding 'klingon'
predict MODEL header.csv | header.csv has no documents
explain MODEL header.csv --format html | header.csv has no documents
# vectors and models
vectors missing | no such file, nor one of the packages glove-6b-50d
vectors cut.txt | cut.txt, record 2: 1 numbers instead of 2; cut off?
vectors empty.csv | empty.csv is empty or begins with an empty line
vectors text,label.csv | not a word2vec or GloVe file
vectors v.txt --near HOSTILE | 'new\nline\x1b[31m --nonsense [bold]x' has no vector
vectors v.txt --duplicates last | --duplicates may be 'error' or 'first', not 'last'
base minilm --out new | there is no base 'minilm'; did you mean minilm-l6?
model label=spam/model | (a model of the Hugging Face hub would be hf:label=spam/model)
model full | full is no model: it has no model.json
model damaged-model | damaged-model/model.json is damaged: Expecting property name
model foreign-model | is not the configuration of a whyword model
model cut-model | cut-model/model.safetensors is damaged: its sha256 is
model hf:nosuch | 'hf:nosuch' names no model of the hub; say hf:owner/name
model hub-folder | wants code of its own to be run (auto_map), which is never done
model half-hub-folder | names no architectures; that of a classifier of texts ends in
# training
train one-class.csv --out new --model svm | there is only one class (space)
train SOURCE --out new --vectors v.txt --width 2,x | --width takes numbers as in 2 or 2,3,4
train SOURCE --out cnn | cnn holds a model already (cnn, trained on 120 documents
train SOURCE --out full --force | exists and is no model; it will not be written over
train text,label.csv --out new --max-words 0 | --max-words must be a whole number from 1
train text,label.csv --out new --format doc | --format may be 'text' or 'mail' or 'html'
SVM --width 2 | --width is for another kind of classifier than --model svm: cnn, characters
SVM --ngrams a | --ngrams takes numbers as in 1,2; not 'a'
SVM --ngrams 2,1 | --ngrams must be two numbers of words, the lower first
SVM --min-documents 0 | --min-documents must be a whole number
SVM --stop-words french | --stop-words may be 'english', words with commas
SVM --stop-words 'a,not good' | --stop-words: 'not good' is no single word
SVM --stop-words @none.txt | No such file or directory: 'none.txt'
SVM --class-weight odd | --class-weight may be 'balanced', not 'odd'
SVM --term-frequency odd | --term-frequency may be 'log' or 'count', not 'odd'
SVM --C 0 | --C must be above 0
SVM --ignore full | is a folder without suspects.csv
# what is explained
explain MODEL mail.txt --method lime | there is no method 'lime'; choose from lrp
explain MODEL mail.txt --method lpr | there is no method 'lpr'; did you mean 'lrp'?
explain MODEL mail.txt --target spce | there is no class 'spce'; did you mean space?
explain MODEL mail.txt --against x | there is no class 'x'; there are crypto, hockey, space
explain MODEL - --target space --against space | --target and --against are the same class, 'space'
explain MODEL - --target space --target space | --target names a class twice
explain MODEL - --target all --target space | 'all' stands for every class: say it alone
explain MODEL - --top-classes 2 --target all | --top-classes is for each text's highest classes
explain MODEL mail.txt --epsilon 0 | --epsilon must be above 0, not 0.0
explain MODEL mail.txt --epsilon nan | --epsilon must be a number, not nan
explain MODEL mail.txt --bias half | --bias may be 'shared' or 'apart', not 'half'
explain MODEL - --method random --random-seed -1 | --random-seed must be a whole number
explain MODEL - --method random --epsilon 1 | has no parameter '--epsilon'; it has: --random-seed
explain MODEL mail.txt --method random --strict | mail.txt: relevance is not conserved
explain MODEL mail.txt --level letter | --level may be 'word' or 'phrase' or 'element' or 'filter'
explain MODEL mail.txt --level filter | --level filter is for explain
explain MODEL - --level phrase --method occlusion | --level phrase needs a model whose units are
explain MODEL - --level phrase --format csv | --level phrase is for text, json, html
explain BOX mail.txt --method lrp | needs a model that is decomposable
words MODEL SOURCE --per letter | --per may be 'word' or 'occurrence', not 'letter'
words MODEL SOURCE --rank median | --rank may be 'typical' or 'strongest' or 'mean' or 'sum'
words MODEL SOURCE --units letters | --units may be 'words' or 'phrases'
words MODEL SOURCE --per occurrence --least 2 | --least is for words, not for single occurrences
words MODEL SOURCE --per occurrence --rank mean | --rank mean is over a word's occurrences
words MODEL - --html page.html | a page reads the texts twice, and stdin can be read once
search MODEL SOURCE zebra | the model knows no word of this query
search MODEL SOURCE orbit --index mail.txt | mail.txt is damaged or no search index
search MODEL SOURCE orbit --index full | full: not a regular file
search BOX SOURCE orbit | need a model whose documents have vectors
map MODEL SOURCE --out map.pdf | map.pdf: a map is written as one of .html, .htm, .png
map MODEL two.csv --out map.html | a map needs at least 3 documents, not 2
map MODEL SOURCE --out map.html --level letter | --level may be 'word' or 'element'
map MODEL SOURCE --out map.html --projection x | --projection may be 'pca' or 'umap'
# where results go
explain MODEL mail.txt --format doc | --format may be text, json, html, svg, csv, excel, parquet
explain MODEL mail.txt --format png | png is written to a file: say --out why.png
explain MODEL mail.txt --out why.doc | why.doc: the ending says nothing of the format
explain MODEL mail.txt --out /proc/why.html | /proc/why.html cannot be written
explain MODEL mail.txt --out full --format html | full is a folder, not a file
explain MODEL mail.txt --top 3 | --top, --resume, --engine, --workers and --address are
predict MODEL mail.txt --strict | --strict, --resume, --engine, --workers and --address are
predict MODEL mail.txt --out a.csv --workers 2 | are for a folder: --out why
explain MODEL mail.txt --out why | mail.txt is no table and no corpus, which a folder is written of
explain MODEL - --out why | - is no table and no corpus, which a folder is written of
EXPLAIN --out why --limit 3 | --limit is for a file; a folder has all documents
EXPLAIN --out why --level phrase | --level is for a file; a folder has words
predict MODEL mail.txt --out said.doc | said.doc: the ending says nothing of the format
predict MODEL mail.txt --format excel | excel is written to a file: say --out said.xlsx
predict MODEL mail.txt --out a.csv --format table | a table is printed, not written
predict MODEL mail.txt --probabilities | --probabilities is for --format csv
predict MODEL text,label.csv --out text,label.csv | is what is to be read
predict MODEL half-split --out half-split/a.csv | is in the folder that is read; name another place
# runs over a corpus, into a folder
EXPLAIN --out done | done has a run already, complete; name another folder
EXPLAIN --out begun-run | has the beginning of a run; say --resume, or name another folder
EXPLAIN --out begun-run --resume --method random | was another one: --method differs
EXPLAIN --out begun-run --resume --top 3 | was another one: --top differs; name another folder
predict MODEL text,label.csv --out begun-run --resume | was another one:
EXPLAIN --out damaged-run --resume | damaged-run/_whyword.json is damaged
EXPLAIN --out foreign-run --resume | foreign-run/_whyword.json is not what a run writes
EXPLAIN --out full | full is not empty; name another folder
EXPLAIN --out text,label.csv/x | text,label.csv/x cannot be made (Not a directory)
EXPLAIN --out new --engine nosuch | --engine may be 'local' or 'ray', not 'nosuch'
EXPLAIN --out new --address ray://127.0.0.1:1 | is that of a Ray cluster: say --engine ray, too
EXPLAIN --out new --text nosuch | no column 'nosuch'; there are text, label
explain MODEL text,label.csv:test --out new | has no split of its own, which ':test' asks for
explain MODEL nothing-*.csv --out new | nothing-*.csv: no file fits this pattern
explain MODEL folder-of-tables --out folder-of-tables/new | is in the folder that is read
explain MODEL numbers.jsonl --out new --strict | line 1: 'text' is int 5, not text
# evaluation and audit
evaluate MODEL SOURCE --methods , | --methods names none; choose from lrp
evaluate MODEL SOURCE --methods lrp,lime | there is no method 'lime'; choose from lrp
evaluate MODEL SOURCE --steps 5,,9 | --steps takes numbers as in 50 or 0,1,2,5,10,20,50; not '5,,9'
evaluate MODEL SOURCE --steps 9,5 | --steps must increase, but 5 follows 9
evaluate MODEL SOURCE --chance-seed -1 | --chance-seed must be a whole number from 0
evaluate MODEL SOURCE --out report.pdf | report.pdf: a report is a page; name it .html
evaluate MODEL text,label.csv --out cnn/x.html | would be in the model's own folder
evaluate MODEL text,label.csv --out in.html | in.json is a folder
evaluate MODEL bad.json --out bad.html | bad.json is what is to be read
evaluate MODEL other-labels.csv | there is no class 'y'; did you mean crypto or hockey?
evaluate MODEL one-class.csv | all documents of one-class.csv are of one class, 'space': how well
compare MODEL --corpus SOURCE | MODEL...: at least two are compared, not 1
suspects MODEL SOURCE --groups author | no column 'author'; there are text, label
suspects MODEL SOURCE --out text,label.csv | text,label.csv is no folder
suspects MODEL SOURCE --out mail.txt/x | mail.txt/x cannot be written; name another folder
what-if MODEL SOURCE | say what is not read: --without WORD
what-if MODEL SOURCE --without nowhere.csv | no such file or folder
what-if MODEL SOURCE --without '/(/' | --without is no regular expression
strategies MODEL SOURCE --target space | need at least 30 texts that are given the class
strategies MODEL text,label.csv --target space --most 99 | --most must be a whole number
tour MODEL SOURCE --out cnn | cnn is what the tour is made of; name another folder
tour MODEL two.csv --out pages | needs at least 3 documents, not 2
reproduce --out new --vectors no | no: no such file, nor one of the packages glove-6b-50d
# the server
serve MODEL two.csv --port 0 | two.csv: a corpus to look at needs 3 documents, not 2
serve MODEL SOURCE --port 0 --suspects bad.json | bad.json is no list of suspects: 'classes'
serve MODEL --suspects s | --suspects needs a corpus: name it behind the model
serve MODEL --token né | a token is made of printable ASCII
serve MODEL --allow-origin * | an origin is written https://example.org
serve MODEL --host 'no where' | 'no where' is no address of this machine
"""
KNOWN = {
    "HOSTILE": ("new\nline\x1b[31m --nonsense [bold]x",),
    "MODEL": ("cnn",),
    "BOX": ("py:keywords:Keywords()",),
    "SOURCE": ("text,label.csv:test",),
    "SVM": ("train", "text,label.csv", "--model", "svm", "--out", "new"),
    "EXPLAIN": ("explain", "cnn", "text,label.csv"),
}


@pytest.mark.usefixtures("place", "no_server")
@pytest.mark.parametrize(
    "line", [line for line in MESSAGES.splitlines() if line[:1] not in ("", "#")], ids=ascii
)
def test_bad_input(line: str) -> None:
    call, message = line.split(" | ")
    arguments = [one for word in shlex.split(call) for one in KNOWN.get(word, (word,))]
    done = run(*arguments, stdin=b"\xff\xfeorbit\xff")
    assert (done.returncode, done.stdout) == (1, "")
    said = done.stderr.splitlines()[-1]
    assert said.startswith("error: ")
    assert message in said
    assert said.isprintable()
    assert not [*Path("new").glob("*")]
    options = COMMANDS[arguments[0]].params
    own = {name for one in options for name in (*one.opts, *one.secondary_opts)}
    named = set(re.findall(r"(?<![\w'])--[a-z][a-z-]*", said.replace(arguments[1], "")))
    assert named - {"--nonsense"} <= own


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("nosuch", "No such command"),
        ("corpus", "Missing argument"),
        ("reproduce", "Missing option"),
        ("corpus x.csv --test much", "Invalid value"),
        ("corpus x.csv --samples -1", "greater than or equal to 0"),
        ("train x.csv --out m --model forest", "is not one of"),
    ],
)
def test_wrong_usage(call: str, message: str) -> None:
    done = run(*call.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Usage:" in done.stderr


# ---- how one argument is spelled ---------------------------------------------------------------


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


def failing(error: Exception) -> Callable[[], None]:
    """Return a command that fails."""

    def fail(seed: Annotated[int, typer.Option()] = 0) -> None:
        raise error

    app = typer.Typer()
    app.command(cls=Command)(fail)
    return lambda: app([], standalone_mode=False)


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    advice = Advice(", or say ", Argument("labelled", False))
    for error, line in (
        (
            InputError("a\nb\x1b[1m: ", Argument("seed", 3), advice, " is needed"),
            "error: a·b␛[1m: --seed 3 is needed\n",
        ),
        (
            OSError(13, "Permission denied", "x"),
            "error: [Errno 13] Permission denied: 'x'\n",
        ),
    ):
        failing(error)()
        assert capsys.readouterr().err == line
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())()
