"""Check that two versions give the same numbers: a commit and the working tree.

It makes a git worktree of COMMIT in a temporary folder, runs the same calls with both versions'
`src` in two concurrent processes of one thread each, and compares the results. The calls and the
small models are in same_calls.py, the only module that knows old and new names. COMMIT's side
trains the models and saves them, and both sides load these folders, so that a change of training
does not affect all other items. The group "train" compares the models that each side trains.

    python benchmarks/same_numbers.py COMMIT [--only NAME ...] [--list]

NAME is a group ("explain") or the beginning of an item ("explain/cnn2 lrp"). For each item it
prints "equal"; or the largest relative difference and its path; or a path that is "missing here" or
"missing in COMMIT"; or the error. The exit code is 1 if a difference is above 1e-6, if anything is
missing or failed, or if anything but a float differs; else 0.

A difference is |a − b| / max(|A|, |B|, 1e-9), where A and B are the whole arrays: relative to an
array's largest absolute value, so that small arrays are checked as strictly as large ones, and
rounding errors near zero do not matter. The relevance of the words of one explanation is an array;
its padding and constant are measured by the same scale. Single numbers are measured by all numbers
of the same name in the item. Strings, booleans, integers, shapes, orders and refusals (InputError)
must be identical.

Limits: models and texts are small and made here. HTML pages, pictures, the web API, Ray, and
commands without JSON (`base`, `map`, `reproduce`, `serve`) are not compared. Numba compiles
everything again, because its cache does not notice changes of functions in other files.
"""

import argparse
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))  # also in processes that a worker starts
import same_calls
from same_calls import Place

REPOSITORY = Path(__file__).parent.parent
TOLERANCE, SMALLEST_SCALE = 1e-6, 1e-9
PARTS = {"padding": "relevance", "constant": "relevance"}  # that share an array's scale
THREADS = "OMP_NUM_THREADS NUMBA_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS".split()
ENVIRONMENT = dict.fromkeys(THREADS, "1") | {"PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1"}
ENVIRONMENT |= {"COLUMNS": "200", "TERM": "dumb", "TOKENIZERS_PARALLELISM": "false"}
LeafPath: TypeAlias = tuple[str | int, ...]


# ---- in the process of one side -----------------------------------------------------------------


def leaves(value: Any, path: LeafPath = ()) -> Iterator[tuple[LeafPath, Any]]:  # noqa: ANN401
    """Yield the numbers, strings and arrays in any value, each with its path."""
    if hasattr(value, "toarray"):  # sparse
        value = value.toarray()
    is_array = isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    if isinstance(value, np.generic | np.ndarray) and not is_array:
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float) or is_array:
        yield path, value
    elif isinstance(value, str | Path):
        text = str(value).replace(str(Place.own), "OWN")
        yield path, text.replace(str(Place.models.parent), "OWN")
    elif isinstance(value, Iterator | Mapping):
        for key, one in same_calls.renamed(dict(value)).items():
            yield from leaves(one, (*path, key))
    elif hasattr(value, "_asdict") or hasattr(value, "to_dict"):
        convert = value._asdict if hasattr(value, "_asdict") else value.to_dict
        yield from leaves(convert(), path)
    elif isinstance(value, Sequence):
        array = as_array(value)
        if array is not None:
            yield path, array
        elif value and all(isinstance(one, str) for one in value):
            yield path, tuple(value)
        else:
            yield (*path, "length"), len(value)
            for number, one in enumerate(value):
                yield from leaves(one, (*path, number))
    else:
        raise TypeError(f"{shown(path)} is of {type(value)}, which cannot be compared")


def as_array(value: Sequence[Any]) -> Any:  # noqa: ANN401 - an array or None
    """Return numbers, or rectangular lists of them, as an array; None for anything else."""
    try:
        array = np.array(value)
    except ValueError:
        return None
    return array if array.size and array.dtype.kind in "biuf" else None


