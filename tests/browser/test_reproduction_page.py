"""The reproduction's page in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from whyword.reports.files import write_reproduction
from whyword.reports.reproduction import Reproduction


@pytest.mark.real
@pytest.mark.parametrize("width", [1200, 390])
def test_figures_are_visible_and_links_work(
    chromium: Browser, tiny: Reproduction, tmp_path: Path, width: int
) -> None:
    page_file, *_ = write_reproduction(tiny, tmp_path)
    page = chromium.new_page(viewport={"width": width, "height": 800})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg.chart").count() == 11 + 10
    for chart in page.locator("svg.chart").all():
        box = chart.bounding_box()
        assert box is not None
        is_plane = chart.locator("path.dots").count() > 0
        assert box["width"] > (120 if is_plane else 200)
    assert page.locator("figure svg.chart path.dots").count() >= 60
    page.get_by_role("link", name="All twenty classes").click()
    expect(page.locator("section")).to_have_count(60)  # waits until all of it is there
    assert problems == []
    page.close()
