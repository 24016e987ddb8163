"""Nothing is written twice: no run of equal lines in two rooms, no function that is a chapter."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

import whyword

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

PACKAGE = Path(whyword.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

RUN = 6  # lines in a row that are no accident
MOST_LINES = 55  # of a function, its docstring aside


def without_docstrings(tree: ast.AST) -> ast.AST:
    """Return the tree without docstrings: what is repeated there are contracts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | Function) and ast.get_docstring(node):
            node.body = node.body[1:]
    return tree


def lines_of(statement: ast.stmt) -> Iterator[str]:
    """Yield the lines of the functions' bodies below a statement, in one form."""
    for node in ast.walk(statement):
        if isinstance(node, Function):
            for inner in node.body:
                yield from ast.unparse(inner).splitlines()
            yield ""  # a run ends with the function


def runs(source: str) -> set[tuple[str, ...]]:
    """Return the runs of lines in a module's functions."""
    tree = without_docstrings(ast.parse(source))
    lines = [line.strip() for one in ast.iter_child_nodes(tree) for line in lines_of(one)]  # type: ignore[arg-type]
    windows = (tuple(lines[at : at + RUN]) for at in range(len(lines) - RUN + 1))
    return {window for window in windows if "" not in window}


def repeated(sources: dict[str, str]) -> list[str]:
    """Return the pairs of rooms with a run of lines in common, and its first line."""
    rooms: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, source in sources.items():
        for window in runs(source):
            rooms[window].add(name.rpartition("/")[0])
    return sorted(
        f"{' and '.join(sorted(places))}: {window[0]}"
        for window, places in rooms.items()
        if len(places) > 1
    )


@pytest.mark.slow(reason="half a second and more")
def test_no_code_stands_in_two_rooms() -> None:
    sources = {path.as_posix(): (PACKAGE / path).read_text() for path in MODULES}
    assert repeated(sources) == []


def test_a_repetition_is_seen() -> None:
    body = "\n".join(f"    total += values[{number}] * {number}" for number in range(RUN))
    code = f'def add(values: list[int]) -> int:\n    """Add."""\n{body}\n    return total\n'
    assert repeated({"words/a.py": code, "web/b.py": "import sys\n\n\n" + code})
    assert not repeated({"words/a.py": code, "words/b.py": code})
    assert not repeated({"words/a.py": code, "web/b.py": code.replace("* 3", "* 33")})


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_functions_are_short(path: Path) -> None:
    tree = without_docstrings(ast.parse((PACKAGE / path).read_text()))
    long = [
        f"{node.name} has {size} lines"
        for node in ast.walk(tree)
        if isinstance(node, Function)
        and node.body
        and (size := (node.end_lineno or 0) - node.body[0].lineno + 1) > MOST_LINES
    ]
    assert long == []
