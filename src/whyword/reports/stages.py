"""Results of long computations, kept by what they were made of.

A stage is computed once: its result lies in a file whose name is the digest of its inputs and of
the program. Files are written whole, so a run that was killed continues behind the last one.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from whyword.base.errors import WhywordError
from whyword.base.files import atomic_write
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.corpus import Part
from whyword.models.estimator import Estimator
from whyword.models.loading import load_model
from whyword.models.store import fingerprint, provenance

T = TypeVar("T")

# what a trained model depends on; a change elsewhere need not train it again
_TRAINING = (
    "base/compiled words/* corpora/split vectors/* models/* models/cnn/* models/linear/*".split()
)


@cache
def program_digest(training: bool = False) -> str:
    """Return the sha256 of the package's source, or of what training uses, and of versions."""
    package = Path(__file__).parent.parent
    patterns = [f"{name}.py" for name in _TRAINING] if training else ["**/*.py"]
    digest = hashlib.sha256(json.dumps(provenance(), sort_keys=True).encode())
    for path in sorted({path for pattern in patterns for path in package.glob(pattern)}):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def digest_of(part: Part) -> str:
    """Return the sha256 of labelled texts."""
    return fingerprint(part.texts, np.unique(part.labels or [], return_inverse=True)[1].tolist())


class KeptModel(NamedTuple):
    """A trained model in its folder; its weights take no room until it is loaded."""

    folder: Path
    identity: str
    provenance: dict[str, Any]

    def load(self) -> Any:  # noqa: ANN401 - of any kind
        """Return the model."""
        return load_model(self.folder)


class Stages:
    """Stages of one study, with their times.

    Parameters
    ----------
    folder : Path
        Where results are kept.
    expected : dict from str to float
        Every stage and about how long it takes; only the proportions matter once one is done.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress` as each stage begins.
    """

    def __init__(
        self, folder: Path, expected: Mapping[str, float], on_progress: OnProgress | None = None
    ) -> None:
        self.folder = folder
        self.expected = dict(expected)
        self.on_progress = on_progress or ignore
        self.seconds: dict[str, float] = {}
        self._spent = self._foreseen = 0.0  # on and for the stages that were computed in this run

    def has(self, name: str, inputs: Mapping[str, Any]) -> bool:
        """Return whether a result is there already."""
        return _read_if_whole(self._result_path(name, inputs)) is not None

    def result(
        self, name: str, inputs: Mapping[str, Any], make: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what `make` returns, plain data, from the file if it is there."""
        path = self._result_path(name, inputs)
        kept = _read_if_whole(path)
        self._begin(name, kept is not None)
        if kept is None:
            computed, seconds = self._time(name, make)
            content = json.dumps({"result": computed, "seconds": seconds}, allow_nan=False)
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as draft:
                draft.write_text(content, encoding="utf-8")
            kept = json.loads(content)  # a first run and a later one see the same numbers
        self.seconds[name] = kept["seconds"]
        result: dict[str, Any] = kept["result"]
        return result

    def model(
        self, name: str, inputs: Mapping[str, Any], train: Callable[[], Estimator]
    ) -> KeptModel:
        """Return what `train` returns, in its folder, trained if it is not there."""
        folder = self._path(name, inputs, program_digest(training=True))
        model = _load_if_whole(folder)
        self._begin(name, model is not None)
        if model is None:
            model = self._time(name, train)[0]
            draft = folder.with_name(f"{folder.name}.draft")
            for left in (draft, folder):
                shutil.rmtree(left, ignore_errors=True)  # of a run that was killed; damaged
            model.save(draft)
            draft.rename(folder)
        self.seconds[name] = float(model.provenance_["seconds"])
        return KeptModel(folder, str(model.identity), model.provenance_)

    def _begin(self, name: str, kept: bool) -> None:
        names = list(self.expected)
        number = names.index(name)
        ahead = sum(self.expected[later] for later in names[number + kept :])
        pace = self._spent / self._foreseen if self._foreseen else 1.0
        self.on_progress(
            Progress(
                name,
                share=number / len(names),
                number=number + 1,
                total=len(names),
                kept=kept,
                seconds_left=pace * ahead,
            )
        )

    def _time(self, name: str, make: Callable[[], T]) -> tuple[T, float]:
        start = time.perf_counter()
        made = make()
        seconds = time.perf_counter() - start
        self._spent += seconds
        self._foreseen += self.expected[name]
        return made, seconds

    def _result_path(self, name: str, inputs: Mapping[str, Any]) -> Path:
        return self._path(name, inputs, program_digest()).with_suffix(".json")

    def _path(self, name: str, inputs: Mapping[str, Any], program: str) -> Path:
        content = json.dumps([name, program, inputs], sort_keys=True)
        digest = hashlib.sha256(content.encode()).hexdigest()[:24]
        return self.folder / f"{name.replace(' ', '-').replace(':', '')}-{digest}"


def _read_if_whole(path: Path) -> dict[str, Any] | None:
    """Return what a file holds, None if it is not there or damaged."""
    with suppress(OSError, ValueError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(kept, dict) and kept.keys() == {"result", "seconds"}:
            return kept
    return None


def _load_if_whole(folder: Path) -> Any | None:  # noqa: ANN401 - a model of any kind
    """Return the model of a folder, None if it is not there or damaged."""
    with suppress(WhywordError):
        return load_model(folder)
    return None
