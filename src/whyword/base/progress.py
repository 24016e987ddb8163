"""What a terminal shows while one waits; a pipe sees nothing of it."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

T = TypeVar("T")
_TOLD_EVERY = 50


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    documents : int
        That are done; those of an earlier run are not among them.
    share : float
        Of all documents, as far as it can be told.
    """

    documents: int
    share: float


class Step(NamedTuple):
    """A stage that begins.

    Attributes
    ----------
    name : str
    number, of : int
        Which of how many stages, from 1.
    kept : bool
        Whether its result is there already.
    seconds_left : float
        Until all stages are done, as far as can be said.
    """

    name: str
    number: int
    of: int
    kept: bool
    seconds_left: float


def counted(items: Iterable[T], what: str) -> Iterator[T]:
    """Yield the items, with their count and the time spent on a terminal's stderr."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} " + what),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
    )
    silent = not sys.stderr.isatty()
    with Bar(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        task = bar.add_task(what, total=None, pace="")
        for number, item in enumerate(items, 1):
            yield item
            if number % _TOLD_EVERY == 0:
                pace = number / max(bar.tasks[task].elapsed or 0, 1e-3)
                bar.update(task, completed=number, pace=f"{pace:,.0f}/s")


@contextmanager
def corpus_progress(what: str) -> Iterator[Callable[[Progress], None]]:
    """Yield a function to call with a run's progress; a terminal's stderr shows pace and end."""
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=24),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[documents]:,} " + what),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
        _TimeLeft(),
    )
    silent = not sys.stderr.isatty()
    with Bar(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        task = bar.add_task(what, total=1.0, documents=0, pace="", end=None)
        begun: list[tuple[float, Progress]] = []  # when the first part was done

        def tell(progress: Progress) -> None:
            now = time.monotonic()
            if not begun:
                begun.append((now, progress))
            (start, first), end, pace = begun[0], None, ""
            if progress.share > first.share:
                seconds = now - start
                end = now + seconds * (1 - progress.share) / (progress.share - first.share)
                pace = f"{(progress.documents - first.documents) / seconds:,.0f}/s"
            share, documents = progress.share, progress.documents
            bar.update(task, completed=share, documents=documents, pace=pace, end=end)

        yield tell


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each stage; a terminal's stderr shows it."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    silent = not sys.stderr.isatty()
    with Bar(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        task = bar.add_task("")
        yield lambda stage: bar.update(task, description=stage)


@contextmanager
def steps() -> Iterator[Callable[[Step], None]]:
    """Yield a function to call with each step; a terminal's stderr shows it and the time left."""
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        _TimeLeft(),
    )
    silent = not sys.stderr.isatty()
    with Bar(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        task = bar.add_task("getting the posts", total=None, end=None)

        def tell(step: Step) -> None:
            bar.update(
                task,
                description=step.name,
                completed=step.number - 1,
                total=step.of,
                end=time.monotonic() + step.seconds_left,
            )

        yield tell


class _TimeLeft(ProgressColumn):
    """What is left until the time that a task's field `end` names."""

    def render(self, task: Task) -> Text:
        end = task.fields["end"]
        if end is None:
            return Text("")
        minutes, seconds = divmod(max(0, round(end - time.monotonic())), 60)
        return Text(f"about {minutes}:{seconds:02} left", "cyan")
