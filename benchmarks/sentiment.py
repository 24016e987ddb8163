"""Sentiment of IMDB reviews: our bag of n-grams beside scikit-learn's TF-IDF(1,2) + LinearSVC.

8,000 reviews to train on and 4,000 others; four such parts of the 50,000, drawn with a fixed seed,
none with a review of another: accuracies and McNemar's exact test are of all 16,000 test reviews,
times are medians over the parts. Both sides in one run, in turn. The reviews hold ``<br />`` and
are read as they are, and decoded: ours by ``Reader(format="html")``, scikit-learn's by the same
function before it looks, in its time. Compared are texts read the same way.

Twice: settings given (n-grams of 1 and 2 words, C = 1), and settings chosen among the same ones
(words or words + pairs, C of 0.1, 0.3, 1, 3, 10) on five folds of the training reviews, by our own
cross-validation and by ``GridSearchCV``, whose pipeline keeps its vectorisers' results
(``memory=``), so that each is fitted once. Everything else is each side's default. Ours fits
probabilities, too, on held-out reviews, in its time.

    python benchmarks/sentiment.py [--parts 4] [--only given|chosen] [--out FILE]
"""

import argparse
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from figures import write_results
from numpy.typing import NDArray
from reviews import Reviews, load_reviews
from scipy.stats import binomtest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from whyword import Reader, SVMClassifier
from whyword.models.linear.training import GRID
from whyword.words.html import html_to_text

TRAIN, TEST, FOLDS = 8_000, 4_000, 5
READ = (False, True)  # as they are, and decoded

Make = Callable[[], Any]  # a classifier


class Entry(NamedTuple):
    """A side: what it is called, who made it, how texts are read, and the classifier."""

    name: str
    ours: bool
    decoded: bool
    make: Make


class Result(NamedTuple):
    """What came of it: which test reviews are right, seconds, what was chosen; a part each."""

    right: list[NDArray[np.bool_]]
    fit: list[float]
    predict: list[float]
    chosen: list[str]

    @property
    def accuracy(self) -> float:
        """Of all parts' reviews."""
        return float(np.mean(np.concatenate(self.right)))

    @property
    def seconds(self) -> float:
        """The median of training and predicting."""
        return statistics.median(map(sum, zip(self.fit, self.predict, strict=True)))


def ours(decoded: bool, **settings: Any) -> Any:  # noqa: ANN401 - as theirs
    return SVMClassifier(reader=Reader("html") if decoded else None, **settings)


def theirs(memory: str | None = None) -> Any:  # noqa: ANN401 - scikit-learn has no types
    return make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0), memory=memory
    )


def given() -> list[Entry]:
    """Return both sides with given settings."""
    name, settings = "ngrams=(1, 2), C=1", {"ngrams": (1, 2), "C": 1.0, "folds": FOLDS}
    other = "TfidfVectorizer((1, 2)), LinearSVC()"
    return [
        *(Entry(name, True, decoded, partial(ours, decoded, **settings)) for decoded in READ),
        *(Entry(other, False, decoded, theirs) for decoded in READ),
    ]


class Search:
    """scikit-learn's choice among the same settings."""

    def fit(self, texts: list[str], labels: list[str]) -> None:
        """Choose, and train."""
        grid = {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)], "linearsvc__C": list(GRID)}
        with tempfile.TemporaryDirectory() as folder:
            search = GridSearchCV(theirs(folder), grid, cv=FOLDS, n_jobs=-1).fit(texts, labels)
        self.model, self.chosen = search.best_estimator_, search.best_params_

    def predict(self, texts: list[str]) -> NDArray[np.str_]:
        """Return the label of each text."""
        predicted: NDArray[np.str_] = self.model.predict(texts)
        return predicted


def chosen() -> list[Entry]:
    """Return both sides choosing."""
    return [
        *(Entry("default", True, decoded, partial(ours, decoded, folds=FOLDS)) for decoded in READ),
        *(Entry("GridSearchCV", False, decoded, Search) for decoded in READ),
    ]


