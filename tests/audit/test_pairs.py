"""Two models: counted, tested, and by which words, each against loops."""

import dataclasses

import numpy as np
import oracle
import pytest
from compared import LABELS, TEXTS, compared, models, predicted

from whyword import compare, explain
from whyword.audit.pairs import corrected_pairs
from whyword.audit.rows import ModelRow
from whyword.evaluation import agreement
from whyword.evaluation.significance import holm, paired_interval

pytestmark = pytest.mark.slow(reason="compares models")
PAIRS = [("cnn", "svm"), ("cnn", "words"), ("svm", "words")]


@pytest.mark.parametrize("names", PAIRS)
def test_documents_are_counted(names: tuple[str, str]) -> None:
    pair = compared().pair(*names)
    first, second = map(predicted, names)
    counts = dict.fromkeys(("both_right", "only_first", "only_second", "both_wrong"), 0)
    same = mistakes = 0
    for a, b, true in zip(first, second, LABELS, strict=True):
        kinds = {(True, True): "both_right", (True, False): "only_first"}
        kinds |= {(False, True): "only_second", (False, False): "both_wrong"}
        counts[kinds[a == true, b == true]] += 1
        same += a == b
        mistakes += a == b != true
    assert {name: getattr(pair, name) for name in counts} == counts
    assert (pair.same, pair.same_mistake) == (same, mistakes)
    assert pair.share == same / 60
    assert pair.n_documents == 60


@pytest.mark.parametrize("names", PAIRS)
def test_accuracies_are_compared_by_coins(names: tuple[str, str]) -> None:
    pair = compared().pair(*names)
    one = pair.accuracy
    assert one.p == pytest.approx(oracle.mcnemar(pair.only_first, pair.only_second))
    accuracies = [
        np.mean([a == b for a, b in zip(predicted(n), LABELS, strict=True)]) for n in names
    ]
    assert one.values == pytest.approx(accuracies)
    assert one.difference == pytest.approx((pair.only_first - pair.only_second) / 60)
    assert one.interval == paired_interval(pair.only_first, pair.only_second, 60, 0.05)
    assert (one.test, one.better) == ("McNemar's exact test", "higher")
    assert "McNemar's exact test, p" in one.verdict


def test_one_is_better_beyond_chance() -> None:
    """The model with a weakness is less accurate; the test can tell."""
    assert compared().pair("cnn", "words").accuracy.winner == "cnn"


def test_powers_are_compared_as_compare_does() -> None:
    pair = compared().pair("cnn", "svm")
    a, b = (compared().models[name].power for name in pair.names)
    assert a is not None
    assert b is not None
    assert pair.power == compare(a, b, names=("cnn", "svm"))  # the only one, so uncorrected
    assert compared().pair("cnn", "words").power is None
    assert "explanatory power" in compared().pair("cnn", "words").lacks


def gains(row: ModelRow) -> dict[int, float]:
    """Return for each document how much earlier the decision goes than by chance, step by step."""
    curve, chance = (row.curves[1][name] for name in (str(row.method), "random"))
    found = {}
    for n, document in enumerate(curve.chosen.tolist()):
        areas = []
        for one in (curve, chance):
            runs = [
                sum((run[n, m - 1] * 1.0 + run[n, m]) / 2 for m in range(1, len(one.steps)))
                for run in one.correct
            ]
            areas.append(sum(runs) / len(runs) / one.steps[-1])
        found[document] = areas[1] - areas[0]
    return found


@pytest.mark.parametrize("names", PAIRS)
def test_gains_are_those_of_documents_that_both_have_right(names: tuple[str, str]) -> None:
    pair = compared().pair(*names)
    first, second = (gains(compared().models[name]) for name in names)
    both = sorted(set(first) & set(second))
    assert pair.deletion is not None
    assert f"{len(both)} documents that both have right" in pair.deletion.details
    assert pair.deletion.values == pytest.approx(
        (np.mean([first[n] for n in both]), np.mean([second[n] for n in both]))
    )
    assert pair.deletion.better == "higher"
    for name, every in zip(names, (first, second), strict=True):
        assert compared().models[name].gain(1) == pytest.approx(np.mean(list(every.values())))


@pytest.mark.parametrize("names", PAIRS)
def test_words_are_compared_letter_by_letter(names: tuple[str, str]) -> None:
    pair = compared().pair(*names)
    said = [predicted(name) for name in names]
    both = [n for n, true in enumerate(LABELS) if said[0][n] == said[1][n] == true]
    by_document = []
    for n in both:
        methods = [str(compared().models[name].method) for name in names]
        explained = [
            explain(models()[name], TEXTS[n], LABELS[n], method=method)
            for name, method in zip(names, methods, strict=True)
        ]
        by_document.append(
            oracle.common_stretches(
                len(TEXTS[n]),
                [[(int(a), int(b)) for a, b in one.spans] for one in explained],
                [one.relevance.astype(float).tolist() for one in explained],
            )
        )
    first, second = zip(*by_document, strict=True)
    expected = agreement(first, second)
    assert pair.words is not None
    assert len(pair.words.overlaps) == len(both)
    assert pair.words.correlation == pytest.approx(expected.correlation, abs=1e-3)
    assert pair.words.overlap == pytest.approx(expected.overlap, abs=0.02)


def test_all_pairs_are_corrected_together() -> None:
    pairs = compared().pairs
    adjusted = [pair.accuracy.adjusted for pair in pairs]
    assert adjusted == pytest.approx(holm([pair.accuracy.p for pair in pairs]).tolist())
    assert {pair.accuracy.comparisons for pair in pairs} == {3}
    assert [pair.power.comparisons for pair in pairs if pair.power] == [1]
    without = [dataclasses.replace(pair, deletion=None) for pair in pairs]
    assert [pair.deletion for pair in corrected_pairs(without)] == [None] * 3
