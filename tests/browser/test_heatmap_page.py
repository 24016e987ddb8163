"""Heatmaps in a real browser: safe, readable, side by side."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import heatmap
from networks import made_cnn
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page

from whyword import explain
from whyword.base.printable import visible
from whyword.explanation.heatmap import Heatmap, Panel
from whyword.explanation.heatmap import page as heatmap_page
from whyword.explanation.picture import svg

HOSTILE = (
    "<script>document.title='owned'</script> <img src=x onerror=\"document.title='owned'\"> "
    "</style></title><b>bold</b> \"double\" 'single' &lt; \x00\x1b[31m \u202eoverride\u202c wa "
    "<svg onload=document.title='owned'> 👩\u200d🚀 e\u0301\r\nשלום עולם\r\nwb wc {{7*7}}"
)
Open = Callable[..., Page]


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open HTML or SVG in a page that fails the test on any script, dialog or request."""
    pages = []

    def opener(
        content: str, name: str = "why.html", width: int = 1200, scheme: str = "light"
    ) -> Page:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8", newline="")
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        page = context.new_page()
        problems: list[str] = []
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(request.url))
        page.goto(path.as_uri())
        pages.append((context, problems))
        return page

    yield opener
    for context, problems in pages:
        context.close()
        assert problems == []


def hostile_page() -> str:
    model = made_cnn()
    model.classes_[:] = ["<b>a", '"', "</h3>"]
    found = explain(model, [HOSTILE], target="all", ids=[HOSTILE])[0]
    return found.to_html()


def test_hostile_text_is_shown_as_text(opened: Open) -> None:
    page = opened(hostile_page())
    assert "owned" not in page.title() or page.title().startswith("<script>")
    texts = page.locator("p.text")
    assert texts.count() == 3
    for number in range(3):
        assert texts.nth(number).evaluate("e => e.textContent") == visible(HOSTILE)
    assert page.locator("script, img, b, svg").count() == 0
    assert page.locator("h3").all_text_contents()[0].startswith("<b>a")
    assert page.evaluate("document.title.startsWith('<script>')")


def test_the_policy_stops_what_would_slip_through(chromium: Browser, tmp_path: Path) -> None:
    """A script put into the page by hand does not run, nor does a picture load."""
    path = tmp_path / "why.html"
    slipped = "<script>document.title='owned'</script><img src='http://127.0.0.1:9/x.png'>"
    path.write_text(hostile_page().replace("</body>", slipped + "</body>"), encoding="utf-8")
    page = chromium.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(path.as_uri())
    assert page.title() != "owned"
    assert sum("Content Security Policy" in message for message in refused) >= 2
    page.close()


