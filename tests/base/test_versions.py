import platform
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import whyword
from whyword.base import versions

ROOT = Path(__file__).parents[2]


def test_what_is_not_installed_is_left_out() -> None:
    assert versions.installed("no-such-package", "numpy") == {"numpy": version("numpy")}


def test_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = versions.version_lines()
    assert lines[:2] == [f"whyword {versions.VERSION}", f"Python {platform.python_version()}"]
    assert f"torch {version('torch')}" in lines
    monkeypatch.setattr(versions, "_MATTER", ("numpy", "no-such-package"))
    assert versions.version_lines()[2:] == [f"numpy {version('numpy')}"]


def test_it_is_said_once() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in settings["project"]
    assert ROOT / settings["tool"]["hatch"]["version"]["path"] == Path(versions.__file__)
    assert whyword.__version__ == versions.VERSION
    assert "__version__" in dir(whyword)


def test_asking_imports_nothing_long() -> None:
    code = (
        "import sys, whyword; whyword.__version__\n"
        "from whyword.base.versions import version_lines; version_lines()\n"
        "print([name for name in ('numpy', 'numba', 'pyarrow', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
