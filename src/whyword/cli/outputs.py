"""Where a command's results go: the console, a file apart from the source, a folder."""

import logging
import os
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from whyword.base.checks import expand_path
from whyword.base.errors import Argument, InputError
from whyword.base.printable import one_line
from whyword.base.progress import counted, progress_bar
from whyword.batch.folder import REJECTS
from whyword.batch.ray import check_ray, silence_ray
from whyword.batch.runs import Outcome, RunOptions
from whyword.cli.inputs import TextOptions, open_model
from whyword.cli.messages import print_error
from whyword.cli.options import Address, Engines, Resume, Workers
from whyword.corpora.source import name_and_part
from whyword.corpora.tables import table_kind
from whyword.corpora.text_files import holds_mails
from whyword.models.protocol import TextClassifier

log = logging.getLogger(__name__)
T = TypeVar("T")
_PIPE_WIDTH = 160  # of tables when nobody's screen sets a limit


def stdout_console() -> Console:
    """Return where tables are printed: as wide as the screen, texts shown as they are."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, markup=False, emoji=False, highlight=False)


def counted_if_unseen(items: Iterable[T], stage: str) -> Iterable[T]:
    """Return what is printed, counted on stderr unless stdout is a terminal, where it is seen."""
    return items if sys.stdout.isatty() else counted(items, stage)


def flushed(code: str | int | None) -> str | int | None:
    """Return the exit code, once all that was printed is where it belongs.

    A full disk, or a pipe that nobody reads, is known only now: the code is 1 then, if it was 0.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # Python flushes it again
            if stream is sys.stdout and not code:
                code = 1
                if not isinstance(error, BrokenPipeError):
                    print_error(error)
    return code


def check_apart(out: Path | None, source: str) -> None:
    """Raise if a file would be written over what is read, or be read the next time."""
    if out is None or source == "-":
        return
    path, read = expand_path(out), _file_of(source)
    if path.exists() and path.samefile(read):
        raise InputError(f"{out} is what is to be read; it will not be written over")
    if read.is_dir() and path.resolve().is_relative_to(read.resolve()):
        raise InputError(f"{out} is in the folder that is read; name another place")


def check_report(out: Path | None, source: str, models: Iterable[str]) -> None:
    """Raise unless a page, and JSON beside it, can be written: not over what is read."""
    if out is not None and out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out}: a report is a page; name it .html")
    folders = [expand_path(model).resolve() for model in models]
    for written in () if out is None else (out, out.with_suffix(".json")):
        check_apart(written, source)
        if expand_path(written).resolve().parent in folders:
            raise InputError(f"{written} would be in the model's own folder")
        if expand_path(written).is_dir():
            raise InputError(f"{written} is a folder")


def _file_of(source: str) -> Path:
    name, _ = name_and_part(source)
    return expand_path(name) if expand_path(name).exists() else Path(os.devnull)


def is_folder(out: Path, endings: Collection[str]) -> bool:
    """Return whether a folder is meant: by its ending, a file's is one of these; else by itself."""
    if out.suffix.lower() in endings:
        return False
    return not out.suffix or expand_path(out).is_dir()


def checked_folder(out: Path) -> Path:
    """Return where to write, which may be there already unless it is a file."""
    folder = expand_path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{out} is no folder")
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise InputError(f"{out} cannot be written; name another folder")
    return folder


@dataclass(frozen=True)
class FolderOptions:
    """How a run over a corpus of any size is done; the fields are options."""

    resume: Resume = False
    engine: Engines = "local"
    workers: Workers = None
    address: Address = None

    def with_reading(self, strict: bool, reading: TextOptions) -> RunOptions:
        """Return them as a run takes them, with how its source is read."""
        return {
            "resume": self.resume,
            "engine": self.engine,
            "workers": self.workers,
            "address": self.address,
            "strict": strict,
            "text": reading.text,
            "encoding": reading.encoding,
        }

    def check_unused(self, **others: object) -> None:
        """Raise if one of them, or of the others, was given though no folder is written."""
        if self == FolderOptions() and not any(others.values()):
            return
        *before, last = map(Argument, [*others, *asdict(self)])
        listed = [part for one in before for part in (one, ", ")][:-1]
        raise InputError(*listed, " and ", last, " are for a folder: ", Argument("out", "why"))


def write_corpus_results(
    run: Callable[..., Outcome],
    model: str,
    source: str,
    out: Path,
    how: RunOptions,
    prepare: Callable[[TextClassifier], None] = lambda _: None,
) -> None:
    """Go through a corpus of any size and say what came of it.

    Parameters
    ----------
    run : callable
    model, source, out
        Of the command.
    how : RunOptions
    prepare : callable
        Called with the model before the run.
    """
    path = expand_path(name_and_part(source)[0])
    if source == "-" or (path.is_file() and table_kind(path) is None and not holds_mails(path)):
        raise InputError(
            f"{source} is no table and no corpus, which a folder is written of; leave ",
            Argument("out"),
            " out",
        )
    if how.get("engine") == "ray":
        check_ray()
        silence_ray()  # this process is the command's own
    loaded = open_model(model)
    prepare(loaded)
    try:
        with progress_bar("preparing") as report:
            outcome = run(loaded, source, out, on_progress=report, **how)
    except (KeyboardInterrupt, SystemExit) as stop:
        stop.add_note(f"what is done is kept in {out}: --resume goes on")
        raise
    files = "1 file" if outcome.parts == 1 else f"{outcome.parts:,} files"
    plural = "s" * (outcome.n_documents != 1)
    summary = f"{outcome.n_documents:,} document{plural} in {files}, {outcome.seconds:,.0f} s"
    if outcome.resumed:
        summary += f"; {outcome.resumed:,} of them were there before"
    log.info("written: %s (%s)", one_line(str(outcome.folder)), summary)
    if outcome.rejected:
        where = one_line(str(outcome.folder / REJECTS))
        log.warning("%s rows could not be read: %s", f"{outcome.rejected:,}", where)
