"""A torch network trained beside a program that keeps the cores busy: threads that sleep or spin.

Torch's threads wait for one another after each step of a computation. As OpenMP has it by default
they spin meanwhile, which takes the core from those that they wait for if another program runs.
`whyword` on the command line lets them sleep soon (`GOMP_SPINCOUNT=10000`). The same training runs
both ways, alone and beside as many busy processes as there are cores, all in turns.

    python benchmarks/busy_cores.py [--rounds 3]
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import whyword as ww
from whyword.base.threads import usable_cores

WAYS = {"they spin": {}, "they soon sleep": {"GOMP_SPINCOUNT": "10000"}}
TEXTS, WORDS, CLASSES, LIMIT = 200, 100, 4, 600


def train() -> None:
    """Train two layers of MiniLM on made-up texts, and print the seconds."""
    random = np.random.default_rng(0)
    words = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    texts = [" ".join(random.choice(words, WORDS)) for _ in range(TEXTS)]
    labels = [str(number % CLASSES) for number in range(TEXTS)]
    model = ww.TransformerClassifier(layers=2, epochs=2, validation=0, on_progress=False)
    start = time.perf_counter()
    model.fit(texts, labels)
    print(time.perf_counter() - start)


def seconds(environment: dict[str, str]) -> float:
    """Return how long a training takes in a process of its own."""
    names = {"OMP_WAIT_POLICY", "OMP_NUM_THREADS", "GOMP_SPINCOUNT"}
    plain = {name: one for name, one in os.environ.items() if name not in names}
    said = subprocess.run(
        [sys.executable, __file__, "--train"],
        env=plain | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    return float(said.stdout.split()[-1])


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many cores busy for a while."""
    spin = f"import time\nend = time.time() + {LIMIT}\nwhile time.time() < end: pass"
    others = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in others:
            one.terminate()
            one.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        train()
        return
    for title, others in (("alone", 0), (f"beside {usable_cores()} others", usable_cores())):
        found: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(arguments.rounds):
            for way, environment in WAYS.items():
                with busy(others):
                    found[way].append(seconds(environment))
        spinning, sleeping = (statistics.median(times) for times in found.values())
        ratios = [one / two for one, two in zip(*found.values(), strict=True)]
        print(
            f"{title}: spinning {spinning:.1f} s, sleeping {sleeping:.1f} s; "
            f"{min(ratios):.2f} to {max(ratios):.2f} × as fast"
        )


if __name__ == "__main__":
    main()
