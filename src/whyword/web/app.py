"""The application: routes, each one call of the engine or the library."""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from whyword.base.errors import InputError, MissingExtraError, ModelError, WhywordError
from whyword.base.printable import one_line, storable
from whyword.web.assets import PAGE, asset, assets
from whyword.web.docspage import docs_page
from whyword.web.engine import Engine
from whyword.web.gate import BusyError, Gate, TooLongError
from whyword.web.guard import Access, App, Guard
from whyword.web.library import TOP_WORDS, Library
from whyword.web.schema import (
    MOST_HITS,
    QUERY_CHARACTERS,
    ConfusionAnswer,
    DocumentIn,
    DocumentOut,
    DocumentsAnswer,
    ExplainAnswer,
    ExplainRequest,
    MapAnswer,
    PredictAnswer,
    PredictRequest,
    Problem,
    SearchAnswer,
    SearchRequest,
    TextIn,
    WordDocumentsAnswer,
    WordsAnswer,
    with_limits,
)

if TYPE_CHECKING:
    from fastapi import FastAPI

log = logging.getLogger(__name__)
T = TypeVar("T", bound=TextIn)
_NO_CORPUS = "no corpus is served; start with: whyword serve MODEL CORPUS"
_EXAMPLE = "The shuttle reached orbit."
_MOST_LISTED = 50
_LONGEST_PROBLEM = 1_000  # characters
_INTERNAL = ("TextIn", "DocumentIn", "list[str]")  # forms of a value, no part of its name
_COMPLAINTS = {
    "missing": "is missing",
    "unexpected_keyword_argument": "is no field of this request",
}


