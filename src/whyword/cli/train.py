"""``whyword train``: train a classifier and save it."""

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from whyword.base.checks import expand_path, one_of
from whyword.cli.inputs import ReaderOptions
from whyword.cli.kinds import KINDS, BagOptions, Model, NetworkOptions, arguments_of
from whyword.cli.options import Source
from whyword.cli.outputs import stdout_console
from whyword.cli.tables import copy_names, training_summary
from whyword.evaluation.copies import copy_quality
from whyword.models.store import check_replaceable

log = logging.getLogger(__name__)


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
    arguments = arguments_of(model, network, bag)
    kind: Any = KINDS[model].load()
    if class_weight is not None:
        arguments["class_weight"] = one_of("class_weight", class_weight, ("balanced",))
    loaded = reading.load_whole(source)
    reader = reading.reader(loaded, max_words)
    classifier = kind(reader=reader, seed=reading.seed, **arguments)
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
