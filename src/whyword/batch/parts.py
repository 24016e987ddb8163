"""The parts of a run: files that are whole or not there, and a ledger that vouches for each.

A part says of itself, in its metadata, which chunk it is and what documents it was made of. The
ledger, ``_parts.jsonl``, has a line for each part with the sha256 of its file and one of the line
itself; it grows with the run, a line after each part. What it does not vouch for is made again.
"""

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import uuid4

from whyword.base.checks import existing_file, exists, file_name
from whyword.base.errors import Argument, InputError
from whyword.base.files import sha256_of
from whyword.base.json import parse_json
from whyword.base.printable import one_line
from whyword.base.threads import usable_cores
from whyword.batch.chunks import Chunk, Place

LEDGER = "_parts.jsonl"
DRAFT = ".draft-"
_PART = re.compile(r"part-(\d{5,9})-(\d{5,9})\.parquet")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PLACE, _RECORDS = b"whyword.part", b"whyword.records"  # of a part's metadata
# words and names repeat, numbers do not; spans grow by little
_DICTIONARIES = ("words.list.element", "classes.list.element", "target", "method", "parameters")


class Part(NamedTuple):
    """A part that is, or once was, written.

    Attributes
    ----------
    place : Place
    records : str
        The digest of its documents, see :meth:`~whyword.batch.chunks.Chunk.digest`.
    sha256 : str
        Of its file.
    n_documents : int
    """

    place: Place
    records: str
    sha256: str
    n_documents: int


def part_path(folder: Path, place: Place) -> Path:
    """Return the file of a chunk."""
    return folder / f"part-{place}.parquet"


def _place_of(name: str) -> Place | None:
    """Return the chunk whose file has this name; None if none has."""
    found = _PART.fullmatch(name)
    place = Place(int(found[1]), int(found[2])) if found else None
    return place if place is not None and part_path(Path(), place).name == name else None


def write_part(
    folder: Path,
    place: Place,
    records: str,
    table: Any,  # noqa: ANN401 - pyarrow has no types
) -> Part:
    """Write a part so that it is there whole or not at all, even if the machine stops.

    Parameters
    ----------
    folder : Path
    place : Place
    records : str
        The digest of its documents.
    table : Arrow table

    Raises
    ------
    InputError
        If it cannot be written; nothing is left of it then.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = part_path(folder, place)
    draft = path.with_name(f"{DRAFT}{path.name}-{uuid4().hex[:12]}")
    names = set(table.schema.names)
    about = {**(table.schema.metadata or {}), _PLACE: str(place), _RECORDS: records}
    with translate_write_errors(path, draft):
        whole = pa.BufferOutputStream()
        pq.write_table(
            table.replace_schema_metadata(about),
            whole,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in _DICTIONARIES if name.partition(".")[0] in names],
            write_statistics=["id"] if "id" in names else False,
        )
        content = memoryview(whole.getvalue())
        replace_file(path, draft, content)
    return Part(place, records, hashlib.sha256(content).hexdigest(), int(table.num_rows))


def read_file(path: Path) -> bytes | None:
    """Return what a file has, None if there is none; raise of a pipe, which one would wait for."""
    if not exists(path):
        return None
    try:
        return existing_file(path).read_bytes()
    except OSError as error:
        raise InputError(f"{file_name(path)} cannot be read ({error.strerror})") from None


def replace_file(path: Path, draft: Path, content: memoryview) -> None:
    """Write a draft that takes the path's name once it is on the disk."""
    with draft.open("wb", buffering=0) as stream:
        _write_all(stream, content)
        os.fsync(stream.fileno())
    draft.replace(path)


def _write_all(stream: IO[bytes], content: memoryview) -> None:
    """Write to a file that has no buffer, which may take less than it is given."""
    while content:
        content = content[stream.write(content) :]


@contextmanager
def translate_write_errors(path: Path, draft: Path | None = None) -> Iterator[None]:
    """Say of what cannot be written that the run can be resumed; leave no draft."""
    import pyarrow as pa

    try:
        yield
    except BaseException as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        if not isinstance(error, OSError | pa.ArrowException):
            raise
        full = getattr(error, "errno", None) == errno.ENOSPC or "o space left" in str(error)
        reason = "no space left" if full else str(error).partition("\n")[0]
        raise InputError(
            f"{path} cannot be written ({reason}); what is done is kept: once there is room, say ",
            Argument("resume", True),
        ) from None


