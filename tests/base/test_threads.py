"""The number of cores that a computation takes."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from whyword.base.threads import in_threads, one_thread, usable_cores


def threads() -> int:
    """Return the number of threads that this process computes in."""
    parts: list[int] = []
    in_threads(lambda first, last: parts.append(first), 64)
    return len(parts)


def test_parts_of_the_work_cover_it_once() -> None:
    for count in (0, 1, 2, 7, 100):
        done = np.zeros(count, int)

        def work(start: int, stop: int, done: np.ndarray = done) -> None:
            done[start:stop] += 1

        in_threads(work, count)
        assert (done == 1).all()


def test_an_error_in_a_thread_is_raised() -> None:
    def work(start: int, stop: int) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        in_threads(work, 10)


def test_the_cores_are_those_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)  # the machine's; a container has fewer
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {3, 5, 7})
    assert usable_cores() == threads() == 3
    monkeypatch.delattr("os.sched_getaffinity")  # macOS, Windows
    assert usable_cores() == 64
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert usable_cores() == threads() == 1


def test_one_thread_while_a_caller_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2})
    before = [pool["num_threads"] for pool in threadpool_info()]
    first, second = one_thread(), one_thread()
    first.__enter__()
    second.__enter__()
    assert threads() == 1
    first.__exit__(None, None, None)  # the first one ends first: they overlap
    assert threads() == 1
    assert {pool["num_threads"] for pool in threadpool_info()} <= {1}
    second.__exit__(None, None, None)
    assert threads() == 3
    assert [pool["num_threads"] for pool in threadpool_info()] == before