def create_app(engine: Engine, library: Library | None = None, access: Access | None = None) -> App:
    """Return the ASGI application.

    Parameters
    ----------
    engine : Engine
    library : Library, optional
        Without one there is no corpus to look at.
    access : Access, optional
    """
    try:
        import orjson
        from fastapi import Body, FastAPI, Path, Query, Request, Response
        from fastapi.exceptions import RequestValidationError
        from starlette.exceptions import HTTPException
    except ImportError:
        raise MissingExtraError("fastapi", "web") from None

    limits, gate, files = engine.limits, Gate(engine.limits), assets()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        gate.close()

    app = FastAPI(
        title="whyword",
        description="Which words made the classifier say that. Spans count Unicode code points.",
        version=version("whyword"),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )

    # ---- answers ------------------------------------------------------------------------------

    def to_json(content: object) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)

    def answer(content: bytes, status: int = 200, **headers: str) -> Response:
        headers = {"cache-control": "no-store"} | headers
        return Response(content, status, headers, "application/json")

    async def compute(work: Callable[[], object], quick: bool = False) -> Response:
        if quick:  # sooner done than handed to a thread
            return answer(to_json(work()))
        return answer(await gate.run(lambda: to_json(work())))

    def problem(status: int, reason: str, **headers: str) -> Response:
        return answer(to_json({"detail": one_line(reason)[:_LONGEST_PROBLEM]}), status, **headers)

    @app.exception_handler(WhywordError)
    async def on_whyword_error(_: Request, error: Exception) -> Response:
        if isinstance(error, ModelError):  # nothing is wrong with the request
            log.error("%s", one_line(str(error)))
            return problem(500, "the model failed; the log of this server says why")
        if isinstance(error, BusyError):
            return problem(503, str(error), **{"retry-after": "1"})
        return problem(504 if isinstance(error, TooLongError) else 422, str(error))

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(_: Request, error: RequestValidationError) -> Response:
        return problem(422, _complaints_in(error.errors()))

    @app.exception_handler(HTTPException)
    async def on_http_error(_: Request, error: HTTPException) -> Response:
        if error.status_code == 400:  # what FastAPI says of bodies that break the parser
            return problem(422, "the body is no JSON in UTF-8, or nested or numbered beyond reason")
        return problem(error.status_code, str(error.detail), **dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def on_other_error(_: Request, __: Exception) -> Response:  # the log has what it was
        return problem(500, "something is wrong with this server; its log says what")

    problems: dict[int | str, dict[str, Any]] = {
        status: {"model": Problem} for status in (401, 403, 408, 413, 422, 503, 504)
    }

    def example(**value: object) -> Any:  # noqa: ANN401 - FastAPI's own type
        return Body(openapi_examples={"one": {"value": value}})

    # ---- the page -----------------------------------------------------------------------------

    def file(name: str, request: Request) -> Response:
        stored = files.get(name)
        if stored is None:
            raise HTTPException(404, "there is no such file")
        headers = {"etag": stored.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == stored.tag:
            return Response(status_code=304, headers=headers)
        return Response(stored.content, 200, headers, stored.kind)

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return file(PAGE, request)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon(request: Request) -> Response:
        return file("icon.svg", request)

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str, request: Request) -> Response:
        return file(name, request)

    @app.get("/api/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return file("docs.html", request)

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return answer(to_json(app.openapi()))

    # ---- the model ----------------------------------------------------------------------------

    @app.get("/healthz", responses={503: {"model": Problem}})
    async def healthz() -> dict[str, str | int | None]:
        """Say that the server is there, and how many requests are being answered."""
        return {"status": "ok", "model": engine.identity, "answering": gate.inside}

    @app.get("/api/about", responses=problems)
    async def about() -> dict[str, Any]:
        """Return the model, the corpus if there is one, and the limits."""
        return {
            "model": engine.about(),
            "corpus": None if library is None else library.about(),
            "limits": {
                name: getattr(limits, name)
                for name in ("body_bytes", "documents", "characters", "words")
            },
        }

    @app.post("/api/predict", response_model=PredictAnswer, responses=problems)
    async def predict(body: Annotated[PredictRequest, example(documents=[_EXAMPLE])]) -> Response:
        """Return the class of each text, with scores and probabilities."""
        documents = _documents(body.documents, TextIn, limits.documents)
        texts, ids = [one.text for one in documents], [one.id for one in documents]
        return await compute(
            lambda: {
                "model": engine.identity,
                "predictions": engine.predict(texts, ids),
            },
            engine.is_quick(texts),
        )

    @app.post("/api/explain", response_model=ExplainAnswer, responses=problems)
    async def explain(
        body: Annotated[ExplainRequest, example(documents=[_EXAMPLE], target="all")],
    ) -> Response:
        """Say which words spoke for a class, several or all of them, and which against."""
        documents = _documents(body.documents, DocumentIn, limits.documents)
        texts = [one.text for one in documents]
        method = body.method or None
        work = partial(
            engine.explain,
            texts,
            [one.id for one in documents],
            [one.deleted for one in documents],
            body.target,
            body.against,
            method,
        )
        return await compute(lambda: {"explanations": work()}, engine.is_quick(texts, method))

    # ---- the corpus ---------------------------------------------------------------------------

    of_corpus = problems | {404: {"model": Problem}}

    def corpus() -> Library:
        if library is None:
            raise HTTPException(404, _NO_CORPUS)
        return library

    @app.get("/api/words", response_model=WordsAnswer, responses=of_corpus)
    async def words(
        target: str | None = None, top: Annotated[int, Query(ge=1, le=TOP_WORDS)] = 30
    ) -> Response:
        """Return the words that speak most for a class, or for each of them."""
        return await compute(partial(corpus().class_words, target, top))

    @app.get("/api/words/documents", response_model=WordDocumentsAnswer, responses=of_corpus)
    async def word_documents(
        target: str,
        word: Annotated[str, Query(max_length=1000)],
        top: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 20,
    ) -> Response:
        """Return the documents in which a word of a class's list speaks most for the class."""
        return await compute(partial(corpus().word_documents, target, word, top))

    @app.post("/api/search", response_model=SearchAnswer, responses=of_corpus)
    async def search(
        body: Annotated[SearchRequest, example(query="motion sickness in orbit", top=5)],
    ) -> Response:
        """Return the documents nearest to a text, and which words make them near."""
        if len(body.query) > QUERY_CHARACTERS:
            raise InputError(f"a query may have {QUERY_CHARACTERS:,} characters at most")
        if not 1 <= body.top <= MOST_HITS:
            raise InputError(f"top must be from 1 to {MOST_HITS}, not {body.top}")
        return await compute(partial(corpus().search, storable(body.query), body.top))

    drawn: list[bytes] = []  # the map is the same every time

    @app.get("/api/map", response_model=MapAnswer, responses=of_corpus)
    async def document_map() -> Response:
        """Return the documents as points, near if what serves their class is alike."""
        if not drawn:
            drawn.append(await gate.run(lambda: to_json(corpus().map())))
        return answer(drawn[0])

    @app.get("/api/confusion", response_model=ConfusionAnswer, responses=of_corpus)
    async def confusion() -> Response:
        """Return how often each label was predicted as each class."""
        return await compute(corpus().confusion)

    @app.get("/api/documents", response_model=DocumentsAnswer, responses=of_corpus)
    async def documents(
        label: str | None = None,
        predicted: str | None = None,
        offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 10,
    ) -> Response:
        """Return the documents with a label and a prediction, the surest predictions first."""
        return await compute(partial(corpus().documents, label, predicted, offset, limit))

    @app.get("/api/documents/{number}", response_model=DocumentOut, responses=of_corpus)
    async def document(number: Annotated[int, Path(ge=0, le=2**31 - 1)]) -> Response:
        """Return one document, and the words that speak most for the class predicted."""
        loaded = corpus()
        if number >= len(loaded):
            raise HTTPException(404, f"there is no document {number}, only 0 … {len(loaded) - 1}")
        return await compute(partial(loaded.document, number))

    _describe(app, engine)
    files["docs.html"] = asset("docs.html", docs_page(app.openapi()).encode())
    return Guard(app, limits, access or Access())


def _describe(app: "FastAPI", engine: Engine) -> None:
    """Write this server's limits and classes into the schema."""
    methods = engine.about()["methods"]
    app.openapi_schema = with_limits(app.openapi(), engine.limits, engine.names, methods)


def _documents(documents: Sequence[T | str], kind: type[T], most: int) -> list[T]:
    if not 1 <= len(documents) <= most:
        raise InputError(f"send from 1 to {most} documents, not {len(documents):,}")
    several = [kind(one) if isinstance(one, str) else one for one in documents]
    return [
        # JSON can write halves of surrogate pairs, but no answer can be encoded with one in it
        replace(one, text=storable(one.text), id=None if one.id is None else storable(one.id))
        for one in several
    ]


def _complaints_in(errors: Sequence[Any]) -> str:
    """Return one line for what was wrong with a request; never what was sent."""
    if errors[0]["type"] == "json_invalid":
        return f"the body is no JSON: {errors[0].get('ctx', {}).get('error', 'it is damaged')}"
    if tuple(errors[0]["loc"]) == ("body",):
        return "the body is no JSON object; say also content-type: application/json"
    # of a document, which may be a string or an object, the complaint about the string says less
    telling = [error for error in errors if error["loc"][-1] != "str"] or list(errors)
    complaints = [
        f"{'.'.join(str(part) for part in error['loc'][1:] if part not in _INTERNAL)[:80]}: "
        + _COMPLAINTS.get(error["type"], str(error["msg"]))
        for error in telling
    ]
    more = f" (and {len(complaints) - 3} more)" if len(complaints) > 3 else ""
    return "; ".join(complaints[:3]) + more
