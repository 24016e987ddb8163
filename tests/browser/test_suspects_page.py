"""The page of suspects in a real browser: tick, filter, download, keyboard, phone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from planted import planted_suspects
from playwright.sync_api import Browser, Page, expect
from visits import Visit

from whyword.audit.suspicion.table import Suspects
from whyword.cli.word_lists import ignored_words

HOSTILE = '=cmd("<img src=x onerror=hit()>"), \u202e</script>'


def made() -> Suspects:
    """Return what was planted, a hostile row and one of noise."""
    first, second = planted_suspects()[:2]
    rows = [
        first,
        second,
        replace(first, entries=(HOSTILE, "other"), label="hockey", score=1.0, examples=()),
        replace(first, entries=("noisy",), verdict="noise", score=0.5, examples=()),
    ]
    return replace(planted_suspects(), rows=rows)


@pytest.fixture
def page(visit: Visit, tmp_path: Path) -> Iterator[Page]:
    path = tmp_path / "index.html"
    made().to_html(path)
    visit.page.goto(path.as_uri())
    yield visit.page
    assert [one.url for one in visit.asked if not one.url.startswith("blob:")] == [path.as_uri()]


def downloaded(page: Page, path: Path) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download suspects.csv").click()
    assert waiting.value.suggested_filename == "suspects.csv"
    waiting.value.save_as(path)
    return path.read_bytes().decode()


def test_tick_see_what_if_download(page: Page, tmp_path: Path) -> None:
    page.get_by_label("verdict").select_option("all")
    expect(page.get_by_role("button", name="Download")).to_be_disabled()
    boxes = page.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(2).check()
    expect(page.locator(".count")).to_have_text("2 ticked")
    expect(page.locator("#turns")).to_contain_text(
        "added up, 0 held-out predictions turn wrong, 18 right"
    )
    table = tmp_path / "suspects.csv"
    content = downloaded(page, table)
    assert ignored_words(str(table)) == ["zorvex", HOSTILE, "other"]
    assert content.replace(",yes,", ",,") == made().to_csv()
    page.get_by_role("button", name="Copy the words").click()
    expect(page.locator("#done")).to_contain_text("3 entries are copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"zorvex\n{HOSTILE}\nother"
    boxes.nth(0).uncheck()
    downloaded(page, table)
    assert ignored_words(str(table)) == [HOSTILE, "other"]


def test_filters(page: Page) -> None:
    rows = page.locator("ol.rows > li:visible")
    expect(rows).to_have_count(3)  # suspects
    page.get_by_label("verdict").select_option("noise")
    expect(rows).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1 of 4 rows are shown.")
    page.get_by_label("verdict").select_option("all")
    page.get_by_label("class").select_option(label="hockey")
    expect(rows).to_have_count(2)
    page.get_by_role("searchbox").fill("BIKER")
    expect(rows).to_have_count(1)
    expect(rows.locator(".chip").first).to_have_text("was drinking with a biker")
    rows.get_by_role("checkbox").check()
    page.get_by_role("searchbox").fill("")
    page.get_by_label("class").select_option("all")
    page.get_by_label("verdict").select_option("ticked")
    expect(rows).to_have_count(1)


def test_the_keyboard_is_enough(page: Page) -> None:
    page.get_by_role("searchbox").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox").first).to_be_checked()
    expect(page.locator(".count")).to_have_text("1 ticked")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    marked = page.locator("ol.rows > li").first.locator("article .m")
    expect(marked.first).to_be_visible()
    assert {word.inner_text() for word in marked.all()} == {"zorvex"}
    page.keyboard.press("Enter")
    expect(marked.first).to_be_hidden()


def test_hostile_words_are_words(page: Page) -> None:
    row = page.locator("ol.rows > li").nth(2)
    expect(row.locator(".chip").first).to_contain_text("<img src=x onerror")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_it_fits_and_the_ticked_stay_in_view(
    chromium: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "index.html"
    found = made()
    replace(found, rows=found.rows * 5).to_html(path)
    context = chromium.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    page.goto(path.as_uri())
    for summary in page.locator("ol.rows summary").all()[:3]:
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first = page.locator("ol.rows > li").first.bounding_box()
    assert first is not None
    assert first["y"] < 800  # the first suspect is on the first screen, on a phone, too
    page.get_by_text("What then").click()
    page.evaluate("scrollTo(0, document.querySelector('ol.rows').offsetHeight / 2)")
    box = page.locator("aside").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 800
    assert box["y"] + box["height"] <= 801
    assert width > 800 or box["height"] < 400  # opened, it leaves most of the screen to suspects
    ground = page.evaluate("getComputedStyle(document.querySelector('aside')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is (scheme == "light")
    context.close()
