"""The served page in a real browser: explain, change, compare, look through a corpus, go wrong."""

import csv
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from networks import made_cnn, small_cnn, topical
from playwright.sync_api import Browser, Page, Route, expect
from torch_trained import untrained
from visits import TEXT, Served, Visit, opened, started

from whyword import Explanation, SVMClassifier, explain, load_model
from whyword.base.printable import visible
from whyword.explanation.heatmap import LEVELS

HOSTILE = (
    "<script>document.title='owned'</script> <img src=x onerror=\"document.title='owned'\"> "
    "</script></textarea><b>bold</b> \"double\" 'single' &lt; \x00\x1b[31m \u202eoverride\u202c "
    "moon <svg onload=document.title='owned'> 👩\u200d🚀 e\u0301 goal\nשלום עולם\nkey {{7*7}}"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A network with a labelled corpus, some of its labels wrong."""
    folder = tmp_path_factory.mktemp("served")
    texts, labels = topical(60, seed=4)
    for number in (0, 3, 7):
        labels[number] = {"space": "hockey", "hockey": "crypto", "crypto": "space"}[labels[number]]
    with (folder / "posts.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "label"])
        writer.writerows(
            (f"post {n}", *row) for n, row in enumerate(zip(texts, labels, strict=True))
        )
    yield from started(folder, small_cnn(), str(folder / "posts.csv"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A network whose classes, and documents whose ids and labels, try to do harm."""
    folder = tmp_path_factory.mktemp("hostile")
    model = made_cnn(seed=1)  # "wa", "script" and "img" speak for a class
    model.classes_ = np.array(["<img src=x onerror=alert(1)>", "\u202e</script>", "constructor"])
    rows = [
        {"id": f"<b>{n}</b>\u202e", "text": HOSTILE + " wa wb", "label": str(model.classes_[n % 3])}
        for n in range(6)
    ]
    path = folder / "posts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield from started(folder, model, str(path))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A bag of words without a corpus, behind a token."""
    folder = tmp_path_factory.mktemp("alone")
    model = SVMClassifier(seed=0).fit(*topical())
    yield from started(folder, model, "--token", "open sesame", "--max-words", "50")


COLOURS = """
import numpy as np
import whyword as ww

NAMES = ["red", "green", "blue"]

def ask(texts):
    return np.array([[0.9 * (name in text) for name in NAMES] for text in texts])

model = ww.BlackBox(ask, NAMES, multilabel=True)
"""


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A model that predicts several labels, and texts that have several."""
    folder = tmp_path_factory.mktemp("several")
    (folder / "colours.py").write_text(COLOURS)
    rows = "first,a red sky,red\nsecond,green and red,red;green\nthird,nothing,blue\n"
    (folder / "texts.csv").write_text("id,text,label\n" + rows)
    yield from started(folder, "colours:model", "texts.csv", "--label-separator", ";")


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A network of characters, which explains a class at a time; its classes are numbers."""
    texts, labels = topical(30)
    numbers = dict(zip(sorted(set(labels)), (1.0, 2.0, 3.5), strict=True))  # JavaScript: 1, 2, 3.5
    network = untrained("characters").fit(texts, [numbers[label] for label in labels])
    yield from started(tmp_path_factory.mktemp("characters"), network)


def test_every_class_is_shown_when_it_is_chosen(visit: Visit, one_by_one: Served) -> None:
    page = opened(visit, one_by_one)
    options = page.locator("#target option")
    before = page.locator(".reading h2").first.inner_text()
    page.route("**/api/explain", lambda route: route.abort())
    pressed = page.locator('[data-class][aria-pressed="false"]').first
    number = pressed.get_attribute("data-class")
    pressed.click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(page.locator(".reading h2").first).to_have_text(before)
    visit.problems.clear()
    page.unroute("**/api/explain")
    page.locator(f'[data-class="{number}"]').click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".reading h2").first).not_to_have_text(before)
    for at, label in enumerate(options.all_inner_texts()):
        page.locator("#target").select_option(index=at)
        expect(page.locator(".reading h2").first).to_have_text(label)
    page.locator("#against").select_option(index=1)
    expect(page.locator(".reading h2").first).to_contain_text("rather than")
    page.locator(".text.live .w").first.click()
    expect(page.locator(".text.live .w").first).to_contain_class("gone")


