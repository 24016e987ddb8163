"""``whyword serve``: one life of a server, and what it is run with."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import Write, run
from served import Server, rest_of


def serve(*arguments: object, **environment: str) -> Server:
    return Server("-m", "whyword", "serve", *arguments, "--no-open", "--port", 0, **environment)


@pytest.mark.slow(reason="starts a server")
def test_a_server_answers_and_ends_with_its_last_answer(folder: Path, topics: Path) -> None:
    with serve(folder, topics / "topics.csv:test") as server:
        assert server.line == f"http://127.0.0.1:{server.port}/  (Ctrl-C ends it)\n"
        assert server.ask("/healthz").json["status"] == "ok"
        assert server.ask("/").headers["content-type"].startswith("text/html")
        assert server.ask("/api/about").json["corpus"]["documents"] == 18
        given = {"documents": ["a private rocket to the moon"]}
        (one,) = server.ask("/api/explain", given).json["explanations"]
        assert one["predicted"] == "space"
        assert server.ask("/api/explain", given | {"target": "private"}).status == 422
        assert server.ask("/private?private").status == 404
        assert server.ask("/healthz", host="evil.example").status == 403
        assert server.ask("/healthz", origin="https://evil.example").status == 403
        body = json.dumps(given).encode()
        with server.begin("/api/predict", len(body)) as begun:
            server.tell_to_go(signal.SIGTERM)
            begun.sendall(body)
            answer = rest_of(begun)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b'"predicted":"space"' in answer
        code, out, errors = server.last_words()
    assert (code, out) == (128 + signal.SIGTERM, "")
    said = [line for line in errors.splitlines() if "topics.csv: " not in line]  # while it read
    lines = [json.loads(line) for line in said]
    # processes write side by side: what was answered first need not be told first
    statuses = sorted(line["status"] for line in lines)
    assert statuses == [200, 200, 200, 200, 200, 403, 403, 404, 422]
    routes = [line["route"] for line in lines]
    assert routes.count("/api/explain") == 2
    assert "private" not in errors


@pytest.mark.slow(reason="starts a server")
def test_a_server_for_others_asks_for_a_token(folder: Path) -> None:
    options = ("--host", "0.0.0.0", "--log-texts", "--allow-origin", "https://words.example/")
    with serve(folder, *options, WHYWORD_TOKEN="word") as server:
        assert server.line.startswith("http://localhost:")
        given = {"documents": ["a private rocket"]}
        assert server.ask("/api/predict", given).status == 401
        named = {"authorization": "Bearer word", "host": "any.example"}
        answer = server.ask("/api/predict", given, origin="https://words.example", **named)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "https://words.example"
        server.tell_to_go(signal.SIGINT)
        code, out, errors = server.last_words()
    assert (code, out) == (128 + signal.SIGINT, "")
    bodies = [json.loads(line)["body"] for line in errors.splitlines()]
    assert bodies == ["", json.dumps(given)]


def test_options_are_the_limits_of_a_server(
    folder: Path, write: Write, no_server: list[tuple[Any, ...]]
) -> None:
    texts = write("texts.csv", "text,label\n" + "moon,sport\n" * 5)
    options = ("--memory", 0, "--max-words", 2, "--workers", 3, "--waiting", 4, "--timeout", 5)
    where = ("--host", "0.0.0.0", "--port", 0, "--processes", 2, "--no-open")
    done = run("serve", folder, texts, *where, *options, "--limit", 3)
    assert (done.returncode, done.stdout) == (0, "")
    *_, foreign, open_door = done.stderr.splitlines()
    assert foreign == f"none of the labels of {texts} is a class of the model"
    assert open_door.startswith("everybody who reaches this machine may use the model; --token")
    ((_, _, limits, _, processes),) = no_server
    assert processes == 2
    assert (limits.words, limits.workers, limits.waiting, limits.work_seconds) == (2, 3, 4, 5)


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "nowhere", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"error: cannot listen on 127.0.0.1:{port} (Address already in use)" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow(reason="starts a process")
def test_without_its_packages() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from whyword.cli.main import main; main()"
    command = [sys.executable, "-c", code, "serve", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: uvicorn is not installed; run: pip install 'whyword[web]'\n"
