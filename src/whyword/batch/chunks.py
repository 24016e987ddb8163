"""A source of any size as chunks of documents: the same chunks whoever reads it."""

import glob
import hashlib
import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whyword.base.checks import expand_path, file_name
from whyword.base.errors import InputError
from whyword.base.labels import Labels
from whyword.base.progress import OnProgress, Progress
from whyword.corpora.folders import folder_tables
from whyword.corpora.labels import check_label
from whyword.corpora.source import Record, Source, name_and_part, open_source
from whyword.corpora.tables import BadRow, OnBadRow, raise_bad_row

ROWS = 2_048  # documents of a chunk
CHARACTERS = 8 << 20
_SHARD_BYTES = 64 << 20  # files of a shard have so much together, if they are small


class Place(NamedTuple):
    """Which chunk: its shard, and its number there."""

    shard: int
    number: int

    def __str__(self) -> str:
        return f"{self.shard:05}-{self.number:05}"


@dataclass
class Chunk:
    """Documents that are read, worked on and written together.

    Attributes
    ----------
    place : Place
    records : list of Record
    bad_rows : list of BadRow
        Rows that could not be read, up to the first document of the next chunk.
    read : float
        The share of the shard that is read, as far as that is known.
    """

    place: Place
    records: list[Record] = field(default_factory=list)
    bad_rows: list[BadRow] = field(default_factory=list)
    read: float = 0.0
    characters: int = 0

    def has_room(self, record: Record, rows: int, characters: int) -> bool:
        """Whether the document fits in; the first one always does."""
        if not self.records:
            return True
        return len(self.records) < rows and self.characters + len(record.text) <= characters

    def add(self, record: Record) -> None:
        """Put a document in."""
        self.records.append(record)
        self.characters += len(record.text)

    def digest(self) -> str:
        """Return what the documents are, in order: a sha256 of their ids, texts and labels."""
        fields = [
            part.encode("utf-8", "surrogatepass")
            for record in self.records
            for part in (record.id, record.text, _label_key(record.label))
        ]
        lengths = np.array([len(part) for part in fields], "<i8")
        lengths[2::3][[record.label is None for record in self.records]] = -1
        digest = hashlib.sha256(lengths.tobytes())
        digest.update(b"".join(fields))
        return digest.hexdigest()


def _label_key(label: Labels | None) -> str:
    """Return a text that tells labels apart; several begin with what no file's label has."""
    if isinstance(label, tuple):
        return "\0" + json.dumps(label)
    return label or ""


