"""The study's rows are what the instruments give."""

from dataclasses import replace

import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword import explanatory_power, summarize
from whyword.corpora.corpus import Part
from whyword.reports import study
from whyword.reports.plan import Plan

RANDOM = np.random.default_rng(4)
TEXTS = [made_text(RANDOM.integers(0, 7, 9)) for _ in range(80)]
MODEL = made_cnn()
LABELS = MODEL.predict(TEXTS).tolist()
TEST = Part(["", *TEXTS], ["class 0", *LABELS], [str(n) for n in range(81)])


def test_a_row_of_table_2_and_back() -> None:
    row = study.power(MODEL, "LRP (ew)", TEST, Plan())
    expected = explanatory_power(summarize(MODEL, TEXTS, level="element"), LABELS)
    assert (row["epi"], row["k"], row["documents"]) == (expected.epi, expected.k, 80)
    restored = study.restored_power(row, Plan())
    np.testing.assert_array_equal(restored.accuracies, expected.accuracies)
    np.testing.assert_array_equal(restored.splits[3][1], expected.splits[3][1])
    rows = {"a": row, "b": study.power(MODEL, "uniform", TEST, Plan())}
    assert study.compare_rows("a", "b", rows, Plan(), 0.1).alpha == 0.1
    assert study.quality(MODEL, TEST)["accuracy"] == MODEL.score(TEST.texts, TEST.labels or [])


@pytest.mark.parametrize(
    ("name", "method", "level"),
    [
        ("LRP", "lrp", "word"),
        ("SA (ew)", "sensitivity", "element"),
        ("TFIDF", "tfidf", "word"),
        ("uniform", "uniform", "word"),
    ],
)
def test_weightings(name: str, method: str, level: str) -> None:
    found = study.summaries(MODEL, name, TEXTS)
    np.testing.assert_array_equal(found, summarize(MODEL, TEXTS, method, level))


def test_words_and_planes() -> None:
    words = study.words(MODEL, replace(TEST, labels=None))
    word, relevance, seen = words["class 1"][0]
    assert (word[0], relevance > 0, seen) == ("w", True, False)
    plane = study.power(MODEL, "LRP", TEST, Plan(), mapped=True)["plane"]
    assert len(plane["points"]) == len(plane["labels"]) == 80
    assert "plane" not in study.power(MODEL, "LRP", TEST, Plan())
    # two heaps far apart; in the first, one of eleven points belongs to the other
    points = np.concatenate([np.arange(11), np.arange(11) + 1000])
    vectors = np.column_stack([np.ones(22), points / 1e4, np.zeros(22)])
    share = study.plane(vectors, ["sci.a"] * 10 + ["rec.b"] * 12)["neighbours_of_own_group"]
    assert share == pytest.approx((10 * 9 + 0 + 11 * 10) / (22 * 10))