def settings_of(model: Any) -> str:  # noqa: ANN401 - either side's
    if isinstance(model, Search):
        return ", ".join(f"{value}" for value in model.chosen.values())
    facts = getattr(model, "provenance_", {})
    return f"{facts['C']:g}, {tuple(facts['ngrams'])}" if "C" in facts else ""


def run(entry: Entry, train: Reviews, test: Reviews, result: Result) -> None:
    """Train and predict once more."""
    model = entry.make()
    decode = html_to_text if entry.decoded and not entry.ours else str
    start = time.perf_counter()
    model.fit([decode(text) for text in train.texts], train.labels)
    middle = time.perf_counter()
    predicted = model.predict([decode(text) for text in test.texts])
    end = time.perf_counter()
    result.right.append(np.asarray(predicted) == np.array(test.labels))
    result.fit.append(middle - start)
    result.predict.append(end - middle)
    result.chosen.append(settings_of(model))


class Row(NamedTuple):
    """A line of the table: of ours, what it has right and scikit-learn's has not, and so on."""

    settings: str
    name: str
    ours: bool
    decoded: bool
    accuracy: float
    seconds: float
    gains: int
    losses: int
    p: float


def report(title: str, results: dict[Entry, Result], rows: list[Row]) -> list[str]:
    """Print a table, add its rows, and return what was missed."""
    print(f"\n{title:50} {'texts':8} accuracy  gains losses       p   fit s predict s  both s")
    missed = []
    for entry, one in results.items():
        read = "decoded" if entry.decoded else "as is"
        (other,) = (r for e, r in results.items() if not e.ours and e.decoded == entry.decoded)
        right, theirs = np.concatenate(one.right), np.concatenate(other.right)
        gains, losses = int(np.sum(right & ~theirs)), int(np.sum(theirs & ~right))
        p = binomtest(gains, gains + losses).pvalue if gains + losses else 1.0
        rows.append(
            Row(title, entry.name, *entry[1:3], one.accuracy, one.seconds, gains, losses, p)
        )
        compared = f"{gains:6} {losses:6} {p:7.2g}" if entry.ours else " " * 21
        name = ("whyword: " if entry.ours else "scikit-learn: ") + entry.name
        fit, predict = statistics.median(one.fit), statistics.median(one.predict)
        print(
            f"{name:50} {read:8} {one.accuracy:8.2%} {compared} {fit:7.2f} {predict:9.2f} "
            f"{one.seconds:7.2f}"
        )
        parts = "  ".join(
            f"{part.mean():.2%} {chosen}"
            for part, chosen in zip(one.right, one.chosen, strict=True)
        )
        print(f"    of the parts: {parts}", flush=True)
        if entry.ours and one.accuracy < other.accuracy:
            missed.append(f"{title}, {read}: less accurate")
        if entry.ours and one.seconds > other.seconds:
            missed.append(f"{title}, {read}: slower")
    return missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--parts", type=int, default=4, choices=range(1, 5))
    parser.add_argument("--only", choices=["given", "chosen"])
    parser.add_argument("--out", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # that keeping results takes a while
    Reader("html")("compiled")  # once per machine
    SVMClassifier(folds=2).fit(["good film", "bad film"] * 2, ["good", "bad"] * 2)  # imported
    missed, rows = [], list[Row]()
    for title, entries in (("settings given", given()), ("settings chosen", chosen())):
        if arguments.only is not None and arguments.only not in title:
            continue
        results = {entry: Result([], [], [], []) for entry in entries}
        for part in range(arguments.parts):
            train, test = load_reviews(part, TRAIN, TEST)
            for entry, result in results.items():
                run(entry, train, test, result)
        missed += report(title, results, rows)
    if arguments.out:
        write_results(arguments.out, [row._asdict() for row in rows])
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
