"""Tables of the docs made of what studies left behind: ranks, deletions, words, reviews, ways."""

from collections.abc import Iterable, Sequence
from typing import Any

RANKS = {
    "typical": "given: ΣR / n · log²(1 + n)  (typical)",
    "strongest": "strongest (the paper's)",
    "mean": "mean",
    "sum": "sum",
}
MODELS = {"cnn2": "CNN2", "svm": "SVM"}
CORPORA = {"news": "20 Newsgroups", "imdb": "IMDB", "reuters": "Reuters"}
Row = dict[str, Any]


def ranks_table(measured: list[list[Row]]) -> str:
    """Return what class_word_ranks.py found of the ranks that class words can have."""
    (rows,) = measured
    names = [f"{CORPORA[row['corpus']]}, {MODELS[row['model']]}" for row in rows]
    return table(
        ["agreement, effect", *names, "rare"],
        [
            [
                name,
                *(
                    f"{percent(row['ranks'][rank]['agreement'])}, "
                    f"{percent(row['ranks'][rank]['effect'])}"
                    for row in rows
                ),
                percent(sum(row["ranks"][rank]["rare"] for row in rows) / len(rows), 0),
            ]
            for name, rank in RANKS.items()
        ],
    )


def deletions_table(measured: list[Row]) -> str:
    """Return what deletions.py found of the ways to delete a word, on some texts each."""
    head = [f"{one['texts']} {one['kind']}" for one in measured]
    checks = list(next(iter(measured[0]["ways"].values())))
    rows = [
        [
            f'`"{how}"`',
            *(
                " · ".join(f"{one['ways'][how][check]['probability']:.3f}" for check in checks)
                + f" ({percent(one['ways'][how][checks[-1]]['predictions'])})"
                for one in measured
            ),
        ]
        for how in measured[0]["ways"]
    ]
    return table(["deletion: " + " · ".join(checks), *head], rows)


def broken_words_table(measured: list[Row]) -> str:
    """Return what broken_words.py found of bags of some of the words."""
    (found,) = measured
    names = {
        "all": "all",
        "first": f"the first {found['first']}",
        "whole": "those that MiniLM has a piece of their own for",
        "broken": f"those that it breaks apart, {percent(found['share'])} of all",
    }
    rows = [[name, percent(found["accuracy"][key])] for key, name in names.items()]
    return table(["words that the SVM reads", "test accuracy"], rows)


def sentiment_table(measured: list[list[Row]]) -> str:
    """Return what sentiment.py found: reviews as they are, and decoded."""
    (rows,) = measured
    lines = []
    for settings in dict.fromkeys(row["settings"] for row in rows):
        some = [row for row in rows if row["settings"] == settings]
        for ours in (True, False):
            cells = [cell for row in _as_read(some, ours) for cell in _measured(row)]
            lines.append([_who(some, ours), *cells])
        tests = [
            cell
            for row in _as_read(some, ours=True)
            for cell in (f"{row['gains']} : {row['losses']}, p = {row['p']:.2f}", "")
        ]
        lines.append(["McNemar's test", *tests])
    return table(["", "as they are", "", "decoded (HTML)", ""], lines)


def ways_table(measured: list[list[Row]]) -> str:
    """Return the ways in which strategies.py found classes to be recognised."""
    (rows,) = measured
    lines = [
        [label, MODELS[row["model"]], "; ".join(map(_way, row["ways"][label]))]
        for label in rows[0]["ways"]
        for row in rows
    ]
    single = " and ".join(
        f"{sum(count == 1 for count in row['counts'].values())} by {MODELS[row['model']]}"
        for row in rows
    )
    said = (
        f"Recognised in one way, as far as it shows: {single}, of {len(rows[0]['counts'])} classes."
    )
    return table(["class", "model", "ways (documents, accuracy)"], lines) + f"\n\n{said}"


def _way(way: Row) -> str:
    return f"{', '.join(way['words'])} ({way['documents']}, {percent(way['accuracy'], 0)})"


def _as_read(rows: Sequence[Row], ours: bool) -> list[Row]:
    """Return the rows of a side: reviews as they are, then decoded."""
    return sorted((row for row in rows if row["ours"] == ours), key=lambda row: row["decoded"])


def _who(rows: Sequence[Row], ours: bool) -> str:
    (name,) = {row["name"] for row in rows if row["ours"] == ours}
    return f"{'whyword' if ours else 'scikit-learn'}: `{name}`"


def _measured(row: Row) -> tuple[str, str]:
    return percent(row["accuracy"], 2), f"{row['seconds']:.1f} s"


def percent(share: float, digits: int = 1) -> str:
    """Return a share as the docs write it."""
    return f"{100 * share:.{digits}f} %"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
