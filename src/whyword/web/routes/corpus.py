"""The corpus: its words, its documents, its map, its errors."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from whyword.base.errors import Argument, InputError
from whyword.base.printable import storable
from whyword.web.audit_schema import WhatIfAnswer, WhatIfRequest
from whyword.web.bodies import BoundedRoute
from whyword.web.limits import WORD_CHARACTERS
from whyword.web.routes.answers import PROBLEMS, example, json_answer, served, to_json
from whyword.web.schema import (
    MOST_HITS,
    QUERY_CHARACTERS,
    ConfusionAnswer,
    DocumentOut,
    DocumentsAnswer,
    MapAnswer,
    Problem,
    SearchAnswer,
    SearchRequest,
    WordDocumentsAnswer,
    WordsAnswer,
)
from whyword.web.word_lists import TOP_WORDS

router = APIRouter(route_class=BoundedRoute, responses=PROBLEMS | {404: {"model": Problem}})
_MOST_LISTED = 50


@router.get("/api/words", response_model=WordsAnswer)
async def words(
    request: Request,
    target: str | None = None,
    top: Annotated[int, Query(ge=1, le=TOP_WORDS)] = 30,
    rank: str = "typical",
    units: str = "words",
    symbols: bool = False,
) -> Response:
    """Return the words, or phrases, that speak most for a class, or for each of them."""
    of = served(request)
    return await of.compute(partial(of.corpus.class_words, target, top, rank, units, symbols))


@router.get("/api/words/documents", response_model=WordDocumentsAnswer)
async def word_documents(
    request: Request,
    target: str,
    word: Annotated[str, Query(max_length=1000)],
    top: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 20,
    units: str = "words",
) -> Response:
    """Return the documents in which a word of a class's list speaks most for the class."""
    of = served(request)
    return await of.compute(partial(of.corpus.word_documents, target, word, top, units))


@router.post("/api/search", response_model=SearchAnswer)
async def search(
    request: Request,
    body: Annotated[SearchRequest, example(query="motion sickness in orbit", top=5)],
) -> Response:
    """Return the documents nearest to a text, and which words make them near."""
    query, top = body.query, body.top
    if len(query) > QUERY_CHARACTERS:
        raise InputError(
            "a ", Argument("query"), f" may have {QUERY_CHARACTERS:,} characters at most"
        )
    if not 1 <= top <= MOST_HITS:
        raise InputError(Argument("top"), f" must be from 1 to {MOST_HITS}, not {top}")
    of = served(request)
    return await of.compute(partial(of.corpus.search, storable(query), top))


@router.post("/api/what-if", response_model=WhatIfAnswer)
async def what_if(
    request: Request,
    body: Annotated[WhatIfRequest, example(words=["baalke", "gordon banks", r"/.+\.edu/"])],
) -> Response:
    """Say what becomes of the predictions when the model does not read some words."""
    if any(len(word) > WORD_CHARACTERS for word in body.words):
        raise InputError(
            "each of the ", Argument("words"), f" may have {WORD_CHARACTERS:,} characters at most"
        )
    of = served(request)
    words = list(map(storable, body.words))
    return await of.compute(partial(of.corpus.what_if, words, of.engine.limits.work_seconds))


@router.get("/api/map", response_model=MapAnswer)
async def document_map(request: Request) -> Response:
    """Return the documents as points, near if what serves their class is alike."""
    of = served(request)
    if of.map is None:
        of.map = await of.gate.run(lambda: to_json(of.corpus.map()))
    return json_answer(of.map)


@router.get("/api/confusion", response_model=ConfusionAnswer)
async def confusion(request: Request) -> Response:
    """Return how often each label was predicted as each class."""
    of = served(request)
    return await of.compute(of.corpus.confusion)


@router.get("/api/documents", response_model=DocumentsAnswer)
async def documents(
    request: Request,
    label: str | None = None,
    predicted: str | None = None,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 10,
) -> Response:
    """Return the documents with a label and a prediction, the surest predictions first."""
    of = served(request)
    return await of.compute(partial(of.corpus.documents, label, predicted, offset, limit))


@router.get("/api/documents/{number}", response_model=DocumentOut)
async def document(request: Request, number: Annotated[int, Path(ge=0, le=2**31 - 1)]) -> Response:
    """Return one document, and the words that speak most for the class predicted."""
    of = served(request)
    return await of.compute(partial(of.corpus.document, number))
