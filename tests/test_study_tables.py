"""Tables of studies hold what the studies found."""

from typing import Any

from figure_tables import streamed_table
from study_tables import RANKS, deletions_table, ranks_table, sentiment_table, ways_table


def lines(table: str) -> list[str]:
    return table.splitlines()


def test_ways() -> None:
    ways = [
        {"words": ["orbit", "moon"], "documents": 30, "accuracy": 0.905},
        {"words": ["host"], "documents": 10, "accuracy": 1.0},
    ]
    rows: list[dict[str, Any]] = [
        {"model": "cnn2", "counts": {"space": 2, "hockey": 1}, "ways": {"space": ways}},
        {"model": "svm", "counts": {"space": 1, "hockey": 1}, "ways": {"space": ways[:1]}},
    ]
    found = lines(ways_table([rows]))
    assert found[2] == "| space | CNN2 | orbit, moon (30, 90 %); host (10, 100 %) |"
    assert found[3] == "| space | SVM | orbit, moon (30, 90 %) |"
    assert found[-1].endswith("as far as it shows: 1 by CNN2 and 2 by SVM, of 2 classes.")


def test_sentiment() -> None:
    def row(ours: bool, decoded: bool, accuracy: float) -> dict[str, Any]:
        named = {"settings": "given", "name": "mine" if ours else "theirs"}
        test = {"gains": 5, "losses": 3, "p": 0.7266}
        return {
            **named,
            "ours": ours,
            "decoded": decoded,
            "accuracy": accuracy,
            "seconds": 2,
            **test,
        }

    rows = [
        row(True, True, 0.9),
        row(False, False, 0.7),
        row(True, False, 0.8),
        row(False, True, 0),
    ]
    found = lines(sentiment_table([rows]))
    assert found[2] == "| whyword: `mine` | 80.00 % | 2.0 s | 90.00 % | 2.0 s |"
    assert found[3] == "| scikit-learn: `theirs` | 70.00 % | 2.0 s | 0.00 % | 2.0 s |"
    assert found[4] == "| McNemar's test | 5 : 3, p = 0.73 |  | 5 : 3, p = 0.73 |  |"


def test_deletions() -> None:
    change = {"probability": 0.0123, "score": 1.0, "predictions": 0.05}
    one = {"texts": 300, "kind": "comments", "ways": {"zero": {"put in": change, "half": change}}}
    found = lines(deletions_table([one]))
    assert found[0] == "| deletion: put in · half | 300 comments |"
    assert found[2] == '| `"zero"` | 0.012 · 0.012 (5.0 %) |'


def test_ranks() -> None:
    ranks = {rank: {"agreement": 0.7, "effect": 0.2, "rare": 0.1} for rank in RANKS.values()}
    found = lines(ranks_table([[{"corpus": "news", "model": "cnn2", "ranks": ranks}]]))
    assert found[0] == "| agreement, effect | 20 Newsgroups, CNN2 | rare |"
    assert found[2] == "| typical | 70.0 %, 20.0 % | 10 % |"


def test_what_more_documents_cost() -> None:
    def figures(*names: str) -> dict[str, Any]:
        return {"figures": {name: {"low": 1000, "median": 1000, "high": 1000} for name in names}}

    stream = "rate core_rate memory_rate ahead_rate time_to_memory time_to_ahead megabytes".split()
    stages = "reading tokenising look_up kernels columns writing together".split()
    kept = {
        "stream": figures(*stream, "bytes_read", "bytes_written"),
        "stream_stages": figures(*stages),
    }
    found = streamed_table([{"benchmarks": kept}])
    assert "| 10 million | 2.8 | 10 minutes | 10 GB |" in found
    assert "{" not in found
