"""Where documents come from: a folder, a table, 20 Newsgroups; streamed one by one."""

import difflib
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from whyword.base.checks import expand_path, strings
from whyword.base.columns import is_missing
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Labels
from whyword.base.printable import spelled_out, storable
from whyword.base.progress import OnProgress, ignore
from whyword.corpora import reuters
from whyword.corpora.columns import Columns, choose_columns
from whyword.corpora.encoding import Encodings
from whyword.corpora.folders import SPLITS, Folder
from whyword.corpora.frames import is_in_memory, open_frame
from whyword.corpora.groups import POST_GROUPS, PostGroups, check_groups
from whyword.corpora.labels import NoLabel, RowLabels, check_label, kind_of
from whyword.corpora.lines import Flaw
from whyword.corpora.newsgroups import COLUMNS, GROUPS, newsgroups_table
from whyword.corpora.tables import (
    BadRow,
    OnBadRow,
    Row,
    Table,
    open_table,
    raise_bad_row,
    table_kind,
)
from whyword.corpora.text_files import file_texts, holds_mails
from whyword.words.mail_parts import check_parts, clean_post

log = logging.getLogger(__name__)

_LOOKED_ON = 10_000  # rows that are looked through for a flaw that one before them had
_SAID = 5  # of those that have it

NEWSGROUPS = "20newsgroups"
# corpora that are fetched: their tables, and the columns of these
_NAMED: Mapping[str, tuple[Callable[[], Path], Columns]] = {
    NEWSGROUPS: (lambda: newsgroups_table(), Columns(*COLUMNS)),
    reuters.NAME: (lambda: reuters.reuters_table(), Columns(*reuters.COLUMNS)),
}


class Record(NamedTuple):
    """One document as it is read.

    `label` is its class, or a tuple of labels, perhaps empty, where documents have several; `split`
    is "train", "test" or None where there is none; `groups` has the values of the columns
    that were asked for (of newsgroups: author and thread), "" where one is missing.
    """

    id: str
    text: str
    label: Labels | None
    split: str | None
    groups: Mapping[str, str] | None = None


