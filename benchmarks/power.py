"""Explanatory power of 7,507 vectors: ours beside scikit-learn's KNeighborsClassifier in a loop.

Element-wise LRP summaries of the 20 Newsgroups test posts of at least two words, by the trained
CNN2 (the first run trains it, four minutes); 10 splits in halves, K = 1 … 30, the same threads, one
run. scikit-learn fits and predicts (brute force, float64) for every split and K; the second line
asks it for the 30 neighbours once per split and counts votes in numpy, the best a user could do
with it by hand. Every prediction that differs is looked at: it must have a tie at rank K.

    python benchmarks/power.py [--rounds 5] [--splits 10] [--model FOLDER]
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from figures import keep, ratios
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from trained import trained

from whyword import CNNClassifier, explanatory_power, load_corpus, summarize
from whyword.evaluation.neighbour_kernels import predicted_by_count
from whyword.evaluation.neighbours import nearest_neighbours, unit_vectors
from whyword.words import Tokenizer

RATIO, MOST = 10, 30
TIE = 1e-12  # of squared distances between unit vectors


def differing(
    units: NDArray[np.float64],
    labels: NDArray[np.int64],
    split: tuple[NDArray[np.int64], NDArray[np.int64]],
    theirs: NDArray[np.int64],
) -> tuple[int, int]:
    """Return how many of scikit-learn's predictions differ from ours, and how many without a tie.

    theirs : (test, K)
    """
    train, test = split
    allowed = np.zeros(len(units), np.bool_)
    allowed[train] = True
    found = nearest_neighbours(unit_vectors(units), 150).among(test, allowed, MOST + 1)
    ours = predicted_by_count(found[:, :MOST], labels, int(labels.max()) + 1)
    distances = ((units[test][:, None] - units[found]) ** 2).sum(axis=2)
    gaps = np.diff(distances, axis=1)  # from rank K to K + 1
    different = ours != theirs
    return int(different.sum()), int((different & (gaps > TIE)).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    model = trained("cnn2", news, arguments.model)
    assert isinstance(model, CNNClassifier)
    tokenizer = Tokenizer()
    chosen = [n for n, text in enumerate(news.test.texts) if len(tokenizer(text)) > 1]
    vectors = summarize(model, [news.test.texts[n] for n in chosen], level="element")
    names = [(news.test.labels or [])[n] for n in chosen]
    explanatory_power(vectors[:100], names[:100], neighbours=[1])  # compile
    times = []
    for _ in range(arguments.rounds):
        start = time.perf_counter()
        found = explanatory_power(vectors, names, arguments.splits)
        times.append(time.perf_counter() - start)
    ours = statistics.median(times)

    labels = np.unique(names, return_inverse=True)[1]
    units = vectors.astype(np.float64)
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-300)
    accuracies = np.empty_like(found.accuracies)
    loop = by_hand = 0.0
    different = untied = total = 0
    for number, (train, test) in enumerate(found.splits):
        theirs = np.empty((len(test), MOST), np.int64)
        for k in range(1, MOST + 1):
            start = time.perf_counter()
            knn = KNeighborsClassifier(k, algorithm="brute").fit(units[train], labels[train])
            theirs[:, k - 1] = knn.predict(units[test])
            loop += time.perf_counter() - start
        start = time.perf_counter()
        near = knn.kneighbors(units[test], MOST, return_distance=False)
        votes = np.eye(20)[labels[train][near]].cumsum(axis=1).argmax(axis=2)
        by_hand += time.perf_counter() - start
        assert votes.shape == theirs.shape
        accuracies[number] = (theirs == labels[test][:, None]).mean(axis=0)
        some, without_tie = differing(units, labels, (train, test), theirs)
        different, untied, total = different + some, untied + without_tie, total + theirs.size
    keep(
        "power",
        {
            "seconds": times,
            "sklearn_seconds": loop,
            "ratio": ratios([loop], times),
            "once_ratio": ratios([by_hand], times),
            "differ": untied,
        },
    )
    print(f"{vectors.shape[0]:,} × {vectors.shape[1]} vectors, {len(found.splits)} splits, {found}")
    print(f"whyword                     {ours:7.2f} s (median of {arguments.rounds})")
    print(f"scikit-learn, split by K    {loop:7.2f} s, {loop / ours:.1f} × (must be ≥ {RATIO})")
    print(f"scikit-learn, once a split  {by_hand:7.2f} s, {by_hand / ours:.1f} ×")
    print(f"EPI by scikit-learn {accuracies.mean(axis=0).max():.4f}")
    print(f"{different:,} of {total:,} predictions differ, {untied} without a tie (must be 0)")
    if loop / ours < RATIO or untied:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
