"""What changes from one model to another, as the page shows it."""

import numpy as np
from networks import made_cnn

from whyword import explain
from whyword.audit.changes import ChangedPredictions
from whyword.audit.changes_page import CONFUSIONS, DOCUMENTS, changes_sentence, shown_changes

NAMES = ("before", "after")
TRUTH = np.array([0, 0, 1, 1])
BEFORE, AFTER = np.array([0, 1, 0, 1]), np.array([1, 0, 0, 1])


def test_it_is_said_in_one_sentence() -> None:
    changed = ChangedPredictions(("a", "b"), BEFORE, AFTER, TRUTH)
    assert changes_sentence(NAMES, changed) == (
        "after predicts something else than before of 2 documents (50.0%): 1 get right, 1 wrong, "
        "0 stay wrong."
    )
    unknown = ChangedPredictions(("a", "b"), BEFORE, AFTER, None)
    assert changes_sentence(NAMES, unknown).endswith("of 2 documents (50.0%).")
    same = ChangedPredictions(("a", "b"), BEFORE, BEFORE, TRUTH)
    assert changes_sentence(NAMES, same) == "before and after predict the same of every document."


def test_what_turned_wrong_comes_first() -> None:
    changed = ChangedPredictions(("a", "b"), BEFORE[::-1], AFTER[::-1], TRUTH[::-1])
    shown = shown_changes(NAMES, changed, ["d", "c", "b", "a"], ({}, {}))
    assert [row.cells for row in shown.documents.rows] == [
        ["a", "a", "a", "b", "right to wrong"],
        ["b", "a", "b", "a", "wrong to right"],
    ]
    assert [row.cells for row in shown.confusions.rows] == [
        ["a", "a", "b", "1"],
        ["a", "b", "a", "1"],
    ]
    assert [one.title for one in shown.examples] == ["a, a", "b, a"]
    assert all(one.articles == [] for one in shown.examples)


def test_a_page_has_room_for_so_many() -> None:
    count = DOCUMENTS + 5
    classes = tuple(range(40))
    before, after = np.arange(count) % 40, (np.arange(count) + 1) % 40
    changed = ChangedPredictions(classes, before, after, before)
    shown = shown_changes(NAMES, changed, [str(n) for n in range(count)], ({}, {}))
    assert (len(shown.documents.rows), shown.n_documents) == (DOCUMENTS, count)
    assert (len(shown.confusions.rows), shown.n_confusions) == (CONFUSIONS, 40)


def test_both_say_why_around_the_words_that_tell_most() -> None:
    one = explain(made_cnn(), "shuttle orbit " * 300)
    changed = ChangedPredictions(("a", "b"), np.array([0]), np.array([1]), np.array([0]))
    shown = shown_changes(NAMES, changed, ["x"], ({0: one}, {0: one}))
    (example,) = shown.examples
    assert [article.title for article in example.articles] == ["before", "after"]
    assert all("of 600." in article.remarks[-1] for article in example.articles)
