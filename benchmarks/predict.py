"""Predicting the 20 Newsgroups test posts: ours, from the texts, beside torch's forward pass.

The network has random weights of CNN2's size, the same on both sides. Ours is timed from the raw
texts to the scores, tokenising included; torch's forward pass alone, on inputs already looked up,
normalised and padded, in batches of similar length. Same threads, same run, in turn; medians.

    python benchmarks/predict.py [--rounds 5] [--width 2] [--filters 800]
"""

import argparse
import statistics
import time

import numpy as np
import torch
from figures import keep, ratios
from torch_network import from_network, padded_batches

from whyword import Vectors, load_corpus
from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.network import Convolution, Network
from whyword.models.cnn.word_cache import WordLookup
from whyword.words import Reader, Tokenizer

TARGET_RATIO = 5
TOLERANCE = 1e-4


def random_network(dimensions: int, width: int, filters: int) -> Network:
    random = np.random.default_rng(0)
    bound = (width * dimensions) ** -0.5
    return Network(
        (
            Convolution(
                random.uniform(-bound, bound, (width, filters, dimensions)).astype(np.float32),
                random.uniform(-bound, bound, filters).astype(np.float32),
            ),
        ),
        random.uniform(-0.03, 0.03, (filters, 20)).astype(np.float32),
        random.uniform(-0.03, 0.03, 20).astype(np.float32),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", type=int, default=2)
    parser.add_argument("--filters", type=int, default=800)
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    vectors = Vectors.for_texts(news.train.texts, epochs=1)  # any of this size will do
    inputs = Inputs(Reader(tokenizer=Tokenizer(400)), vectors, 0.0, 1.0, arguments.width)
    network = random_network(vectors.dimensions, arguments.width, arguments.filters)
    plain = from_network(network)
    texts = news.test.texts
    whole = inputs.batch(texts)

    def by_us() -> np.ndarray:
        batches = WordLookup(inputs, network).batches(texts)
        return np.concatenate([network.forward(batch) for batch in batches])

    def by_torch() -> tuple[np.ndarray, float]:
        scores, seconds = np.empty((len(texts), 20), np.float32), 0.0
        with torch.inference_mode():
            for documents, batch, lengths in padded_batches(whole, 64):
                start = time.perf_counter()
                found = plain(batch, lengths)
                seconds += time.perf_counter() - start
                scores[documents] = found.numpy()
        return scores, seconds

    by_us()  # compile and warm up
    seconds: dict[str, list[float]] = {"whyword": [], "torch": []}
    for _ in range(arguments.rounds):
        start = time.perf_counter()
        ours = by_us()
        seconds["whyword"].append(time.perf_counter() - start)
        theirs, spent = by_torch()
        seconds["torch"].append(spent)
    difference = float(np.abs(ours - theirs).max())
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    print(f"whyword  {medians['whyword']:6.2f} s from texts to scores of {len(texts):,} documents")
    print(f"torch    {medians['torch']:6.2f} s for the forward pass alone")
    ratio = medians["torch"] / medians["whyword"]
    keep(
        "predict",
        {
            "seconds": seconds["whyword"],
            "torch_seconds": seconds["torch"],
            "ratio": ratios(seconds["torch"], seconds["whyword"]),
            "difference": difference,
        },
    )
    print(f"largest difference of scores {difference:.1e} (must be ≤ {TOLERANCE:.0e})")
    print(
        f"speed ratio {ratio:.1f} × (must be ≥ {TARGET_RATIO}), {torch.get_num_threads()} threads"
    )
    if ratio < TARGET_RATIO or difference > TOLERANCE:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
