"""The folder that a run writes to: parts that are whole or not there, and what the run is.

Not :mod:`whyword.base.store`: the folder is the result, which its user names, reads with other
tools and resumes; parts carry no digest, and the manifest says once what all were made of.
"""

import errno
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self, TextIO
from uuid import uuid4

from whyword.base.errors import Argument, InputError
from whyword.base.files import exclusive_folder
from whyword.batch.chunks import Place, SourceReader
from whyword.corpora.tables import BadRow

MANIFEST, REJECTS = "_whyword.json", "_rejects.jsonl"
COMPLETE = "complete"
_PART, _DRAFT = "part-", ".draft-"
_PATIENCE = 10.0  # seconds for processes of a run that was killed to notice it
# words and names repeat, numbers do not; spans grow by little
_DICTIONARIES = ("words.list.element", "classes.list.element", "target", "method", "parameters")


@dataclass
class RunFolder:
    """A run's folder, which nobody else writes to.

    Attributes
    ----------
    path : Path
    plan : dict
        What the run is: a folder belongs to one.
    done : dict
        How many documents each part has that is written.
    rejected : int or None
        How many rows could not be read, once the run is complete.
    """

    path: Path
    plan: Mapping[str, Any]
    done: dict[Place, int] = field(default_factory=dict)
    rejected: int | None = None

    def clear_drafts(self) -> None:
        """Take away what a process that was killed left behind."""
        for draft in self.path.glob(f"{_DRAFT}*"):
            draft.unlink(missing_ok=True)

    def complete(self, rejected: int) -> None:
        """Say that the run is complete."""
        self.clear_drafts()  # of processes that died and whose work another one did
        self.rejected = rejected
        self.write_manifest()

    def write_manifest(self) -> None:
        """Write what the run is and how far it is."""
        state: dict[str, Any] = {"state": "begun" if self.rejected is None else COMPLETE}
        if self.rejected is not None:
            state["parts"] = len(self.done)
            state["documents"] = sum(self.done.values())
            state["rejected"] = self.rejected
        text = json.dumps(dict(self.plan) | state, indent=2, ensure_ascii=False)
        path, draft = self.path / MANIFEST, self.path / f"{_DRAFT}manifest"
        with _translate_write_errors(path, draft):
            draft.write_text(text + "\n", encoding="utf-8")
            draft.replace(path)


def part_path(folder: Path, place: Place) -> Path:
    """Return the file of a chunk."""
    return folder / f"{_PART}{place}.parquet"


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
    plan = {"whyword": version("whyword"), **about, "source": source, "at_most": sizes}
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
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; name a folder")
    with _lock_folder(path):
        before = _read_manifest(path)
        if before is None:
            # a run that was killed at once may have left a draft, and nothing else
            if any(not file.name.startswith(_DRAFT) for file in path.iterdir()):
                raise InputError(f"{path} is not empty; name another folder")
        elif not resume:
            if before["state"] == COMPLETE:
                raise InputError(f"{path} has a run already, complete; name another folder")
            raise InputError(
                f"{path} has the beginning of a run; say ",
                Argument("resume", True),
                ", or name another folder",
            )
        else:
            _check_same(path, before, plan)
        folder = RunFolder(path, plan)
        folder.clear_drafts()
        folder.done.update(_written_parts(path))
        if before is not None and before["state"] == COMPLETE:
            folder.rejected = before["rejected"] if before["parts"] == len(folder.done) else None
        if folder.rejected is None:
            folder.write_manifest()
        try:
            yield folder
        except BaseException:
            if before is None and not any(_written_parts(path)):  # nothing that could be resumed
                (path / MANIFEST).unlink(missing_ok=True)
                folder.clear_drafts()
            raise


def write_part(path: Path, table: Any) -> None:  # noqa: ANN401 - pyarrow has no types
    """Write a part so that it is there whole or not at all, even if the machine stops.

    Raises
    ------
    InputError
        If it cannot be written; nothing is left of it then.
    """
    import pyarrow.parquet as pq

    draft = path.with_name(f"{_DRAFT}{path.name}-{uuid4().hex[:12]}")
    names = set(table.schema.names)
    with _translate_write_errors(path, draft), draft.open("wb") as stream:
        pq.write_table(
            table,
            stream,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in _DICTIONARIES if name.partition(".")[0] in names],
            write_statistics=["id"] if "id" in names else False,
        )
        stream.flush()
        os.fsync(stream.fileno())
        draft.replace(path)


@contextmanager
def _translate_write_errors(path: Path, draft: Path | None = None) -> Iterator[None]:
    """Say of what cannot be written that the run can be resumed; leave no draft."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        full = getattr(error, "errno", None) == errno.ENOSPC or "o space left" in str(error)
        reason = "no space left" if full else str(error).partition("\n")[0]
        raise InputError(
            f"{path} cannot be written ({reason}); what is done is kept: once there is room, say ",
            Argument("resume", True),
        ) from None


class Rejects:
    """The rows that could not be read, written as they come, a JSON object a line.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._draft = folder / REJECTS, folder / f"{_DRAFT}rejects"
        self._stream: TextIO | None = None
        self.count = 0

    def add(self, rows: Iterable[BadRow]) -> None:
        """Write some more."""
        for row in rows:
            with _translate_write_errors(self._path):
                if self._stream is None:
                    self._stream = self._draft.open("w", encoding="utf-8")
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
        with _translate_write_errors(self._path, self._draft):
            if self._stream is None:
                self._path.unlink(missing_ok=True)
            else:
                self._stream.close()
                self._draft.replace(self._path)


@contextmanager
def _lock_folder(path: Path) -> Iterator[None]:
    """Keep others out; wait a little for processes of a run that was killed."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be made ({error.strerror})") from None
    end = time.monotonic() + _PATIENCE
    while True:
        lock = exclusive_folder(path)
        try:
            lock.__enter__()
            break
        except InputError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def _read_manifest(path: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        raise InputError(f"{path / MANIFEST} cannot be read ({error})") from None
    if not isinstance(manifest, dict) or "state" not in manifest:
        raise InputError(f"{path / MANIFEST} is not what a run writes")
    return manifest


def _check_same(path: Path, before: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    for name, value in plan.items():
        if before.get(name) != value:
            known = {"whyword": "whyword's version", "source": "the source"}
            what = known.get(name) or Argument(name)
            raise InputError(
                f"the run in {path} was another one: ", what, " differs; name another folder"
            )


def _written_parts(path: Path) -> Iterator[tuple[Place, int]]:
    """Yield the parts that are there; one that is damaged is taken away, to be made again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for file in path.glob(f"{_PART}*.parquet"):
        shard, _, number = file.stem.removeprefix(_PART).partition("-")
        try:
            yield Place(int(shard), int(number)), pq.read_metadata(file).num_rows
        except (pa.ArrowException, OSError):
            file.unlink()
