"""Where documents come from: a folder, a table, 20 Newsgroups; streamed one by one."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from whyword.errors import InputError
from whyword.newsgroups import COLUMNS, GROUPS, newsgroups_table
from whyword.posts import check_parts, clean_post
from whyword.tables import Table, open_table, text_lines

NEWSGROUPS = "20newsgroups"
SPLITS = ("train", "test")

_NAMES = {
    "text": "text body content document message review sentence comment post article tweet",
    "label": "label class category target topic sentiment newsgroup y",
    "id": "id doc_id document_id uid filename",
    "split": "split",
}


class Record(NamedTuple):
    """One document as it is read; `split` is "train", "test" or None where there is none."""

    id: str
    text: str
    label: str | None
    split: str | None


Records: TypeAlias = Callable[[], Iterator[Record]]


@dataclass(frozen=True)
class Source:
    """Documents that can be iterated over, again and again, without holding them.

    Attributes
    ----------
    name : str
        Without ``:train`` or ``:test``.
    part : str or None
        The part that was asked for.
    notes : tuple of str
        What was guessed: columns, encoding.
    """

    name: str
    part: str | None
    notes: tuple[str, ...]
    records: Records

    def __iter__(self) -> Iterator[Record]:
        return self.records()


class Columns(NamedTuple):
    """The columns of a table that hold the parts of a document."""

    text: str
    label: str | None
    id: str | None
    split: str | None


def open_source(
    source: str | Path,
    *,
    text: str | None = None,
    label: str | None = None,
    labelled: bool = True,
    remove: Collection[str] | None = None,
    encoding: str | None = None,
) -> Source:
    """Open a source of documents for streaming.

    Parameters
    ----------
    source : str or Path
        ``"20newsgroups"``; a folder with one sub-folder per class (or with ``train`` and ``test``
        folders of such); a CSV, TSV, JSON Lines (each also ``.gz``) or Parquet file.
    text, label : str, optional
        The columns; guessed by their names when there is one sensible choice.
    labelled : bool
        False if documents may come without labels.
    remove : collection of {"headers", "quotes", "footers"}, optional
        Parts of newsgroup posts or mails to cut; headers by default for newsgroups.
    encoding : str, optional
        Of text files; UTF-8 by default (newsgroups: Latin-1).
    """
    name, part = _name_and_part(source)
    check_parts(remove or ())
    path = Path(name).expanduser()
    notes: list[str] = []
    if name == NEWSGROUPS or (path.is_dir() and _holds_newsgroups(path)):
        remove = ("headers",) if remove is None else remove
        encoding = encoding or "latin-1"
        notes.append(f"newsgroup posts; removed: {', '.join(remove) or 'nothing'}")
    if name == NEWSGROUPS:
        records = _of_table(open_table(newsgroups_table()), Columns(*COLUMNS))
    elif path.is_dir():
        records = _of_folder(path, encoding or "utf-8")
    else:
        table = open_table(path, encoding or "utf-8")
        columns = _choose_columns(table, text, label, labelled)
        notes += _choices(columns, text, label)
        records = _of_table(table, columns)
    return Source(name, part, tuple(notes), _cleaned(records, remove) if remove else records)


def _name_and_part(source: str | Path) -> tuple[str, str | None]:
    name, colon, part = str(source).rpartition(":")
    if colon and part in SPLITS and not Path(source).exists():
        return name, part
    return str(source), None


def _cleaned(records: Records, remove: Collection[str]) -> Records:
    return lambda: (record._replace(text=clean_post(record.text, remove)) for record in records())


# ---- folders ------------------------------------------------------------------------------


def _of_folder(path: Path, encoding: str) -> Records:
    splits = _split_folders(path) or {None: path}
    if not any(_subfolders(folder) for folder in splits.values()):
        raise InputError(f"{path} has no sub-folders; expected one per class, with a file per text")

    def records() -> Iterator[Record]:
        for split, folder in splits.items():
            for class_folder in _subfolders(folder):
                files = (f for f in class_folder.rglob("*") if f.is_file() and f.name[0] != ".")
                for file in sorted(files):
                    text = "".join(text_lines(file, encoding))
                    identity = file.relative_to(folder).as_posix()
                    yield Record(identity, text, class_folder.name, split)

    return records


def _split_folders(path: Path) -> dict[str | None, Path] | None:
    """Return the folders ``train`` and ``test`` (or ``…-train``, ``…-test``), if that is all."""
    folders = {folder.name.rpartition("-")[2]: folder for folder in _subfolders(path)}
    return {split: folders[split] for split in SPLITS} if set(folders) == set(SPLITS) else None


def _subfolders(path: Path) -> list[Path]:
    return sorted(entry for entry in path.iterdir() if entry.is_dir() and entry.name[0] != ".")


def _holds_newsgroups(path: Path) -> bool:
    folder = (_split_folders(path) or {"train": path})["train"]
    return {entry.name for entry in _subfolders(folder)} == GROUPS


# ---- tables -------------------------------------------------------------------------------


def _of_table(table: Table, columns: Columns) -> Records:
    wanted = [name for name in columns if name is not None]
    at = {role: wanted.index(name) for role, name in columns._asdict().items() if name is not None}

    def records() -> Iterator[Record]:
        for number, (place, values) in enumerate(table.rows(wanted), 1):
            text = values[at["text"]]
            if not isinstance(text, str):
                raise InputError(f"{place}: {columns.text!r} is {_kind(text)}, not text")
            yield Record(
                id=str(values[at["id"]]) if "id" in at else str(number),
                text=text,
                label=_label(values[at["label"]], place, columns) if "label" in at else None,
                split=_split(values[at["split"]], place) if "split" in at else None,
            )

    return records


def _label(value: object, place: str, columns: Columns) -> str:
    if isinstance(value, str | int | float) and str(value).strip() and value == value:  # not NaN
        return str(value)
    raise InputError(f"{place}: {columns.label!r} is {_kind(value)}; every document needs a label")


def _split(value: object, place: str) -> str:
    if value in SPLITS:
        return str(value)
    raise InputError(f"{place}: 'split' is {value!r}; it may be 'train' or 'test' only")


def _kind(value: object) -> str:
    return "empty" if value in (None, "") else f"{type(value).__name__} {value!r:.40}"


def _choose_columns(table: Table, text: str | None, label: str | None, labelled: bool) -> Columns:
    repeated = {name for name in table.columns if table.columns.count(name) > 1}
    if repeated:
        raise InputError(f"{table.path}: two columns are called {min(repeated)!r}")
    taken = {role: _named(table, role) for role in ("id", "split")}
    others = [name for name in table.columns if name not in taken.values()]
    if label is None:
        label = _named(table, "label")
    if text is None:
        text = _named(table, "text") or _only([name for name in others if name != label])
    if label is None and labelled:
        label = _only([name for name in others if name != text])
    for role, name in (("text", text), ("label", label)):
        if name is None and (labelled or role == "text"):
            raise InputError(
                f"{table.path}: no {role} column among {', '.join(table.columns)}; "
                f"say which one it is: {role}=…"
            )
        if name is not None and name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r}; there are {', '.join(table.columns)}"
            )
    return Columns(str(text), label, taken["id"], taken["split"])


def _named(table: Table, role: str) -> str | None:
    """Return the only column whose name speaks for the role, or None."""
    return _only([name for name in table.columns if name.lower() in _NAMES[role].split()])


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None


def _choices(columns: Columns, text: str | None, label: str | None) -> Iterator[str]:
    if text is None:
        yield f"text column: {columns.text!r}"
    if label is None and columns.label is not None:
        yield f"label column: {columns.label!r}"
    if columns.split is not None:
        yield f"train and test as column {columns.split!r} says"
