"""Compiled functions: they work without a cache on disk, and slow compilation is logged."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

NOTICE = "compiling loops that have not run here yet, up to half a minute: "


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
def test_loops_in_numbas_cache_are_not_logged(tmp_path: Path) -> None:
    def errors(level: str, cache: str) -> str:
        command = [sys.executable, "-c", LOOPS.replace("LEVEL", level)]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / cache)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        return done.stderr

    assert errors("INFO", "a").startswith(f"INFO {NOTICE}once, they are")
    assert errors("INFO", "a") == ""
    assert errors("WARN", "b") == ""  # a library is silent unless it is asked
