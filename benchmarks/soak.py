"""Every fuzzer of the tests, for longer: other cases than theirs, and five seconds for each.

A top-level function of a test module whose name begins or ends with `fuzzer` makes one: it makes up
input (model folders, tensors, vectors, tables, manifests, bodies of the API, …) and does with it
what a user would, see tests/fuzzing.py. They run in turns, each turn in a process of its own, so
that a crash is seen and not suffered, with numba's bounds checking. A case may end in an answer or
in one line that says what is wrong; it may take 5 s and 500 MB.

    python benchmarks/soak.py [--minutes 30] [--turn 60] [--seed 1000] [--only PART …]

What fails is printed with the seed and the place that repeat it.
"""

import argparse
import ast
import importlib.util
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

TESTS = Path(__file__).resolve().parent.parent / "tests"
NAME = re.compile("fuzzer(_[a-z_]+)?|[a-z][a-z_]*_fuzzer")
SECONDS, GROWTH = 5, 500 << 20  # of a case
COMPILING = 120  # seconds of a case that may compile something first
CASES = 50  # that begin with one seed
SEEDS, TURNS = 100, 1_000_000  # from these cases to the next; from this turn to the next
STUCK = 900.0  # seconds beyond a turn's, until it is ended
SHOWN = 4_000  # characters of a case

