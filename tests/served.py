"""Models behind the API, and a client that calls the application without a socket."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from http.client import HTTPConnection
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

import orjson
from networks import small_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from starlette.types import ASGIApp, Message
from suspected import one_suspect, some_suspects

from whyword import CNNClassifier, SVMClassifier, from_pipeline
from whyword.corpora.source import Record
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import Library, open_library
from whyword.web.suspects import SuspectList

TEXTS, LABELS = topical(40)
TEXT = "The moon and the rocket: a goal, a puck!"
KINDS = ("cnn", "svm", "pipeline", "numbers")

# (name, value): no request should have one of them, and a server must not mind
HOSTILE_HEADERS = [
    *(("content-type", value) for value in ("", "text/plain", "application/json; charset=utf-16")),
    *(("content-type", value) for value in ("application/x-www-form-urlencoded", "a/b" * 5_000)),
    *(
        ("content-type", value)
        for value in ("multipart/form-data; boundary=a", "\xe9", "a/b;" * 999)
    ),
    *(
        ("content-length", value)
        for value in ("0", "1", "-1", "", "a", "9" * 30, "9" * 5_000, "1,1")
    ),
    *(("content-length", value) for value in ("0x10", "\xb2", "+5", " 5")),
    *(("content-encoding", value) for value in ("gzip", "br", "identity, gzip", "\xff")),
    *(("transfer-encoding", value) for value in ("chunked", "gzip", "chunked, chunked")),
    *(("host", value) for value in ("", "evil.example", "localhost:99999", "[::1", "a@localhost")),
    *(("origin", value) for value in ("null", "http://localhost", "http://[", "\x00")),
    *(("accept", value) for value in ("text/html", "*/*;q=a", ",")),
    *(("access-control-request-method", value) for value in ("POST", "TRACE", "\xe9")),
    *(("authorization", value) for value in ("Bearer", "Bearer \xe9", "Basic =")),
    *(("if-none-match", value) for value in ("*", '"', "W/" * 999)),
    *(("range", value) for value in ("bytes=0-", "bytes=9-1", "a")),
    *(("cookie", value) for value in ("a=b;" * 999, "\xff")),
    *(("upgrade", value) for value in ("websocket", "h2c")),
    *(("x-forwarded-for", value) for value in ("127.0.0.1", "," * 999)),
]

# a program that serves: it says how many bytes were sent to it
ECHO = """
import json, sys
from whyword.web.limits import Limits
from whyword.web.serving import address_of, bound_socket, run

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
            print(stage, file=sys.stderr, flush=True)
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    if body == b"break":
        raise ZeroDivisionError
    answer = b"x" * 50_000_000 if body == b"large" else json.dumps(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})

bound = bound_socket("127.0.0.1", 0)
address = address_of(bound, "127.0.0.1")
seconds = float(sys.argv[1]) if sys.argv[1:] else 10
limits = Limits(connections=3, read_seconds=seconds, write_seconds=seconds)
run(app, bound, limits, lambda: print(address, flush=True))
"""


@cache
def model(kind: str) -> CNNClassifier | SVMClassifier | PipelineClassifier:
    """Return a small trained model; the classes of "numbers" are whole numbers."""
    if kind == "cnn":
        return small_cnn()
    if kind == "svm":
        return SVMClassifier(C=1.0).fit(TEXTS, LABELS)
    numbers = [100 + len(label) for label in LABELS]
    made = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
    made.fit(TEXTS, numbers if kind == "numbers" else LABELS)
    wrapping: PipelineClassifier = from_pipeline(made)
    return wrapping


def records(texts: Iterable[str] = TEXTS, labels: Iterable[Any] | None = LABELS) -> list[Record]:
    """Return the texts as they come from a table."""
    texts = list(texts)
    labels = [None] * len(texts) if labels is None else labels
    pairs = enumerate(zip(texts, labels, strict=True))
    return [Record(f"post {n}", text, label, None) for n, (text, label) in pairs]


def library(kind: str = "cnn") -> Library:
    """Return the small corpus as a model sees it."""
    return _library(kind)


def app(kind: str = "cnn", corpus: bool = True) -> ASGIApp:
    """Return an application with the usual limits."""
    return _app(kind, corpus)


@cache
def _library(kind: str) -> Library:
    return open_library(model(kind), records(), "posts")


@cache
def _app(kind: str, corpus: bool) -> ASGIApp:
    if not corpus:
        return create_app(Engine(model(kind)))
    rows = [one_suspect("moon"), one_suspect("puck", label="hockey"), one_suspect("key")]
    listed = SuspectList(some_suspects(rows), None)
    return create_app(Engine(model(kind)), library(kind), suspects=listed)


def arrived(content: object) -> Any:  # noqa: ANN401 - any JSON
    """Return an answer's content as it arrives at the other end."""
    return json.loads(orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY))


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever was sent
        """The content."""
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    @property
    def problem(self) -> str:
        """What an error says, after a look at its form."""
        assert self.status >= 400
        assert list(self.json) == ["detail", "fields"]
        said: str = self.json["detail"]
        assert 0 < len(said) <= 1000
        assert said.isprintable()  # so that it is one line
        return said


