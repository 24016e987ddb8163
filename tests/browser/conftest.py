import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from visits import Visit

expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong

# as root there is no sandbox; the rest keeps Chromium from calling home
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--no-first-run", "--disable-quic"),
)


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
    context = chromium.new_context(
        viewport={"width": 1200, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    made = Visit(context)
    yield made
    context.close()
    assert made.problems == []
