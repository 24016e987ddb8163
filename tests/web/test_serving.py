"""From an application to a server that listens, of one process or several, and ends when told."""

import os
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import get_type_hints

import client
import numpy as np
import psutil
import pytest
from networks import small_cnn
from served import ECHO, Server, rest_of

import whyword as ww
from whyword import InputError
from whyword.base.errors import MissingExtraError
from whyword.web import serving
from whyword.web.limits import Limits
from whyword.web.schema import ExplanationOut
from whyword.web.serving import (
    address_of,
    bound_socket,
    check_extra,
    checked_processes,
    open_page,
    run,
    usual_processes,
)

ROOT = Path(__file__).parents[2]

# ---- ports and addresses ------------------------------------------------------------------------


def test_a_port_that_is_taken() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        # another server that has not begun to answer yet, either
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port} .*port"):
            bound_socket("127.0.0.1", port)
        # the side that ends a connection first remembers it for a while
        with socket.create_connection(("127.0.0.1", port)) as other:
            accepted, _ = first.accept()
            accepted.close()
            assert other.recv(1) == b""
    bound_socket("127.0.0.1", port).close()


def test_the_first_free_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with bound_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(serving, "PORT", port)
        with bound_socket("127.0.0.1", None) as free:
            assert port < free.getsockname()[1] < port + 10
        monkeypatch.setattr(serving, "_TRIED", 1)
        with pytest.raises(InputError, match=rf"127.0.0.1:{port} … {port} .*say another port"):
            bound_socket("127.0.0.1", None)


def test_hosts_that_are_no_address() -> None:
    for host in ("", "nowhere.invalid", "a b", "[::1]", "\x00", "ü" * 80):
        with pytest.raises(InputError, match="is no address of this machine"):
            bound_socket(host, 0)
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1:0"):
        bound_socket("192.0.2.1", 0)  # a net that no machine is in


def test_addresses_for_a_browser() -> None:
    with bound_socket("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        for host, shown in (
            *(("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("0.0.0.0", "localhost")),
            *(("::", "localhost"), ("::1", "[::1]")),
        ):
            assert address_of(bound, host) == f"http://{shown}:{port}/"


def test_a_browser_opens_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for platform, name, expected in (
        ("linux", "TERM", 0),
        ("linux", "DISPLAY", 1),
        ("linux", "WAYLAND_DISPLAY", 2),
        ("darwin", "TERM", 3),
    ):
        for other in ("DISPLAY", "WAYLAND_DISPLAY"):
            monkeypatch.delenv(other, raising=False)
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setenv(name, "x")
        open_page("http://localhost/")
        assert opened == ["http://localhost/"] * expected


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "gunicorn", "orjson", "sklearn"])
def test_without_the_packages_of_a_server(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_extra()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package} is not .*'whyword\[web\]'"):
        check_extra()

    async def app(*_: object) -> None:
        raise AssertionError

    with bound_socket("127.0.0.1", 0) as bound, pytest.raises(MissingExtraError, match=package):
        run(app, bound, Limits())


def test_how_many_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, expected in ((64, 4), (1, 1)):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, count=cores: set(range(count)))
        assert usual_processes() == checked_processes(None) == expected
    assert checked_processes(3) == 3
    monkeypatch.setattr(sys, "platform", "darwin")
    assert checked_processes(None) == checked_processes(1) == 1
    with pytest.raises(InputError, match=r"processes=2: on darwin there can be one only"):
        checked_processes(2)
    monkeypatch.setitem(sys.modules, "gunicorn", None)
    check_extra()


# ---- one process --------------------------------------------------------------------------------


