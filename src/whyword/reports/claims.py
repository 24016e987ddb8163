"""What the paper claims, held against what was found here: nothing is written in advance."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from whyword.evaluation.comparison import Comparison
from whyword.reports import paper

_ORDERS = {  # of the areas under the accuracy: the first is above the second
    1: (("random", "sensitivity"), ("sensitivity", "lrp")),
    2: (("lrp", "random"), ("random", "sensitivity")),
    3: (("lrp", "sensitivity"),),
}
_SAID = {
    1: "deleting the most relevant words, accuracy falls fastest by LRP, then SA, then chance",
    2: "deleting what speaks against the true class, accuracy rises by LRP, and by SA less than by "
    "chance",
    3: "deleting what misled the network, accuracy rises more by LRP than by SA",
}


class Claim(NamedTuple):
    """A statement of the paper, whether it holds here, and the figures that say so."""

    text: str
    holds: bool
    figures: str


def claims(results: dict[str, Any], tests: dict[str, Comparison]) -> list[Claim]:
    """Return the paper's claims with what was found.

    Parameters
    ----------
    results : dict
        Of :func:`~whyword.reports.reproduction.reproduce`.
    tests : dict from "first > second" to Comparison
        Between rows of Table 2.
    """
    return [
        *_accuracies(results),
        *_heatmaps(results),
        *_unseen_words(results),
        *_planes(results),
        *_deletions(results),
        *_deletion_of_chance(results),
        *_widths(results),
        *_powers(results),
        *_curves(results),
        *_significances(tests),
    ]


def _accuracies(results: dict[str, Any]) -> Iterator[Claim]:
    for name, published in paper.ACCURACY.items():
        accuracy = 100 * results["quality"][name]["accuracy"]
        yield Claim(
            f"{name} reaches {published:.2f} % on the test posts",
            accuracy >= published,
            f"{accuracy:.2f} %, {accuracy - published:+.2f}".replace("-", "−"),
        )


class _Heatmap:
    """The example document's relevance by target, as the claims need it."""

    def __init__(self, explanation: str) -> None:
        data = json.loads(explanation)
        self.words = [word.lower() for word in data["words"]]
        values = np.array(data["relevance"])
        self._columns = {target: values[:, k] for k, target in enumerate(data["target"])}

    def of(self, word: str, target: str) -> float:
        """Return the relevance of all occurrences of a word."""
        shown = zip(self.words, self._columns[target], strict=True)
        return float(sum(value for one, value in shown if one == word))

    def concentration(self, target: str) -> float:
        """Return the share of words that hold nine tenths of all relevance, of either sign."""
        sizes = -np.sort(-np.abs(self._columns[target]))
        held = np.cumsum(sizes)
        return float(np.searchsorted(held, 0.9 * held[-1]) + 1) / len(sizes)


def _heatmaps(results: dict[str, Any]) -> Iterator[Claim]:
    heatmaps = {name: _Heatmap(one["explanation"]) for name, one in results["heatmaps"].items()}
    cnn, svm = heatmaps["CNN2"], heatmaps["SVM"]
    shares = {
        name: [one.concentration(target) for target in paper.EXAMPLE_TARGETS]
        for name, one in heatmaps.items()
    }
    yield Claim(
        "CNN2’s heatmaps are sparser than the SVM’s",
        all(few < many for few, many in zip(shares["CNN2"], shares["SVM"], strict=True)),
        "nine tenths of the relevance are in "
        + "; ".join(
            f"{name}: {' and '.join(f'{share:.0%}' for share in each)} of the words"
            for name, each in shares.items()
        ),
    )
    word, (target, other) = paper.UNSEEN_WORD, paper.EXAMPLE_TARGETS
    yield Claim(
        f"CNN2 gives relevance for {target} to “{word}”, which the SVM ignores",
        cnn.of(word, target) > 0 and svm.of(word, target) == 0,
        f"CNN2 {_with_sign(cnn.of(word, target))}, SVM {_with_sign(svm.of(word, target))}",
    )
    said = ", ".join(f"“{one}”" for one in paper.MEDICAL_WORDS)
    for name, one, sign, side in (("the SVM", svm, -1, "against"), ("CNN2", cnn, 1, "for")):
        values = {word: one.of(word, other) for word in paper.MEDICAL_WORDS}
        yield Claim(
            f"To {name}, {said} speak {side} {other}",
            all(sign * value > 0 for value in values.values()),
            ", ".join(f"{word} {_with_sign(value)}" for word, value in values.items()),
        )


