"""The page of a tour as text; tests/browser looks at it in a browser."""

from dataclasses import replace

import numpy as np
import pytest
from networks import small_cnn, topical
from planted import planted_suspects

from whyword import class_words, evaluate, explain
from whyword.analysis.document_map import DocumentMap
from whyword.audit import Suspects
from whyword.evaluation.evaluate import Evaluation
from whyword.reports.tour_page import tour_page

TEXTS, LABELS = topical(40, seed=4)
LINKS = {"suspects": "suspects.html", "words": "w.html", "map": "m.html", "evaluation": "e.html"}
FACTS = {
    "accuracy": 0.875,
    "documents": 1234,
    "measured_on": 40,
    "deleted": 3,
    "deleted_from": 20,
    "still_right": {"lrp": 0.25, "random": 1.0},
}


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(small_cnn(), TEXTS, LABELS, ["lrp", "random"], runs=1, splits=2)


def page(evaluation: Evaluation, plane: DocumentMap | None, found: Suspects | None = None) -> str:
    explained = explain(small_cnn(), TEXTS[:2], ids=["first", "second"])
    words = class_words(small_cnn(), TEXTS, top=12)
    wrong = [("hockey", explained[1])]
    return "".join(
        tour_page("A title", FACTS, found, explained[:1], wrong, words, plane, evaluation, LINKS)
    )


def test_suspects_are_first(evaluation: Evaluation) -> None:
    found = planted_suspects()
    made = page(evaluation, None, found)
    before, after = made.split("<h2>Why it says so</h2>")
    assert f"{len(found.suspects)} things it depends on look suspicious" in before
    assert f'<a href="{LINKS["suspects"]}">' in before
    assert '<b dir="auto">zorvex</b> for <span dir="auto">space</span>: it does not' in before
    assert "zorvex" not in after
    nothing = page(evaluation, None, replace(found, rows=[], remarks=["None was held out."]))
    assert "Nothing that it depends on looks suspicious" in nothing
    assert "None was held out." in nothing
    assert "has to be asked for every text without a word" in page(evaluation, None)


def test_suspects_are_told_of_in_numbers_and_reasons_that_occur(evaluation: Evaluation) -> None:
    found, one = planted_suspects(), planted_suspects()[0]
    address = replace(one, habit=0.0, drift=0.0, unusual=0.5, kind="word", form="address")
    assert "1 thing it depends on looks suspicious: an address." in page(
        evaluation, None, replace(found, rows=[address])
    )
    drifting = replace(address, unusual=0.0, drift=0.5, q_odds=0.01)
    line = replace(address, kind="line", form="word")
    said = "3 things it depends on look suspicious: nothing that carries over, a line that recurs."
    assert said in page(evaluation, None, replace(found, rows=[drifting, line, drifting]))
    unnamed = replace(address, unusual=0.0)
    bare = page(evaluation, None, replace(found, rows=[unnamed, unnamed]))
    assert "2 things it depends on look suspicious." in bare


def test_figures_mistakes_and_links(evaluation: Evaluation) -> None:
    groups = ["space", "hockey", "space"]
    plane = DocumentMap(np.eye(3)[:, :2], ["a", "b", "c"], groups, 0.5, "lrp", [])
    made = page(evaluation, plane)
    for figure, said in (
        ("87.5%", "right, of 1,234 texts"),
        ("25%", "still right without the 3 most relevant words"),
        ("100%", "still right without 3 words by chance"),
    ):
        assert f"<b>{figure}</b><span>{said}</span>" in made
    assert f"second: {explain(small_cnn(), TEXTS[1]).predicted}, in truth hockey" in made
    assert made.count('<ol class="words">') == 3
    listed = class_words(small_cnn(), TEXTS, top=10).values()
    assert made.count("<small>(") == sum(map(len, listed)) > 10
    for address in (LINKS["words"], LINKS["map"], LINKS["evaluation"]):
        assert f'<a href="{address}">' in made
    assert made.count('<span class="key">') == 2
    assert "lrp (50% of the variance)" in made


def test_without_vectors_there_is_no_map(evaluation: Evaluation) -> None:
    made = page(evaluation, None)
    assert "There is no map" in made
    assert "m.html" not in made
    assert made.count('<svg class="chart"') == 1
