"""The package's own names are there when they are used, and cost nothing before."""

import subprocess
import sys

import pytest

import whyword
from whyword import public


def test_every_name_is_there() -> None:
    assert whyword.__all__ == public.__all__
    for name in public.__all__:
        assert getattr(whyword, name) is getattr(public, name)
        assert name in dir(whyword)


def test_other_names_are_not() -> None:
    for name in ("nonsense", "_private", "__nonsense__"):
        with pytest.raises(AttributeError, match=f"module 'whyword' has no attribute '{name}'"):
            getattr(whyword, name)


def test_a_bare_import_imports_nothing_else() -> None:
    code = "import sys, whyword; print([m for m in sys.modules if m.startswith('whyword.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
