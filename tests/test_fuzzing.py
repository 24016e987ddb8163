"""The harness of the fuzzers sees what it should see."""

import mmap
import time

import fuzzing
import pytest
from fuzzing import Fuzzer, check_message
from hypothesis import strategies as st

from whyword.base.errors import InputError


def refuse_odd(number: int) -> None:
    if number % 2:
        raise InputError("an odd number")


def test_answers_are_counted() -> None:
    fuzzer = Fuzzer("numbers", st.integers(), refuse_odd)
    fuzzer.check(50)
    assert fuzzer.done >= 50
    assert fuzzer.accepted > 5
    assert fuzzer.refused > 5


def test_a_strategy_that_repeats_itself_is_seen() -> None:
    with pytest.raises(AssertionError, match="200 are wanted"):
        Fuzzer("one", st.just(0), refuse_odd).check(200)


def take_memory(megabytes: int) -> None:
    """Take memory that this process does not have yet, as it may have much that is free."""
    with mmap.mmap(-1, megabytes << 20) as taken:
        for _ in range(megabytes):
            taken.write(b"x" * (1 << 20))


@pytest.mark.slow(reason="many cases")
def test_other_errors_hangs_and_memory_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        Fuzzer("division", st.integers(), lambda n: 1 // n).check(10)
    monkeypatch.setattr(fuzzing, "SECONDS", 1)
    with pytest.raises(TimeoutError):
        Fuzzer("hang", st.just(0), lambda _: time.sleep(20)).check(1)
    monkeypatch.setattr(fuzzing, "GROWTH", 20 << 20)
    with pytest.raises(AssertionError, match="a case took"):
        Fuzzer("memory", st.just(0), lambda _: take_memory(40)).check(1)


@pytest.mark.parametrize(
    "message", ["", "two\nlines", "\x1b[31mred", "Traceback (most", "x" * 9_999]
)
def test_a_message_is_one_readable_line(message: str) -> None:
    with pytest.raises(AssertionError):
        check_message(message)
