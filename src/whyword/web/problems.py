"""What went wrong, as it is told: one line, and the fields of the request that it is about."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from whyword.base.errors import Argument, ModelError, WhywordError
from whyword.base.printable import one_line
from whyword.web.gate import BusyError, TooLongError
from whyword.web.library import UnknownDocumentError

log = logging.getLogger(__name__)

_LONGEST = 1_000  # characters
_STATUSES: dict[type[WhywordError], int] = {
    BusyError: 503,
    TooLongError: 504,
    UnknownDocumentError: 404,
}
_INTERNAL = ("TextIn", "DocumentIn", "list[str]")  # forms of a value, no part of its name
_COMPLAINTS = {
    "missing": "is missing",
    "unexpected_keyword_argument": "is no field of this request",
}


def problem(status: int, reason: str, fields: Iterable[str] = (), **headers: str) -> Response:
    """Return the answer that says what went wrong."""
    content = {"detail": one_line(reason)[:_LONGEST], "fields": list(fields)}
    every = {"cache-control": "no-store"} | headers
    return Response(json.dumps(content), status, every, "application/json")


def handle_errors(app: FastAPI) -> None:
    """Let an application answer every error with a problem."""

    @app.exception_handler(WhywordError)
    async def on_whyword_error(request: Request, error: WhywordError) -> Response:
        return _whyword_problem(error, _fields_of_request(request))

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(request: Request, error: RequestValidationError) -> Response:
        return _invalid(error.errors(), _fields_of_request(request))

    @app.exception_handler(HTTPException)
    async def on_http_error(_: Request, error: HTTPException) -> Response:
        if error.status_code == 400:  # what FastAPI says of bodies that break the parser
            return problem(422, "the body is no JSON in UTF-8, or nested or numbered beyond reason")
        return problem(error.status_code, str(error.detail), **dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def on_other_error(_: Request, __: Exception) -> Response:  # the log has what it was
        return problem(500, "something is wrong with this server; its log says what")


# ---- errors of whyword ------------------------------------------------------------------------


def _whyword_problem(error: WhywordError, known: frozenset[str]) -> Response:
    if isinstance(error, ModelError):  # nothing is wrong with the request
        log.error("%s", one_line(str(error)))
        return problem(500, "the model failed; the log of this server says why")
    status = next((_STATUSES[kind] for kind in _STATUSES if isinstance(error, kind)), 422)
    headers = {"retry-after": "1"} if status == 503 else {}
    fields = [name for name in error.arguments if name in known]
    return problem(status, error.message(lambda one: _spelled(one, known)), fields, **headers)


def _spelled(argument: Argument, known: frozenset[str]) -> str | None:
    """Return an argument as a field of JSON; None if the request has no such field."""
    if argument.name not in known:
        return None
    if not argument.has_value:
        return argument.name
    value = "…" if argument.value is ... else json.dumps(argument.value, default=str)
    return f'"{argument.name}": {value}'


def _fields_of_request(request: Request) -> frozenset[str]:
    endpoint = request.scope.get("endpoint")
    return _fields_of(endpoint) if endpoint else frozenset()


@cache
def _fields_of(endpoint: Callable[..., object]) -> frozenset[str]:
    """Return what may be sent to an endpoint: parameters, and fields of the body."""
    hints = get_type_hints(endpoint)
    hints.pop("return", None)
    parameters = {
        name for name in hints if not (hints[name] is Request or is_dataclass(hints[name]))
    }
    return frozenset(parameters).union(*map(_fields_in, hints.values()))


def _fields_in(kind: Any) -> Iterator[str]:  # noqa: ANN401 - any type
    """Yield the names of the fields of a body, and those of what is in it."""
    if is_dataclass(kind):
        for name, inner in get_type_hints(kind).items():
            yield name
            yield from _fields_in(inner)
    for inner in get_args(kind):
        yield from _fields_in(inner)


# ---- requests that do not fit the schema --------------------------------------------------------


def _invalid(errors: Sequence[Any], known: frozenset[str]) -> Response:
    """Return the problem with a request; never what was sent."""
    if errors[0]["type"] == "json_invalid":
        damage = errors[0].get("ctx", {}).get("error", "it is damaged")
        return problem(422, f"the body is no JSON: {damage}")
    if tuple(errors[0]["loc"]) == ("body",):
        reason = "the body is no JSON object; say also content-type: application/json"
        return problem(422, reason)
    # of a document, which may be a string or an object, the complaint about the string says less
    telling = [error for error in errors if error["loc"][-1] != "str"] or list(errors)
    more = f" (and {len(telling) - 3} more)" if len(telling) > 3 else ""
    reason = "; ".join(map(_complaint, telling[:3])) + more
    named = [[part for part in error["loc"][1:] if part in known] for error in telling]
    return problem(422, reason, dict.fromkeys(parts[-1] for parts in named if parts))


def _complaint(error: Any) -> str:  # noqa: ANN401 - pydantic's
    where = ".".join(str(part) for part in error["loc"][1:] if part not in _INTERNAL)
    return f"{where[:80]}: {_COMPLAINTS.get(error['type'], error['msg'])}"
