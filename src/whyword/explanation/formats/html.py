"""HTML: a self-contained page of heatmaps."""

from collections.abc import Iterable, Iterator

from whyword.explanation.formats.format import ExplanationLike, Format
from whyword.explanation.heatmap import page


def pages(explanations: Iterable[ExplanationLike], title: str = "whyword") -> Iterator[str]:
    """Yield the parts of one page."""
    return page((explanation.heatmap() for explanation in explanations), title)


FORMAT = Format.textual("html", (".html", ".htm"), pages)