def test_targets_stand_side_by_side_and_one_below_the_other_on_a_phone(opened: Open) -> None:
    source = explain(made_cnn(), "wa wb " * 60, target=["class 0", "class 1"]).to_html()
    wide = _boxes(opened(source, width=1200))
    assert wide[0]["y"] == wide[1]["y"]
    assert wide[0]["x"] < wide[1]["x"]
    phone = opened(source, width=360)
    narrow = _boxes(phone)
    assert narrow[0]["x"] == narrow[1]["x"]
    assert narrow[0]["y"] < narrow[1]["y"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360


def _boxes(page: Page) -> list[FloatRect]:
    found = (section.bounding_box() for section in page.locator("section").all())
    return [box for box in found if box is not None]


def test_a_word_without_an_end_does_not_widen_the_page(opened: Open) -> None:
    page = opened(explain(made_cnn(), "x" * 5000 + " wa").to_html(), width=400)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_numbers_are_there_on_hover(opened: Open) -> None:
    found = explain(made_cnn(), "wa wb", target="class 1")
    page = opened(found.to_html())
    hints = [word.get_attribute("title") for word in page.locator(".w").all()]
    assert hints == [f"wa: {_number(found.relevance[0])}", f"wb: {_number(found.relevance[1])}"]


def _number(value: float) -> str:
    return f"{value:+.3g}".replace("-", "−")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ends_of_the_legend_are_the_colours_of_the_strongest_words(
    opened: Open, scheme: str
) -> None:
    text, values = "aaaa bbbb", np.array([1.0, -1.0])
    spans = np.array([[0, 4], [5, 9]], np.int32)
    shown = Heatmap(text, spans, np.ones(2, np.bool_), 0, (Panel("target", "", values),))
    page = opened("".join(heatmap_page([shown])), scheme=scheme)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")

    def colour(selector: str, share: float) -> Any:  # noqa: ANN401 - Pillow's pixels
        box = page.locator(selector).bounding_box()
        assert box is not None
        inside = box["x"] + 2 + share * (box["width"] - 5)
        return picture.getpixel((round(inside), round(box["y"] + 2)))

    for word, share in ((".n20", 0.0), (".p20", 1.0)):
        assert colour(".bar", share) == pytest.approx(colour(word, 0.5), abs=6)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_schemes(opened: Open, scheme: str) -> None:
    """The contrast of every word with its ground, as the browser computes both colours."""
    page = opened(explain(made_cnn(), "wa wb wc wd we wf wg " * 3, "all").to_html(), scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert _luminance(_rgb(ground)[:3]) > 0.8 if scheme == "light" else True
    for word in page.locator(".w").all():
        ink, paint, opacity = word.evaluate(
            "e => { const s = getComputedStyle(e);"
            " return [s.color, s.backgroundColor, parseFloat(s.opacity)] }"
        )
        mixed = _over(_rgb(paint), _rgb(ground))
        shown = _over([*_rgb(ink)[:3], opacity], mixed)
        light, dark = sorted([_luminance(shown), _luminance(mixed)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def _rgb(css: str) -> list[float]:
    numbers = [float(part) for part in css[css.index("(") + 1 : -1].replace("/", ",").split(",")]
    return numbers if len(numbers) == 4 else [*numbers, 1.0]


def _over(colour: list[float], ground: list[float]) -> list[float]:
    share = colour[3]
    return [share * c + (1 - share) * g for c, g in zip(colour[:3], ground[:3], strict=True)]


def _luminance(colour: list[float]) -> float:
    parts = [c / 255 for c in colour[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_right_to_left_text_runs_from_the_right(opened: Open) -> None:
    page = opened(explain(made_cnn(), "שלום עולם wa\nwb then").to_html())
    first, second = page.locator(".w").all()[:2]
    a, b = first.bounding_box(), second.bounding_box()
    assert a is not None
    assert b is not None
    assert a["x"] > b["x"]


ARABIC = "مرحبا بالعالم، كيف حالك (اليوم)؟ I live in New York الآن 12 مرة"
# where the letters are and where the colour is, from left to right, and whose place the middle is
LAID_OUT = """words => words.map((word) => {
  const range = document.createRange();
  range.selectNodeContents(word);
  const letters = range.getBoundingClientRect(), colour = word.getBoundingClientRect();
  const middle = [(colour.left + colour.right) / 2, (colour.top + colour.bottom) / 2];
  return {text: word.textContent, letters: [letters.left, letters.right],
    colour: [colour.left, colour.right], mine: document.elementFromPoint(...middle) === word};
})"""


@pytest.mark.parametrize("rule", ["words", "unicode"])
def test_an_arabic_text_runs_from_the_right_and_every_colour_covers_its_word(
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
        assert word["letters"] == pytest.approx(word["colour"], abs=1)
    from_the_right = sorted(words, key=lambda word: -word["colour"][1])
    assert " ".join(word["text"] for word in from_the_right) == (
        "مرحبا بالعالم كيف حالك اليوم York New in live I الآن مرة"
    )
    edge = text.evaluate("e => e.getBoundingClientRect().right")
    assert words[0]["colour"][1] == pytest.approx(edge, abs=1)


def test_pictures_have_words_of_both_directions_in_the_order_of_pages(opened: Open) -> None:
    shown = heatmap(ARABIC)
    words = [ARABIC[a:b] for a, b in shown.spans.tolist()]
    page = opened("".join(heatmap_page([shown]))).locator(".w").evaluate_all(LAID_OUT)
    labels = opened(svg(shown), "why.svg").locator("text")
    drawn = labels.evaluate_all("all => all.map(e => [e.lastChild.data, e.x.baseVal[0].value])")
    places = {said: at for said, at in drawn if said in words}
    assert sorted(places, key=lambda word: places[word]) == [
        word["text"] for word in sorted(page, key=lambda word: word["colour"][0])
    ]


def test_a_hostile_svg(opened: Open) -> None:
    page = opened(explain(made_cnn(), HOSTILE, target="all").to_svg(), "why.svg")
    assert page.evaluate("document.documentElement.tagName") == "svg"
    assert page.evaluate("document.querySelectorAll('script, image, foreignObject').length") == 0
