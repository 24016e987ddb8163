"""How much work is done at a time, how much waits, for how long; and answers under load."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from networks import made_cnn
from served import TEXTS, asked, check_refused, library, model
from starlette.types import ASGIApp

import whyword as ww
from whyword.web.app import create_app
from whyword.web.engine import Engine
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


# ---- answers under load -------------------------------------------------------------------------


class Slow(Engine):
    """An engine whose predictions wait until they are let go."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(made_cnn(), limits)
        self.go, self.begun = threading.Event(), 0

    def predict(self, *given: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        self.begun += 1
        self.go.wait(10)
        return super().predict(*given)

    def is_quick(self, texts: Sequence[str], method: str | None = None) -> bool:
        return texts == ["quick"]


async def answering(of: ASGIApp) -> int:
    count: int = (await asked(of, "/api/about")).json["answering"]
    return count


def test_a_busy_server_says_so_and_stays_well() -> None:
    async def talk() -> None:
        slow = Slow(Limits(workers=1, waiting=1))
        busy, given = create_app(slow), {"documents": ["wa"]}
        tasks = [asyncio.create_task(asked(busy, "/api/predict", given)) for _ in range(2)]
        await until(lambda: slow.begun == 1)
        while await answering(busy) < 2:
            await asyncio.sleep(0.001)
        for path, sent in (("/api/predict", given), ("/api/explain", given)):
            turned_away = await asked(busy, path, sent)
            check_refused(turned_away, 503, "2 requests are being answered; try again in a moment")
            assert turned_away.headers["retry-after"] == "1"
        assert (await asked(busy, "/")).status == 200  # what needs no work is there
        assert (await asked(busy, "/api/explain", {"documents": ["quick"]})).status == 200
        assert (await asked(busy, "/api/about")).status == 200
        slow.go.set()
        assert [answer.status for answer in await asyncio.gather(*tasks)] == [200, 200]
        assert (await asked(busy, "/api/predict", given)).status == 200
        assert await answering(busy) == 0

    asyncio.run(talk())


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    async def talk() -> None:
        slow = Slow(Limits(workers=1, waiting=0, work_seconds=0.05))
        busy, given = create_app(slow), {"documents": ["secret"]}
        problem = check_refused(
            await asked(busy, "/api/predict", given), 504, "not ready after 0.05 s"
        )
        assert "secret" not in problem
        assert await answering(busy) == 1  # the thread is still at it
        check_refused(await asked(busy, "/api/explain", given), 503)
        slow.go.set()
        while await answering(busy):
            await asyncio.sleep(0.001)
        assert (await asked(busy, "/api/explain", given)).status == 200

    asyncio.run(talk())


def test_many_at_once_get_their_own_answers() -> None:
    async def talk() -> None:
        texts = [f"{text} {'moon ' * (number % 5)}" for number, text in enumerate(TEXTS)]
        many = create_app(Engine(model("cnn"), Limits(workers=4)), library())
        answers = await asyncio.gather(
            *(
                asked(many, "/api/explain", {"documents": [{"text": text, "id": str(number)}]})
                for number, text in enumerate(texts)
            )
        )
        for number, (answer, expected) in enumerate(
            zip(answers, ww.explain(model("cnn"), texts), strict=True)
        ):
            (one,) = answer.json["explanations"]
            assert (one["id"], one["text"]) == (str(number), texts[number])
            np.testing.assert_allclose(one["relevance"], expected.relevance, rtol=1e-4, atol=1e-5)

    asyncio.run(talk())
