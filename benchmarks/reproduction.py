"""Keep what README and docs show of `whyword reproduce`, a small part of its results.json.

whyword reproduce --out report
python benchmarks/reproduction.py report/results.json [--out benchmarks/results/paper.json]
"""

import argparse
import json
from pathlib import Path
from typing import Any

from figures import write_results

OUT = Path(__file__).parent / "results" / "paper.json"


def shown_figures(results: dict[str, Any]) -> dict[str, Any]:
    """Return what pages show of a reproduction's results."""
    return {
        "accuracy": {name: row["accuracy"] for name, row in results["quality"].items()},
        "power": {
            name: {"epi": row["epi"], "k": row["k"]} for name, row in results["powers"].items()
        },
        "area": {
            name: {
                number: {method: curve["area"] for method, curve in experiment["curves"].items()}
                for number, experiment in rows.items()
            }
            for name, rows in results["deletion"].items()
        },
        "neighbours": {
            name: plane["neighbours_of_own_group"] for name, plane in results["planes"].items()
        },
        "words": {
            name: {label: list(map(_rounded, rows)) for label, rows in by_class.items()}
            for name, by_class in results["words"].items()
        },
        "claims": results["claims"],
        "plan": results["plan"],
        "about": results["about"],
    }


def _rounded(row: list[Any]) -> list[Any]:
    word, relevance, seen = row
    return [word, round(relevance, 3), seen]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    write_results(arguments.out, shown_figures(json.loads(arguments.results.read_text())))


if __name__ == "__main__":
    main()
