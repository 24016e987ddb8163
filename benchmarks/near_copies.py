"""Copies of training documents among test documents: how many are found, and how long it takes.

The documents are made up of words whose frequencies fall as those of a language do; copies of a
tenth of them are planted, edited in three ways. Beside it scikit-learn's TF-IDF of pairs of words
and cosines, on as many documents as it can compare in the time, five rounds each. Run it with the
number of documents (default 100,000); half of them are training documents.

    python benchmarks/near_copies.py [DOCUMENTS]
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from figures import keep
from numpy.typing import NDArray

from whyword.corpora.near_copies import NEAR, near_copies

WORDS, LENGTH, SHARE = 30_000, 200, 0.15
BASELINE = 10_000  # documents that the baseline is given
ROUNDS = 5


def spelled(number: int) -> str:
    """Return a word for a number."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


class Writer:
    """Makes documents up, and copies of them."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        ranks = 1 / np.arange(1, WORDS + 1)
        self.share = ranks / ranks.sum()
        self.words = [spelled(number) for number in range(WORDS)]

    def some(self, count: int) -> list[str]:
        """Return so many words by their frequencies."""
        chosen = self.random.choice(WORDS, count, p=self.share)
        return [self.words[number] for number in chosen.tolist()]

    def document(self) -> list[str]:
        """Return the words of a document."""
        return self.some(int(self.random.integers(50, 2 * LENGTH - 50)))

    def scattered(self, words: list[str]) -> list[str]:
        """Replace words anywhere."""
        gone = self.random.random(len(words)) < SHARE
        new = self.some(len(words))
        return [b if g else a for a, b, g in zip(words, new, gone.tolist(), strict=True)]

    def passage(self, words: list[str]) -> list[str]:
        """Replace a passage."""
        length = round(SHARE * len(words))
        start = int(self.random.integers(len(words) - length))
        return words[:start] + self.some(length) + words[start + length :]

    def signed(self, words: list[str]) -> list[str]:
        """Add a signature."""
        return words + self.some(round(SHARE * len(words)))


def by_cosine(train: list[str], test: list[str]) -> NDArray[np.intp]:
    """Return the nearest training document by TF-IDF of pairs of words; −1 below a half."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(ngram_range=(2, 2))
    known = vectorizer.fit_transform(train).T.tocsr()
    nearest = np.full(len(test), -1)
    for start in range(0, len(test), 500):
        cosines = (vectorizer.transform(test[start : start + 500]) @ known).tocsr()
        for row in range(cosines.shape[0]):
            values = cosines.data[cosines.indptr[row] : cosines.indptr[row + 1]]
            if len(values) and values.max() >= 0.5:
                nearest[start + row] = cosines.indices[cosines.indptr[row] + values.argmax()]
    return nearest


def report(
    name: str,
    nearest: Callable[[list[str], list[str]], NDArray[np.integer]],
    train: list[str],
    test: list[str],
    planted: NDArray[np.int64],
) -> dict[str, float]:
    """Print, and return, how long it takes, how many copies are found, and how many others."""
    start = time.perf_counter()
    found = nearest(train, test)
    seconds = time.perf_counter() - start
    is_planted = planted >= 0
    recall = np.mean(found[is_planted] == planted[is_planted])
    wrong = int(np.sum(found[~is_planted] >= 0))
    documents = len(train) + len(test)
    print(
        f"{name:10} {documents:>9,} documents {seconds:7.1f} s  recall {recall:.4f}  wrong {wrong}"
    )
    return {"seconds": seconds, "recall": float(recall), "wrong": wrong}


def main(documents: int) -> None:
    """Compare both."""
    writer = Writer()
    half = documents // 2
    train = [writer.document() for _ in range(half)]
    test = [writer.document() for _ in range(half)]
    planted = np.full(half, -1, np.int64)
    edits = (writer.scattered, writer.passage, writer.signed)
    for number in range(0, half, 10):
        planted[number] = writer.random.integers(half)
        test[number] = edits[number // 10 % 3](train[planted[number]])
    texts = [" ".join(words) for words in train], [" ".join(words) for words in test]
    near_copies(["a b c"], ["a b d"])  # compiles
    print(f"{SHARE:.0%} of the words changed; copies from {NEAR:g} on")
    found = [
        report("whyword", lambda one, other: near_copies(one, other).nearest, *texts, planted)
        for _ in range(ROUNDS)
    ]
    few = min(half, BASELINE // 2)
    planted[planted >= few] = -2  # copies of what the baseline is not given
    chosen = np.flatnonzero(planted[:few] != -2)
    some = [texts[1][n] for n in chosen.tolist()]
    faster = []
    for _ in range(ROUNDS):
        theirs = report("cosine", by_cosine, texts[0][:few], some, planted[chosen])
        ours = report(
            "whyword",
            lambda one, other: near_copies(one, other).nearest,
            texts[0][:few],
            some,
            planted[chosen],
        )
        faster.append(theirs["seconds"] / ours["seconds"])
    rounds = {name: [one[name] for one in found] for name in found[0]}
    keep("near_copies", {**rounds, "cosine_ratio": faster})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
