"""The model: what it is, what it predicts, why."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Request, Response

from whyword.base.printable import storable
from whyword.web.bodies import BoundedRoute
from whyword.web.routes.answers import PROBLEMS, example, served
from whyword.web.schema import (
    DocumentIn,
    ExplainAnswer,
    ExplainRequest,
    PredictAnswer,
    PredictRequest,
    Problem,
    TextIn,
)

router = APIRouter(route_class=BoundedRoute)
T = TypeVar("T", bound=TextIn)
_EXAMPLE = "The shuttle reached orbit."
_TOLD_LIMITS = ("body_bytes", "values", "documents", "characters", "words")


@router.get("/healthz", responses={503: {"model": Problem}})
async def healthz() -> dict[str, str]:
    """Say that the server is there, and nothing else: who asks need not bear the token."""
    return {"status": "ok"}


@router.get("/api/about", responses=PROBLEMS)
async def about(request: Request) -> dict[str, Any]:
    """Return the model, corpus and suspects if any, the limits, and what is being answered."""
    of = served(request)
    return {
        "model": of.engine.about(),
        "corpus": None if of.library is None else of.library.about(),
        "suspects": None if of.suspects is None else of.suspects.about,
        "limits": {name: getattr(of.engine.limits, name) for name in _TOLD_LIMITS},
        "answering": of.gate.inside,
    }


@router.post("/api/predict", response_model=PredictAnswer, responses=PROBLEMS)
async def predict(
    request: Request, body: Annotated[PredictRequest, example(documents=[_EXAMPLE])]
) -> Response:
    """Return the class of each text, with scores and probabilities."""
    of = served(request)
    engine = of.engine
    documents = _documents(body.documents, TextIn)
    texts, ids = [one.text for one in documents], [one.id for one in documents]
    return await of.compute(
        lambda: {"model": engine.identity, "predictions": engine.predict(texts, ids)},
        engine.is_quick(texts),
    )


@router.post("/api/explain", response_model=ExplainAnswer, responses=PROBLEMS)
async def explain(
    request: Request,
    body: Annotated[ExplainRequest, example(documents=[_EXAMPLE], target="all")],
) -> Response:
    """Say which words spoke for a class, several or all of them, and which against."""
    of = served(request)
    engine = of.engine
    documents = _documents(body.documents, DocumentIn)
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
        body.phrases,
        body.top_classes,
    )
    return await of.compute(lambda: {"explanations": work()}, engine.is_quick(texts, method))


def _documents(documents: Sequence[T | str], kind: type[T]) -> list[T]:
    several = [kind(one) if isinstance(one, str) else one for one in documents]
    return [
        # JSON can write halves of surrogate pairs, but no answer can be encoded with one in it
        replace(one, text=storable(one.text), id=None if one.id is None else storable(one.id))
        for one in several
    ]