def test_several_labels_are_all_shown(visit: Visit, several: Served) -> None:
    page = opened(visit, several, "green and red")
    expect(page.locator(".verdict")).to_contain_text("Predicted red, green 90")
    expect(page.locator("#view")).to_contain_text("probability +0.")
    expect(page.locator("#view")).not_to_contain_text("score +0.")
    page.locator(".text.live .w").nth(0).click()  # without "green"
    expect(page.locator(".flip")).to_contain_text("changed the prediction: red, green → red")
    page.get_by_label("Text", exact=True).fill("red red")
    expect(page.locator("#view")).to_contain_text("; need not add up, by occlusion")
    page.get_by_label("Text", exact=True).fill("nothing of it")
    expect(page.locator(".verdict")).to_contain_text("Predicted no label")
    page.goto(f"{several.address}#/explain?doc=1")
    expect(page.locator(".verdict")).to_contain_text("as labelled")
    page.goto(f"{several.address}#/explain?doc=2")
    expect(page.locator(".verdict")).to_contain_text("Predicted no label")
    expect(page.locator(".verdict")).to_contain_text("which is wrong")
    page.goto(f"{several.address}#/errors")
    expect(page.locator("#view")).to_contain_text("several labels, each by itself")
    page.goto(f"{several.address}#/suspects")  # how to make the list
    expect(page.locator("#view")).to_contain_text("whyword suspects MODEL CORPUS --out FOLDER")
    expect(page.locator("#view")).to_contain_text("whyword serve MODEL CORPUS --suspects FOLDER")


