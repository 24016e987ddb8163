"""Heatmaps as SVG and PNG: where everything stands, directions of text, fonts."""

import logging
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE, heatmap
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from whyword import InputError
from whyword.base.errors import MissingExtraError
from whyword.explanation.direction import signs_apart, starts_right_to_left, visual_order
from whyword.explanation.fonts import DrawnFont
from whyword.explanation.heatmap import Heatmap
from whyword.explanation.picture import svg, write_png

SPACE = "{http://www.w3.org/2000/svg}"


def elements(source: str, name: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(source).findall(SPACE + name)


def text_of(label: ElementTree.Element) -> str:
    return (label.text or "") + "".join(child.tail or "" for child in label)


def described(source: str) -> list[str]:
    """Return the colored boxes of a picture, then its texts, each with its attributes."""
    boxes = [
        " ".join(str(one.get(name)) for name in "x y width height fill fill-opacity".split())
        for one in elements(source, "rect")[1:]
    ]
    texts = []
    for one in elements(source, "text"):
        given = [one.get(name) for name in ("x", "y", "textLength", "fill")]
        style = [one.get("font-weight"), one.get("text-decoration")]
        hint = one.find(f"{SPACE}title")
        parts = [*given, *style, "" if hint is None else f"[{hint.text}]", "|", text_of(one)]
        texts.append(" ".join(part for part in parts if part))
    return [*boxes, *texts]


def shown(text: str, values: list[float], **more: Any) -> Heatmap:  # noqa: ANN401
    made = heatmap(text, values, max_words=more.pop("max_words", None), title="mail 7")
    return replace(made, **more)


def test_a_picture_with_everything() -> None:
    text = "alpha xbeta, שלום gamma\tdelta\nend tail words"
    made = shown(text, [2, -2, 0.5, 0.04, -1, 0.3], max_words=6, remarks=("Note this.",))
    source = svg(made)
    assert described(source) == [
        "16.0 162.0 42.1 18.0 #e23a2b 0.620",
        "66.6 162.0 42.1 18.0 #2670e2 0.620",
        "125.6 162.0 33.7 18.0 #e23a2b 0.155",
        "243.6 162.0 42.1 18.0 #2670e2 0.310",
        "16.0 184.0 25.3 18.0 #e23a2b 0.093",
        "16.0 32.0 50.6 #111111 bold | mail 7",
        "16.0 54.0 84.3 #111111 | Note this.",
        "16.0 76.0 758.7 #707070 | red: for the target (up to +2), blue and underlined: against; "
        "grey: unknown to the model; ",
        "16.0 98.0 252.9 #707070 | light grey: not read (2 words)",
        "16.0 131.0 50.6 #111111 bold | target",
        "16.0 153.0 67.4 #707070 | score +1",
        "16.0 175.0 42.1 #111111 [alpha: +2] | alpha",
        "66.6 175.0 42.1 #707070 underline [xbeta: −2] | xbeta",
        "108.7 175.0 8.4 #111111 | ,",
        "125.6 175.0 33.7 #111111 [שלום: +0.5] | שלום",
        "167.7 175.0 42.1 #111111 [gamma: +0.04] | gamma",
        "243.6 175.0 42.1 #111111 underline [delta: −1] | delta",
        "16.0 197.0 25.3 #111111 [end: +0.3] | end",
        "49.7 197.0 33.7 #aaaaaa | tail",
        "91.9 197.0 42.1 #aaaaaa | words",
    ]
    root = ElementTree.fromstring(source)
    assert (root.get("width"), root.get("height")) == ("791", "219")


def test_panels_stand_side_by_side_two_in_a_row() -> None:
    made = shown("alpha beta", [1, -1], unread=np.array([[6, 10]], np.int32))
    first = made.panels[0]
    panels = tuple(
        first._replace(title=name, values=np.array(values))
        for name, values in (("a", [1.0, 0]), ("b", [0, -4.0]), ("c", [0, 0.1]))
    )
    source = svg(replace(made, panels=panels))
    found = [one for one in described(source) if "red:" not in one]
    assert found == [
        "16.0 118.0 42.1 18.0 #e23a2b 0.155",
        "621.2 118.0 33.7 18.0 #2670e2 0.620",
        *("16.0 32.0 50.6 #111111 bold | mail 7", "16.0 87.0 8.4 #111111 bold | a"),
        *("16.0 109.0 67.4 #707070 | score +1", "16.0 131.0 42.1 #111111 [alpha: +1] | alpha"),
        *("66.6 131.0 33.7 #aaaaaa [beta: 0] | beta", "570.7 87.0 8.4 #111111 bold | b"),
        *("570.7 109.0 67.4 #707070 | score +1", "570.7 131.0 42.1 #111111 [alpha: 0] | alpha"),
        "621.2 131.0 33.7 #aaaaaa underline [beta: −4] | beta",
        *("16.0 164.0 8.4 #111111 bold | c", "16.0 186.0 67.4 #707070 | score +1"),
        "16.0 208.0 42.1 #111111 [alpha: 0] | alpha",
        "66.6 208.0 33.7 #aaaaaa [beta: +0.1] | beta",
    ]
    assert "light grey: not read (1 words)" in source


def test_a_png_has_what_the_svg_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = shown("alpha xbeta, gamma\nend $x^2$ tail", [2, -2, 0.5, -1], max_words=4)
    drawn: list[Figure] = []
    save = Figure.savefig

    def keep(figure: Figure, *given: Any, **options: Any) -> None:  # noqa: ANN401
        drawn.append(figure)
        save(figure, *given, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    write_png(made, tmp_path / "why.png")
    (axes,) = drawn[0].axes
    patches: list[Any] = list(axes.patches)
    boxes = [
        f"{box.get_x():.1f} {box.get_y():.1f} {box.get_width():.1f} {box.get_height():.1f} "
        f"{to_hex(box.get_facecolor())} {box.get_alpha():.3f}"
        for box in patches
    ]
    texts = []
    lines = {tuple(np.array(line.get_xydata())[0].tolist()): line for line in axes.lines}
    for one in axes.texts:
        x, y = one.get_position()
        line = lines.pop((x, y + 3), None)
        bold = " bold" if one.get_fontproperties().get_weight() == "bold" else ""
        under = "" if line is None else f" underline {np.ptp(line.get_xdata()):.1f}"
        texts.append(f"{x:.1f} {y:.1f} {one.get_color()}{bold}{under} | {one.get_text()}")
    expected = []
    for label in elements(svg(made), "text"):
        bold = " bold" if label.get("font-weight") else ""
        under = f" underline {label.get('textLength')}" if label.get("text-decoration") else ""
        place = f"{label.get('x')} {label.get('y')} {label.get('fill')}"
        expected.append(f"{place}{bold}{under} | {text_of(label)}")
    assert boxes + texts == described(svg(made))[: len(boxes)] + expected
    assert not lines
    data = (tmp_path / "why.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    root = ElementTree.fromstring(svg(made))
    width, height = struct.unpack(">II", data[16:24])
    assert abs(width - 2 * int(root.get("width") or 0)) <= 2
    assert abs(height - 2 * int(root.get("height") or 0)) <= 2
    assert axes.get_ylim()[1] == 0


@pytest.mark.nightly(reason="many texts")
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_is_a_valid_svg(text: str) -> None:
    check_svg(text)


def check_svg(text: str) -> None:
    source = svg(heatmap(text, title=text, target=text))
    assert {e.tag for e in ElementTree.fromstring(source).iter()} <= {
        SPACE + name for name in ("svg", "rect", "text", "title")
    }
    source.encode()


def test_hostile_texts_in_pictures(tmp_path: Path) -> None:
    for text in (HOSTILE, "", "\n\n", "\x00\x1b<b>&amp;\ud800", "a\t\tb  c"):
        check_svg(text)
    write_png(heatmap(HOSTILE + " $x^2$ $\\frac{$", title=HOSTILE), tmp_path / "why.png")
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")


def test_lines_are_broken_between_words() -> None:
    text = " ".join(["word"] * 60) + "\n\n" + "x" * 300 + " end"
    source = svg(heatmap(text, [0] * 62))
    labels = elements(source, "text")[3:]  # below the legend, the target and the note
    rows: dict[str, list[str]] = {}
    for label in labels:
        rows.setdefault(label.get("y") or "", []).append(text_of(label))
    assert [len("".join(row)) for row in rows.values()] == [72, 72, 72, 24, 90, 90, 90, 33]
    assert list(rows)[3:5] == ["175.0", "219.0"]  # an empty line between
    ends = [float(one.get("x") or 0) + float(one.get("textLength") or 0) for one in labels]
    assert max(ends) <= 16 + 90 * 8.43 + 0.1
    assert len(svg(heatmap("word " * 100_000, max_words=5))) < 100_000  # the tail is cut short


def test_a_text_too_long_for_a_png(tmp_path: Path) -> None:
    for text in ("word\n" * 3000, "x" * 130_000):
        with pytest.raises(InputError, match=r"too long for a PNG \([\d,]+ pixels high, at most 3"):
            write_png(heatmap(text), tmp_path / "why.png")
    write_png(heatmap("word " + "x " * 90_000, max_words=1), tmp_path / "why.png")


def test_without_matplotlib(tmp_path: Path, uninstall: Callable[[str], None]) -> None:
    uninstall("matplotlib")
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[figures\]'"):
        write_png(heatmap("one"), tmp_path / "why.png")


# ---- text from right to left --------------------------------------------------------------------


def places(text: str) -> dict[str, float]:
    """Return where each run of a text stands in its picture, from the left."""
    return {
        text_of(label): float(label.get("x") or 0)
        for label in elements(svg(heatmap(text)), "text")
        if text_of(label) in text
    }


def test_words_of_both_directions_in_one_line() -> None:
    at = places("שלום New York עולם 12\nand then مرحبا بالعالم again")
    assert at["12"] < at["עולם"] < at["New"] < at["York"] < at["שלום"]
    assert at["שלום"] == pytest.approx(16 + 86 * 8.43, abs=0.1)  # lines begin at the right
    assert at["and"] < at["then"] < at["بالعالم"] < at["مرحبا"] < at["again"]
    at = places("שלום " + "x" * 85 + " alpha עולם\nbeta")  # the paragraph keeps its direction
    assert at["עולם"] < at["alpha"]
    assert at["beta"] == 16


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("", None), ("12 (!) 👍", None), ("(abc שלום", False), ("12 שלום abc", True)),
        *(("«مرحبا", True), ("漢字", False)),
    ],
)
def test_the_first_letter_decides(text: str, expected: bool | None) -> None:
    assert starts_right_to_left(text) is expected


