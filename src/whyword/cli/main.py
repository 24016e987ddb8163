"""The command line: one command is one call, results on stdout, messages on stderr."""

import csv
import io
import itertools
import json
import logging
import math
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyword.analysis.class_words import class_words
from whyword.analysis.class_words_page import explained_documents, word_page
from whyword.analysis.document_map import document_map, draw_maps
from whyword.analysis.search import SearchIndex
from whyword.analysis.summary import WEIGHTINGS
from whyword.base.checks import expanded
from whyword.base.errors import InputError, WhywordError
from whyword.base.files import written_whole
from whyword.base.printable import one_line
from whyword.base.progress import corpus_progress, counted, stages, steps
from whyword.batch.folder import REJECTS
from whyword.batch.runs import How, Outcome, explain_corpus, predict_corpus
from whyword.cli.tables import (
    claim_table,
    class_table,
    evaluation_tables,
    hit_json,
    hit_list,
    one_per_class,
    part_table,
    prediction_json,
    prediction_table,
    sample,
    some_of,
    training_summary,
    word_tables,
)
from whyword.corpora.corpus import Corpus, Part, load_corpus, open_texts
from whyword.corpora.overview import describe
from whyword.corpora.source import Record, name_and_part
from whyword.corpora.tables import table_kind
from whyword.evaluation.deletion import COMPARED
from whyword.evaluation.evaluate import evaluate as evaluation_of
from whyword.evaluation.ranking import RANDOM_KNOWN
from whyword.explanation.explanation import Explanation
from whyword.explanation.output import FORMATS, format_of, print_explanations, write_explanations
from whyword.methods.explain import iter_explanations
from whyword.methods.predict import predict_documents
from whyword.methods.registry import METHODS
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.cnn.network import TABLE_BYTES
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.loading import load_model
from whyword.models.store import check_writable
from whyword.reports.files import write_reproduction
from whyword.reports.reproduction import reproduce as reproduction_of
from whyword.reports.study import QUICK, Plan
from whyword.reports.tour import write_tour
from whyword.vectors.pretrained import PRETRAINED
from whyword.vectors.vectors import Vectors
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.guard import LOCAL_HOSTS, Access, checked_origin, checked_token, host_of
from whyword.web.library import open_library
from whyword.web.limits import Limits
from whyword.web.processes import checked_processes, usual_processes
from whyword.web.serving import PORT, address_of, bound_socket, check_extra, open_page, run
from whyword.words.tokenizer import Tokenizer

