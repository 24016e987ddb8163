"""Loading 100,000 of a million words from a word2vec binary file of over 1 GB: memory and time.

The file is generated in the format of GoogleNews (300 dimensions), in a temporary folder. Each
side runs in a process of its own; extra memory is the peak resident size minus that before
loading. gensim cannot restrict the vocabulary while reading; it is asked for the first words
of the file, its cheapest way to as many.

    python benchmarks/vector_memory.py [--words 1000000] [--wanted 100000]
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


def measured(load: Callable[[Path, int, int], int], path: Path, words: int, wanted: int) -> None:
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
    side = "vector_memory" if load is by_us else "vector_memory_gensim"
    keep(side, {"seconds": seconds, "megabytes": extra})
    if load is by_us and extra > TARGET_MEGABYTES:
        raise SystemExit(f"more than {TARGET_MEGABYTES} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--wanted", type=int, default=100_000)
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.bin"
        generate(path, arguments.words)
        print(f"generated {arguments.words:,} words, {path.stat().st_size / 1e9:.2f} GB")
        for load in (by_us, by_gensim):
            process = context.Process(
                target=measured, args=(load, path, arguments.words, arguments.wanted)
            )
            process.start()
            process.join()
            if process.exitcode:
                raise SystemExit("missed")


if __name__ == "__main__":
    main()
