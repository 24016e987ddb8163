"""The application: its routes, its answers to errors, and what stands before it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from whyword.base.checks import check_installed
from whyword.base.versions import VERSION
from whyword.web.access import Access
from whyword.web.assets import DOCS, asset
from whyword.web.docspage import docs_page
from whyword.web.engine import Engine
from whyword.web.library import Library
from whyword.web.suspects import SuspectList

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp


def create_app(
    engine: Engine,
    library: Library | None = None,
    access: Access | None = None,
    suspects: SuspectList | None = None,
) -> "ASGIApp":
    """Return the ASGI application.

    Parameters
    ----------
    engine : Engine
    library : Library, optional
        Without one there is no corpus to look at. One of the engine's own model shares the words
        that it keeps.
    access : Access, optional
    suspects : SuspectList, optional
    """
    check_installed("web", "fastapi", "starlette", "orjson")
    # the command line is imported without these packages
    from whyword.web.bodies import body_sizes
    from whyword.web.guard import guarded
    from whyword.web.problems import handle_errors
    from whyword.web.routes import corpus, model, page
    from whyword.web.routes import suspects as suspect_routes
    from whyword.web.routes.answers import Served
    from whyword.web.schema import with_limits

    engine.keep_words()
    app = _empty_app()
    served = app.state.served = Served(engine, library, suspects)
    handle_errors(app)
    for part in (page, model, corpus, suspect_routes):
        app.include_router(part.router)
    schema = with_limits(app.openapi(), engine.limits, engine.names, engine.methods)
    app.openapi_schema = schema
    served.sizes = body_sizes(schema)
    served.docs = asset(DOCS, docs_page(schema).encode())
    return guarded(app, engine.limits, access or Access())


def _empty_app() -> "FastAPI":
    from fastapi import FastAPI

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.served.gate.close()

    return FastAPI(
        title="whyword",
        description="Which words made the classifier say that. Spans count Unicode code points.",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
