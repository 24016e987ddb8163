"""Stages of a long computation, each kept by its inputs and the program that made it.

A run that was killed continues behind the last stage that was kept.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from whyword.base.errors import InputError
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.base.store import Entry, Store
from whyword.corpora.corpus import Part
from whyword.models.estimator import Estimator
from whyword.models.loading import load_model
from whyword.models.store import fingerprint_of
from whyword.reports.program import program_digest

T = TypeVar("T")


def digest_of(part: Part) -> str:
    """Return the sha256 of labelled texts."""
    return fingerprint_of(part.texts, part.labels or [])


class KeptModel(NamedTuple):
    """A trained model in its folder; its weights take no room until it is loaded.

    Attributes
    ----------
    folder : Path
    identity : str
    provenance : dict
    unsaved : Estimator or None
        The model itself, where the folder could not be written.
    """

    folder: Path
    identity: str
    provenance: dict[str, Any]
    unsaved: Estimator | None = None

    def load(self) -> Any:  # noqa: ANN401 - of any kind
        """Return the model."""
        return load_model(self.folder) if self.unsaved is None else self.unsaved


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
        self._store = Store(folder)
        self.expected = dict(expected)
        self.on_progress = on_progress or ignore
        self.seconds: dict[str, float] = {}
        self._spent = self._foreseen = 0.0  # on and for the stages that were computed in this run

    def has(self, name: str, inputs: Mapping[str, Any]) -> bool:
        """Return whether a result is there already."""
        return self._result_entry(name, inputs).find() is not None

    def result(
        self, name: str, inputs: Mapping[str, Any], make: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what `make` returns, plain data, from the file if it is there."""
        entry = self._result_entry(name, inputs)
        kept = entry.find()
        self._begin(name, kept is not None)
        if kept is None:
            computed, seconds = self._time(name, make)
            content = json.dumps({"result": computed, "seconds": seconds}, allow_nan=False)
            kept = json.loads(content)  # a first run and a later one see the same numbers
            entry.keep(kept, lambda _, draft: draft.write_text(content, encoding="utf-8"))
        self.seconds[name] = kept["seconds"]
        result: dict[str, Any] = kept["result"]
        return result

    def model(
        self, name: str, inputs: Mapping[str, Any], train: Callable[[], Estimator]
    ) -> KeptModel:
        """Return what `train` returns, in its folder, trained if it is not there."""
        made_of = {"program": program_digest(training=True), "inputs": inputs}
        entry = self._store.entry(name, made_of, read=load_model)
        model, unsaved = entry.find(), None
        self._begin(name, model is not None)
        if model is None:
            model = self._time(name, train)[0]
            if not entry.keep(model, lambda trained, draft: trained.save(draft)):
                unsaved = model
        self.seconds[name] = float(model.provenance_["seconds"])
        return KeptModel(entry.path, str(model.identity), model.provenance_, unsaved)

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

    def _result_entry(self, name: str, inputs: Mapping[str, Any]) -> Entry[dict[str, Any]]:
        made_of = {"program": program_digest(), "inputs": inputs}
        return self._store.entry(name, made_of, ".json", read=_read_result)


def _read_result(path: Path) -> dict[str, Any]:
    """Return a result and its seconds; raise if the file holds anything else."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(kept, dict) or kept.keys() != {"result", "seconds"}:
        raise InputError(f"{path} is no result of a stage")
    return kept
