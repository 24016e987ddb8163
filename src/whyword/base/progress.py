"""How far a long computation is: one event for whoever listens, one bar for a terminal.

The bar is rich's; two of its columns are ours, since rich tells the time left by counted steps, and
here a stage may know its share of the whole, or the seconds that are left, only.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias, TypeVar

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from whyword.base.errors import Argument, InputError

T = TypeVar("T")
_REPORTED_EVERY = 50  # items that are counted


@dataclass(frozen=True)
class Progress:
    """How far a computation is; what is not known, or makes no sense for it, is None.

    Attributes
    ----------
    stage : str
        What is being done.
    n_documents : int, optional
        How many are done; those of an earlier run are not among them.
    share : float, optional
        What is done of all, from 0 to 1, as far as can be said.
    number, total : int, optional
        Which of how many stages or epochs, from 1.
    kept : bool
        Whether the stage's result is there already.
    seconds_left : float, optional
        Until all is done, as far as can be said.
    metrics : dict from str to float
        What was measured at this point: a network's loss.
    """

    stage: str = ""
    _: KW_ONLY
    n_documents: int | None = None
    share: float | None = None
    number: int | None = None
    total: int | None = None
    kept: bool = False
    seconds_left: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


OnProgress: TypeAlias = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """Do nothing: what is called where nobody listens."""


@contextmanager
def reporting(on_progress: OnProgress | bool | None, stage: str) -> Iterator[OnProgress]:
    """Yield what to call with each event: the function given, or a bar.

    Parameters
    ----------
    on_progress : callable, bool or None
        A function is called instead of a bar. None shows a bar on a terminal only, True always,
        False never.
    stage : str
        What a bar shows until an event names something else.
    """
    if callable(on_progress):
        yield on_progress
    elif on_progress is None or isinstance(on_progress, bool):
        with progress_bar(stage, on_progress) as report:
            yield report
    else:
        kind = type(on_progress).__name__
        raise InputError(
            Argument("on_progress"), f" takes a function, True, False or None, not {kind}"
        )


@contextmanager
def progress_bar(stage: str, shown: bool | None = None) -> Iterator[OnProgress]:
    """Yield a function to call with each event; stderr shows it, by default on a terminal only.

    It shows as much as the events know: a bar, which stage or how many per cent, what is done,
    documents and their pace, metrics, the time spent and the time left.

    Parameters
    ----------
    stage : str
        What is shown until an event names something else.
    shown : bool, optional
    """
    has_terminal = sys.stderr is not None and sys.stderr.isatty()  # pythonw has no stderr
    silent = not (has_terminal if shown is None else shown)
    columns = (
        SpinnerColumn(),
        _KnownShare(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        _TimeLeft(),
    )
    console = Console(stderr=True, force_terminal=shown)  # who wants a bar has one in a pipe, too
    with Bar(*columns, console=console, disable=silent, transient=True) as bar:
        task = bar.add_task(stage, total=None, end=None)
        pace = _Pace()

        def report(event: Progress) -> None:
            seconds = pace.seconds_left(event)
            end = None if seconds is None else time.monotonic() + seconds
            said = _described(event, stage, pace.of_documents(event))
            total = None if event.share is None else 1.0
            bar.update(task, description=said, completed=event.share, total=total, end=end)

        yield report


def counted(items: Iterable[T], stage: str) -> Iterator[T]:
    """Yield the items, with their count, pace and the time spent on a terminal's stderr."""
    with progress_bar(stage) as report:
        for number, item in enumerate(items, 1):
            yield item
            if number % _REPORTED_EVERY == 0:
                report(Progress(n_documents=number))


class _Pace:
    """How fast events come, from the first one on: getting ready is not counted."""

    def __init__(self) -> None:
        self._first: tuple[float, Progress] | None = None

    def _since(self, event: Progress) -> tuple[float, Progress]:
        """Return the seconds since the first event, and that event."""
        now = time.monotonic()
        self._first = self._first or (now, event)
        return now - self._first[0], self._first[1]

    def seconds_left(self, event: Progress) -> float | None:
        """Return what the event says, or what its share lets expect."""
        seconds, first = self._since(event)
        if event.seconds_left is not None or event.share is None or first.share is None:
            return event.seconds_left
        if event.share <= first.share:
            return None
        return seconds * (1 - event.share) / (event.share - first.share)

    def of_documents(self, event: Progress) -> float | None:
        """Return how many documents there are in a second."""
        seconds, first = self._since(event)
        done = (event.n_documents or 0) - (first.n_documents or 0)
        return done / seconds if done > 0 and seconds > 0 else None


def _described(event: Progress, stage: str, pace: float | None) -> str:
    """Return the event in a line."""
    parts = []
    if event.total is not None:
        parts.append(f"{event.number}/{event.total}")
    elif event.share is not None:
        parts.append(f"{event.share:>4.0%}")
    parts.append(event.stage or stage)
    if event.n_documents is not None:
        parts.append(f"{event.n_documents:,} documents")
    if pace is not None:
        parts.append(f"{pace:,.0f}/s")
    parts += [f"{name} {value:.3f}" for name, value in event.metrics.items()]
    return "  ".join(parts)


class _KnownShare(ProgressColumn):
    """A bar, once there is a share to show."""

    _bar = BarColumn(bar_width=24)

    def render(self, task: Task) -> RenderableType:
        return "" if task.total is None else self._bar.render(task)


class _TimeLeft(ProgressColumn):
    """What is left until the time that a task's field `end` names."""

    def render(self, task: Task) -> Text:
        end = task.fields["end"]
        if end is None:
            return Text("")
        minutes, seconds = divmod(max(0, round(end - time.monotonic())), 60)
        return Text(f"about {minutes}:{seconds:02} left", "cyan")
