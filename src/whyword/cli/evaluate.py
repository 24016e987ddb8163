"""``whyword evaluate``: how good a model and its explanations are."""

import logging
from pathlib import Path, PurePath
from typing import Annotated

import typer

from whyword.base.checks import whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import one_line
from whyword.base.progress import progress_bar
from whyword.cli.inputs import CorpusOptions, check_several_classes, open_model
from whyword.cli.options import (
    AsJson,
    DeletionSteps,
    LeastWords,
    ModelFolder,
    Source,
    deletion_steps,
)
from whyword.cli.outputs import check_report, stdout_console
from whyword.cli.price import asks_anew, say_price
from whyword.cli.tables import copy_names, evaluation_tables, some_of
from whyword.evaluation.evaluate import evaluate as evaluation_of
from whyword.evaluation.price import evaluation_price
from whyword.evaluation.ranking import COMPARED, RANDOM_KNOWN
from whyword.methods.registry import METHODS

log = logging.getLogger(__name__)


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
    steps: DeletionSteps = None,
    least_words: LeastWords = None,
    runs: Annotated[int, typer.Option(help="Runs of random deletion.", min=1)] = 10,
    splits: Annotated[int, typer.Option(help="Of the explanatory power.", min=1)] = 10,
    limit: Annotated[
        int | None, typer.Option(help="Use so many documents only, chosen by chance.", min=2)
    ] = None,
    as_json: AsJson = False,
    chance_seed: Annotated[
        int, typer.Option(help="Of random deletion, halves, the documents that --limit takes.")
    ] = 0,
    *,
    reading: CorpusOptions,
) -> None:
    """Judge a model, and methods that explain it, on labelled texts it was not trained on."""
    check_report(out, source, [model])
    chance_seed = whole_number("chance_seed", chance_seed, least=0)  # evaluate's is a seed, too
    asked_steps = deletion_steps(steps)
    loaded = open_model(model)
    corpus, training = reading.load_with_training(source, loaded)
    check_several_classes(corpus, loaded)
    chosen = some_of(len(corpus), limit, chance_seed)
    named = f"{corpus.name}, {len(chosen):,} of {len(corpus):,} by chance (seed {chance_seed})"
    texts, names = [corpus.texts[n] for n in chosen], _method_names(methods) or None
    if asks_anew(loaded):
        cost = evaluation_price(
            loaded,
            texts,
            names,
            train=training is not None,
            steps=asked_steps,
            least_words=least_words,
            runs=runs,
        )
        say_price("the evaluation", cost)
    with progress_bar("preparing") as report:
        findings = evaluation_of(
            loaded,
            texts,
            [(corpus.labels or ())[n] for n in chosen],
            names,
            train=None if training is None else training.texts,
            source=corpus.name if len(chosen) == len(corpus) else named,
            steps=asked_steps,
            least_words=least_words,
            runs=runs,
            splits=splits,
            seed=chance_seed,
            on_progress=report,
        )
    if out is not None:
        findings.to_html(out, f"{PurePath(model).name} on {corpus.name}")
        beside = findings.to_json(out.with_suffix(".json"))
        log.info("written: %s and %s", one_line(str(out)), one_line(beside))
    if as_json:
        print(findings.to_json(), end="")
    else:
        ids = [corpus.ids[n] for n in chosen]
        named = copy_names(findings.copies, ids, training.ids if training else ())
        stdout_console().print(evaluation_tables(findings, named))


def _method_names(listed: str | None) -> list[str]:
    names = [name.strip() for name in (listed or "").split(",") if name.strip()]
    if listed is not None and not names:
        raise InputError(
            Argument("methods"), f" names none; choose from {', '.join([*METHODS, RANDOM_KNOWN])}"
        )
    return names