# Hebrew letters for what runs from the right; | between runs, as they stand from left to right.
@pytest.mark.parametrize(
    ("runs", "right_to_left", "expected"),
    [
        ("", False, ""),
        ("a| |b", False, "a| |b"),
        ("א| |ב", True, "ב| |א"),
        ("a| |א| |ב| |c", False, "a| |ב| |א| |c"),
        ("א| |a| |b| |ב", True, "ב| |a| |b| |א"),
        ("א| |12| |ב", True, "ב| |12| |א"),
        ("a| |א| |12| |ב", False, "a| |ב| |12| |א"),
        ("a| |12| |א", False, "a| |12| |א"),
        ("a|, |א", False, "a|, |א"),
        ("א|.", True, ".|א"),
        ("א|.", False, "א|."),
        ("a|!", True, "!|a"),
        ("(|א|)", True, "(|א|)"),
        ('א| |("|ב', True, 'ב|")| |א'),
        ("(|א|)|؟", True, "؟|(|א|)"),
        ("a| |(|b|)", False, "a| |(|b|)"),
        (" ", True, " "),
    ],
)
def test_runs_from_left_to_right(runs: str, right_to_left: bool, expected: str) -> None:
    parts = runs.split("|")
    found = visual_order(parts, right_to_left)
    assert "|".join(text for _, text in found) == expected
    assert sorted(number for number, _ in found) == list(range(len(parts)))


