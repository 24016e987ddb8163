"""What people said of suspects, read from the tables they said it in."""

from pathlib import Path

import pytest
from conftest import Write
from fuzzing import check_message
from suspected import one_suspect, some_suspects

from whyword import InputError
from whyword.audit.suspicion.marks import check_unmarked, marks_of, read_marks
from whyword.cli.word_lists import ignored_words

ROWS = [one_suspect("baalke", "ron baalke"), one_suspect("=cmd"), one_suspect("/a; .*/")]


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "suspects.csv"
    some_suspects(ROWS).to_csv(path, artefacts={0: "no", 1: "YES "})
    marks = read_marks(path)
    assert marks == {frozenset({"baalke", "ron baalke"}): "no", frozenset({"=cmd"}): "YES"}
    assert marks_of(ROWS[1:], marks) == ({0: "YES"}, ["baalke; ron baalke"])
    some_suspects(ROWS).to_csv(path, artefacts={2})
    assert marks_of(ROWS, read_marks(path)) == ({2: "yes"}, [])
    turned = [one_suspect("x"), one_suspect("ron baalke", "baalke")]
    assert marks_of(turned, marks) == ({1: "no"}, ["=cmd"])
    some_suspects(ROWS).to_csv(path, artefacts={0, 1})
    assert len(check_unmarked(path, force=True)) == 2
    with pytest.raises(InputError, match="of 2 rows; name another folder, or say force=True"):
        check_unmarked(path, force=False)


@pytest.mark.parametrize(
    "table", ["", "words,artefact\na, \n", "words\na\n", "phrase,artefact\na,x\n"]
)
def test_tables_without_marks(write: Write, table: str) -> None:
    assert check_unmarked(write("suspects.csv", table), force=False) == {}


@pytest.mark.parametrize("head", ["words,artefact", "Words, Artefact", "word,ARTEFACT"])
def test_marks_are_seen_as_ignore_reads_the_table(write: Write, head: str) -> None:
    path = write("suspects.csv", f"{head}\na,yes\nb,\n")
    assert ignored_words(str(path)) == ["a"]
    with pytest.raises(InputError, match="of 1 row; name another folder"):
        check_unmarked(path, force=False)


def test_semicolons_of_words_are_no_ends_of_entries(tmp_path: Path) -> None:
    rows = [one_suspect("dear sir ; please reply", ";", "a\\b"), one_suspect("x;y", "z")]
    path = tmp_path / "suspects.csv"
    some_suspects(rows).to_csv(path, artefacts={0})
    assert ignored_words(str(path)) == ["dear sir ; please reply", ";", "a\\b"]
    assert marks_of(rows, read_marks(path)) == ({0: "yes"}, [])


def test_no_table(tmp_path: Path) -> None:
    assert check_unmarked(tmp_path / "suspects.csv", force=False) == {}


def test_a_table_that_cannot_be_read_is_not_written_over(write: Write) -> None:
    path = write("suspects.csv", 'words,artefact\n"a,yes\n')
    for force in (False, True):
        with pytest.raises(InputError) as caught:
            check_unmarked(path, force=force)
        check_message(str(caught.value))
