"""How two of the models compare: what they predict, how well, and by which words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from whyword.audit.rows import DELETION, POWER, WORDS, ModelRow, PairRow, agrees
from whyword.audit.word_agreement import WordRelevance, word_agreement
from whyword.evaluation.comparison import (
    Comparison,
    bootstrap_comparison,
    compare,
    corrected,
)
from whyword.evaluation.significance import mcnemar, paired_interval

MCNEMAR = "McNemar's exact test"
GAIN = "gain over chance"
_FIRST = 1  # the paper's experiment that documents predicted right take part in

Relevances = Mapping[int, WordRelevance]


def compare_pair(
    a: ModelRow, b: ModelRow, words: tuple[Relevances, Relevances], alpha: float, seed: int
) -> PairRow:
    """Return how two models compare, each comparison uncorrected.

    Parameters
    ----------
    a, b : ModelRow
        Of the same documents.
    words : pair of mappings from a document's number to WordRelevance
        Of documents that each has right.
    alpha : float
    seed : int
        Of the bootstrap.
    """
    same = agrees(a, b)
    wrong = ~a.right & ~b.right
    lacks: dict[str, str] = {}
    power = _compare_powers(a, b, alpha)
    if power is None:
        lacks[POWER] = "it was not measured of both, on several splits"
    deletion = _compare_gains(a, b, alpha, seed)
    if deletion is None:
        lacks[DELETION] = "there are no documents that both have right and words were deleted from"
    agreed = word_agreement(*words)
    if agreed is None:
        lacks[WORDS] = "there are no explained documents that both have right and read alike"
    return PairRow(
        names=(a.name, b.name),
        same=int(same.sum()),
        both_right=int((a.right & b.right).sum()),
        only_first=int((a.right & ~b.right).sum()),
        only_second=int((b.right & ~a.right).sum()),
        both_wrong=int(wrong.sum()),
        same_mistake=int((wrong & same).sum()),
        accuracy=compare_accuracies((a.name, b.name), (a.right, b.right), alpha),
        power=power,
        deletion=deletion,
        words=agreed,
        lacks=lacks,
    )


def corrected_pairs(pairs: Sequence[PairRow]) -> list[PairRow]:
    """Return the pairs, each kind of comparison corrected for how many of it there are."""
    accuracies = corrected([pair.accuracy for pair in pairs])
    powers = _corrected([pair.power for pair in pairs])
    deletions = _corrected([pair.deletion for pair in pairs])
    return [
        replace(pair, accuracy=accuracy, power=power, deletion=deletion)
        for pair, accuracy, power, deletion in zip(
            pairs, accuracies, powers, deletions, strict=True
        )
    ]


def _corrected(comparisons: Sequence[Comparison | None]) -> list[Comparison | None]:
    remaining = iter(corrected([one for one in comparisons if one is not None]))
    return [None if one is None else next(remaining) for one in comparisons]


def compare_accuracies(
    names: tuple[str, str], rights: tuple[NDArray[np.bool_], NDArray[np.bool_]], alpha: float
) -> Comparison:
    """Compare two accuracies on the same documents by McNemar's exact test.

    Parameters
    ----------
    names : pair of str
    rights : pair of (n,) bool
        Which documents each has right.
    alpha : float
    """
    count = len(rights[0])
    first, second = int((rights[0] & ~rights[1]).sum()), int((rights[1] & ~rights[0]).sum())
    values = float(rights[0].mean()), float(rights[1].mean())
    p = mcnemar(first, second)
    return Comparison(
        names=names,
        test=MCNEMAR,
        values=values,
        difference=values[0] - values[1],
        statistic=None,
        freedom=None,
        interval=paired_interval(first, second, count, alpha),
        p=p,
        adjusted=p,
        comparisons=1,
        alpha=alpha,
        better="higher",
        details=(
            f"accuracy {values[0]:.4f} ({names[0]}) against {values[1]:.4f} ({names[1]}), "
            f"{count:,} documents"
        ),
    )


def _compare_powers(a: ModelRow, b: ModelRow, alpha: float) -> Comparison | None:
    if a.power is None or b.power is None or len(a.power.splits) < 2:
        return None
    return compare(a.power, b.power, names=(a.name, b.name), alpha=alpha)


def _compare_gains(a: ModelRow, b: ModelRow, alpha: float, seed: int) -> Comparison | None:
    """Compare what deletion by relevance gains over chance, on decisions that both have right."""
    first, second = _gains(a), _gains(b)
    both = [decision for decision in first if decision in second]
    if not both:
        return None
    units = np.array([document for document, _ in both], np.intp)
    documents = len(np.unique(units))
    return bootstrap_comparison(
        (a.name, b.name),
        (np.array([first[one] for one in both]), np.array([second[one] for one in both])),
        units,
        better="higher",
        what=GAIN,
        size=f"{documents:,} document{'s' * (documents != 1)} that both have right",
        alpha=alpha,
        seed=seed,
    )


def _gains(row: ModelRow) -> dict[tuple[int, int], float]:
    """Return for each document and class how much smaller the area is than by chance."""
    curve, chance = row.curve(_FIRST), row.chance_curve(_FIRST)
    if curve is None or chance is None or curve is chance or curve.targets is None:
        return {}
    gains = (chance.document_areas() - curve.document_areas()).tolist()
    classes = row.numbers[curve.targets].tolist()
    return dict(zip(zip(curve.chosen.tolist(), classes, strict=True), gains, strict=True))
