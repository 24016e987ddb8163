"""All suspects as one value."""

import csv
import json
from pathlib import Path

import pytest
from planted import planted_corpus, planted_svm

from whyword import InputError
from whyword.audit.suspicion.search import suspects
from whyword.audit.suspicion.table import COLUMNS, Suspects


@pytest.fixture(scope="module")
def found() -> Suspects:
    return suspects(planted_svm(), planted_corpus())


def test_it_is_a_sequence_that_says_what_it_is(found: Suspects) -> None:
    assert len(found) == len(list(found)) == len(found.rows)
    assert found[0] is found.rows[0]
    assert found[:2] == found.rows[:2]
    assert "zorvex" in repr(found)
    assert {one.verdict for one in found.suspects} == {"suspect"}
    assert found.noise == []
    assert "zorvex" in found.entries()
    assert {one.label for one in found.of_class("space")} == {"space"}
    with pytest.raises(InputError, match="no class 'cricket'"):
        found.of_class("cricket")


def test_a_table_to_tick(found: Suspects, tmp_path: Path) -> None:
    found.to_csv(tmp_path / "suspects.csv")
    with (tmp_path / "suspects.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["words"] for row in rows] == [one.name for one in found]
    assert {row["artefact"] for row in rows} == {""}
    frame = found.to_frame()
    assert list(frame["words"]) == [one.name for one in found]
    assert "artefact" not in frame


def test_plain_data(found: Suspects, tmp_path: Path) -> None:
    found.to_json(tmp_path / "suspects.json")
    data = json.loads((tmp_path / "suspects.json").read_text(encoding="utf-8"))
    assert [row["entries"] for row in data["rows"]] == [list(one.entries) for one in found]
    assert data["settings"]["groups"] == "author"
    said = " ".join(why for row in data["rows"] for why in row["reasons"])
    assert "of 1 author, where" in said  # as everywhere else, not of a group
    assert set(data["seconds"]) == {"relevance", "evidence", "deletion", "examples"}
