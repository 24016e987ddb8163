"""Whatever comes over a connection: the server answers or closes it, and goes on."""

import atexit
import random
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from networks import made_cnn
from served import HOSTILE_HEADERS, Server

from whyword import InputError

pytestmark = pytest.mark.slow(reason="fuzzes a server")

SECONDS = 0.1  # to wait for an answer: on a machine under load it may not be seen, which is fine
PIECE = 1 << 16
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
GOOD = (
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
    b"GET /ws HTTP/1.1\r\n"
    + (HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
    + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    b"GET / HTTP/1.1\r\n"
    + (HOST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n"),
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
class Sent:
    """What is sent over one connection, piece after piece."""

    pieces: tuple[bytes, ...]

    def __repr__(self) -> str:
        return f"Sent(({', '.join(map(_short, self.pieces))}))"


def _short(piece: bytes) -> str:
    if len(piece) <= 1_000:
        return repr(piece)
    return f"{piece[:300]!r} … {piece[-100:]!r} ({len(piece):,} bytes)"


def near(seed: int) -> Sent:
    """Return a good message with some things wrong."""
    how = random.Random(seed)
    message = how.choice(GOOD)
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
    return Sent(tuple(message[a:b] for a, b in pairwise(places)))


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

    def send(self, sent: Sent) -> None:
        """Send a message, look at what comes back, and whether the server is well."""
        answers = self._answers(sent.pieces)
        lines = re.findall(rb"^HTTP/1\.1 (\d+) ", answers)
        assert not answers or lines, answers[:1000]
        statuses = re.findall(rb"HTTP/1\.1 (\d{3}) [A-Z]", answers)
        assert not any(status.startswith(b"5") for status in statuses), answers[:1000]
        assert self._server.ask("/healthz").status == 200
        assert self._children() == self._workers, "a worker died"
        assert "Traceback" not in self.log()
        if not any(status.startswith(b"2") for status in statuses):
            raise InputError(f"refused: {statuses[0].decode() if statuses else 'closed'}")

    def _answers(self, pieces: Sequence[bytes]) -> bytes:
        """Return what came back until the server closed the connection, or said no more."""
        received = b""
        place = (self._server.host, self._server.port)
        with socket.create_connection(place, timeout=10) as opened:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            try:
                for piece in pieces:
                    opened.sendall(piece)
                opened.settimeout(SECONDS)
                while part := opened.recv(PIECE):
                    received += part
            except OSError:  # it closed the connection, or has nothing to say
                pass
        return received

    def _children(self) -> set[int]:
        return {one.pid for one in psutil.Process(self._server.process.pid).children()}

    def log(self) -> str:
        """Return what the server wrote to its log."""
        return self._log.read_text(errors="replace")


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of HTTP messages; its server ends with the process."""
    return _fuzzer(Messages(folder))


def _fuzzer(messages: Messages) -> Fuzzer:
    return Fuzzer("HTTP messages", st.integers(0, 2**60).map(near), messages.send)


def test_messages_that_are_nearly_right(tmp_path: Path) -> None:
    messages = Messages(tmp_path)
    try:
        fuzzer = _fuzzer(messages)
        fuzzer.check(500)
        assert fuzzer.accepted
        assert fuzzer.refused > 50
    finally:
        messages.close()
