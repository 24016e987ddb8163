"""Templates: every value is text, a missing one a mistake, style and scripts known by digest."""

import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

import whyword
from whyword.explanation.heatmap import AGAINST, FOR, LEVELS, STRONGEST
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

PAGES = Path(whyword.__file__).parent / "pages"
STATIC = sorted(path.name for path in (PAGES / "static").iterdir())


def filled(source: str, **values: object) -> str:
    return environment().from_string(source).render(values)


def test_values_are_text_on_one_line() -> None:
    assert filled("{{ x }}", x="<b>\n\x00\u202e") == "&lt;b&gt;·␀·"
    assert filled('<i title="{{ x }}">', x="\"'") == '<i title="&#34;&#39;">'
    assert filled("{{ x|lines }}", x="<b>\n\t\x00\u00ad\r\n") == "&lt;b&gt;\n\t␀\u00ad\n"
    assert filled("{{ x }}{{ y }}", x=3, y=None) == "3None"
    assert filled("{% macro m(x) %}<b>{{ x }}</b>{% endmacro %}{{ m(x) }}", x="&") == "<b>&amp;</b>"
    assert filled("{{ x }}", x="{{ 7 * 7 }}{% raw %}") == "{{ 7 * 7 }}{% raw %}"


def test_a_missing_value_is_a_mistake() -> None:
    with pytest.raises(jinja2.UndefinedError, match="'x' is undefined"):
        filled("{{ x }}")
    with pytest.raises(jinja2.UndefinedError):
        "".join(render("evaluation.html", title="alone"))


def test_json_cannot_end_its_element() -> None:
    made = filled("<script>{{ x|tojson }}</script>", x=["</script><!--", "é"])
    assert made.count("</script>") == 1
    assert "<!--" not in made
    assert "é" in made


def test_numbers() -> None:
    assert (count(1234), percent(0.125, 1), significant(0.12345)) == ("1,234", "12.5%", "0.123")
    assert (fixed(-1.25, 1), fixed(None, 3), fixed(0.5, 2, "+")) == ("−1.2", "–", "+0.50")
    assert (place(-1234.56), place(2, 0)) == ("-1234.6", "2")


@pytest.mark.parametrize("name", STATIC)
def test_a_file_is_included_as_it_is(name: str) -> None:
    """No sign in it means anything to a template, so the digest is of what the page has."""
    content = static_file(name).decode()
    assert not re.search(r"\{[{%#]", content)
    assert "".join(render(f"static/{name}")) == content


def test_the_policy_knows_style_and_script() -> None:
    page = "".join(render("document_map.html", title="", n_documents=0, points=[], documents=[]))
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)
    script = re.search('<script type="module">(.*?)</script>', page, re.DOTALL)
    assert style is not None
    assert script is not None
    for kind, text in (("style", style[1]), ("script", script[1])):
        known = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{known}'" in page
    assert digest("scatter.js", "document_map.js") in page


def test_the_colours_of_words_are_those_of_terminal_and_pictures() -> None:
    style = static_file("heatmap.css").decode()
    for name, colour in (("p", FOR), ("n", AGAINST)):
        for level in range(1, LEVELS + 1):
            rgb = " ".join(map(str, colour))
            share = f"{STRONGEST * level / LEVELS:.3f}"
            assert f".ww .{name}{level}{{background:rgb({rgb}/{share})}}" in style
    assert f".{'p'}{LEVELS + 1}{{" not in style


@pytest.mark.slow(reason="half a second and more")
def test_pages_are_made_without_the_template_engine_until_one_is() -> None:
    code = (
        "import sys, whyword, whyword.cli.main, whyword.reports.files\n"
        "print('jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
