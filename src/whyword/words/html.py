"""HTML to text: what a reader would see of a page or of a fragment of one.

By hand: older versions of html.parser take the square of a hostile text's length, and it takes
``<someone@example.org>`` for a tag. Every search here either moves on or is not tried again.
"""

import html
import re

_BREAKS = frozenset(
    "address article aside blockquote body br caption center dd details dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol "
    "optgroup option p pre section select summary table tbody tfoot thead tr ul".split()
)
_PARAGRAPHS = frozenset("blockquote h1 h2 h3 h4 h5 h6 p".split())  # a blank line around them
_CELLS = frozenset("img input td th".split())  # a space: words beside them are two words
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big button cite code col colgroup data del dfn em embed font i ins "
    "kbd label link map mark meta object q s samp small span strike strong sub sup time tt u var "
    "video audio source svg wbr".split()
)
# what is inside them is no text; all but template hold no tags
_UNSEEN = frozenset("iframe noembed noframes script style template title".split())
_KNOWN = _BREAKS | _CELLS | _INLINE | _UNSEEN | {"head"}

_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:_-]{0,60})(?=[\s/>])")
_SPACES = re.compile(r"[ \t\r\n\f]+")
_LONG_NUMBER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{7,});?")  # no such character
_QUOTE_OR_END = re.compile("[\"'>]")
_MANY_BREAKS = re.compile(r"\n{3,}")

_SINGLE = "|".join(name for name in sorted(_KNOWN) if len(name) == 1)
_LONGER = "|".join(name for name in sorted(_KNOWN - {"data", "time", "map"}) if len(name) > 1)
_ATTRIBUTES = r"\s+[a-z-]{1,40}\s{0,9}=[^<>]*"
_MARKUP = re.compile(
    rf"</(?:{_SINGLE}|{_LONGER})\s?>"
    rf"|<(?:{_LONGER})(?:\s?/?|{_ATTRIBUTES})>"
    # a letter alone may be the type of vector<p>
    rf"|(?<!\w)<(?:{_SINGLE})>|<(?:{_SINGLE}){_ATTRIBUTES}>"
    r"|&(?:nbsp|amp|lt|gt|quot|apos|[lr][sd]quo|[mn]dash|hellip|copy|"
    r"[aeiou](?:acute|grave|uml|circ)|#[0-9]{2,5}|#x[0-9a-f]{2,4});"
    r"|<!doctype html",
    re.IGNORECASE,
)


def has_markup(text: str) -> bool:
    """Return whether a text is plainly HTML: a usual tag or entity is in it.

    Comparisons, addresses between angle brackets and the types of C++ are none.

    Examples
    --------
    >>> has_markup("Bad.<br /><br />Really bad.")
    True
    >>> has_markup("a < b and c > d; <someone@example.org>; vector<int> v;")
    False
    """
    return _MARKUP.search(text) is not None


def html_to_text(text: str) -> str:
    r"""Return what a reader would see of HTML, a page or a fragment, closed or not.

    Tags go: those of blocks, and ``<br>``, become line ends, those of cells spaces. Scripts,
    styles, titles, templates and comments go with what is in them. Entities become what they
    stand for. Between tags of blocks spaces and line ends are one space, as in a browser; in
    a text that has no such tag, they stay as they are. The time is linear in the text's length.

    Examples
    --------
    >>> html_to_text("<p>Fish &amp; chips<br>for <b>tw</b>o")
    'Fish & chips\nfor two'
    """
    if "<" not in text and "&" not in text:
        return text
    return _Page(text).text()


