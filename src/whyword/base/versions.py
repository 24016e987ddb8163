"""The package's version, and those of what it runs with; nothing is imported to find out."""

import platform
from importlib.metadata import PackageNotFoundError, version

VERSION = "0.1.0"  # said here only: pyproject.toml reads this line

_MATTER = ("numpy", "numba", "pyarrow", "torch", "transformers", "scikit-learn")


def installed(*packages: str) -> dict[str, str]:
    """Return the versions of those packages that are installed, by their names."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def version_lines() -> list[str]:
    """Return a line each for the package, Python, and what is installed of what matters."""
    said = {"whyword": VERSION, "Python": platform.python_version(), **installed(*_MATTER)}
    return [f"{name} {number}" for name, number in said.items()]
