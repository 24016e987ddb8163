"""What stands before the application: who may ask, how much, what every answer carries, the log.

Names are checked by starlette's TrustedHostMiddleware, what other sites' pages may read is said by
its CORSMiddleware. Written by hand is what no standard part does:

- a page of a site that was not let in is refused. CORSMiddleware only withholds the headers that
  would let it read the answer, which has been computed by then;
- bodies are bounded in bytes, in seconds, and all together, while they come in: an application
  behind a proxy would leave that to the proxy, here there is none;
- the token, which is compared in constant time (FastAPI's HTTPBearer only reads one), and asked
  for everywhere but at the paths that tell nothing of the model;
- a header that must be there once is not taken twice: a proxy might go by the other one;
- HEAD is answered wherever GET is, which FastAPI's routes do not do;
- whatever is refused is refused in the API's own form, which the middleware's plain text is not;
- the line of log, in which nothing of a text or of an address may appear.
"""

import asyncio
import hmac
import json
import logging
import time
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from whyword.web.access import Access
from whyword.web.assets import public_paths
from whyword.web.limits import Limits
from whyword.web.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SAFETY = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_LOGGED = 2_000  # characters of a body, where texts are logged at all
# what is said instead of what the standard parts say
_PLAIN = {
    "Invalid host header": (403, "this server is not called that; see --host and --allow-origin")
}
_ONCE = (b"host", b"authorization", b"origin", b"content-type", b"content-length")
log = logging.getLogger(__name__)


def guarded(app: "ASGIApp", limits: Limits, access: Access) -> "ASGIApp":
    """Return the application with everything before it, the outermost last."""
    inner: ASGIApp = Intake(app, limits)
    if access.token is not None:
        inner = TokenCheck(inner, access.token, public_paths())
    inner = CORSMiddleware(
        inner,
        allow_origins=access.origins,
        allow_methods=("GET", "POST"),
        allow_headers=("content-type", "authorization"),
        allow_private_network=True,  # browsers ask when a public page calls this machine
    )
    inner = OriginCheck(inner, access.origins)
    inner = TrustedHostMiddleware(inner, access.hosts or ("*",), www_redirect=False)
    return Guard(HeaderCheck(inner), access)


class Guard:
    """The outermost: headers of safety, errors in one form, a line of log for each request.

    Parameters
    ----------
    app : ASGI application
    access : Access
    """

    def __init__(self, app: "ASGIApp", access: Access) -> None:
        self._app = app
        self._origins = frozenset(access.origins)
        self._log_texts = access.log_texts

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        else:
            exchange = _Exchange(scope, receive, send, self._origins)
            if self._log_texts:
                exchange.keep_body()
            start = time.perf_counter()
            try:
                await self._app(exchange.scope, exchange.receive, exchange.send)
            finally:
                exchange.log(1000 * (time.perf_counter() - start))


def _safety(scope: "Scope", origins: frozenset[str]) -> dict[str, str]:
    """Return the headers of safety; where another site may ask, it may read, too."""
    if Headers(scope=scope).get("origin") not in origins:
        return _SAFETY
    return {name: _SAFETY[name] for name in _SAFETY if name != "cross-origin-resource-policy"}


class _Exchange:
    """A request and its answer, as they pass by."""

    def __init__(
        self, scope: "Scope", receive: "Receive", send: "Send", origins: frozenset[str]
    ) -> None:
        self._method = scope["method"]
        self.scope = {**scope, "method": "GET"} if self._method == "HEAD" else scope
        self._receive, self._send = receive, send
        self._safety = _safety(scope, origins)
        self._received, self._sent = 0, 0
        self._body: bytearray | None = None  # what may be shown of it
        self._status = 499  # as if the client had gone, until something is sent
        self._plain: MutableHeaders | None = None  # of an error that waits for its text
        self._said = b""

    def keep_body(self) -> None:
        """Keep the beginning of what is sent, for the log."""
        self._body = bytearray()

    async def receive(self) -> "Message":
        """Return the next message of the client."""
        message = await self._receive()
        part = message.get("body", b"")
        self._received += len(part)
        if self._body is not None:
            self._body += part[: 4 * _LOGGED - len(self._body)]  # UTF-8 takes four at most
        return message

    async def send(self, message: "Message") -> None:
        """Send a message to the client, an error in the API's form."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(self._safety)
            self._status = message["status"]
            if self._status >= 400 and headers.get("content-type", "").startswith("text/plain"):
                self._plain = headers
                return
        elif self._plain is not None:
            self._said += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_problem(self._said.decode("utf-8", "replace"), self._plain)
            return
        if self._method == "HEAD" and "body" in message:
            message = {**message, "body": b""}
        self._sent += len(message.get("body", b""))
        await self._send(message)

    async def _send_problem(self, said: str, headers: MutableHeaders) -> None:
        """Send a standard part's error in the API's form."""
        self._plain = None
        kept = {k: v for k, v in headers.items() if k not in ("content-type", "content-length")}
        status, reason = _PLAIN.get(said, (self._status, said))
        answer = problem(status, reason, **kept)
        await answer(self.scope, self._receive, self.send)

    def log(self, milliseconds: float) -> None:
        """Write the line."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "method": self._method,
            # not the path: anything may be in that
            "route": getattr(self.scope.get("route"), "path", None),
            "status": self._status,
            "ms": round(milliseconds, 1),
            "received": self._received,
            "sent": self._sent,
        }
        if self._body is not None:
            line["body"] = self._body.decode("utf-8", "replace")[:_LOGGED]
        log.info("%s", json.dumps(line))


