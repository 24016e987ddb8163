"""CSV: a row for each word, for spreadsheets; an explanation cannot be read from it again."""

from collections.abc import Iterable, Iterator

from whyword.base.csv import csv_lines
from whyword.explanation.formats.format import ExplanationLike, Format
from whyword.explanation.formats.word_rows import word_rows


def lines(explanations: Iterable[ExplanationLike]) -> Iterator[str]:
    """Yield the lines of a table with a row for each word, the headings first."""
    return csv_lines(word_rows(explanations))


FORMAT = Format.textual("csv", (".csv",), lines)
