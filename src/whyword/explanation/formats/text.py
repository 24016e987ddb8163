"""Plain text: the document and the strongest words."""

from collections.abc import Iterable, Iterator

from whyword.explanation.formats.format import ExplanationLike, Format
from whyword.explanation.heatmap import Heatmap
from whyword.explanation.terminal import terminal


def encode(heatmap: Heatmap) -> str:
    """Return a heatmap without colours."""
    return terminal(heatmap, None).plain


def texts(explanations: Iterable[ExplanationLike]) -> Iterator[str]:
    """Yield each explanation without colours."""
    return (encode(explanation.heatmap()) for explanation in explanations)


FORMAT = Format.textual("text", (".txt",), texts)
