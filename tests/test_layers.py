"""What import-linter cannot say of the rooms: tests beside them, sizes, what the base needs."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

import whyword
from whyword.cli.main import command_line

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

PACKAGE = Path(whyword.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# tested by what is built on them
_KINDS = "|".join(path.name for path in (PACKAGE / "models").iterdir() if path.is_dir())
KIND_ROOMS = re.compile(rf"whyword\.models\.({_KINDS})\b")  # a folder for each kind of model

TESTED_ELSEWHERE = {"cli/inputs.py", "cli/options.py", "cli/tables.py"}  # by the commands

MOST_PARAMETERS, MOST_OF_A_KERNEL = 10, 18
# what may have more, and how many: fewer are welcome, more are not
MANY_PARAMETERS = {
    # commands
    "whyword compare": 14,
    "whyword evaluate": 12,
    "whyword explain": 15,
    "whyword serve": 14,
    "whyword strategies": 12,
    "whyword train": 11,
    "whyword words": 13,
    # constructors of estimators
    "models.CNNClassifier.__init__": 15,
    "models.CharacterClassifier.__init__": 22,
    "models.RecurrentClassifier.__init__": 23,
    "models.TorchClassifier.__init__": 13,
    "models.TransformerClassifier.__init__": 20,
    # public calls
    "analysis.class_words": 12,
    "audit.compare_models": 15,
    "audit.comparison_prices": 11,
    "audit.strategies": 13,
    "batch.class_words_corpus": 16,
    "batch.explain_corpus": 17,
    "evaluation.deletion_curve": 15,
    "evaluation.evaluate": 13,
    "methods.explain": 12,
    "methods.iter_explanations": 12,
    "vectors.Vectors.train_cbow": 11,
}


def test_every_module_has_a_test_file() -> None:
    expected = {
        path.with_name(f"test_{path.name}").as_posix()
        for path in MODULES
        if not path.name.startswith("__") and path.as_posix() not in TESTED_ELSEWHERE
    }
    there = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert len(expected) > 150
    assert expected <= there
    assert {path.as_posix() for path in MODULES} >= TESTED_ELSEWHERE


@pytest.mark.parametrize(
    ("room", "line", "kept"),
    [
        ("base", "from whyword import explain", False),  # by way of the package itself
        ("words", "from whyword.corpora.split import hold_out", False),
        ("web", "from whyword.base.errors import InputError", True),
    ],
)
def test_the_linter_sees_a_step_back(room: str, line: str, kept: bool, tmp_path: Path) -> None:
    root = TESTS.parent
    shutil.copytree(PACKAGE, tmp_path / "whyword", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "whyword" / room / "labels.py").write_text(f'"""A module."""\n\n{line}\n')
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    command += ["--config", str(root / "pyproject.toml")]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert (done.returncode == 0) == kept, done.stdout.decode()


def imports_of_the_package_itself(tree: ast.AST) -> list[int]:
    """Return the lines that import from the top, whose ``__init__`` imports every room."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.module == "whyword")
        or (isinstance(node, ast.ImportFrom) and node.level)
        or (isinstance(node, ast.Import) and any(one.name == "whyword" for one in node.names))
    ]


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_no_room_imports_from_the_top(path: Path) -> None:
    """The linter lets the last rooms do it: what they get there is before them."""
    if path not in (Path("__init__.py"), Path("public.py")):  # no rooms: they name what is in them
        assert imports_of_the_package_itself(ast.parse((PACKAGE / path).read_text())) == []


def test_an_import_from_the_top_is_seen() -> None:
    for line in ("from whyword import explain", "import whyword as ww", "from . import labels"):
        assert imports_of_the_package_itself(ast.parse(f"def f():\n    {line}\n")) == [2]
    assert imports_of_the_package_itself(ast.parse("from whyword.base import labels")) == []


