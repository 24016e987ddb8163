"""Texts that try to break a page, and a reader of pages that says whether they did."""

import html.parser
from collections.abc import Sequence

import numpy as np

from whyword import tokenize
from whyword.explanation.heatmap import Heatmap, Panel

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> </style><b> \"double\" 'single' &amp; "
    "\x00\x1b[31m \u202eoverride\u202c \u2066isolate שלום مرحبا 👩\u200d🚀 e\u0301"
    "\r\nCRLF\rCR \ud800"
)


def heatmap(
    text: str,
    values: Sequence[float] | None = None,
    max_words: int | None = None,
    title: str = "",
    target: str = "target",
    rule: str = "words",
) -> Heatmap:
    document = tokenize(text, max_words, rule)
    count = len(document)
    shown = np.linspace(-1, 1, count) if values is None else np.array(values, float)
    pairs = sorted(zip(document.words, shown.tolist(), strict=True), key=lambda p: -abs(p[1]))
    return Heatmap(
        text=text,
        spans=document.spans,
        known=np.array([word[0] != "x" for word in document.words], bool),
        truncated=document.truncated,
        panels=(Panel(target, "score +1", shown, tuple(pairs)),),
        title=title,
    )


class Page(html.parser.HTMLParser):
    """What a browser would make of a page: elements, texts, classes and hints of the words."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.words: list[tuple[str, str]] = []  # class and hint
        self.in_text = False
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        self.attributes |= set(given)
        if tag == "p":
            self.in_text = given.get("class") == "text"
        if tag == "span" and "w" in (given.get("class") or "").split():
            self.words.append((given["class"] or "", given.get("title") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "p":
            self.in_text = False

    def handle_data(self, data: str) -> None:
        if self.in_text:
            self.text += data