def work(task: str, own: Path, shared: Path, source: Path, chosen: Sequence[str]) -> None:
    """Train the models, or write the leaves of the chosen items, in the process of one side."""
    Place.own, Place.data, Place.models = own, shared, shared.parent / "there" / "trained"
    import whyword

    if not Path(str(whyword.__file__)).is_relative_to(source):
        raise SystemExit(f"{whyword.__file__} was imported instead of {source}")
    if task == "train":
        same_calls.train()
        return
    for group, items in same_calls.groups().items():
        results: dict[str, Any] = {}
        start = time.perf_counter()
        for name, item in items.items():
            if not is_chosen(f"{group}/{name}", chosen):
                continue
            try:
                results[name] = dict(leaves(item()))
            except same_calls.Missing as missing:
                results[name] = f"missing: {missing}"
            except Exception as error:  # noqa: BLE001 - any error is a result
                last = traceback.extract_tb(error.__traceback__)[-1]
                message = f"{type(error).__name__}: {str(error)[:300]}"
                results[name] = f"error: {message} ({last.filename}:{last.lineno})"
        with (own / f"{group}.pickle").open("wb") as stream:
            pickle.dump((time.perf_counter() - start, results), stream)


def is_chosen(name: str, chosen: Sequence[str]) -> bool:
    """Return whether an item, as "group/item", is to be compared."""
    beginnings = tuple(one if "/" in one else f"{one}/" for one in chosen)
    return not chosen or name.startswith(beginnings)


# ---- differences --------------------------------------------------------------------------------


def is_float(*values: Any) -> bool:  # noqa: ANN401 - leaves
    """Return whether these are numbers or arrays of numbers, one of them floats."""
    if any(value is None or isinstance(value, str | tuple) for value in values):
        return False
    kinds = {np.asarray(value).dtype.kind for value in values}
    return kinds <= set("iuf") and "f" in kinds


def largest(*values: Any) -> float:  # noqa: ANN401 - leaves
    """Return the largest finite absolute value."""
    numbers = np.abs(np.concatenate([np.ravel(np.float64(value)) for value in values]))
    return float(numbers[np.isfinite(numbers)].max(initial=0))


def apart(a: Any, b: Any, scale: float) -> tuple[float, tuple[int, ...]]:  # noqa: ANN401 - leaves
    """Return the largest relative difference of floats, and its indices."""
    one, other = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if not one.size:
        return 0.0, ()
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        relative = np.where(same, 0, np.nan_to_num(np.abs(one - other) / scale, nan=np.inf))
    place = np.unravel_index(int(relative.argmax()), relative.shape)
    return float(relative[place]), tuple(map(int, place))


def compare(old: Any, new: Any) -> tuple[bool, str]:  # noqa: ANN401 - leaves or messages
    """Return whether two results of an item are the same, and how they differ."""
    for side, result in (("in COMMIT", old), ("here", new)):
        if isinstance(result, str):
            what, _, message = result.partition(": ")
            return False, f"{what} {side}: {message}"
    scales: dict[LeafPath, float] = {}
    for path, value in [*old.items(), *new.items()]:
        if isinstance(value, float):
            scales[column(path)] = largest(value, scales.get(column(path), SMALLEST_SCALE))
    worst, where = 0.0, ""
    others = [f"missing here: {shown(path)}" for path in old if path not in new]
    others += [f"missing in COMMIT: {shown(path)}" for path in new if path not in old]
    for path, a, b in [(path, old[path], new[path]) for path in old if path in new]:
        if is_float(a, b) and np.shape(a) == np.shape(b):
            whole = (*path[:-1], PARTS.get(str(path[-1]), "")) if path else path
            beside = [side[whole] for side in (old, new) if is_float(side.get(whole))]
            scale = largest(a, b, *beside, scales.get(column(path), SMALLEST_SCALE))
            difference, indices = apart(a, b, scale)
            if difference > worst:
                worst, where = difference, shown((*path, *indices))
        elif type(a) is not type(b) or not np.array_equal(a, b):
            pairs = enumerate(zip(np.ravel(a).tolist(), np.ravel(b).tolist(), strict=False))
            unequal = ((number, x, y) for number, (x, y) in pairs if x != y)
            kinds = [f"{type(one).__name__} {np.shape(one)}" for one in (a, b)]
            index, x, y = next(unequal, ("kind", *kinds))
            place = shown((*path, index) if np.shape(a) or index == "kind" else path)
            others.append(f"{place} is {x!r:.99} in COMMIT, {y!r:.99} here")
    if not old and not new:
        return False, "nothing to compare"
    notes = [f"{worst:.2g} at {where}"] if worst else []
    notes += [*others[:1], f"{len(others) - 1:,} more"][: len(others)]
    refused = all(isinstance(one, str) and one == "InputError" for one in old.values())
    equal = "equal, refused by both" if refused else "equal"
    return worst <= TOLERANCE and not others, "; ".join(notes) or equal


