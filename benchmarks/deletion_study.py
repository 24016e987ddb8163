"""Word deletion on 20 Newsgroups: CNN1, CNN2 and CNN3, three seeds, the paper's three experiments.

Test posts of at least 100 words, 50 deletions; LRP and SA against random deletion and random
deletion among the words that have a vector (10 runs each). Expected, by the area under the
accuracy: LRP below SA below random in experiment 1, LRP above random above SA in 2, LRP above SA
in 3. What does not hold is printed. The first run trains nine networks (half an hour).

    python benchmarks/deletion_study.py [--seeds 3] [--models FOLDER] [--json FILE]
"""

import argparse
import json
import time
from pathlib import Path

from trained import SIZES, trained

from whyword import load_corpus
from whyword.evaluation import compare_all, deletion_curves

METHODS = ("lrp", "sensitivity", "random", "random_known")
EXPECTED = {  # the first has the larger area
    1: (("sensitivity", "lrp"), ("random", "sensitivity")),
    2: (("lrp", "random"), ("random", "sensitivity")),
    3: (("lrp", "sensitivity"),),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", type=Path, help="a folder with saved models, as cnn2-seed1")
    parser.add_argument("--json", type=Path, help="where to write the curves")
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    labels = news.test.labels or []
    exceptions, kept = [], {}
    for name in SIZES:
        for seed in range(arguments.seeds):
            ending = f"-seed{seed}" if seed else ""
            folder = arguments.models and arguments.models / f"{name}{ending}"
            model = trained(name, news, folder, seed)
            start = time.perf_counter()
            found = deletion_curves(
                model, news.test.texts, labels, METHODS, least_words=100, sufficiency=False
            )
            print(f"{name} seed {seed}: {time.perf_counter() - start:.0f} s")
            for number, curves in found.items():
                areas = ", ".join(f"{method} {c.area:.4f}" for method, c in curves.items())
                count = len(curves["lrp"])
                case = f"{name} seed {seed} experiment {number}"
                print(f"{case}: {areas} ({count:,} posts)")
                compared = {one.names: one for one in compare_all(curves)}
                for above, below in EXPECTED[number]:
                    test = compared.get((above, below)) or compared[below, above]
                    p = f"{test.adjusted:.4f} after Holm's correction"
                    if curves[above].area > curves[below].area:
                        print(f"    {above} above {below}, p = {p}", flush=True)
                    else:
                        exceptions.append(f"{case}: {above} is not above {below}, p = {p}")
                        print(f"    EXCEPTION: {above} is not above {below}, p = {p}", flush=True)
                kept[case] = {method: curve.to_dict() for method, curve in curves.items()}
    if arguments.json:
        arguments.json.write_text(json.dumps(kept, indent=1))
    print(f"{len(exceptions)} exceptions")
    for exception in exceptions:
        print(f"  {exception}")


if __name__ == "__main__":
    main()
