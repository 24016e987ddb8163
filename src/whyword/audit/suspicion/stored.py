"""Suspects that were written as JSON, read again; the file may come from a stranger."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyword.audit.suspicion.row import Suspect, Turned
from whyword.audit.suspicion.table import Suspects
from whyword.audit.suspicion.weighing import VERDICTS
from whyword.base.checks import existing_file, exists, expand_path, file_name
from whyword.base.errors import InputError
from whyword.base.json import parse_json
from whyword.base.labels import Label
from whyword.base.printable import shown, storable

FILE = "suspects.json"
TABLE_FILE = "suspects.csv"  # beside it, in the folder of the command
_MOST_BYTES = 256 << 20  # twenty times what those of 20 Newsgroups take
_LARGEST = 2**53  # beyond it, JSON's numbers are not whole

_COUNTS = ("n_documents", "train", "train_class", "held_out", "held_out_class", "grouped")
_NUMBERS = ("score", "suspicion", "habit", "drift", "unusual", "relevance")
_PERHAPS = ("groups", "groups_expected", "p_groups", "q_groups", "p_odds", "q_odds")
_TURNED = ("train_turned", "held_out_turned")


def read_suspects(path: str | Path) -> Suspects:
    """Return what :meth:`Suspects.to_json` wrote; raise in one line if it is anything else.

    Parameters
    ----------
    path : str or Path
        Of the file, or of the folder that ``whyword suspects --out`` made.
    """
    place = expand_path(path)
    file = place / FILE if exists(place) and place.is_dir() else place
    if not exists(file):
        raise InputError(
            f"{file_name(file)}: no such file; `whyword suspects MODEL CORPUS --out FOLDER` writes "
            "it, run that first"
        )
    existing_file(file)
    name = file_name(file)
    if file.stat().st_size > _MOST_BYTES:
        raise InputError(f"{name} has more than {_MOST_BYTES >> 20} MB: these are no suspects")
    content = parse_json(file.read_bytes(), name)
    try:
        return _suspects(content)
    except _DamagedError as error:
        raise InputError(f"{name} is no list of suspects: {error}") from None


class _DamagedError(Exception):
    """What is wrong with the file."""


def _suspects(content: object) -> Suspects:
    data = _object(content, "it")
    classes = tuple(_label(one, "a class") for one in _list(data, "classes"))
    rows = []
    for number, row in enumerate(_list(data, "rows")):
        try:
            rows.append(_row(_object(row, "it"), classes))
        except _DamagedError as error:
            raise _DamagedError(f"row {number}: {error}") from None
    settings = _object(data.get("settings"), "'settings'")
    return Suspects(
        rows=rows,
        classes=classes,
        n_units=_count(data, "units"),
        n_train=_count(data, "train_documents"),
        n_held_out=_count(data, "held_out_documents"),
        accuracy=None if data.get("accuracy") is None else _number(data, "accuracy"),
        remarks=[_text(one, "a remark") for one in _list(data, "remarks")],
        settings={
            key: _text(settings[key], repr(key))
            for key in ("source", "model", "method", "groups")
            if settings.get(key) is not None
        },
        seconds={},
    )


def _row(data: Mapping[str, Any], classes: tuple[Label, ...]) -> Suspect:
    verdict, label = data.get("verdict"), _label(data.get("label"), "'label'")
    if verdict not in VERDICTS:
        raise _DamagedError(f"'verdict' is {shown(verdict)}")
    if label not in classes:
        raise _DamagedError(f"{shown(label)} is none of the classes")
    entries = tuple(_text(one, "an entry") for one in _list(data, "entries"))
    if not all(entry.strip() for entry in entries) or not entries:
        raise _DamagedError("it names no word")
    figures: dict[str, Any] = {name: _number(data, name) for name in _NUMBERS}
    figures |= {name: _count(data, name) for name in _COUNTS}
    figures |= {name: None if data.get(name) is None else _number(data, name) for name in _PERHAPS}
    figures |= {name: _turned(data.get(name), name) for name in _TURNED}
    row = Suspect(
        entries=entries,
        kind=_text(data.get("kind"), "'kind'"),
        form=_text(data.get("form"), "'form'"),
        label=label,
        verdict=verdict,
        examples=tuple(_whole(one, "an example") for one in _list(data, "examples")),
        **figures,
    )
    has_groups = row.groups is None or row.groups_expected is None or row.q_groups is not None
    if (row.habit > 0 and not has_groups) or (row.drift > 0 and row.q_odds is None):
        raise _DamagedError("it has a suspicion without its test")
    return row


def _turned(value: object, name: str) -> Turned | None:
    if value is None:
        return None
    data = _object(value, repr(name))
    return Turned(*(_count(data, one) for one in ("right_to_wrong", "wrong_to_right", "other")))


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _DamagedError(f"{name} is no object")
    return value


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    if not isinstance(value, list):
        raise _DamagedError(f"{name!r} is no list")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise _DamagedError(f"{name} is no text")
    return storable(value)


def _label(value: object, name: str) -> Label:
    if isinstance(value, str):
        return storable(value)
    if not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise _DamagedError(f"{name} is no label")
    return value


def _count(data: Mapping[str, Any], name: str) -> int:
    return _whole(data.get(name), repr(name))


def _whole(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LARGEST:
        raise _DamagedError(f"{name} is no count")
    return value


def _number(data: Mapping[str, Any], name: str) -> float:
    value = data.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _DamagedError(f"{name!r} is no number")
    if not abs(value) < _LARGEST:  # infinity is not, either
        raise _DamagedError(f"{name!r} is beyond all numbers")
    return float(value)
