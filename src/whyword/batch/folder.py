"""The folder that a run writes to: what the run is, how far it is, and rows it could not read.

Not :mod:`whyword.base.store`: the folder is the result, which its user names, reads with other
tools and resumes; the manifest says once what all parts were made of.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Self, TextIO

from whyword.base.checks import exists, file_name
from whyword.base.errors import Argument, InputError
from whyword.base.files import exclusive_folder, sha256_of
from whyword.base.json import parse_json
from whyword.base.versions import VERSION
from whyword.batch.chunks import Place, SourceReader
from whyword.batch.parts import (
    DRAFT,
    LEDGER,
    EarlierParts,
    Ledger,
    Part,
    check_no_strangers,
    read_file,
    replace_file,
    translate_write_errors,
    whole_parts,
)
from whyword.corpora.tables import BadRow

MANIFEST, REJECTS = "_whyword.json", "_rejects.jsonl"
BEGUN, COMPLETE = "begun", "complete"
_PATIENCE = 10.0  # seconds for processes of a run that was killed to notice it
# JSON has an escape for what UTF-8 has not: bytes in names that are no UTF-8
_ENCODING: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace"}


@dataclass
class RunFolder:
    """A run's folder, which nobody else writes to.

    Attributes
    ----------
    path : Path
    plan : dict
        What the run is: a folder belongs to one.
    lock : int or None
        A file descriptor: whoever inherits it keeps others out, too.
    done : dict
        The parts that are written.
    rejected : int or None
        How many rows could not be read, once the run is complete.
    """

    path: Path
    plan: Mapping[str, Any]
    lock: int | None = None
    done: dict[Place, Part] = field(default_factory=dict)
    rejected: int | None = None
    _ledger: Ledger = field(init=False, repr=False)
    _known: dict[Place, Part] = field(default_factory=dict, repr=False)
    _writing: Any = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        self._ledger = Ledger(self.path)

    @property
    def n_documents(self) -> int:
        """How many documents the parts have."""
        return sum(part.n_documents for part in self.done.values())

    @property
    def earlier(self) -> EarlierParts:
        """What there is already, for whoever reads the source."""
        known = {place: part.records for place, part in (self._known | self.done).items()}
        return EarlierParts(self.path, known, frozenset(self.done))

    def find_parts(self) -> None:
        """Read the parts that an earlier run left; those that are not whole will be made again."""
        self._known = self._ledger.read()
        self.done = whole_parts(self.path, self._known)

    def begin(self) -> None:
        """Say what is being done."""
        self.rejected = None
        self._write_manifest()
        self._ledger.rewrite((self._known | self.done).values())

    def record(self, part: Part) -> None:
        """Note that a part is written; several threads may."""
        with self._writing:
            self._ledger.append(part)
            self.done[part.place] = part

    def complete(self, rejected: int) -> None:
        """Say that the run is complete."""
        self.clear_drafts()  # of processes that died and whose work another one did
        check_no_strangers(self.path, self.done)
        self._ledger.rewrite(self.done.values())
        self.rejected = rejected
        self._write_manifest()

    def is_complete(self) -> bool:
        """Whether what is there is what the run writes at its end, to the byte."""
        rejects = self.path / REJECTS
        self.rejected = rejects.read_bytes().count(b"\n") if rejects.is_file() else 0
        if (self.path / MANIFEST).read_bytes() != self._manifest():
            return False
        check_no_strangers(self.path, self.done)
        self._ledger.rewrite(self.done.values())
        return True

    def clear_drafts(self) -> None:
        """Take away what a process that was killed left behind."""
        for draft in self.path.glob(f"{DRAFT}*"):
            try:
                draft.unlink(missing_ok=True)
            except OSError as error:  # somebody's folder
                raise InputError(
                    f"{file_name(draft)} cannot be taken away ({error.strerror}); move it elsewhere"
                ) from None

    def clear(self) -> None:
        """Take away all but parts, of which there are none."""
        self.clear_drafts()
        self._ledger.close()
        for name in (MANIFEST, LEDGER):
            (self.path / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the files."""
        self._ledger.close()

    def _manifest(self) -> bytes:
        """Return what the run is and how far it is."""
        said: dict[str, Any] = dict(self.plan) | {"state": BEGUN}
        if self.rejected is not None:
            rejects = self.path / REJECTS
            said["state"] = COMPLETE
            said["parts"] = len(self.done)
            said["documents"] = self.n_documents
            said["rejected"] = self.rejected
            said["rejects_sha256"] = sha256_of(rejects) if rejects.is_file() else None
        text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
        return text.encode(**_ENCODING)

    def _write_manifest(self) -> None:
        path, draft = self.path / MANIFEST, self.path / f"{DRAFT}manifest"
        with translate_write_errors(path, draft):
            replace_file(path, draft, memoryview(self._manifest()))


