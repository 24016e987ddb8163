"""The reproduction as a folder: the page, all results as JSON, every table and figure."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whyword.base.csv import write_csv
from whyword.base.files import save_or_return
from whyword.reports import paper
from whyword.reports.figures import write_figures
from whyword.reports.page import reproduction_page, words_of_all_classes
from whyword.reports.reproduction import Reproduction

PAGE, WORDS, RESULTS = "index.html", "words.html", "results.json"


def write_reproduction(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write everything; return the files, the page first."""
    folder.mkdir(parents=True, exist_ok=True)
    data = {
        **reproduction.results,
        "plan": reproduction.plan.as_inputs(),
        "claims": [claim._asdict() for claim in reproduction.claims],
    }
    texts = {
        PAGE: "".join(reproduction_page(reproduction, WORDS)),
        WORDS: "".join(words_of_all_classes(reproduction)),
        RESULTS: json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        **{f"tables/{name}.csv": _csv(rows) for name, rows in _tables(reproduction.results)},
    }
    written = []
    for name, content in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        save_or_return(content, folder / name)
        written.append(folder / name)
    return written + write_figures(reproduction.results, folder / "figures")


def _tables(results: dict[str, Any]) -> Iterator[tuple[str, list[list[Any]]]]:
    """Yield every table by its name, the heading first."""
    yield (
        "accuracy",
        [
            ["model", "paper", "here"],
            *(
                [name, published, round(100 * results["quality"][name]["accuracy"], 4)]
                for name, published in paper.ACCURACY.items()
            ),
        ],
    )
    rows: list[list[Any]] = [["row", "paper", "paper_k", "here", "here_deviation", "here_k"]]
    for row in paper.POWERS:
        here = results["powers"][row.name]
        rows.append([row.name, row.epi, row.k, here["epi"], here["deviation"], here["k"]])
    yield "explanatory_power", rows
    rows = [["network", "experiment", "method", "words_deleted", "accuracy", "mean_score"]]
    for name, experiments in results["deletion"].items():
        for number, experiment in experiments.items():
            for method, curve in experiment["curves"].items():
                pairs = zip(curve["accuracy"], curve["mean_score"], strict=True)
                rows += [[name, number, method, step, a, s] for step, (a, s) in enumerate(pairs)]
    yield "deletion", rows
    rows = [["row", "neighbours", "accuracy"]]
    for name, row_here in results["powers"].items():
        pairs = zip(row_here["neighbours"], row_here["curve"], strict=True)
        rows += [[name, k, accuracy] for k, accuracy in pairs]
    yield "neighbours", rows
    rows = [["model", "class", "rank", "word", "relevance", "seen"]]
    for name, classes in results["words"].items():
        for label, entries in classes.items():
            rows += [[name, label, rank, *entry] for rank, entry in enumerate(entries, 1)]
    yield "class_words", rows


def _csv(rows: list[list[Any]]) -> str:
    stream = io.StringIO()
    write_csv(stream, rows, "\n")
    return stream.getvalue()
