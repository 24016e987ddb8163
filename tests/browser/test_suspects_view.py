"""The served page's view of suspects: tick, what if, download, by keyboard, on a phone."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from networks import TOPICS, topical
from playwright.sync_api import Browser, Page, expect
from suspected import one_suspect, some_suspects
from visits import Served, Visit, started

import whyword as ww
from whyword.audit.suspicion.table import COLUMNS
from whyword.cli.word_lists import ignored_words

HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\">",
    "</script><b>bold</b>\u202e",
    "=cmd|' /C calc'!A1",
    "x" * 900,
)
TEXTS, LABELS = topical(60, seed=4)
LABELS[0], LABELS[3] = LABELS[3], LABELS[0]
ROWS = [
    one_suspect(*TOPICS["space"], label="space"),
    one_suspect(*HOSTILE, *(f"word{n}" for n in range(9)), label="hockey"),
    one_suspect("/cip.*/", "key", label="crypto"),
    one_suspect("moon rocket", label="space", verdict="noise"),
    *(one_suspect(f"other{n}", label="crypto", verdict="no evidence") for n in range(40)),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A bag of words with a corpus, and suspects of another model."""
    folder = tmp_path_factory.mktemp("suspects")
    with (folder / "posts.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "label"])
        rows = enumerate(zip(TEXTS, LABELS, strict=True))
        writer.writerows((f"post <b>{n}</b>", *row) for n, row in rows)
    some_suspects(ROWS, "of another model").to_json(folder / "suspects.json")
    model = ww.SVMClassifier(C=1.0).fit(*topical())
    yield from started(folder, model, str(folder / "posts.csv"), "--suspects", str(folder))


def opened(visit: Visit, served: Served) -> Page:
    page = visit.page
    page.goto(served.address + "#/suspects")
    expect(page.locator(".suspect-rows > li")).to_have_count(3)
    return page


def test_tick_and_see_what_if(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    expect(page.locator(".notice").first).to_contain_text("found for another model")
    expect(page.get_by_role("button", name="What if")).to_be_disabled()
    page.get_by_label("moon").check()
    page.get_by_label("cip").check()
    expect(page.get_by_text("2 ticked")).to_be_visible()
    page.get_by_role("button", name="What if").click()
    entries = [*ROWS[0].entries, *ROWS[2].entries]
    expected = ww.what_if(ww.load_model(served.model), entries, TEXTS, LABELS)
    turns, accuracy = expected.turns, expected.accuracy
    assert turns is not None
    assert accuracy is not None
    assert turns["right to wrong"] > 0
    said = page.locator(".what-if")
    held = f"{len(expected.documents)} documents of 60 hold it"
    expect(said).to_contain_text(f"{held}, {len(expected.changes)} prediction")
    shown = [f"{100 * value:.1f} %" for value in accuracy.values]
    expect(said.locator("b")).to_have_text(shown)
    expect(said).to_contain_text(f"{turns['right to wrong']} turn wrong")
    ids = [f"post <b>{one.document}</b>" for one in expected.changes]
    links = page.locator(".changes a")
    assert sorted(links.all_inner_texts()) == sorted(ids)
    wanted = links.first.inner_text()
    links.first.click()
    expect(page.locator(".about")).to_contain_text(wanted)
    expect(page.locator(".verdict")).to_be_visible()
    page.go_back()  # ticks and the answer are still there
    expect(page.locator(".what-if b")).to_have_text(shown)
    expect(page.locator(".suspect-rows input:checked")).to_have_count(2)
    page.get_by_label("moon").uncheck()  # it is no answer any more
    expect(page.locator(".what-if")).to_be_empty()
    page.get_by_role("button", name="Untick all").click()
    expect(page.locator(".suspect-rows input:checked")).to_have_count(0)


def test_rows_are_chosen_and_the_list_is_taken_along(
    visit: Visit, served: Served, tmp_path: Path
) -> None:
    page = opened(visit, served)
    expect(page.locator(".reasons").first).to_contain_text("a habit of few")
    page.get_by_label("Show").select_option("no evidence")
    expect(page.locator(".suspect-rows > li")).to_have_count(30)
    page.get_by_role("button", name="Show more (30 of 40)").click()
    expect(page.locator(".suspect-rows > li")).to_have_count(40)
    page.get_by_label("other39").check()
    page.get_by_label("for", exact=True).select_option("hockey")
    expect(page.get_by_text("There is none.")).to_be_visible()
    page.get_by_label("Show").select_option("all")
    expect(page.locator(".suspect-rows > li")).to_have_count(1)
    page.locator(".suspect-rows input").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    path = tmp_path / "suspects.csv"
    download.value.save_as(path)
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == list(COLUMNS)
    assert [n for n, row in enumerate(rows) if row["artefact"] == "yes"] == [1, len(ROWS) - 1]
    assert ignored_words(str(path))[-2:] == ["word8", "other39"]


def test_the_keyboard_does_it_all(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    page.get_by_label("moon").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("1 ticked")).to_be_visible()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.textContent") == "What if"
    page.keyboard.press("Enter")
    expect(page.locator(".what-if b")).to_have_count(2)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input, select")]
          .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
          .map((e) => e.outerHTML)"""
    )
    assert nameless == []


def test_hostile_words_are_inert(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    page.get_by_text("and 5 more, deleted together").click()
    shown = page.locator(".suspect-rows > li").nth(1).locator(".chip").all_inner_texts()
    assert shown[0] == HOSTILE[0]
    assert len(shown) == 13
    page.locator(".suspect-rows input").nth(1).check()
    page.get_by_role("button", name="What if").click()
    expect(page.locator(".what-if")).to_contain_text("0 documents of 60 hold it")
    assert page.locator("main img, main script, main b:has-text('bold')").count() == 0
    assert "\u202e" not in page.locator("main").inner_text()
    assert page.title() == "whyword: suspects"


def test_what_cannot_be_asked_is_said(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    page.get_by_label("moon").check()
    page.route("**/api/what-if", lambda route: route.abort())
    page.get_by_role("button", name="What if").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.unroute("**/api/what-if")
    page.get_by_role("button", name="What if").click()
    expect(page.locator(".what-if b")).to_have_count(2)
    expect(page.get_by_role("alert")).to_have_count(0)
    visit.problems.clear()  # the browser tells of the request that failed


def test_a_phone_has_room(chromium: Browser, served: Served) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    page.goto(served.address + "#/suspects")
    page.locator(".suspect-rows label").nth(0).tap()
    expect(page.get_by_text("1 ticked")).to_be_visible()
    page.get_by_role("button", name="What if").tap()
    expect(page.locator(".what-if b")).to_have_count(2)
    expect(page.locator(".what-if b").first).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert re.search("score 1.5", page.locator("main").inner_text())
    context.close()
