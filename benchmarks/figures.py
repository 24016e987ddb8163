"""What benchmarks measure, kept in one JSON file that README and the docs are made from.

`make bench` names the file in WHYWORD_FIGURES; a benchmark that somebody runs by hand keeps
nothing. A figure is the median of its rounds, with the lowest and the highest of them beside it.
"""

import json
import os
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from whyword.base.files import atomic_write

FILE = "WHYWORD_FIGURES"
PACKAGES = """
    whyword numpy numba pyarrow torch scikit-learn transformers zennit lime shap captum nltk gensim
""".split()
_LOAD = os.getloadavg()[0]  # as the benchmark begins: what else runs


def ratios(theirs: Sequence[float], ours: Sequence[float]) -> list[float]:
    """Return how much faster we were in each round.

    What takes long may have run less often: then its median is compared with each of our rounds.
    """
    several = theirs if len(theirs) == len(ours) else [statistics.median(theirs)] * len(ours)
    return [one / other for one, other in zip(several, ours, strict=True)]


def keep(benchmark: str, figures: Mapping[str, float | Iterable[float]]) -> None:
    """Keep what was measured, if a file is named.

    Parameters
    ----------
    benchmark : str
        The script's name.
    figures : mapping from str to float, or the floats of several rounds
        Their names say what they are in: "seconds", "ratio", "megabytes".
    """
    path = os.environ.get(FILE)
    if not path:
        return
    file = Path(path)
    kept: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"benchmarks": {}}
    kept["machine"] = machine()
    kept["benchmarks"][benchmark] = {
        "taken": datetime.now(UTC).date().isoformat(),
        "load": round(_LOAD, 2),
        "figures": {name: _figure(values) for name, values in figures.items()},
    }
    kept["benchmarks"] = dict(sorted(kept["benchmarks"].items()))
    write_results(file, kept)


def write_results(file: Path, results: Any) -> None:  # noqa: ANN401 - plain data
    """Write what was measured, as JSON, once it is whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as draft:
        draft.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def machine() -> dict[str, Any]:
    """Return where figures are from: the machine, and the versions of what matters."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "gigabytes": round(psutil.virtual_memory().total / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _figure(values: float | Iterable[float]) -> dict[str, float | int]:
    rounds = [float(values)] if isinstance(values, int | float) else [float(one) for one in values]
    return {
        "median": _rounded(statistics.median(rounds)),
        "low": _rounded(min(rounds)),
        "high": _rounded(max(rounds)),
        "rounds": len(rounds),
    }


def _rounded(number: float) -> float:
    """Return a number with four digits that count; what was counted is whole."""
    return number if number == int(number) else float(f"{number:.4g}")


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
