"""Suspects read again: as they were written, and never anything else."""

import json
from pathlib import Path
from typing import Any

import pytest
from suspected import one_suspect, some_suspects

from whyword import InputError
from whyword.audit.suspicion import stored
from whyword.audit.suspicion.stored import read_suspects

WRITTEN = some_suspects(
    [
        one_suspect("moon", "ron baalke", r"/.+\.gov/"),
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


def test_they_are_as_they_were_written(tmp_path: Path) -> None:
    folder = written(tmp_path)
    for path in (folder, folder / "suspects.json", str(folder)):
        found = read_suspects(path)
        assert found.rows == WRITTEN.rows
        assert (found.classes, found.remarks) == (WRITTEN.classes, WRITTEN.remarks)
        assert (found.n_units, found.n_train, found.n_held_out) == (99, 60, 40)
        assert (found.accuracy, found.groups, found.settings["model"]) == (0.75, "authors", "abc")
        assert found.to_csv() == WRITTEN.to_csv()


def changed(name: str, value: object, row: int | None = 0) -> Any:  # noqa: ANN401 - a function
    def change(data: Any) -> None:  # noqa: ANN401 - JSON
        (data if row is None else data["rows"][row])[name] = value

    return change


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
    ("name", "value", "said"),
    [
        ("entries", [], "it names no word"),
        ("entries", ["moon", " "], "it names no word"),
        ("verdict", "guilty", "'verdict' is 'guilty'"),
        ("train", -1, "'train' is no count"),
        ("train", 1.5, "'train' is no count"),
        ("score", None, "'score' is no number"),
        ("score", 10**30, "'score' is beyond all numbers"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, name: str, value: object, said: str) -> None:
    with pytest.raises(InputError, match=f"row 0: {said}"):
        read_suspects(written(tmp_path, changed(name, value)))
    text = (tmp_path / "suspects.json").read_text().replace("0.75", "1e999")
    with pytest.raises(InputError):
        read_suspects(written(tmp_path, text.encode()))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("rows", {}, "'rows' is no list"),
        ("rows", [[]], "row 0: it is no object"),
        ("classes", "abc", "'classes' is no list"),
        ("classes", ["space"], "row 1: 'hockey' is none of the classes"),
        ("classes", [[]], "a class is no label"),
        ("units", -1, "'units' is no count"),
        ("accuracy", "high", "'accuracy' is no number"),
        ("remarks", [1], "a remark is no text"),
        ("settings", None, "'settings' is no object"),
        ("settings", {"model": 5}, "'model' is no text"),
    ],
)
def test_what_is_around_the_rows_may_be_wrong(
    tmp_path: Path, name: str, value: object, said: str
) -> None:
    with pytest.raises(InputError, match=f"is no list of suspects: {said}"):
        read_suspects(written(tmp_path, changed(name, value, None)))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 99_999, b"9" * 9_999, b'{"rows": NaN}']
)
def test_what_is_no_such_file(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"suspects\.json is (damaged|no list of suspects): "):
        read_suspects(written(tmp_path, content))


def test_files_that_are_not_there_or_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / ("x" * 5_000)):
        with pytest.raises(InputError, match="`whyword suspects MODEL CORPUS --out FOLDER` writes"):
            read_suspects(place)
    monkeypatch.setattr(stored, "_MOST_BYTES", 1 << 10)
    with pytest.raises(InputError, match="more than 0 MB: these are no suspects"):
        read_suspects(written(tmp_path))


def test_halves_of_characters_can_be_sent(tmp_path: Path) -> None:
    found = read_suspects(written(tmp_path, changed("entries", ["\ud800moon", "\x00"])))
    assert "\ud800" not in found[0].name
    found.to_csv().encode()


def test_a_suspicion_needs_its_test(tmp_path: Path) -> None:
    for name, row in (("q_groups", 0), ("q_odds", 2)):
        with pytest.raises(InputError, match=f"row {row}: it has a suspicion without its test"):
            read_suspects(written(tmp_path, changed(name, None, row)))
