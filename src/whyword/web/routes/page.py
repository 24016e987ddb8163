"""The page, its files, and the description of the API."""

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from whyword.web.assets import ICON, PAGE, Asset
from whyword.web.routes.answers import json_answer, served, to_json

router = APIRouter(include_in_schema=False)


@router.get("/")
async def page(request: Request) -> Response:
    """Return the page."""
    return _sent(served(request).files[PAGE], request)


@router.get("/favicon.ico")
async def icon(request: Request) -> Response:
    """Return its icon."""
    return _sent(served(request).files[ICON], request)


@router.get("/static/{name}")
async def static(name: str, request: Request) -> Response:
    """Return one of its files."""
    return _sent(served(request).files.get(name), request)


@router.get("/api/docs")
async def docs(request: Request) -> Response:
    """Return the API on a page."""
    return _sent(served(request).docs, request)


@router.get("/api/openapi.json")
async def openapi(request: Request) -> Response:
    """Return the OpenAPI schema."""
    return json_answer(to_json(request.app.openapi()))


def _sent(stored: Asset | None, request: Request) -> Response:
    if stored is None:
        raise HTTPException(404, "there is no such file")
    headers = {"etag": stored.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == stored.tag:
        return Response(status_code=304, headers=headers)
    return Response(stored.content, 200, headers, stored.kind)