@dataclass(frozen=True)
class SourceReader:
    """Reads a source in chunks: what is read, and how.

    Attributes
    ----------
    shards : tuple of tuples of str
        Files that are read one after the other, or the name of a corpus.
    base : str or None
        The folder that the files are in, if there are several: what distinguishes them then
        stands before the names of their documents.
    text : str or None
        The column.
    encoding : str or None
    remove : tuple of str or None
        What is cut off the texts; None: what the source has as a rule of its own.
    label : str, tuple of str or None
        The column, or those that are a label each.
    label_separator : str or None
        What stands between several labels.
    notes : tuple of str
        What was guessed.
    rows, characters : int
        Of a chunk, at most; its first document may have more characters.
    """

    shards: tuple[tuple[str, ...], ...]
    base: str | None = None
    text: str | None = None
    encoding: str | None = None
    remove: tuple[str, ...] | None = None
    label: str | tuple[str, ...] | None = None
    label_separator: str | None = None
    notes: tuple[str, ...] = ()
    rows: int = ROWS
    characters: int = CHARACTERS
    _opened: dict[str, Source] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_opened": {}}  # another process opens its files itself

    @classmethod
    def of(
        cls,
        source: str | Path,
        text: str | None = None,
        encoding: str | None = None,
        remove: tuple[str, ...] | None = None,
        label: str | Collection[str] | None = None,
        label_separator: str | None = None,
    ) -> "SourceReader":
        """Return how to read a table, a folder of tables, a pattern like ``2024-*.csv``, a corpus.

        Raises
        ------
        InputError
            If there is no such thing, or if it has no column of texts.
        """
        if not isinstance(source, str | Path):
            kind = type(source).__name__
            raise InputError(f"the source is the path of files or a corpus's name, not a {kind}")
        source = _absolute_source(source)
        files = _table_files(source)
        first = source if files is None else str(files[0])
        opened = open_source(
            first,
            text=text,
            label=label,
            labelled=False,
            remove=remove,
            encoding=encoding,
            label_separator=label_separator,
        )
        if files is None:
            shards: tuple[tuple[str, ...], ...] = ((source,),)
            base, chosen = None, text
        else:
            shards = _shards(files)
            base = os.path.commonpath([file.parent for file in files]) if len(files) > 1 else None
            chosen = text if opened.columns is None else opened.columns.text
        named = check_label(label, label_separator)
        reader = cls(
            shards,
            base,
            chosen,
            encoding,
            remove,
            named,
            label_separator,
            opened.notes,
            ROWS,
            CHARACTERS,
        )
        reader._opened[first] = opened  # its beginning is read: for the first who reads on
        return reader

    @property
    def files(self) -> list[Path]:
        """The files there are; none for a corpus that is known by its name."""
        paths = (expand_path(name) for shard in self.shards for name in shard)
        return [path for path in paths if path.is_file()]

    def chunks(self, shard: int, strict: bool = False) -> Iterator[Chunk]:
        """Yield the chunks of a shard; the last one may have no documents but only bad rows.

        Parameters
        ----------
        shard : int
        strict : bool
            Raise at the first row that cannot be read.
        """
        chunk, read = Chunk(Place(shard, 0)), 0.0

        def on_bad_row(row: BadRow) -> None:
            chunk.bad_rows.append(row)

        def report(event: Progress) -> None:
            nonlocal read
            read = event.share or 0.0

        for record in self._records(shard, raise_bad_row if strict else on_bad_row, report):
            if not chunk.has_room(record, self.rows, self.characters):
                chunk.read = read
                yield chunk
                chunk = Chunk(Place(shard, chunk.place.number + 1))
            chunk.add(record)
        chunk.read = 1.0
        if chunk.records or chunk.bad_rows:
            yield chunk

    def all_chunks(self, strict: bool = False) -> Iterator[Chunk]:
        """Yield the chunks of all shards, one after the other."""
        return chain.from_iterable(self.chunks(shard, strict) for shard in range(len(self.shards)))

    def look_ahead(self, count: int, strict: bool = False) -> tuple[list[Chunk], Iterator[Chunk]]:
        """Return the first shard's first chunks, and all chunks there are, each read once.

        What one sees ahead does not depend on `strict`: a strict reader, who stops at a row that
        the others leave out, begins anew.
        """
        first = self.chunks(0)
        ahead = list(islice(first, count))
        if strict:
            return ahead, self.all_chunks(strict)
        others = (self.chunks(shard) for shard in range(1, len(self.shards)))
        return ahead, chain(ahead, first, chain.from_iterable(others))

    def _records(self, shard: int, on_bad_row: OnBadRow, report: OnProgress) -> Iterator[Record]:
        names = self.shards[shard]
        for at, name in enumerate(names):

            def report_file(event: Progress, before: int = at) -> None:
                report(Progress(share=(before + (event.share or 0.0)) / len(names)))

            opened = self._opened.pop(name, None) or open_source(
                name,
                text=self.text,
                label=self.label,
                labelled=False,
                remove=self.remove,
                encoding=self.encoding,
                label_separator=self.label_separator,
            )
            prefix = "" if self.base is None else f"{os.path.relpath(name, self.base)}:"
            if prefix and opened.columns is None:  # mails, whose ids begin with the file's name
                prefix = os.path.join(os.path.dirname(prefix), "")
            for record in opened.read(on_bad_row, report_file):
                yield record._replace(id=prefix + record.id) if prefix else record


def _absolute_source(source: str | Path) -> str:
    """Return the source so that processes elsewhere find it, too; a pattern or name as it is."""
    name, part = name_and_part(source)
    path = expand_path(name)
    try:
        is_there = path.exists()
    except OSError as error:  # a name that is too long
        raise InputError(f"{file_name(path)}: {error.strerror}") from None
    if not is_there and not glob.has_magic(name):
        return str(source)
    return str(path.absolute()) + (f":{part}" if part else "")


def _table_files(source: str) -> list[Path] | None:
    """Return the tables that a name, a folder or a pattern stands for; None if it is a corpus."""
    path = expand_path(source)
    if path.is_file():
        return [path]
    if path.is_dir():
        return folder_tables(path) or None
    if not glob.has_magic(source):
        return None
    paths = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
    files = [file for file in paths if file.is_file() and _has_rows(file)]
    if not files:
        raise InputError(f"{source}: no file fits this pattern")
    return files


def _has_rows(file: Path) -> bool:
    return file.stat().st_size > 0


def _shards(files: Sequence[Path]) -> tuple[tuple[str, ...], ...]:
    """Return the files in groups, each of some size: small ones are read together."""
    shards: list[list[str]] = []
    size = _SHARD_BYTES
    for file in files:
        if size >= _SHARD_BYTES:
            shards.append([])
            size = 0
        shards[-1].append(str(file))
        size += file.stat().st_size
    return tuple(map(tuple, shards))
