"""From an application to a server that listens, and goes when it is told to."""

import signal
import socket
import sys

import pytest
from served import ECHO, Server, rest_of

from whyword import InputError
from whyword.base.errors import MissingExtraError
from whyword.web import serving
from whyword.web.limits import Limits
from whyword.web.serving import (
    address_of,
    bound_socket,
    check_extra,
    checked_processes,
    has_screen,
    open_page,
    run,
    usual_processes,
)

pytestmark = pytest.mark.slow(reason="starts servers")

# ---- ports and addresses ----------------------------------------------------------------------


def test_a_port_that_is_taken() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        # another server that has not begun to answer yet, either
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port} .*port"):
            bound_socket("127.0.0.1", port)
    bound_socket("127.0.0.1", port).close()


def test_a_port_can_be_had_again_at_once() -> None:
    """Connections that ended a moment ago do not keep a server from starting anew."""
    with bound_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = first.accept()
            accepted.close()  # the server's side ends first, and waits
            assert client.recv(1) == b""
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


@pytest.mark.parametrize("host", ["", "nowhere.invalid", "a b", "[::1]", "\x00", "ü" * 80])
def test_hosts_that_are_no_address(host: str) -> None:
    with pytest.raises(InputError, match="is no address of this machine"):
        bound_socket(host, 0)


def test_an_address_of_another_machine() -> None:
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1:0"):
        bound_socket("192.0.2.1", 0)  # a net that no machine is in


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:{}/"),
        ("localhost", "http://localhost:{}/"),
        ("0.0.0.0", "http://localhost:{}/"),
        ("::", "http://localhost:{}/"),
        ("::1", "http://[::1]:{}/"),
    ],
)
def test_addresses_for_a_browser(host: str, shown: str) -> None:
    with bound_socket("127.0.0.1", 0) as bound:
        assert address_of(bound, host) == shown.format(bound.getsockname()[1])


# ---- the browser ------------------------------------------------------------------------------


def test_a_browser_opens_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_screen()
    open_page("http://localhost/")
    assert opened == []
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_screen()
    monkeypatch.delenv("WAYLAND_DISPLAY")
    monkeypatch.setattr(sys, "platform", "darwin")
    open_page("http://localhost/")
    assert opened == ["http://localhost/"]


# ---- running ----------------------------------------------------------------------------------


def test_a_server_answers_and_goes_when_it_is_told_to() -> None:
    """What was begun is answered, although nobody new is let in."""
    with Server("-c", ECHO) as server:
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
    assert errors.split() == ["startup", "shutdown"]


def test_a_server_survives_what_is_no_request() -> None:
    with Server("-c", ECHO) as server:
        for nonsense in (
            *(b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
            *(b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"),
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
        server.tell_to_go(signal.SIGTERM)
        code, _, errors = server.last_words()
    assert code == -signal.SIGTERM
    assert "ZeroDivisionError" in errors  # the log says what


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "gunicorn", "orjson", "sklearn"])
def test_without_the_packages_of_a_server(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_extra()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package} is not .*'whyword\[web\]'"):
        check_extra()


def test_running_without_uvicorn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def app(*_: object) -> None:
        raise AssertionError

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with bound_socket("127.0.0.1", 0) as bound, pytest.raises(MissingExtraError, match="uvicorn"):
        run(app, bound, Limits())


# ---- how many processes -----------------------------------------------------------------------


def test_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)))
    assert usual_processes() == checked_processes(None) == 4
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    assert usual_processes() == 1
    assert checked_processes(3) == 3


def test_one_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "can_split", lambda: False)
    assert checked_processes(None) == checked_processes(1) == 1
    with pytest.raises(InputError, match=r"processes=2: on .* there can be one only"):
        checked_processes(2)
    monkeypatch.setitem(sys.modules, "gunicorn", None)
    check_extra()
