"""Models side by side: equally accurate, more explainable? All instruments, on the same texts."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.audit.changes import ChangedPredictions
from whyword.audit.changes_page import EXAMPLES
from whyword.audit.examination import Examination, LabelledTexts, Settings
from whyword.audit.findings import findings_of
from whyword.audit.page import comparison_page
from whyword.audit.pairs import compare_pair, corrected_pairs
from whyword.audit.rows import ModelRow, Times
from whyword.audit.side_by_side import SideBySide, distinct_names
from whyword.audit.timing import TIMED_DOCUMENTS, measure_times
from whyword.base.checks import (
    check_callable,
    check_installed,
    items,
    one_each,
    strings,
    whole_number,
)
from whyword.base.errors import Argument, InputError
from whyword.base.files import save_or_return
from whyword.base.labels import Label
from whyword.base.printable import shown, spelled_out
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.evaluation.comparison import risk
from whyword.evaluation.evaluate import usual_steps
from whyword.evaluation.power import MOST_SPLITS
from whyword.evaluation.steps import Steps, plain_steps, step_numbers
from whyword.explanation.explanation import Explanation
from whyword.methods.registry import find_method
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import TextClassifier

DELETION_DOCUMENTS, POWER_DOCUMENTS = 500, 2_000
RUNS = 3  # of random deletion
_FEW_DOCUMENTS = 50  # of which figures are called uncertain
_NAMED = 3  # classes in a message


class ModelComparison(SideBySide):
    """Several models on the same texts, to be read and kept.

    The attributes are those of :class:`~whyword.audit.side_by_side.SideBySide`.
    """

    @property
    def findings(self) -> list[str]:
        """What the numbers say, in sentences."""
        return findings_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON, and what it says in sentences."""
        return {"findings": self.findings, **super().to_dict()}

    def to_html(self, path: str | Path | None = None, title: str = "Models side by side") -> str:
        """Return a self-contained page with findings, tables and curves; given a path, write it."""
        return save_or_return("".join(comparison_page(self, self.findings, str(title))), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all figures as JSON; given a path, write them."""
        data = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return save_or_return(data + "\n", path)


def compare_models(
    models: Mapping[str, object] | Iterable[object],
    texts: Iterable[str],
    labels: Iterable[Any],
    *,
    ids: Iterable[str] | None = None,
    method: str | None = None,
    source: str = "",
    deletion_documents: int = DELETION_DOCUMENTS,
    power_documents: int = POWER_DOCUMENTS,
    steps: Steps | None = None,
    least_words: int | None = None,
    runs: int = RUNS,
    splits: int = 10,
    seed: int = 0,
    alpha: float = 0.05,
    on_progress: OnProgress | None = None,
) -> ModelComparison:
    """Judge several models on the same labelled texts, side by side.

    Accuracy; explanatory power; the three word-deletion experiments; how far two models predict the
    same, and by the same words; time and size; and, of a model before and after something was done
    to it, what changed and for which documents. Two measurements of one model are compared by
    :func:`~whyword.compare`.

    Parameters
    ----------
    models : mapping from name to model, or sequence of models
        At least two, of any kinds: TextClassifiers, or anything that a
        :class:`~whyword.BlackBox` takes. They must have the same classes, in any order.
    texts : iterable of str
        Not those that one of them was trained on.
    labels : iterable
        The true classes; for models that predict several labels, a list of them for each text.
    ids : iterable of str, optional
        What the texts are called, for the report; by default their numbers.
    method : str, optional
        What explains the models, one of :func:`~whyword.explain`; by default the best for each.
        Where it is not for a model, the model's row says so.
    source : str
        Where the texts are from, for the report.
    deletion_documents : int
        The documents, by chance, whose words are deleted, and compared between models.
    power_documents : int
        The most documents, by chance, that are told apart by their vectors.
    steps : int or increasing list of int, optional
        How many words are deleted, or after which numbers of them models are asked, as for
        :func:`~whyword.deletion_curve`; by default 50, the paper's number, or half the median
        length where few texts have 100 words.
    least_words : int, optional
        Delete from documents in which every model finds at least so many words; by default twice
        the last step.
    runs : int
        Of random deletion.
    splits : int
        Of the explanatory power.
    seed : int
    alpha : float
        Of the tests of significance.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress` as each stage begins.

    Returns
    -------
    ModelComparison
    """
    named = named_models(models)
    several = strings("texts", texts)
    given = one_each("labels", labels, len(several))
    called = _names_of(ids, len(several))
    if not several:
        raise InputError("there are no texts to compare models on")
    check_callable("on_progress", on_progress)
    if not isinstance(source, str | Path):
        raise InputError(Argument("source"), f" must be a str, not {type(source).__name__}")
    if method is not None:
        find_method(method)
    chosen_steps = None if steps is None else step_numbers(steps)
    least = None if least_words is None else whole_number("least_words", least_words)
    counts = {
        "deletion_documents": whole_number("deletion_documents", deletion_documents),
        "power_documents": whole_number("power_documents", power_documents, least=4),
        "runs": whole_number("runs", runs),
        "splits": whole_number("splits", splits, most=MOST_SPLITS),
        "seed": whole_number("seed", seed, least=0),
    }
    level = risk("alpha", alpha)
    check_installed("evaluate", "scipy")
    classes = common_classes(named)
    lengths = shortest_lengths(named, several)
    numbers = step_numbers(usual_steps(lengths)) if chosen_steps is None else chosen_steps
    settings = Settings(
        method=method,
        steps=plain_steps(numbers),
        least_words=2 * int(numbers[-1]) if least is None else least,
        alpha=level,
        **counts,
    )
    chosen = chosen_documents(
        lengths, settings.least_words, deletion_documents, power_documents, seed
    )
    documents = LabelledTexts(several, given, called, classes, *chosen)
    examined = [Examination(name, model, documents, settings) for name, model in named.items()]
    if all(one.method is None for one in examined):
        find_method(method).check_kind(examined[0].model.trace_kind)
    report = ignore if on_progress is None else on_progress
    return _ComparisonStages(examined, documents, settings, report).result(str(source))


def _names_of(ids: Iterable[str] | None, count: int) -> list[str]:
    """Return what texts are called."""
    if ids is None:
        return [str(number) for number in range(count)]
    return [str(one) for one in one_each("ids", ids, count)]


def named_models(models: Mapping[str, object] | Iterable[object]) -> dict[str, TextClassifier]:
    """Return the models by their names, by default their kinds; raise unless there are several."""
    if isinstance(models, Mapping):
        for name in models:
            if not isinstance(name, str):
                raise InputError(Argument("models"), f": a name is a str, not {shown(name)}")
        names, several = list(models), [as_classifier(model) for model in models.values()]
    else:
        each = items("models", models, "a dict from names to models, or a list of models")
        several = [as_classifier(model) for model in each]
        names = [model.kind for model in several]
    named = dict(zip(distinct_names(list(map(spelled_out, names))), several, strict=True))
    if len(named) < 2:
        raise InputError(Argument("models"), f": at least two are compared, not {len(named)}")
    return named


def common_classes(models: Mapping[str, TextClassifier]) -> list[Label]:
    """Return the classes that all models have, in the first's order; raise if they differ."""
    first, *others = models
    labels = labels_of(models[first])
    names = {str(label) for label in labels}
    for other in others:
        if is_multilabel(models[other]) != is_multilabel(models[first]):
            one, several = sorted((first, other), key=lambda name: is_multilabel(models[name]))
            raise InputError(
                f"{several!r:.80} predicts several labels, and {one!r:.80} one class of each text: "
                "they cannot be compared"
            )
        own = {str(label) for label in labels_of(models[other])}
        for having, missing, lacking in ((first, names - own, other), (other, own - names, first)):
            if missing:
                listed = ", ".join(f"{name!r:.80}" for name in sorted(missing)[:_NAMED])
                more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
                raise InputError(
                    "the models have different classes: "
                    f"{having!r:.80} has {listed}{more}, which {lacking!r:.80} has not"
                )
    return labels


def shortest_lengths(
    models: Mapping[str, TextClassifier], texts: Sequence[str]
) -> NDArray[np.int_]:
    """Return how many words of each text every model finds at least, (texts,)."""
    lengths = [[len(one) for one in model.documents(texts)] for model in models.values()]
    shortest: NDArray[np.int_] = np.array(lengths, np.int_).min(axis=0)
    return shortest


def chosen_documents(
    lengths: NDArray[np.int_],
    least_words: int,
    deletion_documents: int,
    power_documents: int,
    seed: int,
) -> tuple[list[int], bool, list[int]]:
    """Return whose words are looked at, whether they are long enough, and whose vectors are made.

    If no document is long enough for deletion, words are compared in others.

    Parameters
    ----------
    lengths : (texts,) int
        Of :func:`shortest_lengths`.
    least_words, deletion_documents, power_documents, seed : int
        As for :func:`compare_models`.
    """
    of_words = np.flatnonzero(lengths > 1)
    fit = np.flatnonzero(lengths >= least_words)
    explained = next((one for one in (fit, of_words) if len(one)), np.arange(len(lengths)))
    return (
        _some(explained, deletion_documents, seed),
        len(fit) > 0,
        _some(of_words, power_documents, seed),
    )


def _some(numbers: NDArray[np.intp], most: int, seed: int) -> list[int]:
    """Return the numbers, or so many of them by chance, in order."""
    if len(numbers) > most:
        numbers = np.random.default_rng(seed).choice(numbers, most, replace=False)
    return sorted(numbers.tolist())


class _ComparisonStages:
    """The stages of a comparison, timed."""

    def __init__(
        self,
        examined: list[Examination],
        documents: LabelledTexts,
        settings: Settings,
        on_progress: OnProgress,
    ) -> None:
        self.examined, self.documents, self.settings = examined, documents, settings
        self.on_progress = on_progress
        self.total = 4 * len(examined) + 3
        self.starts: list[tuple[str, float]] = []

    def begin(self, stage: str) -> None:
        self.starts.append((stage, time.perf_counter()))
        number = len(self.starts)
        self.on_progress(Progress(stage, number=number, total=self.total))

    def result(self, source: str) -> ModelComparison:
        for one in self.examined:
            self.begin(f"predictions: {one.name}")
            one.predict()
        times = self._times()
        rows, words = [], []
        for one in self.examined:
            self.begin(f"word deletion: {one.name}")
            curves = one.deletions()
            self.begin(f"explanatory power: {one.name}")
            powers = one.powers()
            self.begin(f"relevant words: {one.name}")
            words.append(one.relevances())
            rows.append(one.row(powers, curves, times[one.name]))
        self.begin("pairs")
        alpha, seed = self.settings.alpha, self.settings.seed
        pairs = [
            compare_pair(rows[a], rows[b], (words[a], words[b]), alpha, seed)
            for a, b in combinations(range(len(rows)), 2)
        ]
        examples = self._examples(rows)
        first = self.examined[0]
        ends = [start for _, start in self.starts[1:]] + [time.perf_counter()]
        return ModelComparison(
            classes=tuple(self.documents.classes),
            models={row.name: row for row in rows},
            pairs=corrected_pairs(pairs),
            truth=first.truth,  # whose order of classes is the comparison's
            ids=self.documents.ids,
            examples=examples,
            remarks=self._remarks(),
            settings={"source": source, **self.settings.to_dict()},
            seconds={
                stage: round(end - start, 2)
                for (stage, start), end in zip(self.starts, ends, strict=True)
            },
        )

    def _times(self) -> dict[str, Times]:
        self.begin("time")
        chosen = self.documents.sample[: TIMED_DOCUMENTS + 1]
        return measure_times(
            {one.name: one.model for one in self.examined},
            {one.name: one.method for one in self.examined},
            [self.documents.texts[n] for n in chosen],
        )

    def _examples(self, rows: list[ModelRow]) -> dict[str, dict[int, Explanation]]:
        """Explain some documents that the first model and another predict differently, by both."""
        self.begin("what changed")
        first, *others = rows
        wanted: dict[str, set[int]] = {row.name: set() for row in rows}
        for row in others:
            changed = ChangedPredictions(
                tuple(self.documents.classes),
                first.predicted,
                row.predicted,
                self.examined[0].truth,
            )
            numbers = {one.document for one in changed.some(EXAMPLES)}
            wanted[first.name] |= numbers
            wanted[row.name] |= numbers
        return {one.name: one.explanations(sorted(wanted[one.name])) for one in self.examined}

    def _remarks(self) -> list[str]:
        texts, documents = len(self.documents.texts), self.documents
        remarks = []
        if texts < _FEW_DOCUMENTS:
            remarks.append(f"All figures rest on {texts} documents only.")
        for what, sample in (
            ("Words were deleted from, and compared in", documents.sample),
            ("Explanatory power was measured on", documents.power_sample),
        ):
            if len(sample) < texts:
                remarks.append(f"{what} {len(sample):,} of the {texts:,} documents.")
        return remarks
