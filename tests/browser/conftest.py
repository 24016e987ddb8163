import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from visits import Visit

expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong

# as root there is no sandbox; the rest keeps Chromium from calling home
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--no-first-run", "--disable-quic"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as slow."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.slow(reason="drives a browser"))


@pytest.fixture(scope="module")  # while it is there, no other test can run an event loop
def chromium() -> Iterator[Browser]:
    """Start a real browser; without one the tests fail, and say how to get it."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.fail("there is no Chromium; run: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """A page of a size of its own; whatever goes wrong on it fails the test."""
    context = chromium.new_context(
        viewport={"width": 1200, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    made = Visit(context)
    yield made
    context.close()
    assert made.problems == []


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open a file, or HTML or SVG; any script's error, dialog or request fails the test."""
    visits: list[tuple[Visit, str]] = []

    def opener(
        content: str | Path, width: int = 1200, scheme: str = "light", name: str = "page.html"
    ) -> Page:
        path = content if isinstance(content, Path) else tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,  # type: ignore[arg-type]
            permissions=["clipboard-read", "clipboard-write"],
        )
        visit = Visit(context)
        visits.append((visit, path.parent.as_uri()))
        visit.page.goto(path.as_uri())
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        return visit.page

    yield opener
    for visit, folder in visits:
        visit.page.context.close()
        assert visit.problems == []
        for request in visit.asked:  # the page, others that it leads to, what it makes itself
            assert request.url.startswith(("blob:", folder))
