"""Element-wise LRP summaries of the 20 Newsgroups test posts: ours beside zennit's ε rule.

The trained CNN2 (the first run trains it, four minutes), the predicted class of each document, the
same threads, one run. Ours is timed from the raw texts, tokenising included; zennit on inputs
already looked up, padded and batched by length. Biases are apart on both sides where the values
are compared. Medians of the rounds; zennit runs once.

    python benchmarks/summarize.py [--rounds 5] [--documents 7532] [--model FOLDER]
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from figures import keep, ratios
from trained import trained
from zennit_network import zennit_summaries

from whyword import CNNClassifier, load_corpus, summarize

RATIO = 20
AGREEMENT = 1e-3  # relative to the vector's largest element; zennit rounds to float32
APART = 0.005  # of the documents at most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=7532)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    model = trained("cnn2", news, arguments.model)
    assert isinstance(model, CNNClassifier)
    texts = news.test.texts[: arguments.documents]
    summarize(model, texts[:50], level="element")  # compile and warm up
    times = []
    for _ in range(arguments.rounds):
        start = time.perf_counter()
        summarize(model, texts, level="element")
        times.append(time.perf_counter() - start)
    ours = statistics.median(times)
    batch = model.inputs_.batch(texts)
    start = time.perf_counter()
    theirs = zennit_summaries(model.network_, batch)
    spent = time.perf_counter() - start
    found = summarize(model, texts, level="element", bias="apart")
    scale = np.maximum(1e-6, np.abs(theirs).max(axis=1, keepdims=True))
    differences = np.abs(found - theirs).max(axis=1) / scale[:, 0]
    print(f"{torch.get_num_threads()} threads, {len(texts):,} documents")
    rate = len(texts) / ours
    print(f"whyword {ours:7.2f} s (median of {arguments.rounds}), {rate:,.0f} documents/s")
    print(f"zennit  {spent:7.2f} s")
    print(f"speed ratio {spent / ours:.1f} × (must be ≥ {RATIO})")
    apart = float(np.mean(differences > AGREEMENT))
    keep("summarize", {"seconds": times, "zennit_seconds": spent, "ratio": ratios([spent], times)})
    print(
        f"vectors differ by {np.median(differences):.0e} in the median; {apart:.2%} of them by "
        f"more than {AGREEMENT:.0e}, where windows tie but for rounding (must be ≤ {APART:.1%})"
    )
    if spent / ours < RATIO or apart > APART:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
