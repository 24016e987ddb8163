"""Measure how many small mistakes in the source the quick tests notice (mutation testing).

    python benchmarks/mutants.py --seed SEED --folders FOLDER ... [--count 120] [--jobs 2]
                                 [--seconds 60] [--record FILE]

Each mutant is the source with one small change. Folders are named below src/whyword. The sample
depends on the seed only, for instance a commit hash: the lines that can be changed are listed in
order and cut into COUNT runs of equal length; each run gives one random line, and one random change
in it. So every folder has mutants in proportion to its lines, and a line full of numbers is no
likelier than another.

Changes
    + - * / // % ** & | ^ << >> become another operator; < becomes <=, == becomes !=; `is`, `in`,
    `and` and `or` become the opposite; a minus sign or `not` is removed; a number grows by 1; True
    becomes False; a string gets a prefix; a call, a `raise`, `return`, `break` or `continue`, an
    assignment to an attribute or element, or an augmented assignment is removed; the first two
    arguments of a call are swapped; the end of a range, a bound of a slice, or an index of one
    letter is reduced by 1.

Not changed
    Docstrings, annotations, decorators, imports, assertions, `__all__`, `__slots__`, `__repr__`,
    abstract functions, TYPE_CHECKING blocks, type variables, log lines, the exception that `raise`
    makes, isinstance, f-strings, strings of two words or more (text for people), and the keyword
    arguments in UNTOUCHED, which concern speed. Arguments of the calls in NOT_SWAPPED stay: their
    order does not count, or any other order is a TypeError.

Tests
    First, each file of quick tests runs once with numba's compiler off, and the lines of src that
    each test executes are recorded. --record keeps the recording; it is used again while no Python
    file is newer. Tests that fail, are skipped or take more than 60 seconds there are left out and
    listed. A mutant is then tried with the tests that execute its lines, those that execute the
    fewest lines first. Then come the other tests of these files, which may use a model that was
    trained once for the whole file, the tests that execute anything else in the mutant's file, and
    the tests of the folder with the same name: they matter for lines that run at import. Tests are
    added until their recorded times fill three quarters of the seconds. They run in a new process
    on a private copy of the tree.

A test that fails detects a mutant, if the same tests pass right afterwards without the change;
otherwise the mutant counts as "unstable test". A timeout detects nothing. Lines that only other
processes execute are not recorded. After Ctrl-C or SIGTERM, the mutants tried so far are reported.
Linux only.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter, defaultdict, namedtuple
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import accumulate, pairwise, permutations, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

ROOT, PACKAGE = Path(__file__).resolve().parents[1], "src/whyword"
TEST_SECONDS, FILE_SECONDS = 60, 3_600  # of a recorded test; of all tests of a file, a guard only
SHARE, START = 0.75, 1.5  # how much of the seconds is planned; seconds until a file is collected
ENVIRONMENT = {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
PYTEST = [sys.executable, *"-m pytest -p mutants -p no:schemathesis -p no:cacheprovider".split()]
QUICK = [
    "--hypothesis-seed=0",
    "-Wignore:overflow encountered:RuntimeWarning",
    "-m",
    "not real and not slow and not nightly",
]
PAIRS = """Pow-Mult Add-Sub Mult-Div FloorDiv-Mod BitXor-BitAnd BitAnd-BitOr LShift-RShift Lt-LtE
    Gt-GtE Eq-NotEq Is-IsNot In-NotIn And-Or"""
SWAPS = {a: getattr(ast, b) for pair in PAIRS.split() for a, b in permutations(pair.split("-"))}
UNTOUCHED = r"""(import|from|assert)\s raise\s(NotImplemented|Assertion)Error log\. __slots__
    __all__ isinstance \w+:\sTypeAlias \w+\s=\s(TypeVar|ParamSpec|Literal) if\s(\w+\.)?TYPE_CHECKING
    if\s__name__ (@.*\n)*(@\S*(overload|abstractmethod)|def\s__repr__)
    (stacklevel|maxsize|slots|strict|copy|daemon|cache|nogil|repr|flush)="""
DROPPED = r"(return|raise|break|continue)\b|(await )?[\w.]+[(\[.]|\w+ \S+= "
SAME = "max|min|maximum|minimum|array_equal|isclose|gcd|logical_and|logical_or"
NOT_SWAPPED = rf"([\w.]+\.)?({SAME}|issubclass|getattr|hasattr|setattr|super|cast)\("
FIXED = ("annotation", "returns", "decorator_list", "exc", "cause")  # parts that do not change
TEXT, PROSE = r"^f?['\"]|[-+*/%] f?['\"]", r"\w\W*\s\W*\w"
Tests = dict[str, dict[str, Any]]  # name: seconds, why it did not pass, {file: executed lines}
Mutant = namedtuple("Mutant", "file line last start end old new")
HERE = threading.local()
HERE.tests, HERE.traced = {}, False


def changes(node: ast.AST) -> Iterator[tuple[Any, str]]:
    """Yield the nodes at or below a node that can be changed, and what takes their place."""
    text = ast.unparse(node)
    match node:
        case ast.JoinedStr() | ast.Expr(value=ast.Constant()):
            return
        case ast.stmt() | ast.keyword() | ast.Call() if re.match("|".join(UNTOUCHED.split()), text):
            return
        case ast.stmt() if re.match(DROPPED, text):
            yield node, "pass"
        case ast.Call(func=ast.Name(id="range" | "prange"), args=[stop] | [_, stop] | [_, stop, _]):
            yield stop, f"({ast.unparse(stop)} - 1)"
        case ast.Call(func=function, args=[first, second, *rest], keywords=named):
            if not re.match(NOT_SWAPPED, text) and ast.dump(first) != ast.dump(second):
                yield node, ast.unparse(ast.Call(function, [second, first, *rest], named))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield node, f"({ast.unparse(operand)})"
        case ast.Constant(value=bool() | int() | float() as value):
            yield node, repr(not value if isinstance(value, bool) else value + 1)
        case ast.Constant(value=str(value)) if value and not re.search(PROSE, value):
            yield node, repr("XX" + value)
        case ast.Slice(lower=lower, upper=upper):
            for bound in filter(None, (lower, upper)):
                yield bound, f"({ast.unparse(bound)} - 1)"
        case ast.Subscript(slice=index):  # a variable of one letter is a number
            for part in getattr(index, "elts", [index]):
                if re.fullmatch("[a-z]", ast.unparse(part)):
                    yield part, f"({part.id} - 1)"
    for field, child in ast.iter_fields(node):
        for place, part in enumerate(parts := child if isinstance(child, list) else [child]):
            if (kind := type(part).__name__) in SWAPS and not re.search(TEXT, text):
                swapped = [*parts[:place], SWAPS[kind](), *parts[place + 1 :]]
                setattr(node, field, swapped if parts is child else swapped[0])
                new = ast.unparse(node)
                yield node, new if isinstance(node, ast.stmt) else f"({new})"
                setattr(node, field, child)
            elif isinstance(part, ast.AST) and field not in FIXED:
                yield from changes(part)


def sample(folders: list[str], count: int, seed: str) -> list[Mutant]:
    """Return the mutants that a seed selects, in random order."""
    lines: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for file in [str(file) for top in folders for file in sorted(Path(PACKAGE, top).rglob("*.py"))]:
        source = Path(file).read_bytes()
        ends = [0, *accumulate(map(len, source.splitlines(keepends=True)), initial=0)]
        for old, new in changes(ast.parse(source)):
            span = ends[old.lineno] + old.col_offset, ends[old.end_lineno] + old.end_col_offset
            place = (file, old.lineno, old.end_lineno, *span, source[slice(*span)].decode())
            lines[place[:2]].append(Mutant(*place, new))
    chance, groups = random.Random(seed), list(lines.values())
    cuts = [len(groups) * part // count for part in range(count + 1)]
    chosen = [chance.choice(chance.choice(groups[first:last])) for first, last in pairwise(cuts)]
    return chance.sample(chosen, count)


# pytest loads this file as a plugin, in the processes that run tests


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the named tests, in their order; allow what compiled code does silently."""
    named = json.loads(Path(f"{config.rootpath}.json").read_text())
    HERE.tests, HERE.traced = {}, not any("::" in test for test in named)
    found, config.option.maxfail = {item.nodeid: item for item in items}, int(not HERE.traced)
    items[:] = items if HERE.traced else [found[test] for test in named if test in found]
    config.addinivalue_line("filterwarnings", "ignore:.*encountered in scalar:RuntimeWarning")
    if HERE.traced:
        tree = f"{config.rootpath}/{PACKAGE}"
        HERE.coverage = coverage.Coverage(data_file=None, source=[tree], config_file=False)
        HERE.coverage.start()
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("takes too long", pytrace=False))


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test and record its outcome, its time and, if no tests are named, its lines."""
    if HERE.traced:
        signal.setitimer(signal.ITIMER_REAL, TEST_SECONDS, 5)
        HERE.coverage.switch_context(item.nodeid)
    reports = runtestprotocol(item, nextitem=nextitem)
    signal.setitimer(signal.ITIMER_REAL, 0)
    why = [f"{each.outcome}: {str(each.longrepr)[-150:]}" for each in reports if not each.passed]
    seconds = sum(each.duration for each in reports)
    HERE.tests[item.nodeid] = {"seconds": seconds, "why": " ".join(why), "lines": {}}
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the record of each test."""
    root = session.config.rootpath
    if HERE.traced:
        HERE.coverage.stop()
        data = HERE.coverage.get_data()
        for file in data.measured_files():
            for line, tests in data.contexts_by_lineno(file).items():
                for test in filter(None, tests):
                    lines = HERE.tests[test]["lines"]
                    lines.setdefault(os.path.relpath(file, root), []).append(line)
    Path(f"{root}.json").write_text(json.dumps(HERE.tests))


