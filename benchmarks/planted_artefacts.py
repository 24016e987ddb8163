"""Artefacts planted in 20 Newsgroups: whether they are found, and what taking them away is worth.

A token, two words in a row, a signature line and a host are planted in one class each, four at a
time, in a share of the class's training posts (read without headers, quotes and footers), and in as
many test posts of other classes, the carriers; each model is trained on that. Then:

- recall: how many of the four are among the first 10 suspects of their class, beside how many of
  their carriers are taken for that class only because of it: what misleads nobody was not learned;
- the accuracy on the carriers: as it is, with what was found taken away (`without`), after training
  again without it, and of a model that was trained on the posts as they were.

Where nothing is planted (the rate 0), it is counted how many rows are called suspects, all the
same. The figures of a kind are written after each corpus; one that has them is not measured again.

    python benchmarks/planted_artefacts.py [--kinds svm cnn torch] [--rates 0.02 0.05 0.2]
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from figures import write_results
from numpy.typing import NDArray
from own_network import OwnNetwork
from planted_table import by_kind_and_rate, mean_accuracies, ranks_of, recall

import whyword as ww
from whyword.audit import Suspects
from whyword.corpora.corpus import Part

AIM = 0.95  # recall at 5 and 20 %
CLOSE = 0.005  # of a model that never saw the artefacts, in accuracy


class Artefact(NamedTuple):
    """What is planted, and by which words it is known."""

    name: str
    text: str
    words: frozenset[str]


ARTEFACTS = (
    Artefact("token", "zorvex", frozenset({"zorvex"})),
    Artefact("two words", "marble lantern", frozenset({"marble", "lantern"})),
    Artefact(
        "signature",
        "\nVisit the green valley club every sunday\n",
        frozenset("visit the green valley club every sunday".split()),
    ),
    Artefact("host", "mail.tolvanen.org", frozenset({"mail.tolvanen.org"})),
)


KINDS: dict[str, Callable[[int], Any]] = {
    "svm": lambda seed: ww.SVMClassifier(ngrams=(1, 1), C=1.0, seed=seed),
    "cnn": lambda seed: ww.CNNClassifier(width=2, filters=400, seed=seed),
    "torch": OwnNetwork,
}


@dataclass(frozen=True)
class Planted:
    """A corpus with artefacts in it.

    Attributes
    ----------
    corpus : Corpus
    classes : dict from Artefact to str
        In which class's training posts each stands.
    carriers_of : dict from Artefact to list of int
        The test posts of other classes in which each stands.
    """

    corpus: ww.Corpus
    classes: dict[Artefact, str]
    carriers_of: dict[Artefact, list[int]]

    @property
    def carriers(self) -> list[int]:
        """All test posts of other classes in which one stands."""
        return sorted({number for some in self.carriers_of.values() for number in some})


@cache
def posts() -> ww.Corpus:
    """Return 20 Newsgroups without headers, quotes and footers."""
    return ww.load_corpus("20newsgroups", remove=["headers", "quotes", "footers"])


def planted(rate: float, seed: int) -> Planted:
    """Return the posts with four artefacts in them."""
    random, whole = np.random.default_rng(seed), posts()
    classes = random.choice(whole.classes, len(ARTEFACTS), replace=False).tolist()
    texts = [list(whole.train.texts), list(whole.test.texts)]
    labels = [np.array(part.labels) for part in (whole.train, whole.test)]
    carriers: dict[Artefact, list[int]] = {}
    for artefact, label in zip(ARTEFACTS, classes, strict=True):
        own = np.flatnonzero(labels[0] == label)
        chosen = random.choice(own, round(rate * len(own)), replace=False)
        others = random.choice(np.flatnonzero(labels[1] != label), len(chosen), replace=False)
        for part, numbers in ((0, chosen), (1, others)):
            for number in numbers.tolist():
                texts[part][number] = put_in(texts[part][number], artefact.text, random)
        carriers[artefact] = others.tolist()
    parts = [
        Part(some, part.labels, part.ids, part.groups)
        for some, part in zip(texts, (whole.train, whole.test), strict=True)
    ]
    corpus = ww.Corpus("planted", parts[0], parts[1])
    return Planted(corpus, dict(zip(ARTEFACTS, classes, strict=True)), carriers)


def put_in(text: str, artefact: str, random: np.random.Generator) -> str:
    """Return a text with the artefact: a line at its end, anything else between two words."""
    if "\n" in artefact:
        return text + artefact
    words = text.split(" ")
    at = int(random.integers(len(words) + 1))
    return " ".join([*words[:at], artefact, *words[at:]])


def rank_of(found: Suspects, artefact: Artefact, label: str) -> int | None:
    """Return the place of an artefact among the rows of its class, from 1; None if it is none.

    A row is the artefact's if all words of one of its entries are.
    """
    for place, row in enumerate(found.of_class(label), start=1):
        if any(artefact.words.issuperset(entry.split()) for entry in row.entries):
            return place
    return None


def entries_of(found: Suspects, artefacts: Iterable[Artefact]) -> list[str]:
    """Return what of the suspects somebody would tick: entries made of artefacts' words alone."""
    telling = [
        artefact.words - {"the", "every", "visit", "club", "green", "sunday"}
        for artefact in artefacts
    ]
    return sorted(
        {
            entry
            for row in found.suspects
            for entry in row.entries
            if any(words & set(entry.split()) for words in telling)
        }
    )


