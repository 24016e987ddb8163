"""Heatmaps: every character of the text is shown once, as text, in the right colour."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hostile import HOSTILE, Page, heatmap
from hypothesis import given
from hypothesis import strategies as st
from networks import made_cnn

from whyword import Explanation, explain
from whyword.base.printable import visible
from whyword.explanation.heatmap import (
    AGAINST,
    FOR,
    LEVELS,
    STRONGEST,
    Heatmap,
    Kind,
    Panel,
    fragment,
    most_marked,
    number,
    styled_fragment,
)
from whyword.explanation.heatmap import page as page_parts
from whyword.explanation.terminal import terminal


def page(*heatmaps: Heatmap, title: str = "whyword") -> Page:
    return Page("".join(page_parts(heatmaps, title)))


ODD_TEXTS = [HOSTILE, "", " ", "a b c d e f g", "x <b>&</b> \u202e \ud800", "שלום, wa\nb  c"]


def check_whole(text: str) -> None:
    """Hold that the pieces of a heatmap are its text, and that its page shows it as text."""
    for max_words in (None, 1, 3):
        shown = heatmap(text, max_words=max_words)
        assert "".join(piece.text for piece in shown.pieces()) == text
        numbers = [piece.word for piece in shown.pieces() if piece.word >= 0]
        assert numbers == list(range(len(shown.spans)))
    markup = page(heatmap(text, title=text, target=text), title=text)
    assert markup.text == visible(text)
    assert set(markup.tags) <= {
        *("html", "head", "meta", "title", "style", "body", "article", "h2", "h3"),
        *("p", "div", "section", "span"),
    }
    assert markup.attributes <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "dir", "title"),
    }


def check_excerpt(text: str, first: int, last: int) -> None:
    """Hold that an excerpt is a part of the text in the same colors."""
    whole = heatmap(text, max_words=6)
    whole = replace(whole, marked=np.arange(len(whole.spans)) % 2 == 0)
    part = whole.excerpt(first, last)
    assert "".join(piece.text for piece in part.pieces()) == part.text
    assert part.text in text
    begin, end = max(first, 0), min(last, len(whole.spans))
    chosen = slice(begin, end) if begin < end else slice(None)
    every = [(one.text, one.kind) for one in whole.pieces() if one.word >= 0]
    assert [(one.text, one.kind) for one in part.pieces() if one.word >= 0] == every[chosen]
    levels = whole.levels(whole.panels[0])[chosen]
    np.testing.assert_array_equal(part.levels(part.panels[0]), levels)
    assert part.marked is not None
    assert whole.marked is not None
    np.testing.assert_array_equal(part.marked, whole.marked[chosen])


@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_texts_are_shown_as_they_are(text: str) -> None:
    check_whole(text)
    for first, last in itertools.product((-1, 0, 2), (0, 1, 4, 9)):
        check_excerpt(text, first, last)


@pytest.mark.nightly(reason="many texts")
@given(
    st.text(st.characters(exclude_categories=()), max_size=60),
    st.integers(-1, 9),
    st.integers(0, 9),
)
def test_any_text_is_shown_as_it_is(text: str, first: int, last: int) -> None:
    check_whole(text)
    check_excerpt(text, first, last)


def test_hostile_text_and_names() -> None:
    shown = heatmap(HOSTILE, title=HOSTILE, target=HOSTILE)
    source = "".join(page_parts([shown], HOSTILE))
    assert not re.search(r"<(script|img|b)\b", source)
    assert Page(source).text == visible(HOSTILE)
    assert "default-src 'none'" in source


def test_colours_follow_sign_and_strength() -> None:
    markup = page(heatmap("alpha beta gamma delta epsilon", [2, -2, 1, 0, -0.04]))
    classes = [set(names.split()) for names, _ in markup.words]
    assert classes == [{"w", "p20"}, {"w", "n20", "n"}, {"w", "p10"}, {"w"}, {"w"}]
    hints = [hint for _, hint in markup.words]
    assert hints[:3] == ["alpha: +2", "beta: −2", "gamma: +1"]


def test_the_scale_is_the_largest_unless_given() -> None:
    assert heatmap("a b", [0.5, -4]).full == 4
    assert heatmap("", []).full == 0
    given = Heatmap(**{**vars(heatmap("a b", [1, -4])), "scale": 8.0})
    np.testing.assert_array_equal(given.levels(given.panels[0]), [2, -10])
    odd = heatmap("a b c d", [np.nan, 1, np.inf, -np.inf])
    np.testing.assert_array_equal(odd.levels(odd.panels[0]), [0, 20, 20, -20])


def test_unknown_words_and_the_tail_are_marked() -> None:
    shown = heatmap("one xyz two, three four!", max_words=3)
    kinds = [(piece.text, piece.kind) for piece in shown.pieces()]
    assert ("xyz", Kind.UNKNOWN) in kinds
    assert kinds[-1] == (", three four!", Kind.BEYOND)
    source = fragment(shown)
    assert 'title="xyz: 0, unknown to the model"' in source
    assert '<span class="b" title="not read">, three four!</span>' in source
    assert "not read (2 words)" in source


def test_ranges_between_words_that_were_not_read() -> None:
    unread = np.array([[0, 1], [5, 6], [7, 12], [14, 16]], np.int32)
    shown = replace(heatmap("(one, <two> b) c."), unread=unread)
    assert [(piece.text, piece.kind, piece.word) for piece in shown.pieces()] == [
        *(("(", Kind.UNREAD, -1), ("one", Kind.WORD, 0), (",", Kind.BETWEEN, -1)),
        *((" ", Kind.UNREAD, -1), ("<", Kind.BETWEEN, -1), ("two", Kind.UNREAD, 1)),
        *(("> ", Kind.UNREAD, -1), ("b", Kind.WORD, 2)),
        *((")", Kind.BETWEEN, -1), (" ", Kind.UNREAD, -1), ("c", Kind.UNREAD, 3)),
        (".", Kind.BETWEEN, -1),
    ]


def test_panels_share_a_scale_and_stand_side_by_side() -> None:
    base = heatmap("a b")
    panels = (Panel("first", "", np.array([1.0, 0])), Panel("second", "", np.array([0, -4.0])))
    markup = page(Heatmap(**{**vars(base), "panels": panels}))
    assert [names for names, _ in markup.words] == ["w p5", "w", "w", "w n20 n"]
    assert markup.tags.count("section") == 2


def test_marked_words_are_outlined() -> None:
    shown = replace(heatmap("alpha beta gamma", [1, -2, 0]), marked=np.array([True, False, True]))
    assert [names for names, _ in page(shown).words] == ["w p10 m", "w n20 n", "w m"]


def test_an_excerpt_says_so_and_keeps_what_is_not_read() -> None:
    whole = replace(heatmap("one two three four"), unread=np.array([[0, 3], [8, 13]], np.int32))
    part = whole.excerpt(1, 4)
    assert (part.text, part.unread.tolist()) == ("two three four", [[4, 9]])
    assert part.remarks[-1] == "Words 2 to 4 of 4."
    assert whole.excerpt(0, 4) is whole


def luminance(colour: Sequence[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("ground", [255, 18])
@pytest.mark.parametrize("colour", [FOR, AGAINST])
def test_words_are_readable_on_light_and_on_dark(colour: tuple[int, ...], ground: int) -> None:
    """WCAG AA asks for a contrast of 4.5 between text and ground."""
    ink = 0.0 if ground == 255 else 1.0
    for level in range(LEVELS + 1):
        share = STRONGEST * level / LEVELS
        mixed = [(share * c + (1 - share) * ground) / 255 for c in colour]
        light, dark = sorted([luminance(mixed), luminance([ink] * 3)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


# What people without red or green cones see of linear RGB (Viénot, Brettel, Mollon 1999).
PROTANOPIA = [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]
DEUTERANOPIA = [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]


@pytest.mark.parametrize("sight", [PROTANOPIA, DEUTERANOPIA])
@pytest.mark.parametrize("level", [5, LEVELS])
def test_the_colours_differ_without_red_or_green_cones(
    sight: list[list[float]], level: int
) -> None:
    share = STRONGEST * level / LEVELS
    seen = [
        np.clip(np.array(sight) @ ((share * np.array(colour) / 255 + 1 - share) ** 2.2), 0, 1)
        for colour in (FOR, AGAINST)
    ]
    difference = np.abs(np.diff(np.array(seen) ** (1 / 2.2) * 255, axis=0)).max()
    assert difference > 100 * level / LEVELS


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (-0.0, "0"), (1234.5, "+1.23e+03"), (-0.05, "−0.05"), (float("nan"), "nan")],
)
def test_numbers(value: float, shown: str) -> None:
    assert number(value) == shown


def test_the_empty_text_says_so() -> None:
    explanation: Explanation = explain(made_cnn(), "")
    assert "There is no word in this text." in explanation.to_html()
    assert "on no word" in explanation.to_text()


def test_a_text_without_a_known_word_says_so() -> None:
    explanation = explain(made_cnn(), "nothing familiar")
    assert not explanation.known.any()
    assert "The model knows none of these words" in explanation.to_text()


def test_an_excerpt_has_most_of_what_is_marked() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        marked, size = random.random(random.integers(0, 40)) < 0.3, int(random.integers(1, 13))
        first, last = most_marked(marked, size)
        assert 0 <= first <= last <= len(marked)
        assert last - first == min(size, len(marked))
        starts = range(max(1, len(marked) - size + 1))
        best = max(sum(marked[start : start + size]) for start in starts)
        assert sum(marked[first:last]) == best


@pytest.mark.parametrize("position", [0, 50, 99])
def test_an_excerpt_has_words_on_both_sides(position: int) -> None:
    first, last = most_marked(np.arange(100) == position, 11)
    assert first == min(max(position - 5, 0), 89)
    assert last == first + 11


def test_notebooks_that_are_not_trusted_have_colours_too() -> None:
    shown = styled_fragment([heatmap('Space is <span class="p9">large</span>.')])
    assert 'class="text" style="white-space:pre-wrap"' in shown
    assert "<style>" in shown
    coloured = re.findall(
        r'class="w [pn](\d+)[^"]*" style="background-color:rgba\(([^)]*)\)', shown
    )
    assert coloured
    for level, colour in coloured:
        *_, opacity = colour.split(",")
        assert float(opacity) == pytest.approx(STRONGEST * int(level) / LEVELS, abs=1e-3)
    assert "&quot;p9&quot;&gt;" in shown  # what a text says is text
    assert "style=" not in fragment(heatmap("Space"))  # pages have sheets, and forbid the rest


# ---- in a terminal -------------------------------------------------------------------------------


def test_terminal_colours_and_plain_text() -> None:
    shown = heatmap("Alpha beta\x1b[31m, gamma!\n", [3, -2, 0.1])
    text = terminal(shown)
    assert text.plain.startswith(" for  the target,  against  it\n")
    styles = {text.plain[s.start : s.end]: str(s.style) for s in text.spans}
    assert styles["Alpha"] == "bold #000000 on rgb(230,88,75)"
    assert styles["beta"] == "bold underline #000000 on rgb(135,176,239)"
    assert "gamma" not in styles
    few = {text.plain[s.start : s.end]: str(s.style) for s in terminal(shown, "standard").spans}
    assert few["Alpha"] == "bold bright_white on red"
    plain = terminal(replace(shown, title="mail 7", remarks=("Note.",)), None)
    assert plain.plain == (
        "mail 7\nNote.\ntarget  score +1\nAlpha beta␛[31m, gamma!\n"
        "for     Alpha +3  gamma +0.1\nagainst beta −2\n\n"
    )
    assert not [s for s in plain.spans if "on " in str(s.style)]


def test_what_is_not_listed_is_summed_up() -> None:
    text = " ".join("abcdefghijklmnopq")
    values = [1.0 / n for n in range(1, 10)] + [-1.0] * 7 + [0]
    lines = terminal(heatmap(text, values), None).plain.splitlines()
    assert lines[2].startswith("for     a +1  b +0.5  c +0.333  d +0.25  e +0.2  f +0.167  …")
    assert lines[2].endswith("  … 3 more words +0.379")
    assert lines[3].endswith("  o −1  … 1 more word −1")
    some = heatmap(text, values)
    phrases = tuple((f"{word} x", 0.5) for word in "abcdefgh")
    listed = replace(some, panels=(some.panels[0]._replace(phrases=phrases),))
    assert "“f x” +0.5  … 2 more phrases +1\n" in terminal(listed, None).plain
