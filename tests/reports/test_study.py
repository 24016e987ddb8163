"""What is computed is what the instruments give."""

import numpy as np
import pytest
from networks import small_cnn, topical

from whyword import explanatory_power, summarize
from whyword.corpora.corpus import Part
from whyword.reports import study
from whyword.reports.plan import Plan

TEXTS, LABELS = topical(80, seed=4)
TEST = Part(["", *TEXTS], ["space", *LABELS], [str(n) for n in range(81)])
MODEL = small_cnn()


def test_a_row_of_table_2_and_back() -> None:
    row = study.power(MODEL, "LRP (ew)", TEST, Plan())
    expected = explanatory_power(summarize(MODEL, TEXTS, level="element"), LABELS)
    assert (row["epi"], row["k"], row["documents"]) == (expected.epi, expected.k, 80)
    restored = study.restored_power(row, Plan())
    np.testing.assert_array_equal(restored.accuracies, expected.accuracies)
    np.testing.assert_array_equal(restored.splits[3][1], expected.splits[3][1])
    rows = {"a": row, "b": study.power(MODEL, "uniform", TEST, Plan())}
    assert study.compare_rows("a", "b", rows, Plan(), 0.1).alpha == 0.1


def test_weightings() -> None:
    for name, method, level in (
        ("LRP", "lrp", "word"),
        ("SA (ew)", "sensitivity", "element"),
        ("TFIDF", "tfidf", "word"),
        ("uniform", "uniform", "word"),
    ):
        np.testing.assert_array_equal(
            study.summaries(MODEL, name, TEXTS), summarize(MODEL, TEXTS, method, level)
        )


def test_words_and_planes() -> None:
    words = study.words(MODEL, TEST)
    assert len(words["space"]) <= 30
    word, relevance, seen = words["space"][0]
    assert isinstance(word, str)
    assert relevance > 0
    assert seen
    plane = study.power(MODEL, "LRP", TEST, Plan(), mapped=True)["plane"]
    assert len(plane["points"]) == len(plane["labels"]) == 80
    assert "plane" not in study.power(MODEL, "LRP", TEST, Plan())
    assert 0.33 < plane["neighbours_of_own_group"] <= 1


def test_neighbours_of_the_own_group() -> None:
    """Two heaps far apart; in the first, one of eleven points belongs to the other."""
    points = np.concatenate([np.arange(11), np.arange(11) + 1000])[:, None] * np.ones(2)
    labels = ["sci.a"] * 10 + ["rec.b"] * 12
    vectors = np.column_stack([np.ones(22), points[:, 0] / 1e4, np.zeros(22)])
    share = study.plane(vectors, labels)["neighbours_of_own_group"]
    assert share == pytest.approx((10 * 9 + 0 + 11 * 10) / (22 * 10))


def test_quality() -> None:
    assert study.quality(MODEL, TEST)["accuracy"] == MODEL.score(TEST.texts, TEST.labels or [])