def column(path: LeafPath) -> LeafPath:
    """Return the name that a number has in common with others."""
    return tuple("*" if isinstance(one, int) else one for one in path)


def shown(path: LeafPath) -> str:
    """Return a path as one line."""
    return ".".join(map(str, path)) or "the value"


# ---- both sides ---------------------------------------------------------------------------------


@contextmanager
def worktree(commit: str, folder: Path) -> Iterator[Path]:
    """Check out a commit in another folder, and remove it in the end."""
    git = ["git", "-C", str(REPOSITORY), "worktree"]
    added = subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=False)
    if added.returncode:
        raise SystemExit(f"cannot check out {commit}")
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=False)


def run_sides(task: str, sides: Mapping[Path, Path], chosen: Sequence[str]) -> list[str]:
    """Do a task with the sources of each side at the same time; return what failed."""
    running: list[tuple[Path, subprocess.Popen[bytes]]] = []
    failed = []
    try:
        for own, source in sides.items():
            own.mkdir(exist_ok=True)
            places = [str(own), str(own.parent / "shared"), str(source)]
            command = [sys.executable, __file__, "--as-worker", task, *places, *chosen]
            environment = os.environ | ENVIRONMENT | {"PYTHONPATH": str(source)}
            environment["NUMBA_CACHE_DIR"] = str(own / "compiled")
            log = own / f"{task}.log"
            with log.open("wb") as out:
                process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
            running.append((log, process))
        for log, process in running:
            if code := process.wait():
                end = log.read_text(errors="replace")[-1500:]
                failed.append(f"the process in {log.parent} ended with {code}:\n{end}")
        return failed
    finally:
        for _, process in running:
            process.kill()


def report(there: Path, here: Path, chosen: Sequence[str]) -> bool:
    """Print how each item compares; return whether all are the same."""
    verdicts = []
    for group, items in same_calls.groups().items():
        names = [name for name in items if is_chosen(f"{group}/{name}", chosen)]
        sides = [own / f"{group}.pickle" for own in (there, here)]
        (took, old), (takes, new) = (
            pickle.loads(one.read_bytes()) if one.exists() else (0.0, {}) for one in sides
        )
        if names:
            print(f"{group} ({took:.0f} s in COMMIT, {takes:.0f} s here)")
        for name in names:
            same, message = compare(*(one.get(name, "error: process ended") for one in (old, new)))
            verdicts.append(same)
            print(f"  {'  ' if same else '! '}{name}: {message}")
    print(f"{sum(verdicts):,} of {len(verdicts):,} items are the same")
    return all(verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", nargs="?", help="what the working tree is compared with")
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="NAME")
    parser.add_argument("--list", action="store_true", help="print the names of all items")
    arguments = parser.parse_args()
    names = [f"{group}/{item}" for group, items in same_calls.groups().items() for item in items]
    names = [name for name in names if is_chosen(name, arguments.only)]
    if arguments.list:
        print("\n".join(names))
        return
    if not arguments.commit or not names:
        parser.error("name a commit, and groups or items that --list prints")
    for one in (signal.SIGINT, signal.SIGTERM):  # clean up before the process ends
        signal.signal(one, lambda number, _: sys.exit(128 + number))
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="same-numbers-") as temporary:
        folder = Path(temporary).resolve()
        shared, there, here = (folder / name for name in ("shared", "there", "here"))
        same_calls.write_data(shared)
        with worktree(arguments.commit, folder / "tree") as tree:
            sides = {there: tree / "src", here: REPOSITORY / "src"}
            trains = any(name.startswith("train/") for name in names)
            if failed := run_sides("train", sides if trains else {there: tree / "src"}, []):
                raise SystemExit("\n".join(failed))
            print(f"trained after {time.perf_counter() - start:.0f} s", flush=True)
            failed = run_sides("compare", sides, arguments.only)
        same = report(there, here, arguments.only)
    print("\n".join([*failed, f"{time.perf_counter() - start:.0f} s"]))
    raise SystemExit(not same or bool(failed))


if __name__ == "__main__":
    if "--as-worker" in sys.argv:
        task, own, shared, source, *chosen = sys.argv[sys.argv.index("--as-worker") + 1 :]
        work(task, Path(own), Path(shared), Path(source), chosen)
    else:
        main()
