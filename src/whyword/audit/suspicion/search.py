"""Suspects: what a model depends on, and perhaps should not have learned."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from whyword.audit.suspicion.candidates import LEAST, Labelled, candidates
from whyword.audit.suspicion.dependence import predictions_without
from whyword.audit.suspicion.documents import Documents, Known
from whyword.audit.suspicion.evidence import Evidence, gather_evidence
from whyword.audit.suspicion.examples import explain_examples
from whyword.audit.suspicion.found import Found
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.read import ReadDocuments, read_documents
from whyword.audit.suspicion.table import Suspects
from whyword.audit.suspicion.units import UnitGroups
from whyword.audit.suspicion.weighing import score_of, suspicion_of
from whyword.base.checks import check_callable, check_installed, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.corpus import Corpus
from whyword.evaluation.comparison import risk
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import Erasable
from whyword.models.store import training_fingerprint

STAGES = ("relevance", "evidence", "deletion", "examples")
MOST_ASKED = 200  # units that are tried of a model that has to be asked for each document


def suspects(
    model: object,
    corpus: Corpus,
    *,
    groups: str | Iterable[Any] | None = None,
    method: str | None = None,
    least_documents: int = LEAST,
    alpha: float = 0.05,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Suspects:
    """Find what a model depends on and perhaps should not have learned.

    Looked at are words, words that always come together, lines and pairs of words that come back,
    hosts of one domain and numbers of one form. For each it is said what relevance it carries,
    where and by whom it is written, what it looks like, and which predictions change when it is
    deleted everywhere; two tests say whether it is a habit of few and whether it carries over to
    held-out documents. Nothing here proves an artefact: a person decides.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    corpus : Corpus
        Its training part is what the model was trained on, its test part was held out; one of them
        may be empty, and there may be no labels: then less can be said.
    groups : str or iterable, optional
        Who wrote the training documents: the name of a column that the corpus kept ("author"), or
        a value for each training document. By default the first column kept that says anything;
        where there is none, documents that are near copies of one another are a group.
    method : str, optional
        Of :func:`~whyword.explain`; by default the best for the model.
    least_documents : int
        In how many documents a thing must stand.
    alpha : float
        Of the tests, after Benjamini and Hochberg's correction.
    seed : int
        Of random orders of documents.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress`.

    Returns
    -------
    Suspects

    Examples
    --------
    ::

        found = suspects(model, load_corpus("mails.csv"))
        found[0].name, found[0].verdict
        found.to_csv("suspects.csv")
    """
    check_callable("on_progress", on_progress)
    least = whole_number("least_documents", least_documents)
    level, start = risk("alpha", alpha), whole_number("seed", seed, least=0)
    check_installed("evaluate", "scipy")
    request, documents = search_inputs(model, corpus, groups, method)
    report = ignore if on_progress is None else on_progress
    return _Search(request, documents, least, level, start, report).result(corpus.name)


def search_inputs(
    model: object, corpus: Corpus, groups: str | Iterable[Any] | None, method: str | None
) -> tuple[Request, Documents]:
    """Return how a model is asked and about which documents; raise if no suspects can be found."""
    if not isinstance(corpus, Corpus):
        raise InputError(
            Argument("corpus"),
            f" must be a Corpus, of load_corpus, not {type(corpus).__name__}",
        )
    request = Request.of(model, PREDICTED, method)
    if is_multilabel(request.model):
        raise InputError(
            "suspects are of models that predict one class of each text; this one predicts several "
            "labels"
        )
    if not issubclass(request.model.trace_kind, Erasable):
        raise InputError(
            f"words cannot be taken out of the texts of a model of kind {request.model.kind!r}"
        )
    if not len(corpus):
        raise InputError(f"there are no documents in {corpus.name}")
    return request, Documents.of(corpus, request.target.labels, groups)


def units_of(found: Occurrences, known: Known, n_classes: int, least: int) -> UnitGroups:
    """Return all that may be suspected in some documents, and where it stands."""
    trained = np.where(known.is_train, known.classes, -1)
    return UnitGroups.of(candidates(found, Labelled(trained, n_classes), least), found)


@dataclass(eq=False)
class _Search:
    """The stages of a search, timed."""

    request: Request
    documents: Documents
    least: int
    alpha: float
    seed: int
    on_progress: OnProgress

    def result(self, source: str) -> Suspects:
        starts = [time.perf_counter()]
        classes = self.request.target.labels
        read = read_documents(self.request, self.documents.texts, self.on_progress, "relevance")
        starts.append(time.perf_counter())
        self.on_progress(Progress("evidence"))
        documents = self.documents.with_copies(read.occurrences.documents)
        known = documents.known
        units = units_of(read.occurrences, known, len(classes), self.least)
        evidence = gather_evidence(read, units, known, len(classes), self.seed)
        count, fit = len(units.units), int((evidence.documents >= self.least).sum())
        units, evidence = self._fit(read, units, evidence)
        starts.append(time.perf_counter())
        without = predictions_without(
            self.request.model, read.occurrences.documents, units, self.on_progress, "deletion"
        )
        rows = Found(read, units, known, evidence, without).rows(classes, self.alpha)
        starts.append(time.perf_counter())
        self.on_progress(Progress("examples"))
        examples = explain_examples(self.request, rows, documents)
        starts.append(time.perf_counter())
        held_out = ~known.is_train & (known.classes >= 0)
        right = read.predicted[held_out] == known.classes[held_out]
        return Suspects(
            rows=rows,
            classes=tuple(classes),
            n_units=count,
            n_train=int(known.is_train.sum()),
            n_held_out=int((~known.is_train).sum()),
            accuracy=float(right.mean()) if len(right) else None,
            remarks=[*documents.remarks, *self._remarks(count, fit)],
            settings={
                "source": source,
                "model": self.request.model.identity,
                "method": self.request.method.name,
                "groups": documents.groups,
                "least_documents": self.least,
                "alpha": self.alpha,
                "seed": self.seed,
            },
            seconds={
                stage: round(end - start, 2)
                for stage, start, end in zip(STAGES, starts[:-1], starts[1:], strict=True)
            },
            examples=examples,
        )

    def _fit(
        self, read: ReadDocuments, units: UnitGroups, evidence: Evidence
    ) -> tuple[UnitGroups, Evidence]:
        """Return the units that speak for their class in enough documents; few of a slow model.

        Those that are suspicious already, the worst first; without suspicion, whatever is deleted,
        the score of a unit is zero. If they are few, those with most relevance, too.
        """
        wanted = evidence.documents >= self.least
        if self.request.model.trace_kind.predicts_anew and wanted.sum() > MOST_ASKED:
            suspicion = suspicion_of(evidence, units.units, self.alpha).whole
            scores = score_of(suspicion, evidence.carried)
            order = np.lexsort((-evidence.carried, -scores, ~wanted))
            wanted = np.zeros_like(wanted)
            wanted[order[:MOST_ASKED]] = True
        return units.chosen(wanted, read.occurrences), evidence.chosen(wanted)

    def _remarks(self, count: int, fit: int) -> Iterable[str]:
        if fit > MOST_ASKED and self.request.model.trace_kind.predicts_anew:
            yield (
                "The model has to be asked for every text without a word: "
                f"{MOST_ASKED} of {count:,} "
                "words, lines, pairs and patterns were tried, the most suspicious ones."
            )
        if training_fingerprint(self.request.model) is None:
            yield (
                "What the model was trained on is not known to it: the corpus's training part is "
                "taken for that. If it has seen the others, too, they are no held-out documents."
            )
