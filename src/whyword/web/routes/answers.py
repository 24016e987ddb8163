"""What the routes share: what is served, and how an answer becomes JSON."""

from collections.abc import Callable
from typing import Any

import orjson
from fastapi import Body, Request, Response
from starlette.exceptions import HTTPException

from whyword.web.assets import Asset, assets
from whyword.web.bodies import Sizes
from whyword.web.engine import Engine
from whyword.web.gate import Gate
from whyword.web.library import Library
from whyword.web.schema import Problem
from whyword.web.suspects import SuspectList

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (401, 403, 408, 413, 422, 503, 504)
}


class Served:
    """What an application serves: a model, perhaps a corpus, the files of the page.

    Parameters
    ----------
    engine : Engine
    library : Library or None
    suspects : SuspectList or None
    """

    def __init__(
        self, engine: Engine, library: Library | None, suspects: SuspectList | None = None
    ) -> None:
        self.engine = engine
        self.library = library
        self.suspects = suspects
        self.gate = Gate(engine.limits)
        self.files = assets()
        self.docs: Asset | None = None  # these two are made from the schema of the routes
        self.sizes: dict[str, Sizes] = {}
        self.map: bytes | None = None  # the same every time, once it is drawn

    @property
    def corpus(self) -> Library:
        """The corpus; raise if there is none."""
        if self.library is None:
            raise HTTPException(404, "no corpus is served; start with: whyword serve MODEL CORPUS")
        return self.library

    @property
    def suspect_list(self) -> SuspectList:
        """The suspects; raise if there are none."""
        if self.suspects is None:
            start = "whyword serve MODEL CORPUS --suspects FOLDER"
            raise HTTPException(404, f"no suspects are served; start with: {start}")
        return self.suspects

    async def compute(self, work: Callable[[], object], quick: bool = False) -> Response:
        """Return what the work returns, computed at once if that is quick, or in a thread."""
        if quick:  # sooner done than handed to a thread
            return json_answer(to_json(work()))
        return json_answer(await self.gate.run(lambda: to_json(work())))


def served(request: Request) -> Served:
    """Return what the application that was asked serves."""
    found: Served = request.app.state.served
    return found


def to_json(content: object) -> bytes:
    """Return JSON; arrays become lists."""
    return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)


def json_answer(content: bytes) -> Response:
    """Return an answer that is JSON already."""
    return Response(content, 200, {"cache-control": "no-store"}, "application/json")


def example(**value: object) -> Any:  # noqa: ANN401 - FastAPI's own type
    """Return a body with an example for the page that describes the API."""
    return Body(openapi_examples={"one": {"value": value}})