def drop(page: Page, text: str, name: str) -> None:
    """Drop a file with this text on the page."""
    page.evaluate(
        """([text, name]) => {
          const data = new DataTransfer();
          data.items.add(new File([text], name, {type: "text/plain"}));
          document.getElementById("view").dispatchEvent(
            new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        [text, name],
    )


def levels(page: Page, panel: int = 0) -> list[int]:
    """Return the steps of strength that a text is shown in."""
    found = (
        page.locator(".text.live")
        .nth(panel)
        .locator(".w")
        .evaluate_all("all => all.map((e) => e.className)")
    )
    steps = [re.search(r"\b([pn])(\d+)\b", name) for name in found]
    return [int(step[2]) * (1 if step[1] == "p" else -1) if step else 0 for step in steps]


def expected(values: np.ndarray, full: float | None = None) -> list[int]:
    full = full or float(np.abs(values).max())
    return [int(np.floor(value / full * LEVELS + 0.5)) for value in values.astype(float)]


# ---- explain ----------------------------------------------------------------------------------


def test_a_text_is_explained_and_another_class_needs_no_request(
    visit: Visit, served: Served
) -> None:
    page, model = opened(visit, served), load_model(served.model)
    found = explain(model, TEXT, "all")
    expect(page.locator(".verdict b")).to_have_text(str(found.predicted))
    assert page.locator(".text.live").inner_text().strip() == TEXT
    before = visit.requests("/api/")
    for label in model.classes_.tolist():
        page.locator(".class", has_text=label).click()
        column = found.relevance[:, list(found.classes).index(label)]
        assert levels(page) == expected(column)
        expect(page.locator(".reading h2")).to_have_text(label)
    page.get_by_label("Why", exact=True).select_option("crypto")
    expect(page.locator(".reading h2")).to_have_text("crypto")
    assert visit.requests("/api/") == before
    bars = page.locator(".wordlists section").first.locator(".word").all_text_contents()
    crypto = found.relevance[:, list(found.classes).index("crypto")]
    assert bars[0] == found.words[int(crypto.argmax())].lower()


def test_two_classes_as_a_contrast_and_side_by_side(visit: Visit, served: Served) -> None:
    page, model = opened(visit, served), load_model(served.model)
    before = visit.requests("/api/")
    page.get_by_label("Why", exact=True).select_option("space")
    page.get_by_label("compared with", exact=True).select_option("hockey")
    contrast = explain(model, TEXT, "space", against="hockey")
    expect(page.locator(".reading h2")).to_have_text("space rather than hockey")
    assert levels(page) == expected(contrast.relevance)
    page.get_by_label("side by side").check()
    expect(page.locator(".text.live")).to_have_count(2)
    both = explain(model, TEXT, ["space", "hockey"]).relevance
    full = float(np.abs(both).max())
    assert [levels(page, n) for n in (0, 1)] == [expected(both[:, n], full) for n in (0, 1)]
    page.get_by_role("button", name="vs hockey").click()  # again: no longer
    expect(page.locator(".text.live")).to_have_count(1)
    assert visit.requests("/api/") == before


def test_how_the_model_reads_is_told(visit: Visit, served: Served) -> None:
    page, width = opened(visit, served), 360
    page.set_viewport_size({"width": width, "height": 700})
    said = page.locator(".reads dl")
    expect(said).to_be_hidden()
    reads = page.get_by_text("how it reads").bounding_box()
    link = page.locator("#model").get_by_role("link", name="API").bounding_box()
    assert reads is not None
    assert link is not None
    assert link["y"] == pytest.approx(reads["y"], abs=3)  # in one line, wherever that breaks
    page.get_by_text("how it reads").click()
    expect(said).to_contain_text("words by")
    box = said.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width


def test_phrases_are_listed(visit: Visit, served: Served) -> None:
    page, model = opened(visit, served), load_model(served.model)
    strongest = explain(model, TEXT, level="phrase").phrases()[:10]
    shown = page.locator(".phrases .bars .word")
    expect(shown).to_have_text([one.text for one in strongest])
    page.locator(".phrases .bars button").first.click()
    first = strongest[0].text.split()
    lit = page.locator(".text.live .w.flash")
    expect(lit).to_have_count(len(first) * len(strongest[0].spans))
    assert [word.lower() for word in lit.all_inner_texts()][: len(first)] == first


def test_pointing_shows_numbers(visit: Visit, served: Served) -> None:
    page, model = opened(visit, served), load_model(served.model)
    found = explain(model, TEXT, "all")
    page.locator(".class", has_text="space").click()
    page.locator(".live .w", has_text="rocket").hover()
    tip = page.locator("#tip")
    place = found.words.index("rocket")
    value = found.relevance[place, list(found.classes).index("space")]
    shown = f"{abs(value):#.3g}".rstrip("0").rstrip(".")
    expect(tip).to_contain_text(f"rocket {'+' if value > 0 else '−'}{shown}")
    for label in found.classes:
        expect(tip).to_contain_text(str(label))
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_words_that_cancel_each_other_out_are_told_of(visit: Visit, served: Served) -> None:
    def cancel(route: Route) -> None:
        """Let the first two words be very strong, against each other."""
        response = route.fetch()
        answer = response.json()
        for one in answer["explanations"]:
            one["relevance"][:2] = [[sign * 1e4] * len(one["classes"]) for sign in (1, -1)]
        route.fulfill(response=response, json=answer)

    visit.page.route("**/api/explain", cancel)
    page = opened(visit, served, "moon goal")
    said = "words cancel each other out: without their signs"
    expect(page.locator("#view")).to_contain_text(said)
    page.unroute("**/api/explain")
    page.get_by_label("Text", exact=True).fill("moon moon")
    expect(page.locator("#view")).not_to_contain_text(said)


def test_words_are_deleted_and_come_back(visit: Visit, served: Served) -> None:
    page, model = opened(visit, served), load_model(served.model)
    whole = levels(page)
    names = list(explain(model, TEXT, "all").classes)

    def shows(deleted: list[int]) -> None:
        gone = page.locator(".live .w.gone")
        expect(gone).to_have_count(len(deleted))
        assert [int(one.get_attribute("data-n") or -1) for one in gone.all()] == deleted
        found = explain(model, TEXT, "all", deleted=deleted)
        target = str(page.locator(".reading h2").inner_text())
        assert levels(page) == expected(found.relevance[:, names.index(target)])
        for row in page.locator(".class").all():
            label = row.locator(".word").inner_text()
            score = float(found.scores[names.index(label)])
            shown = f"{score:+.2f}".replace("-", "−")
            assert shown in row.locator(".score").inner_text()

    page.locator(".live .w", has_text="moon").first.click()
    shows([1])
    page.locator(".live .w", has_text="rocket").click()
    shows([1, 4])
    page.get_by_role("button", name="Undo").click()
    shows([1])
    page.locator(".live .w", has_text="moon").first.click()  # a deleted one comes back
    expect(page.locator(".gone")).to_have_count(0)
    assert levels(page) == whole
    page.get_by_role("button", name="Remove the top five").click()
    target = names.index(page.locator(".reading h2").inner_text())
    column = explain(model, TEXT, "all").relevance[:, target]
    positive = [n for n in np.argsort(-column, kind="stable")[:5].tolist() if column[n] > 0]
    shows(sorted(positive))
    page.get_by_role("button", name="All words back").click()
    expect(page.locator(".live .gone")).to_have_count(0)
    assert levels(page) == whole
    asked = visit.requests("/api/explain")
    for _ in range(4):
        page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    assert visit.requests("/api/explain") == asked  # all of it was known already


def test_all_occurrences_of_a_word_are_deleted_at_once(visit: Visit, served: Served) -> None:
    page, model = opened(visit, served), load_model(served.model)
    found = explain(model, TEXT, "all")
    target = list(found.classes).index(page.locator(".reading h2").inner_text())
    places = [n for n, word in enumerate(found.words) if word.lower() == "the"]
    assert len({found.words[n] for n in places}) == 2  # whatever the case

    def shows(deleted: list[int]) -> None:
        gone = page.locator(".live .w.gone")
        expect(gone).to_have_count(len(deleted))
        assert [int(one.get_attribute("data-n") or -1) for one in gone.all()] == deleted
        left = explain(model, TEXT, "all", deleted=deleted)
        assert levels(page) == expected(left.relevance[:, target])

    page.locator(".live .w").nth(places[1]).hover()
    expect(page.locator("#tip")).to_contain_text("Click to delete it, with Shift to delete all 4")
    page.locator(".live .w").nth(places[1]).click(modifiers=["Shift"])
    shows(places)
    assert page.evaluate("getSelection().toString()") == ""
    page.locator(".live .w").nth(places[0]).click()  # one of them comes back
    shows(places[1:])
    page.get_by_role("button", name="Undo").click()
    shows(places)
    page.locator(".live .w").nth(places[2]).hover()
    expect(page.locator("#tip")).to_contain_text("with Shift to take all 4 back")
    page.locator(".live .w").nth(places[2]).click(modifiers=["Shift"])
    shows([])
    page.locator(".live .w", has_text="rocket").hover()
    expect(page.locator("#tip")).not_to_contain_text("Shift")  # it stands here once
    page.locator(".text.live").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+Enter")
    shows(places)
    page.keyboard.press("Shift+Enter")
    shows([])
    assert "Shift and Enter" in (page.locator(".text.live").get_attribute("aria-label") or "")


def test_a_prediction_that_changes_is_told(visit: Visit, served: Served) -> None:
    page = opened(visit, served, "moon rocket orbit and one goal of the team")
    expect(page.locator(".verdict b")).to_have_text("space")
    for word in ("moon", "rocket", "orbit"):
        page.locator(".live .w", has_text=word).click()
        expect(page.locator(".live .w.gone", has_text=word)).to_have_count(1)
    expect(page.locator(".flip")).to_contain_text("space → hockey")
    page.get_by_role("button", name="All words back").click()
    expect(page.locator("#said")).to_contain_text("The prediction changed from hockey to space")
    expect(page.locator(".flip")).to_have_count(0)


def test_typing_is_followed(visit: Visit, served: Served) -> None:
    page = opened(visit, served, "moon rocket")
    expect(page.locator(".verdict b")).to_have_text("space")
    page.get_by_label("Text", exact=True).fill("")
    page.get_by_label("Text", exact=True).press_sequentially("puck goal ice")
    expect(page.locator(".verdict b")).to_have_text("hockey")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".empty")).to_contain_text("Paste a text above")
    expect(page.locator(".examples")).to_have_count(0)  # they are for models of newsgroups


def test_an_answer_that_comes_while_another_text_is_typed_is_not_shown_for_it(
    visit: Visit, served: Served
) -> None:
    page = opened(visit, served, "moon rocket")
    field, held = page.get_by_label("Text", exact=True), list[Route]()
    page.clock.install()
    page.clock.pause_at(time.time() + 60)  # what waits for a pause in typing waits for us
    page.route(
        "**/api/explain",
        lambda route: route.continue_() if held else held.append(route),  # the first one waits
    )
    field.fill("moon orbit launch")
    with page.expect_request("**/api/explain"):
        page.clock.run_for(1_000)
    field.fill("puck goal ice")
    with page.expect_response("**/api/explain"):
        held[0].continue_()
    with page.expect_response("**/api/explain"):
        page.clock.run_for(1_000)
    expect(page.locator(".verdict b")).to_have_text("hockey")
    expect(page.locator(".live .w").first).to_have_text("puck")


def test_the_keyboard_does_it_all(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    page.locator(".text.live").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".live .w.gone")).to_have_text("moon")
    assert page.evaluate("document.activeElement.classList.contains('live')")
    page.keyboard.press("Enter")
    expect(page.locator(".live .gone")).to_have_count(0)
    page.locator(".class").nth(2).focus()
    label = page.locator(".class").nth(2).locator(".word").inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".reading h2")).to_have_text(label)
    assert page.evaluate("document.activeElement.textContent").startswith(label)
    page.locator("#top-five").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".live .gone").first).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "top-five"


def test_every_control_has_a_name(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    for address in ("", "#/corpus", "#/corpus/words", "#/corpus/search", "#/errors"):
        page.goto(served.address + address)
        page.wait_for_timeout(200)
        nameless = page.evaluate(
            """() => [...document.querySelectorAll("button, a, input, select, textarea, canvas")]
              .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
              .map((e) => e.outerHTML)"""
        )
        assert nameless == []
        assert page.locator("h1").count() == 1
        assert page.locator("main").count() == 1


# ---- taking along -----------------------------------------------------------------------------


def test_a_link_holds_text_and_view_and_does_not_reach_the_server(
    visit: Visit, served: Served, chromium: Browser
) -> None:
    page = opened(visit, served, TEXT + " Zyzzyva 👩\u200d🚀.")
    page.get_by_label("Why", exact=True).select_option("crypto")
    page.get_by_label("compared with", exact=True).select_option("space")
    page.locator(".live .w", has_text="secret").click()
    expect(page.locator(".live .gone")).to_have_count(1)
    page.get_by_text("Export").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".notice")).to_contain_text("The link is in the clipboard")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(served.address + "#/explain?")
    other = Visit(chromium.new_context())
    other.page.goto(link)
    expect(other.page.locator(".reading h2")).to_have_text("crypto rather than space")
    expect(other.page.locator(".live .w.gone")).to_have_text("secret")
    assert (
        other.page.get_by_label("Text", exact=True).input_value() == TEXT + " Zyzzyva 👩\u200d🚀."
    )
    assert levels(other.page) == levels(page)
    tip, secret = other.page.locator("#tip"), other.page.locator(".live .w", has_text="secret")
    secret.hover()
    expect(tip).to_contain_text("deleted")
    expect(tip).not_to_contain_text("unknown")
    secret.click()  # which was deleted from the start
    expect(other.page.locator(".live .w.gone")).to_have_count(0)
    assert "u" not in (secret.get_attribute("class") or "").split()
    assert "u" in (other.page.locator(".live .w").last.get_attribute("class") or "").split()
    assert all("Zyzzyva" not in r.url and "t=" not in r.url for r in other.asked)
    other.page.goto(re.sub(r"m=\w+", "m=0123456789abcdef", link))
    other.page.reload()
    expect(other.page.locator(".notice")).to_contain_text("another model")
    other.page.goto(served.address + "#/explain?t=broken!")
    other.page.reload()
    expect(other.page.locator(".notice")).to_contain_text("This link is damaged")
    assert other.problems == []
    other.page.context.close()
    assert "zyzzyva" not in served.log.read_text().lower()
    assert '"route": "/api/explain"' in served.log.read_text()


def test_picture_html_and_json(visit: Visit, served: Served, tmp_path: Path) -> None:
    page = opened(visit, served)

    def take(name: str) -> None:
        page.locator(".menu summary").click()
        page.get_by_role("button", name=name).click()

    take("Copy as image")
    expect(page.locator(".notice")).to_contain_text("picture is in the clipboard")
    size = page.evaluate(
        """async () => {
          const [item] = await navigator.clipboard.read(), blob = await item.getType("image/png");
          const picture = await createImageBitmap(blob);
          return [picture.width, picture.height];
        }"""
    )
    assert size[0] == 1800
    assert size[1] > 200
    take("Copy as HTML")
    expect(page.locator(".notice").first).to_contain_text("coloured text is in the clipboard")
    html = page.evaluate(
        """async () => (await (await navigator.clipboard.read())[0].getType("text/html")).text()"""
    )
    assert "rocket</span>" in html
    assert "background-color" in html
    page.locator(".menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    download.value.save_as(tmp_path / "why.json")
    again = Explanation.from_json((tmp_path / "why.json").read_text())
    whole = explain(load_model(served.model), TEXT, "all")
    np.testing.assert_allclose(again.relevance, whole.relevance, rtol=1e-5, atol=1e-6)
    assert again.conserved


def test_a_file_is_opened_and_dropped(visit: Visit, served: Served, tmp_path: Path) -> None:
    page = opened(visit, served)
    (tmp_path / "a.txt").write_text("Möon rocket", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes("Caf\xe9 puck".encode("latin-1"))
    page.get_by_label("Open a file").set_input_files(tmp_path / "a.txt")
    expect(page.locator(".text.live")).to_have_text("Möon rocket")
    expect(page.locator(".about")).to_have_text("a.txt")
    page.get_by_label("Open a file").set_input_files(tmp_path / "b.txt")
    expect(page.locator(".text.live")).to_have_text("Café puck")
    drop(page, "dropped moon", "c.txt")
    expect(page.locator(".text.live")).to_have_text("dropped moon")


# ---- corpus and errors ------------------------------------------------------------------------


def test_the_map_leads_to_a_document(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(served.address + "#/corpus")
    expect(page.get_by_text("60 documents shown")).to_be_visible()
    page.get_by_label("Show", exact=True).select_option("wrong")
    expect(page.get_by_text("3 documents shown")).to_be_visible()
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#hint")).to_contain_text("post 0")
    expect(page.locator("#hint")).to_contain_text("predicted")
    page.get_by_label("Show", exact=True).select_option("all")
    page.get_by_role("button", name="none").click()
    expect(page.get_by_text("0 documents shown")).to_be_visible()
    page.get_by_label("hockey").check()
    expect(page.get_by_text("21 documents shown")).to_be_visible()
    x, y, name = page.evaluate(
        """async () => {
          const data = await (await fetch("/api/map")).json();
          const n = data.labels.indexOf(data.label_names.indexOf("hockey"));
          const box = document.getElementById("map").getBoundingClientRect();
          const least = Math.min(box.width, box.height) - 24, [px, py] = data.points[n];
          return [box.left + box.width / 2 + (px - 0.5) * least,
            box.top + box.height / 2 - (py - 0.5) * least, data.ids[n]];
        }"""
    )
    page.mouse.click(x, y)
    expect(page.locator(".about")).to_contain_text("post ")
    expect(page.locator(".about")).to_contain_text("labelled hockey")
    expect(page.locator(".verdict")).to_be_visible()
    assert name.startswith("post")
    page.go_back()
    expect(page.get_by_text("21 documents shown")).to_be_visible()  # filters stay


def test_class_words_lead_to_their_documents(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(served.address + "#/corpus/words")
    section = page.locator(".class-grid section", has_text="space")
    first = section.locator("button").first
    word = first.locator(".word").inner_text()
    first.click()
    expect(page.locator(".details h2")).to_have_text(f"“{word}” for space")
    page.locator(".entries a").first.click()
    expect(page.locator(".live .w", has_text=word).first).to_be_visible()
    expect(page.locator(".reading h2")).to_have_text("space")


def test_symbols_are_listed_on_demand(visit: Visit, served: Served) -> None:
    page = visit.page
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | {"symbols": True})

    page.goto(served.address + "#/corpus/words")
    expect(page.locator(".class-grid")).to_be_visible()
    assert page.get_by_label("with symbols").count() == 0  # this model has none
    page.route("**/api/words?*", answer)
    page.get_by_label("ordered by").select_option("sum")
    page.get_by_label("with symbols").check()
    expect(page).to_have_url(re.compile(r"#/corpus/words\?r=sum&s=1$"))
    expect(page.get_by_label("with symbols")).to_be_checked()
    page.get_by_label("with symbols").uncheck()
    expect(page).to_have_url(re.compile(r"#/corpus/words\?r=sum$"))
    assert ["symbols=true" in url for url in asked] == [False, True]


def test_class_words_by_rank_and_phrases(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(served.address + "#/corpus/words?c=space")
    page.get_by_label("Words or phrases").select_option("phrases")
    page.get_by_label("ordered by").select_option("strongest")
    expect(page.locator(".note").first).to_contain_text("each phrase by its strongest occurrence")
    assert page.url.endswith("#/corpus/words?u=phrases&r=strongest&c=space")
    first = page.locator(".class-grid button").first
    phrase = first.locator(".word").inner_text()
    assert len(phrase.split()) == 2
    first.click()
    expect(page.locator(".details h2")).to_have_text(f"“{phrase}” for space")
    expect(page.locator(".entries mark").first).to_have_text(re.compile(re.escape(phrase), re.I))
    page.go_back()
    page.get_by_label("ordered by").select_option("typical")
    page.get_by_label("Words or phrases").select_option("words")
    expect(page.locator(".note").first).to_contain_text("each word by its mean over the documents")
    assert page.url.endswith("#/corpus/words?c=space")


def test_search_says_why(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(served.address + "#/corpus/search")
    expect(page.get_by_text("Nothing has been looked for yet.")).to_be_visible()
    page.get_by_label("Look for").fill("rocket to the moon")
    page.keyboard.press("Enter")
    hits = page.locator(".hits > li")
    expect(hits).to_have_count(10)
    hits.first.get_by_text("Why this hit").click()
    expect(hits.first.get_by_text("The query")).to_be_visible()
    assert hits.first.locator(".why .bars li").count() >= 2
    assert hits.first.locator(".ww .w[class*=' p']").count() >= 1
    hits.first.locator("a").click()
    expect(page.locator(".verdict b")).to_have_text("space")
    page.goto(served.address + "#/corpus/search")
    page.get_by_label("Look for").fill("qqq zzz")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The model knows no word of this query.")
    visit.problems.clear()  # the browser reports the 422 on its console, too


def test_a_confusion_shows_what_misled(visit: Visit, served: Served) -> None:
    page, model = visit.page, load_model(served.model)
    page.goto(served.address + "#/errors")
    expect(page.get_by_text("57 documents predicted right, 3 documents wrong")).to_be_visible()
    expect(page.locator(".matrix tbody tr")).to_have_count(3)
    page.locator(".matrix a[aria-label*='labelled hockey, predicted space']").click()
    expect(page.locator(".cell h2")).to_have_text("labelled hockey, predicted space")
    article = page.locator(".cell article")
    expect(article).to_have_count(1)
    text = article.locator(".text").inner_text().strip()
    contrast = explain(model, text, "space", against="hockey")
    shown = article.locator(".w").evaluate_all("all => all.map((e) => e.title)")
    assert len(shown) == len(contrast.words)
    strongest = int(np.abs(contrast.relevance).argmax())
    assert article.locator(".w").nth(strongest).get_attribute("class") in (
        f"w p{LEVELS}",
        f"w n{LEVELS} n",
    )
    misleading = page.locator(".misleading .word").first.inner_text()
    assert misleading in contrast.by_word()
    article.locator("a").click()
    expect(page.locator(".reading h2")).to_have_text("space rather than hockey")
    expect(page.locator(".verdict")).to_contain_text("which is wrong")


# ---- hostile ----------------------------------------------------------------------------------


def test_hostile_text_is_shown_as_text(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    drop(page, HOSTILE, "<img src=x onerror=alert(1)>")
    expect(page.locator(".about")).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator(".text.live")).to_contain_text("override")
    assert page.locator(".text.live").evaluate("e => e.textContent") == visible(HOSTILE)
    assert page.locator("main img, main script, main b:has-text('bold'), main svg").count() == 0
    page.locator(".live .w", has_text="goal").click()  # spans count code points, emoji or not
    expect(page.locator(".live .w.gone")).to_have_text("goal")
    assert page.title() == "whyword: explain"
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Copy as HTML").click()
    expect(page.locator(".notice").first).to_contain_text("clipboard")
    html = page.evaluate(
        "async () => (await (await navigator.clipboard.read())[0].getType('text/html')).text()"
    )
    assert "<img" not in html
    assert "<script" not in html


def test_hostile_names_are_shown_as_text(visit: Visit, hostile: Served) -> None:
    page = visit.page
    for address in (
        "#/explain?doc=1",
        "#/corpus",
        "#/corpus/words",
        "#/corpus/words?c=constructor&w=wa",
        "#/corpus/search?q=wa%20wb",
        "#/errors",
        "#/errors?label=constructor&predicted=constructor",
    ):
        page.goto(hostile.address + address)
        page.reload()
        page.wait_for_load_state("networkidle")
        assert page.locator("main img, main script, main b:has-text('bold')").count() == 0
        assert "\u202e" not in page.locator("main").inner_text()
        assert "owned" not in page.title()
    page.goto(hostile.address + "#/explain?doc=1")
    expect(page.locator(".about")).to_contain_text("<b>1</b>·")
    assert (
        page.locator(".class .word").all_text_contents().count("<img src=x onerror=alert(1)>") == 1
    )


def test_the_policy_stops_what_would_slip_through(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'owned'";
          const image = new Image();
          image.src = "http://127.0.0.1:9/x.png";
          const inline = "<b onclick='document.title=1' id=slipped>x</b>";
          document.body.insertAdjacentHTML("beforeend", inline);
          document.body.append(script, image);
          document.getElementById("slipped").click();
        }"""
    )
    assert page.title() == "whyword: explain"
    assert sum("Content Security Policy" in problem for problem in visit.problems) >= 3
    visit.problems.clear()


