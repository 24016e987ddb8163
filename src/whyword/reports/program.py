"""What a kept result depends on: the package's source, or as much of it as training uses."""

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from whyword.models.store import provenance

TRAINING = "whyword.reports.training"
_PACKAGE = Path(__file__).parent.parent
_EVERYTHING = ("**/*.py", "pages/templates/*", "pages/static/*")


@cache
def program_digest(training: bool = False) -> str:
    """Return the sha256 of the package's source, or of what training uses, and of versions."""
    return digest_of_program(_PACKAGE, training)


def digest_of_program(package: Path, training: bool) -> str:
    """Return the same of a package at another place."""
    paths = training_files(package) if training else _all_files(package)
    digest = hashlib.sha256(json.dumps(provenance(), sort_keys=True).encode())
    for path in sorted(paths):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _all_files(package: Path) -> set[Path]:
    return {path for pattern in _EVERYTHING for path in package.glob(pattern)}


def training_files(package: Path) -> set[Path]:
    """Return the modules that training imports, and those that they import, inside functions too.

    The package's own ``__init__`` imports everything, for users, and is left out.

    Parameters
    ----------
    package : Path
        Its folder.
    """
    found: set[Path] = set()
    waiting = [package.joinpath(*TRAINING.split(".")[1:]).with_suffix(".py")]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported_files(path, package)
    return found - {package / "__init__.py"}


def _imported_files(path: Path, package: Path) -> Iterator[Path]:
    """Yield the files of the package that a module imports, their folders' ``__init__`` too."""
    if path == package / "__init__.py":
        return
    for name in _imported_names(path.read_bytes()):
        parts = name.split(".")
        if parts[0] == package.name:
            for end in range(1, len(parts) + 1):
                place = package.joinpath(*parts[1:end])
                for file in (place / "__init__.py", place.with_suffix(".py")):
                    if file.is_file():
                        yield file


def _parsed(source: bytes) -> ast.AST:
    try:
        return ast.parse(source)
    except SystemError:  # of Python 3.11, if a finaliser or another thread parses meanwhile
        return ast.parse(source)


@lru_cache(maxsize=1024)  # asked of the same files again and again
def _imported_names(source: bytes) -> tuple[str, ...]:
    """Return the full names of what is imported: modules, and what may be a module or a name."""
    names: list[str] = []
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(names)
