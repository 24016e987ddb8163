"""The suspects: what a model perhaps should not have learned."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from whyword.web.audit_schema import SuspectsAnswer, TableAnswer, TableRequest
from whyword.web.bodies import BoundedRoute
from whyword.web.routes.answers import PROBLEMS, example, served
from whyword.web.schema import Problem

router = APIRouter(route_class=BoundedRoute, responses=PROBLEMS | {404: {"model": Problem}})
_MOST_LISTED = 100


@router.get("/api/suspects", response_model=SuspectsAnswer)
async def suspects(
    request: Request,
    label: str | None = None,
    verdict: str | None = None,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 30,
) -> Response:
    """Return what speaks for a class, or any, and is suspected of being an artefact."""
    of = served(request)
    return await of.compute(partial(of.suspect_list.rows, label, verdict, offset, limit))


@router.post("/api/suspects/table", response_model=TableAnswer)
async def table(
    request: Request, body: Annotated[TableRequest, example(artefacts=[0, 2])]
) -> Response:
    """Return all of them as CSV, with a yes in the rows that are artefacts."""
    of = served(request)
    return await of.compute(partial(of.suspect_list.table, body.artefacts))
