"""Words in any script, slow and literal: what words/boundaries.py is tested against.

A text becomes a string with a letter for each character, what Unicode's data says of it; the rules
are regular expressions over that string. Scripts are told by the characters' names.
"""

import re
import unicodedata

import regex

# L letter, H Hebrew letter, D digit, K Katakana, A every character a word, C every cluster one,
# m mark, j joins and is no end of a word, l between letters, d between digits, b both, q quote
_BETWEEN = {
    **dict.fromkeys("\u00b7\u0387\u055f\u05f3\u05f4\u2027", "l"),
    **dict.fromkeys(",;\u037e\u060c\u066c\u2044\uff0c\uff1b", "d"),
    **dict.fromkeys(".'\u2018\u2019\u2024\ufe52\uff07\uff0e", "b"),
    '"': "q",
}
_ALONE = (
    *("CJK ", "HIRAGANA", "HENTAIGANA", "IDEOGRAPHIC", "VERTICAL IDEO", "MASU", "OLD CHINESE"),
    *("TANGUT", "KHITAN", "NUSHU"),
)
_CLUSTERS = ("THAI ", "LAO ", "MYANMAR ", "KHMER ", "TAI ", "NEW TAI", "AHOM ")
_J = "[mj]*"
_RUN = rf"(?:H{_J}q{_J}(?=H)|[LH]{_J}(?:[lb]{_J}(?=[LH]))?|D{_J}(?:[db]{_J}(?=D))?)+"
_WORD = re.compile(rf"A|C|(?:K{_J})+|{_RUN}")
_WITHOUT_ENDS = re.compile(r"(.*[LHDK]m*)[mj]*")
_LINKERS = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2"
_CLUSTER = regex.compile(r"\X")


def kind(character: str) -> str:
    """Return the letter that stands for a character, a space for what is no part of words."""
    category, name = unicodedata.category(character), unicodedata.name(character, "")
    if character in _BETWEEN:
        return _BETWEEN[character]
    if character in "\u0e33\u0eb3\uff9e\uff9f\u200c\u200d" or category[0] == "M":
        return "m"
    if name.startswith(("EMOJI MODIFIER", "TAG ")) or character == "\U000e007f":
        return "m"
    if (category in ("Cf", "Pc") and character != "\u200b") or character in "\u055b\u055c\u055e":
        return "j"
    if character == "〇":
        return "A"
    if category in ("Nd", "Nl"):
        return "D"
    if category[0] != "L":
        return " "
    if "KATAKANA" in name or name.startswith("VERTICAL KANA"):
        return "K"
    if not name:  # ideographs whose names Python does not have
        return "A"
    starts = ((_ALONE, "A"), (_CLUSTERS, "C"), ("HEBREW", "H"))
    return next((letter for names, letter in starts if name.startswith(names)), "L")


def unicode_words(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words by Unicode's boundaries, as docs/text.md has them."""
    kinds = "".join(map(kind, text))
    spans = []
    at = 0
    while match := _WORD.search(kinds, at):
        start, at = match.span()
        if kinds[start] in "AC":
            end = at = cluster_end(text, start)
        else:
            trimmed = _WITHOUT_ENDS.fullmatch(match[0])
            assert trimmed is not None
            end = start + len(trimmed[1])
        if set(kinds[start:end]) & set("ACLHK"):
            spans.append((start, end))
    return spans


def cluster_end(text: str, start: int) -> int:
    """Return where the grapheme cluster ends that begins at what is no mark.

    All marks belong to it, and letters that one of its own script's linkers ties to it: Unicode's
    rule GB9c, which regex does not have.
    """
    found = _CLUSTER.match(text, start)
    assert found is not None
    end, looked = int(found.end()), start + 1
    while end < len(text):
        linked = _is_linked(text[looked:end], script(text[start]))
        if kind(text[end]) == "m":
            end += 1
        elif linked and kind(text[end]) in "LC" and script(text[end]) == script(text[start]):
            looked = end = end + 1
        else:
            break
    return end


def script(character: str) -> str:
    """Return the first word of a character's name."""
    return unicodedata.name(character, "?").split()[0]


def _is_linked(marks: str, of: str) -> bool:
    """Whether these marks of a letter tie the next one to it."""
    own = [place for place, mark in enumerate(marks) if mark in _LINKERS and script(mark) == of]
    return bool(own) and "\u200c" not in marks[own[-1] :]


def characters(text: str) -> list[tuple[int, int]]:
    """Return the spans of the grapheme clusters that begin with what can be seen by itself."""
    spans = []
    at = 0
    while at < len(text):
        category = unicodedata.category(text[at])
        if text[at].isspace() or category in ("Cc", "Cf", "Cs") or kind(text[at]) == "m":
            at += 1
            continue
        spans.append((at, cluster_end(text, at)))
        at = spans[-1][1]
    return spans
