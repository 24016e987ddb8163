"""Several processes on one port behave as one server."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.workers.base import Worker
from served import Server, rest_of

from whyword import InputError
from whyword.web.limits import Limits
from whyword.web.processes import _Application
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
    """Return the processes that answer, each request on a connection of its own.

    On a busy machine the second may come late: until there are two it is asked again, for a while.
    """
    pids: set[int] = set()
    deadline = time.monotonic() + 20
    while len(pids) < 2 and time.monotonic() < deadline:
        pids |= {server.ask("/").json for _ in range(times)}
    return pids


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
    assert "Worker" not in errors


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
    assert f"Worker (pid:{gone}) was sent SIGKILL!" in errors


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
    assert "the processes end again and again" in errors
    assert "the processes of the server end by themselves; its log says why" in errors


def test_ones_that_do_not_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "unfit"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "exited with code 3" in done.stderr
    assert "the processes of the server end by themselves; its log says why" in done.stderr


def test_a_terminal_that_is_closed_ends_them() -> None:
    with Server("-c", SCRIPT) as server:
        pids = who_answers(server)
        server.process.send_signal(signal.SIGHUP)
        assert server.last_words()[0] == -signal.SIGHUP
        wait_until_gone(pids)


def test_a_port_that_is_shared_is_taken_all_the_same() -> None:
    with (
        Server("-c", SCRIPT) as server,
        pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{server.port}"),
    ):
        bound_socket("127.0.0.1", server.port)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """No control socket, no pid file: gunicorn would put one into the home folder."""
    with Server("-c", SCRIPT, HOME=str(tmp_path), XDG_RUNTIME_DIR=str(tmp_path)) as server:
        who_answers(server)
        assert list(tmp_path.iterdir()) == []
        server.tell_to_go(signal.SIGTERM)
        server.last_words()
    assert list(tmp_path.iterdir()) == []


def test_connections_may_be_shared_unevenly(monkeypatch: pytest.MonkeyPatch) -> None:
    """All may come to one process, which must not turn away what the others have room for."""

    async def app(*_: object) -> None:
        raise AssertionError

    def most(count: int) -> int:
        with bound_socket("127.0.0.1", 0) as bound:
            made = _Application(app, bound, Limits(connections=500), count)
            os.close(int(made.cfg.bind[0].removeprefix("fd://")))
        assert made.limits.held_bytes == Limits().held_bytes
        found: int = made.limits.connections
        return found

    for files, expected in ((65_536, 2_000), (1_024, 960), (-1, 2_000)):
        monkeypatch.setattr("resource.getrlimit", lambda _, soft=files: (soft, soft))
        assert most(4) == expected
        assert most(1) == 500


def test_what_is_needed_of_gunicorn_is_there() -> None:
    """None of it is public: if this fails, read the new gunicorn before its version is let in."""
    for name in (
        "spawn_workers",
        "spawn_worker",
        "handle_int",
        "handle_term",
        "SIGNALS",
        "WORKERS",
    ):
        assert hasattr(Arbiter, name), f"gunicorn's arbiter has no {name} any more"
    assert "num_workers" in dir(Arbiter)
    for name in ("init_process", "init_signals", "run"):
        assert callable(getattr(Worker, name)), f"gunicorn's worker has no {name} any more"
    assert {"ppid", "sockets", "app"} <= set(Worker.__init__.__code__.co_names)
    assert "wsgi" in Worker.load_wsgi.__code__.co_names
    known = Config().settings
    for name in (
        *("bind", "workers", "worker_class", "preload_app", "timeout", "graceful_timeout"),
        *("control_socket_disable", "proc_name", "loglevel", "worker_tmp_dir"),
    ):
        assert name in known, f"gunicorn has no setting {name} any more"
