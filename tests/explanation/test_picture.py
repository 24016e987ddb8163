import logging
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hostile import HOSTILE, heatmap
from hypothesis import given, settings
from hypothesis import strategies as st

from whyword import InputError
from whyword.base.errors import MissingExtraError
from whyword.explanation.heatmap import Heatmap, Panel
from whyword.explanation.picture import svg, write_png

SPACE = "{http://www.w3.org/2000/svg}"


def labels(source: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(source).findall(f"{SPACE}text")


def text_of(label: ElementTree.Element) -> str:
    return (label.text or "") + "".join(child.tail or "" for child in label)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_is_a_valid_svg(text: str) -> None:
    source = svg(heatmap(text, title=text, target=text))
    assert {e.tag for e in ElementTree.fromstring(source).iter()} <= {
        SPACE + name for name in ("svg", "rect", "text", "title")
    }
    source.encode()


def test_words_have_their_ground_and_their_number() -> None:
    source = svg(heatmap("alpha beta gamma", [2, -2, 0]))
    rects = ElementTree.fromstring(source).findall(f"{SPACE}rect")
    assert [r.get("fill") for r in rects[1:]] == ["#e23a2b", "#2670e2"]
    words = {text_of(label): label for label in labels(source)}
    title = words["beta"].find(f"{SPACE}title")
    assert title is not None
    assert title.text == "beta: −2"
    assert words["beta"].get("text-decoration") == "underline"
    assert words["alpha"].get("text-decoration") is None


def test_lines_are_broken_between_words() -> None:
    text = " ".join(["word"] * 60) + "\n\n" + "x" * 300
    source = svg(heatmap(text, [0] * 61))
    lines: dict[str, float] = {}
    for label in labels(source):
        end = float(label.get("x") or 0) + float(label.get("textLength") or 0)
        lines[label.get("y") or ""] = max(lines.get(label.get("y") or "", 0), end)
    assert max(lines.values()) <= 16 + 90 * 8.43 + 0.1
    starts = {float(label.get("x") or 0) for label in labels(source) if text_of(label) == "word"}
    assert min(starts) == 16
    assert "".join(map(text_of, labels(source))).count("word") == 60
    assert "".join(map(text_of, labels(source))).count("x" * 90) == 3


def test_right_to_left_lines_begin_at_the_right() -> None:
    source = svg(heatmap("שלום עולם"))
    first, second = (label for label in labels(source) if text_of(label) in ("שלום", "עולם"))
    assert float(first.get("x") or 0) > float(second.get("x") or 0)


def places(text: str) -> dict[str, float]:
    """Return where each run of a text stands in its picture, from the left."""
    shown = heatmap(text)
    return {
        text_of(label): float(label.get("x") or 0)
        for label in labels(svg(shown))
        if text_of(label) in text
    }


def test_words_of_both_directions_in_one_line() -> None:
    at = places("שלום New York עולם 12\nand then مرحبا بالعالم again")
    assert at["12"] < at["עולם"] < at["New"] < at["York"] < at["שלום"]
    assert at["and"] < at["then"] < at["بالعالم"] < at["مرحبا"] < at["again"]


def test_a_paragraph_keeps_its_direction_where_it_is_broken() -> None:
    at = places("שלום " + "x" * 85 + " alpha עולם\nbeta")
    assert at["עולם"] < at["alpha"]
    assert at["beta"] == 16


@pytest.mark.parametrize(
    "text", ["مرحبا بالعالم، كيف حالك؟", "今天天气很好，我们去公园。", "สวัสดีชาวโลก น้ำ"]
)
def test_other_scripts_as_pictures(text: str, tmp_path: Path) -> None:
    shown = heatmap(text)
    assert "".join(map(text_of, labels(svg(shown)))).count(shown.text[:2]) > 0
    write_png(shown, tmp_path / "why.png")
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")


def test_letters_that_no_font_has_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "whyword"):
        write_png(heatmap("alpha שלום"), tmp_path / "why.png")
        assert not caplog.messages
        write_png(heatmap("alpha \U0010fffd"), tmp_path / "why.png")
    (said,) = caplog.messages
    assert said.startswith("the picture has boxes for 1 letters that no font here has (")


def test_png(tmp_path: Path) -> None:
    path = tmp_path / "why.png"
    panels = (Panel("a", "", np.zeros(3)), Panel("b", "", np.array([1.0, -1, 0])))
    write_png(Heatmap(**{**vars(heatmap("one two three")), "panels": panels}), path)
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width > 2000
    assert height > 200


def test_hostile_text_as_a_png(tmp_path: Path) -> None:
    path = tmp_path / "why.png"
    write_png(heatmap(HOSTILE + " $x^2$ $\\frac{$", title=HOSTILE), path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_text_too_long_for_a_png(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too long for a PNG"):
        write_png(heatmap("word\n" * 3000), tmp_path / "why.png")
    assert len(svg(heatmap("word " * 100_000, max_words=5))) < 100_000  # the tail is cut short


def test_without_matplotlib(tmp_path: Path, uninstall: Callable[[str], None]) -> None:
    uninstall("matplotlib")
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[figures\]'"):
        write_png(heatmap("one"), tmp_path / "why.png")
