"""Words that an option names, one by one or in files."""

import logging
import os
import shlex
from pathlib import Path

from whyword.audit.suspicion.row import MARK_COLUMN, WORDS_COLUMN
from whyword.audit.suspicion.stored import TABLE_FILE
from whyword.audit.suspicion.word_table import WORD_COLUMN, read_word_table
from whyword.base.checks import expand_path, join_names
from whyword.base.errors import InputError
from whyword.base.printable import shown
from whyword.corpora.lines import read_text

log = logging.getLogger(__name__)
_TABLE = ".csv"
_ENDINGS = (_TABLE, ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".xlsx", ".gz")
_BEGINNINGS = tuple(f"{start}{os.sep}" for start in ("", ".", "..", "~"))  # "tcp/ip" is a word
_INSTEAD = "a word that looks like a path is named by @FILE, a file with one a line"
_YES = frozenset({"yes", "true", "1", "x"})


def words_or_file(given: str) -> list[str]:
    """Return what an option names: a word or pattern, or, behind an @, those of a file."""
    if not given.startswith("@") or len(given) == 1:
        return [given]
    lines = str(read_text(expand_path(given[1:]))).splitlines()
    return [line.strip() for line in lines if line.strip()]


def ignored_words(given: str) -> list[str]:
    """Return what ``--ignore`` names: as :func:`words_or_file`, and what a table chooses.

    A folder of suspects is its table; what else is, or looks like, a path is never taken as a word.
    """
    is_pattern = len(given) > 2 and given[0] == given[-1] == "/"
    path = given[1:] if given[:1] == "@" and len(given) > 1 else given
    place = os.path.expanduser(path)
    if os.path.isdir(place):
        if os.path.isfile(os.path.join(place, TABLE_FILE)):
            return _words_of_table(Path(place, TABLE_FILE))
        if not is_pattern:
            raise InputError(
                f"{shown(path)} is a folder without {TABLE_FILE}, which `whyword suspects MODEL "
                f"CORPUS --out FOLDER` writes; {_INSTEAD}"
            )
    if is_pattern:
        if "/" in given[1:-1]:
            log.warning("%s is taken as a pattern: there is no such folder", shown(given))
        return [given]
    if path is not given:
        is_table = path.lower().endswith(_TABLE)
        return _words_of_table(expand_path(path)) if is_table else words_or_file(given)
    if os.path.isfile(place):
        if given.lower().endswith(_TABLE):
            return _words_of_table(expand_path(given))
        name = shlex.quote(f"@{given}")
        raise InputError(f"{shown(given)} is a file; {name} names what its lines say")
    if given.lower().endswith(_ENDINGS) or given.startswith(_BEGINNINGS) or given.endswith(os.sep):
        raise InputError(f"{shown(given)}: no such file or folder; {_INSTEAD}")
    return [given]


def _words_of_table(path: Path) -> list[str]:
    """Return the words of a table: of all rows, or of those that are called artefacts."""
    columns, rows, has_marks = read_word_table(path)
    if rows is None:
        there = join_names(columns)
        raise InputError(
            f"{path} has no column {WORD_COLUMN!r} or {WORDS_COLUMN!r}; it has {there}"
        )
    if has_marks:
        rows = [row for row in rows if row.mark.lower() in _YES]
        if not rows:
            raise InputError(
                f"{path}: no row says yes in the column {MARK_COLUMN!r}: nothing to ignore"
            )
    words = [entry for row in rows for entry in row.entries]
    if not words:
        raise InputError(f"{path} names no word to ignore")
    return words
