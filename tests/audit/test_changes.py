"""Changed predictions counted by hand, and as the page shows them."""

import numpy as np
from networks import made_cnn

from whyword import explain
from whyword.audit.changes import Change, ChangedConfusion, ChangedPredictions, turn_order
from whyword.audit.changes_page import CONFUSIONS, DOCUMENTS, changes_sentence, shown_changes

CLASSES = ("a", "b", "c")
TRUTH = np.array([0, 0, 0, 1, 1, 2, 2, 2])
BEFORE = np.array([0, 0, 1, 1, 0, 0, 0, 2])
AFTER = np.array([1, 1, 0, 1, 2, 2, 0, 2])
FOUND = ChangedPredictions(CLASSES, BEFORE, AFTER, TRUTH)
UNKNOWN = ChangedPredictions(CLASSES, BEFORE, AFTER, None)
NAMES = ("before", "after")


def test_documents_that_changed() -> None:
    assert FOUND.changed.tolist() == [0, 1, 2, 4, 5]
    assert FOUND.changes == [
        Change(0, "a", "b", "a", "right to wrong"),
        Change(1, "a", "b", "a", "right to wrong"),
        Change(2, "b", "a", "a", "wrong to right"),
        Change(4, "a", "c", "b", "wrong to other wrong"),
        Change(5, "a", "c", "c", "wrong to right"),
    ]
    assert FOUND.turns == {"right to wrong": 2, "wrong to right": 2, "wrong to other wrong": 1}
    assert FOUND.confusions == [
        ChangedConfusion("a", "a", "b", 2),
        ChangedConfusion("a", "b", "a", 1),
        ChangedConfusion("b", "a", "c", 1),
        ChangedConfusion("c", "a", "c", 1),
    ]
    assert [change.document for change in FOUND.some(3)] == [0, 2, 4]  # one of each turn
    assert [change.document for change in FOUND.some(9)] == [0, 2, 4, 1, 5]
    assert [change.document for change in sorted(FOUND.changes, key=turn_order)] == [0, 1, 2, 5, 4]
    assert repr(FOUND) == (
        "ChangedPredictions(5 of 8 predictions changed, 2 right to wrong, 2 wrong to right, "
        "1 wrong to other wrong)"
    )


def test_without_labels() -> None:
    assert (UNKNOWN.turns, UNKNOWN.right) == (None, None)
    assert UNKNOWN.changes[0] == Change(0, "a", "b", None, None)
    assert UNKNOWN.confusions[0] == ChangedConfusion(None, "a", "b", 2)
    assert [change.document for change in UNKNOWN.some(2)] == [0, 1]
    assert repr(UNKNOWN) == "ChangedPredictions(5 of 8 predictions changed)"


def test_several_labels_as_plain_data() -> None:
    before = np.array([[True, False], [True, True]])
    after = np.array([[False, False], [True, True]])
    one = ChangedPredictions(("a", "b"), before, after, before)
    labels = {"before": ["a"], "after": [], "true": ["a"]}
    assert one.to_dict() == {
        "classes": ["a", "b"],
        "documents": 2,
        "changed": 1,
        "turns": {"right to wrong": 1, "wrong to right": 0, "wrong to other wrong": 0},
        "confusions": [labels | {"documents": 1}],
        "changes": [labels | {"document": 0, "turn": "right to wrong"}],
    }


def test_changes_in_one_sentence() -> None:
    assert changes_sentence(NAMES, FOUND) == (
        "after predicts something else than before of 5 documents (62.5%): 2 get right, 2 wrong, "
        "1 stay wrong."
    )
    assert changes_sentence(NAMES, UNKNOWN).endswith("of 5 documents (62.5%).")
    same = ChangedPredictions(CLASSES, BEFORE, BEFORE, TRUTH)
    assert changes_sentence(NAMES, same) == "before and after predict the same of every document."


def test_the_page_shows_first_what_turned_wrong() -> None:
    shown = shown_changes(NAMES, FOUND, list("ABCDEFGH"), ({}, {}))
    assert shown.documents.head == ["document", "true class", "before", "after", ""]
    assert [row.cells for row in shown.documents.rows] == [
        ["A", "a", "a", "b", "right to wrong"],
        ["B", "a", "a", "b", "right to wrong"],
        ["C", "a", "b", "a", "wrong to right"],
        ["F", "c", "a", "c", "wrong to right"],
        ["E", "b", "a", "c", "wrong to other wrong"],
    ]
    assert [row.cells for row in shown.confusions.rows][:2] == [
        ["a", "a", "b", "2"],
        ["a", "b", "a", "1"],
    ]
    titles = [(one.title, one.turn) for one in shown.examples]
    assert titles[::4] == [("A, a", "right to wrong"), ("E, b", "wrong to other wrong")]
    assert all(one.articles == [] for one in shown.examples)
    unknown = shown_changes(NAMES, UNKNOWN, list("ABCDEFGH"), ({}, {}))
    assert unknown.documents.rows[0].cells[-1] == ""
    count, classes = DOCUMENTS + 5, tuple(range(40))
    before, after = np.arange(count) % 40, (np.arange(count) + 1) % 40
    many = ChangedPredictions(classes, before, after, before)
    shown = shown_changes(NAMES, many, [str(n) for n in range(count)], ({}, {}))
    assert (len(shown.documents.rows), shown.n_documents) == (DOCUMENTS, count)
    assert (len(shown.confusions.rows), shown.n_confusions) == (CONFUSIONS, 40)


def test_both_models_explain_around_the_words_that_matter_most() -> None:
    changed = ChangedPredictions(("a", "b"), np.array([0]), np.array([1]), np.array([0]))
    for target in ("predicted", "all"):
        one = explain(made_cnn(), "shuttle orbit " * 300, target)
        shown = shown_changes(NAMES, changed, ["x"], ({0: one}, {0: one, 5: one}))
        (example,) = shown.examples
        assert [article.title for article in example.articles] == ["before", "after"]
        assert all("of 600." in article.remarks[-1] for article in example.articles)
