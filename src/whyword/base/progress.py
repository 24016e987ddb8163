"""How far a long computation is: one event for whoever listens, one bar for a terminal.

The bar is rich's; two of its columns are ours, since rich tells the time left by counted steps, and
here a stage may know its share of the whole, or the seconds that are left, only. A command whose
stderr is a pipe or a file has lines instead (:func:`lines_in_a_pipe`).
"""

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass, field
from threading import Event, Thread, current_thread
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
from whyword.base.printable import one_line, shown

T = TypeVar("T")
_REPORTED_EVERY = 50  # items that are counted
_LINE_EVERY = 15.0  # seconds
_LONGEST_WAIT = 86_400.0
_LAST_LINE = 1.0  # seconds that one may take which is being written at the end


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
    lines, has_terminal = _LINES.get(), _has_terminal()
    if shown is None and lines is not None and not has_terminal:
        with lines.during(stage) as report:
            yield report
        return
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
    """Yield the items, with their count, pace and the time spent on stderr, as a bar does."""
    with progress_bar(stage) as report:
        for number, item in enumerate(items, 1):
            yield item
            if number % _REPORTED_EVERY == 0:
                report(Progress(n_documents=number))


def _has_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()  # pythonw has no stderr


# ---- lines in a pipe ----------------------------------------------------------------------


class Lines:
    """A line on stderr every so often while there is work, for whoever reads a pipe or a log.

    A thread writes them, so that work which reports nothing for minutes is heard of, too.

    Parameters
    ----------
    every : float
        Seconds until the first line, and from one to the next.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self, every: float = _LINE_EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._every, self._clock = every, clock
        self._start = clock()
        self._stages: list[_Stage] = []  # one within the other
        self._over, self._writer = Event(), current_thread()

    @contextmanager
    def during(self, stage: str) -> Iterator[OnProgress]:
        """Yield a function to call with each event; lines speak of this stage in the block."""
        current = _Stage(stage, self._clock)
        self._stages.append(current)
        if len(self._stages) == 1:
            self._over = Event()
            self._writer = Thread(target=self.write, args=(self._over.wait,), daemon=True)
            self._writer.start()
        try:
            yield current.report
        finally:
            self._stages.remove(current)
            if not self._stages:
                self._over.set()
                if self._writer is not current_thread():  # which may collect a generator
                    self._writer.join(_LAST_LINE)

    def write(self, wait: Callable[[float], bool]) -> None:
        """Write line after line; `wait` takes the seconds and returns whether all is over."""
        while not wait(self._every):
            line = self.line()
            with suppress(OSError, ValueError):  # a stderr that takes nothing, or is closed
                if line and sys.stderr is not None:
                    sys.stderr.write(f"{line}\n")
                    sys.stderr.flush()

    def line(self) -> str:
        """Return how far the innermost stage is, the time spent and, if known, the time left."""
        stages = self._stages[-1:]
        if not stages:  # the last one ended this moment
            return ""
        parts = [stages[0].said, f"{_minutes(self._clock() - self._start)} so far"]
        if (end := stages[0].end) is not None:
            parts.append(f"about {_minutes(end - self._clock())} left")
        return one_line(", ".join(parts))


class _Stage:
    """What is said of a stage, and when it is expected to end."""

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        self._name, self._clock, self._pace = name, clock, _Pace(clock)
        self.said = name
        self.end: float | None = None

    def report(self, event: Progress) -> None:
        seconds = self._pace.seconds_left(event)
        self.end = None if seconds is None else self._clock() + seconds
        self.said = _described(event, self._name, self._pace.of_documents(event)).strip()


# of the command that runs, if its stderr is no terminal; no library call sets it
_LINES: ContextVar[Lines | None] = ContextVar("lines", default=None)


@contextmanager
def lines_in_a_pipe(stage: str | None) -> Iterator[None]:
    """Let what shows a bar on a terminal write a line every 15 seconds if stderr is none.

    The environment variable ``WHYWORD_PROGRESS`` may have another number of seconds.

    Parameters
    ----------
    stage : str or None
        What lines speak of where there would be no bar; None for no lines there.
    """
    seconds = seconds_between_lines()
    if seconds == 0 or _has_terminal():
        yield
        return
    lines = Lines(seconds)
    token = _LINES.set(lines)
    try:
        with nullcontext() if stage is None else lines.during(stage):
            yield
    finally:
        _LINES.reset(token)


def seconds_between_lines() -> float:
    """Return what the environment variable says, 15 by default; 0 for no lines."""
    said = os.environ.get("WHYWORD_PROGRESS") or str(_LINE_EVERY)
    try:
        seconds = float(said)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_WAIT:
        raise InputError(f"WHYWORD_PROGRESS takes seconds, as in 60, or 0; not {shown(said)}")
    return seconds


def _minutes(seconds: float) -> str:
    """Return a time as 1:05, or 2:00:00."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# ---- what is shown ------------------------------------------------------------------------


class _Pace:
    """How fast events come, from the first one on: getting ready is not counted.

    Where the share falls, something else has begun, and it is counted from there.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, Progress] | None = None
        self._share = 0.0

    def _since(self, event: Progress) -> tuple[float, Progress]:
        """Return the seconds since the first event, and that event."""
        now, share = self._clock(), self._share if event.share is None else event.share
        if self._first is None or share < self._share:
            self._first = now, event
        self._share = share
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
        return Text(f"about {_minutes(end - time.monotonic())} left", "cyan")
