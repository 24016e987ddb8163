"""The package's own names are there when they are used, and cost nothing before."""

import subprocess
import sys

import pytest

import whyword
from whyword import public

EXTRAS = "torch sklearn gensim nltk pandas ray fastapi pyarrow matplotlib shap openpyxl".split()


def test_every_name_is_there() -> None:
    assert whyword.__all__ == public.__all__
    for name in public.__all__:
        assert getattr(whyword, name) is getattr(public, name)
    packages = {"base", "pages", "public", "vectors"}
    assert {name for name in dir(whyword) if name[0] != "_"} >= {*public.__all__, *packages}
    for name in ("nonsense", "_private", "__nonsense__"):
        with pytest.raises(AttributeError, match=f"module 'whyword' has no attribute '{name}'"):
            getattr(whyword, name)


def imported(code: str) -> list[str]:
    """Return the modules that are there after a program."""
    code = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_bare_import_imports_nothing_else() -> None:
    looks = "hasattr(whyword, '__wrapped__'); hasattr(whyword, '_private')"
    modules = imported(f"import whyword; {looks}")
    assert [name for name in modules if name.startswith("whyword.")] == []
    assert "whyword.vectors" in imported("import whyword; whyword.vectors")


@pytest.mark.slow(reason="starts a process that imports the command line")
def test_optional_packages_are_not_imported() -> None:
    """The base install must do: whyword and its command line import none of the extras."""
    modules = imported("import whyword.public, whyword.cli.main")
    assert [name for name in EXTRAS if name in modules] == []
