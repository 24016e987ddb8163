"""The versions of the package and of its dependencies."""

import platform
import subprocess
import sys
from importlib.metadata import version

import pytest

import whyword
from whyword.base import versions


def test_installed_versions() -> None:
    assert versions.installed("no-such-package", "numpy") == {"numpy": version("numpy")}
    lines = versions.version_lines()
    assert lines[:2] == [f"whyword {whyword.__version__}", f"Python {platform.python_version()}"]
    assert f"torch {version('torch')}" in lines


@pytest.mark.slow(reason="starts a process")
def test_reading_versions_imports_no_heavy_package() -> None:
    code = (
        "import sys, whyword; whyword.__version__\n"
        "from whyword.base.versions import version_lines; version_lines()\n"
        "print([name for name in ('numpy', 'numba', 'pyarrow', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
