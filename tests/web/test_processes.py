"""Several processes on one port behave as one server."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection

import psutil
import pytest
from served import Server, rest_of

from whyword import InputError
from whyword.web import processes
from whyword.web.processes import checked_processes, sockets_beside, usual_processes
from whyword.web.serving import bound_socket

pytestmark = pytest.mark.slow(reason="starts servers of several processes")

SCRIPT = """
import logging, os, sys
from whyword.web.limits import Limits
from whyword.web.serving import address_of, bound_socket, run

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            if "unfit" in sys.argv:
                os._exit(3)
            await send({"type": f"lifespan.{stage}.complete"})
        os.write(2, f"{stage}\\n".encode())  # in one piece, both write
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    answer = b"%d" % os.getpid()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})

logging.basicConfig(format="%(message)s")
bound = bound_socket("127.0.0.1", 0)
address = address_of(bound, "127.0.0.1")
run(app, bound, Limits(), lambda: print(address, flush=True), processes=2)
"""


def who_answers(server: Server, times: int = 60) -> set[int]:
    """Return the processes that answer, each request on a connection of its own."""
    return {server.ask("/").json for _ in range(times)}


def wait_until_gone(pids: set[int]) -> None:
    deadline = time.monotonic() + 20
    while any(map(psutil.pid_exists, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_all_processes_answer() -> None:
    with Server("-c", SCRIPT) as server:
        pids = who_answers(server)
        assert len(pids) == 2
        assert server.process.pid not in pids
        with closing(HTTPConnection(server.host, server.port, timeout=10)) as kept:
            answers = set()
            for _ in range(5):  # a connection stays with its process
                kept.request("GET", "/")
                answers.add(kept.getresponse().read())
            assert len(answers) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_they_go_together_and_answer_first(number: signal.Signals) -> None:
    with Server("-c", SCRIPT) as server:
        pids = who_answers(server)
        begun = [server.begin("/", 10) for _ in range(8)]
        server.tell_to_go(number)
        for opened in begun:
            with opened:
                opened.sendall(b"x" * 10)
                assert rest_of(opened).startswith(b"HTTP/1.1 200 OK\r\n")
        code, out, errors = server.last_words()
        wait_until_gone(pids)
    assert (code, out) == (-number, "")
    assert errors.split()[:2] == ["shutdown", "shutdown"]
    assert "process of the server" not in errors


def test_nobody_stays_when_the_watching_process_is_killed() -> None:
    with Server("-c", SCRIPT) as server:
        pids = who_answers(server)
        server.process.kill()
        wait_until_gone(pids)
        bound_socket("127.0.0.1", server.port).close()


def test_one_that_is_killed_is_replaced() -> None:
    with Server("-c", SCRIPT) as server:
        gone, stayed = who_answers(server)
        os.kill(gone, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while len(now := who_answers(server)) < 2 or gone in now:
            assert time.monotonic() < deadline
        assert stayed in now
        server.tell_to_go(signal.SIGTERM)
        code, _, errors = server.last_words()
        wait_until_gone(now)
    assert code == -signal.SIGTERM
    assert "a process of the server ended (-9) and is replaced" in errors


def test_ones_that_end_again_and_again_are_given_up() -> None:
    with Server("-c", SCRIPT) as server:
        deadline = time.monotonic() + 30
        while server.process.poll() is None:
            assert time.monotonic() < deadline
            for child in psutil.Process(server.process.pid).children():
                child.kill()
            time.sleep(0.05)
        code, _, errors = server.last_words()
    assert code == 1
    assert "the server's processes end again and again" in errors


def test_ones_that_do_not_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "unfit"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "a process of the server ended before it listened" in done.stderr


def test_a_port_that_is_shared_is_taken_all_the_same() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        others = sockets_beside(first, 3)[1:]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}"):
            bound_socket("127.0.0.1", port)
        for other in others:
            other.close()
    bound_socket("127.0.0.1", port).close()


def test_sockets_share_connections() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        sockets = sockets_beside(first, 2)
        clients = [socket.create_connection(first.getsockname()) for _ in range(60)]
        for each in sockets:
            each.setblocking(False)
            each.accept()[0].close()  # there was one for it
        for opened in (*clients, sockets[1]):
            opened.close()


def test_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    assert usual_processes() == checked_processes(None) == 4
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert usual_processes() == 1
    assert checked_processes(3) == 3


def test_one_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "can_split", lambda: False)
    assert checked_processes(None) == checked_processes(1) == 1
    with pytest.raises(InputError, match=r"--processes 2: on .* there can be one only"):
        checked_processes(2)