def check_no_strangers(folder: Path, places: Iterable[Place] | None = None) -> None:
    """Raise if there is a file that whoever reads the folder would take for a part.

    It is not taken away: it may be the only copy of somebody's work.

    Parameters
    ----------
    folder : Path
    places : iterable of Place, optional
        The parts there may be; by default any that a run could write.
    """
    known = None if places is None else set(places)
    for name in sorted(os.listdir(folder)):
        if not name.startswith("part-") and (name[0] in "._" or not name.endswith(".parquet")):
            continue
        place = _place_of(name)
        if place is None or (known is not None and place not in known):
            raise InputError(
                f"{folder} has a file that this run did not write, {one_line(name)}; move it "
                "elsewhere, then say ",
                Argument("resume", True),
            )


class Ledger:
    """Which parts are written, and the digest of each: a JSON object a line.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / LEDGER
        self._stream: IO[bytes] | None = None

    def read(self) -> dict[Place, Part]:
        """Return what it says; lines that were cut off or damaged say nothing."""
        lines = (read_file(self._path) or b"").split(b"\n")
        return {part.place: part for part in map(_parse_line, lines) if part is not None}

    def append(self, part: Part) -> None:
        """Add a part that was written."""
        with translate_write_errors(self._path):
            if self._stream is None:
                self._stream = self._path.open("ab", buffering=0)
            _write_all(self._stream, memoryview(_line(part)))

    def rewrite(self, parts: Iterable[Part]) -> None:
        """Let it say nothing but this, in order."""
        self.close()
        content = b"".join(map(_line, sorted(parts)))
        if self._path.is_file() and self._path.read_bytes() == content:
            return
        draft = self._folder / f"{DRAFT}parts"
        with translate_write_errors(self._path, draft):
            replace_file(self._path, draft, memoryview(content))

    def close(self) -> None:
        """Let go of the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def _line(part: Part) -> bytes:
    said = {
        "part": str(part.place),
        "documents": part.n_documents,
        "records": part.records,
        "sha256": part.sha256,
    }
    checksum = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]
    return json.dumps(said | {"line": checksum}).encode() + b"\n"


def _parse_line(line: bytes) -> Part | None:
    try:
        said = parse_json(line, LEDGER)
    except InputError:
        return None
    if not isinstance(said, dict):
        return None
    place, count = _place_of(f"part-{said.get('part')}.parquet"), said.get("documents")
    records, sha256 = (str(said.get(name)) for name in ("records", "sha256"))
    if place is None or type(count) is not int or count < 1:
        return None
    if not (_SHA256.fullmatch(records) and _SHA256.fullmatch(sha256)):
        return None
    part = Part(place, records, sha256, count)
    return part if _line(part) == line + b"\n" else None


def whole_parts(folder: Path, ledger: Mapping[Place, Part]) -> dict[Place, Part]:
    """Return the parts whose files are, byte for byte, what the ledger says; read on all cores."""
    with ThreadPoolExecutor(usable_cores()) as pool:
        found = pool.map(lambda part: _whole_part(folder, part), ledger.values())
        return {part.place: part for part in found if part is not None}


def _whole_part(folder: Path, part: Part) -> Part | None:
    """Return a part as its file describes it; None if it is another's, damaged or not there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = part_path(folder, part.place)
    try:
        if not path.is_file() or sha256_of(path) != part.sha256:
            return None
        with path.open("rb") as stream:  # pyarrow opens no names that are not UTF-8
            about = pq.read_metadata(stream)
        said = about.metadata or {}
        if said.get(_PLACE) != str(part.place).encode():
            return None
        return part._replace(records=said[_RECORDS].decode(), n_documents=about.num_rows)
    except (pa.ArrowException, OSError, LookupError, ValueError):
        return None


@dataclass(frozen=True)
class EarlierParts:
    """What an earlier run left: which chunks are done, and what was in those that once were.

    Attributes
    ----------
    folder : Path
    records : dict
        The digests of the chunks that were worked on.
    done : set of Place
    """

    folder: Path
    records: Mapping[Place, str]
    done: frozenset[Place]

    def has(self, chunk: Chunk) -> bool:
        """Whether a chunk is done; raise if it is not what it was."""
        before = self.records.get(chunk.place)
        if before is not None and before != chunk.digest():
            raise self._changed()
        return chunk.place in self.done

    def check_all_read(self, read: Iterable[Place]) -> None:
        """Raise unless all that is done is still there to be read."""
        if not self.done <= set(read):
            raise self._changed()

    def _changed(self) -> InputError:
        return InputError(
            f"the source has changed since the run in {self.folder} began; name another folder"
        )
