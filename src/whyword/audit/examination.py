"""One of several models, examined on the documents that all of them are asked about."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.summary import summarize
from whyword.audit.rows import DELETION, EXPLANATION, POWER, SIZE, ModelRow, Times
from whyword.audit.word_agreement import WordRelevance, word_relevances
from whyword.base.labels import Label
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.deletion import deletion_curves
from whyword.evaluation.experiment import EXPERIMENTS, nothing_to_start_from
from whyword.evaluation.power import ExplanatoryPower, explanatory_power, usual_neighbours
from whyword.evaluation.quality import classes_quality, labels_quality
from whyword.evaluation.ranking import RANDOM
from whyword.evaluation.significance import share_interval
from whyword.evaluation.steps import PlainSteps
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_answers
from whyword.methods.predict import predicted_matrix, probabilities_of
from whyword.methods.registry import METHODS, method_for
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED, class_numbers, label_matrix
from whyword.models.abilities import Weighed
from whyword.models.blackbox import labels_of
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import ElementWise, Embedded, Erasable, TextClassifier

FEWEST = 4  # documents that halves can be made of


@dataclass(frozen=True)
class Settings:
    """What is asked of a comparison, checked; see :func:`~whyword.compare_models`."""

    method: str | None
    deletion_documents: int
    power_documents: int
    steps: PlainSteps
    least_words: int
    runs: int
    splits: int
    seed: int
    alpha: float

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """The documents that all models are asked about.

    Attributes
    ----------
    texts : list of n str
    labels : list of n labels, or lists of them
    ids : list of n str
        What they are called.
    classes : list of C labels
        In the comparison's order.
    sample : list of int
        The documents whose words are deleted, and compared.
    long_enough : bool
        Whether every model finds as many words in them as are needed to delete some.
    power_sample : list of int
        Those that are told apart by their vectors.
    """

    texts: list[str]
    labels: list[Any]
    ids: list[str]
    classes: list[Label]
    sample: list[int]
    long_enough: bool
    power_sample: list[int]


class Examination:
    """A model, and what is found out about it.

    Parameters
    ----------
    name : str
    model : TextClassifier
    documents : LabelledTexts
        The labels are checked.
    settings : Settings
    """

    def __init__(
        self, name: str, model: TextClassifier, documents: LabelledTexts, settings: Settings
    ) -> None:
        self.name, self.model, self.settings, self.documents = name, model, settings, documents
        self.several = is_multilabel(model)
        self.lacks: dict[str, str] = {}
        self.labels = labels_of(model)
        names = [str(label) for label in documents.classes]
        self.numbers = np.array([names.index(str(label)) for label in self.labels], np.intp)
        find_numbers = label_matrix if self.several else class_numbers
        self.truth: NDArray[Any] = find_numbers(self.labels, documents.labels)
        chosen = method_for(model.trace_kind, settings.method)
        self.method = chosen.name if chosen.is_for(model.trace_kind) else None
        if self.method is None:
            self.lacks[EXPLANATION] = f"{chosen.name!r} is not for a model of kind {model.kind!r}"

    def predict(self) -> None:
        """Predict all documents."""
        model, texts = self.model, self.documents.texts
        if self.several:
            said = predicted_matrix(model, texts)
            self.quality: Any = labels_quality(self.labels, self.truth, said)
            self.right = (said == self.truth).all(axis=1)
            self.predicted: NDArray[Any] = np.zeros_like(said)
            self.predicted[:, self.numbers] = said
            return
        chances = probabilities_of(model, texts)
        self.quality = classes_quality(self.labels, self.truth, chances)
        best = chances.argmax(axis=1)
        self.right, self.predicted = best == self.truth, self.numbers[best]

    def deletions(self) -> dict[int, dict[str, DeletionCurve]]:
        """Return what becomes of the sampled documents while words go, by experiment."""
        if self.method is None or not issubclass(self.model.trace_kind, Erasable):
            unable = f"words cannot be taken from documents of kind {self.model.kind!r}"
            self.lacks[DELETION] = self.lacks.get(EXPLANATION, unable)
            return {}
        settings, chosen = self.settings, self.documents.sample
        if not self.documents.long_enough:
            words = f"{settings.least_words} word{'s' * (settings.least_words > 1)}"
            self.lacks[DELETION] = f"in none of the texts every model finds at least {words}"
            return {}
        curves = deletion_curves(
            self.model,
            [self.documents.texts[n] for n in chosen],
            [self.documents.labels[n] for n in chosen],
            dict.fromkeys((self.method, RANDOM)).keys(),
            steps=settings.steps,
            least_words=settings.least_words,
            runs=settings.runs,
            seed=settings.seed,
            sufficiency=False,
        )
        for number, experiment in EXPERIMENTS.items():
            if number not in curves:
                why = nothing_to_start_from(experiment["subset"], settings.least_words, len(chosen))
                self.lacks[f"{DELETION} {number}"] = why
        return curves

    def powers(self) -> tuple[ExplanatoryPower | None, ExplanatoryPower | None]:
        """Return the explanatory power by the method, and with the same weight for all words."""
        kind = self.model.trace_kind
        if self.several:
            self.lacks[POWER] = "it needs one class of each document, not several labels"
        elif not issubclass(kind, Embedded):
            self.lacks[POWER] = f"documents of kind {self.model.kind!r} have no vectors"
        elif len(self.documents.power_sample) < FEWEST:
            self.lacks[POWER] = f"it needs at least {FEWEST} documents of 2 words"
        elif len(np.unique(self.truth[self.documents.power_sample])) < 2:
            self.lacks[POWER] = "it needs documents of at least two classes"
        if POWER in self.lacks:
            return None, None
        uniform = self._power("uniform", "word")
        if self.method is None:
            self.lacks[POWER] = self.lacks[EXPLANATION]
            return None, uniform
        elements = METHODS[self.method].element_sums is not None and issubclass(kind, ElementWise)
        return self._power(self.method, "element" if elements else "word"), uniform

    def _power(self, method: str, level: str) -> ExplanatoryPower:
        chosen = self.documents.power_sample
        vectors = summarize(self.model, [self.documents.texts[n] for n in chosen], method, level)
        classes = self.documents.classes
        return explanatory_power(
            vectors,
            [classes[number] for number in self.numbers[self.truth[chosen]].tolist()],
            self.settings.splits,
            usual_neighbours(len(chosen)),
            seed=self.settings.seed,
        )

    def relevances(self) -> dict[int, WordRelevance]:
        """Return the relevance of words for the true class, of sampled documents that are right.

        Of a document with several labels it is for the first of them, in the comparison's order.
        """
        if self.method is None:
            return {}
        targets = {n: self._target(n) for n in self.documents.sample if self.right[n]}
        wanted = {n: target for n, target in targets.items() if target is not None}
        texts = [self.documents.texts[n] for n in wanted]
        found = word_relevances(self.model, texts, list(wanted.values()), self.method)
        return dict(zip(wanted, found, strict=True))

    def explanations(self, numbers: Sequence[int]) -> dict[int, Explanation]:
        """Return why the model predicts what it does of some documents, by their numbers."""
        if self.method is None or not numbers:
            return {}
        explained = iter_answers(
            Request.of(self.model, PREDICTED, self.method),
            [self.documents.texts[number] for number in numbers],
            ids=[self.documents.ids[number] for number in numbers],
        )
        return dict(zip(numbers, explained, strict=True))

    def _target(self, document: int) -> Label | None:
        """Return the model's own label for what is true of a document; None if nothing is."""
        if not self.several:
            return self.labels[int(self.truth[document])]
        true: Sequence[int] = np.flatnonzero(self.truth[document]).tolist()
        return self.labels[min(true, key=lambda n: int(self.numbers[n]))] if true else None

    def row(
        self,
        powers: tuple[ExplanatoryPower | None, ExplanatoryPower | None],
        curves: dict[int, dict[str, DeletionCurve]],
        times: Times,
    ) -> ModelRow:
        """Return all that was found."""
        size = self.model.n_bytes if isinstance(self.model, Weighed) else None
        if size is None:
            self.lacks[SIZE] = "how large it is, it does not say"
        right = int(self.right.sum())
        return ModelRow(
            name=self.name,
            model=self.model.identity,
            kind=self.model.kind,
            numbers=self.numbers,
            predicted=self.predicted,
            right=self.right,
            quality=self.quality,
            interval=share_interval(right, len(self.right), self.settings.alpha),
            method=self.method,
            power=powers[0],
            uniform=powers[1],
            curves=curves,
            times=times,
            n_bytes=size,
            lacks=self.lacks,
        )
