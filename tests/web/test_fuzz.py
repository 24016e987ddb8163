"""Requests made up by the hundred: an answer as the API's schema describes it, or a refusal."""

import atexit
import json
import random
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from networks import made_cnn, made_text
from served import HOSTILE_HEADERS, Answer, Server, ask, records
from starlette.types import ASGIApp, Receive, Scope, Send
from suspected import one_suspect, some_suspects

from whyword import InputError
from whyword.web.access import Access
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library
from whyword.web.limits import Limits
from whyword.web.suspects import SuspectList


def some(count: int) -> Any:  # noqa: ANN401 - pytest's parameters
    """Run so many cases in `make test`, ten times as many at night."""
    return [
        pytest.param(count, marks=pytest.mark.slow(reason="fuzzes the API")),
        pytest.param(10 * count, marks=pytest.mark.nightly(reason="fuzzes the API")),
    ]


# ---- by the schema ------------------------------------------------------------------------------


@cache
def small_app() -> ASGIApp:
    """Return an application whose limits are small enough to be exceeded."""
    limits = Limits(body_bytes=4_000, documents=4, characters=120, words=30)
    texts = [made_text(np.random.default_rng(seed).integers(0, 7, 9)) for seed in range(12)]
    labels = [f"class {number % 4}" if number % 5 else None for number in range(12)]
    found = some_suspects([one_suspect("wa", label="class 0")], None, "class 0")
    return create_app(
        Engine(made_cnn(), limits),
        open_library(made_cnn(), records(texts, labels), "texts"),
        Access(hosts=()),  # the generator has a host of its own
        SuspectList(found, None),
    )


async def endless(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer, but never end: the generator would start and end a server for each test."""
    if scope["type"] == "lifespan":
        raise NotImplementedError
    await small_app()(scope, receive, send)


@pytest.mark.parametrize("count", some(10))
def test_answers_are_as_the_schema_describes_them(count: int) -> None:
    import schemathesis  # takes seconds

    checks = {
        # What fits the schema need not make sense: words of a query that no document has, positions
        # beyond a text's end, a class against itself. The answer is a 422 that says so.
        "positive_data_acceptance": {"enabled": False},
        # 413 is a refusal, too.
        "negative_data_rejection": {"expected-statuses": ["404", "405", "413", "422"]},
    }
    how: dict[str, Any] = {"seed": 1, "generation": {"mode": "all"}, "checks": checks}
    schema = schemathesis.openapi.from_asgi(
        "/api/openapi.json", endless, config=schemathesis.Config.from_dict(how)
    )
    paths = set()
    for found in schema.get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]
        paths.add(operation.path)
        for mode in schemathesis.GenerationMode:

            @settings(
                max_examples=count,
                derandomize=True,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(operation.as_strategy(generation_mode=mode))
            def test(case: schemathesis.Case[Any]) -> None:
                response = case.call_and_validate()
                assert response.status_code < 500
                if response.status_code >= 400:
                    detail = response.json()["detail"]
                    assert detail.isprintable()
                    assert len(detail) <= 1_000

            with suppress(Unsatisfiable):  # some paths take nothing that could be wrong
                test()
    assert paths == set(schema.raw_schema["paths"])


# ---- bodies that are nearly right ---------------------------------------------------------------

LARGEST = 6 << 20  # bytes, below the server's limit: refused for what it is, not for its size
# JSON, or nearly
HOSTILE_VALUES = [
    *("null", "true", "0", "-1", "7", "1.5", "-0", "1e2", "1e999", "-1e999", "1e-999", "NaN"),
    *("Infinity", "-Infinity", "9" * 19, "9" * 30, "9" * 5_000, "0." + "1" * 5_000, "01", "0x1"),
    *(
        '""',
        '" "',
        '"\\ud800"',
        '"\\udfff\\ud800"',
        '"\\u0000"',
        '"\\ud83d\\ude00"',
        '"\u2028\x7f"',
    ),
    *('"all"', '"predicted"', '"class 0"', '"class 3"', '"lrp"', '"occlusion"', '"wa wb"', '"\\x"'),
    *("[]", "{}", "[[]]", "[{}]", '[""]', "[null]", '["all"]', '["class 0", "class 0"]', "[0, 0]"),
    *('{"text": "wa"}', '{"text": 1}', '{"text": "wa", "text": 1}', '{"__proto__": {}}'),
    *("undefined", "[" * 900 + "]" * 900, "[" * 100_000, '{"a":' * 100_000, "", "/* */ 1", "'wa'"),
    *("[1,]", '"wa'),
]
GOOD: dict[str, list[dict[str, Any]]] = {
    "/api/predict": [
        {"documents": ["wa wb wc", ""]},
        {"documents": [{"text": "wa wd", "id": "one"}, {"text": "wb"}, "wc"]},
    ],
    "/api/explain": [
        {"documents": ["wa wb wc"], "target": "all"},
        {"documents": [{"text": "wa wb", "id": "a", "deleted": [0]}, "wd"], "target": "class 1"},
        {"documents": ["wa wb"], "target": ["class 0", "class 2"], "method": "gradient_input"},
        {"documents": ["wa we wf"], "target": "class 0", "against": "class 1", "method": "lrp"},
    ],
    "/api/what-if": [{"words": ["wa", "wb wc", "/w.*/"]}, {"words": ["nowhere"]}],
    "/api/search": [{"query": "wa wb"}, {"query": "wc wd wa", "top": 3}],
}


def shortened(content: bytes) -> str:
    """Return bytes as they are shown where a case fails."""
    if len(content) <= 1_000:
        return repr(content)
    return f"{content[:300]!r} … {content[-100:]!r} ({len(content):,} bytes)"


@dataclass(frozen=True)
class Request:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def __repr__(self) -> str:
        return f"{self.method} {self.path} {self.headers!r:.300} {shortened(self.body)}"


@dataclass
class Raw:
    """What is written into JSON as it is."""

    text: str


class Pairs(list[tuple[str, Any]]):
    """An object whose keys may be there twice."""


def parsed(value: object) -> Any:  # noqa: ANN401 - any JSON
    """Return a copy of JSON in a form that can be damaged."""
    if isinstance(value, dict):
        return Pairs((key, parsed(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return [parsed(inner) for inner in value]
    return Raw(json.dumps(value))


def written(value: object) -> str:
    """Return JSON, or nearly."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{json.dumps(k)}: {written(v)}" for k, v in value) + "}"
    assert isinstance(value, list)
    return "[" + ", ".join(map(written, value)) + "]"


