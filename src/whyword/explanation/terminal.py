"""Words in the colours of their relevance in a terminal, or as plain text."""

from collections.abc import Callable, Sequence

from rich.text import Text

from whyword.base.printable import one_line, visible
from whyword.explanation.heatmap import (
    AGAINST,
    FAINTEST,
    FOR,
    LEVELS,
    LISTED,
    Heatmap,
    Kind,
    number,
    quoted,
)

_WHITE_SHARE = 0.15  # of the strongest colour, under black text
_STRONG = LEVELS // 2  # level from which letters are bold, colours or not


def terminal(heatmap: Heatmap, colours: str | None = "truecolor") -> Text:
    """Return the heatmap for a terminal.

    Parameters
    ----------
    heatmap : Heatmap
    colours : {"truecolor", "256", "standard", "windows", None}
        What the terminal can show, in rich's words; with None the text alone is left.
    """
    shade = _few_colours if colours in ("standard", "windows") else _many_colours
    result = Text(end="")
    if heatmap.title:
        result.append(one_line(heatmap.title) + "\n", "bold")
    for remark in heatmap.remarks:
        result.append(one_line(remark) + "\n", "bold yellow")
    if colours:
        result.append(_key(heatmap, shade))
    pieces = list(heatmap.pieces())
    for place, panel in enumerate(heatmap.panels):
        result.append(one_line(panel.title), "bold")
        result.append(f"  {one_line(panel.note)}\n", "dim")
        if colours or place == 0:  # without colours the text looks the same in every panel
            levels = heatmap.levels(panel).tolist()
            for piece in pieces:
                style = _STYLES.get(piece.kind, "")
                level = levels[piece.word] if piece.word >= 0 else 0
                result.append(visible(piece.text), (colours and shade(level)) or style)
            result.append("" if heatmap.text.endswith("\n") else "\n")
            if heatmap.unread_words:
                result.append(f"({_not_read(heatmap)})\n", "dim")
        for name, sign in (("for", 1), ("against", -1)):
            words = [(word, value) for word, value in panel.strongest if value * sign > 0]
            if words:
                result.append(f"{name:8}", "bold").append(f"{_listed(words, 'word')}\n")
        if panel.phrases:
            result.append("phrases ", "bold").append(_listed(panel.phrases, "phrase") + "\n")
        result.append("\n")
    return result


def _listed(words: Sequence[tuple[str, float]], what: str) -> str:
    """Return the first words or phrases with their relevance, and the sum of the others."""
    listed = [f"{quoted(word)} {number(value)}" for word, value in words[:LISTED]]
    rest = [value for _, value in words[LISTED:]]
    if rest:  # else what is shown would not add up
        listed.append(f"… {len(rest):,} more {what}{'s' * (len(rest) > 1)} {number(sum(rest))}")
    return "  ".join(listed)


_STYLES = {Kind.UNKNOWN: "dim", Kind.BEYOND: "dim italic", Kind.UNREAD: "dim italic"}


def _not_read(heatmap: Heatmap) -> str:
    """Return how many words were not read, and which."""
    count = f"{heatmap.unread_words:,} word{'' if heatmap.unread_words == 1 else 's'}"
    if heatmap.truncated == heatmap.unread_words:
        return f"the last {count} were not read"
    return f"{count} were not read: dim"


def _key(heatmap: Heatmap, shade: Callable[[int], str]) -> Text:
    """Return what the colours mean."""
    key = Text.assemble(
        *((" for ", shade(LEVELS)), " the target, ", (" against ", shade(-LEVELS)), " it"),
        style="",
    )
    if not heatmap.known.all():
        key.append(", ").append("unknown to the model", "dim")
    return key.append("\n")


def _many_colours(level: int) -> str:
    """Return a style: the colour mixed with white, under black letters; none for weak words."""
    if abs(level) < FAINTEST:
        return ""
    share = (1 - _WHITE_SHARE) * abs(level) / LEVELS
    colour = FOR if level > 0 else AGAINST
    mixed = ",".join(str(round(255 - share * (255 - channel))) for channel in colour)
    style = f"#000000 on rgb({mixed})" if level > 0 else f"underline #000000 on rgb({mixed})"
    return f"bold {style}" if abs(level) >= _STRONG else style


def _few_colours(level: int) -> str:
    """Return a style of the sixteen colours: coloured letters, or a coloured ground if strong."""
    if abs(level) < FAINTEST:
        return ""
    name = "red" if level > 0 else "blue"
    style = f"bold bright_white on {name}" if abs(level) >= _STRONG else name
    return style if level > 0 else f"underline {style}"