def test_the_architecture_page_is_true() -> None:
    page = (TESTS.parent / "docs" / "architecture.md").read_text()
    said = {
        f"{room}{module}.py"
        for room, modules in re.findall(r"^\| `([a-z_/]+/)` \|[^|]*\| (.*) \|$", page, re.MULTILINE)
        for module in re.findall(r"[a-z_]+", re.sub(r"\([^)]*\)", "", modules))
    }
    there = {path.as_posix() for path in MODULES if not path.name.startswith("__")}
    assert said == there - {"public.py"}
    assert "`public.py`" in page  # it is in no room


def test_the_walks_are_true() -> None:
    page = (TESTS.parent / "docs" / "architecture.md").read_text()
    (walks,) = re.findall(r"^## Three walks$(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    hops = [re.findall(r"^\d+\. ", walk, re.MULTILINE) for walk in walks.split("\n**")[1:]]
    assert [0 < len(walk) <= 12 for walk in hops] == [True] * 3
    named = re.findall(r"`([a-z_/]+\.py)` `([A-Za-z_.]+)`", walks)
    assert len(named) >= sum(map(len, hops))
    for path, name in named:
        tree = ast.parse((PACKAGE / path).read_text())
        classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        assert name in {found for found, _ in functions(tree)} | classes, (path, name)


def test_the_listing_is_a_map() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert len(entries) <= 19, sorted(entries)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_files_are_short(path: Path) -> None:
    assert len((PACKAGE / path).read_text().splitlines()) <= 400


def concrete(path: Path) -> Iterator[str]:
    """Yield where a module asks what kind of model it has before it: the protocol answers that.

    A kind's own classes may be made (called) in cli/ and reports/, and are named by the package's
    __init__; nothing else is said of them outside models/.
    """
    tree = ast.parse((PACKAGE / path).read_text())
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and KIND_ROOMS.match(node.module or "")
        for alias in node.names
    }
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    makes = path.parts[0] in ("cli", "reports")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names and not (makes and id(node) in called):
            yield f"{path}:{node.lineno} {node.id}"
        if isinstance(node, ast.ImportFrom) and KIND_ROOMS.match(node.module or "") and not makes:
            yield f"{path}:{node.lineno} {node.module}"


@pytest.mark.slow(reason="half a second and more")
def test_no_kind_of_model_is_asked_about() -> None:
    outside = [path for path in MODULES if path.parts[0] != "models" and len(path.parts) > 1]
    assert [place for path in outside for place in concrete(path)] == []


@pytest.mark.slow(reason="half a second and more")
def test_few_parameters() -> None:
    commands = {
        f"{command.callback.__module__}.{command.callback.__qualname__}": f"whyword {name}"
        for command in command_line().registered_commands
        if command.callback and (name := command.name or command.callback.__name__)
    }
    over, known = [], set()
    for path in MODULES:
        module = ".".join(["whyword", *path.with_suffix("").parts])
        for name, function in functions(ast.parse((PACKAGE / path).read_text())):
            key = commands.get(f"{module}.{name}", f"{path.parts[0]}.{name}")
            limit = MANY_PARAMETERS.get(key, MOST_PARAMETERS)
            if any(ast.unparse(one).startswith("compiled") for one in function.decorator_list):
                limit = MOST_OF_A_KERNEL
            known.add(key)
            if (count := parameters(function)) > limit:
                over.append(f"{module}.{name} has {count}, at most {limit}")
    assert not over
    assert known >= set(MANY_PARAMETERS)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions of a syntax tree with their names, methods and inner ones too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
        inside = f"{prefix}{node.name}." if isinstance(node, ast.ClassDef | Function) else prefix
        yield from functions(node, inside)


def parameters(function: Function) -> int:
    """Return how many parameters there are, ``*`` and ``**`` included, but for self and cls."""
    taken = function.args
    several = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
    return sum(one is not None and one.arg not in ("self", "cls") for one in several)


@pytest.mark.slow(reason="half a second and more")
def test_optional_packages_are_not_imported() -> None:
    """The base install must do: whyword and its command line import none of the extras."""
    code = (
        "import sys, whyword, whyword.cli.main\n"
        "extras = 'torch sklearn gensim nltk pandas ray fastapi pyarrow matplotlib shap'.split()\n"
        "extras += ['openpyxl']\n"
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