def containers(value: object) -> Iterator[list[Any]]:
    """Yield the lists and objects in it, itself first."""
    if isinstance(value, list):
        yield value
        for inner in value:
            yield from containers(inner[1] if isinstance(value, Pairs) else inner)


def change(content: list[Any], how: random.Random) -> None:
    """Change one place in JSON: add, drop, double, nest or replace a value, or repeat it."""
    place = how.choice(list(containers(content)))
    at = how.randrange(len(place)) if place else 0
    hostile = Raw(how.choice(HOSTILE_VALUES))
    kind = how.choice(("add", "drop", "double", "nest", "replace", "replace", "repeat"))
    if not place or kind == "add":
        key = how.choice(("text", "documents", "target", "query", "x", "", "\ud800", "k" * 5_000))
        place.insert(at, (key, hostile) if isinstance(place, Pairs) else hostile)
        return
    key, value = place[at] if isinstance(place, Pairs) else ("", place[at])
    if kind == "repeat":
        times = how.choice((70, 2_000, 400_000))
        if (len(key) + 10 + len(written(value))) * times < LARGEST:
            keys = [f"{key}{number}" for number in range(times)] if key else [""] * times
            place.extend((one, value) if isinstance(place, Pairs) else value for one in keys)
    elif kind == "drop":
        del place[at]
    elif kind == "double":
        place.append(place[at])
    else:
        new = [value] if kind == "nest" else hostile
        place[at] = (key, new) if isinstance(place, Pairs) else new


def near_body(seed: int) -> Request:
    """Return a good request with some things wrong, as JSON, as bytes, or in its headers."""
    how = random.Random(seed)
    path = how.choice(list(GOOD))
    content = parsed(how.choice(GOOD[path]))
    for _ in range(how.choice((0, 1, 1, 1, 2, 3))):
        change(content, how)
    body = written(content).encode("utf-8", how.choice(("surrogatepass", "replace")))
    for _ in range(how.choice((0, 0, 0, 1, 2))):
        body = damage(body, how)
    if how.randrange(12) == 0:
        body = how.choice(ENCODINGS)(body)
    headers = dict([how.choice(HOSTILE_HEADERS)]) if how.randrange(6) == 0 else {}
    method = how.choice(("GET", "HEAD", "PUT", "OPTIONS")) if how.randrange(30) == 0 else "POST"
    path = how.choice(list(GOOD)) if how.randrange(20) == 0 else path
    return Request(method, path, headers, body)


