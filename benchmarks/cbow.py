"""Our CBOW trainer beside gensim's, one thread each (gensim is deterministic with one only).

Speed: seconds per epoch on the 20 Newsgroups training posts, in turn, medians. Quality: ten-fold
accuracy of a ridge classifier on mean and maximum of the posts' unit vectors (training posts only).

    python benchmarks/cbow.py [--epochs 10] [--rounds 5]
"""

import argparse
import statistics
import time
import zlib
from collections.abc import Callable

import numpy as np
from figures import keep, ratios
from gensim.models import Word2Vec
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import KFold, cross_val_score

from whyword import load_corpus
from whyword.vectors.cbow import CBOW
from whyword.vectors.store import WordsAndMatrix
from whyword.words.tokenizer import words_of

TARGET_RATIO = 2


def by_us(documents: list[list[str]], epochs: int) -> WordsAndMatrix:
    return CBOW(epochs=epochs).fit(documents, cache=False, on_progress=False)


def by_gensim(documents: list[list[str]], epochs: int) -> WordsAndMatrix:
    settings = CBOW(epochs=epochs)
    model = Word2Vec(
        documents,
        vector_size=settings.dimensions,
        window=settings.window,
        negative=settings.negative,
        min_count=settings.min_count,
        epochs=epochs,
        workers=1,
        seed=settings.seed,
        hashfxn=lambda word: zlib.crc32(word.encode()),
    )
    return model.wv.index_to_key, model.wv.vectors


def quality(documents: list[list[str]], labels: list[str], vectors: WordsAndMatrix) -> float:
    words, matrix = vectors
    unit = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    rows = {word: row for row, word in enumerate(words)}
    features = np.array([_features(unit, rows, document) for document in documents])
    features = (features - features.mean(0)) / (features.std(0) + 1e-9)
    folds = KFold(10, shuffle=True, random_state=0)
    return float(cross_val_score(RidgeClassifier(alpha=100), features, labels, cv=folds).mean())


def _features(
    unit: NDArray[np.float32], rows: dict[str, int], document: list[str]
) -> NDArray[np.float32]:
    known = [rows[word] for word in document[:400] if word in rows]
    vectors = unit[known] if known else np.zeros((1, unit.shape[1]), np.float32)
    return np.concatenate([vectors.mean(0), vectors.max(0)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    train = load_corpus("20newsgroups:train").train
    documents = [[word.lower() for word in words] for words in words_of(train.texts)]
    by_us(documents[:20], 1)  # compile first
    trainers: dict[str, Callable[[list[list[str]], int], WordsAndMatrix]]
    trainers = {"whyword": by_us, "gensim": by_gensim}
    seconds: dict[str, list[float]] = {name: [] for name in trainers}
    vectors = {}
    for _ in range(arguments.rounds):
        for name, trainer in trainers.items():
            start = time.perf_counter()
            vectors[name] = trainer(documents, arguments.epochs)
            seconds[name].append((time.perf_counter() - start) / arguments.epochs)
    qualities = {}
    for name, found in vectors.items():
        accuracy = quality(documents, train.labels or [], found)
        qualities[f"{name}_accuracy"] = accuracy
        median = statistics.median(seconds[name])
        print(f"{name:8} {median:5.2f} s per epoch   accuracy {accuracy:.4f}", flush=True)
    keep("cbow", {"ratio": ratios(seconds["gensim"], seconds["whyword"]), **qualities})
    ratio = statistics.median(seconds["gensim"]) / statistics.median(seconds["whyword"])
    print(f"speed ratio {ratio:.1f} × (must be ≥ {TARGET_RATIO})")
    if ratio < TARGET_RATIO:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