def run(tests: list[str], seconds: float) -> tuple[int, Tests]:
    """Run tests, or all tests of a file; return pytest's exit code and a record of each test."""
    tree, notes = HERE.tree, Path(f"{HERE.tree}.json")
    notes.write_text(json.dumps({test: {"why": ""} for test in tests}))
    files = {test.split("::")[0]: f"--basetemp={tree}.tmp" for test in tests}
    command = ["timeout", "-sKILL", str(seconds), *PYTEST, *QUICK, *files, *files.values()]
    environment = os.environ | ENVIRONMENT | {"PYTHONPATH": f"{tree}/src:{tree}/benchmarks"}
    code = subprocess.run(command, cwd=tree, env=environment, capture_output=True).returncode
    return code, json.loads(notes.read_text())


def record(file: str) -> Tests:
    """Run all quick tests of a file."""
    code, tests = run([file], FILE_SECONDS)
    tests = {test: row for test, row in tests.items() if "lines" in row}  # else none is quick
    print(f"recorded {len(tests)} tests of {file}", flush=True)
    return tests if code in (0, 1, 5) else {file: {"why": f"pytest ended with {code}"}}


def plan(mutant: Mutant, tests: Tests, seconds: float) -> list[str]:
    """Return the tests to run, the most promising first."""
    executed = {test: set(tests[test]["lines"].get(mutant.file, ())) for test in tests}
    reaching = [test for test in tests if executed[test] & {*range(mutant.line, mutant.last + 1)}]
    files = {test.split("::")[0] for test in reaching}
    folder = f"tests{mutant.file.removeprefix(PACKAGE).rpartition('/')[0]}/"
    others = [t for t in tests if executed[t] or t.split("::")[0] in files or t.startswith(folder)]
    chosen: dict[str, str] = {}
    for test in dict.fromkeys([*reaching, *others]):
        file = test.split("::")[0]
        seconds -= tests[test]["seconds"] + (0 if file in chosen.values() else START)
        chosen |= {test: file} if seconds > 0 or not chosen else {}
    return list(chosen)


