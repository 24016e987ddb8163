"""An evaluation's page in a real browser."""

from pathlib import Path

import numpy as np
import pytest
from networks import made_cnn, made_text
from playwright.sync_api import Browser

from whyword import evaluate

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = made_cnn()
    model.classes_ = np.array([HOSTILE, "class 1", "class-with-a-name-that-is-rather-long " * 3])
    random = np.random.default_rng(0)
    texts = [made_text(random.integers(0, 7, 14)) for _ in range(60)]
    labels = random.choice(model.classes_, 60)
    path = tmp_path_factory.mktemp("report") / "report.html"
    evaluate(model, texts, labels, runs=2, splits=3).to_html(path, "a model on some texts")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_it_is_whole_and_readable(chromium: Browser, report: Path, width: int, scheme: str) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(report.as_uri())
    problems.remove(report.as_uri())
    assert page.title() == "a model on some texts"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    charts = page.locator("svg.chart")
    assert charts.count() == 5
    page.get_by_text("Calibration", exact=True).click()
    for number in range(5):
        box = charts.nth(number).bounding_box()
        assert box is not None
        assert box["width"] > 250
        assert charts.nth(number).locator("polyline").count() >= 2
        stroke = "e => getComputedStyle(e).stroke"
        assert charts.nth(number).locator("polyline").first.evaluate(stroke) != "none"
    page.get_by_text("Confusions").click()
    assert page.locator("table.matrix tbody tr").count() == 3
    assert page.get_by_text(HOSTILE).count() >= 1
    assert problems == []
    context.close()
