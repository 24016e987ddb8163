"""Pages in files, in a real browser: safe, whole and readable, on a phone, too."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import heatmap
from hostile_pages import KINDS, rendered
from networks import made_cnn, made_text, small_cnn, topical
from PIL import Image
from planted import planted_suspects
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect
from recognised import found as recognised

from whyword import BlackBox, class_words, compare_models, document_map, evaluate, explain
from whyword.analysis.class_words import ClassWordsRequest, class_words_choices
from whyword.analysis.class_words_page import explain_documents, word_page
from whyword.analysis.document_map import DocumentMap
from whyword.audit.suspicion.table import Suspects
from whyword.cli.word_lists import ignored_words
from whyword.corpora.corpus import Part
from whyword.explanation.heatmap import Heatmap, Panel
from whyword.explanation.heatmap import page as heatmap_page
from whyword.explanation.picture import svg
from whyword.pages.charts import Line, line_chart
from whyword.pages.render import environment, static_file
from whyword.reports.files import write_reproduction
from whyword.reports.reproduction import Reproduction
from whyword.reports.tour import write_tour

Open = Callable[..., Page]
IMAGE = "<img src=x onerror=\"document.title='owned'\">"
ATTACK = (
    "<img src=x onerror=hit()> </script><script>hit()</script> </style></title><svg onload=hit()> "
    "\" onmouseover=hit() autofocus onfocus=hit() x=' {{ 7 * 7 }} \x00\u202e <a href='javascript:"
    "hit()'>x</a> <b>"
)
DESKTOP_AND_PHONE = pytest.mark.parametrize(
    ("width", "scheme"), [(1200, "light"), (390, "dark")], ids=["desktop", "phone"]
)


def box_of(element: Locator) -> FloatRect:
    """Return where an element is."""
    box = element.bounding_box()
    assert box is not None
    return box


# ---- all pages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_hostile_texts_runs(chromium: Browser, tmp_path: Path, kind: str) -> None:
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
    assert page.locator("script").count() == (2 if kind in ("map", "suspects") else 0)
    assert "<img src=x onerror=hit()>" in page.locator("body").inner_text() or kind == "map"
    assert [one for one in problems if one != path.as_uri()] == []
    page.close()


def test_the_policy_stops_what_would_slip_through(chromium: Browser, tmp_path: Path) -> None:
    """A script put into the page by hand does not run, nor does a picture load."""
    path = tmp_path / "why.html"
    slipped = "<script>document.title='owned'</script><img src='http://127.0.0.1:9/x.png'>"
    source = explain(made_cnn(), "wa wb").to_html()
    path.write_text(source.replace("</body>", slipped + "</body>"), encoding="utf-8")
    page = chromium.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(path.as_uri())
    assert page.title() != "owned"
    assert sum("Content Security Policy" in message for message in refused) >= 2
    page.close()


# ---- heatmaps -----------------------------------------------------------------------------------


def test_targets_stand_side_by_side_and_one_below_the_other_on_a_phone(opened: Open) -> None:
    source = explain(made_cnn(), "wa wb " * 60, target=["class 0", "class 1"]).to_html()
    wide = [box_of(section) for section in opened(source).locator("section").all()]
    assert wide[0]["y"] == wide[1]["y"]
    assert wide[0]["x"] < wide[1]["x"]
    narrow = [box_of(section) for section in opened(source, 360).locator("section").all()]
    assert narrow[0]["x"] == narrow[1]["x"]
    assert narrow[0]["y"] < narrow[1]["y"]
    opened(explain(made_cnn(), "x" * 5000 + " wa").to_html(), 400)  # a word without an end


def test_numbers_are_there_on_hover(opened: Open) -> None:
    found = explain(made_cnn(), "wa wb", target="class 1")
    hints = [word.get_attribute("title") for word in opened(found.to_html()).locator(".w").all()]
    numbers = [f"{value:+.3g}".replace("-", "−") for value in found.relevance]
    assert hints == [f"wa: {numbers[0]}", f"wb: {numbers[1]}"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_legend_has_the_colors_of_the_words(opened: Open, scheme: str) -> None:
    spans = np.array([[0, 4], [5, 9]], np.int32)
    panel = Panel("target", "", np.array([1.0, -1.0]))
    shown = Heatmap("aaaa bbbb", spans, np.ones(2, np.bool_), 0, (panel,))
    page = opened("".join(heatmap_page([shown])), scheme=scheme)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")

    def color(selector: str, share: float) -> Any:  # noqa: ANN401 - Pillow's pixels
        box = box_of(page.locator(selector))
        inside = box["x"] + 2 + share * (box["width"] - 5)
        return picture.getpixel((round(inside), round(box["y"] + 2)))

    for word, share in ((".n20", 0.0), (".p20", 1.0)):
        assert color(".bar", share) == pytest.approx(color(word, 0.5), abs=6)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_in_both_color_schemes(opened: Open, scheme: str) -> None:
    """The contrast of every word with its ground, as the browser computes both colors."""
    page = opened(explain(made_cnn(), "wa wb wc wd we wf wg " * 3, "all").to_html(), scheme=scheme)
    ground = rgb(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (luminance(ground) > 0.8) is (scheme == "light")
    for word in page.locator(".w").all():
        ink, paint, opacity = word.evaluate(
            "e => { const s = getComputedStyle(e);"
            " return [s.color, s.backgroundColor, parseFloat(s.opacity)] }"
        )
        mixed = over(rgb(paint), ground)
        shown = over([*rgb(ink)[:3], opacity], mixed)
        light, dark = sorted([luminance(shown), luminance(mixed)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def rgb(css: str) -> list[float]:
    numbers = [float(part) for part in css[css.index("(") + 1 : -1].replace("/", ",").split(",")]
    return numbers if len(numbers) == 4 else [*numbers, 1.0]


def over(color: list[float], ground: list[float]) -> list[float]:
    share = color[3]
    return [share * c + (1 - share) * g for c, g in zip(color[:3], ground[:3], strict=True)]


def luminance(color: list[float]) -> float:
    parts = [c / 255 for c in color[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


ARABIC = "مرحبا بالعالم، كيف حالك (اليوم)؟ I live in New York الآن 12 مرة"
# where the letters are and where the color is, from left to right, and whose place the middle is
LAID_OUT = """words => words.map((word) => {
  const range = document.createRange();
  range.selectNodeContents(word);
  const letters = range.getBoundingClientRect(), color = word.getBoundingClientRect();
  const middle = [(color.left + color.right) / 2, (color.top + color.bottom) / 2];
  return {text: word.textContent, letters: [letters.left, letters.right],
    color: [color.left, color.right], mine: document.elementFromPoint(...middle) === word};
})"""


@pytest.mark.parametrize("rule", ["words", "unicode"])
def test_an_arabic_text_runs_from_the_right_and_every_color_covers_its_word(
    opened: Open, rule: str
) -> None:
    shown = heatmap(ARABIC, rule=rule)
    page = opened("".join(heatmap_page([shown])))
    text = page.locator("p.text")
    assert text.evaluate("e => getComputedStyle(e).direction") == "rtl"
    words = page.locator(".w").evaluate_all(LAID_OUT)
    assert [word["text"] for word in words] == [ARABIC[a:b] for a, b in shown.spans.tolist()]
    for word in words:
        assert word["mine"]
        assert word["letters"] == pytest.approx(word["color"], abs=1)
    from_the_right = sorted(words, key=lambda word: -word["color"][1])
    assert " ".join(word["text"] for word in from_the_right) == (
        "مرحبا بالعالم كيف حالك اليوم York New in live I الآن مرة"
    )
    edge = text.evaluate("e => e.getBoundingClientRect().right")
    assert words[0]["color"][1] == pytest.approx(edge, abs=1)
    # a picture has them in the same order
    labels = opened(svg(shown), name="why.svg").locator("text")
    drawn = labels.evaluate_all("all => all.map(e => [e.lastChild.data, e.x.baseVal[0].value])")
    names = [word["text"] for word in words]
    places = {name: at for name, at in drawn if name in names}
    by_color = sorted(words, key=lambda word: word["color"][0])
    assert sorted(places, key=lambda name: places[name]) == [word["text"] for word in by_color]


def test_a_hostile_picture(opened: Open) -> None:
    found = explain(made_cnn(), f"{ATTACK} wa\r\nwb", target="all")
    page = opened(found.to_svg(), name="why.svg")
    assert page.evaluate("document.documentElement.tagName") == "svg"
    assert page.evaluate("document.querySelectorAll('script, image, foreignObject').length") == 0


# ---- reports ------------------------------------------------------------------------------------


def check_charts(page: Page, count: int, least: float = 250) -> None:
    """Check that so many charts are drawn, each of some width and in colors."""
    charts = page.locator("svg.chart")
    assert charts.count() == count
    for chart in charts.all():
        assert box_of(chart)["width"] > least
    for line in page.locator("svg.chart polyline").all():
        assert line.evaluate("e => getComputedStyle(e).stroke") != "none"


@DESKTOP_AND_PHONE
def test_an_evaluation(opened: Open, tmp_path: Path, width: int, scheme: str) -> None:
    model = made_cnn()
    model.classes_ = np.array([IMAGE, "class 1", "class-with-a-name-that-is-rather-long " * 3])
    random = np.random.default_rng(0)
    texts = [made_text(random.integers(0, 7, 14)) for _ in range(60)]
    found = evaluate(model, texts, random.choice(model.classes_, 60), runs=2, splits=3)
    found.to_html(tmp_path / "report.html", "a model on some texts")
    page = opened(tmp_path / "report.html", width, scheme)
    assert page.title() == "a model on some texts"
    page.get_by_text("Calibration", exact=True).click()
    check_charts(page, 5)
    page.get_by_text("Confusions").click()
    assert page.locator("table.matrix tbody tr").count() == 3
    assert page.get_by_text(IMAGE).count() >= 1


@DESKTOP_AND_PHONE
def test_a_comparison(opened: Open, tmp_path: Path, width: int, scheme: str) -> None:
    boxed = BlackBox(made_cnn(), name="boxed")
    models = {"one": made_cnn(), IMAGE: made_cnn(seed=1), "a-name-that-is-rather-long-" * 3: boxed}
    texts = [made_text([n % 7, *range(n % 5), n % 3, 6, 5, 4, n % 2]) for n in range(40)]
    labels = [f"class {n % 3}" for n in range(40)]
    path = tmp_path / "c.html"
    compare_models(models, texts, labels, runs=1, splits=2, steps=3).to_html(path, "three models")
    page = opened(path, width, scheme)
    check_charts(page, 4)
    measures = page.locator("table.measures")
    assert measures.locator("thead th").all_inner_texts()[1:3] == ["one", IMAGE]
    sizes = measures.locator("tbody tr").last.locator("td").all_inner_texts()
    assert sizes[2].startswith("–")
    # what was measured stays in sight while the models are scrolled
    page.evaluate("document.querySelector('.scroll').scrollLeft = 1000")
    assert box_of(measures.locator("tbody th").first)["x"] >= 0
    page.get_by_text("All comparisons: accuracy").click()
    assert page.get_by_text("McNemar's exact test, p").first.is_visible()


@pytest.mark.parametrize(("width", "lowest"), [(1200, 0.0), (390, 0.9925)])
def test_the_name_of_an_axis_is_clear_of_its_numbers(
    opened: Open, width: int, lowest: float
) -> None:
    chart = line_chart([Line("a", [0, 1], [lowest, 1.0])], "words", "accuracy", "", percent=True)
    drawn = environment().get_template("charts.svg").module.draw(chart)  # type: ignore[attr-defined]
    style = static_file("charts.css").decode()
    page = opened(f"<style>{style}</style><div>{drawn}</div>", width)
    name = box_of(page.get_by_text("accuracy"))
    numbers = [box_of(one)["x"] for one in page.get_by_text("%").all()]
    assert name["x"] >= 0
    assert len(numbers) > 2
    assert min(numbers) >= name["x"] + name["width"]


@DESKTOP_AND_PHONE
def test_groups_of_explanations(opened: Open, tmp_path: Path, width: int, scheme: str) -> None:
    recognised().to_html(tmp_path / "ways.html")
    page = opened(tmp_path / "ways.html", width, scheme)
    table = page.locator("table.ways")
    assert table.locator("tbody tr:visible").count() == (2 if width > 600 else 4)
    for name in ("moon", "rocket"):  # on a phone the words are below the numbers
        chip = table.locator(".chip:visible").filter(has_text=name)
        assert chip.count() == 1
        assert box_of(chip)["x"] + box_of(chip)["width"] <= width
    suspected = box_of(table.get_by_role("columnheader", name="on suspects"))
    assert suspected["x"] + suspected["width"] <= width - 20
    assert box_of(page.locator("svg.chart"))["width"] > 250
    table.get_by_role("link", name="2").click()
    section = page.locator("#way2")
    assert section.get_by_role("heading", name="Way 2: rocket").is_visible()
    assert section.locator(".chip").first.inner_text().startswith("rocket")
    assert section.locator(".documents .text span.w").count() >= 10


@pytest.mark.parametrize("width", [1200, 390])
def test_a_tour(opened: Open, tmp_path: Path, width: int) -> None:
    texts, labels = topical(60, seed=4)
    long_ones = [f"{text} {text} {IMAGE}" for text in texts]
    labels[0], labels[1] = labels[1], labels[0]
    part = Part(long_ones, labels, [f"<b>{number}</b>" for number in range(60)])
    made = write_tour(small_cnn(), part, tmp_path, "A </title> of <i>its</i> own", few=40)
    page = opened(made.page, width)
    assert page.locator("h1").inner_text() == "A </title> of <i>its</i> own"
    assert page.locator("img").count() == 0  # none from a text
    check_charts(page, 2, 300)  # the map, and words deleted
    assert page.locator(".map .key").count() == 3
    assert page.locator("article.ww").count() >= 3
    for name, title in (
        ("Thirty of each", "Class words"),
        ("The map to explore", "lrp"),
        ("The whole evaluation", "Evaluation"),
    ):
        page.get_by_role("link", name=name).click()
        expect(page).to_have_title(re.compile(re.escape(title)))
        page.go_back()


@pytest.mark.real
@pytest.mark.parametrize("width", [1200, 390])
def test_a_reproduction(opened: Open, tiny: Reproduction, tmp_path: Path, width: int) -> None:
    page_file, *_ = write_reproduction(tiny, tmp_path)
    page = opened(page_file, width)
    check_charts(page, 11 + 10, 120)
    assert page.locator("figure svg.chart path.dots").count() >= 60
    page.get_by_role("link", name="All twenty classes").click()
    expect(page.locator("section")).to_have_count(60)  # waits until all of it is there


# ---- words of classes ---------------------------------------------------------------------------


def test_a_click_on_a_word_leads_to_its_document(opened: Open) -> None:
    texts = {
        f"document {n}": f"{'wa wb wc '[: 3 * (n % 3 + 1)]} {'filler ' * 300}" for n in range(9)
    }
    model = made_cnn()
    words = class_words(model, texts.values(), top=3, rank="strongest", ids=list(texts))
    shown = explain_documents(model, texts.items(), words)
    page = opened("".join(word_page([words], shown)), 390)
    link = page.locator("#c1 li a").first
    anchor = (link.get_attribute("href") or "")[1:]
    link.click()
    page.wait_for_function(
        f"Math.abs(document.getElementById('{anchor}').getBoundingClientRect().top) < 5"
    )
    assert page.locator(f"#{anchor} h2").inner_text() == words["class 1"][0].document


@pytest.mark.parametrize("width", [390, 1200])
def test_ranks_and_units_are_chosen_without_a_script(opened: Open, width: int) -> None:
    texts = {f"document {n}": "wa wb wc wd wa we"[: 3 * (n % 6 + 1)] for n in range(9)}
    model = made_cnn(seed=3)
    lists = class_words_choices(model, ClassWordsRequest(top=3), texts.values(), list(texts))
    shown = explain_documents(model, texts.items(), lists[0])
    page = opened("".join(word_page(lists, shown)), width)
    for words in lists:
        page.get_by_label(words.units, exact=True).check()
        page.get_by_label(words.rank, exact=True).check()
        expect(page.locator(".said:visible")).to_have_count(1)
        expect(page.locator(".list:visible")).to_have_count(3)
        for number, entries in enumerate(words.values()):
            found = page.locator(f"#c{number} li a:visible").all_inner_texts()
            assert found == [entry.word for entry in entries]
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# ---- the map ------------------------------------------------------------------------------------


def test_a_map_is_explored(opened: Open, tmp_path: Path) -> None:
    """By pointing, clicking, filtering and the keyboard; and a phone has room for it."""
    texts, labels = topical(40)
    found = document_map(small_cnn(), texts, labels, ids=[f"document {n}" for n in range(40)])
    found.to_html(tmp_path / "map.html")
    page = opened(tmp_path / "map.html", 900)
    x, y = page.evaluate(
        """() => {
          const p = JSON.parse(document.getElementById('data').textContent).points;
          const box = document.querySelector('canvas').getBoundingClientRect();
          return [box.left + 12 + p[0] * (box.width - 24),
            box.top + 12 + (1 - p[1]) * (box.height - 24)];
        }"""
    )
    page.mouse.move(x, y)
    assert page.locator("#hint b").inner_text().startswith("document ")
    page.mouse.click(x, y)
    assert page.locator("#document h2").inner_text().startswith("document ")
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
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.nightly(reason="measures time")
def test_thousands_of_points_stay_smooth(opened: Open, tmp_path: Path) -> None:
    """7,500 points: a step of pointing and zooming takes little more than drawing them does."""
    points = np.random.default_rng(0).normal(size=(7500, 2))
    one = explain(small_cnn(), "moon and goal")
    groups = [f"group {n % 20}" for n in range(7500)]
    many = DocumentMap(points, list(map(str, range(7500))), groups, None, "many", [one] * 7500)
    many.to_html(tmp_path / "map.html")
    step, drawing = opened(tmp_path / "map.html").evaluate(
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


# ---- suspects -----------------------------------------------------------------------------------

CELL = '=cmd("<img src=x onerror=hit()>"), \u202e</script>'


def suspects() -> Suspects:
    """Return what was planted, a hostile row and one of noise."""
    first, second = planted_suspects()[:2]
    rows = [
        first,
        second,
        replace(first, entries=(CELL, "other"), label="hockey", score=1.0, examples=()),
        replace(first, entries=("noisy",), verdict="noise", score=0.5, examples=()),
    ]
    return replace(planted_suspects(), rows=rows)


@pytest.fixture
def page(opened: Open, tmp_path: Path) -> Page:
    suspects().to_html(tmp_path / "index.html")
    return opened(tmp_path / "index.html")


def download(page: Page, path: Path) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download suspects.csv").click()
    assert waiting.value.suggested_filename == "suspects.csv"
    waiting.value.save_as(path)
    return path.read_bytes().decode()


def test_suspects_are_ticked_and_downloaded(page: Page, tmp_path: Path) -> None:
    page.get_by_label("verdict").select_option("all")
    expect(page.get_by_role("button", name="Download")).to_be_disabled()
    hostile = page.locator("ol.rows > li").nth(2)
    expect(hostile.locator(".chip").first).to_contain_text("<img src=x onerror")
    boxes = page.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(2).check()
    expect(page.locator(".count")).to_have_text("2 ticked")
    expect(page.locator("#turns")).to_contain_text(
        "added up, 0 held-out predictions turn wrong, 18 right"
    )
    table = tmp_path / "suspects.csv"
    content = download(page, table)
    assert ignored_words(str(table)) == ["zorvex", CELL, "other"]
    assert content.replace(",yes,", ",,") == suspects().to_csv()
    page.get_by_role("button", name="Copy the words").click()
    expect(page.locator("#done")).to_contain_text("3 entries are copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"zorvex\n{CELL}\nother"
    boxes.nth(0).uncheck()
    download(page, table)
    assert ignored_words(str(table)) == [CELL, "other"]


def test_suspects_are_filtered(page: Page) -> None:
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


def test_the_keyboard_is_enough_for_suspects(page: Page) -> None:
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


@DESKTOP_AND_PHONE
def test_ticked_suspects_stay_in_view(
    opened: Open, tmp_path: Path, width: int, scheme: str
) -> None:
    found = suspects()
    replace(found, rows=found.rows * 5).to_html(tmp_path / "index.html")
    page = opened(tmp_path / "index.html", width, scheme)
    for summary in page.locator("ol.rows summary").all()[:3]:
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first = box_of(page.locator("ol.rows > li").first)
    assert first["y"] < 800  # the first suspect is on the first screen, on a phone, too
    page.get_by_text("What then").click()
    page.evaluate("scrollTo(0, document.querySelector('ol.rows').offsetHeight / 2)")
    box = box_of(page.locator("aside"))
    assert 0 <= box["y"] < 800
    assert box["y"] + box["height"] <= 801
    assert width > 800 or box["height"] < 400  # opened, it leaves most of the screen to suspects
    ground = page.evaluate("getComputedStyle(document.querySelector('aside')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is (scheme == "light")
