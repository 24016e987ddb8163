"""20 Newsgroups with its headers left in, a known trap: what is found, and what it was worth.

Models are trained on the posts with their headers (addresses, hosts, organisations, subjects), and
their suspects looked for. What stands on the page, the first 300 suspects, is taken away: at once,
by `without`, and by training again. Accuracy on the later test posts, with Wilson's intervals: as
they are, with headers, and as bodies only (headers, quotes and footers removed), which is what
somebody has who asks the model about a text of his own. Beside it, a model that was trained on
posts without headers.

    python benchmarks/headers_left_in.py [--kinds svm cnn] [--seeds 3] [--out FILE]
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from figures import write_results
from numpy.typing import NDArray

import whyword as ww
from whyword.audit import Suspect, Suspects
from whyword.evaluation.significance import share_interval

ROWS = 300  # suspects that the page shows
LISTED = 30  # rows that are looked at one by one
KINDS: dict[str, Callable[[int], Any]] = {
    "svm": lambda seed: ww.SVMClassifier(ngrams=(1, 1), C=1.0, seed=seed),
    "cnn": lambda seed: ww.CNNClassifier(width=2, filters=400, seed=seed),
}


def accuracy(model: Any, texts: Sequence[str], labels: NDArray[Any]) -> dict[str, Any]:  # noqa: ANN401
    """Return the share of texts that are predicted right, and where it is at 95 %."""
    right = int(np.sum(model.predict(texts) == labels))
    return {"value": right / len(labels), "interval": share_interval(right, len(labels), 0.05)}


def listed(row: Suspect) -> dict[str, Any]:
    """Return what is looked at of a row."""
    data = row.to_dict()
    names = ("kind", "form", "label", "score", "train", "groups", "groups_expected")
    return {"what": row.name[:120]} | {name: data[name] for name in names}


def forms(found: Suspects) -> dict[str, int]:
    """Return how many of the first rows are of which form, lines as what they are."""
    rows = found.suspects[:ROWS]
    return dict(Counter(row.kind if row.kind == "line" else row.form for row in rows).most_common())


def measured(kind: str, seed: int) -> dict[str, Any]:
    """Return, and print, what was found of one training."""
    whole = ww.load_corpus("20newsgroups", remove=[])
    bare = ww.load_corpus("20newsgroups", remove=["headers", "quotes", "footers"])
    labels = np.array(whole.test.labels)
    made = KINDS[kind]
    before = made(seed).fit(whole.train.texts, whole.train.labels)
    start = time.perf_counter()
    found = ww.suspects(before, whole)
    seconds = time.perf_counter() - start
    entries = sorted({entry for row in found.suspects[:ROWS] for entry in row.entries})
    again = made(seed).set_params(reader=ww.Reader(remove=[], ignore=entries))
    never = made(seed).set_params(reader=ww.Reader(remove=["headers"]))
    models = {
        "before": before,
        "what_if": ww.without(before, entries),
        "retrained": again.fit(whole.train.texts, whole.train.labels),
        "without_headers": never.fit(whole.train.texts, whole.train.labels),
    }
    figures = {
        name: {
            "with headers": accuracy(model, whole.test.texts, labels),
            "bodies": accuracy(model, bare.test.texts, labels),
        }
        for name, model in models.items()
    }
    print(f"{kind} seed {seed}: {len(found.suspects):,} suspects in {seconds:.0f} s;", end=" ")
    print(f"{len(entries):,} entries taken away; forms {forms(found)}")
    for name, both in figures.items():
        said = (
            f"{what} {one['value']:.2%} ({one['interval'][0]:.1%} to {one['interval'][1]:.1%})"
            for what, one in both.items()
        )
        print(f"  {name:16} {', '.join(said)}", flush=True)
    return {
        "kind": kind,
        "seed": seed,
        "suspects": len(found.suspects),
        "seconds": seconds,
        "entries": len(entries),
        "forms": forms(found),
        "first": [listed(row) for row in found.suspects[:LISTED]],
        "accuracy": figures,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    arguments = parser.parse_args()
    rows = []
    for kind in arguments.kinds:
        for seed in range(arguments.seeds):
            rows.append(measured(kind, seed))
            if arguments.out:
                write_results(arguments.out, rows)


if __name__ == "__main__":
    main()