ENCODINGS: list[Callable[[bytes], bytes]] = [
    lambda body: b"\xef\xbb\xbf" + body,
    lambda body: body.decode("latin-1").encode("utf-16"),
    lambda body: body.decode("latin-1").encode("utf-32-be"),
    lambda body: body + b" " * 200_000,
    lambda body: body + body,
    lambda body: body.hex().encode(),
    lambda body: b"",
]


@cache
def usual_app() -> ASGIApp:
    """Return an application with the usual limits."""
    few = [made_text(range(first, 7)) for first in range(5)]
    return create_app(Engine(made_cnn()), open_library(made_cnn(), records(few, None), "texts"))


def post(sent: Request) -> None:
    """Send a request; raise what is refused."""
    answer = ask(usual_app(), sent.path, method=sent.method, headers=sent.headers, body=sent.body)
    assert answer.status < 500, answer
    if sent.method == "HEAD":
        return
    if answer.status >= 400:
        check_problem(answer)
        raise InputError(answer.problem)
    if sent.method == "POST":
        json.loads(answer.body, parse_constant=refuse_constant)


def refuse_constant(name: str) -> None:
    """Raise: NaN and Infinity are no JSON."""
    raise AssertionError(f"{name} in an answer")


def check_problem(answer: Answer) -> None:
    """Check the form of an error."""
    assert answer.problem
    fields = answer.json["fields"]
    assert all(isinstance(name, str) and name for name in fields)
    assert len(fields) == len(set(fields)) <= 8


def body_fuzzer() -> Fuzzer:
    """Return the fuzzer of API bodies."""
    return Fuzzer("API bodies", st.integers(0, 2**60).map(near_body), post)


@pytest.mark.parametrize("count", some(200))
def test_bodies_that_are_nearly_right(count: int) -> None:
    bodies = body_fuzzer()
    bodies.check(count)
    assert min(bodies.accepted, bodies.refused) > count / 10
    assert len(bodies.messages) > 20


# ---- messages that are nearly HTTP --------------------------------------------------------------

SECONDS = 0.1  # to wait for an answer: on a machine under load it may not be seen, which is fine
# the command, with its log in a file: nobody would read a pipe meanwhile
SERVE = """
import os, sys
from whyword.cli.main import main
log, model = sys.argv[1:]
os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
sys.argv[1:] = ["serve", model, "--no-open", "--port", "0"]
main()
"""
BODY = b'{"documents": ["wa wb wc"]}'
JSON = b"Content-Type: application/json\r\n"
HOST = b"Host: localhost\r\n"
GET = b"GET /api/about HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /api/predict HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 27\r\n"
CHUNKED = b"POST /api/explain HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n"
UPGRADE = b"GET / HTTP/1.1\r\n" + HOST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: "
GOOD_MESSAGES = (
    GET,
    b"GET / HTTP/1.0\r\n\r\n",
    b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    b"GET /static/index.html?a=b#c HTTP/1.1\r\n" + HOST + b'If-None-Match: "a"\r\n\r\n',
    b"GET http://localhost/api/about HTTP/1.1\r\n" + HOST + b"\r\n",
    b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    b"OPTIONS /api/predict HTTP/1.1\r\n"
    + (HOST + b"Origin: http://localhost\r\nAccess-Control-Request-Method: POST\r\n\r\n"),
    POST + b"\r\n" + BODY,
    POST + b"Expect: 100-continue\r\nConnection: keep-alive\r\n\r\n" + BODY,
    POST + b"\r\n" + BODY + GET + POST + b"\r\n" + BODY,
    CHUNKED + b"\r\n1b\r\n" + BODY + b"\r\n0\r\n\r\n",
    CHUNKED + b"Trailer: X\r\n\r\n1;a=b\r\n{\r\n1a\r\n" + BODY[1:] + b"\r\n0\r\nX: a\r\n\r\n",
    UPGRADE + b"websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHN\r\n\r\n",
    UPGRADE + b"h2c\r\nHTTP2-Settings: AA\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n",
)
LINES = (
    *(HOST, b"Host: evil.example\r\n", b"Host:\r\n", b"Authorization: Bearer a\r\n"),
    *(b"Content-Length: 27\r\n", b"Content-Length: 5\r\n", b"Content-Length: 9999999999\r\n"),
    *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n"),
    *(b"Expect: 100-continue\r\n", b"Expect: a\r\n", b"Connection: close\r\n", b" folded: a\r\n"),
    *(b"X-Long: " + b"a" * 100_000 + b"\r\n", b"X: a\r\n" * 5_000, b"\r\n", b"\n", b": a\r\n"),
    *(f"{name}: {value}\r\n".encode("latin-1") for name, value in HOSTILE_HEADERS),
)
TARGETS = (
    *(b"//", b"/..", b"/static/../../etc/passwd", b"/%00", b"/%ff", b"/\xff", b"?", b"/a" * 60_000),
    *(b"/api/documents/" + b"9" * 5_000, b"http://evil.example/", b"/?" + b"a=b&" * 9_000),
)


