"""Letters that matplotlib can draw: a font's own, and boxes in the place of others.

It warns of every letter that its font has not, and Python's filters of warnings are those of the
whole process, of all its threads; so it gets none that it would warn of.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

_BOXES = "□?"  # every font of matplotlib's has the first, one of the user's may not
# What is tried, where it is there, for scripts that the font itself has not; the first is
# matplotlib's own and has Hebrew, the others are those of Linux, macOS and Windows.
_FALLBACKS = (
    *("DejaVu Sans", "Noto Sans Mono CJK SC", "Noto Sans CJK SC", "Noto Sans CJK JP"),
    *("WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "PingFang SC"),
    *("Hiragino Sans", "Microsoft YaHei", "SimSun", "Yu Gothic", "Malgun Gothic", "Nirmala UI"),
    *("Leelawadee UI", "Arial Unicode MS", "Noto Sans Thai", "Noto Sans Devanagari"),
)


class DrawnFont:
    """One font of matplotlib's, or several of which each has what those before it have not.

    Parameters
    ----------
    family : str or None
        As matplotlib has it: "monospace", "sans-serif", with others for scripts that it has not;
        None for those of matplotlib's settings (``rcParams["font.family"]`` and so on).
    size : float
        In points.
    bold : bool
        Of a family that is named.
    """

    def __init__(self, family: str | None, size: float, bold: bool = False) -> None:
        from matplotlib.font_manager import FontProperties

        weight = None if family is None else "bold" if bold else "normal"
        families = None if family is None else [family, *_present(_FALLBACKS)]
        self.properties: FontProperties = FontProperties(family=families, weight=weight, size=size)
        self._letters = frozenset[int]().union(*map(_letters, _files(self.properties)))
        self._box = next((box for box in _BOXES if ord(box) in self._letters), "")

    def drawable(self, text: str) -> str:
        """Return the text with a box for each letter that the font has not."""
        return "".join(letter if ord(letter) in self._letters else self._box for letter in text)

    def on_grid(self, text: str) -> str:
        """Return the same with boxes that take as many columns as the letters in their place."""
        missing = self.missing(text)
        return "".join(
            f"{self._box:{cell_len(letter)}}" if letter in missing else letter for letter in text
        )

    def missing(self, text: str) -> set[str]:
        """Return the letters of a text that the font has not."""
        return {letter for letter in text if ord(letter) not in self._letters}


def _present(names: Iterable[str]) -> list[str]:
    """Return those fonts that are there: of others matplotlib would complain."""
    from matplotlib.font_manager import fontManager

    there = set(fontManager.get_font_names())
    return [name for name in names if name in there]


def _files(font: "FontProperties") -> list[str]:
    """Return where the fonts are that matplotlib draws with: the best of each family, if any."""
    from matplotlib.font_manager import findfont

    found: list[str] = []
    for family in font.get_family():
        one = font.copy()
        one.set_family(family)
        try:
            found.append(findfont(one, fallback_to_default=False))
        except ValueError:  # there is none of this name
            continue
    return found or [findfont(font)]


@lru_cache(maxsize=16)
def _letters(path: str) -> frozenset[int]:
    """Return the code points that a font has."""
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
