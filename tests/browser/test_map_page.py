"""The map in a real browser: point, click, filter, keyboard; and it stays smooth."""

from pathlib import Path

import numpy as np
import pytest
from networks import small_cnn, topical
from playwright.sync_api import Browser, Page

from whyword import document_map, explain
from whyword.analysis.document_map import DocumentMap


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Page:
    texts, labels = topical(40)
    texts[0] += " <img src=x onerror=document.title='owned'> \u202eevil"
    found = document_map(small_cnn(), texts, labels, ids=[f"document {n}" for n in range(40)])
    path = tmp_path / "map.html"
    found.to_html(path)
    opened = chromium.new_page(viewport={"width": 900, "height": 900})
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto(path.as_uri())
    assert problems == []
    return opened


def place(page: Page, number: int) -> tuple[float, float]:
    """Where a document's point is on the screen."""
    x, y = page.evaluate(
        "n => { const p = JSON.parse(document.getElementById('data').textContent).points;"
        " return [p[2 * n], p[2 * n + 1]] }",
        number,
    )
    box = page.locator("canvas").bounding_box()
    assert box is not None
    return (
        box["x"] + 12 + x * (box["width"] - 24),
        box["y"] + 12 + (1 - y) * (box["height"] - 24),
    )


def test_point_click_filter(page: Page) -> None:
    x, y = place(page, 0)
    page.mouse.move(x, y)
    assert page.locator("#hint b").inner_text().startswith("document ")
    page.mouse.click(x, y)
    heading = page.locator("#document h2").inner_text()
    assert heading.startswith("document ")
    assert page.locator("#document .text span.w").count() >= 10
    page.get_by_role("button", name="none").click()
    page.mouse.move(x + 1, y)
    assert page.locator("#hint b").count() == 0
    page.get_by_label("space").check()
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    assert "space" in page.locator("#hint").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#document h2").inner_text().startswith("document ")


def test_hostile_text_is_text(page: Page) -> None:
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "<img src=x onerror" in page.locator("#document .text").inner_text()
    assert page.locator("#document img").count() == 0
    assert page.title() != "owned"


def test_a_phone_has_room_for_it(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_thousands_of_points_stay_smooth(chromium: Browser, tmp_path: Path) -> None:
    """7,500 points: a step of pointing and zooming takes little more than drawing them does."""
    points = np.random.default_rng(0).normal(size=(7500, 2))
    one = explain(small_cnn(), "moon and goal")
    groups = [f"group {n % 20}" for n in range(7500)]
    many = DocumentMap(points, list(map(str, range(7500))), groups, None, "many", [one] * 7500)
    path = tmp_path / "map.html"
    many.to_html(path)
    page = chromium.new_page()
    page.goto(path.as_uri())
    step, drawing = page.evaluate(
        """async () => {
          const plain = document.createElement("canvas").getContext("2d");
          const begin = performance.now();
          for (let i = 0; i < 20; i++) {
            for (let n = 0; n < 7500; n++) {
              plain.beginPath(); plain.arc(n % 300, n % 150, 3, 0, 7); plain.fill();
            }
            await new Promise(requestAnimationFrame);
          }
          const drawing = (performance.now() - begin) / 20;
          const c = document.getElementById("map"), r = c.getBoundingClientRect();
          const start = performance.now();
          for (let i = 0; i < 20; i++) {
            c.dispatchEvent(new WheelEvent("wheel", {deltaY: i % 2 ? -30 : 30, cancelable: true,
              clientX: r.left + 200, clientY: r.top + 100}));
            c.dispatchEvent(new PointerEvent("pointermove",
              {clientX: r.left + 20 * i, clientY: r.top + 10 * i}));
            await new Promise(requestAnimationFrame);
          }
          return [(performance.now() - start) / 20, drawing];
        }"""
    )
    assert step < 8 * drawing + 100  # of the same machine, as busy as it is
    page.close()
