"""Files of suspects: read as they were written, refused when damaged; marks are kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Write
from fuzzing import check_message
from suspected import one_suspect, some_suspects

from whyword import InputError
from whyword.audit.suspicion import stored
from whyword.audit.suspicion.marks import check_unmarked, marks_of, read_marks
from whyword.audit.suspicion.row import Turned
from whyword.audit.suspicion.stored import read_suspects
from whyword.audit.suspicion.word_table import WordRow, read_word_table
from whyword.cli.word_lists import ignored_words

# ---- suspects.json ------------------------------------------------------------------------------

WRITTEN = some_suspects(
    [
        one_suspect("moon", "ron baalke", r"/.+\.gov/", train_turned=Turned(1, 2, 3)),
        one_suspect("puck", label="hockey", verdict="noise", held_out_turned=None, habit=0.0),
        one_suspect("key", label="crypto", drift=0.5, q_odds=0.02, p_odds=0.001, groups=None),
    ],
    "abc",
)


def written(tmp_path: Path, change: Any = None) -> Path:  # noqa: ANN401 - a function, or bytes
    """Return the folder with the file, its content changed."""
    data = json.loads(WRITTEN.to_json())
    if callable(change):
        change(data)
    content = change if isinstance(change, bytes) else json.dumps(data).encode()
    (tmp_path / "suspects.json").write_bytes(content)
    return tmp_path


def changed(name: str, value: object, row: int | None = 0) -> Any:  # noqa: ANN401 - a function
    def change(data: Any) -> None:  # noqa: ANN401 - JSON
        (data if row is None else data["rows"][row])[name] = value

    return change


def test_suspects_are_read_as_they_were_written(tmp_path: Path) -> None:
    folder = written(tmp_path)
    for path in (folder, folder / "suspects.json", str(folder)):
        found = read_suspects(path)
        assert found.rows == WRITTEN.rows
        assert (found.classes, found.remarks) == (WRITTEN.classes, WRITTEN.remarks)
        assert (found.n_units, found.n_train, found.n_held_out) == (99, 60, 40)
        assert (found.accuracy, found.settings["model"], found.seconds) == (0.75, "abc", {})
        assert found.to_csv() == WRITTEN.to_csv()
    halves = changed("entries", ["\ud800moon", "\x00"])
    read_suspects(written(tmp_path, halves)).to_csv().encode()
    numbered = written(tmp_path, changed("label", 2**53 - 1))
    with pytest.raises(InputError, match="row 0: 9007199254740991 is none of the classes"):
        read_suspects(numbered)


FIELDS = [name for name in json.loads(WRITTEN.to_json())["rows"][0] if name != "reasons"]


@pytest.mark.parametrize("name", FIELDS)
def test_any_field_of_a_row_may_be_wrong(tmp_path: Path, name: str) -> None:
    texts = [] if name in ("kind", "form") else ["x"]
    for value in [True, {}, [None], {"a": 1}, 10**30, -(10**400), *texts]:
        with pytest.raises(InputError) as caught:
            read_suspects(written(tmp_path, changed(name, value)))
        assert "suspects.json is no list of suspects: row 0: " in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "row", "said"),
    [
        ("entries", [], 0, "row 0: it names no word"),
        ("entries", ["moon", " "], 0, "row 0: it names no word"),
        ("verdict", "guilty", 0, "row 0: 'verdict' is 'guilty'"),
        ("train", -1, 0, "row 0: 'train' is no count"),
        ("train", 2**53, 0, "row 0: 'train' is no count"),
        ("score", None, 0, "row 0: 'score' is no number"),
        ("score", 2**53, 0, "row 0: 'score' is beyond all numbers"),
        ("label", 2**53, 0, "row 0: 'label' is no label"),
        ("q_groups", None, 0, "row 0: it has a suspicion without its test"),
        ("q_odds", None, 2, "row 2: it has a suspicion without its test"),
        ("rows", {}, None, "'rows' is no list"),
        ("rows", [[]], None, "row 0: it is no object"),
        ("classes", ["space"], None, "row 1: 'hockey' is none of the classes"),
        ("classes", [[]], None, "a class is no label"),
        ("units", -1, None, "'units' is no count"),
        ("accuracy", "high", None, "'accuracy' is no number"),
        ("remarks", [1], None, "a remark is no text"),
        ("settings", None, None, "'settings' is no object"),
        ("settings", {"model": 5}, None, "'model' is no text"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, name: str, value: object, row: int | None, said: str
) -> None:
    with pytest.raises(InputError, match=f"is no list of suspects: {said}"):
        read_suspects(written(tmp_path, changed(name, value, row)))


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"\xff", b"[" * 99_999, b'{"rows": NaN}'])
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"suspects\.json is (damaged|no list of suspects): "):
        read_suspects(written(tmp_path, content))


def test_files_that_are_missing_or_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / ("x" * 5_000)):
        with pytest.raises(InputError, match="`whyword suspects MODEL CORPUS --out FOLDER` writes"):
            read_suspects(place)
    monkeypatch.setattr(stored, "_MOST_BYTES", 1 << 10)
    with pytest.raises(InputError, match="more than 0 MB: these are no suspects"):
        read_suspects(written(tmp_path))


# ---- marks in the table -------------------------------------------------------------------------

ROWS = [one_suspect("baalke", "ron baalke"), one_suspect("=cmd"), one_suspect("/a; .*/")]


def test_marks_are_kept_when_the_table_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "suspects.csv"
    assert check_unmarked(path, force=False) == {}
    some_suspects(ROWS).to_csv(path, artefacts={0: "no", 1: "YES "})
    marks = read_marks(path)
    assert marks == {frozenset({"baalke", "ron baalke"}): "no", frozenset({"=cmd"}): "YES"}
    assert marks_of(ROWS[1:], marks) == ({0: "YES"}, ["baalke; ron baalke"])
    turned = [one_suspect("x"), one_suspect("ron baalke", "baalke")]
    assert marks_of(turned, marks) == ({1: "no"}, ["=cmd"])
    assert len(check_unmarked(path, force=True)) == 2
    with pytest.raises(InputError, match="of 2 rows; name another folder, or say force=True"):
        check_unmarked(path, force=False)
    some_suspects(ROWS).to_csv(path, artefacts={2})
    assert marks_of(ROWS, read_marks(path)) == ({2: "yes"}, [])


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


def test_tables_without_marks_and_damaged_ones(write: Write) -> None:
    for table in ("", "words,artefact\na, \n", "words\na\n", "phrase,artefact\na,x\n"):
        assert check_unmarked(write("suspects.csv", table), force=False) == {}
    path = write("suspects.csv", 'words,artefact\n"a,yes\n')
    for force in (False, True):
        with pytest.raises(InputError) as caught:
            check_unmarked(path, force=force)
        check_message(str(caught.value))


@pytest.mark.parametrize(
    ("table", "rows", "has_marks"),
    [
        ("words,artefact\na; b c,yes\nd,\n", [(("a", "b c"), "yes"), (("d",), "")], True),
        ("Word , n\na; b,3\n", [(("a; b",), "")], False),  # a column of single words
        ("words,word\n,x\ny; z,q\n", [(("x",), ""), (("y", "z"), "")], False),
        ("words\nx \\; y; z\n", [(("x ; y", "z"), "")], False),
        ("words\n'=cmd\n", [(("=cmd",), "")], False),  # as a spreadsheet must not compute it
        ("word,artefact\n", [], True),
        ("phrase,artefact\na,yes\n", None, True),
    ],
)
def test_word_tables(write: Write, table: str, rows: Any, has_marks: bool) -> None:  # noqa: ANN401
    found = read_word_table(write("words.csv", table))
    assert found.rows == (None if rows is None else [WordRow(*row) for row in rows])
    assert found.has_marks == has_marks