def test_a_megabyte_of_emoji(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    emoji = "😀🚀" * 131_072  # 262,144 code points, 1 MB
    drop(page, emoji + " moon", "emoji.txt")
    expect(page.locator(".live .w")).to_have_count(1, timeout=60_000)
    expect(page.get_by_text("only its beginning is shown")).to_be_visible()
    shown = page.locator(".text.live").evaluate("e => e.textContent.length")
    assert shown == 2 * len(emoji) + 5  # in JavaScript's units
    page.locator(".class").nth(1).click()
    page.locator(".text.live").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".live .w.gone")).to_have_text("moon", timeout=60_000)
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_label("Text", exact=True)).to_be_editable()


# ---- when something is wrong ------------------------------------------------------------------


def test_without_a_corpus_and_with_a_token(visit: Visit, alone: Served) -> None:
    page = visit.page
    page.goto(alone.address)
    page.get_by_role("textbox", name="Token").fill("wrong")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("The server did not take that token.")).to_be_visible()
    page.get_by_role("textbox", name="Token").fill("open sesame")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#model")).to_contain_text("SVM, 3 classes")
    page.get_by_label("Text", exact=True).fill("moon rocket moon key")
    expect(page.locator(".verdict b")).to_have_text("space")
    model = load_model(alone.model)
    whole = explain(model, "moon rocket moon key", "space")
    assert levels(page) == expected(
        whole.word_values()[:, 0]
    )  # an occurrence shows its word's value
    page.locator(".live .w").first.click()
    expect(page.locator(".live .w.gone")).to_have_count(1)
    left = explain(model, "moon rocket moon key", "space", deleted=[0]).word_values()[:, 0]
    assert levels(page)[1:] == expected(left)[1:]
    for name in ("Corpus", "Errors", "Suspects"):
        page.get_by_role("link", name=name).click()
        expect(page.get_by_text("No corpus is served")).to_be_visible()
        expect(page.get_by_text("whyword serve MODEL CORPUS")).to_be_visible()
    assert {p for p in visit.problems if "401" not in p} == set()
    visit.problems.clear()


