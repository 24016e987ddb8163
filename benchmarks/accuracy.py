"""Table 1 of the paper: test accuracy on 20 Newsgroups, three seeds, beside the published figures.

Hyper-parameters are the defaults, chosen on training documents held out (docs/classifiers.md).
About half an hour on two cores.

    python benchmarks/accuracy.py [--seeds 3] [--models SVM CNN1 CNN2 CNN3]
"""

import argparse

import numpy as np
from trained import trained

from whyword import load_corpus
from whyword.reports.paper import ACCURACY as PAPER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", nargs="+", choices=list(PAPER), default=list(PAPER))
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    missed = []
    for name in arguments.models:
        found = []
        for seed in range(arguments.seeds):
            model = trained(name.lower(), news, seed=seed)
            seconds = model.provenance_["seconds"]
            found.append(100 * model.score(news.test.texts, news.test.labels or []))
            validation = 100 * model.provenance_["validation_accuracy"]
            print(
                f"{name} seed {seed}: test {found[-1]:.2f} %, validation {validation:.2f} %, "
                f"{seconds:.0f} s",
                flush=True,
            )
        mean, paper = float(np.mean(found)), PAPER[name]
        print(f"{name}: mean {mean:.2f} % (paper {paper:.2f} %, {mean - paper:+.2f})", flush=True)
        if mean < paper:
            missed.append(name)
    if missed:
        raise SystemExit(f"below the paper: {', '.join(missed)}")


if __name__ == "__main__":
    main()
