"""A tour: a model at a glance on one page, computed again only when something changed."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from counting import Counting
from keywords import Keywords
from networks import made_cnn, made_text, topical
from planted import planted_suspects

from whyword import InputError, SVMClassifier, class_words, evaluate, explain
from whyword.analysis.document_map import DocumentMap
from whyword.audit import Suspects
from whyword.base.progress import Progress
from whyword.corpora.corpus import Part
from whyword.evaluation.evaluate import Evaluation
from whyword.reports.tour import EVALUATION, FACTS, MAP, PAGE, SUSPECTS, WORDS, write_tour
from whyword.reports.tour_page import tour_page
from whyword.reports.tour_price import tour_price

RANDOM = np.random.default_rng(4)
MODEL = made_cnn(words=20)
TEXTS = [f"{made_text(RANDOM.integers(0, 20, 24))} <b>" for _ in range(40)]
LABELS = MODEL.predict(TEXTS).tolist()
LABELS[:2] = ["class 0", "class 1"]
LABELS[2] = next(label for label in MODEL.classes_.tolist() if label != LABELS[2])
TEST = Part(TEXTS, LABELS, [f"post {number}" for number in range(40)])


def test_a_tour_has_all_pages(tmp_path: Path) -> None:
    events: list[Progress] = []
    folder = tmp_path / "a" / "tour"
    named = [("post 7", ["class 0", "class 1"])]
    made = write_tour(
        MODEL, TEST, folder, "A <title>", examples=named, few=30, on_progress=events.append
    )
    assert not made.kept
    files = {PAGE, SUSPECTS, WORDS, MAP, EVALUATION, FACTS}
    assert {path.name for path in folder.iterdir()} == files
    page = made.page.read_text(encoding="utf-8")
    parts = ("should not have learned", "Why it says so", "What classes are about", "on a map")
    for part in (*parts, "How far to trust this", "A &lt;title&gt;", "in truth", "post 7"):
        assert part in page
    assert f"{MODEL.score(TEXTS, LABELS):.1%}" in page
    assert page.count('<svg class="chart"') == 2  # the map, and words deleted
    assert "http" not in page.replace("http-equiv", "")
    assert {"predicting", "class words", "map"} <= {event.stage for event in events}
    assert made.facts["measured_on"] == 30
    assert made.facts["still_right"].keys() == {"lrp", "sensitivity", "random"}
    assert f"without the {made.facts['deleted']} most relevant words" in page


def test_short_texts_and_documents_of_one_name(tmp_path: Path) -> None:
    texts = [" ".join(text.split()[:8]) for text in TEXTS]
    made = write_tour(MODEL, Part(texts, LABELS, ["same"] * 40), tmp_path, few=20)
    page = made.page.read_text(encoding="utf-8")
    assert page.count('<article class="ww">') >= 3
    assert "without the 10 most" not in page  # of eight words
    assert "same, " in (made.page.parent / WORDS).read_text(encoding="utf-8")
    for labels in (None, ["class 0"] * 40):
        with pytest.raises(InputError, match="labelled texts of at least two classes"):
            write_tour(MODEL, Part(TEXTS, labels, TEST.ids), tmp_path / "t")
    assert not (tmp_path / "t").exists()


@pytest.mark.slow(reason="several tours")
def test_a_tour_is_kept_until_something_changes(tmp_path: Path) -> None:
    first, again = (write_tour(MODEL, TEST, tmp_path, few=20) for _ in range(2))
    assert (first.kept, again.kept, again.facts) == (False, True, first.facts)
    (tmp_path / MAP).unlink()
    assert not write_tour(MODEL, TEST, tmp_path, few=20).kept
    assert not write_tour(MODEL, TEST, tmp_path, few=21).kept
    (tmp_path / FACTS).write_text(json.dumps([]))
    assert not write_tour(MODEL, TEST, tmp_path, few=21).kept
    assert not write_tour(SVMClassifier(C=1).fit(TEXTS, LABELS), TEST, tmp_path, few=21).kept


@pytest.mark.slow(reason="asks a black box for each text without each word")
def test_a_tour_of_a_black_box(tmp_path: Path) -> None:
    texts, labels = topical(30, seed=4)
    labels[0], labels[1] = "hockey", "space"  # two that are wrong, it will seem
    test = Part(texts, labels, [f"post {number}" for number in range(30)])
    made = write_tour(Keywords(), test, tmp_path, few=20)
    assert {path.name for path in tmp_path.iterdir()} == {PAGE, WORDS, EVALUATION, FACTS}
    page = made.page.read_text(encoding="utf-8")
    for part in ("on a map", "Together they are its score", "Explanatory power"):
        assert part not in page
    assert made.facts["still_right"].keys() == {"occlusion", "random"}
    areas = made.facts["areas"]["1"]
    assert areas["occlusion"] < areas["random"]
    (tmp_path / MAP).write_text("of an earlier model")
    assert not write_tour(Keywords(), test, tmp_path, few=20).kept  # it may be another one


# ---- what it costs ------------------------------------------------------------------------------

COUNTED = ["a b bead cab " * n for n in range(1, 13)] + ["b " * n for n in range(1, 13)]
LETTERED = Part(COUNTED, [["a", "b"][n % 3 == 0] for n in range(24)], list(map(str, range(24))))


@pytest.mark.slow(reason="makes tours")
@pytest.mark.parametrize("few", [10, 1000])
def test_price_is_at_least_what_is_asked(few: int, tmp_path: Path) -> None:
    model = Counting(0.5)
    said = tour_price(model.box(), LETTERED, few, clock=model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.5)
    measured = model.total
    write_tour(model.box(), LETTERED, tmp_path / "tour", few=few)
    assert said.at_most
    assert 0.6 * said.predictions < model.total - measured <= said.predictions


# ---- the page -----------------------------------------------------------------------------------

LINKS = {"suspects": "suspects.html", "words": "w.html", "map": "m.html", "evaluation": "e.html"}
GIVEN = {"accuracy": 0.875, "documents": 1234, "measured_on": 40, "deleted": 3, "deleted_from": 20}


@cache
def evaluation() -> Evaluation:
    return evaluate(MODEL, TEXTS, LABELS, ["lrp", "random"], runs=1, splits=2)


def page(found: Suspects | None = None, plane: DocumentMap | None = None) -> str:
    explained = explain(MODEL, TEXTS[:2], ids=["first", "second"])
    words, facts = (
        class_words(MODEL, TEXTS, top=12),
        GIVEN | {"still_right": {"lrp": 0.25, "random": 1.0}},
    )
    wrong = [("class 9", explained[1])]
    parts = tour_page(
        "A title", facts, found, explained[:1], wrong, words, plane, evaluation(), LINKS
    )
    return "".join(parts)


def test_suspects_are_first_in_numbers_and_reasons() -> None:
    found, one = planted_suspects(), planted_suspects()[0]
    before, after = page(found).split("<h2>Why it says so</h2>")
    assert f"{len(found.suspects)} things it depends on look suspicious" in before
    assert f'<a href="{LINKS["suspects"]}">' in before
    assert '<b dir="auto">zorvex</b> for <span dir="auto">space</span>: it does not' in before
    assert "zorvex" not in after
    nothing = page(replace(found, rows=[], remarks=["None was held out."]))
    assert "Nothing that it depends on looks suspicious" in nothing
    assert "None was held out." in nothing
    assert "has to be asked for every text without a word" in page()
    address = replace(one, habit=0.0, drift=0.0, unusual=0.5, kind="word", form="address")
    drifting = replace(address, unusual=0.0, drift=0.5, q_odds=0.01)
    line, unnamed = replace(address, kind="line", form="word"), replace(address, unusual=0.0)
    for rows, said in (
        ([address], "1 thing it depends on looks suspicious: an address."),
        ([unnamed] * 2, "2 things it depends on look suspicious."),
        (
            [drifting, line, drifting],
            "3 things it depends on look suspicious: nothing that carries",
        ),
    ):
        assert said in page(replace(found, rows=rows))


def test_figures_mistakes_and_links() -> None:
    groups = ["class 0", "class 1", "class 0"]
    made = page(plane=DocumentMap(np.eye(3)[:, :2], ["a", "b", "c"], groups, 0.5, "lrp", []))
    for figure, said in (
        ("87.5%", "right, of 1,234 texts"),
        ("25%", "still right without the 3 most relevant words"),
        ("100%", "still right without 3 words by chance"),
    ):
        assert f"<b>{figure}</b><span>{said}</span>" in made
    assert f"second: {explain(MODEL, TEXTS[1]).predicted}, in truth class 9" in made
    listed = class_words(MODEL, TEXTS, top=10).values()
    assert made.count("<small>(") == sum(map(len, listed)) > 10
    for address in (LINKS["words"], LINKS["map"], LINKS["evaluation"]):
        assert f'<a href="{address}">' in made
    assert made.count('<span class="key">') == 2
    assert "lrp (50% of the variance)" in made
    without = page()
    assert "There is no map" in without
    assert "m.html" not in without
    assert without.count('<svg class="chart"') == 1
