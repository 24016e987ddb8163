"""Templates: every value is text, a missing one an error, style and scripts known by digest."""

import base64
import hashlib
import re
from pathlib import Path

import jinja2
import pytest

import whyword
from whyword.explanation.heatmap import AGAINST, FOR, LEVELS, STRONGEST
from whyword.pages.layout import table
from whyword.pages.render import (
    count,
    digest,
    environment,
    fixed,
    percent,
    place,
    render,
    significant,
    static_file,
)

STATIC = sorted((Path(whyword.__file__).parent / "pages" / "static").iterdir())


def filled(source: str, **values: object) -> str:
    return environment().from_string(source).render(values)


def test_values_are_text_on_one_line() -> None:
    assert filled("{{ x }}", x="<b>\n\x00\u202e") == "&lt;b&gt;·␀·"
    assert filled('<i title="{{ x }}">', x="\"'") == '<i title="&#34;&#39;">'
    assert filled("{{ x|lines }}", x="<b>\n\t\x00\u00ad\r\n") == "&lt;b&gt;\n\t␀\u00ad\n"
    assert filled("{{ x }}{{ y }}", x=3, y=None) == "3None"
    assert filled("{% macro m(x) %}<b>{{ x }}</b>{% endmacro %}{{ m(x) }}", x="&") == "<b>&amp;</b>"
    assert filled("{{ x }}", x="{{ 7 * 7 }}{% raw %}") == "{{ 7 * 7 }}{% raw %}"
    made = filled("<script>{{ x|tojson }}{{ x|ascii_json }}</script>", x=["</script><!--", "é"])
    assert (made.count("</script>"), made.count("<!--"), made.count("é")) == (1, 0, 1)


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="'x' is undefined"):
        filled("{{ x }}")
    with pytest.raises(jinja2.UndefinedError):
        "".join(render("evaluation.html", title="alone"))


def test_numbers() -> None:
    assert (count(1234), percent(0.125, 1), significant(0.12345)) == ("1,234", "12.5%", "0.123")
    assert (fixed(-1.25, 1), fixed(None, 3), fixed(0.5, 2, "+")) == ("−1.2", "–", "+0.50")
    assert (place(-1234.56), place(2, 0)) == ("-1234.6", "2")


@pytest.mark.parametrize("path", STATIC, ids=lambda path: path.name)
def test_a_static_file_is_included_as_it_is(path: Path) -> None:
    """No sign in it means anything to a template, so the digest is of what the page has."""
    assert "".join(render(f"static/{path.name}")) == static_file(path.name).decode()


def test_the_policy_knows_style_and_script() -> None:
    page = "".join(render("document_map.html", title="", n_documents=0, points=[], documents=[]))
    for kind, start in (("style", "<style>"), ("script", '<script type="module">')):
        (text,) = re.findall(f"{start}(.*?)</{kind}>", page, re.DOTALL)
        known = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{known}'" in page
    assert digest("scatter.js", "document_map.js") in page


def test_the_colours_of_words_are_those_of_terminal_and_pictures() -> None:
    style = static_file("heatmap.css").decode()
    for name, colour in (("p", FOR), ("n", AGAINST)):
        for level in range(1, LEVELS + 1):
            rgb, share = " ".join(map(str, colour)), f"{STRONGEST * level / LEVELS:.3f}"
            assert f".ww .{name}{level}{{background:rgb({rgb}/{share})}}" in style
        assert f".{name}{LEVELS + 1}{{" not in style


def test_tables_and_lists_of_words() -> None:
    macros = environment().get_template("parts.html").module
    shown = table(["by", "E\u00adPI"], [["LRP", "<b>"], ["SA", ".7"]], [True, False])
    made = str(macros.table(shown))  # type: ignore[attr-defined]
    assert "E\u00adPI" in made
    best = made.index('<tr class="best"><td>LRP</td><td>&lt;b&gt;</td>')
    assert best < made.index("<tr><td>SA</td>")
    with pytest.raises(ValueError, match="shorter"):
        table(["by"], [["LRP"], ["SA"]], [True])
    made = str(macros.word_list([["<b>", 1.25, True], ["new", 0.5, False]]))  # type: ignore[attr-defined]
    assert "<li><bdi>&lt;b&gt;</bdi> <small>(1.25)</small>" in made
    assert '<bdi class="unseen">new</bdi>' in made
