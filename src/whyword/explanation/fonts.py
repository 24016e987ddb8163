"""Letters that matplotlib can draw: a font's own, and boxes in the place of others.

It warns of every letter that its font has not, and Python's filters of warnings are those of the
whole process, of all its threads; so it gets none that it would warn of.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

_BOX = "□"  # which every font of matplotlib's has


class DrawnFont:
    """One font of matplotlib's.

    Parameters
    ----------
    family : str
        As matplotlib has it: "monospace", "sans-serif".
    size : float
        In points.
    bold : bool
    """

    def __init__(self, family: str, size: float, bold: bool = False) -> None:
        from matplotlib.font_manager import FontProperties, findfont

        weight = "bold" if bold else "normal"
        path = findfont(FontProperties(family=family, weight=weight))
        self.properties: FontProperties = FontProperties(fname=path, size=size)
        self._letters = _letters(path)

    def drawable(self, text: str) -> str:
        """Return the text with a box for each letter that the font has not."""
        return "".join(letter if ord(letter) in self._letters else _BOX for letter in text)


@lru_cache(maxsize=4)
def _letters(path: str) -> frozenset[int]:
    """Return the code points that a font has."""
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
