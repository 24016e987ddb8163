import subprocess
import sys

import pytest


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
