"""``whyword train``: train a classifier and save it."""

import logging
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from whyword.base.checks import expand_path, one_of
from whyword.base.errors import Argument, InputError
from whyword.cli.inputs import ReaderOptions, words_or_file
from whyword.cli.options import Source
from whyword.cli.outputs import stdout_console
from whyword.cli.tables import copy_names, training_summary
from whyword.evaluation.copies import copy_quality
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.store import check_replaceable

log = logging.getLogger(__name__)


class Model(StrEnum):
    """The kinds of classifier."""

    CNN = "cnn"
    SVM = "svm"


@dataclass(frozen=True)
class NetworkOptions:
    """What a CNN has and no SVM; the fields are options, None where nobody said anything."""

    width: Annotated[
        str | None,
        typer.Option(help="Words a CNN's filter sees; several as in 2,3,4 (default: 2)."),
    ] = None
    filters: Annotated[
        int | None, typer.Option(help="A CNN's filters of each width (default: 800).")
    ] = None
    epochs: Annotated[
        int | None, typer.Option(help="A CNN's rounds through the texts (default: 15).")
    ] = None
    vectors: Annotated[
        str | None,
        typer.Option(help="A CNN's word vectors: a file or package (default: GloVe + CBOW)."),
    ] = None
    validation: Annotated[
        float | None,
        typer.Option(
            help="Share (or number) of documents that choose a CNN's epoch (default: 0.1)."
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return what was given, as the classifier takes it."""
        given = _given(self)
        if "width" in given:
            numbers = _numbers("width", given["width"], "2 or 2,3,4")
            given["width"] = numbers[0] if len(numbers) == 1 else numbers
        if "validation" in given and given["validation"].is_integer():
            given["validation"] = int(given["validation"])
        return given


@dataclass(frozen=True)
class BagOptions:
    """What an SVM has and no CNN; the fields are options, None where nobody said anything."""

    ngrams: Annotated[
        str | None,
        typer.Option(
            help="Adjacent words that make an SVM's feature, from and to: 1,1 is single words, 1,2 "
            "words and pairs. (default: one of these two, by cross-validation)"
        ),
    ] = None
    min_documents: Annotated[
        int | None,
        typer.Option(
            help="Leave out an SVM's words and n-grams that fewer documents have. (default: only "
            "n-grams of several words that one document has)"
        ),
    ] = None
    stop_words: Annotated[
        str | None,
        typer.Option(
            metavar="english|WORD,…|@FILE",
            help="Words that an SVM leaves out: a list of English ones, words, or '@' and a file "
            "with one a line. (default: none)",
        ),
    ] = None
    C: Annotated[
        float | None,
        typer.Option(
            "--C",
            help="The weight of an SVM's errors against its margin. (default: by cross-validation)",
        ),
    ] = None
    sublinear: Annotated[
        str | None,
        typer.Option(
            "--term-frequency",
            help="What m occurrences count for in an SVM: 'log', 1 + ln m, or 'count', m. "
            "(default: log)",
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return what was given, as the classifier takes it."""
        given = _given(self)
        if "ngrams" in given:
            numbers = _numbers("ngrams", given["ngrams"], "1,2")
            given["ngrams"] = tuple(numbers * 2 if len(numbers) == 1 else numbers)
        if self.stop_words is not None and self.stop_words != "english":
            given["stop_words"] = _stop_words(self.stop_words)
        if "sublinear" in given:
            given["sublinear"] = one_of("sublinear", self.sublinear, ("log", "count")) == "log"
        return given


def train(
    source: Source,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    model: Annotated[Model, typer.Option("--model", help="The kind of classifier.")] = Model.CNN,
    class_weight: Annotated[
        str | None,
        typer.Option(help="'balanced' lets all classes weigh the same, however rare they are."),
    ] = None,
    max_words: Annotated[
        int | None, typer.Option(help="Keep the first so many words of each text (default: all).")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the model that is in the folder.")
    ] = False,
    *,
    network: NetworkOptions,
    bag: BagOptions,
    reading: ReaderOptions,
) -> None:
    """Train a classifier on a corpus's training part and try it on the test part."""
    out = expand_path(out)
    replaced = check_replaceable(out, force)  # before anything that takes its time
    for name in _given(network if model is Model.SVM else bag):
        raise InputError(
            Argument(name), " is for another kind of classifier than ", Argument("model", model)
        )
    arguments = network.arguments() | bag.arguments()
    if class_weight is not None:
        arguments["class_weight"] = one_of("class_weight", class_weight, ("balanced",))
    loaded = reading.load_whole(source)
    reader = reading.reader(loaded, max_words)
    classifier: Estimator
    if model is Model.SVM:
        classifier = SVMClassifier(reader=reader, seed=reading.seed, **arguments)
    else:
        classifier = CNNClassifier(reader=reader, seed=reading.seed, **arguments)
    classifier.fit(loaded.train.texts, loaded.train.labels or ())
    named = ""
    if len(loaded.test):
        accuracy = classifier.score(loaded.test.texts, loaded.test.labels or ())
        found = copy_quality(
            classifier, loaded.train.texts, loaded.test.texts, loaded.test.labels or (), accuracy
        )
        classifier.provenance_ |= {
            "test_accuracy": accuracy,
            "test_near_copies": len(found.copies),
            "test_accuracy_without_copies": found.accuracy,
        }
        named = copy_names(found, loaded.test.ids, loaded.train.ids)
    classifier.provenance_["corpus"] = loaded.name
    identity = classifier.save(out)
    if replaced is not None:
        log.info("replaced: %s", replaced)
    stdout_console().print(training_summary(classifier, loaded, out, identity, named))


def _stop_words(given: str) -> list[str]:
    """Return the words that are left out; raise for what can be none."""
    if given[:1] != "@" and "," not in given:
        raise InputError(
            Argument("stop_words"),
            f" may be 'english', words with commas between them, or '@' and a file; not {given!r}",
        )
    words = words_or_file(given) if given[:1] == "@" else given.split(",")
    words = [word.strip() for word in words if word.strip()]
    for word in words:
        if len(word.split()) > 1:
            raise InputError(Argument("stop_words"), f": {word!r:.60} is no single word")
    return words


def _given(options: NetworkOptions | BagOptions) -> dict[str, Any]:
    """Return the options that somebody named."""
    every = {one.name: getattr(options, one.name) for one in fields(options)}
    return {name: value for name, value in every.items() if value is not None}


def _numbers(name: str, given: str, example: str) -> list[int]:
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise InputError(Argument(name), f" takes numbers as in {example}; not {given!r}") from None
