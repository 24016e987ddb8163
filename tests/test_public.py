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


@pytest.mark.parametrize("name", ["vectors", "base", "pages"])
@pytest.mark.slow(reason="half a second and more")
def test_packages_are_there_at_the_first_look(name: str) -> None:
    code = f"import whyword; print(whyword.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"whyword.{name}\n", "")


def test_what_is_listed_is_whywords() -> None:
    code = "import whyword; first = dir(whyword); assert first == dir(whyword); print(*first)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown = [name for name in done.stdout.split() if not name.startswith("_")]
    packages = {"base", "pages", "public", "vectors"}
    assert set(shown) == {*public.__all__, *packages}


def test_looking_for_a_dunder_imports_nothing() -> None:
    code = (
        "import sys, whyword; hasattr(whyword, '__wrapped__'); hasattr(whyword, '_private');"
        "print([m for m in sys.modules if m.startswith('whyword.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