class HeaderCheck:
    """Refuses requests that say twice what can be said once.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            names = [name for name, _ in scope["headers"]]
            twice = [name.decode() for name in _ONCE if names.count(name) > 1]
            if twice:
                reason = f"a request has one header {twice[0]}, not several"
                refusal = problem(400, reason, connection="close")
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class OriginCheck:
    """Refuses requests from pages of other sites but those that are let in.

    Parameters
    ----------
    app : ASGI application
    origins : collection of str
    """

    def __init__(self, app: "ASGIApp", origins: tuple[str, ...]) -> None:
        self._app, self._origins = app, origins

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            own = f"{scope['scheme']}://{headers.get('host', '')}"
            if headers.get("origin", own) not in (own, *self._origins):
                refusal = problem(403, "pages of other sites may not ask; see --allow-origin")
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class TokenCheck:
    """Refuses requests that do not bear the token.

    Parameters
    ----------
    app : ASGI application
    token : str
    public : frozenset of str
        Paths where none is asked for.
    """

    def __init__(self, app: "ASGIApp", token: str, public: frozenset[str]) -> None:
        self._app, self._expected, self._public = app, f"Bearer {token}".encode(), public

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and scope["path"] not in self._public:
            given = Headers(scope=scope).get("authorization", "").encode("latin-1")
            if not hmac.compare_digest(given, self._expected):
                reason = "this server asks for a token: Authorization: Bearer …"
                refusal = problem(401, reason, **{"www-authenticate": "Bearer"})
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _RefusedError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: int, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status, self.headers = status, headers


class _GoneError(Exception):
    """The client went away in mid-sentence."""


class Intake:
    """Reads a request's body before the application sees the request, within limits.

    Parameters
    ----------
    app : ASGI application
    limits : Limits
    """

    def __init__(self, app: "ASGIApp", limits: Limits) -> None:
        self._app, self._limits = app, limits
        self._held = 0  # bytes of bodies

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass a request on with its body, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            await self._read(scope, receive, body)
            await self._app(scope, _replay(bytes(body), receive), send)
        except _RefusedError as refused:
            refusal = problem(refused.status, str(refused), **refused.headers)
            await refusal(scope, receive, send)
        except _GoneError:
            pass
        finally:
            self._held -= len(body)

    async def _read(self, scope: "Scope", receive: "Receive", body: bytearray) -> None:
        """Put a request's body into the bytes given."""
        most, seconds = self._limits.body_bytes, self._limits.read_seconds
        too_large = _RefusedError(
            413, f"a request may have {most:,} bytes at most", connection="close"
        )
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced[:20]) > most:
            raise too_large
        try:
            async with asyncio.timeout(seconds):
                more = True
                while more:
                    more = await self._take(receive, body)
                    if len(body) > most:
                        raise too_large  # first: to try it again would be no use
                    if self._held > self._limits.held_bytes:
                        reason = "too much is sent at once; try again"
                        raise _RefusedError(503, reason, **{"retry-after": "1"})
        except TimeoutError:
            reason = f"the request did not arrive within {seconds:g} s"
            raise _RefusedError(408, reason, connection="close") from None

    async def _take(self, receive: "Receive", body: bytearray) -> bool:
        """Add the next part of a body; return whether there is more of it."""
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _GoneError
        part = message.get("body", b"")
        body += part
        self._held += len(part)
        return bool(message.get("more_body", False))


def _replay(body: bytes, receive: "Receive") -> "Receive":
    """Return a source of the body that was read already, and of what follows."""
    rest: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body_first() -> "Message":
        return rest.pop() if rest else await receive()

    return receive_body_first
