"""In how many ways 20 Newsgroups' classes are recognised, by the trained CNN2 and SVM.

Test posts without headers. The ways of three classes, and in how many each of the twenty is
recognised.

    python benchmarks/strategies.py [--out benchmarks/results/strategies.json]
"""

import argparse
from pathlib import Path
from typing import Any

from figures import write_results
from trained import trained

import whyword as ww

OUT = Path(__file__).parent / "results" / "strategies.json"
SHOWN = ("soc.religion.christian", "rec.autos", "sci.space")
MODELS = ("cnn2", "svm")
WORDS = 3  # of a way that are kept


def ways_of(found: ww.audit.Strategies) -> list[dict[str, Any]]:
    """Return the ways of a class: their first words, documents and accuracy."""
    return [
        {
            "words": [word.word for word in (one.distinct or one.words)[:WORDS]],
            "documents": one.n_documents,
            "accuracy": one.accuracy,
        }
        for one in found
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    news = ww.load_corpus("20newsgroups")
    rows = []
    for name in MODELS:
        model = trained(name, news)
        counts, shown = {}, {}
        for label in news.classes:
            found = ww.strategies(model, news.test.texts, label, news.test.labels)
            counts[label] = len(found)
            if label in SHOWN:
                shown[label] = ways_of(found)
            print(f"{name}, {label}: {found.verdict}", flush=True)
        rows.append({"model": name, "counts": counts, "ways": shown})
    write_results(arguments.out, rows)


if __name__ == "__main__":
    main()
