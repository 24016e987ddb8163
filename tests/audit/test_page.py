"""The page of a comparison as text; tests/browser looks at it in a browser."""

import dataclasses
import re

import numpy as np
import pytest
from compared import compared

from whyword.audit.changes_page import EXAMPLES, changes_sentence
from whyword.audit.page import comparison_page, pair_table

pytestmark = pytest.mark.slow(reason="compares models")


def test_everything_is_there() -> None:
    page = compared().to_html()
    parts = (
        "Side by side",
        "Word deletion",
        "Explanatory power",
        "What changes",
        "Two by two",
        "How this was",
    )
    for part in parts:
        assert f"<h2>{part}" in page
    for finding in compared().findings:
        assert finding.split(" (")[0].replace("'", "&#39;") in page
    assert page.count('class="chart"') == 4 or page.count("<svg") >= 4
    assert "documents of kind &#39;Weak&#39; have no vectors" in page
    assert "All comparisons: accuracy" in page
    assert "McNemar" in page
    assert "method None" not in page
    assert "(topics)" in page


def test_what_changes_and_for_which_documents() -> None:
    page = compared().to_html()
    for name in ("svm", "words"):
        changes = compared().changes(after=name)
        assert changes_sentence(("cnn", name), changes) in page
        assert f"<bdi>cnn</bdi> → <bdi>{name}</bdi>" in page
        assert f"<summary>{len(changes.changed)} documents</summary>" in page
    assert page.count("<summary>Why, in ") == 2
    shown = compared().changes().some(EXAMPLES)[0]
    assert f"<bdi>{shown.document}, {shown.true}</bdi> <small>{shown.turn}</small>" in page
    assert '<h2 dir="auto">svm</h2>' in page
    assert f"{shown.after} (predicted)" in page


def test_of_two_models_what_changes_comes_first() -> None:
    found = compared()
    two = {name: found.models[name] for name in ("cnn", "svm")}
    page = "".join(comparison_page(dataclasses.replace(found, models=two), ["One finding."]))
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles[0] == "What changes"
    assert titles.count("What changes") == 1
    opened = re.findall(r"<details( open)?><summary>(What was|\d+ documents|Why)", page)
    assert dict((name.lstrip("0123456789 "), way) for way, name in opened) == {
        "What was": " open",
        "documents": " open",
        "Why": "",
    }
    several = re.findall(r"<h2>(.*?)</h2>", found.to_html())
    assert several.index("What changes") > several.index("Explanatory power")


def test_two_models_that_predict_the_same() -> None:
    found = compared()
    row = found.models["cnn"]
    alike = dataclasses.replace(
        found, models={"a": row, "b": row}, examples={}, pairs=found.pairs[:1]
    )
    page = "".join(comparison_page(alike, []))
    assert "a and b predict the same of every document." in page
    assert "What was taken for what" not in page


def test_what_could_not_be_measured() -> None:
    found = compared()
    rows = {
        name: dataclasses.replace(row, power=None, uniform=None, curves={})
        for name, row in found.models.items()
    }
    pairs = [
        dataclasses.replace(pair, power=None, deletion=None, words=None) for pair in found.pairs
    ]
    bare = dataclasses.replace(found, models=rows, pairs=pairs, remarks=["One remark."])
    page = "".join(comparison_page(bare, [], "t"))
    assert page.count("It could not be measured; the table says why.") == 2
    assert "One remark." in page
    assert "most relevant words for the true class" not in page


def test_pairs_are_rows() -> None:
    shown = pair_table(compared().pairs)
    assert [row.cells[0] for row in shown.rows] == ["cnn / svm", "cnn / words", "svm / words"]
    pair = compared().pairs[0]
    assert shown.rows[0].cells[1:4] == [
        f"{pair.share:.1%}",
        str(pair.both_right),
        str(pair.only_first),
    ]
    assert {len(row.cells) for row in shown.rows} == {len(shown.head)}


def test_points_stand_at_their_steps() -> None:
    found = compared()
    row = found.models["cnn"]
    curves = {
        name: dataclasses.replace(curve, steps=curve.steps**2)
        for name, curve in row.curves[1].items()
    }
    models = {"cnn": dataclasses.replace(row, curves={1: curves}, power=None)}
    page = "".join(comparison_page(dataclasses.replace(found, models=models), []))
    lines = re.findall(r'<polyline[^>]* points="([^"]+)"', page)
    assert len(lines) == 2
    for line in lines:
        places = np.array([float(point.split(",")[0]) for point in line.split()])
        shares = (places - places[0]) / (places[-1] - places[0])
        np.testing.assert_allclose(shares, np.linspace(0, 1, len(places)) ** 2, atol=1e-3)


def test_long_names() -> None:
    found = compared()
    name = "a-folder-with-a-rather-long-name"
    row = dataclasses.replace(found.models["cnn"], name=name)
    page = "".join(comparison_page(dataclasses.replace(found, models={name: row}), []))
    assert "a-folder-with-a…</text>" in page.replace("\n", "")
    assert name in page
