"""A comparison's page in a real browser."""

from pathlib import Path

import pytest
from networks import made_cnn, made_text
from playwright.sync_api import Browser

from whyword import BlackBox, compare_models
from whyword.pages.charts import Line, line_chart
from whyword.pages.render import environment, static_file

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    one = made_cnn()
    boxed = BlackBox(one, name="boxed")
    models = {"one": one, HOSTILE: made_cnn(seed=1), "a-name-that-is-rather-long-" * 3: boxed}
    texts = [made_text([n % 7, *range(n % 5), n % 3, 6, 5, 4, n % 2]) for n in range(40)]
    labels = [f"class {n % 3}" for n in range(40)]
    path = tmp_path_factory.mktemp("compared") / "c.html"
    compare_models(models, texts, labels, runs=1, splits=2, steps=3).to_html(path, "three models")
    return path


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("lowest", [0.0, 0.75, 0.9925])
def test_the_name_of_an_axis_is_clear_of_its_numbers(
    chromium: Browser, tmp_path: Path, width: int, lowest: float
) -> None:
    chart = line_chart([Line("a", [0, 1], [lowest, 1.0])], "words", "accuracy", "", percent=True)
    drawn = environment().get_template("charts.svg").module.draw(chart)  # type: ignore[attr-defined]
    path = tmp_path / "chart.html"
    path.write_text(f"<style>{static_file('charts.css').decode()}</style><div>{drawn}</div>")
    context = chromium.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(path.as_uri())
    name = page.get_by_text("accuracy").bounding_box()
    numbers = [one.bounding_box() for one in page.get_by_text("%").all()]
    assert name is not None
    assert name["x"] >= 0
    assert len(numbers) > 2
    assert min(box["x"] for box in numbers if box) >= name["x"] + name["width"]
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_it_is_whole_and_readable(chromium: Browser, report: Path, width: int, scheme: str) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(report.as_uri())
    problems.remove(report.as_uri())
    assert page.title() == "three models"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg.chart").count() == 4
    for number in range(4):
        box = page.locator("svg.chart").nth(number).bounding_box()
        assert box is not None
        assert box["width"] > 250
    measures = page.locator("table.measures")
    assert measures.locator("thead th").all_inner_texts()[1:3] == ["one", HOSTILE]
    sizes = measures.locator("tbody tr").last.locator("td").all_inner_texts()
    assert sizes[2].startswith("–")
    # what was measured stays in sight while the models are scrolled
    page.evaluate("document.querySelector('.scroll').scrollLeft = 1000")
    name = measures.locator("tbody th").first.bounding_box()
    assert name is not None
    assert name["x"] >= 0
    page.get_by_text("All comparisons: accuracy").click()
    assert page.get_by_text("McNemar's exact test, p").first.is_visible()
    assert problems == []
    context.close()