@pytest.mark.slow(reason="starts a server")
def test_a_server_answers_and_ends_when_it_is_told_to() -> None:
    """A request that was begun is answered, although no new client is let in."""
    with Server("-c", ECHO) as server:
        for nonsense in (
            *(b"\x00\xff\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
            b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ):
            with socket.create_connection((server.host, server.port), timeout=10) as opened:
                opened.sendall(nonsense)
                opened.shutdown(socket.SHUT_WR)
                assert b" 200 " not in rest_of(opened)
        with server.begin("/", 5) as opened:
            opened.sendall(b"break")
            assert opened.recv(1000).startswith(b"HTTP/1.1 500 ")
        assert server.ask("/", "moon").json == 6
        assert "server" not in server.ask("/").headers
        idle = socket.create_connection((server.host, server.port))
        begun = server.begin("/", 10)
        server.tell_to_go(signal.SIGTERM)
        with begun, idle:
            begun.sendall(b"x" * 10)
            answer = rest_of(begun)
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
            assert answer.endswith(b"\r\n\r\n10")
            assert rest_of(idle) == b""
        code, out, errors = server.last_words()
    assert (code, out) == (-signal.SIGTERM, "")
    assert (errors.split()[0], errors.split()[-1]) == ("startup", "shutdown")
    assert "ZeroDivisionError" in errors  # of the request that broke


# ---- the client of the docs ---------------------------------------------------------------------


def test_the_docs_show_the_client() -> None:
    guide = (ROOT / "docs" / "howto" / "serve.md").read_text()
    assert (ROOT / "examples" / "client.py").read_text() in guide
    assert set(get_type_hints(client.Explained)) <= set(get_type_hints(ExplanationOut))


def test_the_client_sends_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[str | None]()

    def note(request: urllib.request.Request) -> None:
        seen.append(request.get_header("Authorization"))
        raise ConnectionError

    monkeypatch.setattr(client, "urlopen", note)
    for token in ("secret", ""):
        with pytest.raises(ConnectionError):
            client.ask("http://127.0.0.1:9", "/api/predict", {}, token)
    assert seen == ["Bearer secret", None]


@pytest.mark.slow(reason="starts a server")
def test_a_server_answers_the_client(tmp_path: Path) -> None:
    texts = ["The rocket reached the moon.", "A goal, a puck, the moon!"]
    small_cnn().save(tmp_path)
    with Server("-m", "whyword", "serve", tmp_path, "--no-open", "--port", 0) as server:
        address = server.line.split()[0]
        expected = ww.explain(small_cnn(), texts)
        for found, ours in zip(client.explain(address, texts), expected, strict=True):
            assert (found["text"], found["words"]) == (ours.text, list(ours.words))
            assert found["spans"] == ours.spans.tolist()
            assert found["target"] == found["predicted"]
            np.testing.assert_allclose(found["relevance"], ours.relevance, rtol=1e-6)
            assert sum(found["probabilities"]) == pytest.approx(1)
        with pytest.raises(ValueError, match="no class 'nowhere'") as refused:
            client.explain(address, ["The moon."], target="nowhere")
        assert "\n" not in str(refused.value)


# ---- several processes --------------------------------------------------------------------------

SCRIPT = """
import logging, os, sys
from whyword.web.limits import Limits
from whyword.web.serving import address_of, bound_socket, run

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            if os.path.exists(sys.argv[1]):
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
SEVERAL = pytest.mark.slow(reason="starts a server of several processes")


@pytest.fixture
def several(tmp_path: Path) -> Iterator[Server]:
    """A server of two processes, which leaves nothing in the home folder.

    Its processes do not start any more once there is a file ``unfit``.
    """
    home = tmp_path / "home"
    home.mkdir()
    place = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
    with Server("-c", SCRIPT, tmp_path / "unfit", **place) as server:
        yield server
    assert list(home.iterdir()) == []


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


@SEVERAL
def test_several_processes_answer_as_one_server(several: Server) -> None:
    """They answer what was begun before they end together."""
    pids = who_answers(several)
    assert len(pids) == 2
    assert several.process.pid not in pids
    with closing(HTTPConnection(several.host, several.port, timeout=10)) as kept:
        answers = set()
        for _ in range(5):  # a connection stays with its process
            kept.request("GET", "/")
            answers.add(kept.getresponse().read())
        assert len(answers) == 1
    with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{several.port}"):
        bound_socket("127.0.0.1", several.port)
    begun = [several.begin("/", 10) for _ in range(8)]
    several.tell_to_go(signal.SIGINT)
    for opened in begun:
        with opened:
            opened.sendall(b"x" * 10)
            assert rest_of(opened).startswith(b"HTTP/1.1 200 OK\r\n")
    code, out, errors = several.last_words()
    wait_until_gone(pids)
    assert (code, out) == (-signal.SIGINT, "")
    assert errors.split().count("shutdown") == 2
    assert "Worker" not in errors


@SEVERAL
def test_a_process_that_is_killed_is_replaced(several: Server) -> None:
    gone, stayed = who_answers(several)
    os.kill(gone, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while len(now := who_answers(several)) < 2 or gone in now:
        assert time.monotonic() < deadline
    assert stayed in now
    several.process.kill()  # all end when the watching process is killed
    wait_until_gone(now)
    bound_socket("127.0.0.1", several.port).close()
    assert f"Worker (pid:{gone}) was sent SIGKILL!" in several.last_words()[2]


@SEVERAL
def test_a_terminal_that_is_closed_ends_all_processes(several: Server) -> None:
    pids = who_answers(several)
    several.process.send_signal(signal.SIGHUP)
    assert several.last_words()[0] == -signal.SIGHUP
    wait_until_gone(pids)


@SEVERAL
def test_processes_that_end_again_and_again_are_given_up(several: Server, tmp_path: Path) -> None:
    (tmp_path / "unfit").touch()
    for child in psutil.Process(several.process.pid).children():
        child.kill()
    code, _, errors = several.last_words()
    assert code == 1
    assert "the processes of the server end by themselves; its log says why" in errors
