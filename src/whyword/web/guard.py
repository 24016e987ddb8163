"""Who may ask, how much, and what every answer carries; one line of log for each request."""

import asyncio
import hmac
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from whyword.base.errors import InputError
from whyword.web.limits import Limits

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_LOGGED_BODY = 2_000  # characters, where texts are logged at all
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Attributes
    ----------
    token : str or None
        What requests to the API must bear, if anything.
    origins : tuple of str
        Of other sites' pages that may use the API, as in ``https://example.org``.
    hosts : tuple of str
        Names the server goes by; empty for any. A page elsewhere can make its own name point
        here, so a server for this machine alone answers to its usual names only.
    log_texts : bool
        Whether the log may show what was sent.
    """

    token: str | None = None
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOCAL_HOSTS
    log_texts: bool = False


def checked_token(token: str | None) -> str | None:
    """Return the token; raise if no header could bear it."""
    if token is not None and not re.fullmatch("[!-~]([ -~]*[!-~])?", token):
        raise InputError(
            "a token is made of printable ASCII characters, with no space before or behind them"
        )
    return token


def checked_origin(origin: str) -> str:
    """Return an origin as browsers write it; raise if it is none."""
    match = re.fullmatch(r"(https?://[^/\s]+)/?", origin)
    if match is None:
        raise InputError(f"an origin is written https://example.org, not {origin!r:.80}")
    return match[1].lower()


def host_of(origin: str) -> str:
    """Return the name in an origin: a proxy that serves this site there asks under that name."""
    return _host_name(origin.partition("://")[2].rstrip("/"))


class _RefusedError(Exception):
    """A request that is answered without being looked at."""

    def __init__(self, status: int, reason: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = headers


class _GoneError(Exception):
    """The client went away in mid-sentence."""


class Guard:
    """Stands before an ASGI application.

    Parameters
    ----------
    app : ASGI application
    limits : Limits
    access : Access
    """

    def __init__(self, app: App, limits: Limits, access: Access) -> None:
        self._app = app
        self._limits = limits
        self._access = access
        self._held = 0  # bytes of bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, body = time.perf_counter(), bytearray()
        answer = {"status": 499, "sent": 0}  # as if the client had gone, until something is sent
        extra = self._extra_headers(scope)

        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer["status"] = message["status"]
                message["headers"] = [*message.get("headers", ()), *extra]
            else:
                answer["sent"] += len(message.get("body", b""))
            await send(message)

        try:
            self._check(scope)
            await self._read(scope, receive, body)
            await self._app(scope, _replay(bytes(body), receive), send_and_count)
        except _RefusedError as refused:
            await _refuse(refused, send_and_count)
        except _GoneError:
            pass
        finally:
            self._held -= len(body)
            self._log(scope, bytes(body), answer, 1000 * (time.perf_counter() - start))

    # ---- who ----------------------------------------------------------------------------------

    def _check(self, scope: Scope) -> None:
        headers = _headers_by_name(scope)
        host, access = headers.get("host", ""), self._access
        name = _host_name(host)
        if access.hosts and name not in access.hosts:
            raise _RefusedError(
                403, f"this server is not called {name[:80]!r}; see --host and --allow-origin"
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_allowed(origin, scope, host):
            raise _RefusedError(403, "pages of other sites may not ask; see --allow-origin")
        if scope["method"] == "OPTIONS" and origin in access.origins:
            raise _RefusedError(204, "", *_PREFLIGHT)
        if access.token is not None and scope["path"].startswith("/api/"):
            authorization = headers.get("authorization", "").encode("latin-1")
            if not hmac.compare_digest(authorization, b"Bearer " + access.token.encode()):
                raise _RefusedError(
                    401,
                    "this server asks for a token: Authorization: Bearer …",
                    (b"www-authenticate", b"Bearer"),
                )

    def _is_allowed(self, origin: str, scope: Scope, host: str) -> bool:
        return origin in (f"{scope['scheme']}://{host}", *self._access.origins)

    def _extra_headers(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        origin = _headers_by_name(scope).get("origin")
        if origin not in self._access.origins:
            return _HEADERS
        # where other sites may ask, they may read, too
        headers = [pair for pair in _HEADERS if pair[0] != b"cross-origin-resource-policy"]
        allowed = (b"access-control-allow-origin", str(origin).encode("latin-1"))
        return [*headers, allowed, (b"vary", b"origin")]

    # ---- how much -----------------------------------------------------------------------------

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> None:
        """Put a request's body into the bytes given."""
        most = self._limits.body_bytes
        too_large = _RefusedError(
            413, f"a request may have {most:,} bytes at most", (b"connection", b"close")
        )
        announced = _headers_by_name(scope).get("content-length", "0")
        if announced.isdecimal() and int(announced[:20]) > most:
            raise too_large
        try:
            async with asyncio.timeout(self._limits.read_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _GoneError
                    part = message.get("body", b"")
                    body += part
                    self._held += len(part)
                    if len(body) > most:
                        raise too_large
                    if self._held > self._limits.held_bytes:
                        raise _RefusedError(
                            503, "too much is sent at once; try again", (b"retry-after", b"1")
                        )
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            reason = f"the request did not arrive within {self._limits.read_seconds:g} s"
            raise _RefusedError(408, reason, (b"connection", b"close")) from None

    # ---- what happened ------------------------------------------------------------------------

    def _log(self, scope: Scope, body: bytes, answer: dict[str, int], milliseconds: float) -> None:
        route = getattr(scope.get("route"), "path", None)  # not the path: anything may be in that
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "method": scope["method"],
            "route": route,
            "status": answer["status"],
            "ms": round(milliseconds, 1),
            "received": len(body),
            "sent": answer["sent"],
        }
        if self._access.log_texts:
            line["body"] = body.decode("utf-8", "replace")[:_LOGGED_BODY]
        log.info("%s", json.dumps(line))


_PREFLIGHT = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"content-type, authorization"),
    (b"access-control-max-age", b"600"),
)


def _headers_by_name(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _host_name(host: str) -> str:
    """Return a Host header without its port, lower-cased."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a source of the body that was read already, and of what follows."""
    rest: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body_first() -> Message:
        return rest.pop() if rest else await receive()

    return receive_body_first


async def _refuse(refused: _RefusedError, send: Send) -> None:
    body = b"" if refused.status == 204 else json.dumps({"detail": str(refused)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *refused.headers,
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