def _with_sign(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−") if value else "0"


def _planes(results: dict[str, Any]) -> Iterator[Claim]:
    shares = {name: one["neighbours_of_own_group"] for name, one in results["planes"].items()}
    best, *others = (name for name in shares if name.startswith(("CNN2", "word vectors")))
    shown = ", ".join(f"{name} {shares[name]:.1%}" for name in (best, *others))
    yield Claim(
        f"On the plane, groups are best separated by {best}",
        all(shares[best] > shares[other] for other in others),
        f"of a post’s ten nearest, its own group’s are: {shown}",
    )
    plain = [name for name in shares if name.startswith("BoW")]
    explained = [name for name in shares if name.startswith("SVM")]
    yield Claim(
        "On the plane, the SVM’s LRP and SA show structure that TFIDF and uniform weighting do not",
        min(shares[name] for name in explained) > max(shares[name] for name in plain),
        ", ".join(f"{name} {shares[name]:.1%}" for name in (*explained, *plain)),
    )


def _deletions(results: dict[str, Any]) -> Iterator[Claim]:
    for name, experiments in results["deletion"].items():
        for number, pairs in _ORDERS.items():
            if str(number) not in experiments:
                continue
            curves = experiments[str(number)]["curves"]
            areas = {method: curve["area"] for method, curve in curves.items()}
            shown = ", ".join(f"{paper.METHODS[name]} {area:.3f}" for name, area in areas.items())
            holds = all(areas[above] > areas[below] for above, below in pairs)
            yield Claim(f"{name}: {_SAID[number]}", holds, f"areas: {shown}")


def _deletion_of_chance(results: dict[str, Any]) -> Iterator[Claim]:
    deviations = [
        (curve["largest_deviation"], f"{name}, experiment {number}")
        for name, experiments in results["deletion"].items()
        for number, one in experiments.items()
        for method, curve in one["curves"].items()
        if method in ("random", "random_known")
    ]
    largest, where = max(deviations)
    yield Claim(
        f"Random deletion varies by less than {paper.RANDOM_DEVIATION} between runs",
        largest < paper.RANDOM_DEVIATION,
        f"at most {largest:.4f} ({where})",
    )
    gaps = [
        abs(one["curves"]["random"]["area"] - one["curves"]["random_known"]["area"])
        for experiments in results["deletion"].values()
        for one in experiments.values()
    ]
    yield Claim(
        "Random deletion among known words is almost the same as among all",
        max(gaps) < paper.RANDOM_DEVIATION,
        f"the areas differ by at most {max(gaps):.4f}",
    )


def _widths(results: dict[str, Any]) -> Iterator[Claim]:
    for method, said in (("lrp", "LRP"), ("sensitivity", "SA")):
        areas = {
            name: experiments["1"]["curves"][method]["area"]
            for name, experiments in results["deletion"].items()
            if "1" in experiments
        }
        if len(areas) == len(paper.FILTERS):
            yield Claim(
                f"Deleting the most relevant words by {said}, CNN2 and CNN3 fall faster than CNN1",
                max(areas["CNN2"], areas["CNN3"]) < areas["CNN1"],
                "areas: " + ", ".join(f"{name} {area:.3f}" for name, area in areas.items()),
            )


def _curves(results: dict[str, Any]) -> Iterator[Claim]:
    rows = results["powers"]
    best = np.array(rows["CNN2 LRP (ew)"]["curve"])
    for other in ("CNN2 SA (ew)", "word vectors TFIDF", "word vectors uniform", "SVM LRP"):
        gaps = best - np.array(rows[other]["curve"])
        yield Claim(
            f"CNN2 LRP (ew) is above {other} for every K",
            bool((gaps > 0).all()),
            f"by {_with_sign(gaps.min())} to {_with_sign(gaps.max())}",
        )


def _powers(results: dict[str, Any]) -> Iterator[Claim]:
    rows = results["powers"]

    def epi(name: str) -> float:
        return float(rows[name]["epi"])

    for name in ("CNN1", "CNN2", "CNN3"):
        for ending in (" (ew)", ""):
            first, second = f"{name} LRP{ending}", f"{name} SA{ending}"
            figures = f"{epi(first):.4f} against {epi(second):.4f}"
            yield Claim(
                f"{first} has a higher EPI than {second}", epi(first) > epi(second), figures
            )
    figures = f"{epi('SVM LRP'):.4f} against {epi('SVM SA'):.4f}"
    yield Claim("SVM LRP has a higher EPI than SVM SA", epi("SVM LRP") > epi("SVM SA"), figures)
    cnn = max((name for name in rows if name.startswith("CNN")), key=epi)
    svm = max((name for name in rows if name.startswith("SVM")), key=epi)
    figures = f"{cnn} {epi(cnn):.4f}, {svm} {epi(svm):.4f}"
    yield Claim("The best network's EPI is above the best SVM's", epi(cnn) > epi(svm), figures)
    plain = [name for name in rows if name.endswith(("TFIDF", "uniform"))]
    explained = [name for name in rows if "LRP" in name]
    highest, lowest = max(plain, key=epi), min(explained, key=epi)
    figures = f"{highest} {epi(highest):.4f}, {lowest} {epi(lowest):.4f}"
    yield Claim(
        "Every LRP row is above every TFIDF and uniform row", epi(lowest) > epi(highest), figures
    )


def _significances(tests: dict[str, Comparison]) -> Iterator[Claim]:
    for name, comparison in tests.items():
        winner = name.partition(" > ")[0]
        text = (
            f"{name.replace(' > ', ' is significantly better than ')} (level {comparison.alpha:g})"
        )
        yield Claim(text, comparison.winner == winner, comparison.verdict)


def _unseen_words(results: dict[str, Any]) -> Iterator[Claim]:
    for name in (name for name in results["words"] if name != "SVM"):
        counts = {
            label: sum(not seen for _, _, seen in entries)
            for label, entries in results["words"][name].items()
        }
        shown = ", ".join(f"{label} {counts.get(label, 0)}" for label in paper.WORD_CLASSES)
        yield Claim(
            f"Among the class words are some that were not in the training texts: {name}",
            any(counts.get(label) for label in paper.WORD_CLASSES),
            f"of 30 each: {shown}; {sum(counts.values())} in all {len(counts)} classes",
        )
