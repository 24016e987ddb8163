"""No text, whatever it says, becomes part of a page's structure; all of it is read as text."""

import json
import re
from html.parser import HTMLParser

import pytest
from hostile_pages import HARMLESS, KINDS, class_name, named, rendered
from hypothesis import given, settings
from hypothesis import strategies as st

from whyword.base.printable import one_line, visible

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
ALL_ATTACKS = " ".join(ATTACKS)
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


WORDS = {("span", "class"), ("span", "class", "title")}
LINKS = {"suspects.html", "words.html", "map.html", "evaluation.html"}
# what of the text must be read on each page, as it is or made visible
SHOWN: dict[str, list[int | str]] = {
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


def check_structure(kind: str, text: str) -> Structure:
    """Check that a text adds no element, attribute, address or control character to a page."""
    page = rendered(kind, text)
    page.encode()  # no half of a surrogate pair is left
    made, plain = Structure(page), Structure(rendered(kind, HARMLESS))
    assert made.skeleton == plain.skeleton
    assert {one for one in made.elements if one[0] == "span"} <= {*plain.elements} | WORDS
    shown = page.replace("\x7f", "") if kind == "map" else page  # it parts words of its data
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", shown)
    assert all(address.startswith(("#", "/")) or address in LINKS for address in made.addresses)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_are_read_as_text(kind: str) -> None:
    read = check_structure(kind, ALL_ATTACKS).read
    for what in SHOWN[kind]:
        name = class_name(ALL_ATTACKS, what) if isinstance(what, int) else named(ALL_ATTACKS, what)
        assert one_line(name) in read, what


@pytest.mark.slow(reason="many texts on each page")
@pytest.mark.parametrize("kind", KINDS)
@given(text=hostile)
@settings(max_examples=30)
def test_a_page_keeps_its_structure(kind: str, text: str) -> None:
    check_structure(kind, text)


@pytest.mark.parametrize("text", ATTACKS)
def test_the_data_of_the_map_is_whole(text: str) -> None:
    made = Structure(rendered("map", text))
    data = json.loads(made.data.partition("// Points on a canvas")[0])
    for number, document in enumerate(data["documents"]):
        assert document[0] == one_line(named(text, f"document {number}"))
        assert document[1] == one_line(class_name(text, number))
    assert visible(text) in data["documents"][1][5].replace("\x7f", "")
