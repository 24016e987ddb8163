"""SVG: a picture of one heatmap."""

from collections.abc import Iterable, Iterator

from whyword.explanation.formats.format import ExplanationLike, Format, only
from whyword.explanation.picture import svg


def picture(explanations: Iterable[ExplanationLike]) -> Iterator[str]:
    """Yield the picture of the only explanation."""
    return iter([svg(only(explanations).heatmap())])


FORMAT = Format.textual("svg", (".svg",), picture)