app = typer.Typer(
    help="Which words made the classifier say that, and how far can you trust the answer?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
log = logging.getLogger(__name__)
_PIPE_WIDTH = 160  # of tables when nobody's screen sets a limit

Source = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
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
    "resume=True": "--resume",
    "engine='ray'": "--engine ray",
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
        console.print(class_table(figures), end="\n\n")
    console.print(part_table(figures))
    for number in one_per_class(loaded, samples):
        console.print(sample(loaded, number))


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
        table = Table("near " + one_line(word), "cosine", box=None, header_style="bold")
        for neighbour in found:
            table.add_row(Text(one_line(neighbour.word)), f"{neighbour.similarity:.3f}")
        console.print("", table, sep="\n")
    if coverage:
        missing = ", ".join(f"{one_line(w)} ({n:,})" for w, n in loaded.missing(texts))
        known = f"\n{covered:.1%} of the words of {one_line(coverage)} have a vector"
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


Documents = Annotated[
    str,
    typer.Argument(
        metavar="FILE|-|CORPUS",
        help="A text file, '-' for stdin, or a corpus (a table, folder or name).",
    ),
]


Resume = Annotated[
    bool, typer.Option("--resume", help="For a folder: go on with a run that was interrupted.")
]
Engines = Annotated[
    str, typer.Option("--engine", help="For a folder: 'local', all cores, or 'ray', a cluster.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", help="For a folder: processes (default: one per core).", min=1),
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Of a running Ray cluster (default: one is started here)."),
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
    _console().print(training_summary(classifier, loaded, out, identity))


@app.command(epilog="Example:  echo 'The shuttle reached orbit.' | whyword predict models/cnn2 -")
def predict(
    model: ModelFolder,
    source: Documents,
    output: Annotated[
        Format, typer.Option("--format", help="How to print the predictions.")
    ] = Format.TABLE,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A folder of Parquet files to write, for corpora of any size."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="For a folder: stop at a row that cannot be read.")
    ] = False,
    resume: Resume = False,
    engine: Engines = "local",
    workers: Workers = None,
    address: Address = None,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Predict the class of a text or of every text of a corpus."""
    if out is not None:
        how: How = {"engine": engine, "workers": workers, "address": address, "resume": resume}
        how |= {"strict": strict, "text": text, "encoding": encoding}
        _write_corpus(predict_corpus, model, source, out, how)
        return
    if strict or resume or engine != "local" or workers or address:
        raise InputError(
            "--strict, --resume, --engine, --workers, --address are for a folder: --out"
        )
    loaded = _loaded(model)
    documents = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
    found = predict_documents(loaded, documents)
    found = itertools.chain(list(itertools.islice(found, 1)), found)  # open before printing
    if output is Format.JSONL:
        escape = "utf" not in (sys.stdout.encoding or "").lower()
        for prediction in found:
            print(
                json.dumps(
                    prediction_json(prediction, loaded.classes_.tolist()), ensure_ascii=escape
                )
            )
    elif output is Format.CSV:
        writer = csv.writer(sys.stdout)
        writer.writerow(["id", "predicted", "probability", "known_words"])
        for p in found:
            writer.writerow([p.id, p.predicted, f"{p.probability:.6f}", p.known_words])
    else:
        _console().print(prediction_table(found))


@app.command(
    epilog="Example:  whyword explain models/cnn2 mail.txt --target sci.space --against sci.med"
)
def explain(
    model: ModelFolder,
    source: Documents,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="CLASS",
            help="The class to explain, or 'all'. Repeatable. (default: the predicted class)",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="Explain why the target rather than this class."),
    ] = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "lrp",
    epsilon: Annotated[
        float | None, typer.Option(help="Of lrp; steadies small denominators (default: 0.01).")
    ] = None,
    bias: Annotated[
        str | None, typer.Option(help="Of lrp: 'shared' among the words (default), or 'left out'.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"One of {', '.join(FORMATS)}. (default: by the ending of --out, else text)",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The file to write; without an ending a folder of Parquet files, for corpora "
            "of any size.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="For a file: the first so many documents only.", min=1)
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Stop if relevance does not add up to the score, and, for a folder, at a row "
            "that cannot be read.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(help="For a folder: keep so many words of each document.", min=1),
    ] = None,
    resume: Resume = False,
    engine: Engines = "local",
    workers: Workers = None,
    address: Address = None,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Show which words made the classifier say that, in a text or in every text of a corpus."""
    given: dict[str, Any] = {"epsilon": epsilon, "bias": bias}
    given = {name: value for name, value in given.items() if value is not None}
    how: How = {"engine": engine, "workers": workers, "address": address, "resume": resume}
    if out is not None and output is None and _is_folder(out):
        if limit is not None:
            raise InputError("--limit is for a file; a folder has all documents")
        asked: dict[str, Any] = {"target": _target(target), "against": against, "top": top}
        how |= {"strict": strict, "text": text, "encoding": encoding}
        run = partial(explain_corpus, method=method, **asked, **given)
        _write_corpus(run, model, source, out, how)
        return
    if top is not None or resume or engine != "local" or workers or address:
        raise InputError(
            "--top, --resume, --engine, --workers and --address are for a folder: --out why"
        )
    wanted = _checked_format(output, out)
    loaded = _loaded(model)
    records = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
    texts, ids = itertools.tee(itertools.islice(records, limit))
    found = iter_explanations(
        loaded,
        (record.text for record in texts),
        target=_target(target),
        against=against,
        method=method,
        strict=strict,
        ids=(record.id for record in ids),
        **given,
    )
    found = _at_least_one(found, source)
    if out is None:
        print_explanations(found, wanted, _console())
        return
    _check_apart(out, source)
    write_explanations(counted(found, "explained"), wanted, expanded(out))
    log.info("written: %s", one_line(str(out)))


@app.command(
    epilog="Example:  whyword words models/cnn2 20newsgroups:test --target sci.space --top 30"
)
def words(
    model: ModelFolder,
    source: Documents,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="CLASS", help="Repeatable. (default: all classes)"),
    ] = None,
    top: Annotated[int, typer.Option(help="How many words for each class.", min=1)] = 30,
    per: Annotated[str, typer.Option(help="Each 'word' once, or every 'occurrence'.")] = "word",
    rank: Annotated[
        str, typer.Option(help="Order by the 'strongest' occurrence, their 'mean' or 'sum'.")
    ] = "strongest",
    least: Annotated[int, typer.Option(help="Leave out words that occur less often.", min=1)] = 1,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "lrp",
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page, each word linked to its text.")
    ] = None,
    as_json: AsJson = False,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Show the words that speak most for each class, over all texts of a corpus."""
    _check_apart(html, source)
    loaded = _loaded(model)

    def records() -> Iterator[Record]:
        read = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
        return _distinctly_named(read)

    if html is not None and source == "-":
        raise InputError("a page reads the texts twice, and stdin can be read once; give a file")
    texts, ids = itertools.tee(counted(records(), "read"))
    found = class_words(
        loaded,
        (record.text for record in texts),
        _target(target) if target else "all",
        top,
        per,
        rank=rank,
        least=least,
        method=method,
        ids=(record.id for record in ids),
    )
    if html is not None:
        pairs = ((record.id, record.text) for record in records())
        title = f"Class words: {source}"
        page = word_page(found, explained_documents(loaded, pairs, found, method), title)
        with written_whole(expanded(html)) as draft, draft.open("w", encoding="utf-8") as stream:
            stream.writelines(page)
        log.info("written: %s", one_line(str(html)))
    elif as_json:
        listed = {str(label): [e._asdict() for e in entries] for label, entries in found.items()}
        print(json.dumps(listed, ensure_ascii=False, indent=2))
    else:
        _console().print(word_tables(found))


@app.command(
    epilog="Example:  whyword search models/cnn2 20newsgroups:test 'motion sickness in orbit'"
)
def search(
    model: ModelFolder,
    source: Documents,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for: any text.")],
    top: Annotated[int, typer.Option(help="How many documents.", min=1)] = 5,
    index: Annotated[
        Path | None,
        typer.Option(
            "--index", help="A file that keeps the corpus's vectors: made once, then read."
        ),
    ] = None,
    as_json: AsJson = False,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Find the documents of a corpus that are nearest to a text, and say which words make it so."""
    loaded = _loaded(model)
    if index is not None and expanded(index).exists():
        documents = SearchIndex.load(index, loaded)
        log.info("searched: the %s documents of %s", f"{len(documents):,}", one_line(str(index)))
    else:
        read = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
        records = list(_distinctly_named(read))
        documents = SearchIndex(loaded, (r.text for r in records), ids=(r.id for r in records))
        if index is not None:
            documents.save(index)
            log.info("written: %s", one_line(str(index)))
    hits = documents.search(query, top)
    if as_json:
        print(json.dumps([hit_json(hit) for hit in hits], ensure_ascii=False, indent=2))
    else:
        _console().print(hit_list(hits))


