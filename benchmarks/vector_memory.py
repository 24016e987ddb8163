"""Loading 100,000 of a million words from a word2vec binary file of over 1 GB: memory and time.

The file is generated in the format of GoogleNews (300 dimensions), in a temporary folder. Each
side runs in a process of its own; extra memory is the peak resident size minus that before
loading. gensim cannot restrict the vocabulary while reading; it is asked for the first words
of the file, its cheapest way to as many.

    python benchmarks/vector_memory.py [--words 1000000] [--wanted 100000] [--rounds 5]
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from figures import keep

DIMENSIONS = 300
TARGET_MEGABYTES = 400


def generate(path: Path, words: int) -> None:
    random = np.random.default_rng(0)
    with path.open("wb") as stream:
        stream.write(f"{words} {DIMENSIONS}\n".encode())
        for start in range(0, words, 10_000):
            matrix = random.standard_normal((min(10_000, words - start), DIMENSIONS), np.float32)
            for number, row in enumerate(matrix, start):
                stream.write(b"word_%d " % number + row.tobytes() + b"\n")


def by_us(path: Path, words: int, wanted: int) -> int:
    from whyword import Vectors

    vocabulary = [f"word_{number}" for number in range(0, words, words // wanted)]
    vectors = Vectors.load(path, vocabulary=vocabulary)
    assert len(vectors) == len(vocabulary)
    return len(vectors)


def by_gensim(path: Path, words: int, wanted: int) -> int:
    from gensim.models import KeyedVectors

    return len(KeyedVectors.load_word2vec_format(path, binary=True, limit=wanted))


def measured(
    load: Callable[[Path, int, int], int], path: Path, words: int, wanted: int
) -> tuple[float, float]:
    """Return, and print, the seconds and the megabytes that loading takes in this process."""
    import gensim.models  # noqa: F401 - both sides import everything before the clock starts

    import whyword  # noqa: F401

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    count = load(path, words, wanted)
    seconds = time.perf_counter() - start
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        f"{load.__name__:10} {count:,} words  {seconds:6.1f} s  {extra:6.0f} MB extra", flush=True
    )
    return seconds, extra


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--wanted", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.bin"
        generate(path, arguments.words)
        print(f"generated {arguments.words:,} words, {path.stat().st_size / 1e9:.2f} GB")
        sides = {"vector_memory": by_us, "vector_memory_gensim": by_gensim}
        found: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
        with context.Pool(1, maxtasksperchild=1) as pool:  # a process each time
            for _ in range(arguments.rounds):
                for side, load in sides.items():
                    question = (load, path, arguments.words, arguments.wanted)
                    found[side].append(pool.apply(measured, question))
    for side, rounds in found.items():
        keep(side, {"seconds": [one[0] for one in rounds], "megabytes": [one[1] for one in rounds]})
    if max(one[1] for one in found["vector_memory"]) > TARGET_MEGABYTES:
        raise SystemExit(f"missed: more than {TARGET_MEGABYTES} MB")


if __name__ == "__main__":
    main()
