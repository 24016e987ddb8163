"""What a tour of a black box costs."""

from pathlib import Path

import pytest
from counting import LETTERS, Counting

from whyword import BlackBox
from whyword.corpora.corpus import Part
from whyword.reports.tour import write_tour
from whyword.reports.tour_price import tour_price

TEXTS = ["a b bead cab " * n for n in range(1, 13)] + ["b " * n for n in range(1, 13)]


@pytest.mark.slow("makes tours")
@pytest.mark.parametrize("few", [10, 1000])
def test_it_is_at_least_what_is_asked(few: int, tmp_path: Path) -> None:
    model = Counting()
    labels = [["a", "b"][n % 3 == 0] for n in range(len(TEXTS))]
    test = Part(TEXTS, labels, list(map(str, range(len(TEXTS)))))
    said = tour_price(model.box(), test, few)
    measured = model.total
    write_tour(model.box(), test, tmp_path / "tour", few=few)
    assert said.at_most
    assert 0.6 * said.predictions < model.total - measured <= said.predictions


@pytest.mark.slow("makes a tour")
def test_a_tour_of_a_model_with_a_name_is_kept(tmp_path: Path) -> None:
    model = Counting()
    box = BlackBox(model, LETTERS, name="letters 1")
    test = Part(TEXTS[:6], ["a", "b"] * 3, list("123456"))
    assert not write_tour(box, test, tmp_path / "tour", few=10).kept
    asked = model.total
    assert write_tour(box, test, tmp_path / "tour", few=10).kept
    assert model.total == asked
    (tmp_path / "tour" / "words.html").unlink()
    assert not write_tour(box, test, tmp_path / "tour", few=10).kept


def test_the_time_is_measured() -> None:
    model = Counting(0.5)
    test = Part(TEXTS, ["a", "b"] * 12, list(map(str, range(24))))
    said = tour_price(model.box(), test, 1000, clock=model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.5)
