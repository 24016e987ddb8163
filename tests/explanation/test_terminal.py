"""Heatmaps in a terminal: coloured, or plain text."""

from dataclasses import replace

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