def judge(mutant: Mutant, tests: list[str], seconds: float) -> tuple[str, str]:
    """Return what became of a mutant, and the test that failed."""
    if not tests:
        return "not reached", ""
    path = HERE.tree / mutant.file
    source = path.read_bytes()
    path.write_bytes(source[: mutant.start] + mutant.new.encode() + source[mutant.end :])
    os.utime(path, times=(0, random.getrandbits(30)))  # no compiled module has this time
    code, ran = run(tests, seconds)
    path.write_bytes(source)
    if code in (0, 128 + signal.SIGKILL):
        return "timeout" if code else "survived", ""
    failed = [test for test in ran if ran[test]["why"].startswith("failed")] or tests
    again = run(tests[: tests.index(failed[-1]) + 1], FILE_SECONDS)[0]
    return "unstable test" if again else "detected", failed[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure which small mistakes the tests notice.")
    parser.add_argument("--seed", required=True, help="for instance a commit hash")
    parser.add_argument("--folders", required=True, nargs="+", help=f"below {PACKAGE}")
    parser.add_argument("--record", help="keep in this file which lines each test executes")
    for name, default in {"count": 120, "jobs": 2, "seconds": 60}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    noted, results = Tests(), list[tuple[str, str, str]]()
    with TemporaryDirectory(ignore_cleanup_errors=True) as base:
        kept = Path(options.record or f"{base}/record").resolve()
        trees = [Path(base, str(job)) for job in range(options.jobs)]
        for tree in trees:
            shutil.copytree(ROOT, tree, True, shutil.ignore_patterns(".git", ".venv", ".*cache"))
        os.chdir(tree)
        mutants = sample(options.folders, options.count, options.seed)
        pool = ThreadPoolExecutor(options.jobs, "", lambda: setattr(HERE, "tree", trees.pop()))
        with suppress(KeyboardInterrupt):
            changed = max(path.stat().st_mtime for path in Path().rglob("*.py"))
            if not kept.exists() or kept.stat().st_mtime < changed:
                files = sorted(map(str, Path("tests").rglob("test_*.py")))
                every = [test for tests in pool.map(record, files) for test in tests.items()]
                kept.write_text(json.dumps(dict(every)))
            noted |= json.loads(kept.read_text())
            passed = [item for item in noted.items() if not item[1]["why"]]
            tests = dict(sorted(passed, key=lambda item: len(str(item[1]["lines"]))))
            plans = [plan(mutant, tests, SHARE * options.seconds) for mutant in mutants]
            judged = pool.map(judge, mutants, plans, repeat(options.seconds))
            for mutant, (status, test) in zip(mutants, judged, strict=True):
                line = f"{status:11} {mutant.file}:{mutant.line}  {mutant.old} → {mutant.new}"
                results.append((status, mutant.file, line))
                print(f"{len(results):4} {line}  {test}", flush=True)
    left_out = [f"left out: {test}  {row['why']}" for test, row in noted.items() if row["why"]]
    print(*left_out, *sorted(line for how, _, line in results if how != "detected"), sep="\n")
    for top in [*options.folders, ""]:
        counts = Counter(how for how, file, _ in results if file.startswith(f"{PACKAGE}/{top}"))
        share = counts["detected"] / max(1, counts.total())
        print(f"{top or 'all':18} {share:4.0%} of {counts.total()} detected", dict(counts))
    os._exit(0)


if __name__ == "__main__":
    main()
