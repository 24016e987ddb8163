"""Words in the colours of their relevance, over the text they stand in: as a page.

Red speaks for the target, blue against it (and is underlined, for those who see no colours); the
strength is relative to the scale, by default the document's largest |relevance|.
"""

import html
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.printable import one_line, visible
from whyword.pages.render import render
from whyword.words.document import Document

if TYPE_CHECKING:
    from markupsafe import Markup

LEVELS = 20  # steps of strength
FOR, AGAINST = (226, 58, 43), (38, 112, 226)  # red and blue, told apart without green
STRONGEST = 0.62  # opacity of the strongest word: its text stays readable on light and on dark
LISTED = 6  # words for and against, below a text
EXCERPT = 160  # words of an excerpt
FAINTEST = 3  # level from which words are underlined, or coloured in a terminal
_CLASSES = re.compile(r'<(?:span|p) class="([a-z0-9 ]+)"')  # ours alone: texts are escaped
_STYLES = {
    "text": "white-space:pre-wrap",
    "n": "text-decoration:underline",
    "u": "text-decoration:underline dotted;opacity:0.75",
    "b": "opacity:0.55;font-style:italic",
} | {
    f"{sign}{level}": f"background-color:rgba{(*colour, round(STRONGEST * level / LEVELS, 3))}"
    for sign, colour in (("p", FOR), ("n", AGAINST))
    for level in range(1, LEVELS + 1)
}


class Kind(StrEnum):
    """What a piece of text is."""

    WORD = "word"
    UNKNOWN = "unknown"  # a word the model has no vector or weight for
    UNREAD = "unread"  # removed, or a word that is ignored
    BETWEEN = "between"
    BEYOND = "beyond"  # the tail that the model did not read


class Piece(NamedTuple):
    """A stretch of the text: what it says, what it is, and which word (−1 for none)."""

    text: str
    kind: Kind
    word: int = -1


class Panel(NamedTuple):
    """One colouring of the text.

    Attributes
    ----------
    title : str
        The target.
    note : str
        Scores and the like, in one line.
    values : (T,) floats
        The words' relevance.
    strongest : tuple of (word, relevance)
        Distinct words, the strongest first, for displays that list them.
    phrases : tuple of (phrase, relevance)
        The same of phrases, where those are more than words.
    outside : float
        What landed on no word (on special tokens, padding), at the text's edge; 0 shows nothing.
    """

    title: str
    note: str
    values: NDArray[np.floating]
    strongest: tuple[tuple[str, float], ...] = ()
    phrases: tuple[tuple[str, float], ...] = ()
    outside: float = 0.0


