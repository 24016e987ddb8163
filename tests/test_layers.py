"""What import-linter cannot say of the rooms: tests beside them, sizes, what the base install has."""

import subprocess
import sys
from pathlib import Path

import pytest

import whyword

PACKAGE = Path(whyword.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# tested by what is built on them
TESTED_ELSEWHERE = {
    "base/errors.py",
    "base/labels.py",
    "base/threads.py",
    "cli/tables.py",
    "explanation/explanation.py",
    "methods/relevance.py",
    "models/cnn/progress.py",
    "words/document.py",
    "words/scan.py",
}


def test_every_module_has_a_test_file() -> None:
    expected = {
        path.with_name(f"test_{path.name}").as_posix()
        for path in MODULES
        if not path.name.startswith("__") and path.as_posix() not in TESTED_ELSEWHERE
    }
    there = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert expected <= there


def test_the_listing_is_a_map() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert len(entries) <= 18, sorted(entries)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_files_are_short(path: Path) -> None:
    assert len((PACKAGE / path).read_text().splitlines()) <= 400


def test_optional_packages_are_not_imported() -> None:
    """The base install must do: whyword and its command line import none of the extras."""
    code = (
        "import sys, whyword, whyword.cli.main\n"
        "extras = 'torch sklearn gensim nltk pandas ray fastapi pyarrow matplotlib shap'.split()\n"
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
