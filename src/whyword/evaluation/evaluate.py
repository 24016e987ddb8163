"""A model and its explanations, judged: all the measuring instruments in one call."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.summary import summarize
from whyword.analysis.weighting import WEIGHTINGS
from whyword.base.checks import (
    check_callable,
    check_installed,
    one_each,
    strings,
    whole_number,
)
from whyword.base.errors import Argument, InputError
from whyword.base.files import save_or_return
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.evaluation.comparison import Comparison, compare_all, risk
from whyword.evaluation.copies import CopyQuality, copy_quality
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.deletion import check_erasable, deletion_curves
from whyword.evaluation.experiment import EXPERIMENTS, nothing_to_start_from
from whyword.evaluation.findings import Findings
from whyword.evaluation.page import evaluation_page
from whyword.evaluation.power import (
    MOST_SPLITS,
    ExplanatoryPower,
    explanatory_power,
    usual_neighbours,
)
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality, model_quality
from whyword.evaluation.ranking import (
    RANDOM,
    RANDOM_KNOWN,
    Explainer,
    Methods,
    compared_methods,
    named_methods,
    ranking_of,
)
from whyword.evaluation.sanity import SanityCheck, model_randomisation
from whyword.evaluation.steps import PlainSteps, Steps, plain_steps, step_numbers
from whyword.methods.predict import highest_labels
from whyword.methods.registry import METHODS
from whyword.methods.targets import class_numbers
from whyword.models.abilities import Trained
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import ElementWise, Embedded, TextClassifier

_STEPS = 50  # the paper's; of documents twice as long
_LONG_SHARE = 0.2  # of the documents that must be so long
_POWER_DOCUMENTS = 10_000
SANITY_DOCUMENTS = 200
_FEW_DOCUMENTS = 50  # of which figures are called uncertain


class Evaluation(Findings):
    """What was found about a model and its explanations, to be read and kept.

    The attributes are those of :class:`~whyword.evaluation.findings.Findings`.
    """

    def to_html(self, path: str | Path | None = None, title: str = "Evaluation") -> str:
        """Return a self-contained page with tables, curves and verdicts; given a path, write it."""
        return save_or_return("".join(evaluation_page(self, str(title))), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all figures as JSON; given a path, write them."""
        data = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return save_or_return(data + "\n", path)


def evaluate(
    model: object,
    texts: Iterable[str],
    labels: Iterable[Any],
    methods: Methods | None = None,
    *,
    train: Iterable[str] | None = None,
    source: str = "",
    steps: Steps | None = None,
    least_words: int | None = None,
    runs: int = 10,
    splits: int = 10,
    seed: int = 0,
    alpha: float = 0.05,
    on_progress: OnProgress | None = None,
) -> Evaluation:
    """Judge a model, and methods that explain it, on labelled texts.

    Accuracy and calibration; the three word-deletion experiments; explanatory power; whether the
    methods differ significantly; whether they depend on what the model has learned.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : iterable of str
        Not those it was trained on.
    labels : iterable
        The true classes; for a model that predicts several labels, a list of them for each text.
    methods : sequence of str, or mapping from name to str or callable, optional
        Of :func:`~whyword.explain`, "random_known", or functions that are called as
        ``method(model, texts, targets)`` and return relevances. By default the paper's, as far
        as the model is able to.
    train : iterable of str, optional
        The texts it was trained on: copies of them among `texts` are counted, and the accuracy
        without them is given, too.
    source : str
        Where the texts are from, for the report.
    steps : int or increasing list of int, optional
        How many words are deleted, or after which numbers of them the model is asked, as for
        :func:`~whyword.deletion_curve`; by default 50, the paper's number, or half the median
        length where few texts have 100 words.
    least_words : int, optional
        Delete from documents of at least so many words only; by default twice the last
        step.
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
    Evaluation
    """
    traced = as_classifier(model)
    several = strings("texts", texts)
    given = one_each("labels", labels, len(several))
    trained_on = None if train is None else strings("train", train)
    if not several:
        raise InputError("there are no texts to evaluate on")
    check_callable("on_progress", on_progress)
    if not isinstance(source, str | Path):
        raise InputError(Argument("source"), f" must be a str, not {type(source).__name__}")
    lengths = np.array([len(document) for document in traced.documents(several)])
    named = named_methods(compared_methods(model) if methods is None else methods)
    numbers = step_numbers(usual_steps(lengths) if steps is None else steps)
    least = 2 * int(numbers[-1]) if least_words is None else least_words
    settings = _Settings(
        methods=named,
        steps=plain_steps(numbers),
        least_words=whole_number("least_words", least),
        runs=whole_number("runs", runs),
        splits=whole_number("splits", splits, most=MOST_SPLITS),
        seed=whole_number("seed", seed, least=0),
        alpha=risk("alpha", alpha),
    )
    _check_able(traced, named)
    listener = ignore if on_progress is None else on_progress
    stages = _EvaluationStages(model, several, given, lengths, settings, listener)
    quality = stages.quality()
    copies = None if trained_on is None else stages.copies(trained_on, quality.accuracy)
    curves, powers = stages.deletions(), stages.powers()
    checks = stages.checks()
    return Evaluation(
        model=traced.identity,
        kind=traced.kind,
        classes=tuple(one.label for one in quality.classes),
        quality=quality,
        curves=curves,
        curve_comparisons={n: stages.compare(by_method) for n, by_method in curves.items()},
        powers=powers,
        power_comparisons=stages.compare(powers),
        checks=checks,
        remarks=stages.remarks,
        settings={"source": str(source), "documents": len(several), **settings.to_dict()},
        seconds=stages.durations(),
        copies=copies,
    )


