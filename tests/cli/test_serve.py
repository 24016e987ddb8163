import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Write, run
from served import Server, rest_of


def serve(*arguments: object, **environment: str) -> Server:
    return Server("-m", "whyword", "serve", *arguments, "--no-open", "--port", 0, **environment)


def test_serve(folder: Path, topics: Path) -> None:
    """One life: it says where it is, answers, and lets a last answer out before it goes."""
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


def test_serve_others(folder: Path) -> None:
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


def test_serve_warns_of_a_door_that_is_open(folder: Path) -> None:
    with serve(folder, "--host", "0.0.0.0", "--memory", 0, "--max-words", 2) as server:
        assert server.ask("/api/explain", {"documents": ["moon moon moon"]}).status == 422
        server.tell_to_go(signal.SIGTERM)
        _, _, errors = server.last_words()
    warning, line = errors.splitlines()
    assert warning.startswith("everybody who reaches this machine may use the model; --token")
    assert json.loads(line)["status"] == 422


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--port", "0"], "error: nowhere: no such model folder"),
        (["nowhere", "--token", "né"], "error: a token is made of printable ASCII"),
        (["nowhere", "--token", ""], "error: a token is made of printable ASCII"),
        (["nowhere", "--allow-origin", "*"], "error: an origin is written https://example.org"),
        (["nowhere", "--suspects", "s"], "error: --suspects needs a corpus: name it behind"),
        (["nowhere", "--host", "no where"], "error: 'no where' is no address of this machine"),
    ],
)
def test_serve_says_what_is_wrong(arguments: list[str], message: str) -> None:
    done = run("serve", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_serve_says_what_is_wrong_with_a_corpus(folder: Path, write: Write) -> None:
    few = run("serve", folder, write("few.csv", "text\nmoon\npuck\n"), "--port", 0)
    assert (few.returncode, few.stdout) == (1, "")
    assert few.stderr.endswith("error: few.csv: a corpus to look at needs 3 documents, not 2\n")
    assert "Traceback" not in few.stderr


def test_serve_says_what_is_wrong_with_suspects(folder: Path, write: Write) -> None:
    posts, bad = write("posts.csv", "text\nmoon\npuck\nice\n"), write("bad.json", '{"rows": []}')
    done = run("serve", folder, posts, "--port", 0, "--suspects", bad)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("bad.json is no list of suspects: 'classes' is no list\n")


def test_serve_at_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "nowhere", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"error: cannot listen on 127.0.0.1:{port} (Address already in use)" in done.stderr
    assert done.stderr.count("\n") == 1


def test_serve_without_its_packages() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from whyword.cli.main import main; main()"
    command = [sys.executable, "-c", code, "serve", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: uvicorn is not installed; run: pip install 'whyword[web]'\n"
