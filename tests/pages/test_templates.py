"""No text, whatever it says, becomes part of a page's structure; all of it is read as text."""

import ast
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_pages import HARMLESS, KINDS, class_name, named, rendered
from hypothesis import example, given, settings
from hypothesis import strategies as st

import whyword
from whyword.base.printable import one_line, visible

PACKAGE = Path(whyword.__file__).parent
TEMPLATES = sorted((PACKAGE / "pages" / "templates").iterdir())
ATTACKS = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</title></style></textarea><svg onload=alert(1)>",
    "\" onmouseover=alert(1) x='",
    "' autofocus onfocus=alert(1) x=\"",
    "{{ 7 * 7 }}{% raw %}{# ",
    "{% endraw %}{% include 'page.html' %}",
    "<!-- <![CDATA[ ]]> -->&lt;b&gt;&#60;b&#62;",
    "\x00\x1b[31m\x7f\u202eevil\u2066\u2028\ud800\ufffe",
    "javascript:alert(1)//",
    "`${alert(1)}`\\u003cb>",
)
hostile = st.one_of(
    st.sampled_from(ATTACKS),
    st.lists(st.sampled_from([*ATTACKS, *"<>\"'&{}%#/=\n\t\\"]), max_size=4).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=20),
)


class Structure(HTMLParser):
    """The elements of a page with the names of their attributes, and what is read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, ...]] = []
        self.inside = self.data = self.read = ""
        self.addresses: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        self.elements.append((tag, *(name for name, _ in attrs)))
        for name, value in attrs:
            self.read += f" {value}"
            if name in ("href", "src"):
                self.addresses.append(value or "")

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_data(self, data: str) -> None:
        if self.inside in ("style", "script"):
            self.data += data if self.inside == "script" else ""
        else:
            self.read += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    @property
    def skeleton(self) -> list[tuple[str, ...]]:
        """All elements but those that stand for words of a text, of which there may be more."""
        return [one for one in self.elements if one[0] != "span"]

    @property
    def words(self) -> set[tuple[str, ...]]:
        return {one for one in self.elements if one[0] == "span"}


WORDS = {("span", "class"), ("span", "class", "title")}


@pytest.mark.parametrize("kind", KINDS)
@given(text=hostile)
@example(text=" ".join(ATTACKS))
@settings(max_examples=30)
@pytest.mark.slow(reason="many cases")
def test_a_page_keeps_its_structure(kind: str, text: str) -> None:
    page = rendered(kind, text)
    page.encode()  # no half of a surrogate pair is left
    made, plain = Structure(page), Structure(rendered(kind, HARMLESS))
    assert made.skeleton == plain.skeleton
    assert made.words <= plain.words | WORDS
    shown = page.replace("\x7f", "") if kind == "map" else page  # it parts words of its data
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", shown)
    assert all(address.startswith(("#", "/")) or address in LINKS for address in made.addresses)


LINKS = {"suspects.html", "words.html", "map.html", "evaluation.html"}
SHOWN: dict[
    str, list[int | str]
] = {  # what of the text must be read on each page, as it is or made visible
    "heatmap": [*range(3), "document 2"],
    "notebook": [*range(3), "document 2"],
    "words": [*range(3), "document 1"],
    "map": [],
    "evaluation": ["class 0", "class 2", "lrp", "sensitivity", "remark", "source", "cnn"],
    "comparison": ["one", "other", "lrp", "source", "remark", "finding", "lack"],
    "strategies": [0, "a", "b", "remark", "method"],
    "suspects": [0, 1, "entry", "other entry", "remark", "source", "document 2"],
    "tour": [*range(3), "document 2", "label", "lrp"],
    "reproduction": ["word", "network", "model", "vectors", "machine", "stage", "claim 0"],
    "all": ["word", "model", "class"],
    "api": ["/path", "name", "field"],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ATTACKS)
def test_all_of_a_text_is_read(kind: str, text: str) -> None:
    read = Structure(rendered(kind, text)).read
    for what in SHOWN[kind]:
        name = class_name(text, what) if isinstance(what, int) else named(text, what)
        assert one_line(name) in read, what


@pytest.mark.parametrize("text", ATTACKS)
def test_the_data_of_the_map_is_whole(text: str) -> None:
    made = Structure(rendered("map", text))
    data = json.loads(made.data.partition("// Points on a canvas")[0])
    for number, document in enumerate(data["documents"]):
        assert document[0] == one_line(named(text, f"document {number}"))
        assert document[1] == one_line(class_name(text, number))
    assert visible(text) in data["documents"][1][5].replace("\x7f", "")


# ---- escaping has one place -------------------------------------------------------------------


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_trusts_a_value(path: Path) -> None:
    source = path.read_text()
    assert not re.search(r"\|\s*safe\b|autoescape|\bMarkup\b", source)
    assert "style=" not in source
    assert not re.search(r"\son[a-z]+\s*=", source)


@pytest.mark.slow(reason="half a second and more")
def test_nobody_escapes_or_trusts_by_hand() -> None:
    """But the loop over the words of heatmaps, and the filter that keeps lines."""
    places = set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("html.escape", "escape"):
                places.add((name, "escape"))
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Markup"):
                places.add((name, "Markup"))
    assert places == {
        ("explanation/heatmap.py", "escape"),
        ("explanation/heatmap.py", "Markup"),
        ("pages/render.py", "escape"),
    }


@pytest.mark.slow(reason="half a second and more")
def test_no_module_has_markup_in_it() -> None:
    """Python says what is shown, templates how; only the words of heatmaps are marked up there.

    What reads HTML has some, as examples.
    """
    tag = re.compile(
        r"</?(a|p|b|i|h\d|div|span|table|t[dhr]|ul|ol|li|svg|text|path|rect|style)\b[ >/]"
    )
    there = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and tag.search(node.value)
    }
    reading = {"words/html.py", "words/mail.py"}
    assert there <= reading | {"explanation/heatmap.py", "explanation/explanations.py"}
