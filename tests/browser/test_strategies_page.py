"""The ways to recognise a class in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from recognised import found


@pytest.mark.slow(reason="many clusterings, and a browser")
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_it_is_whole_and_readable(
    chromium: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "ways.html"
    found().to_html(path)
    context = chromium.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(path.as_uri())
    assert problems == [path.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.locator("table.ways")
    assert table.locator("tbody tr:visible").count() == (2 if width > 600 else 4)
    for name in ("moon", "rocket"):  # on a phone the words are below the numbers
        chip = table.locator(".chip:visible").filter(has_text=name)
        assert chip.count() == 1
        shown = chip.bounding_box()
        assert shown is not None
        assert shown["x"] + shown["width"] <= width
    suspected = table.get_by_role("columnheader", name="on suspects").bounding_box()
    assert suspected is not None
    assert suspected["x"] + suspected["width"] <= width - 20
    box = page.locator("svg.chart").bounding_box()
    assert box is not None
    assert box["width"] > 250
    table.get_by_role("link", name="2").click()
    section = page.locator("#way2")
    assert section.get_by_role("heading", name="Way 2: rocket").is_visible()
    assert section.locator(".chip").first.inner_text().startswith("rocket")
    assert section.locator(".documents .text span.w").count() >= 10
    context.close()
