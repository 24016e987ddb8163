"""Letters that matplotlib can draw: a font's own, and boxes in the place of others.

It warns of every letter that its font has not, and Python's filters of warnings are those of the
whole process, of all its threads; so it gets none that it would warn of.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

_BOXES = "□?"  # every font of matplotlib's has the first, one of the user's may not


class DrawnFont:
    """One font of matplotlib's, or several of which each has what those before it have not.

    Parameters
    ----------
    family : str or None
        As matplotlib has it: "monospace", "sans-serif"; None for those of its settings
        (``rcParams["font.family"]`` and so on).
    size : float
        In points.
    bold : bool
        Of a family that is named.
    """

    def __init__(self, family: str | None, size: float, bold: bool = False) -> None:
        from matplotlib.font_manager import FontProperties

        weight = None if family is None else "bold" if bold else "normal"
        self.properties: FontProperties = FontProperties(family=family, weight=weight, size=size)
        self._letters = frozenset[int]().union(*map(_letters, _files(self.properties)))
        self._box = next((box for box in _BOXES if ord(box) in self._letters), "")

    def drawable(self, text: str) -> str:
        """Return the text with a box for each letter that the font has not."""
        return "".join(letter if ord(letter) in self._letters else self._box for letter in text)


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
