"""``whyword model``: what a model is, how it reads, what it was trained on."""

import json
from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from whyword.base.labels import Label
from whyword.base.printable import one_line
from whyword.cli.inputs import open_model
from whyword.cli.options import AsJson, ModelFolder
from whyword.cli.outputs import stdout_console
from whyword.methods.registry import methods_for
from whyword.models.abilities import Reading
from whyword.models.blackbox import labels_of
from whyword.models.estimator import Estimator
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import TextClassifier
from whyword.models.stored_reader import reader_settings

_SHOWN = 20  # classes
_NO_IDENTITY = "none: it is no folder, and no BlackBox with a name, or holds somebody's function"


def model(model: ModelFolder, as_json: AsJson = False) -> None:
    """Show what a model is: its kind and classes, how it reads, what it was trained on."""
    loaded = open_model(model)
    if as_json:
        print(json.dumps(_plain(loaded), ensure_ascii=False, indent=2, default=str))
        return
    table = Table(box=None, show_header=False)
    table.add_column(style="bold")
    for title, said in _lines(loaded):
        table.add_row(title, Text(one_line(said)))
    stdout_console().print(table)


def _plain(model: TextClassifier) -> dict[str, Any]:
    """Return all that there is to be said, as plain data."""
    return {
        "kind": model.kind,
        "identity": model.identity,
        "classes": labels_of(model),
        "multilabel": is_multilabel(model),
        "reader": reader_settings(model.reader_) if isinstance(model, Reading) else None,
        "methods": list(methods_for(model.trace_kind)),
        "provenance": getattr(model, "provenance_", {}),
    }


def _lines(model: TextClassifier) -> Iterator[tuple[str, str]]:
    """Yield what there is to be said, as people read it."""
    yield "kind", model.kind
    yield "identity", model.identity or _NO_IDENTITY
    labels = labels_of(model)
    yield (
        "labels, several at once" if is_multilabel(model) else "classes",
        (f"{len(labels)}: {_some(labels)}"),
    )
    if isinstance(model, Estimator):
        yield "made as", repr(model)  # what is not as by default
    yield "explained by", ", ".join(methods_for(model.trace_kind))
    if isinstance(model, Reading):
        yield from model.reader_.described()
    facts: dict[str, Any] = getattr(model, "provenance_", {})
    if "documents" in facts:
        corpus = f" of {facts['corpus']}" if "corpus" in facts else ""
        yield "trained on", f"{facts['documents']:,} documents{corpus}"
    for name, value in facts.items():
        if name in ("documents", "corpus") or value is None:
            continue
        title = "data, sha256" if name == "data" else name.replace("_", " ")
        if "accuracy" in name:
            yield title, f"{value:.2%}"
        elif isinstance(value, dict):
            yield title, ", ".join(f"{one} {of_it}" for one, of_it in value.items())
        elif isinstance(value, list):
            yield title, ", ".join(map(str, value))
        else:
            yield title, f"{value:g}" if isinstance(value, float) else str(value)


def _some(labels: list[Label]) -> str:
    shown = ", ".join(map(str, labels[:_SHOWN]))
    return shown if len(labels) <= _SHOWN else f"{shown}, …"