def test_what_is_refused_is_said(visit: Visit, alone: Served) -> None:
    page = visit.page
    page.goto(alone.address)
    page.get_by_role("textbox", name="Token").fill("open sesame")
    page.get_by_role("button", name="Use it").click()
    page.get_by_label("Text", exact=True).fill("moon " * 60)
    expect(page.get_by_role("alert")).to_contain_text(
        "have 60 words together, this server explains 50"
    )
    page.get_by_label("Text", exact=True).fill("moon")
    expect(page.locator(".verdict")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_label("Text", exact=True).fill("12 34 !!")
    expect(page.locator(".notice")).to_contain_text("There is no word in this text")
    page.get_by_label("Text", exact=True).fill("qwertz")
    expect(page.locator(".notice")).to_contain_text("The model knows none of these words")
    visit.problems.clear()


def test_a_server_that_is_gone_is_told(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    page.route("**/api/explain", lambda route: route.abort())
    page.get_by_label("Text", exact=True).fill("another moon")
    expect(page.get_by_role("alert")).to_have_text(
        "The server does not answer. Is it still running?"
    )
    page.unroute("**/api/explain")
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".text.live")).to_have_text("another moon")
    page.goto(served.address + "#/explain?doc=999")
    expect(page.get_by_role("alert")).to_contain_text("There is no document 999")
    visit.problems.clear()


