"""Heatmaps in a terminal: coloured, or plain text."""

from hostile import heatmap

from whyword.explanation.terminal import terminal


def test_terminal_colours_and_plain_text() -> None:
    shown = heatmap("Alpha beta\x1b[31m, gamma!\n", [3, -2, 0.1])
    text = terminal(shown)
    assert text.plain.startswith(" for  the target,  against  it\n")
    styles = {text.plain[s.start : s.end]: str(s.style) for s in text.spans}
    assert "on rgb(" in styles["Alpha"]
    assert "bold" in styles["Alpha"]
    assert "underline" in styles["beta"]
    assert "gamma" not in styles
    few = {text.plain[s.start : s.end]: str(s.style) for s in terminal(shown, "standard").spans}
    assert few["Alpha"] == "bold bright_white on red"
    plain = terminal(shown, None)
    assert plain.plain == (
        "target  score +1\nAlpha beta␛[31m, gamma!\n"
        "for     Alpha +3  gamma +0.1\nagainst beta −2\n\n"
    )
    assert not [s for s in plain.spans if "on " in str(s.style)]
