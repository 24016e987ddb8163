"""Suspects among all 18,846 posts of 20 Newsgroups: time, by stage, and memory.

Every word, line, pair and pattern that speaks for a class in at least three posts is deleted
everywhere; from raw texts to the rows. What deleting and predicting each word again would take is
measured by benchmarks/scores_without.py.

    python benchmarks/suspects.py [--cnn FOLDER] [--svm FOLDER] [--rounds 5]
"""

import argparse
import resource
import time
from pathlib import Path
from statistics import median

from figures import keep
from trained import trained

from whyword import load_corpus, suspects
from whyword.base.threads import usable_cores

SECONDS, GIGABYTES = 60, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cnn", type=Path, help="a saved CNN2")
    parser.add_argument("--svm", type=Path, help="a saved SVM")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    missed, figures = False, dict[str, list[float]]()
    for name, folder in (("svm", arguments.svm), ("cnn2", arguments.cnn)):
        model = trained(name, news, folder)
        walls, works = [], []
        for _ in range(arguments.rounds):
            start, work = time.perf_counter(), time.process_time()
            found = suspects(model, news)
            walls.append(time.perf_counter() - start)
            works.append(time.process_time() - work)
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in found.seconds.items())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{name} on {usable_cores()} cores: {found!r}")
        print(
            f"  {median(walls):.1f} s (must be ≤ {SECONDS}; the last round: {stages}), "
            f"{median(works):.1f} s of processor time, {memory:.2f} GB (≤ {GIGABYTES})",
            flush=True,
        )
        figures |= {f"{name}_seconds": walls, f"{name}_gigabytes": [memory]}
        figures |= {f"{name}_suspects": [len(found.suspects)], f"{name}_units": [found.n_units]}
        missed |= median(walls) > SECONDS or memory > GIGABYTES
    keep("suspects", figures)
    if missed:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
