"""``whyword compare``: several models on the same texts, side by side."""

import logging
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Annotated

import typer

from whyword.audit.compare import DELETION_DOCUMENTS, POWER_DOCUMENTS, RUNS, compare_models
from whyword.audit.price import comparison_prices
from whyword.audit.side_by_side import distinct_names
from whyword.base.checks import whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import one_line, spelled_out
from whyword.base.progress import progress_bar
from whyword.cli.inputs import CorpusOptions, open_model
from whyword.cli.options import (
    AsJson,
    DeletionSteps,
    LabelledSource,
    LeastWords,
    Method,
    ModelFolders,
    deletion_steps,
)
from whyword.cli.outputs import check_report, stdout_console
from whyword.cli.price import asks_anew, say_price
from whyword.cli.tables import comparison_tables, some_of

log = logging.getLogger(__name__)


def compare(
    models: ModelFolders,
    source: LabelledSource,
    method: Method = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="A page to write (.html); the figures as .json beside it."),
    ] = None,
    deletion_documents: Annotated[
        int,
        typer.Option(help="Documents, by chance, whose words are deleted and compared.", min=1),
    ] = DELETION_DOCUMENTS,
    power_documents: Annotated[
        int, typer.Option(help="Documents, by chance, for the explanatory power.", min=4)
    ] = POWER_DOCUMENTS,
    steps: DeletionSteps = None,
    least_words: LeastWords = None,
    runs: Annotated[int, typer.Option(help="Runs of random deletion.", min=1)] = RUNS,
    splits: Annotated[int, typer.Option(help="Of the explanatory power.", min=1)] = 10,
    limit: Annotated[
        int | None, typer.Option(help="Use so many documents only, chosen by chance.", min=2)
    ] = None,
    as_json: AsJson = False,
    chance_seed: Annotated[
        int, typer.Option(help="Of random deletion, halves, and documents chosen by chance.")
    ] = 0,
    *,
    reading: CorpusOptions,
) -> None:
    """Compare models on labelled texts: accuracy, explanations, agreement, time and size."""
    check_report(out, source, models)
    if len(models) < 2:
        raise InputError(Argument("models"), f": at least two are compared, not {len(models)}")
    chance_seed = whole_number("chance_seed", chance_seed, least=0)
    asked_steps = deletion_steps(steps)
    loaded = dict(zip(model_names(models), map(open_model, models), strict=True))
    corpus = reading.load_to_compare(source, loaded)
    chosen = some_of(len(corpus), limit, chance_seed)
    named = f"{corpus.name}, {len(chosen):,} of {len(corpus):,} by chance (seed {chance_seed})"
    texts = [corpus.texts[n] for n in chosen]
    asked = [name for name, model in loaded.items() if asks_anew(model)]
    if asked:
        costs = comparison_prices(
            loaded,
            texts,
            asked=asked,
            method=method,
            deletion_documents=deletion_documents,
            power_documents=power_documents,
            steps=asked_steps,
            least_words=least_words,
            runs=runs,
            seed=chance_seed,
        )
        for name, cost in costs.items():
            say_price(f"comparing {one_line(name)}", cost)
    with progress_bar("preparing") as report:
        compared = compare_models(
            loaded,
            texts,
            [(corpus.labels or ())[n] for n in chosen],
            ids=[corpus.ids[n] for n in chosen],
            method=method,
            source=corpus.name if len(chosen) == len(corpus) else named,
            deletion_documents=deletion_documents,
            power_documents=power_documents,
            steps=asked_steps,
            least_words=least_words,
            runs=runs,
            splits=splits,
            seed=chance_seed,
            on_progress=report,
        )
    if out is not None:
        compared.to_html(out, f"{', '.join(loaded)} on {corpus.name}")
        beside = compared.to_json(out.with_suffix(".json"))
        log.info("written: %s and %s", one_line(str(out)), one_line(beside))
    if as_json:
        print(compared.to_json(), end="")
    else:
        stdout_console().print(comparison_tables(compared))


def model_names(models: Sequence[str]) -> list[str]:
    """Return the names of folders; with those of the folders above them where they are the same."""
    paths = [PurePath(model) for model in models]
    names = [path.name or str(path) for path in paths]
    if len(set(names)) < len(names):
        names = ["/".join(path.parts[-2:]) or str(path) for path in paths]
    return distinct_names([spelled_out(name) for name in names])