@app.command("map", epilog="Example:  whyword map models/cnn2 20newsgroups:test --out map.html")
def map_command(
    model: ModelFolder,
    source: Documents,
    out: Annotated[
        Path, typer.Option("--out", help="An interactive page (.html) or a picture (.png, .svg).")
    ],
    method: Annotated[
        str, typer.Option(help=f"One of {', '.join((*METHODS, *WEIGHTINGS))}.")
    ] = "lrp",
    level: Annotated[str, typer.Option(help="'word' or 'element' (networks).")] = "word",
    projection: Annotated[str, typer.Option(help="'pca' or 'umap'.")] = "pca",
    group: Annotated[
        int | None,
        typer.Option(
            help="Colour by the first so many parts of dotted labels: 1 makes sci.space sci.",
            min=1,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Show the first so many documents only.", min=3)
    ] = None,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Draw the documents of a corpus as points, near if what serves their class is alike."""
    endings = (".html", ".htm", ".png", ".svg")
    if out.suffix.lower() not in endings:
        raise InputError(f"{out}: a map is written as one of {', '.join(endings)}")
    _check_apart(out, source)
    loaded = _loaded(model)
    records = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
    kept = list(itertools.islice(records, limit))
    labels = [record.label for record in kept]
    known = None if None in labels else [str(name) for name in labels]
    if known is not None and group is not None:
        known = [".".join(name.split(".")[:group]) for name in known]
    found = document_map(
        loaded,
        (record.text for record in kept),
        known,
        ids=(record.id for record in kept),
        method=method,
        level=level,
        projection=projection,
    )
    if out.suffix.lower() in (".html", ".htm"):
        found.to_html(out)
    else:
        draw_maps([found], out)
    log.info("written: %s", one_line(str(out)))


@app.command(epilog="Example:  whyword evaluate models/cnn2 20newsgroups:test --out report.html")
def evaluate(
    model: ModelFolder,
    source: Source,
    methods: Annotated[
        str | None,
        typer.Option(
            help=f"Which to compare, of {', '.join([*METHODS, RANDOM_KNOWN])} "
            f"(default: {','.join(COMPARED)})."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A page to write (.html); the figures as .json beside it."),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Words to delete (default: 50, fewer if texts are short).", min=1),
    ] = None,
    least_words: Annotated[
        int | None,
        typer.Option(help="Of texts with so many words at least (default: 2 × steps).", min=1),
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs of random deletion.", min=1)] = 10,
    splits: Annotated[int, typer.Option(help="Of the explanatory power.", min=1)] = 10,
    limit: Annotated[
        int | None, typer.Option(help="Use so many documents only, chosen by chance.", min=2)
    ] = None,
    as_json: AsJson = False,
    text: TextColumn = None,
    label: LabelColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    chance_seed: Annotated[
        int, typer.Option(help="Of random deletion, halves, the documents that --limit takes.")
    ] = 0,
    encoding: Encoding = None,
) -> None:
    """Judge a model, and methods that explain it, on labelled texts it was not trained on."""
    if out is not None and out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out}: a report is a page; name it .html")
    for written in () if out is None else (out, out.with_suffix(".json")):
        _check_apart(written, source)
        if expanded(written).resolve().parent == expanded(model).resolve():
            raise InputError(f"{written} would be in the model's own folder")
        if expanded(written).is_dir():
            raise InputError(f"{written} is a folder")
    loaded = _loaded(model)
    given = load_corpus(source, text=text, label=label, test=test, seed=seed, encoding=encoding)
    _warn_of_training_texts(source, given)
    chosen = some_of(len(given), limit, chance_seed)
    named = f"{source}, {len(chosen):,} of {len(given):,} by chance (seed {chance_seed})"
    with stages() as tell:
        found = evaluation_of(
            loaded,
            [given.texts[n] for n in chosen],
            [(given.labels or ())[n] for n in chosen],
            _names(methods) or COMPARED,
            source=source if len(chosen) == len(given) else named,
            steps=steps,
            least_words=least_words,
            runs=runs,
            splits=splits,
            seed=chance_seed,
            tell=tell,
        )
    if out is not None:
        found.to_html(out, f"{model.name} on {source}")
        beside = found.to_json(out.with_suffix(".json"))
        log.info("written: %s and %s", one_line(str(out)), one_line(beside))
    if as_json:
        print(found.to_json(), end="")
    else:
        _console().print(evaluation_tables(found))


@app.command(epilog="Example:  whyword tour models/cnn2 20newsgroups:test --out tour")
def tour(
    model: ModelFolder,
    source: Source,
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    limit: Annotated[
        int, typer.Option(help="Documents that explanations are measured on.", min=10)
    ] = 1000,
    text: TextColumn = None,
    label: LabelColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Show a model on labelled texts at a glance: heatmaps, mistakes, words, map, evaluation."""
    folder = _new_folder(out)
    for taken in (model, Path(name_and_part(source)[0])):
        if expanded(taken).resolve() == folder.resolve():
            raise InputError(f"{out} is what the tour is made of; name another folder")
    loaded = _loaded(model)
    given = load_corpus(source, text=text, label=label, test=test, seed=seed, encoding=encoding)
    _warn_of_training_texts(source, given)
    part = Part(given.texts, given.labels, given.ids)
    with stages() as tell:
        made = write_tour(loaded, part, folder, f"{model.name} on {source}", few=limit, tell=tell)
    log.info("%s: %s", "kept" if made.kept else "written", one_line(str(made.page)))


@app.command(epilog="Example:  whyword reproduce --out report --quick")
def reproduce(
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    vectors: Annotated[
        str | None,
        typer.Option(help="A file of word vectors, such as GoogleNews' (default: GloVe and CBOW)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version, in a minute or two.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of everything that is left to chance.")] = 0,
) -> None:
    """Compute every table and figure of the paper, and which of its statements hold."""
    folder = _new_folder(out)
    plan = replace(QUICK if quick else Plan(), seed=seed)
    with steps() as tell:
        found = reproduction_of(plan, vectors, tell)
    page, *_ = write_reproduction(found, folder)
    _console().print(claim_table(found.claims))
    held = sum(claim.holds for claim in found.claims)
    small = " (the quick version: few posts, small networks)" if quick else ""
    print(f"{held} of {len(found.claims)} statements hold{small}")
    log.info("written: %s", one_line(str(page)))


@app.command(epilog="Example:  whyword serve models/cnn2 20newsgroups:test")
def serve(
    model: ModelFolder,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[CORPUS]",
            help="Documents to look at: a table, a folder or a name.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(help=f"(default: the first free one from {PORT} on)", min=0, max=65535),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="WHYWORD_TOKEN", help="What requests must bear; better in the environment."
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="A site whose pages may use the API. Repeatable."),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
    limit: Annotated[
        int | None, typer.Option(help="Take so many documents of the corpus, by chance.", min=3)
    ] = None,
    max_words: Annotated[
        int, typer.Option(help="Of a request's texts together.", min=1)
    ] = Limits.words,
    processes: Annotated[
        int | None,
        typer.Option(
            help=f"That share the work (default here: {usual_processes()}).",
            min=1,
            max=64,
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(help="Long texts that a process computes at a time.", min=1, max=256)
    ] = Limits.workers,
    waiting: Annotated[
        int, typer.Option(help="Requests that may wait in a process; others are refused.", min=0)
    ] = Limits.waiting,
    timeout: Annotated[
        float, typer.Option(help="Seconds until an answer is given up.", min=0.1)
    ] = Limits.work_seconds,
    memory: Annotated[
        int, typer.Option(help="MB for a network's answers to words met before, in all.", min=0)
    ] = TABLE_BYTES >> 20,
    log_texts: Annotated[
        bool, typer.Option("--log-texts", help="Let the log show what was sent.")
    ] = False,
    text: TextColumn = None,
    test: TestShare = 0.2,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Open the page: paste a text, see why, change it; look through a corpus and its errors."""
    check_extra()
    limits = Limits(words=max_words, workers=workers, waiting=waiting, work_seconds=timeout)
    local = host in LOCAL_HOSTS
    access = Access(
        token=checked_token(token),
        origins=tuple(map(checked_origin, allow_origin or ())),
        hosts=(*LOCAL_HOSTS, *map(host_of, allow_origin or ())) if local else (),
        log_texts=log_texts,
    )
    bound = bound_socket(host, port)  # a port that is taken should not cost a minute's wait
    loaded = _loaded(model)
    library = None
    if source is not None:
        read = open_texts(source, text=text, test=test, seed=seed, encoding=encoding)
        records = list(counted(read, "read"))
        chosen = [records[number] for number in some_of(len(records), limit, seed)]
        with stages() as tell:
            library = open_library(loaded, chosen, Path(source).name, tell)
        if library.labels_are_foreign:
            log.warning("none of the labels of %s is a class of the model", one_line(source))
    count = checked_processes(processes)
    application = create_app(Engine(loaded, limits, (memory << 20) // count), library, access)
    address = address_of(bound, host)
    if not local and token is None:
        log.warning("everybody who reaches this machine may use the model; --token asks for one")

    def ready() -> None:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
        if open_browser:
            open_page(address)

    run(application, bound, limits, ready, count)


def _is_folder(out: Path) -> bool:
    return not out.suffix or expanded(out).is_dir()


def _write_corpus(
    run: Callable[..., Outcome], model: Path, source: str, out: Path, how: How
) -> None:
    """Go through a corpus of any size and say what came of it."""
    path = expanded(name_and_part(source)[0])
    if source == "-" or (path.is_file() and table_kind(path) is None):
        raise InputError(f"{source} is no table and no corpus; --out takes a file for one text")
    loaded = _loaded(model)
    try:
        with corpus_progress("documents") as tell:
            found = run(loaded, source, out, told=tell, **how)
    except (KeyboardInterrupt, SystemExit):
        log.warning("interrupted; what is done is kept in %s: --resume goes on", one_line(str(out)))
        raise
    files = "1 file" if found.parts == 1 else f"{found.parts:,} files"
    said = f"{found.documents:,} documents in {files}, {found.seconds:,.0f} s"
    if found.resumed:
        said += f"; {found.resumed:,} of them were there before"
    log.info("written: %s (%s)", one_line(str(found.folder)), said)
    if found.rejected:
        where = one_line(str(found.folder / REJECTS))
        log.warning("%s rows could not be read: %s", f"{found.rejected:,}", where)


def _new_folder(out: Path) -> Path:
    """Return where to write, which may be there already unless it is a file."""
    folder = expanded(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{out} is no folder")
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise InputError(f"{out} cannot be written; name another folder")
    return folder


def _warn_of_training_texts(source: str, given: Corpus) -> None:
    if name_and_part(source)[1] is None and len(given.train) and len(given.test):
        name = one_line(source)
        log.warning("all of %s is used; if the model was trained on it, say %s:test", name, name)


def _names(given: str | None) -> list[str]:
    names = [name.strip() for name in (given or "").split(",") if name.strip()]
    if given is not None and not names:
        raise InputError(f"--methods names none; choose from {', '.join([*METHODS, RANDOM_KNOWN])}")
    return names


def _target(given: list[str] | None) -> str | list[str]:
    if not given:
        return "predicted"
    return given[0] if len(given) == 1 else given


def _file_of(source: str) -> Path:
    name, _ = name_and_part(source)
    return expanded(name) if expanded(name).exists() else Path(os.devnull)


def _check_apart(out: Path | None, source: str) -> None:
    """Raise if a file would be written over the one that is read."""
    if out is None or source == "-" or not expanded(out).exists():
        return
    if expanded(out).samefile(_file_of(source)):
        raise InputError(f"{out} is what is to be read; it will not be written over")


def _distinctly_named(records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records, ids that were there before with a number behind them."""
    seen: Counter[str] = Counter()
    for record in records:
        seen[record.id] += 1
        count = seen[record.id]
        yield record if count == 1 else record._replace(id=f"{record.id} ({count})")


def _at_least_one(found: Iterator[Explanation], source: str) -> Iterator[Explanation]:
    first = list(itertools.islice(found, 1))
    if not first:
        raise InputError(f"{source} has no documents")
    return itertools.chain(first, found)


def _checked_format(wanted: str | None, out: Path | None) -> str:
    if wanted is not None and wanted not in FORMATS:
        raise InputError(f"--format may be {', '.join(FORMATS)}; not {wanted!r}")
    return format_of(out, wanted)


def _loaded(model: Path) -> CNNClassifier | SVMClassifier:
    with ThreadPoolExecutor(1) as pool:  # checksums run beside the loading of compiled code
        loading = pool.submit(load_model, model)
        Tokenizer()("")
        return loading.result()


def main() -> None:
    """Run the command line; a user's mistake is one line and exit code 1."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and tidy up
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - to the end of the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the encoding lacks is shown as \\u…
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(format="%(message)s")
    logging.getLogger("whyword").setLevel(logging.INFO)  # not what matplotlib has to say
    try:
        app()
    except (WhywordError, OSError) as error:
        message = f"error: {error}"
        if sys.argv[1:2] != ["corpus"]:  # all others need labels
            message = message.replace(", or labelled=False if there is none", "")
        for argument, option in _OPTIONS.items():
            message = message.replace(argument, option)
        print(one_line(message), file=sys.stderr)
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