def misled(model: Any, data: Planted) -> dict[str, int]:  # noqa: ANN401 - any model
    """Return how many carriers of each artefact are taken for its class, and as they were are not.

    That is whether a model has learned it, whatever is found.
    """
    counts = {}
    for artefact, label in data.classes.items():
        numbers = data.carriers_of[artefact]
        given, as_they_were = (
            model.predict([part.texts[n] for n in numbers])
            for part in (data.corpus.test, posts().test)
        )
        counts[artefact.name] = int(np.sum((given == label) & (as_they_were != label)))
    return counts


def accuracy(model: Any, texts: list[str], labels: NDArray[Any]) -> float:  # noqa: ANN401
    """Return the share of texts that are predicted right."""
    return float(np.mean(model.predict(texts) == labels))


def measured(kind: str, rate: float, seed: int, clean: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return, and print, what was found in one planted corpus.

    Parameters
    ----------
    kind : str
    rate : float
    seed : int
    clean : model
        Trained on the posts as they were.
    """
    data = planted(rate, seed)
    train, test = data.corpus.train, data.corpus.test
    model = KINDS[kind](seed).fit(train.texts, train.labels)
    start = time.perf_counter()
    found = ww.suspects(model, data.corpus)
    seconds = time.perf_counter() - start
    ranks = {one.name: rank_of(found, one, label) for one, label in data.classes.items()}
    entries = entries_of(found, data.classes)
    texts = [test.texts[n] for n in data.carriers]
    labels = np.array(test.labels)[data.carriers]
    figures = {"before": accuracy(model, texts, labels), "never": accuracy(clean, texts, labels)}
    if entries:
        figures["what_if"] = accuracy(ww.without(model, entries), texts, labels)
        reader = ww.Reader(ignore=entries)
        again = KINDS[kind](seed).set_params(reader=reader).fit(train.texts, train.labels)
        figures["retrained"] = accuracy(again, texts, labels)
    said = ", ".join(f"{name} {rank or '–'}" for name, rank in ranks.items())
    print(f"{kind} {rate:.0%} seed {seed}: ranks {said}; {len(found.suspects)} suspects", end="")
    print(f" ({seconds:.0f} s); carriers: ", end="")
    print(", ".join(f"{name} {value:.1%}" for name, value in figures.items()), flush=True)
    return {
        "kind": kind,
        "rate": rate,
        "seed": seed,
        "ranks": ranks,
        "misled": misled(model, data),
        "suspects": len(found.suspects),
        "seconds": seconds,
        "carriers": len(texts),
        "accuracy": figures,
        "entries": entries,
    }


def unplanted(kind: str, seed: int, clean: Any) -> dict[str, Any]:  # noqa: ANN401 - a model
    """Return, and print, what is called suspect where nothing was planted."""
    found = ww.suspects(clean, posts())
    print(f"{kind} seed {seed}, nothing planted: {found!r}", flush=True)
    test = posts().test
    return {
        "kind": kind,
        "rate": 0.0,
        "seed": seed,
        "rows": len(found),
        "suspects": len(found.suspects),
        "accuracy": {"test": accuracy(clean, test.texts, np.array(test.labels))},
    }


def report(rows: list[dict[str, Any]]) -> bool:
    """Print recall and accuracies of each kind and rate; return whether the aims are reached."""
    reached = True
    for (kind, rate), some in sorted(by_kind_and_rate(rows).items()):
        if not rate:
            continue
        found = recall(some)
        means = mean_accuracies(some)
        print(f"{kind} {rate:.0%}: recall {found:.2f} of {len(ranks_of(some))}", end="")
        print("; carriers: " + ", ".join(f"{name} {value:.2%}" for name, value in means.items()))
        short = means.get("retrained", 0.0) < means["never"] - CLOSE
        reached &= rate < 0.05 or (found >= AIM and not short)
    return reached


def measure_kind(
    kind: str, rates: Iterable[float], seeds: Iterable[int], rows: list[dict[str, Any]]
) -> Iterator[None]:
    """Add to the rows of a kind what is missing; yield after each."""
    train = posts().train
    known = {(row["rate"], row["seed"]) for row in rows}
    for seed in seeds:
        missing = [rate for rate in (0.0, *rates) if (rate, seed) not in known]
        if not missing:
            continue
        clean = KINDS[kind](seed).fit(train.texts, train.labels)
        for rate in missing:
            rows.append(measured(kind, rate, seed, clean) if rate else unplanted(kind, seed, clean))
            yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--rates", nargs="+", type=float, default=[0.02, 0.05, 0.2])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="a folder for the figures, a JSON of each kind")
    arguments = parser.parse_args()
    whole: list[dict[str, Any]] = []
    for kind in arguments.kinds:
        file = arguments.out and arguments.out / f"{kind}.json"
        rows = json.loads(file.read_text()) if file and file.exists() else []
        for _ in measure_kind(kind, arguments.rates, range(arguments.seeds), rows):
            if file:
                write_results(file, rows)
        whole += rows
    print("aims reached" if report(whole) else "aims missed")


if __name__ == "__main__":
    main()
