"""The value that a comparison is: its rows by name, what differs, plain data."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from compared import LABELS, TEXTS, compared, predicted

from whyword.audit.changes_page import EXAMPLES
from whyword.audit.side_by_side import distinct_names
from whyword.base.errors import InputError, MissingExtraError

pytestmark = pytest.mark.slow(reason="compares models")


def test_documents_that_differ_are_found() -> None:
    found = compared()
    first, second = predicted("cnn"), predicted("words")
    expected = [n for n in range(len(TEXTS)) if first[n] != second[n]]
    assert expected
    changes = found.changes("cnn", "words")
    assert changes.changed.tolist() == expected
    assert [(one.before, one.after, one.true) for one in changes.changes] == [
        (first[n], second[n], LABELS[n]) for n in expected
    ]
    assert found.changes("svm", "svm").changed.tolist() == []
    assert found.changes().changes == found.changes("cnn", "svm").changes
    data = found.to_dict()["changes"]
    assert list(data) == ["svm", "words"]
    assert [one["id"] for one in data["words"]["changes"]] == [str(n) for n in expected]


def test_some_documents_that_differ_are_explained_by_both() -> None:
    found = compared()
    for name in ("svm", "words"):
        chosen = {one.document for one in found.changes(after=name).some(EXAMPLES)}
        assert 0 < len(chosen) <= EXAMPLES
        assert chosen == set(found.examples[name])
        assert chosen <= set(found.examples["cnn"])
        for number in chosen:
            one = found.examples[name][number]
            assert (one.text, one.id) == (TEXTS[number], str(number))
            assert one.target == predicted(name)[number]


def test_documents_that_all_have_wrong() -> None:
    said = [predicted(name) for name in ("cnn", "svm", "words")]
    wrong = [all(one[n] != LABELS[n] for one in said) for n in range(len(TEXTS))]
    assert 0 < sum(wrong) == compared().all_wrong


def test_a_pair_by_its_names() -> None:
    found = compared()
    assert found.pair("words", "cnn") is found.pair("cnn", "words")
    assert found.pair("svm", "cnn").names == ("cnn", "svm")
    with pytest.raises(InputError, match="two different models make a pair, not 'svm' twice"):
        found.pair("svm", "svm")
    with pytest.raises(InputError, match="there is no model 'svn'"):
        found.pair("svn", "cnn")
    with pytest.raises(InputError, match="there is no model 3"):
        found.changes("cnn", 3)  # type: ignore[arg-type]


def test_plain_data() -> None:
    found = compared()
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["documents"] == 60
    assert [one["name"] for one in data["models"]] == ["cnn", "svm", "words"]
    assert [one["names"] for one in data["pairs"]] == [
        ["cnn", "svm"],
        ["cnn", "words"],
        ["svm", "words"],
    ]
    assert data["models"][2]["explanatory_power"] is None
    assert data["models"][2]["lacks"]["explanatory power"].endswith("have no vectors")
    assert "accuracy: cnn 0." in repr(found)
    assert repr(found.models["cnn"]).startswith("ModelRow(cnn: accuracy 0.")
    assert "same prediction" in repr(found.pairs[0])


def test_a_frame_has_a_row_for_each_model() -> None:
    frame = compared().to_frame()
    assert list(frame.index) == ["cnn", "svm", "words"]
    row = compared().models["cnn"]
    assert frame.loc["cnn", "accuracy"] == row.quality.accuracy
    assert frame.loc["cnn", "area_1"] == row.curves[1]["lrp"].area
    assert frame.loc["cnn", "random_area_3"] == row.curves[3]["random"].area
    assert np.isnan(frame.loc["words", "epi"])


def test_without_pandas(uninstall: Callable[[str], None]) -> None:
    uninstall("pandas")
    with pytest.raises(MissingExtraError, match="pandas"):
        compared().to_frame()


def test_names_are_made_distinct() -> None:
    assert distinct_names(["a", "b"]) == ["a", "b"]
    assert distinct_names(["a", "a", "a (2)", "a"]) == ["a", "a (2)", "a (2) (2)", "a (3)"]