# ---- sizes ------------------------------------------------------------------------


def test_a_phone_has_room_for_everything(chromium: Browser, served: Served) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    long = "x" * 500
    for address in (
        "#/explain?doc=1",
        "#/explain?doc=0&c=space&a=hockey&v=beside",
        "#/corpus",
        "#/corpus/words",
        "#/corpus/words?c=space&w=moon",
        "#/corpus/search?q=moon",
        "#/errors?label=hockey&predicted=space",
        "api/docs",
    ):
        page.goto(served.address + address)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
    page.goto(served.address)
    page.get_by_label("Text", exact=True).fill(f"moon {long} goal")
    expect(page.locator(".verdict")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    word = page.locator(".live .w", has_text="goal")
    word.tap()  # a finger points first, then deletes
    expect(page.locator("#tip")).to_contain_text("Tap again to delete it")
    expect(page.locator(".live .gone")).to_have_count(0)
    word.tap()
    expect(page.locator(".live .w.gone")).to_have_text("goal")
    page.get_by_label("Text", exact=True).fill("moon goal Moon")
    expect(page.locator(".live .w")).to_have_text(["moon", "goal", "Moon"])
    page.locator(".live .w").first.tap()
    page.get_by_role("button", name="Delete all 2").tap()
    expect(page.locator(".live .w.gone")).to_have_text(["moon", "Moon"])
    expect(page.locator("#tip")).to_be_hidden()
    page.locator(".live .w").last.tap()
    page.get_by_role("button", name="Take all 2 back").tap()
    expect(page.locator(".live .gone")).to_have_count(0)
    context.close()


def test_models_of_newsgroups_have_examples(visit: Visit, served: Served) -> None:
    def rename(route: Route) -> None:
        response = route.fetch()
        about = response.json()
        about["model"]["classes"] = ["sci.space", *about["model"]["classes"][1:]]
        route.fulfill(response=response, json=about)

    page = visit.page
    page.route("**/api/about", rename)
    page.goto(served.address)
    page.get_by_role("button", name="The shuttle reached orbit.").click()
    expect(page.locator(".live .w")).to_have_count(4)