def _check_able(model: TextClassifier, methods: Mapping[str, str | Explainer]) -> None:
    """Raise if the model cannot do what a stage will ask for, before the first one begins."""
    check_erasable(model)
    for method in methods.values():
        ranking_of(model, method, None, texts=0)
    if issubclass(model.trace_kind, Embedded) or isinstance(model, Trained):
        check_installed("evaluate", "scipy")


@dataclass(frozen=True)
class _Settings:
    """What is asked of an evaluation, checked; see :func:`evaluate`."""

    methods: dict[str, str | Explainer]
    steps: PlainSteps
    least_words: int
    runs: int
    splits: int
    seed: int
    alpha: float

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data: of the methods their names."""
        return vars(self) | {"methods": list(self.methods)}


def usual_steps(lengths: NDArray[np.int_]) -> int:
    """Return the paper's steps where enough documents are long, else half the median length."""
    if np.mean(lengths >= 2 * _STEPS) >= _LONG_SHARE:
        return _STEPS
    return max(1, min(_STEPS, int(np.median(lengths)) // 2))


class _EvaluationStages:
    """The stages of an evaluation, timed, with remarks on what could not be done."""

    def __init__(
        self,
        model: object,
        texts: list[str],
        labels: list[Any],
        lengths: NDArray[np.int_],
        settings: _Settings,
        on_progress: OnProgress,
    ) -> None:
        self.given, self.model = model, as_classifier(model)
        self.texts, self.labels = texts, labels
        self.of_words = np.flatnonzero(lengths > 1)  # the documents that have several
        self.settings, self.on_progress = settings, on_progress
        self.remarks: list[str] = []
        self.starts: list[tuple[str, float]] = []

    def begin(self, stage: str) -> None:
        self.starts.append((stage, time.perf_counter()))
        self.on_progress(Progress(stage))

    def durations(self) -> dict[str, float]:
        ends = [start for _, start in self.starts[1:]] + [time.perf_counter()]
        pairs = zip(self.starts, ends, strict=True)
        return {stage: round(end - start, 2) for (stage, start), end in pairs}

    def quality(self) -> ModelQuality | MultiLabelQuality:
        self.begin("the model")
        if len(self.texts) < _FEW_DOCUMENTS:
            self.remarks.append(f"All figures rest on {len(self.texts)} documents only.")
        quality: ModelQuality | MultiLabelQuality
        quality = model_quality(self.given, self.texts, self.labels)
        return quality

    def copies(self, train: list[str], accuracy: float) -> CopyQuality:
        self.begin("near copies")
        return copy_quality(self.given, train, self.texts, self.labels, accuracy)

    def deletions(self) -> dict[int, dict[str, DeletionCurve]]:
        self.begin("word deletion")
        settings, least = self.settings, self.settings.least_words
        experiments = deletion_curves(
            self.given,
            self.texts,
            self.labels,
            settings.methods,
            steps=settings.steps,
            least_words=least,
            runs=settings.runs,
            seed=settings.seed,
        )
        for number, experiment in EXPERIMENTS.items():
            if number not in experiments:
                why = nothing_to_start_from(experiment["subset"], least, len(self.texts))
                self.remarks.append(f"Word deletion {number} was left out: {why}.")
        for number, curves in experiments.items():
            first = next(iter(curves.values()))
            if first.n_documents < _FEW_DOCUMENTS:
                self.remarks.append(f"Word deletion {number} rests on {first.size} only.")
        return experiments

    def powers(self) -> dict[str, ExplanatoryPower]:
        if is_multilabel(self.model):
            self.remarks.append(
                "Explanatory power needs one class of each document, not several labels: it was "
                "left out."
            )
            return {}
        if not issubclass(self.model.trace_kind, Embedded):
            self.remarks.append("Explanatory power needs documents with vectors: it was left out.")
            return {}
        chosen = self._power_documents()
        if len(chosen) < 4:
            self.remarks.append("Explanatory power needs at least 4 documents of 2 words.")
            return {}
        texts, labels = ([one[n] for n in chosen] for one in (self.texts, self.labels))
        if len(set(class_numbers(labels_of(self.model), labels).tolist())) < 2:
            self.remarks.append(
                "Explanatory power needs documents of at least two classes: it was left out."
            )
            return {}
        neighbours = usual_neighbours(len(chosen))
        powers = {}
        for name, options in self._weightings(texts).items():
            self.begin(f"explanatory power: {name}")
            vectors = summarize(self.model, texts, **options)
            powers[name] = explanatory_power(
                vectors, labels, self.settings.splits, neighbours, seed=self.settings.seed
            )
        return powers

    def _power_documents(self) -> list[int]:
        """Return the numbers of the documents to tell apart; not more than are quickly compared."""
        chosen = self.of_words
        if len(chosen) > _POWER_DOCUMENTS:
            random = np.random.default_rng(self.settings.seed)
            chosen = np.sort(random.choice(chosen, _POWER_DOCUMENTS, replace=False))
            self.remarks.append(
                f"Explanatory power was measured on {_POWER_DOCUMENTS:,} documents, by chance."
            )
        return chosen.tolist()

    def _weightings(self, texts: list[str]) -> dict[str, dict[str, Any]]:
        """Return by name what :func:`~whyword.summarize` is to weigh the words by."""
        rows: dict[str, dict[str, Any]] = {}
        for name, method in self.settings.methods.items():
            if not isinstance(method, str):
                relevance = method(self.given, texts, highest_labels(self.model, texts))
                rows[name] = {"relevance": relevance}
            elif method in METHODS:
                if METHODS[method].element_sums and issubclass(self.model.trace_kind, ElementWise):
                    rows[f"{name} (ew)"] = {"method": method, "level": "element"}
                rows[name] = {"method": method}
                if method == RANDOM:
                    rows[name]["seed"] = self.settings.seed
        kind, others = self.model.trace_kind, reversed(list(WEIGHTINGS.items()))
        return rows | {name: {"method": name} for name, one in others if one.is_for(kind)}

    def checks(self) -> dict[str, list[SanityCheck]]:
        model, seed = self.model, self.settings.seed
        if not isinstance(model, Trained):
            self.remarks.append("Sanity checks need weights to shuffle: they were left out.")
            return {}
        if not len(self.of_words):
            return {}
        random = np.random.default_rng(seed)
        count = min(SANITY_DOCUMENTS, len(self.of_words))
        some = [self.texts[n] for n in random.choice(self.of_words, count, replace=False).tolist()]
        checks = {}
        for name, method in self.settings.methods.items():
            if method not in (RANDOM, RANDOM_KNOWN):
                self.begin(f"sanity: {name}")
                checks[name] = [
                    model_randomisation(model, some, method, layers=layer, seed=seed)
                    for layer in model.shuffled_layers
                ]
        return checks

    def compare(self, measured: Any) -> list[Comparison]:  # noqa: ANN401 - curves or powers
        if len(measured) < 2 or any(
            isinstance(one, ExplanatoryPower) and len(one.splits) < 2 for one in measured.values()
        ):
            return []
        return compare_all(measured, alpha=self.settings.alpha, seed=self.settings.seed)
