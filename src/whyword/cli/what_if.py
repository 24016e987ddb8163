"""``whyword what-if``: what becomes of predictions when a model does not read some words."""

import logging
from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from whyword.audit.changes import Change, turn_order
from whyword.audit.what_if import what_if as find_changes
from whyword.audit.what_if_result import WhatIf
from whyword.base.errors import InputError
from whyword.base.printable import one_line
from whyword.base.progress import progress_bar
from whyword.cli.inputs import TextOptions, open_model
from whyword.cli.options import AsJson, Documents, ModelFolder
from whyword.cli.outputs import stdout_console
from whyword.cli.word_lists import ignored_words

log = logging.getLogger(__name__)
_LISTED = 10  # confusions, and documents


def what_if(
    model: ModelFolder,
    source: Documents,
    words: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="WORD|@FILE|TABLE.csv|FOLDER",
            help="A word, phrase or /pattern/ that is not read, '@' and a file with one a line, or "
            "a table or folder of suspects: those that are marked. Repeatable.",
        ),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: TextOptions,
) -> None:
    """Show what becomes of predictions without some words: the same model, nothing trained."""
    if not words:
        raise InputError(
            "say what is not read: --without WORD, --without @FILE, or --without FOLDER that "
            "`whyword suspects` wrote"
        )
    listed = list(chain.from_iterable(map(ignored_words, words)))
    loaded = open_model(model)
    records = list(reading.open(source, loaded))
    labels = [one.label for one in records]
    if 0 < labels.count(None) < len(labels):
        log.warning(
            "%d of %d documents have no label: whether predictions are right is not said",
            labels.count(None),
            len(labels),
        )
    with progress_bar("predicting") as report:
        found = find_changes(
            loaded,
            listed,
            [one.text for one in records],
            None if None in labels else labels,
            on_progress=report,
        )
    if as_json:
        print(found.to_json(), end="")
    else:
        stdout_console().print(_tables(found, [one.id for one in records]))


def _tables(found: WhatIf, ids: Sequence[Any]) -> Group:
    """Return how many predictions change, what that is worth, and the documents."""
    parts: list[Text | Table | str] = [Text(_summary(found))]
    if found.right is not None:
        parts += ["", _accuracy_table(found)]
    if len(found.changed):
        parts += ["", _changes_table(found, ids)]
    return Group(*parts)


def _summary(found: WhatIf) -> str:
    held = f"{len(found.documents):,} of {found.n_documents:,} documents"
    if not len(found.documents):
        return f"none of {found.n_documents:,} documents has any of it: nothing changes"
    said = f"{held} have some of it; {len(found.changed):,} predictions change"
    turned = [f"{many:,} {turn}" for turn, many in (found.turns or {}).items() if many]
    return f"{said}: {', '.join(turned)}" if turned else said


def _accuracy_table(found: WhatIf) -> Table:
    table = Table("", "accuracy", "95 % interval", box=None, header_style="bold")
    compared, intervals = found.accuracy, found.intervals
    if compared is not None and intervals is not None:
        for name, value, (low, high) in zip(
            compared.names, compared.values, intervals, strict=True
        ):
            table.add_row(name, f"{value:.2%}", f"{low:.1%} to {high:.1%}")
        table.caption = f"{compared.test}: p = {compared.p:.2g}"
        table.caption_justify = "left"
    return table


def _changes_table(found: WhatIf, ids: Sequence[Any]) -> Table:
    """Return the documents that change, what turns wrong first."""
    columns = ("document", "was given", "is given", *["label"] * (found.truth is not None))
    table = Table(*columns, box=None, header_style="bold")
    ordered = sorted(found.changes, key=turn_order)
    for one in ordered[:_LISTED]:
        table.add_row(*map(_cell, _cells(one, ids, found.truth is not None)))
    more = len(ordered) - _LISTED
    if more > 0:
        table.caption = f"{more:,} more: --json has all of them"
        table.caption_justify = "left"
    return table


def _cells(one: Change, ids: Sequence[Any], is_labelled: bool) -> tuple[Any, ...]:
    said = (ids[one.document], one.before, one.after)
    return (*said, one.true) if is_labelled else said


def _cell(value: Any) -> Text:  # noqa: ANN401 - an id, a label or several
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return Text(one_line(shown))
