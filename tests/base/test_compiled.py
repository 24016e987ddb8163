import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from whyword.base import compiled
from whyword.base.compiled import CompilationNotice


@pytest.mark.slow(reason="compiles")
def test_without_a_writable_cache_functions_are_compiled_anyway() -> None:
    code = """
import numba
original = numba.njit
def njit(*functions, cache=False, **options):
    if cache:
        raise RuntimeError("cannot cache function: no locator available")
    return original(*functions, **options)
numba.njit = njit
import whyword
print(whyword.tokenize("It works.").words)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['It', 'works']"


def of(module: str, cache_path: str | None = "there") -> Any:  # noqa: ANN401 - as numba's
    dispatcher = SimpleNamespace(
        py_func=SimpleNamespace(__module__=module), stats=SimpleNamespace(cache_path=cache_path)
    )
    return SimpleNamespace(data={"dispatcher": dispatcher})


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let what is logged be a list, and no time pass before it is."""
    lines: list[str] = []

    class AtOnce:
        daemon = False

        def __init__(self, seconds: float, function: Any, arguments: list[Any]) -> None:  # noqa: ANN401
            self.calls: list[Callable[[], Any]] = [partial(function, *arguments)] * (seconds <= 0)

        def start(self) -> None:
            for call in self.calls:
                call()

        def cancel(self) -> None:
            pass

    monkeypatch.setattr(compiled, "Timer", AtOnce)
    monkeypatch.setattr(compiled.log, "info", lambda *parts: lines.append(parts[0] % parts[1:]))
    return lines


def test_compiling_is_said_once(said: list[str]) -> None:
    notice = CompilationNotice(after=0)
    for _ in range(3):
        notice.on_start(of("whyword.words.scan"))
        notice.on_end(of("whyword.words.scan"))
    assert said == [
        "compiling loops that have not run here yet, up to half a minute: once, they are kept"
    ]


def test_what_cannot_be_kept_is_compiled_in_every_run(said: list[str]) -> None:
    CompilationNotice(after=0).on_start(of("whyword.words.scan", None))
    assert said[0].endswith(": in every run, as they cannot be kept")


def test_others_functions_and_forked_processes_are_silent(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notice = CompilationNotice(after=0)
    notice.on_start(of("somebody.loops"))
    notice.on_end(of("somebody.loops"))
    monkeypatch.setattr(os, "getpid", lambda: -1)
    notice.on_start(of("whyword.words.scan"))
    assert said == []


def test_short_compilations_add_up(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    notice, ours = CompilationNotice(after=1.0), of("whyword.words.scan")
    for _ in range(2):  # 0.5 seconds each, of which a part is another's that it calls
        notice.on_start(ours)
        notice.on_start(ours)
        now[0] += 0.25
        notice.on_end(ours)
        now[0] += 0.25
        notice.on_end(ours)
        assert said == []
    notice.on_start(ours)
    assert len(said) == 1


def test_it_is_said_while_the_compilation_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    logged = threading.Event()

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logged.set()

    handler = Heard()
    compiled.log.addHandler(handler)
    try:
        with caplog.at_level(logging.INFO, compiled.log.name):
            notice = CompilationNotice(after=0.001)
            notice.on_start(of("whyword.words.scan"))
            assert logged.wait(60)
            notice.on_end(of("whyword.words.scan"))
    finally:
        compiled.log.removeHandler(handler)


LOOPS = """
import logging
import numpy as np
from numba.core import event
from whyword.base import compiled
from whyword.batch.word_kernels import gather_bytes
logging.basicConfig(format="%(levelname)s %(message)s")
compiled.log.setLevel(logging.LEVEL)
event.register("numba:compile", compiled.CompilationNotice(after=-1))
some = np.zeros(1, np.uint8)
gather_bytes(some, np.zeros((1, 2), np.int64), np.array([0, 1], np.int32), some)
"""


@pytest.mark.slow(reason="compiles")
def test_only_what_is_not_in_numbas_cache_is_spoken_of(tmp_path: Path) -> None:
    def errors(level: str, cache: str) -> str:
        command = [sys.executable, "-c", LOOPS.replace("LEVEL", level)]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / cache)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        return done.stderr

    said = "INFO compiling loops that have not run here yet, up to half a minute: once, they are"
    assert errors("INFO", "a").startswith(said)
    assert errors("INFO", "a") == ""
    assert errors("WARN", "b") == ""  # a library is silent unless it is asked
