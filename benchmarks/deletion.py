"""Fifty words deleted from each of 1,000 long posts: ours beside predicting again with PyTorch.

The trained CNN2 (the first run trains it, four minutes), test posts of at least 100 words, the most
relevant words first, the same threads, one run. Ours is timed from the raw texts: tokenising,
prediction, relevance and all steps. PyTorch predicts each step anew (conv1d, batches sorted by
length) on inputs already looked up, with the order of deletion given to it. Medians of the rounds;
PyTorch runs once.

    python benchmarks/deletion.py [--rounds 5] [--documents 1000] [--model FOLDER]
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from figures import keep, ratios
from torch_network import from_network, padded_batches
from trained import trained

from whyword import CNNClassifier, deletion_curve, explain, load_corpus
from whyword.models.cnn.inputs import PADDING
from whyword.words import Tokenizer

RATIO, STEPS, WORDS = 20, 50, 100
AGREEMENT = 1e-4  # relative to max(1, |score|); conv1d sums in another order


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    model = trained("cnn2", news, arguments.model)
    assert isinstance(model, CNNClassifier)
    tokenizer = Tokenizer()
    long = [n for n, text in enumerate(news.test.texts) if len(tokenizer(text)) >= WORDS]
    chosen = long[: arguments.documents]
    texts = [news.test.texts[n] for n in chosen]
    labels = [(news.test.labels or [])[n] for n in chosen]

    deletion_curve(model, texts[:20], labels[:20], subset="all", steps=2)  # compile
    times = []
    for _ in range(arguments.rounds):
        start = time.perf_counter()
        curve = deletion_curve(model, texts, labels, subset="all", steps=STEPS, sufficiency=False)
        times.append(time.perf_counter() - start)
    mine, scores = statistics.median(times), curve.scores[0]

    explained = explain(model, texts, targets=labels)
    orders = [np.argsort(-one.relevance, kind="stable")[:STEPS] for one in explained]
    batch = model.inputs_.batch(texts)
    plain = from_network(model.network_)
    targets = [model.classes_.tolist().index(label) for label in labels]
    theirs, spent = np.empty_like(scores), 0.0
    with torch.no_grad():
        for step in range(STEPS + 1):
            if step:
                places = [batch.offsets[d] + order[step - 1] for d, order in enumerate(orders)]
                batch.ids[places] = PADDING
            for documents, inputs, lengths in padded_batches(batch, 64):
                start = time.perf_counter()
                found = plain(inputs, lengths).numpy()
                spent += time.perf_counter() - start
                rows = np.arange(len(documents))
                theirs[documents, step] = found[rows, np.array(targets)[documents]]
    differences = np.abs(scores - theirs) / np.maximum(1, np.abs(theirs))
    keep(
        "deletion",
        {
            "seconds": times,
            "torch_seconds": spent,
            "ratio": ratios([spent], times),
            "difference": float(differences.max()),
        },
    )
    print(f"{torch.get_num_threads()} threads, {len(texts):,} documents, {STEPS} steps")
    print(
        f"whyword {mine:8.2f} s (median of {arguments.rounds}, {min(times):.2f}–{max(times):.2f})"
    )
    print(f"PyTorch {spent:8.2f} s")
    print(f"speed ratio {spent / mine:.0f} × (must be ≥ {RATIO})")
    print(f"scores differ by {differences.max():.1e}·max(1, |score|) at most (≤ {AGREEMENT:.0e})")
    if spent / mine < RATIO or differences.max() > AGREEMENT:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
