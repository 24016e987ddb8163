"""The files of the page, read once from the package."""

import hashlib
from importlib.resources import files
from typing import NamedTuple

from whyword.pages.render import static_file

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
PAGE, DOCS, ICON = "index.html", "docs.html", "icon.svg"
_OTHERS = ("/", "/favicon.ico", "/healthz")


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    kind: str
    tag: str


def assets() -> dict[str, Asset]:
    """Return the files by name: those of the page, and what it shares with pages on disk."""
    folder = files("whyword.web").joinpath("static")
    contents = {file.name: file.read_bytes() for file in folder.iterdir()}
    contents |= {name: static_file(name) for name in ("scatter.js", "heatmap.css")}
    return {name: asset(name, content) for name, content in contents.items()}


def public_paths() -> frozenset[str]:
    """Return the paths that tell nothing of the model: the page asks for a token itself."""
    return frozenset([*_OTHERS, *(f"/static/{name}" for name in assets())])


def asset(name: str, content: bytes) -> Asset:
    """Return a file to be sent."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    return Asset(content, _KINDS[name.rpartition(".")[2]], tag)