@dataclass(frozen=True, eq=False)
class Heatmap:
    """A text and one or several colourings of it.

    Attributes
    ----------
    text : str
    spans : (T, 2) int32
    known : (T,) bool
    truncated : int
        How many words after the last span the model did not read.
    panels : tuple of Panel
    unread : (R, 2) int32
        Further ranges that it did not read.
    title : str
    remarks : tuple of str
        What a reader must know besides.
    scale : float or None
        The |relevance| that gets the full colour; None takes the largest.
    marked : (T,) bool, or None
        Words that are outlined.
    """

    text: str
    spans: NDArray[np.int32]
    known: NDArray[np.bool_]
    truncated: int
    panels: tuple[Panel, ...]
    unread: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    title: str = ""
    remarks: tuple[str, ...] = ()
    scale: float | None = None
    marked: NDArray[np.bool_] | None = None

    @property
    def full(self) -> float:
        """The |relevance| that gets the full colour, 0 if there is none."""
        if self.scale is not None:
            return self.scale
        strengths = np.abs([panel.values for panel in self.panels])
        return float(strengths[np.isfinite(strengths)].max(initial=0))

    @property
    def unread_words(self) -> int:
        """How many words were not read, those that were cut off at the end with them."""
        return self.truncated + Document(self.text, self.spans, unread=self.unread).unread_words

    def pieces(self) -> Iterator[Piece]:
        """Yield the text in pieces that together are the whole text."""
        done = 0
        ignored = set(Document(self.text, self.spans, unread=self.unread).ignored.tolist())
        for number, (start, end) in enumerate(self.spans.tolist()):
            yield from self._between(done, start, Kind.BETWEEN)
            kind = Kind.WORD if self.known[number] else Kind.UNKNOWN
            yield Piece(self.text[start:end], Kind.UNREAD if number in ignored else kind, number)
            done = end
        yield from self._between(
            done, len(self.text), Kind.BEYOND if self.truncated else Kind.BETWEEN
        )

    def _between(self, start: int, end: int, kind: Kind) -> Iterator[Piece]:
        """Yield a stretch without words, what was not read of it by itself."""
        if kind is Kind.BETWEEN and len(self.unread):
            first = int(np.searchsorted(self.unread[:, 1], start, "right"))
            last = int(np.searchsorted(self.unread[:, 0], end, "left"))
            for low, high in self.unread[first:last].tolist():
                low, high = max(low, start), min(high, end)
                if start < low:
                    yield Piece(self.text[start:low], kind)
                if low < high:
                    yield Piece(self.text[low:high], Kind.UNREAD)
                start = max(start, high)
        if start < end:
            yield Piece(self.text[start:end], kind)

    def levels(self, panel: Panel) -> NDArray[np.int64]:
        """Return the words' steps of strength, −LEVELS … LEVELS; 0 for what is no number."""
        return strengths(panel.values, self.full)

    def excerpt(self, first: int, last: int) -> "Heatmap":
        """Return some of it, in the colours of the whole: from one word to before another.

        What stands before the first word of all, and behind the last, belongs to those.
        """
        count = len(self.spans)
        first, last = max(first, 0), min(last, count)
        if first >= last or (first == 0 and last == count):
            return self
        start = int(self.spans[first, 0]) if first else 0
        end = int(self.spans[last - 1, 1]) if last < count else len(self.text)
        unread = np.clip(self.unread, start, end) - start
        return replace(
            self,
            text=self.text[start:end],
            spans=(self.spans[first:last] - start).astype(np.int32),
            known=self.known[first:last],
            truncated=self.truncated if last == count else 0,
            panels=tuple(one._replace(values=one.values[first:last]) for one in self.panels),
            unread=unread[unread[:, 0] < unread[:, 1]],
            remarks=(*self.remarks, f"Words {first + 1:,} to {last:,} of {count:,}."),
            scale=self.full or None,
            marked=None if self.marked is None else self.marked[first:last],
        )

    def around(self, words: NDArray[np.bool_], size: int = EXCERPT) -> "Heatmap":
        """Return so many words of it at most, around most of those that are chosen, (T,) bool."""
        return self.excerpt(*most_marked(words, size))


def most_marked(marked: NDArray[np.bool_], size: int) -> tuple[int, int]:
    """Return the words, from and to before, around most of those that are marked, (T,)."""
    count = len(marked)
    if count <= size:
        return 0, count
    sums = np.concatenate([[0], np.cumsum(marked)])
    first = int(np.argmax(sums[size:] - sums[:-size]))
    inside = first + np.flatnonzero(marked[first : first + size])
    if len(inside):
        first = (int(inside[0]) + int(inside[-1]) + 1 - size) // 2
    first = min(max(first, 0), count - size)
    return first, first + size


def strengths(values: NDArray[np.floating], full: float) -> NDArray[np.int64]:
    """Return values as steps of strength, −LEVELS … LEVELS, where `full` has the full colour."""
    if full == 0:
        return np.zeros(len(values), np.int64)
    shares = np.clip(np.asarray(values, np.float64) / full, -1, 1)
    return np.rint(np.nan_to_num(shares) * LEVELS).astype(np.int64)


# ---- the page ---------------------------------------------------------------------------------


class Article(NamedTuple):
    """A heatmap as its template takes it.

    Attributes
    ----------
    title : str
    remarks : tuple of str
    lowest, highest : str
        What the ends of the scale stand for.
    unknown : bool
        Whether there are words that the model does not know.
    unread_words : int
    panels : list of ArticlePanel
    """

    title: str
    remarks: tuple[str, ...]
    lowest: str
    highest: str
    unknown: bool
    unread_words: int
    panels: list["ArticlePanel"]


class Listed(NamedTuple):
    """What stands below a text: what it says, its relevance, and the class of its colour."""

    text: str
    relevance: str
    style: str


class ArticlePanel(NamedTuple):
    """One colouring: target, scores and the like, words as markup, phrases, what is on no word."""

    title: str
    note: str
    words: "Markup"
    phrases: list[Listed]
    outside: Listed | None


