"""The tables of README and the docs that hold figures, made from what benchmarks left behind.

A table stands between two lines of a page, "<!-- begin: NAME -->" and "<!-- end: NAME -->". The
figures are those of benchmarks/results.
`tests/test_tables.py` fails as long as a page says something else than they do.

    python benchmarks/tables.py
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from figure_tables import served_table, streamed_table, suspects_table, transformer_table
from headers_table import first_rows_table, headers_table
from judged_table import judged_table
from network_table import network_table
from paper_table import (
    accuracy_table,
    areas_table,
    class_words_lists,
    neighbours_table,
    paper_tables,
)
from planted_table import planted_table
from speed_table import short_speed_table, speed_table
from study_tables import (
    broken_words_table,
    deletions_table,
    ranks_table,
    sentiment_table,
    ways_table,
)

from whyword.base.files import atomic_write

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


class Table(NamedTuple):
    """A table of a page: where it stands, and how it is made of what kind of file."""

    page: str
    name: str
    source: str  # the files, a pattern below benchmarks/results
    made: Callable[[list[Any]], str]


BENCH = "figures*.json"  # of one machine each
TABLES = (
    Table("README.md", "speed", BENCH, short_speed_table),
    Table("docs/performance.md", "speed", BENCH, speed_table),
    Table("docs/performance.md", "paper", "paper.json", paper_tables),
    Table("docs/classifiers.md", "accuracy", "paper.json", accuracy_table),
    Table("docs/classifiers.md", "sentiment", "sentiment.json", sentiment_table),
    Table("docs/evaluation.md", "areas", "paper.json", areas_table),
    Table("docs/classes.md", "ranks", "class_word_ranks.json", ranks_table),
    Table("docs/classes.md", "neighbours", "paper.json", neighbours_table),
    Table("docs/classes.md", "class words", "paper.json", class_words_lists),
    Table("docs/pytorch.md", "deletions", "deletions/*.json", deletions_table),
    Table("docs/scale.md", "streamed", BENCH, streamed_table),
    Table("docs/strategies.md", "ways", "strategies.json", ways_table),
    Table("docs/web.md", "served", BENCH, served_table),
    Table("docs/models.md", "transformer", BENCH, transformer_table),
    Table("docs/models.md", "news", "network_kinds/news-*.json", network_table),
    Table("docs/models.md", "imdb", "network_kinds/imdb-*.json", network_table),
    Table("docs/models.md", "broken words", "broken_words.json", broken_words_table),
    Table("docs/suspects.md", "suspects", BENCH, suspects_table),
    Table("docs/suspects.md", "planted", "planted/*.json", planted_table),
    Table("docs/suspects.md", "judged", "suspects/judged.json", judged_table),
    Table("docs/case-study.md", "headers", "suspects/headers-*.json", headers_table),
    Table("docs/case-study.md", "first rows", "suspects/headers-*.json", first_rows_table),
)


def sources(table: Table) -> list[Any]:
    """Return what the files of a table hold; none if nothing was measured yet."""
    return [json.loads(path.read_text()) for path in sorted(RESULTS.glob(table.source))]


def with_table(page: str, name: str, table: str) -> str:
    """Return a page with a table put where it belongs."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    found, count = re.subn(
        f"{begin}.*?{end}",
        lambda _: f"{begin}\n\n{table}\n\n{end}",
        page,
        count=1,
        flags=re.DOTALL,
    )
    if not count:
        raise ValueError(f"no place for the table {name!r}")
    return found


def main() -> None:
    for table in TABLES:
        measured = sources(table)
        if not measured:
            print(f"nothing measured yet for {table.name!r} of {table.page}", file=sys.stderr)
            continue
        path = ROOT / table.page
        page = with_table(path.read_text(), table.name, table.made(measured))
        with atomic_write(path) as draft:
            draft.write_text(page)


if __name__ == "__main__":
    main()
