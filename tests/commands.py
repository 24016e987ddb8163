"""Run a command: in this process, or as a user does in a process of its own."""

import io
import logging
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from logging import Logger
from pathlib import Path
from typing import Any, NamedTuple

from whyword.cli.main import main

Write = Callable[[str, "str | bytes"], Path]  # the fixture `write`


class Done(NamedTuple):
    """Exit code and output of a command, named as in ``subprocess.CompletedProcess``."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object, stdin: str | bytes = b"") -> Done:
    """Call ``whyword ARGUMENTS`` in this process, and restore the state of the process."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = _Stream(), _Stream()
    with _preserved_state():
        sys.argv = ["whyword", *map(str, arguments)]
        sys.stdin, sys.stdout, sys.stderr = _Stream(given), out, err
        os.environ["COLUMNS"] = "80"  # the width of help in a pipe
        logging.root.handlers = []  # the command adds its own
        try:
            copy_context().run(main)
        except SystemExit as end:
            code = end.code
    return Done(code if isinstance(code, int) else int(code is not None), out.said(), err.said())


def printed(*arguments: object) -> str:
    """Return what a command prints that must succeed."""
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_process(*arguments: object, **how: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401
    """Run ``python -m whyword ARGUMENTS``; ``how`` goes to ``subprocess.run``."""
    command = [sys.executable, "-m", "whyword", *map(str, arguments)]
    how = {"capture_output": True, "text": True, "check": False} | how
    done: subprocess.CompletedProcess[str] = subprocess.run(command, **how)
    return done


class _Stream(io.TextIOWrapper):
    """A stream like that of a process, kept in memory."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="\n")

    def said(self) -> str:
        """Return what was written, with line ends as text mode reads them."""
        self.flush()
        written = self.buffer.getvalue().decode()  # type: ignore[attr-defined]
        return str(io.StringIO(written, newline=None).read())


@contextmanager
def _preserved_state() -> Iterator[None]:
    """Restore what a command may change for the whole process."""
    streams, argv, path = (sys.stdin, sys.stdout, sys.stderr), sys.argv, sys.path[:]
    folder, environment, modules = Path.cwd(), dict(os.environ), set(sys.modules)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    logging.getLogger("whyword")  # its level is set
    known = [one for one in logging.root.manager.loggerDict.values() if isinstance(one, Logger)]
    levels = [(one, one.level) for one in known]
    root, raising = logging.root.handlers, logging.raiseExceptions
    try:
        with warnings.catch_warnings():
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.argv, sys.path[:] = argv, path
        for name in set(sys.modules) - modules:  # a user's module, which other tests have, too
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == folder:
                del sys.modules[name]
        os.environ.clear()
        os.environ.update(environment)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        logging.root.handlers, logging.raiseExceptions = root, raising
        for logger, level in levels:
            logger.setLevel(level)
