"""The container's files, as far as they can be tried without an engine; what CI runs."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from networks import small_cnn
from served import Server

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
PORT = 8765


def instruction(name: str) -> list[str]:
    """Return the command of the only instruction of that name."""
    (found,) = re.findall(rf"^{name}[^[\n]*(\[.*\])$", DOCKERFILE, re.MULTILINE)
    command: list[str] = json.loads(found)
    return command


def compose() -> dict[str, Any]:
    """Return what compose.yaml says of the server."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    said: dict[str, Any] = services["whyword"]
    return said


def test_what_is_copied_is_let_through() -> None:
    rules = (ROOT / ".dockerignore").read_text().split("\n")
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    assert "*" in rules
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    assert sorted(kept) == sorted(copied)
    assert [name for name in kept if not (ROOT / name).exists()] == []


@pytest.mark.slow(reason="starts a server")
def test_its_server_answers_its_health_check(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "model")
    program, *arguments = instruction("ENTRYPOINT")
    assert program == "whyword"
    interpreter, *check = instruction("HEALTHCHECK")
    assert interpreter == "python"
    assert arguments[arguments.index("--port") + 1] == str(PORT)
    here = (tmp_path / "model", "--port", 0)  # any that is free
    with Server("-m", "whyword", *arguments, *here, WHYWORD_TOKEN="secret") as server:
        ours = [sys.executable, *(one.replace(f":{PORT}/", f":{server.port}/") for one in check)]
        assert subprocess.run(ours, capture_output=True, check=False).returncode == 0
        by_its_name = {"Host": "why.example.org"}  # a proxy's
        assert server.ask("/api/about", **by_its_name).status == 401
        answer = server.ask("/api/about", **by_its_name, Authorization="Bearer secret")
        assert answer.status == 200
    assert subprocess.run(ours, capture_output=True, check=False).returncode == 1


def test_compose_publishes_it_on_this_machine_only() -> None:
    said = compose()
    assert said["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert f"EXPOSE {PORT}\n" in DOCKERFILE
    assert said["command"] == instruction("CMD")
    assert "${WHYWORD_TOKEN:?" in said["environment"]["WHYWORD_TOKEN"]
    models, cache = (one.split(":") for one in said["volumes"])
    assert models[1:] == ["/models", "ro"]
    assert said["command"][0].startswith("/models/")
    assert f"install --directory --owner whyword {cache[1]} " in DOCKERFILE
    assert DOCKERFILE.index("USER whyword") < DOCKERFILE.index("ENTRYPOINT")
