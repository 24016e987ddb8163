"""Answers under load: what a busy server says, and who gets which."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from networks import made_cnn
from served import TEXTS, asked, check_refused, library, model
from starlette.types import ASGIApp

import whyword as ww
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.limits import Limits


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


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.001)


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