class Records(Protocol):
    """How documents are read."""

    def __call__(
        self, on_bad_row: OnBadRow = ..., on_progress: OnProgress = ...
    ) -> Iterator[Record]:
        """Stream the documents from the first; those that cannot be read go to `on_bad_row`."""


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
    records : Records
    columns : Columns or None
        Of a table.
    rule : tuple of str
        What is removed where nobody says otherwise: of newsgroup posts, the headers.
    seen : Encodings
        What its files are written in, as far as they are read.
    """

    name: str
    part: str | None
    notes: tuple[str, ...]
    records: Records
    columns: Columns | None = None
    rule: tuple[str, ...] = ()
    seen: Encodings = field(default_factory=Encodings, compare=False)

    def __iter__(self) -> Iterator[Record]:
        return self.read()

    def read(
        self, on_bad_row: OnBadRow = raise_bad_row, on_progress: OnProgress = ignore
    ) -> Iterator[Record]:
        """Yield the documents; those that cannot be read go to `on_bad_row` and are left out.

        `on_progress` is called with the share of a table that is read, again and again. What the
        files were written in, if that was not UTF-8, is logged at the end.
        """
        for record in self.records(on_bad_row, on_progress):
            if self.part is not None and record.split is None:
                raise InputError(
                    f"{self.name} has no split of its own, which ':{self.part}' asks for; leave "
                    f"':{self.part}' out, or say in a column 'split' which rows are 'train' or "
                    "'test'"
                )
            if self.part in (None, record.split):
                yield record
        for note in self.seen.notes():
            log.info("%s: %s", spelled_out(self.name), note)


def open_source(
    source: Any,  # noqa: ANN401 - or a frame, of packages without types
    *,
    text: str | None = None,
    label: str | Collection[str] | None = None,
    labelled: bool = True,
    remove: Collection[str] | None = None,
    encoding: str | None = None,
    groups: Collection[str] | None = None,
    label_separator: str | None = None,
) -> Source:
    """Open a source of documents for streaming.

    Parameters
    ----------
    source : str or Path, or a frame
        ``"20newsgroups"``; ``"reuters-21578"``, whose texts have several labels; a folder with one
        sub-folder per class (or with ``train`` and ``test`` folders of such); a CSV, TSV, JSON
        Lines (each also ``.gz``) or Parquet file; a DataFrame of pandas or polars, an Arrow table,
        a ``datasets.Dataset``, a list of dicts, or a dict with such for "train" and "test". Without
        labels also a folder that holds nothing but files, a mail (``.eml``) and an mbox file.
    text : str, optional
        The column; guessed by its name when there is one sensible choice.
    label : str, or collection of str, optional
        The column, guessed likewise; of lists, each document has several labels. Or several
        columns, each of which is a label and says 0 or 1, true or false.
    labelled : bool
        False if documents may come without labels.
    remove : collection of {"headers", "quotes", "footers"}, optional
        Parts of newsgroup posts or mails to cut; headers by default for newsgroups. No model knows
        of it: what a model's :class:`~whyword.words.Reader` removes is removed wherever it reads.
    encoding : str, optional
        Of text files; by default each is read as what it looks like, UTF-8 if it is that
        (newsgroups: Latin-1).
    groups : collection of str, optional
        Further columns to keep with the documents: author, thread, source. Of newsgroups "author"
        and "thread" are kept in any case.
    label_separator : str, optional
        What stands between several labels in a column of texts, which may be empty.
    """
    label = check_label(label, label_separator)
    wanted = () if groups is None else tuple(dict.fromkeys(strings("groups", groups)))
    if is_in_memory(source):
        if encoding is not None:
            raise InputError(Argument("encoding"), " is for files; a frame holds text already")
        return _open_frame(source, text, label, labelled, remove, wanted, label_separator)
    name, part = name_and_part(source)
    remove = None if remove is None else strings("remove", remove)
    check_parts(remove or ())
    path = expand_path(name)
    notes: list[str] = []
    rule: tuple[str, ...] = ()
    seen = Encodings()
    folder = Folder.of(path) if name not in _NAMED and path.is_dir() else None
    if name == NEWSGROUPS or (folder is not None and folder.classes == GROUPS):
        rule = ("headers",)
        encoding = encoding or "latin-1"
    remove = rule if remove is None else remove
    if rule:
        said = f"without {', '.join(remove)}" if remove else "whole, as a model may cut them itself"
        notes.append(f"newsgroup posts, {said}")
    columns: Columns | None = None
    if label_separator is not None and (name in _NAMED or folder is not None):
        raise InputError(Argument("label_separator"), f" is for tables, not for {name}")
    if wanted and (name in _NAMED or folder is not None):
        check_groups(name, wanted, POST_GROUPS if rule else ())
    if name in _NAMED:
        fetched, own = _NAMED[name]
        records = _of_table(open_table(fetched()), own)
    elif folder is not None:
        folder.check(labelled)
        records = _of_folder(replace(folder, encoding=encoding, seen=seen))
        if folder.has_split:
            notes.append("train and test as the folders say")
    elif not path.exists():
        raise InputError(f"{name}: no such file or folder{_hint(name)}")
    elif not labelled and table_kind(path) is None and holds_mails(path):
        records = _of_mails(path)
    else:
        table = open_table(path, encoding, seen)
        columns = choose_columns(table, text, label, labelled, wanted, split=part is not None)
        columns = columns._replace(separator=label_separator)
        notes += columns.choices(text, label)
        records = _of_table(table, columns, labelled, seen)
    if remove or rule:
        records = _clean(records, remove, (wanted or POST_GROUPS) if rule else ())
    return Source(name, part, tuple(notes), records, columns, rule, seen)


def _open_frame(
    source: object,
    text: str | None,
    label: str | tuple[str, ...] | None,
    labelled: bool,
    remove: Collection[str] | None,
    groups: tuple[str, ...],
    separator: str | None,
) -> Source:
    """Return the source that a table in memory is."""
    table, notes = open_frame(source)
    columns = choose_columns(table, text, label, labelled, groups)._replace(separator=separator)
    records = _of_table(table, columns, labelled)
    if remove is not None:
        check_parts(strings("remove", remove))
        records = _clean(records, remove)
    notes += columns.choices(text, label)
    return Source(str(table.path), None, tuple(notes), records, columns)


def name_and_part(source: str | Path) -> tuple[str, str | None]:
    """Return the source without ``:train`` or ``:test``, and that part or None."""
    name, colon, part = str(source).rpartition(":")
    if colon and part in SPLITS and not Path(source).exists():
        return name, part
    return str(source), None


def _hint(name: str) -> str:
    stem, colon, part = name.rpartition(":")
    if colon and part.lower() not in SPLITS + tuple("abcdefghijklmnopqrstuvwxyz"):
        return "; a part is ':train' or ':test'"
    if colon and part.lower() in SPLITS and part not in SPLITS:
        return "; a part is ':train' or ':test'"
    if close := difflib.get_close_matches((stem or name).lower(), _NAMED, 1):
        return f"; did you mean {close[0]}?"
    return ""


def _clean(records: Records, remove: Collection[str], groups: Collection[str] = ()) -> Records:
    """Return the records without parts of their texts; of posts, the groups in their headers."""

    def clean_records(
        on_bad_row: OnBadRow = raise_bad_row, on_progress: OnProgress = ignore
    ) -> Iterator[Record]:
        for name, text, label, split, kept in records(on_bad_row, on_progress):
            clean = clean_post(text, remove) if remove else text
            yield Record(name, clean, label, split, PostGroups(text, groups) if groups else kept)

    return clean_records


def _of_mails(path: Path) -> Records:
    def records(
        on_bad_row: OnBadRow = raise_bad_row, on_progress: OnProgress = ignore
    ) -> Iterator[Record]:
        for name, text in file_texts(path, lenient=on_bad_row is not raise_bad_row):
            if isinstance(text, Flaw):
                on_bad_row(BadRow(f"{path}, {name}", text.reason))
            else:
                yield Record(name, text, None, None)

    return records


def _of_folder(folder: Folder) -> Records:
    def records(
        on_bad_row: OnBadRow = raise_bad_row, on_progress: OnProgress = ignore
    ) -> Iterator[Record]:
        return (Record(*text) for text in folder.texts(on_bad_row))

    return records


# ---- tables -------------------------------------------------------------------------------


def _of_table(
    table: Table, columns: Columns, labelled: bool = True, seen: Encodings | None = None
) -> Records:
    names = columns.names
    roles = {role: getattr(columns, role) for role in ("text", "id", "split")}
    at = {role: names.index(name) for role, name in roles.items() if name is not None}
    groups = [(name, names.index(name)) for name in columns.groups]

    def records(
        on_bad_row: OnBadRow = raise_bad_row, on_progress: OnProgress = ignore
    ) -> Iterator[Record]:
        unreadable, empty = 0, 0

        def count_bad_row(row: BadRow) -> None:
            nonlocal unreadable
            unreadable += 1
            on_bad_row(row)

        handle = raise_bad_row if on_bad_row is raise_bad_row else count_bad_row
        if seen is not None:
            seen.clear()
        labels = RowLabels(columns)
        rows = table.rows(names, handle, on_progress)
        for number, (place, values) in enumerate(rows, 1):
            if _is_empty(values):
                empty += 1
                continue
            text = values[at["text"]]
            if not isinstance(text, str):
                on_bad_row(BadRow(place, f"{columns.text!r} is {kind_of(text)}, not text"))
                continue
            label = labels(values)
            if isinstance(label, NoLabel):
                if labelled:
                    others = _others(rows, labels, label) if handle is raise_bad_row else ""
                    on_bad_row(BadRow(place, label.reason + others))
                    continue
                label = None
            split = values[at["split"]] if "split" in at else None
            if "split" in at and split not in SPLITS:
                on_bad_row(
                    BadRow(place, f"'split' is {split!r:.40}; it may be 'train' or 'test' only")
                )
                continue
            name = _id(values[at["id"]] if "id" in at else None, number + unreadable)
            kept = {group: _group(values[place]) for group, place in groups} if groups else None
            yield Record(name, text, label, None if split is None else str(split), kept)
        if empty:
            said = "1 empty row was" if empty == 1 else f"{empty:,} empty rows were"
            log.info("%s: %s left out", spelled_out(str(table.path)), said)

    return records


def _is_empty(values: Sequence[object]) -> bool:
    """Return whether a row says nothing; a text by itself may be empty."""
    return len(values) > 1 and all(
        not value.strip() if isinstance(value, str) else is_missing(value) for value in values
    )


def _others(rows: Iterator[Row], labels: RowLabels, flaw: NoLabel) -> str:
    """Return which of the next rows have the same flaw, so that all can be mended at once."""
    found = []
    with suppress(InputError):  # what else is wrong is another message
        for place, values in islice(rows, _LOOKED_ON):
            if labels(values) == flaw and not _is_empty(values):
                found.append(place.rpartition(", ")[2])
    more = f" and {len(found) - _SAID:,} more" if len(found) > _SAID else ""
    return f"; the same in {', '.join(found[:_SAID])}{more}" if found else ""


def _id(value: object, number: int) -> str:
    return str(number) if value in (None, "") else storable(str(value))


def _group(value: object) -> str:
    return "" if is_missing(value) else storable(str(value))
