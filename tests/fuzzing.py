"""What comes from outside, made up by the thousand: it is taken, or refused in one line.

A :class:`Fuzzer` is a kind of input and what is done with it. The tests run a bounded number of
cases of each, the same ones every time; ``benchmarks/soak.py`` runs others for as long as it is
told to.
"""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

from whyword.base.errors import WhywordError

SECONDS = 60  # for one case: a machine under load must not fail it
GROWTH = 500 << 20  # bytes that one case may take for a moment


@dataclass
class Fuzzer:
    """A kind of input, and what is done with it.

    Attributes
    ----------
    name : str
    cases : strategy
        What is made up: plain data, so that a failing case can be read.
    run : callable
        Does what a user would do with a case; a :class:`WhywordError` of one line is an answer,
        anything else that is raised is not.
    accepted, refused : int
        Of the cases so far.
    slowest : float
        Seconds.
    growth : int
        The most bytes that a case took.
    """

    name: str
    cases: SearchStrategy[Any]
    run: Callable[[Any], object]
    accepted: int = 0
    refused: int = 0
    slowest: float = 0.0
    growth: int = 0
    messages: set[str] = field(default_factory=set, repr=False)

    @property
    def done(self) -> int:
        """How many cases there were."""
        return self.accepted + self.refused

    def check(self, count: int, first_seed: int | None = None) -> None:
        """Run a number of cases: those of the tests, or others.

        Parameters
        ----------
        count : int
        first_seed : int, optional
            Where to begin; by default where the tests do.
        """
        until = self.done + count
        for number in range(100):  # hypothesis stops early where a strategy repeats itself
            if self.done >= until:
                return
            self._some(until - self.done, (first_seed or 0) + number)
        raise AssertionError(f"{self.name}: {self.done} different cases, {until} are wanted")

    def _some(self, count: int, number: int) -> None:
        @seed(number)
        @settings(
            max_examples=count,
            deadline=None,  # our own, which does not fail on a busy machine
            database=None,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(self.cases)
        def one(case: Any) -> None:  # noqa: ANN401 - whatever the strategy makes
            self.try_one(case)

        one()

    def try_one(self, case: Any) -> None:  # noqa: ANN401 - whatever the strategy makes
        """Run one case; raise if it ends in anything but an answer."""
        before, start = _begin_peak(), time.perf_counter()
        try:
            with _alarm(SECONDS):
                self.run(case)
        except WhywordError as error:
            check_message(str(error))
            self.refused += 1
            self.messages.add(str(error)[:60])
        else:
            self.accepted += 1
        self.slowest = max(self.slowest, time.perf_counter() - start)
        grown = _peak() - before
        self.growth = max(self.growth, grown)
        assert grown < GROWTH, f"{self.name}: a case took {grown / 2**20:.0f} MB"


def check_message(message: str) -> None:
    """Raise unless a message is one line that a person can read."""
    assert message.strip(), "an empty message"
    assert len(message.splitlines()) == 1, f"several lines: {message!r}"
    assert message.isprintable() or not any(ord(c) < 32 for c in message), repr(message)
    assert len(message) < 2_000, f"{len(message)} characters: {message[:200]!r}"
    for sign in ("Traceback", "object at 0x"):
        assert sign not in message, message


@contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    """Raise in the block if it takes longer."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _begin_peak() -> int:
    """Let the system count this process's peak anew; return what it holds now, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:  # another system: its peak is the process's whole life's
        return _peak()
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) << 10
    return 0


# ---- damage -----------------------------------------------------------------------------------


def damage(data: bytes, how: random.Random) -> bytes:
    """Return bytes with one thing wrong: flipped, cut, doubled, moved, or something put in."""
    if not data:
        return bytes([how.randrange(256)])
    at = how.randrange(len(data))
    end = min(len(data), at + 1 + int(how.expovariate(1 / 16)))
    kind = how.randrange(8)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << how.randrange(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + data[end:]
    if kind == 3:
        return data[:end] + data[at:]
    if kind == 4:
        return data[:at] + how.choice(_PIECES) + data[at:]
    if kind == 5:
        return data[:at] + how.choice(_PIECES) + data[end:]
    if kind == 6:
        return data[:at] + how.randbytes(end - at) + data[end:]
    there = how.randrange(len(data))
    return data[:at] + data[there : there + end - at] + data[end:]


_PIECES = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",  # half a surrogate pair
    b'"',
    b"'",
    b"\n",
    b"\r",
    b"\r\n",
    b"\x1a",
    b"\x85",
    "\u2028".encode(),
    b",",
    b";",
    b"\t",
    b"{",
    b"}",
    b"[" * 500,
    b"-1",
    b"NaN",
    b"1e999",
    b"9" * 30,
    b"9" * 5_000,
    b"\xff" * 8,
    b"\0" * 64,
)
