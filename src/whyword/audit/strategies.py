"""The ways in which documents of one class are recognised: clusters of their relevance."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.rows import lengths_of, unit_vectors
from whyword.analysis.summary import Summarizer, summarize
from whyword.analysis.weighting import LEVELS, WORD
from whyword.audit.clusters import Clustering, find_clusters
from whyword.audit.components import principal_components
from whyword.audit.strategy import Strategy, strategy_words
from whyword.audit.strategy_table import Strategies
from whyword.audit.word_shares import WordShares, share_on
from whyword.base.checks import check_callable, one_each, one_of, strings, whole_number
from whyword.base.errors import InputError
from whyword.base.printable import shown
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.evaluation.significance import share_interval
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_explanations
from whyword.methods.registry import Settings
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED, class_number, class_numbers, label_matrix
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import MultiLabel, is_multilabel
from whyword.models.protocol import Embedded, Rows, TextClassifier
from whyword.words.ignored import Ignored

FEWEST = 30  # documents that are worth being divided
DOCUMENTS, MOST = 2_000, 8
_MOST_DOCUMENTS, _MOST_CLUSTERS = 20_000, 50
_DIMENSIONS = 50  # of the vectors that are clustered
_TYPICAL = 10
_ALPHA = 0.05
_SHORTEST = 1e-30  # length of a vector that can be scaled to 1 in float32
_EVERY = 50  # documents after which progress is said


def strategies(
    model: object,
    texts: Iterable[str],
    target: object,
    labels: Iterable[Any] | None = None,
    *,
    ids: Iterable[Any] | None = None,
    suspects: Iterable[str] | None = None,
    documents: int = DOCUMENTS,
    most: int = MOST,
    method: str | None = None,
    level: str = WORD,
    seed: int = 0,
    on_progress: OnProgress | None = None,
    **parameters: float | str,
) -> Strategies:
    """Return the different ways in which documents are recognised as a class.

    The documents that the model gives the class are clustered by their relevance for it: documents
    are alike if the same words, or words of like meaning, speak for the class. There are as many
    clusters as other documents confirm, perhaps one: see
    :func:`~whyword.audit.clusters.find_clusters`.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : iterable of str
        Of any classes; at least 30 of them must be given the target.
    target : label
        The class; of a model that predicts several labels, one of them.
    labels : iterable, optional
        The true classes (of several labels a list for each text): each strategy has an accuracy
        then.
    ids : iterable, optional
        Names of the texts, instead of their numbers.
    suspects : iterable of str, optional
        Words that should not matter: each strategy says what of its relevance lies on them, and is
        marked if that is at least two fifths.
    documents : int
        Look at so many documents at most, chosen by chance.
    most : int
        The most clusters that are tried.
    method, **parameters
        As for :func:`~whyword.explain`.
    level : {"word", "element"}
        Of :func:`~whyword.summarize`, whose vectors are clustered. Of a model whose documents have
        no vectors (a black box), the words' relevance itself is.
    seed : int
        Of all that is by chance.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress`.

    Returns
    -------
    Strategies

    Examples
    --------
    ::

        found = strategies(model, texts, "sci.space", labels)
        found[0].words, found[0].accuracy
        found.to_html("sci.space.html")
    """
    traced = as_classifier(model)
    several = strings("texts", texts)
    classes = labels_of(traced)
    column = class_number(classes, target)
    truth = None if labels is None else _truth(traced, labels, len(several), column)
    names = None if ids is None else [str(one) for one in one_each("ids", ids, len(several))]
    suspected = None if suspects is None else Ignored(strings("suspects", suspects), "suspects")
    limit = whole_number("documents", documents, FEWEST, _MOST_DOCUMENTS)
    most = whole_number("most", most, most=_MOST_CLUSTERS)
    seed = whole_number("seed", seed, least=0)
    check_callable("on_progress", on_progress)
    if len(several) < FEWEST:
        raise InputError(
            f"strategies need at least {FEWEST} texts that are given the class, and there are "
            f"{len(several)} in all"
        )
    request = Request.of(traced, PREDICTED, method, parameters=parameters)
    embedded = _check_level(traced, request, level, parameters)
    study = _Study(traced, several, names, column, method, parameters, on_progress or ignore)
    given = study.given()
    chosen = given
    if len(given) > limit:
        chosen = np.sort(np.random.default_rng(seed).choice(given, limit, replace=False))
    return study.result(
        chosen,
        len(given),
        level if embedded else None,
        truth,
        suspected,
        {"method": request.method.name, "level": level, "most": most, "seed": seed},
    )


def _truth(
    model: TextClassifier, labels: Iterable[Any], count: int, column: int
) -> NDArray[np.bool_]:
    """Return whether each text is of the class in truth, (texts,)."""
    each, classes = one_each("labels", labels, count), labels_of(model)
    if is_multilabel(model):
        return label_matrix(classes, each)[:, column]
    return np.asarray(class_numbers(classes, each) == column, np.bool_)


def _check_level(model: TextClassifier, request: Request, level: str, parameters: Settings) -> bool:
    """Return whether documents have vectors; raise unless there are any of the level."""
    one_of("level", level, LEVELS)
    if level == WORD and not issubclass(model.trace_kind, Embedded):
        return False
    Summarizer.of(model, request.method.name, level, parameters)
    return True


class _Study:
    """The stages, each said as it begins."""

    def __init__(
        self,
        model: TextClassifier,
        texts: list[str],
        ids: list[str] | None,
        column: int,
        method: str | None,
        parameters: Settings,
        on_progress: OnProgress,
    ) -> None:
        self.model, self.texts, self.ids, self.column = model, texts, ids, column
        self.label = labels_of(model)[column]
        self.options: dict[str, Any] = {"method": method, **parameters}
        self.on_progress = on_progress

    def begin(self, number: int, stage: str, n_documents: int | None = None) -> None:
        self.on_progress(Progress(stage, number=number, total=4, n_documents=n_documents))

    def given(self) -> NDArray[np.intp]:
        """Return the numbers of the texts that the model gives the class; raise if too few."""
        self.begin(1, "predictions")
        said, done = [np.empty(0, np.bool_)], 0
        for trace in self.model.trace(self.texts):
            best = trace.predicted_from(done)  # raises where there is no score
            chosen = best == self.column
            if isinstance(trace, MultiLabel):
                chosen = trace.labels_predicted[:, self.column]
            said.append(chosen)
            done += len(trace)
        given = np.flatnonzero(np.concatenate(said))
        self.check_enough(len(given), f"of the {len(self.texts):,} texts are given")
        return given

    def check_enough(self, count: int, what: str) -> None:
        if count < FEWEST:
            raise InputError(
                f"{count:,} {what} {shown(self.label)}; strategies need at least {FEWEST}"
            )

    def result(
        self,
        chosen: NDArray[np.intp],
        n_given: int,
        level: str | None,
        truth: NDArray[np.bool_] | None,
        suspects: Ignored | None,
        settings: dict[str, Any],
    ) -> Strategies:
        explanations = list(self.explanations(chosen))
        shares = WordShares.of(explanations)
        rows = shares.vectors() if level is None else self.summaries(chosen, level)
        lengths = lengths_of(rows)
        kept = np.flatnonzero((lengths > _SHORTEST) & np.isfinite(lengths))
        self.check_enough(len(kept), "texts have words that speak for or against")
        remarks = self.remarks(len(chosen), n_given, len(kept))
        if len(kept) < len(chosen):
            chosen, explanations = chosen[kept], [explanations[n] for n in kept.tolist()]
            shares = WordShares.of(explanations)
        seed = settings["seed"]
        components = principal_components(unit_vectors(rows[kept]), _DIMENSIONS, seed)
        points = components.points
        found = find_clusters(
            points, settings["most"], seed, lambda number: self.begin(4, f"{number} clusters")
        )
        return Strategies(
            target=self.label,
            strategies=self.rows(found, points, chosen, explanations, shares, truth, suspects),
            documents=chosen,
            groups=found.groups + 1,
            points=_plane(points),
            plane_share=float(components.shares[:2].sum()),
            strengths=found.strengths,
            explanations=explanations,
            remarks=remarks,
            settings=settings
            | {
                "texts": len(self.texts),
                "given": n_given,
                "variance_kept": round(float(components.shares.sum()), 4),
                "scatter": found.scatter,
                "reference_scatter": found.reference,
            },
        )

    def explanations(self, chosen: NDArray[np.intp]) -> Iterator[Explanation]:
        texts = [self.texts[number] for number in chosen.tolist()]
        names = None if self.ids is None else [self.ids[number] for number in chosen.tolist()]
        every = [self.label] * len(texts)
        found = iter_explanations(self.model, texts, targets=every, ids=names, **self.options)
        for number, one in enumerate(found):
            if number % _EVERY == 0:
                self.begin(2, "explanations", number)
            yield one

    def summaries(self, chosen: NDArray[np.intp], level: str) -> Rows:
        self.begin(3, "vectors")
        texts = [self.texts[number] for number in chosen.tolist()]
        every = [self.label] * len(texts)
        return summarize(self.model, texts, level=level, targets=every, **self.options)

    def remarks(self, chosen: int, given: int, kept: int) -> list[str]:
        remarks = []
        if chosen < given:
            remarks.append(f"{chosen:,} of the {given:,} documents were looked at, by chance.")
        if kept < chosen:
            remarks.append(f"{chosen - kept:,} documents without any relevance were left out.")
        return remarks

    def rows(
        self,
        found: Clustering,
        points: NDArray[np.float64],
        chosen: NDArray[np.intp],
        explanations: Sequence[Explanation],
        shares: WordShares,
        truth: NDArray[np.bool_] | None,
        suspects: Ignored | None,
    ) -> list[Strategy]:
        words = strategy_words(shares, found.groups, found.count)
        scores = np.array([one.score for one in explanations], np.float64)
        suspected = None
        if suspects is not None:
            suspected = np.array([share_on(one, suspects) for one in explanations])
        result = []
        for group, (own, distinct) in enumerate(words):
            members = np.flatnonzero(found.groups == group)
            distances = ((points[members] - found.centres[group]) ** 2).sum(axis=1)
            nearest = members[np.argsort(distances, kind="stable")[:_TYPICAL]]
            right = None if truth is None else int(truth[chosen[members]].sum())
            size = len(members)
            result.append(
                Strategy(
                    number=group + 1,
                    n_documents=size,
                    share=size / len(chosen),
                    words=own,
                    distinct=distinct,
                    typical=chosen[nearest].tolist(),
                    score=float(scores[members].mean()),
                    accuracy=None if right is None else right / size,
                    interval=None if right is None else share_interval(right, size, _ALPHA),
                    on_suspects=None if suspected is None else float(suspected[members].mean()),
                )
            )
        return result


def _plane(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first two components, (n, 2); where there is one only, the other is 0."""
    plane = np.zeros((len(points), 2))
    plane[:, : points.shape[1]] = points[:, :2]
    return plane
