"""Every format that explanations are written in; the command line offers these."""

from collections.abc import Mapping

from whyword.explanation.formats import csv, excel, html, json, parquet, png, svg, text
from whyword.explanation.formats.format import Format

FORMATS: Mapping[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (text, json, html, svg, csv, excel, parquet, png)
}
ENDINGS: Mapping[str, str] = {
    ending: name for name, made in FORMATS.items() for ending in made.endings
}