# ---- finding them -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a fuzzer is made.

    Attributes
    ----------
    file : str
        Below the tests' folder.
    function : str
    """

    file: str
    function: str

    def __str__(self) -> str:
        return f"{self.file}::{self.function}"


def find_fuzzers() -> list[Place]:
    """Return the places of all fuzzers; nothing is imported."""
    return [
        Place(file.relative_to(TESTS).as_posix(), node.name)
        for file in sorted(TESTS.rglob("test_*.py"))
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef) and NAME.fullmatch(node.name)
    ]


def load(file: str) -> ModuleType:
    """Import a module of the tests; others may have the same name."""
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))  # as pytest does
    name = "soak_" + file.removesuffix(".py").replace("/", "_")
    specification = importlib.util.spec_from_file_location(name, TESTS / file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # where dataclasses look for it
    specification.loader.exec_module(module)
    return module


def make_fuzzer(place: Place, folder: Path) -> Any:  # noqa: ANN401 - of a module just found
    """Return the fuzzer; its function may take a folder to work in."""
    made: Callable[..., Any] = getattr(load(place.file), place.function)
    return made(*[folder][: len(inspect.signature(made).parameters)])


# ---- a turn, in a process of its own ------------------------------------------------------------


def take_turn(place: Place, seed: int, seconds: float, limit: int, case_file: Path) -> None:
    """Run cases for so long, print the figures as JSON, and keep the case that is being run."""
    with TemporaryDirectory() as folder:
        fuzzer = make_fuzzer(place, Path(folder))
        import fuzzing  # the tests' own: their folder is where modules are looked for by now

        run = fuzzer.run

        def kept(case: object) -> object:
            case_file.write_text(f"{case!r:.{SHOWN}}", "utf-8", "backslashreplace")
            return run(case)

        fuzzer.run = kept
        fuzzing.GROWTH, fuzzing.SECONDS = GROWTH, limit
        end = time.monotonic() + seconds
        for number in count(seed, SEEDS):
            print(json.dumps({"seed": number}), flush=True)
            fuzzer.check(CASES, number)
            print(json.dumps({name: getattr(fuzzer, name) for name in FIGURES}), flush=True)
            if time.monotonic() > end:
                return


COUNTS = ("accepted", "refused")
FIGURES = (*COUNTS, "slowest", "growth")


@dataclass
class Turn:
    """A turn that is over.

    Attributes
    ----------
    figures : dict
        Those of the fuzzer.
    seed : int
        Of the last cases.
    failure : str
        Empty if all went well.
    """

    figures: dict[str, float]
    seed: int
    failure: str


def run_turn(place: Place, seed: int, seconds: float, limit: int, scratch: Path) -> Turn:
    """Run a turn in a process of its own."""
    case_file, errors = scratch / "case", scratch / "errors"
    case_file.write_text("none yet")
    command = [sys.executable, __file__, "--as-turn", place.file, place.function]
    command += [str(seed), str(seconds), str(limit), str(case_file)]
    checking = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(scratch / "compiled")}
    with (
        errors.open("wb") as stream,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
            env=os.environ | checking,
            cwd=TESTS.parent,
            start_new_session=True,  # so that what it started can be ended with it
        ) as process,
    ):
        try:
            said, _ = process.communicate(timeout=seconds + STUCK)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
        finally:
            process.kill()  # does nothing to one that has ended
    figures: dict[str, float] = dict.fromkeys(FIGURES, 0)
    for line in said.splitlines():
        figures |= json.loads(line)
    last = int(figures.pop("seed", seed))
    if process.returncode == 0:
        return Turn(figures, last, "")
    told = errors.read_text(errors="replace").strip()[-SHOWN:]
    return Turn(figures, last, f"ended with {process.returncode}\n{told}\n{case_file.read_text()}")


# ---- all of them --------------------------------------------------------------------------------


@dataclass
class Total:
    """What a fuzzer did in all its turns."""

    figures: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FIGURES, 0))
    failed: int = 0

    def add(self, turn: Turn) -> None:
        """Count a turn."""
        for name, value in turn.figures.items():
            before = self.figures[name]
            self.figures[name] = before + value if name in COUNTS else max(before, value)
        self.failed += bool(turn.failure)

    def row(self) -> str:
        """Return the figures."""
        accepted, refused, slowest, growth = (self.figures[name] for name in FIGURES)
        return (
            f"{accepted + refused:9,.0f}{accepted:9,.0f}{refused:9,.0f}{slowest:8.2f} s"
            f"{growth / 2**20:7.0f} MB{self.failed:5}"
        )


def judged_turn(place: Place, seed: int, seconds: float, scratch: Path) -> Turn:
    """Run a turn; a case that took too long is tried again when everything is compiled."""
    turn = run_turn(place, seed, seconds, SECONDS, scratch)
    if "TimeoutError" not in turn.failure:
        return turn
    run_turn(place, turn.seed, 0, COMPILING, scratch)
    again = run_turn(place, turn.seed, seconds, SECONDS, scratch)
    for name in COUNTS:
        again.figures[name] += turn.figures[name]
    return again


def soak(places: Sequence[Place], minutes: float, turn_seconds: float, seed: int) -> bool:
    """Run them in turns; print the figures; return whether any failed."""
    totals = {place: Total() for place in places}
    end = time.monotonic() + 60 * minutes
    with TemporaryDirectory() as temporary:
        for place in places:  # compiled beforehand, in no case's time
            run_turn(place, 0, 0, COMPILING, Path(temporary))
        for number, place in enumerate(turns(places, end)):
            first = seed + number // len(places) * TURNS
            turn = judged_turn(place, first, turn_seconds, Path(temporary))
            totals[place].add(turn)
            print(f"{place!s:<60}{totals[place].row()}", flush=True)
            if turn.failure:
                print(f"FAILED: --seed {turn.seed} --only {place}\n{turn.failure}", flush=True)
    print(f"\n{'':60}{'cases':>9}{'accepted':>9}{'refused':>9}{'slowest':>10}{'growth':>10} fail")
    for place, total in totals.items():
        print(f"{place!s:<60}{total.row()}")
    return any(total.failed for total in totals.values())


def turns(places: Sequence[Place], end: float) -> Iterator[Place]:
    """Yield the fuzzers again and again until that moment, each of them once at least."""
    for number, place in enumerate(cycle(places)):
        if number >= len(places) and time.monotonic() > end:
            return
        yield place


def main() -> None:
    # whoever is terminated ends by way of its ``finally``: no process is left behind
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--turn", type=float, default=60.0, help="seconds")
    parser.add_argument("--seed", type=int, default=1_000, help="of the first cases")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of their places")
    parser.add_argument("--as-turn", nargs=6, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.as_turn:
        file, function, seed, seconds, limit, case_file = arguments.as_turn
        place = Place(file, function)
        take_turn(place, int(seed), float(seconds), int(limit), Path(case_file))
        return
    places = [p for p in find_fuzzers() if any(part in str(p) for part in arguments.only)]
    if not places:
        raise SystemExit("there are no such fuzzers")
    print(f"{len(places)} fuzzers, {arguments.minutes:g} minutes, {os.cpu_count()} cores")
    if soak(places, arguments.minutes, arguments.turn, arguments.seed):
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
