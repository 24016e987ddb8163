"""Suspects beside the model that is served: which are listed, and the table of what was ticked."""

import csv
import io
from pathlib import Path

import pytest
from served import arrived
from suspected import one_suspect, some_suspects

from whyword import InputError
from whyword.audit.suspicion.row import reasons
from whyword.audit.suspicion.table import COLUMNS
from whyword.cli.word_lists import ignored_words
from whyword.web.suspects import SuspectList

ROWS = [
    one_suspect("moon", "=cmd", label="space"),
    one_suspect("puck", label="hockey", verdict="noise"),
    one_suspect("orbit", label="space", verdict="no evidence"),
    one_suspect("rocket", label="space"),
]
FOUND = some_suspects(ROWS, "abc")
LIST = SuspectList(FOUND, "abc")


def test_the_list_in_figures() -> None:
    assert arrived(LIST.about) == {
        "verdicts": {"suspect": 2, "noise": 1, "no evidence": 1},
        "classes": ["hockey", "space"],
        "units": 99,
        "train_documents": 60,
        "held_out_documents": 40,
        "remarks": FOUND.remarks,
        "warning": None,
    }


@pytest.mark.parametrize(
    ("of", "served", "same"),
    [("abc", "abc", True), ("abc", "abd", False), ("abc", None, False), (None, None, True)],
)
def test_those_of_another_model(of: str | None, served: str | None, same: bool) -> None:
    assert (SuspectList(some_suspects(ROWS, of), served).warning is None) == same


@pytest.mark.parametrize(
    ("label", "verdict", "numbers"),
    [
        (None, None, [0, 1, 2, 3]),
        ("space", None, [0, 2, 3]),
        (None, "noise", [1]),
        ("space", "suspect", [0, 3]),
        ("crypto", "noise", []),
    ],
)
def test_which_are_listed(label: str | None, verdict: str | None, numbers: list[int]) -> None:
    found = arrived(LIST.rows(label, verdict, 0, 30))
    assert found["found"] == len(numbers)
    assert [row["number"] for row in found["rows"]] == numbers
    assert [row["entries"] for row in found["rows"]] == [list(ROWS[n].entries) for n in numbers]
    assert all(row["reasons"] == reasons(ROWS[row["number"]], "authors") for row in found["rows"])
    parts = [LIST.rows(label, verdict, offset, 2)["rows"] for offset in (0, 2, 4)]
    assert [row for part in parts for row in arrived(part)] == found["rows"]


def test_what_is_not_there() -> None:
    with pytest.raises(InputError, match="there is no class 'spac'"):
        LIST.rows("spac", None, 0, 30)
    with pytest.raises(InputError, match="verdict may be"):
        LIST.rows(None, "guilty", 0, 30)
    for number in (-1, 4):
        with pytest.raises(InputError, match="artefacts are numbers of rows, from 0 to 3"):
            LIST.table([0, number])


def test_the_table_is_what_training_ignores(tmp_path: Path) -> None:
    text = LIST.table([3, 0, 3])["csv"]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["artefact"] for row in rows] == ["yes", "", "", "yes"]
    (tmp_path / "suspects.csv").write_text(text, newline="")
    assert ignored_words(str(tmp_path / "suspects.csv")) == ["moon", "=cmd", "rocket"]
    assert LIST.table([])["csv"] == FOUND.to_csv()