@dataclass(frozen=True)
class Pieces:
    """What is sent over one connection, piece after piece."""

    pieces: tuple[bytes, ...]

    def __repr__(self) -> str:
        return f"Pieces(({', '.join(map(shortened, self.pieces))}))"


def near_message(seed: int) -> Pieces:
    """Return a good message with some things wrong."""
    how = random.Random(seed)
    message = how.choice(GOOD_MESSAGES)
    if how.randrange(2):  # a line more, somewhere in the head
        head, end, body = message.partition(b"\r\n\r\n")
        lines = [line + b"\r\n" for line in head.split(b"\r\n")]
        lines.insert(1 + how.randrange(len(lines)), how.choice(LINES))
        message = b"".join(lines) + end[2:] + body
    if how.randrange(8) == 0:
        method, _, rest = message.partition(b" ")
        message = method + b" " + how.choice(TARGETS) + b" " + rest.partition(b" ")[2]
    for _ in range(how.choice((0, 1, 1, 2, 3))):
        message = damage(message, how)
    cuts = sorted(how.randrange(len(message) + 1) for _ in range(how.choice((0, 0, 1, 3))))
    places = [0, *cuts, len(message)]
    return Pieces(tuple(message[a:b] for a, b in pairwise(places)))


class Messages:
    """A server, and a connection to it for each message.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        made_cnn().save(folder / "model")
        self._log = folder / "log"
        self._server = Server("-c", SERVE, self._log, folder / "model")
        atexit.register(self.close)
        self._workers = self._children()

    def close(self) -> None:
        """End the server."""
        atexit.unregister(self.close)
        self._server.__exit__()

    def send(self, sent: Pieces) -> None:
        """Send a message; check what comes back, and that the server is well."""
        answers = self._answers(sent.pieces)
        lines = re.findall(rb"^HTTP/1\.1 (\d+) ", answers)
        assert not answers or lines, answers[:1000]
        statuses = re.findall(rb"HTTP/1\.1 (\d{3}) [A-Z]", answers)
        assert not any(status.startswith(b"5") for status in statuses), answers[:1000]
        assert self._server.ask("/healthz").status == 200
        assert self._children() == self._workers, "a worker died"
        assert "Traceback" not in self._log.read_text(errors="replace")
        if not any(status.startswith(b"2") for status in statuses):
            raise InputError(f"refused: {statuses[0].decode() if statuses else 'closed'}")

    def _answers(self, pieces: Sequence[bytes]) -> bytes:
        """Return what came back until the server closed the connection, or sent no more."""
        received = b""
        place = (self._server.host, self._server.port)
        with socket.create_connection(place, timeout=10) as opened:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            try:
                for piece in pieces:
                    opened.sendall(piece)
                opened.settimeout(SECONDS)
                while part := opened.recv(1 << 16):
                    received += part
            except OSError:  # it closed the connection, or has nothing to say
                pass
        return received

    def _children(self) -> set[int]:
        return {one.pid for one in psutil.Process(self._server.process.pid).children()}


def message_fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of HTTP messages; its server ends with the process."""
    return Fuzzer("HTTP messages", st.integers(0, 2**60).map(near_message), Messages(folder).send)


@pytest.mark.parametrize("count", some(60))
def test_messages_that_are_nearly_right(count: int, tmp_path: Path) -> None:
    messages = message_fuzzer(tmp_path)
    try:
        messages.check(count)
        assert messages.accepted
        assert messages.refused > count / 10
    finally:
        messages.run.__self__.close()  # type: ignore[attr-defined]
