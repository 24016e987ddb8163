"""A library changes nothing that others in the process share: filters, levels, environment."""

import csv
import decimal
import locale
import logging
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import threadpoolctl
from networks import small_cnn, topical

import whyword as ww
from whyword.explanation import Explanations

TEXTS, LABELS = topical(24, seed=5)
STRANGE = "本 \U0001f680 שלום orbit moon"  # letters that no font of matplotlib's has


def process_state() -> dict[str, Any]:
    """Return what the whole process has in common."""
    import matplotlib as mpl

    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    return {
        "warnings": [*warnings.filters],
        "showwarning": warnings.showwarning,
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "csv": csv.field_size_limit(),
        "levels": {one.name: one.level for one in loggers},
        "handlers": {one.name: list(one.handlers) for one in loggers},
        "logging": logging.root.manager.disable,
        "signals": {one: signal.getsignal(one) for one in signal.valid_signals()},
        "locale": locale.setlocale(locale.LC_ALL),
        "numpy errors": np.geterr(),
        "numpy random": np.random.get_state()[1].tolist(),  # type: ignore[index]
        "numpy printing": np.get_printoptions(),
        "random": random.getstate(),
        "recursion": sys.getrecursionlimit(),
        "digits": sys.get_int_max_str_digits(),
        "switching": sys.getswitchinterval(),
        "hooks": (sys.excepthook, sys.displayhook, threading.excepthook),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "paths": list(sys.path),
        "decimal": repr(decimal.getcontext()),
        "threads": threadpoolctl.threadpool_info(),
        "matplotlib": (mpl.get_backend(auto_select=False), dict(mpl.rcParams)),
    }


def all_pictures(folder: Path) -> None:
    made = ww.explain(small_cnn(), STRANGE)
    made.to_png(folder / "why.png")
    made.to_svg(folder / "why.svg")
    made.to_html(folder / "why.html")


def all_files(folder: Path) -> None:
    made = ww.explain(small_cnn(), TEXTS)
    made.to_parquet(folder / "why.parquet")
    made.to_json(folder / "why.jsonl")
    made.to_csv(folder / "why.csv")
    made.to_excel(folder / "why.xlsx")
    Explanations.from_parquet(folder / "why.parquet").to_frame()
    Explanations.from_json(folder / "why.jsonl")


def all_maps(folder: Path) -> None:
    texts = [STRANGE, *TEXTS]
    shown = ww.document_map(small_cnn(), texts, [STRANGE] * len(texts))
    shown.to_png(folder / "map.png")
    ww.analysis.draw_maps([shown], folder / "map.pdf")


def all_searches(folder: Path) -> None:
    model = small_cnn()
    ww.SearchIndex(model, TEXTS).save(folder / "index.parquet")
    ww.SearchIndex.load(folder / "index.parquet", model).search("orbit")
    ww.analysis.senses(model, TEXTS, "orbit")
    ww.class_words(model, TEXTS)


def all_judgements(folder: Path) -> None:
    model = small_cnn()
    ww.evaluate(model, TEXTS, LABELS, ["lrp", "random"], runs=1, splits=2)
    ww.evaluation.input_invariance(model, TEXTS)
    ww.compare_models([model, small_cnn(seed=1)], TEXTS, LABELS, runs=1, splits=2).to_html()


def all_trainings(folder: Path) -> None:
    vectors = ww.Vectors.train_cbow(TEXTS, dimensions=4, epochs=1, cache=False, on_progress=False)
    vectors.save(folder / "vectors.safetensors")
    ww.Vectors.load(folder / "vectors.safetensors")
    ww.SVMClassifier(folds=2).fit(TEXTS, LABELS).save(folder / "svm")
    ww.load_model(folder / "svm").predict(TEXTS)
    ww.CNNClassifier(vectors=vectors, filters=4, epochs=1, on_progress=False).fit(TEXTS, LABELS)


EVERYTHING = (all_pictures, all_files, all_maps, all_searches, all_judgements, all_trainings)


@pytest.mark.parametrize("work", EVERYTHING)
@pytest.mark.slow(reason="half a second and more")
def test_nothing_is_changed(work: Callable[[Path], None], tmp_path: Path) -> None:
    process_state()
    work(tmp_path)  # what is imported may change something, once
    before = process_state()
    work(tmp_path)
    after = process_state()
    assert {name for name in before if before[name] != after[name]} == set()


@pytest.mark.parametrize("work", [all_pictures, all_maps])
def test_nothing_is_changed_meanwhile(
    work: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters that are put back are changed for other threads all the same."""

    from matplotlib.figure import Figure

    saved = Figure.savefig

    def savefig(*given: Any, **named: Any) -> None:  # noqa: ANN401
        assert warnings.filters == before
        saved(*given, **named)

    before = [*warnings.filters]
    monkeypatch.setattr(Figure, "savefig", savefig)
    work(tmp_path)
