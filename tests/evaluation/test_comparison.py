"""Two explanations compared: of explanatory power, of deletion curves, of many at once."""

import json
from typing import Any

import numpy as np
import pytest
from networks import small_cnn, topical

from whyword import InputError, compare, deletion_curve
from whyword.evaluation import ExplanatoryPower, compare_all
from whyword.evaluation.comparison import of_best
from whyword.evaluation.power import random_halves
from whyword.evaluation.significance import corrected_t, holm

TEXTS, LABELS = topical(60, seed=3)
MODEL = small_cnn()


def power(accuracies: list[float], seed: int = 0, n_documents: int = 40) -> ExplanatoryPower:
    splits = random_halves(n_documents, len(accuracies), seed)
    mean = float(np.mean(accuracies))
    return ExplanatoryPower(mean, 7, np.array(accuracies)[:, None], np.array([7]), splits)


def test_powers() -> None:
    random = np.random.default_rng(0)
    low = random.normal(0.70, 0.005, 10)
    high = low + random.normal(0.10, 0.002, 10)
    comparison = compare(power(high.tolist()), power(low.tolist()), names=("LRP", "SA"))
    t, p, _ = corrected_t(high - low, 20, 20)
    assert (comparison.statistic, comparison.p, comparison.freedom) == (t, p, 9)
    assert comparison.winner == "LRP"
    assert comparison.interval[0] < comparison.difference < comparison.interval[1]
    assert comparison.verdict.startswith("LRP is better than SA: EPI 0.")
    assert "corrected resampled t-test, t(9) = " in comparison.verdict
    turned = compare(power(low.tolist()), power(high.tolist()), names=("SA", "LRP"))
    assert (turned.p, turned.winner) == (comparison.p, "LRP")
    alike = compare(power(low.tolist()), power((low + random.normal(0, 0.01, 10)).tolist()))
    assert (alike.significant, alike.winner) == (False, None)
    assert "cannot be told apart here, which does not prove them equal" in alike.verdict


def test_differences_that_do_not_vary() -> None:
    comparison = compare(power([0.8, 0.8]), power([0.7, 0.7]))
    assert not comparison.significant
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["statistic"] is None


def test_curves() -> None:
    by_lrp = deletion_curve(MODEL, TEXTS, LABELS, steps=5)
    by_chance = deletion_curve(MODEL, TEXTS, LABELS, "random", steps=5)
    comparison = compare(by_lrp, by_chance)
    assert comparison.names == ("lrp", "random")
    assert comparison.difference == pytest.approx(by_lrp.area - by_chance.area)
    assert comparison.winner == "lrp"  # the lower one
    assert comparison.interval[1] < 0
    assert str(comparison) == comparison.verdict
    again = compare(by_lrp, by_chance)
    assert again == comparison
    scores = compare(by_lrp, by_chance, measure="score")
    np.testing.assert_allclose(scores.values, [by_lrp.score_area, by_chance.score_area])
    same = compare(by_lrp, by_lrp)
    assert (same.p, same.difference, same.winner) == (1.0, 0.0, None)
    for asked in ({"target": "predicted", "subset": "all"}, {"subset": "all"}):
        options: dict[str, Any] = {**asked, "steps": 5}
        pair = [deletion_curve(MODEL, TEXTS, LABELS, m, **options) for m in ("lrp", "random")]
        either = compare(*pair)
        assert either.significant
        assert (either.winner is None) == ("target" in asked)


def test_few_documents_prove_nothing() -> None:
    for count, p in ((1, 1.0), (2, 0.5), (5, 1 / 16)):
        texts, labels = ["moon orbit rocket the a of"] * count, ["space"] * count
        ways = [[[n, -n, 0, 0, 0, 0] for _ in texts] for n in (1, -1)]
        pair = [deletion_curve(MODEL, texts, labels, relevance=way, steps=1) for way in ways]
        comparison = compare(*pair, measure="score")
        assert comparison.difference != 0
        assert comparison.p == p
        assert not comparison.significant
    assert "1 document," in compare(*[deletion_curve(MODEL, ["moon"], ["space"])] * 2).verdict


def test_the_best_comes_first() -> None:
    random = np.random.default_rng(3)
    base = random.normal(0.7, 0.01, 6)
    named = {
        name: power((base + add).tolist()) for name, add in (("a", 0), ("b", 0.1), ("c", 0.05))
    }
    best, others = of_best(compare_all(named))
    assert [one.names for one in best] == [("a", "b"), ("b", "c")]
    assert [one.names for one in others] == [("a", "c")]
    assert of_best([]) == ([], [])


def test_many_are_corrected_together() -> None:
    random = np.random.default_rng(2)
    base = random.normal(0.7, 0.005, 10)
    named = {
        name: power((base + random.normal(add, 0.004, 10)).tolist())
        for name, add in (("a", 0.0), ("b", 0.02), ("c", 0.03))
    }
    comparisons = compare_all(named)
    assert [one.names for one in comparisons] == [("a", "b"), ("a", "c"), ("b", "c")]
    np.testing.assert_allclose(
        [one.adjusted for one in comparisons], holm([one.p for one in comparisons])
    )
    assert all(one.adjusted >= one.p for one in comparisons)
    assert "after Holm's correction for 3 comparisons" in comparisons[0].verdict
    assert comparisons[1].significant == (comparisons[1].adjusted < 0.05)


def test_what_cannot_be_compared() -> None:
    curve = deletion_curve(MODEL, TEXTS, LABELS, steps=2, sufficiency=False)
    with pytest.raises(InputError, match="ExplanatoryPower and DeletionCurve"):
        compare(power([0.5, 0.6]), curve)
    with pytest.raises(InputError, match="different splits"):
        compare(power([0.5, 0.6]), power([0.5, 0.6], seed=1))
    with pytest.raises(InputError, match="different splits"):
        compare(power([0.5, 0.6]), power([0.5, 0.6, 0.7]))
    with pytest.raises(InputError, match="at least two splits, not 1"):
        compare(power([0.5]), power([0.6]))
    with pytest.raises(InputError, match=r"differ in their steps: 2 ≠ \[0, 2\]"):
        compare(curve, deletion_curve(MODEL, TEXTS, LABELS, steps=[2], sufficiency=False))
    with pytest.raises(InputError, match="differ in their steps: 2 ≠ 3"):
        compare(curve, deletion_curve(MODEL, TEXTS, LABELS, steps=3, sufficiency=False))
    with pytest.raises(InputError, match="differ in their order: most ≠ least"):
        compare(curve, deletion_curve(MODEL, TEXTS, LABELS, order="least", steps=2))
    with pytest.raises(InputError, match="different documents"):
        compare(curve, deletion_curve(MODEL, TEXTS[:-1], LABELS[:-1], steps=2))
    with pytest.raises(InputError, match="at least two"):
        compare_all({"a": curve})
    with pytest.raises(InputError, match="takes a dict from names to measurements, not list"):
        compare_all([curve, curve])  # type: ignore[arg-type]
    for names in (None, ("a",)):
        with pytest.raises(InputError, match="names takes two names"):
            compare(curve, curve, names=names)  # type: ignore[arg-type]
    for alpha in (0, 1, 2, "x"):
        with pytest.raises(InputError, match="alpha must be"):
            compare(curve, curve, alpha=alpha)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="draws must be a whole number from 100"):
        compare(curve, curve, draws=5)