def plan_of(about: Mapping[str, Any], reader: SourceReader, lexicon: int) -> dict[str, Any]:
    """Return what a run is, as plain data: all that its numbers depend on, to the last bit.

    Parameters
    ----------
    about : dict
        What is done with each document.
    reader : SourceReader
    lexicon : int
        Bytes for frequent words.
    """
    files = [
        {"file": str(file.resolve()), "bytes": file.stat().st_size, "changed": file.stat().st_mtime}
        for file in reader.files
    ]
    source = {
        "names": [list(shard) for shard in reader.shards] if not files else [],
        "files": files,
        "shards": [len(shard) for shard in reader.shards],
        "text": reader.text,
        "encoding": reader.encoding,
    }
    sizes = {"documents": reader.rows, "characters": reader.characters, "lexicon": lexicon}
    plan = {"whyword": VERSION, **about, "source": source, "at_most": sizes}
    plain: dict[str, Any] = json.loads(json.dumps(plan, default=str))
    return plain


@contextmanager
def open_run_folder(path: Path, plan: Mapping[str, Any], resume: bool) -> Iterator[RunFolder]:
    """Yield the folder, made if need be, with the parts that are done.

    Raises
    ------
    InputError
        If there is something else in it, another run, or, without `resume`, this one.
    """
    if exists(path) and not path.is_dir():
        raise InputError(f"{path} is a file; name a folder")
    with _lock_folder(path) as lock:
        before = _read_manifest(path)
        if before is None:
            # a run that was killed at once may have left a draft, and nothing else
            if any(not file.name.startswith(DRAFT) for file in path.iterdir()):
                raise InputError(f"{path} is not empty; name another folder")
        else:
            _check_resumed(path, before, plan, resume)
        check_no_strangers(path)
        folder = RunFolder(path, plan, lock)
        folder.clear_drafts()
        folder.find_parts()
        if before is None or before["state"] != COMPLETE or not folder.is_complete():
            folder.begin()
        try:
            yield folder
        except BaseException:
            if before is None and not any(path.glob("part-*")):  # nothing that could be resumed
                folder.clear()
            raise
        finally:
            folder.close()


class Rejects:
    """The rows that could not be read, written as they come, a JSON object a line.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._draft = folder / REJECTS, folder / f"{DRAFT}rejects"
        self._stream: TextIO | None = None
        self.count = 0

    def add(self, rows: Iterable[BadRow]) -> None:
        """Write some more."""
        for row in rows:
            with translate_write_errors(self._path):
                if self._stream is None:
                    self._stream = self._draft.open("w", **_ENCODING)
                self._stream.write(json.dumps(row._asdict(), ensure_ascii=False) + "\n")
            self.count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(OSError):  # the disk may be full
                if self._stream is not None:
                    self._stream.close()
            self._draft.unlink(missing_ok=True)
            return
        with translate_write_errors(self._path, self._draft):
            if self._stream is None:
                self._path.unlink(missing_ok=True)
            else:
                self._stream.flush()
                os.fsync(self._stream.fileno())
                self._stream.close()
                self._draft.replace(self._path)


@contextmanager
def _lock_folder(path: Path) -> Iterator[int | None]:
    """Keep others out; wait a little for processes of a run that was killed."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{file_name(path)} cannot be made ({error.strerror})") from None
    end = time.monotonic() + _PATIENCE
    while True:
        lock = exclusive_folder(path)
        try:
            descriptor = lock.__enter__()
            break
        except InputError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    try:
        yield descriptor
    finally:
        lock.__exit__(None, None, None)


def _read_manifest(path: Path) -> dict[str, Any] | None:
    """Return what a folder says of its run; raise if that is not what a run writes."""
    file = path / MANIFEST
    content = read_file(file)
    if content is None:
        return None
    manifest = parse_json(content, file)
    state = manifest.get("state") if isinstance(manifest, dict) else None
    numbers = ("parts", "documents", "rejected")
    if state == COMPLETE and any(type(manifest.get(name)) is not int for name in numbers):
        state = None
    if state not in (BEGUN, COMPLETE):
        raise InputError(f"{file} is not what a run writes; name another folder")
    return dict(manifest)


def _check_resumed(
    path: Path, before: Mapping[str, Any], plan: Mapping[str, Any], resume: bool
) -> None:
    """Raise unless the run in the folder is this one, and is to be resumed."""
    if not resume and before["state"] == COMPLETE:
        raise InputError(f"{path} has a run already, complete; name another folder")
    if not resume:
        raise InputError(
            f"{path} has the beginning of a run; say ",
            Argument("resume", True),
            ", or name another folder",
        )
    for name, value in plan.items():
        if before.get(name) != value:
            known = {"whyword": "whyword's version", "source": "the source"}
            what = known.get(name) or Argument(name)
            raise InputError(
                f"the run in {path} was another one: ", what, " differs; name another folder"
            )
    if "model" in plan and plan["model"] is None:
        raise InputError(
            f"the run in {path} cannot be resumed: its model has no identity, so that nobody can "
            "tell whether this is the same one; name another folder (a BlackBox, or a "
            "TorchClassifier that a function encodes for, has an identity if it is made with ",
            Argument("name", ...),
            ")",
        )