def check_refused(answer: Answer, status: int, *parts: str) -> str:
    """Check an error and return what it says."""
    assert answer.status == status, answer
    for part in parts:
        assert part in answer.problem
    return answer.problem


async def asked(
    app: ASGIApp,
    path: str,
    sent: object = None,
    *,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes | Iterable[bytes] = b"",
) -> Answer:
    """Return the application's answer.

    Parameters
    ----------
    app : ASGI application
    path : str
        May have a query.
    sent : object, optional
        Posted as JSON.
    method : str, optional
        By default POST if there is a body.
    headers : dict, optional
        Beside Host and Content-Type, or instead of them.
    body : bytes, or several that come one after the other
    """
    if sent is not None:
        body = json.dumps(sent).encode()
    parts = [body] if isinstance(body, bytes) else list(body)
    method = method or ("POST" if any(parts) else "GET")
    every = {"host": "localhost", "content-type": "application/json"} | dict(headers or {})
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(k.encode("latin-1"), v.encode("latin-1")) for k, v in every.items()],
        "server": ("localhost", 80),
        "client": ("127.0.0.1", 1),
    }
    waiting: list[Message] = [
        {"type": "http.request", "body": part, "more_body": at < len(parts) - 1}
        for at, part in enumerate(parts)
    ]
    messages: list[Message] = []

    async def receive() -> Message:
        if not waiting:
            await asyncio.get_running_loop().create_future()  # nothing more, ever
        return waiting.pop(0)

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    start, *rest = messages
    assert start["type"] == "http.response.start"
    found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], found, b"".join(message.get("body", b"") for message in rest))


def ask(app: ASGIApp, path: str, sent: object = None, **others: Any) -> Answer:  # noqa: ANN401
    """Return the application's answer, see :func:`asked`."""
    return asyncio.run(asked(app, path, sent, **others))


def _as_on_a_terminal() -> None:
    """Heed signals that are ignored where the tests run in the background, or under nohup."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Server:
    """A server in a process of its own, which prints its address first."""

    def __init__(self, *command: object, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
            preexec_fn=_as_on_a_terminal,
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        found = re.match(r"http://(\S+):(\d+)/", self.line)
        assert found, self.process.communicate()
        self.host, self.port = found[1], int(found[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ask(self, path: str, sent: object = None, **headers: str) -> Answer:
        """Return the answer; the underscores of a header's name become dashes."""
        connection = HTTPConnection(self.host, self.port, timeout=30)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if sent is None else json.dumps(sent)
        named |= {} if sent is None else {"content-type": "application/json"}
        with closing(connection):
            connection.request("GET" if sent is None else "POST", path, body, named)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())

    def begin(self, path: str, length: int) -> socket.socket:
        """Return a connection whose request the server has begun to read; its body is to come."""
        opened = socket.create_connection((self.host, self.port), timeout=30)
        lines = (
            *(f"POST {path} HTTP/1.1", f"Host: {self.host}", f"Content-Length: {length}"),
            *("Content-Type: application/json", "Expect: 100-continue", "", ""),
        )
        opened.sendall("\r\n".join(lines).encode())
        assert opened.recv(1000).startswith(b"HTTP/1.1 100 ")
        return opened

    def tell_to_go(self, number: signal.Signals) -> None:
        """Send a signal, and wait until nobody new is let in."""
        self.process.send_signal(number)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
            except OSError:
                return
            time.sleep(0.01)
        raise AssertionError

    def last_words(self) -> tuple[int, str, str]:
        """Return the exit code, and what was written meanwhile to stdout and stderr."""
        out, errors = self.process.communicate(timeout=30)
        return self.process.returncode, out, errors


def rest_of(opened: socket.socket) -> bytes:
    """Return what comes until the other side closes the connection."""
    received = b""
    while part := opened.recv(65536):
        received += part
    return received
