"""``whyword train``: train a classifier and save it."""

import logging
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from whyword.base.checks import expand_path
from whyword.base.errors import Argument, InputError
from whyword.cli.inputs import ReaderOptions
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
    force: Annotated[
        bool, typer.Option("--force", help="Replace the model that is in the folder.")
    ] = False,
    *,
    reading: ReaderOptions,
) -> None:
    """Train a classifier on a corpus's training part and try it on the test part."""
    out = expand_path(out)
    replaced = check_replaceable(out, force)  # before anything that takes its time
    loaded = reading.load_whole(source)
    reader = reading.reader(loaded, max_words)
    classifier: Estimator
    if model is Model.SVM:
        classifier = SVMClassifier(reader=reader, seed=reading.seed)
    else:
        classifier = CNNClassifier(
            vectors=vectors,
            width=_filter_widths(width),
            filters=filters,
            epochs=epochs,
            validation=int(validation) if validation.is_integer() else validation,
            reader=reader,
            seed=reading.seed,
        )
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


def _filter_widths(width: str) -> int | list[int]:
    try:
        numbers = [int(part) for part in width.split(",")]
    except ValueError:
        raise InputError(
            Argument("width"), f" takes numbers as in 2 or 2,3,4; not {width!r}"
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers
