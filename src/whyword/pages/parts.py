"""What the pages of this package have in common: lists of words, pictures, their style."""

import base64
from collections.abc import Iterable, Sequence
from typing import Any

from whyword.base.printable import html_line
from whyword.pages.layout import STYLE as LAYOUT_STYLE

STYLE = (
    LAYOUT_STYLE
    + """
.grid3{display:grid;gap:1rem 1.5rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr))}
.scroll{margin-bottom:1rem}
.words{column-width:8rem;margin:.2rem 0;padding-left:1.8rem;font-size:.92rem;
overflow-wrap:anywhere}
.unseen{text-decoration:underline dashed 2px;text-underline-offset:.2em}
figure{margin:0}figcaption{font-size:.85rem}
.picture{width:100%;height:auto;background:#fff;border-radius:.3rem}
"""
)


def word_list(entries: Iterable[Sequence[Any]]) -> str:
    """Return a class's words as a list: [word, relevance, seen in training] each."""
    items = (
        f"<li>{_mark_unseen(word) if seen is False else html_line(word)} "
        f"<small>({relevance:.3g})</small></li>"
        for word, relevance, seen in entries
    )
    return f'<ol class="words">{"".join(items)}</ol>'


def _mark_unseen(word: str) -> str:
    return f"<span class=unseen>{html_line(word)}</span>"


def picture(png: bytes, description: str, caption: str = "") -> str:
    """Return a picture that is part of the page, what it shows said in words."""
    data = base64.b64encode(png).decode()
    below = f"<figcaption>{html_line(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><img class="picture" alt="{html_line(description)}" '
        f'src="data:image/png;base64,{data}">{below}</figure>'
    )
