"""PNG: a picture of one heatmap."""

from collections.abc import Iterable
from pathlib import Path

from whyword.explanation.formats.format import ExplanationLike, Format, only
from whyword.explanation.picture import write_png


def write(explanations: Iterable[ExplanationLike], path: Path) -> None:
    """Write the picture of the only explanation."""
    write_png(only(explanations).heatmap(), path)


FORMAT = Format("png", (".png",), write)
