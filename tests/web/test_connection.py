"""Who is not waited for."""

import signal
import socket
import time
from contextlib import closing, suppress
from http.client import HTTPConnection

import pytest
from served import ECHO, Server


@pytest.mark.slow(reason="waits for a server")
def test_who_says_nothing_or_never_ends_is_not_waited_for() -> None:
    """Neither may keep others out by holding connections: three are all there are."""
    with Server("-c", ECHO, "0.3") as server:
        place = (server.host, server.port)
        with (
            socket.create_connection(place, timeout=10) as silent,
            socket.create_connection(place, timeout=10) as slow,
        ):
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Endless: a")
            for opened in (silent, slow):
                with suppress(ConnectionResetError):
                    assert opened.recv(100) == b""
        with closing(HTTPConnection(*place, timeout=10)) as kept:
            for _ in range(2):  # a connection that waits for its next request is another matter
                kept.request("GET", "/")
                assert kept.getresponse().read() == b"0"
                time.sleep(0.5)


@pytest.mark.slow(reason="waits for a server")
def test_who_does_not_read_an_answer_loses_it() -> None:
    with Server("-c", ECHO, "0.5") as server:
        with server.begin("/", 5) as begun:
            begun.sendall(b"large")
            time.sleep(1.5)
            received = 0
            with suppress(ConnectionResetError):
                while part := begun.recv(1 << 20):
                    received += len(part)
            assert received < 50_000_000
        assert server.ask("/", "moon").json == 6
    with Server("-c", ECHO, "60") as server, server.begin("/", 5) as begun:
        begun.sendall(b"large")
        assert len(some_of(begun, 50_000_000)) == 50_000_000


def some_of(opened: socket.socket, count: int) -> bytes:
    """Return so many bytes, or what comes until the other side closes."""
    received = bytearray()
    while len(received) < count and (part := opened.recv(1 << 20)):
        received += part
    return bytes(received[:count])


def test_too_many_connections_are_turned_away() -> None:
    with Server("-c", ECHO) as server:
        waiting = [server.begin("/", 2) for _ in range(2)]
        assert server.ask("/").status == 503
        for opened in waiting:
            with opened:
                opened.sendall(b"ok")
                assert opened.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert server.ask("/", "moon").status == 200
        server.tell_to_go(signal.SIGTERM)
        assert server.last_words()[0] == -signal.SIGTERM
