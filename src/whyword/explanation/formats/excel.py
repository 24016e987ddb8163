"""Excel: a row for each word; an explanation cannot be read from it again."""

from collections.abc import Iterable
from pathlib import Path

from whyword.base.excel import write_excel
from whyword.explanation.formats.format import ExplanationLike, Format
from whyword.explanation.formats.word_rows import word_rows


def write(explanations: Iterable[ExplanationLike], path: Path) -> None:
    """Write a workbook of one sheet, a row for each word, the headings first."""
    write_excel(path, word_rows(explanations))


FORMAT = Format("excel", (".xlsx",), write)
