"""The command line: one command is one call, results on stdout, messages on stderr."""

import csv
import io
import itertools
import json
import logging
import math
import sys
import textwrap
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyword.checks import expanded
from whyword.corpus import Corpus, load_corpus, open_texts
from whyword.errors import InputError, WhywordError
from whyword.models.cnn import CNNClassifier
from whyword.models.loading import load_model
from whyword.models.store import check_writable
from whyword.models.svm import SVMClassifier
from whyword.overview import CorpusFigures, describe
from whyword.predictions import Prediction, predict_documents
from whyword.pretrained import PRETRAINED
from whyword.text import Tokenizer
from whyword.vectors import Vectors

app = typer.Typer(
    help="Which words made the classifier say that, and how far can you trust the answer?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
_PIPE_WIDTH = 160  # of tables when nobody's screen sets a limit

Source = Annotated[
    str,
    typer.Argument(
        help="20newsgroups, a folder with one sub-folder per class, or a CSV, TSV, JSON Lines "
        "or Parquet file; ':train' or ':test' behind it takes that part.",
    ),
]
TextColumn = Annotated[str | None, typer.Option("--text", help="The column that holds the text.")]
LabelColumn = Annotated[str | None, typer.Option("--label", help="The column with the label.")]
TestShare = Annotated[
    float, typer.Option("--test", help="Share held out when the source has no split of its own.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of that split.")]
Remove = Annotated[
    str | None,
    typer.Option(
        "--remove",
        help="What to cut from posts and mails: headers,quotes,footers or 'nothing'. "
        "(default: headers for newsgroups)",
    ),
]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Of text files (default: utf-8).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


Unlabelled = Annotated[bool, typer.Option("--unlabelled", help="Texts may have no labels.")]

# Messages speak of Python's arguments; here people have options.
_OPTIONS = {
    "labelled=False": "--unlabelled",
    "duplicates='first'": "--duplicates first",
    "encoding='": "--encoding '",
    "text=": "--text ",
    "label=": "--label ",
}


def _version(wanted: bool) -> None:
    if wanted:
        print(f"whyword {version('whyword')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Keep `whyword COMMAND` the form of every call, even while there are few commands."""


@app.command(epilog="Example:  whyword corpus mails.csv --label folder --test 0.3")
def corpus(
    source: Source,
    text: TextColumn = None,
    label: LabelColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    remove: Remove = None,
    encoding: Encoding = None,
    unlabelled: Unlabelled = False,
    samples: Annotated[int, typer.Option(help="How many texts to show.", min=0)] = 3,
    as_json: AsJson = False,
) -> None:
    """Show a corpus: its classes, how many documents, how long, a few samples."""
    loaded = load_corpus(
        source,
        text=text,
        label=label,
        labelled=not unlabelled,
        test=test,
        seed=seed,
        remove=_parts(remove),
        encoding=encoding,
    )
    figures = describe(loaded)
    if as_json:
        print(json.dumps(asdict(figures), ensure_ascii=False, indent=2))
        return
    console = _console()
    if figures.classes:
        console.print(_class_table(figures), end="\n\n")
    console.print(_part_table(figures))
    for number in _one_per_class(loaded, samples):
        console.print(_sample(loaded, number))


@app.command(epilog="Example:  whyword vectors glove-6b-50d --near orbit --near hockey")
def vectors(
    source: Annotated[
        str,
        typer.Argument(
            help=f"A word2vec or GloVe file (.gz too), or one of {', '.join(PRETRAINED)}.",
        ),
    ],
    near: Annotated[
        list[str] | None,
        typer.Option("--near", metavar="WORD", help="Show this word's neighbours. Repeatable."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many neighbours.", min=1)] = 10,
    coverage: Annotated[
        str | None,
        typer.Option(
            metavar="CORPUS", help="Show the share of a corpus's words that have a vector."
        ),
    ] = None,
    text: TextColumn = None,
    encoding: Encoding = None,
    duplicates: Annotated[
        str, typer.Option(help="When a file has a word twice: 'error', or keep the 'first'.")
    ] = "error",
    as_json: AsJson = False,
) -> None:
    """Show word vectors: how many, the nearest words of a word, how much of a corpus they know."""
    loaded = Vectors.load(source, duplicates=duplicates)
    result: dict[str, object] = {"words": len(loaded), "dimensions": loaded.dimensions}
    neighbours = {word: loaded.nearest(word, top) for word in near or ()}
    result["near"] = {word: [n._asdict() for n in found] for word, found in neighbours.items()}
    if coverage:
        texts = load_corpus(coverage, text=text, labelled=False, encoding=encoding).texts
        covered = loaded.coverage(texts)
        result["coverage"] = None if math.isnan(covered) else covered
        result["missing"] = loaded.missing(texts)
    if as_json:
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return
    console = _console()
    console.print(f"{len(loaded):,} words, {loaded.dimensions} dimensions")
    for word, found in neighbours.items():
        table = Table("near " + _printable(word), "cosine", box=None, header_style="bold")
        for neighbour in found:
            table.add_row(Text(_printable(neighbour.word)), f"{neighbour.similarity:.3f}")
        console.print("", table, sep="\n")
    if coverage:
        missing = ", ".join(f"{_printable(w)} ({n:,})" for w, n in loaded.missing(texts))
        known = f"\n{covered:.1%} of the words of {_printable(coverage)} have a vector"
        console.print(known, soft_wrap=True)
        console.print(f"most frequent without: {missing or 'none'}", soft_wrap=True)


class Model(StrEnum):
    """The kinds of classifier."""

    CNN = "cnn"
    SVM = "svm"


class Format(StrEnum):
    """How predictions are printed."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"


ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A folder that `whyword train` wrote.")
]


@app.command(epilog="Example:  whyword train 20newsgroups --model cnn --width 2 --out models/cnn2")
def train(
    source: Source,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    model: Annotated[Model, typer.Option("--model", help="The kind of classifier.")] = Model.CNN,
    width: Annotated[
        str, typer.Option(help="Words a CNN's filter sees; several as in 2,3,4.")
    ] = "2",
    filters: Annotated[int, typer.Option(help="A CNN's filters of each width.")] = 800,
    epochs: Annotated[int, typer.Option(help="A CNN's rounds through the texts.")] = 15,
    vectors: Annotated[
        str | None,
        typer.Option(help="A CNN's word vectors: a file or package (default: GloVe + CBOW)."),
    ] = None,
    validation: Annotated[
        float, typer.Option(help="Share (or number) of documents that choose a CNN's epoch.")
    ] = 0.1,
    max_words: Annotated[
        int | None, typer.Option(help="Keep the first so many words of each text (default: all).")
    ] = None,
    text: TextColumn = None,
    label: LabelColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    remove: Remove = None,
    encoding: Encoding = None,
) -> None:
    """Train a classifier on a corpus's training part and try it on the test part."""
    loaded = load_corpus(
        source,
        text=text,
        label=label,
        test=test,
        seed=seed,
        remove=_parts(remove),
        encoding=encoding,
    )
    classifier: CNNClassifier | SVMClassifier
    if model is Model.SVM:
        classifier = SVMClassifier(max_words=max_words, seed=seed)
    else:
        classifier = CNNClassifier(
            vectors=vectors,
            width=_widths(width),
            filters=filters,
            epochs=epochs,
            validation=int(validation) if validation.is_integer() else validation,
            max_words=max_words,
            seed=seed,
        )
    out = expanded(out)
    check_writable(out)
    classifier.fit(loaded.train.texts, loaded.train.labels or ())
    if len(loaded.test):
        accuracy = classifier.score(loaded.test.texts, loaded.test.labels or ())
        classifier.provenance_["test_accuracy"] = accuracy
    identity = classifier.save(out)
    _console().print(_training_summary(classifier, loaded, out, identity))


@app.command(epilog="Example:  echo 'The shuttle reached orbit.' | whyword predict models/cnn2 -")
def predict(
    model: ModelFolder,
    source: Annotated[
        str,
        typer.Argument(help="A text file, '-' for stdin, or a corpus (a table, folder or name)."),
    ],
    output: Annotated[
        Format, typer.Option("--format", help="How to print the predictions.")
    ] = Format.TABLE,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Predict the class of a text or of every text of a corpus."""
    with ThreadPoolExecutor(1) as pool:  # checksums run beside the loading of compiled code
        loading = pool.submit(load_model, model)
        Tokenizer()("")
        loaded = loading.result()
    documents = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
    found = predict_documents(loaded, documents)
    found = itertools.chain(list(itertools.islice(found, 1)), found)  # open before printing
    if output is Format.JSONL:
        escape = "utf" not in (sys.stdout.encoding or "").lower()
        for prediction in found:
            print(json.dumps(_as_json(prediction, loaded.classes_.tolist()), ensure_ascii=escape))
    elif output is Format.CSV:
        writer = csv.writer(sys.stdout)
        writer.writerow(["id", "predicted", "probability", "known_words"])
        for p in found:
            writer.writerow([p.id, p.predicted, f"{p.probability:.6f}", p.known_words])
    else:
        _console().print(_prediction_table(found))


def main() -> None:
    """Run the command line; a user's mistake is one line and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the encoding lacks is shown as \\u…
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        app()
    except (WhywordError, OSError) as error:
        message = f"error: {error}"
        for argument, option in _OPTIONS.items():
            message = message.replace(argument, option)
        print(_printable(message), file=sys.stderr)
        sys.exit(1)


def _console() -> Console:
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, markup=False, emoji=False, highlight=False)


def _parts(remove: str | None) -> list[str] | None:
    if remove is None:
        return None
    return [] if remove == "nothing" else [part.strip() for part in remove.split(",")]


def _widths(width: str) -> int | list[int]:
    try:
        numbers = [int(part) for part in width.split(",")]
    except ValueError:
        raise InputError(f"--width takes numbers as in 2 or 2,3,4; not {width!r}") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _training_summary(
    classifier: CNNClassifier | SVMClassifier, loaded: Corpus, out: Path, identity: str
) -> Table:
    table = Table(box=None, show_header=False)
    facts = classifier.provenance_
    table.add_row("trained on", f"{facts['documents']:,} documents, {len(loaded.classes)} classes")
    if "best_epoch" in facts:
        table.add_row("best epoch", f"{facts['best_epoch']}")
    if "C" in facts:
        table.add_row("C, by cross-validation", f"{facts['C']:g}")
    for title, name in (("validation accuracy", "validation_accuracy"), ("test", "test_accuracy")):
        if facts.get(name) is not None:
            size = f" of {len(loaded.test):,} documents" if name == "test_accuracy" else ""
            table.add_row(title, f"{facts[name]:.2%}{size}")
    table.add_row("time", f"{facts['seconds']:.0f} s")
    table.add_row("saved in", f"{_printable(str(out))}  (identity {identity[:12]})")
    return table


def _as_json(prediction: Prediction, classes: list[object]) -> dict[str, object]:
    chances = (round(float(chance), 6) for chance in prediction.probabilities)
    return {
        "id": prediction.id,
        "predicted": prediction.predicted,
        "label": prediction.label,
        "probabilities": dict(zip(map(str, classes), chances, strict=True)),
        "known_words": prediction.known_words,
    }


def _prediction_table(found: Iterable[Prediction]) -> Table:
    table = Table("id", "predicted", box=None, header_style="bold")
    table.add_column("probability", justify="right")
    table.add_column("")
    for prediction in found:
        wrong = prediction.label not in (None, prediction.predicted)
        remark = "no known word" if prediction.known_words == 0 else ""
        if wrong:
            remark = f"{remark}  labelled {_printable(str(prediction.label))}".strip()
        table.add_row(
            Text(_printable(prediction.id)),
            Text(_printable(prediction.predicted)),
            f"{prediction.probability:.3f}",
            Text(remark),
        )
    return table


def _class_table(figures: CorpusFigures) -> Table:
    table = Table("class", box=None, header_style="bold")
    for heading in ("train", "test", "median words"):
        table.add_column(heading, justify="right")
    for row in figures.classes:
        table.add_row(
            Text(_printable(row.name)), f"{row.train:,}", f"{row.test:,}", f"{row.median_words:g}"
        )
    return table


def _part_table(figures: CorpusFigures) -> Table:
    table = Table("", box=None, header_style="bold")
    for heading in ("train", "test"):
        table.add_column(heading, justify="right")
    rows = {
        "documents": "documents",
        "words": "words",
        "distinct words": "vocabulary",
        "  in the first 400 words of each": "vocabulary_400",
        "documents of at most 1 word": "short",
        "documents of at least 100 words": "long",
    }
    for title, name in rows.items():
        values = (getattr(part, name) for part in (figures.train, figures.test))
        table.add_row(title, *(f"{value:,}" for value in values))
    return table


def _one_per_class(loaded: Corpus, samples: int) -> list[int]:
    """Choose documents, of different classes as far as there are any."""
    first_of = {label: at for at, label in reversed(list(enumerate(loaded.labels or ())))}
    chosen = sorted(first_of.values())[:samples]
    others = (number for number in range(len(loaded)) if number not in chosen)
    return chosen + list(itertools.islice(others, samples - len(chosen)))


def _sample(loaded: Corpus, number: int) -> Text:
    label = loaded.labels[number] if loaded.labels else ""
    text = textwrap.shorten(loaded.texts[number], 300, placeholder=" …")
    head = _printable(f"{loaded.ids[number]}  {label}")
    return Text.assemble("\n", (head, "bold"), "\n", _printable(text))


def _printable(text: str) -> str:
    """Show control characters as dots, so that a text cannot steer the terminal."""
    return "".join(c if c.isprintable() else "·" for c in text)
