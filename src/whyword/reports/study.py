"""Every table and figure of the paper, computed: plain data from models and texts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.class_words import class_words
from whyword.analysis.document_map import project
from whyword.analysis.summary import summarize
from whyword.corpora.corpus import Part
from whyword.evaluation.comparison import Comparison, compare, compare_all
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.deletion import deletion_curves
from whyword.evaluation.power import ExplanatoryPower, explanatory_power, random_halves
from whyword.evaluation.quality import model_quality
from whyword.methods.explain import explain
from whyword.models.estimator import Estimator
from whyword.reports import paper
from whyword.reports.plan import Plan
from whyword.words.tokenizer import Tokenizer

_METHODS = {"LRP": "lrp", "SA": "sensitivity", "TFIDF": "tfidf", "uniform": "uniform"}


def quality(model: Estimator, test: Part) -> dict[str, Any]:
    """Return Table 1's figure and more."""
    figures: dict[str, Any] = model_quality(model, test.texts, test.labels or []).to_dict()
    return figures


def heatmaps(model: Estimator, test: Part) -> dict[str, Any]:
    """Return the example document explained for the paper's two targets, as JSON."""
    text = test.texts[test.ids.index(paper.EXAMPLE)]
    explanations = explain(model, [text], list(paper.EXAMPLE_TARGETS), ids=[paper.EXAMPLE])
    return {"explanation": explanations[0].to_json()}


def words(model: Estimator, test: Part) -> dict[str, Any]:
    """Return the thirty words of each class, by the paper's rule: [word, relevance, seen]."""
    by_class = class_words(model, test.texts, top=30, rank="strongest", ids=test.ids)
    return {
        str(label): [[one.word, one.relevance, one.seen] for one in entries]
        for label, entries in by_class.items()
    }


def deletion(model: Estimator, test: Part, plan: Plan) -> dict[str, Any]:
    """Return the three experiments' curves and what the paired bootstrap says of them."""
    experiments = deletion_curves(
        model,
        test.texts,
        test.labels or [],
        steps=paper.STEPS,
        least_words=paper.LEAST_WORDS,
        runs=plan.runs,
        seed=plan.seed,
    )
    return {
        str(number): {
            "curves": {
                name: {**curve.to_dict(), "largest_deviation": _largest_deviation(curve)}
                for name, curve in curves.items()
            },
            "comparisons": [one.to_dict() for one in compare_all(curves)],
        }
        for number, curves in experiments.items()
    }


def _largest_deviation(curve: DeletionCurve) -> float:
    """Return how far the accuracies of a curve's runs are apart, where they are farthest."""
    return float(curve.correct.mean(axis=1).std(axis=0).max())


class LabelledTexts(NamedTuple):
    """Documents of at least two words, which explanatory power is measured on."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]


def power_documents(test: Part) -> LabelledTexts:
    """Return the documents that explanatory power is measured on."""
    return _power_documents(tuple(test.texts), tuple(test.labels or ()))


@lru_cache(maxsize=1)  # every row of Table 2 asks
def _power_documents(texts: tuple[str, ...], labels: tuple[str, ...]) -> LabelledTexts:
    tokenizer = Tokenizer(paper.MOST_WORDS)
    long = [number for number, text in enumerate(texts) if len(tokenizer(text)) > 1]
    return LabelledTexts(tuple(texts[n] for n in long), tuple(labels[n] for n in long))


def summaries(model: Estimator, weighting: str, texts: Sequence[str]) -> Any:  # noqa: ANN401 - dense or sparse
    """Return summary vectors by the name of a weighting in Table 2."""
    name, _, elements = weighting.partition(" ")
    return summarize(model, texts, _METHODS[name], "element" if elements else "word")


def power(
    model: Estimator, weighting: str, test: Part, plan: Plan, mapped: bool = False
) -> dict[str, Any]:
    """Return a row of Table 2, and with `mapped` the documents on a plane."""
    texts, labels = power_documents(test)
    vectors = summaries(model, weighting, texts)
    index = explanatory_power(
        vectors, labels, paper.SPLITS, range(1, paper.NEIGHBOURS + 1), seed=plan.seed
    )
    more = {"plane": plane(vectors, labels)} if mapped else {}
    return {**index.to_dict(), "documents": len(texts), **more}


def restored_power(row: dict[str, Any], plan: Plan) -> ExplanatoryPower:
    """Return a row of Table 2 as what it was measured as."""
    return ExplanatoryPower(
        row["epi"],
        row["k"],
        np.array(row["accuracies"]),
        np.array(row["neighbours"]),
        random_halves(row["documents"], paper.SPLITS, plan.seed),
    )


def compare_rows(
    first: str, second: str, rows: dict[str, dict[str, Any]], plan: Plan, alpha: float
) -> Comparison:
    """Return the corrected resampled t-test between two rows of Table 2."""
    a, b = (restored_power(rows[name], plan) for name in (first, second))
    return compare(a, b, names=(first, second), alpha=alpha)


def plane(vectors: Any, labels: Sequence[str]) -> dict[str, Any]:  # noqa: ANN401 - dense or sparse
    """Return documents on their vectors' first two principal components, and how they cluster."""
    points, share = project(vectors)
    groups = [paper.group_of(label) for label in labels]
    return {
        "points": np.round(points, 4).tolist(),
        "labels": list(labels),
        "share": share,
        "neighbours_of_own_group": _neighbours_alike(points, groups),
    }


def _neighbours_alike(points: NDArray[np.floating[Any]], groups: Sequence[str]) -> float:
    """Return how many of each point's ten nearest belong to its own group, as a share."""
    from sklearn.neighbors import NearestNeighbors

    count = min(10, len(points) - 1)
    nearest = NearestNeighbors(n_neighbors=count).fit(points).kneighbors(return_distance=False)
    numbers = np.unique(groups, return_inverse=True)[1]
    return float(np.mean(numbers[nearest] == numbers[:, None]))
