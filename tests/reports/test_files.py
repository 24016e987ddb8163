"""The reproduction as a folder."""

import csv
import json
from pathlib import Path

import pytest

from whyword.reports import paper
from whyword.reports.files import write_reproduction
from whyword.reports.reproduction import Reproduction


@pytest.mark.real
def test_every_table_and_figure_is_a_file(tiny: Reproduction, tmp_path: Path) -> None:
    written = write_reproduction(tiny, tmp_path / "report")
    assert written[0] == tmp_path / "report" / "index.html"
    assert all(path.stat().st_size > 0 for path in written)
    names = {path.relative_to(tmp_path / "report").as_posix() for path in written}
    for figure in ("deletion", "neighbours", "planes", "words-cnn2", "heatmap-cnn2", "heatmap-svm"):
        assert f"figures/{figure}.svg" in names
    results = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))
    assert len(results["claims"]) == len(tiny.claims)
    with (tmp_path / "report" / "tables" / "explanatory_power.csv").open() as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows[1:]] == [row.name for row in paper.POWERS]
    page = written[0].read_text(encoding="utf-8")
    assert "This is the quick version" in page
    held = sum(claim.holds for claim in tiny.claims)
    assert f'{held} of <a href="#statements">{len(tiny.claims)} statements</a> hold' in page
