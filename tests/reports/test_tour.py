"""A model at a glance: everything is on the page, and is not computed twice."""

import json
from pathlib import Path

import pytest
from keywords import Keywords
from networks import small_cnn, topical

from whyword import InputError, SVMClassifier
from whyword.base.progress import Progress
from whyword.corpora.corpus import Part
from whyword.reports.tour import EVALUATION, FACTS, MAP, PAGE, SUSPECTS, WORDS, write_tour

TEXTS, LABELS = topical(60, seed=4)
TEXTS = [f"{text} {text} {text} <b>" for text in TEXTS]
LABELS[0], LABELS[1] = "hockey", "space"  # two that are wrong, it will seem
TEST = Part(TEXTS, LABELS, [f"post {number}" for number in range(60)])
MODEL = small_cnn()


def test_all_is_there(tmp_path: Path) -> None:
    events: list[Progress] = []
    folder = tmp_path / "a" / "tour"
    made = write_tour(MODEL, TEST, folder, "A <title>", few=50, on_progress=events.append)
    assert not made.kept
    assert {path.name for path in (tmp_path / "a" / "tour").iterdir()} == {
        PAGE,
        SUSPECTS,
        WORDS,
        MAP,
        EVALUATION,
        FACTS,
    }
    page = made.page.read_text(encoding="utf-8")
    assert "A &lt;title&gt;" in page
    assert f"{MODEL.score(TEXTS, LABELS):.1%}" in page
    for part in (
        "should not have learned",
        "Why it says so",
        "What classes are about",
        "on a map",
        "How far to trust this",
    ):
        assert part in page
    assert "in truth" in page  # those labels
    assert page.count('<svg class="chart"') == 2  # the map, and words deleted
    assert "http" not in page.replace("http-equiv", "")
    assert {"predicting", "class words", "map"} <= {event.stage for event in events}
    assert made.facts["measured_on"] == 50
    assert made.facts["still_right"].keys() == {"lrp", "sensitivity", "random"}
    assert f"without the {made.facts['deleted']} most relevant words" in page


@pytest.mark.slow(reason="a whole tour")
def test_it_is_kept_until_something_changes(tmp_path: Path) -> None:
    first = write_tour(MODEL, TEST, tmp_path, few=30)
    again = write_tour(MODEL, TEST, tmp_path, few=30)
    assert (first.kept, again.kept) == (False, True)
    assert again.facts == first.facts
    (tmp_path / MAP).unlink()
    assert not write_tour(MODEL, TEST, tmp_path, few=30).kept
    assert not write_tour(MODEL, TEST, tmp_path, few=31).kept
    (tmp_path / FACTS).write_text(json.dumps([]))
    assert not write_tour(MODEL, TEST, tmp_path, few=31).kept
    assert not write_tour(SVMClassifier(C=1).fit(*topical()), TEST, tmp_path, few=31).kept


def test_short_texts_are_shown_too(tmp_path: Path) -> None:
    texts, labels = topical(30, seed=4)
    short = Part([" ".join(text.split()[:8]) for text in texts], labels, TEST.ids[:30])
    page = write_tour(MODEL, short, tmp_path, few=30).page.read_text(encoding="utf-8")
    assert page.count('<article class="ww">') >= 3
    assert "most relevant words" in page
    assert "without the 10 most" not in page  # of eight words


def test_examples_are_named(tmp_path: Path) -> None:
    made = write_tour(MODEL, TEST, tmp_path, examples=[("post 7", ["space", "hockey"])], few=30)
    assert "post 7" in made.page.read_text(encoding="utf-8")


def test_documents_of_one_name_are_told_apart(tmp_path: Path) -> None:
    made = write_tour(MODEL, Part(TEXTS, LABELS, ["same"] * 60), tmp_path, few=30)
    assert "same, " in (made.page.parent / WORDS).read_text(encoding="utf-8")


def test_labels_are_needed(tmp_path: Path) -> None:
    for labels in (None, ["space"] * 60):
        with pytest.raises(InputError, match="labelled texts of at least two classes"):
            write_tour(MODEL, Part(TEXTS, labels, TEST.ids), tmp_path / "t")
    assert not (tmp_path / "t").exists()


@pytest.mark.slow(reason="half a second and more")
def test_of_somebodys_model(tmp_path: Path) -> None:
    made = write_tour(Keywords(), TEST, tmp_path, few=50)
    assert {path.name for path in tmp_path.iterdir()} == {PAGE, WORDS, EVALUATION, FACTS}
    page = made.page.read_text(encoding="utf-8")
    for part in ("Why it says so", "What classes are about", "How far to trust this"):
        assert part in page
    for part in ("on a map", "Together they are its score", "Explanatory power"):
        assert part not in page
    assert made.facts["still_right"].keys() == {"occlusion", "random"}
    areas = made.facts["areas"]["1"]
    assert areas["occlusion"] < areas["random"]
    assert f"without the {made.facts['deleted']} most relevant words" in page
    (tmp_path / MAP).write_text("of an earlier model")
    assert not write_tour(Keywords(), TEST, tmp_path, few=50).kept  # it may be another one
