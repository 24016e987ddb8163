"""Fonts draw what they have, and boxes for the rest."""

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from whyword.explanation.fonts import DrawnFont

NOWHERE = "\U0010fffd"  # no font has it; a machine may well have Chinese ones


def test_boxes_are_as_wide_as_the_letters() -> None:
    with rc_context({"font.family": ["DejaVu Serif"]}):
        font = DrawnFont(None, 12)
    assert font.on_grid("a本b") == "a□ b"
    assert font.drawable("a本b") == "a□b"


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("family", ["monospace", "sans-serif"])
def test_what_a_font_has_not_is_a_box(family: str, bold: bool, tmp_path: object) -> None:
    font = DrawnFont(family, 12, bold)
    assert font.drawable("abc äß € −…") == "abc äß € −…"
    assert font.drawable(f"a{NOWHERE}\n") == "a□□"
    assert font.on_grid(f"a{NOWHERE}\n") == "a□□"
    assert font.missing(f"a{NOWHERE}{NOWHERE}\n") == {NOWHERE, "\n"}
    assert not font.missing("שלום مرحبا привет")
    figure = Figure()
    figure.text(0, 0, font.drawable("a\U0001f680本 שלום"), fontproperties=font.properties)
    figure.canvas.draw()  # a warning is an error here


def test_the_fonts_of_the_users_settings() -> None:
    """The serif font has no Arabic letters, the other one has."""
    assert DrawnFont(None, 12).drawable("aش") == "aش"
    with rc_context({"font.family": ["DejaVu Serif"]}):
        assert DrawnFont(None, 12).drawable("aش") == "a□"
    with rc_context({"font.family": ["No Such Font", "DejaVu Serif", "DejaVu Sans"]}):
        font = DrawnFont(None, 12)
        assert font.properties.get_family() == ["No Such Font", "DejaVu Serif", "DejaVu Sans"]
        assert font.drawable("aش本") == "aش□"
        figure = Figure()
        figure.text(0, 0, font.drawable("aش本"), fontproperties=font.properties)
        figure.canvas.draw()  # a warning is an error here


@pytest.mark.parametrize("family", ["cmr10", "No Such Font"])
def test_fonts_without_a_box_and_fonts_that_are_not_there(family: str) -> None:
    with rc_context({"font.family": [family]}):
        font = DrawnFont(None, 12)
        shown = font.drawable("a本")
        assert shown == ("a?" if family == "cmr10" else "a□")
        figure = Figure()
        figure.text(0, 0, shown, fontproperties=font.properties)
        figure.canvas.draw()
