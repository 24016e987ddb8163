"""So much work at a time, so much waiting, so long."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from whyword.web.gate import BusyError, Gate, TooLongError
from whyword.web.limits import Limits

PATIENCE = 10.0  # seconds: more than any of this takes


def gate(workers: int = 1, waiting: int = 0, seconds: float = PATIENCE) -> Gate:
    return Gate(Limits(workers=workers, waiting=waiting, work_seconds=seconds))


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.001)


class Held:
    """Work that goes on until it is let go; counts how many run together."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.lock = threading.Lock()
        self.running = self.most = self.begun = 0

    def __call__(self) -> str:
        with self.lock:
            self.begun += 1
            self.running += 1
            self.most = max(self.most, self.running)
        self.go.wait(PATIENCE)
        with self.lock:
            self.running -= 1
        return "done"


def test_what_work_returns_and_raises_passes_through() -> None:
    async def talk() -> None:
        here = gate()
        assert await here.run(lambda: "found") == "found"
        with pytest.raises(ZeroDivisionError):
            await here.run(lambda: 1 // 0)
        assert await here.run(lambda: threading.current_thread()) is not threading.main_thread()
        await until(lambda: here.inside == 0)

    asyncio.run(talk())


def test_so_many_at_once_so_many_waiting_and_the_next_is_turned_away() -> None:
    async def talk() -> None:
        here, work = gate(workers=2, waiting=3), Held()
        tasks = [asyncio.create_task(here.run(work)) for _ in range(5)]
        await until(lambda: work.running == 2)
        assert here.inside == 5
        with pytest.raises(BusyError, match="5 requests are being answered"):
            await here.run(work)
        assert here.inside == 5
        work.go.set()
        assert await asyncio.gather(*tasks) == ["done"] * 5
        assert work.most == 2
        await until(lambda: here.inside == 0)
        assert await here.run(work) == "done"

    asyncio.run(talk())


def test_work_given_up_keeps_its_place_until_it_is_over() -> None:
    async def talk() -> None:
        here, work = gate(seconds=0.05), Held()
        with pytest.raises(TooLongError, match=r"not ready after 0.05 s"):
            await here.run(work)
        await asyncio.sleep(0.02)  # the loop may hear of it
        assert (here.inside, work.running) == (1, 1)
        with pytest.raises(BusyError):
            await here.run(work)
        work.go.set()
        await until(lambda: here.inside == 0)
        assert await here.run(lambda: "again") == "again"

    asyncio.run(talk())


def test_work_given_up_before_it_began_never_begins() -> None:
    async def talk() -> None:
        here, first, second = gate(waiting=1, seconds=0.05), Held(), Held()
        results = await asyncio.gather(here.run(first), here.run(second), return_exceptions=True)
        assert [type(result) for result in results] == [TooLongError, TooLongError]
        assert here.inside == 1  # the second has left its place already
        first.go.set()
        second.go.set()
        await until(lambda: here.inside == 0)
        assert await here.run(lambda: "next") == "next"
        assert (first.begun, second.begun) == (1, 0)

    asyncio.run(talk())


def test_a_request_that_is_cancelled_while_it_waits_gives_its_place_back() -> None:
    async def talk() -> None:
        here, work = gate(waiting=1), Held()
        first = asyncio.create_task(here.run(work))
        await until(lambda: work.running == 1)
        second = asyncio.create_task(here.run(work))
        await until(lambda: here.inside == 2)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert here.inside == 1
        work.go.set()
        assert await first == "done"

    asyncio.run(talk())


def test_an_error_after_the_time_is_nobodys_business(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def talk() -> None:
        here, work = gate(seconds=0.02), Held()

        def late() -> None:
            work()
            raise ZeroDivisionError

        with pytest.raises(TooLongError):
            await here.run(late)
        work.go.set()
        await until(lambda: here.inside == 0)

    asyncio.run(talk())
    assert not caplog.records


def test_work_that_ends_after_the_loop_has_ended_is_counted_out() -> None:
    here, work = gate(seconds=0.02), Held()

    async def talk() -> None:
        with pytest.raises(TooLongError):
            await here.run(work)

    asyncio.run(talk())
    assert here.inside == 1
    work.go.set()
    asyncio.run(until(lambda: here.inside == 0))


def test_a_closed_gate_lets_running_work_end_and_starts_no_other() -> None:
    async def talk() -> None:
        here, work = gate(waiting=1), Held()
        running = asyncio.create_task(here.run(work))
        await until(lambda: work.running == 1)
        waiting = asyncio.create_task(here.run(work))
        await until(lambda: here.inside == 2)
        here.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        work.go.set()
        assert await running == "done"
        assert work.begun == 1
        await until(lambda: here.inside == 0)

    asyncio.run(talk())
