"""Folders of texts: a file for each, or a box of mails; a sub-folder for each class, or none."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from whyword.base.checks import join_names
from whyword.base.errors import InputError
from whyword.base.printable import spelled_out
from whyword.corpora.encoding import Encodings
from whyword.corpora.lines import Flaw
from whyword.corpora.tables import BadRow, OnBadRow, raise_bad_row, table_kind
from whyword.corpora.text_files import file_texts

SPLITS = ("train", "test")


class FolderText(NamedTuple):
    """A text of a folder; `split` is "train", "test" or None where there is none."""

    id: str
    text: str
    label: str | None
    split: str | None


@dataclass(frozen=True)
class Folder:
    """A folder with one sub-folder for each class, or with ``train`` and ``test`` of such.

    Or one without any sub-folder: files without labels.

    Attributes
    ----------
    path : Path
    splits : dict
        From "train" and "test", or from None alone, to the folder that has the classes.
    encoding : str or None
        Of the files; None if each is to be read as what it looks like.
    seen : Encodings
        What they are written in, of the last time that they were read.
    """

    path: Path
    splits: dict[str | None, Path]
    encoding: str | None = None
    seen: Encodings = field(default_factory=Encodings, compare=False)

    @classmethod
    def of(cls, path: Path) -> "Folder":
        """Return what a folder holds; raise if its sub-folders are splits and something else."""
        return cls(path, _split_folders(path))

    @property
    def has_split(self) -> bool:
        """Whether it has a training and a test part of its own."""
        return None not in self.splits

    @property
    def classes(self) -> set[str]:
        """The names of the classes, of the first part."""
        return {entry.name for entry in _subfolders(next(iter(self.splits.values())))}

    def check(self, labelled: bool = True) -> None:
        """Raise unless there are class folders or, if no labels are needed, files."""
        if folder_tables(self.path):
            raise InputError(
                f"{self.path} is a folder of tables: name one; only explain and predict, into a "
                "folder, read several"
            )
        if self.is_plain and (labelled or not any(_files(self.path.iterdir()))):
            files = "no files and " if not labelled else ""
            raise InputError(
                f"{self.path} has {files}no sub-folders; expected one per class, with a file per "
                "text"
            )

    @property
    def is_plain(self) -> bool:
        """Whether there are no class folders."""
        return not any(_subfolders(folder) for folder in self.splits.values())

    def texts(self, on_bad_row: OnBadRow = raise_bad_row) -> Iterator[FolderText]:
        """Stream the texts; those that cannot be read go to `on_bad_row` and are left out."""
        self.seen.clear()
        if self.is_plain:
            for file in _files(self.path.iterdir()):
                yield from self._of_file(file, self.path, None, None, on_bad_row)
        for split, folder in self.splits.items():
            for class_folder in _subfolders(folder):
                label = spelled_out(class_folder.name)
                for file in _files(class_folder.rglob("*")):
                    yield from self._of_file(file, folder, label, split, on_bad_row)

    def _of_file(
        self, file: Path, root: Path, label: str | None, split: str | None, on_bad_row: OnBadRow
    ) -> Iterator[FolderText]:
        lenient = on_bad_row is not raise_bad_row
        above = spelled_out(file.parent.relative_to(root).as_posix())
        for name, text in file_texts(file, self.encoding, lenient, self.seen):
            if isinstance(text, Flaw):
                on_bad_row(BadRow(str(file.with_name(name)), text.reason))
            else:
                yield FolderText(name if above == "." else f"{above}/{name}", text, label, split)


def folder_tables(path: Path) -> list[Path]:
    """Return the tables of a folder and of those below; none if it is a corpus of class folders.

    It is one if a sub-folder holds anything but tables. What is hidden, empty or begins with ``_``
    does not count.
    """
    tables = {}
    for file in path.rglob("*"):
        inside = file.relative_to(path)
        if any(part[0] in "._" for part in inside.parts) or not file.is_file():
            continue
        if table_kind(file) is None:
            if len(inside.parts) > 1:
                return []
        elif file.stat().st_size > 0:
            tables[inside.as_posix()] = file
    return [tables[name] for name in sorted(tables)]


def _split_folders(path: Path) -> dict[str | None, Path]:
    """Return the folders ``train`` and ``test`` (or ``…-train``, ``…-test``), if that is all.

    If there are no such, the folder itself, for None.
    """
    folders = _subfolders(path)
    names = {folder.name for folder in folders}
    prefixes = {name[: -len(split)] for name in names for split in SPLITS if name.endswith(split)}
    for prefix in prefixes if len(names) == 2 else ():
        if names == {prefix + split for split in SPLITS}:
            return {split: path / (prefix + split) for split in SPLITS}
    lowered = {name.lower() for name in names}
    if lowered & set(SPLITS) and any(_subfolders(folder) for folder in folders):
        raise InputError(
            f"{path} has the folders {join_names(sorted(names))}; expected one per class, or train "
            "and test with one per class in each"
        )
    return {None: path}


def _subfolders(path: Path) -> list[Path]:
    return sorted(entry for entry in path.iterdir() if entry.is_dir() and entry.name[0] != ".")


def _files(entries: Iterable[Path]) -> list[Path]:
    return sorted(entry for entry in entries if entry.is_file() and entry.name[0] != ".")
