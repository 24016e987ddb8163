"""A module imports only from what stands before it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import whyword

FLOW = """
errors checks types
characters compiled scan text
storage download posts tables newsgroups source split corpus overview
vocabulary vectorfile vectorstore pretrained cbow_kernels cbow induction vectors
cli
""".split()

PACKAGE = Path(whyword.__file__).parent


def imported(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        modules |= {name.split(".")[1] for name in names if name.startswith("whyword.")}
    return modules


def test_every_module_has_its_place() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == {*FLOW, "__init__", "__main__"}


@pytest.mark.parametrize("module", FLOW)
def test_no_step_back(module: str) -> None:
    allowed = set(FLOW[: FLOW.index(module)])
    assert imported(PACKAGE / f"{module}.py") <= allowed


def test_every_module_has_a_test_file() -> None:
    tested = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    without = {"errors", "compiled", "scan", "types"}  # tested by what is built on them
    assert set(FLOW) - without <= tested


def test_optional_packages_are_not_imported() -> None:
    """The base install must do: whyword and its command line import none of the extras."""
    code = (
        "import sys, whyword, whyword.cli\n"
        "extras = 'torch sklearn gensim nltk pandas ray fastapi pyarrow'.split()\n"
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
