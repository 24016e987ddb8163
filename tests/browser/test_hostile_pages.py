"""Every page with hostile texts in all of its places, in a real browser: nothing of them runs."""

from pathlib import Path

import pytest
from hostile_pages import KINDS, rendered
from playwright.sync_api import Browser

ATTACK = (
    "<img src=x onerror=hit()> </script><script>hit()</script> </style></title><svg onload=hit()> "
    "\" onmouseover=hit() autofocus onfocus=hit() x=' {{ 7 * 7 }} \x00\u202e <a href='javascript:"
    "hit()'>x</a> <b>"
)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_runs(chromium: Browser, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(rendered(kind, ATTACK), encoding="utf-8", newline="")
    page = chromium.new_page(viewport={"width": 900, "height": 900})
    problems: list[str] = []
    page.expose_function("hit", lambda *_: problems.append("something ran"))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    if kind != "api":  # whose style comes from the server
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: problems.append(request.url))
    page.goto(path.as_uri())
    if kind == "map":
        page.locator("canvas").focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            assert "<img src=x" in page.locator("#document").inner_text()
    if kind == "suspects":
        page.get_by_role("checkbox").first.check()
        page.get_by_role("button", name="Copy").click()
        assert "<img src=x" in page.locator("#entries").input_value()
    for box in page.locator("details").all():
        box.evaluate("element => { element.open = true; }")
    for element in page.locator("[title]").all()[:5]:
        element.dispatch_event("mouseover")
    page.wait_for_timeout(50)
    assert page.locator("img, b:text-is('<b>'), [onload], [onerror], [onmouseover]").count() == 0
    scripts = page.locator("script").count()
    assert scripts == (2 if kind in ("map", "suspects") else 0)
    assert "<img src=x onerror=hit()>" in page.locator("body").inner_text() or kind == "map"
    assert [one for one in problems if one != path.as_uri()] == []
    page.close()
