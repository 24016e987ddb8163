"""Fonts draw what they have, and boxes for the rest."""

import pytest
from matplotlib.figure import Figure

from whyword.explanation.fonts import DrawnFont


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("family", ["monospace", "sans-serif"])
def test_what_a_font_has_not_is_a_box(family: str, bold: bool, tmp_path: object) -> None:
    font = DrawnFont(family, 12, bold)
    assert font.drawable("abc äß € −…") == "abc äß € −…"
    assert font.drawable("a\U0001f680本\n") == "a□□□"
    figure = Figure()
    figure.text(0, 0, font.drawable("a\U0001f680本 שלום"), fontproperties=font.properties)
    figure.canvas.draw()  # a warning is an error here
