"""The files of the page: all there, nothing from elsewhere, nothing the policy would forbid."""

import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import whyword
from whyword.web.assets import PAGE, asset, assets

FILES = assets()
FOLDER = Path(whyword.__file__).parent / "web" / "static"


class Tags(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def content_of(name: str) -> str:
    return FILES[name].content.decode("utf-8")


def test_all_files_of_the_folder_and_the_shared_ones() -> None:
    assert set(FILES) == {path.name for path in FOLDER.iterdir()} | {"scatter.js", "heatmap.css"}
    for path in FOLDER.iterdir():
        assert FILES[path.name].content == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.html", "text/html; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.min.js", "text/javascript; charset=utf-8"),
        ("a.svg", "image/svg+xml"),
    ],
)
def test_kinds_and_tags(name: str, kind: str) -> None:
    file = asset(name, b"content")
    assert (file.content, file.kind) == (b"content", kind)
    assert re.fullmatch('"[0-9a-f]{20}"', file.tag)
    assert file.tag[1:-1] == hashlib.sha256(b"content").hexdigest()[:20]
    assert asset(name, b"other").tag != file.tag


def test_the_page_asks_for_nothing_that_is_not_there() -> None:
    asked = set()
    for tag, attributes in Tags(content_of(PAGE)).tags:
        for name in ("src", "href"):
            address = attributes.get(name)
            if address and not address.startswith("#"):
                asked.add((tag, address))
    files = {address for _, address in asked if address.startswith("/static/")}
    assert files <= {f"/static/{name}" for name in FILES}
    assert {address for _, address in asked} - files <= {"/api/docs", "/api/openapi.json", "/"}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_scripts_import_nothing_that_is_not_there(name: str) -> None:
    for wanted in re.findall(r"""(?:from|import)\s*\(?\s*["']([^"']+)["']""", content_of(name)):
        assert wanted.rpartition("/")[2] in FILES, wanted
        assert wanted.rpartition("/")[0] in (".", "/static"), wanted


def test_the_policy_would_forbid_nothing_of_the_page() -> None:
    for tag, attributes in Tags(content_of(PAGE)).tags:
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert tag != "style"
        if tag == "script":
            assert (attributes["src"] or "").startswith("/static/")


@pytest.mark.parametrize("name", FILES)
def test_nothing_comes_from_elsewhere(name: str) -> None:
    elsewhere = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", content_of(name))
    assert set(elsewhere) <= {"http://www.w3.org/2000/svg"}