def article(heatmap: Heatmap) -> Article:
    """Return the heatmap for templates: ``pages/templates/heatmap.html`` lays it out."""
    pieces, full = list(heatmap.pieces()), heatmap.full
    return Article(
        heatmap.title,
        heatmap.remarks,
        number(-full),
        number(full),
        any(piece.kind is Kind.UNKNOWN for piece in pieces),
        heatmap.unread_words,
        [
            ArticlePanel(
                panel.title,
                panel.note,
                _coloured_words(heatmap, panel, pieces),
                _listed_phrases(panel),
                _outside(panel, full),
            )
            for panel in heatmap.panels
        ],
    )


def _outside(panel: Panel, full: float) -> Listed | None:
    """Return what landed on no word, in the colours of the words."""
    if not panel.outside:
        return None
    (level,) = strengths(np.array([panel.outside]), full).tolist()
    return Listed("on no word", number(panel.outside), _colour(level))


def _listed_phrases(panel: Panel) -> list[Listed]:
    """Return the strongest phrases, coloured relative to the strongest of them."""
    listed = panel.phrases[:LISTED]
    values = np.array([value for _, value in listed])
    levels = strengths(values, float(np.abs(values[np.isfinite(values)]).max(initial=0)))
    return [
        Listed(quoted(text), number(value), _colour(level))
        for (text, value), level in zip(listed, levels.tolist(), strict=True)
    ]


def page(heatmaps: Iterable[Heatmap], title: str = "whyword") -> Iterator[str]:
    """Yield the parts of a self-contained HTML page, heatmap by heatmap."""
    return render("heatmaps.html", title=title, articles=map(article, heatmaps))


def fragment(heatmap: Heatmap) -> str:
    """Return one heatmap as an HTML element; ``heatmap.css`` must be on the page."""
    return "".join(render("fragment.html", articles=[article(heatmap)], styled=False))


def styled_fragment(heatmaps: Sequence[Heatmap]) -> str:
    """Return heatmaps for a notebook's cell, their style with them.

    What makes them readable stands in the elements, too: a notebook that somebody else ran is not
    trusted, and there Jupyter leaves style sheets out.
    """
    whole = "".join(render("fragment.html", articles=map(article, heatmaps), styled=True))
    return _CLASSES.sub(_with_style, whole)


def _with_style(found: "re.Match[str]") -> str:
    """Return an element's beginning with the style of its classes beside them."""
    styles = [_STYLES[name] for name in found[1].split() if name in _STYLES]
    return f'{found[0]} style="{";".join(styles)}"' if styles else found[0]


def _coloured_words(heatmap: Heatmap, panel: Panel, pieces: Sequence[Piece]) -> "Markup":
    """Return the text with its words coloured.

    Not a template: it is the loop over all words of all documents, and as a template it took 2.7
    times as long. Whatever comes from outside is escaped here.
    """
    from markupsafe import Markup

    levels = heatmap.levels(panel).tolist()
    values = np.asarray(panel.values).tolist()
    marked = set() if heatmap.marked is None else set(np.flatnonzero(heatmap.marked).tolist())
    parts = []
    for piece in pieces:
        shown = html.escape(visible(piece.text))
        if piece.word < 0 or piece.kind is Kind.UNREAD:
            is_read = piece.kind is Kind.BETWEEN
            parts.append(shown if is_read else f'<span class="b" title="not read">{shown}</span>')
            continue
        level, value = levels[piece.word], values[piece.word]
        names = ["w", *([_colour(level)] if level else []), *(["n"] if level <= -FAINTEST else [])]
        if piece.word in marked:
            names.append("m")
        remark = ""
        if piece.kind is Kind.UNKNOWN:
            names.append("u")
            remark = ", unknown to the model"
        hint = html.escape(f"{one_line(piece.text)}: {number(value)}{remark}")
        parts.append(f'<span class="{" ".join(names)}" title="{hint}">{shown}</span>')
    return Markup("".join(parts))  # noqa: S704 - the one place: all of it is escaped above


def _colour(level: int) -> str:
    """Return the class of a colour."""
    return f"p{level}" if level > 0 else f"n{-level}"


def number(value: float) -> str:
    """Return a relevance as people read it: its sign and three digits that count."""
    if not math.isfinite(value):
        return str(value)
    shown = f"{value:+.3g}"
    return "0" if float(shown) == 0 else shown.replace("-", "−")


def quoted(word: str) -> str:
    """Return a word; what has blanks in it, or around it, in quotation marks."""
    shown = one_line(word)
    return f"“{shown}”" if any(letter.isspace() for letter in word) else shown
