"""The tour in a real browser: everything is seen, every page it leads to is there."""

import re
from pathlib import Path

import pytest
from networks import small_cnn, topical
from playwright.sync_api import Browser, expect

from whyword.corpora.corpus import Part
from whyword.reports.tour import write_tour


@pytest.mark.parametrize("width", [1200, 390])
def test_pictures_are_visible_and_links_work(chromium: Browser, tmp_path: Path, width: int) -> None:
    texts, labels = topical(60, seed=4)
    long_ones = [f"{text} {text} <img src=x onerror=alert(1)>" for text in texts]
    labels[0], labels[1] = labels[1], labels[0]
    part = Part(long_ones, labels, [f"<b>{number}</b>" for number in range(60)])
    made = write_tour(small_cnn(), part, tmp_path, "A </title> of <i>its</i> own", few=40)
    page = chromium.new_page(viewport={"width": width, "height": 800})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("dialog", lambda dialog: problems.append("a dialog"))
    page.goto(made.page.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").inner_text() == "A </title> of <i>its</i> own"
    assert page.locator("img").count() == 0  # none from a text
    assert page.locator("svg.chart").count() == 2  # the map, and words deleted
    for chart in page.locator("svg.chart").all():
        box = chart.bounding_box()
        assert box is not None
        assert box["width"] > 300
    assert page.locator(".map .key").count() == 3
    assert page.locator("article.ww").count() >= 3
    for name, title in (
        ("Thirty of each", "Class words"),
        ("The map to explore", "lrp"),
        ("The whole evaluation", "Evaluation"),
    ):
        page.get_by_role("link", name=name).click()
        expect(page).to_have_title(re.compile(re.escape(title)))
        page.go_back()
    assert problems == []
    page.close()