class _Page:
    """One pass over a page."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.pieces: list[str] = []  # texts at even places, what stands for tags at odd ones
        self.unseen = ""  # the tag whose content is left out
        self.depth = 0  # of such tags in each other
        self.never: set[str] = set()  # what is not found from here on: it is not sought again

    def text(self) -> str:
        """Return what is seen."""
        page, at = self.page, 0
        while True:
            start = page.find("<", at)
            if start < 0:
                self._add(page[at:], "")
                break
            end, mark = self._markup(start)
            self._add(page[at:start] if end > start else page[at : start + 1], mark)
            at = max(end, start + 1)
        return self._joined()

    def _add(self, seen: str, mark: str) -> None:
        self.pieces += ("" if self.depth else seen, mark)
        if mark.startswith("+"):
            self.pieces[-1] = ""
            self.unseen, self.depth = mark[1:], self.depth + 1
        elif mark.startswith("-"):
            self.pieces[-1] = ""
            self.depth -= 1

    def _markup(self, start: int) -> tuple[int, str]:
        """Return where the markup at `start` ends (there: it is none) and what stands for it."""
        page = self.page
        if page.startswith("<!--", start):
            end = self._find("-->", start + 4)
            return (end + 3, "") if end >= 0 else self._to_bracket(start)
        if page.startswith(("<!", "<?"), start):
            return self._to_bracket(start)
        tag = _TAG.match(page, start)
        if tag is None:
            return start, ""
        name, closes = tag[1].lower(), page[start + 1] == "/"
        end = self._tag_end(tag.end())
        if end < 0:  # cut off: what is left of a tag is no text
            return (len(page), "") if name in _KNOWN else (start, "")
        if self.depth:
            step = ("-" if closes else "+" + name) if name == self.unseen else ""
            return end, step
        if name in _UNSEEN and not closes:
            if name == "template":
                return end, "+template"
            return self._raw_end(name, end), "\n" if name == "title" else ""
        if name in _PARAGRAPHS:
            return end, "\n\n"
        return end, "\n" if name in _BREAKS else " " if name in _CELLS else ""

    def _to_bracket(self, start: int) -> tuple[int, str]:
        end = self._find(">", start)
        return (end + 1 if end >= 0 else start), ""

    def _tag_end(self, at: int) -> int:
        """Return where a tag ends, brackets in quoted attributes aside; -1 if nowhere."""
        first = self._find(">", at)
        if first < 0 or "quotes" in self.never:
            return first + 1 if first >= 0 else -1
        position = at
        while found := _QUOTE_OR_END.search(self.page, position):
            if found[0] == ">":
                return found.end()
            position = found.end()
            if self.page[found.start() - 1] in "= \t\r\n":  # else an apostrophe in a bare value
                closing = self._find(found[0], position)
                if closing < 0:
                    break
                position = closing + 1
        self.never.add("quotes")  # they do not fit: from here on they mean nothing
        return first + 1

    def _raw_end(self, name: str, at: int) -> int:
        """Return where an element that holds no tags ends; all of the rest is in one left open."""
        if f"</{name}" in self.never:
            return len(self.page)
        closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.page, at)
        if closing is None:
            self.never.add(f"</{name}")
            return len(self.page)
        end = self._find(">", closing.end())
        return end + 1 if end >= 0 else len(self.page)

    def _find(self, what: str, at: int) -> int:
        if what in self.never:
            return -1
        found = self.page.find(what, at)
        if found < 0:
            self.never.add(what)
        return found

    def _joined(self) -> str:
        marks = self.pieces[1::2]
        texts = self.pieces[::2]
        if not any("\n" in mark for mark in marks):
            return _unescape("".join(self.pieces))
        texts = [_SPACES.sub(" ", one) for one in texts]
        joined = "".join(part for pair in zip(texts, marks, strict=True) for part in pair)
        lines = "\n".join(line.strip(" \t\r\f") for line in _unescape(joined).split("\n"))
        return _MANY_BREAKS.sub("\n\n", lines).strip("\n")


def _unescape(text: str) -> str:
    if "&" not in text:
        return text
    # Python refuses to read very long numbers
    return html.unescape(_LONG_NUMBER.sub("\ufffd", text)).replace("\xa0", " ")
