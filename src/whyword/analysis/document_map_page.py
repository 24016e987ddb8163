"""The map as a page: points to point at, to click on, and to filter."""

import base64
import hashlib
import html
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.printable import one_line, visible
from whyword.explanation import heatmap
from whyword.explanation.heatmap import Heatmap, Kind

_BETWEEN = "\x7f"  # between pieces of a text; `visible` leaves none in it
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # level −20 … 20 as a letter
_UNKNOWN = "?"
_TAIL = 300  # letters shown of what the model did not read


class MapDocument(NamedTuple):
    """What the page says of a document.

    Attributes
    ----------
    title, group, predicted, words : str
    heatmap : Heatmap
        Its first panel is shown on a click.
    """

    title: str
    group: str
    predicted: str
    words: str
    heatmap: Heatmap


def map_page(
    points: NDArray[np.float64], documents: Sequence[MapDocument], title: str
) -> Iterator[str]:
    """Yield the parts of a self-contained page; nothing in it comes from elsewhere."""
    script = "\n" + _file("scatter.js") + _file("map.js")
    style = heatmap.PAGE_STYLE + _file("map.css")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_digest(style)}'; "
        f"script-src 'sha256-{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )
    shown = html.escape(one_line(title))
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>{style}</style></head><body>\n"
        f"<h1>{len(documents):,} documents by {shown}</h1>\n"
        "<p>Point at a document for its strongest words; click, or press Enter, for its heatmap. "
        "Drag to move, scroll to zoom.</p>\n"
        '<div class="map"><canvas id="map" tabindex="0" role="img" '
        'aria-label="map of documents; arrow keys walk from point to point"></canvas>'
        '<div id="hint" role="status"></div></div>\n'
        '<fieldset id="groups"><legend>Groups</legend></fieldset>\n'
        '<div id="document" class="ww" aria-live="polite"></div>\n'
        '<script type="application/json" id="data">'
    )
    low, high = points.min(axis=0), points.max(axis=0)
    placed = (points - low) / np.maximum(high - low, 1e-12)
    yield '{"points":' + _json(np.round(placed, 4).ravel().tolist()) + ',"documents":['
    for number, document in enumerate(documents):
        yield ("," if number else "") + _json(_pack(document))
    yield f"]}}</script>\n<script type='module'>{script}</script>\n</body></html>\n"


def _file(name: str) -> str:
    return files("whyword.pages").joinpath("static", name).read_text(encoding="utf-8")


def _pack(document: MapDocument) -> list[str]:
    """Return title, group, predicted class, words, note, text and the letters of its levels."""
    shown, panel = document.heatmap, document.heatmap.panels[0]
    levels = shown.levels(panel).tolist()
    pieces, letters = [""], []
    for piece in shown.pieces():
        text = visible(piece.text if piece.kind is not Kind.BEYOND else piece.text[:_TAIL])
        if piece.word < 0:
            pieces[-1] += text
            continue
        pieces += [text, ""]
        unknown = piece.kind is Kind.UNKNOWN and levels[piece.word] == 0
        letters.append(_UNKNOWN if unknown else _LETTERS[levels[piece.word] + heatmap.LEVELS])
    names = (document.title, document.group, document.predicted, document.words, panel.note)
    return [*map(one_line, names), _BETWEEN.join(pieces), "".join(letters)]


def _json(value: object) -> str:
    """Return JSON that cannot end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "").replace("\u2029", "")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
