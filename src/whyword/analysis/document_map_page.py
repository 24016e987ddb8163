"""The map as a page: points to point at, to click on, and to filter.

Its data is JSON that ``pages/static/document_map.js`` reads; drawing thousands of points while one
moves among them takes a canvas, not the SVG of :mod:`whyword.pages.charts`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.printable import one_line, visible
from whyword.explanation import heatmap
from whyword.explanation.heatmap import Heatmap, Kind
from whyword.pages.render import render

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
    low, high = points.min(axis=0), points.max(axis=0)
    placed = (points - low) / np.maximum(high - low, 1e-12)
    return render(
        "document_map.html",
        title=title,
        n_documents=len(documents),
        points=np.round(placed, 4).ravel().tolist(),
        documents=map(_pack, documents),
    )


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