def test_signs_of_scripts_from_the_right_stand_apart() -> None:
    for run in ("", "a", "שלום", ")!", "…", "12؟"):
        assert signs_apart(run) == [run]
    assert signs_apart(")؟") == [")", "؟"]


# ---- fonts --------------------------------------------------------------------------------------

NOWHERE = "\U0010fffd"  # no font has it; a machine may well have Chinese ones


def test_letters_that_no_font_has_are_boxes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for family, bold in (("monospace", False), ("sans-serif", True)):
        font = DrawnFont(family, 12, bold)
        assert font.properties.get_weight() == ("bold" if bold else "normal")
        assert font.drawable("abc äß € −…") == "abc äß € −…"
        assert font.drawable(f"a{NOWHERE}\n") == font.on_grid(f"a{NOWHERE}\n") == "a□□"
        assert font.missing(f"a{NOWHERE}{NOWHERE}\n") == {NOWHERE, "\n"}
        assert not font.missing("שלום مرحبا привет")
    with caplog.at_level(logging.INFO, "whyword"):
        write_png(heatmap("alpha שלום مرحبا، 今天天气 สวัสดี"), tmp_path / "why.png")
        caplog.clear()
        write_png(heatmap("alpha שלום"), tmp_path / "why.png")
        assert not caplog.messages
        write_png(heatmap(f"alpha {NOWHERE}"), tmp_path / "why.png")
    (said,) = caplog.messages
    assert said.startswith("the picture has boxes for 1 letters that no font here has (")


@pytest.mark.parametrize(
    ("families", "text", "expected"),
    [
        ([], "aش", "aش"),
        (["DejaVu Serif"], "aش本", "a□□"),
        (["No Such Font", "DejaVu Serif", "DejaVu Sans"], "aش本", "aش□"),
        (["cmr10"], "a本", "a?"),
        (["No Such Font"], "a本", "a□"),
    ],
)
def test_the_fonts_of_the_users_settings(families: list[str], text: str, expected: str) -> None:
    with rc_context({"font.family": families} if families else {}):
        font = DrawnFont(None, 12)
        assert font.drawable(text) == expected
        if families == ["DejaVu Serif"]:
            assert font.on_grid("a本b") == "a□ b"  # as wide as the letter
        figure = Figure()
        figure.text(0, 0, font.drawable(text), fontproperties=font.properties)
        figure.canvas.draw()  # a warning is an error here
