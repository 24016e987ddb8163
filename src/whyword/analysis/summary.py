"""Relevance to document vectors: what of the text's meaning served the class."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from whyword.base.checks import one_each, scipy_sparse, strings
from whyword.base.errors import InputError
from whyword.explanation.alignment import align
from whyword.explanation.passages import By, ranges
from whyword.methods.registry import Method, Settings, method_for
from whyword.methods.targets import PREDICTED, Target, target_of
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import ElementWise, Embedded, Rows, Targets, TextClassifier
from whyword.models.relevance import Relevance
from whyword.words.document import Document

# besides the methods of explain
WEIGHTINGS: Mapping[str, Callable[[Embedded], Relevance]] = {
    "uniform": lambda trace: trace.uniform(),
    "tfidf": lambda trace: trace.tfidf(),
}
LEVELS = ("word", "element")
_MOST_RELEVANCE = 1e30  # sums of it are still finite in float32


def summarize(
    model: object,
    texts: Iterable[str],
    method: str | None = None,
    level: str = "word",
    *,
    target: object = PREDICTED,
    targets: Iterable[Any] | None = None,
    relevance: Iterable[Any] | None = None,
    by: By = "document",
    **parameters: float | str,
) -> Any:  # noqa: ANN401 - an array or a sparse matrix
    """Return a vector for each document: its words' vectors, weighted by their relevance.

    Parameters
    ----------
    model : TextClassifier
        One whose documents have vectors: a network over word vectors, a bag of words.
    texts : iterable of str
    method : str, optional
        A method of :func:`~whyword.explain`, or "uniform" (the mean of the word vectors) or
        "tfidf" (each word by its rarity in the training texts).
    level : {"word", "element"}
        Weigh each word's vector by the word's relevance, Σ_t R[t]·x[t, i], or each element by
        its own, Σ_t R[t, i]·x[t, i] (networks; "lrp", "sensitivity", "gradient_input").
    target, targets, **parameters
        As for :func:`~whyword.explain`: one class per document, by default the predicted one.
    relevance : iterable, optional
        Somebody's relevances instead of a method's, one entry per text: a value for each word, a
        pair (spans, values) or an Explanation. See :func:`~whyword.explanation.alignment.align`.
    by : "document", "sentence", "paragraph" or int
        Vectors of passages instead of whole documents; a number n gives those of all n-grams.

    Returns
    -------
    (documents, D) float32 for a network; (documents, V) sparse, float32, for a bag of words
        Of passages, a list of one (passages, D) array, or sparse matrix, per document: those of
        :func:`~whyword.explanation.passages`, in their order.
    """
    if by != "document":
        predicted = isinstance(target, str) and target == PREDICTED
        if targets is not None or not predicted or relevance is not None:
            raise InputError("passages are summarised for the predicted class, by a method, only")
        return [
            _pool_passages(*summary_parts(model, text, method, level, **parameters), by)
            for text in strings("texts", texts)
        ]
    several = strings("texts", texts)
    given = None if relevance is None else one_each("relevance", relevance, len(several))
    rows = list(
        iter_summaries(
            model,
            several,
            method,
            level,
            target=target,
            targets=targets,
            relevance=given,
            **parameters,
        )
    )
    if not rows:  # an empty text tells how wide vectors are
        rows = [next(iter_summaries(model, [""], "uniform"))[:0]]
    if isinstance(rows[0], np.ndarray):
        return np.concatenate(rows)
    return scipy_sparse().vstack(rows, format="csr")


def iter_summaries(
    model: object,
    texts: Iterable[str],
    method: str | None = None,
    level: str = "word",
    *,
    target: object = PREDICTED,
    targets: Iterable[Any] | None = None,
    relevance: Iterable[Any] | None = None,
    **parameters: float | str,
) -> Iterator[Rows]:
    """Yield the vectors that :func:`summarize` returns, a block of documents at a time."""
    summary = _Summary.of(model, method, level, target, targets, parameters)
    if isinstance(texts, str):
        raise InputError("texts must be a list of strings, not one string")
    given = None if relevance is None else _GivenWeights(relevance)
    if given is not None and level != "word":
        raise InputError("relevance is given by word: there is level='word' only")
    if given is not None and (targets is not None or summary.target.columns is not None):
        raise InputError("relevance is given, so that there is no target to explain")
    return summary.rows(texts, given)


@dataclass(frozen=True, eq=False)
class _Summary:
    """How documents become vectors.

    Attributes
    ----------
    model : TextClassifier
    method : Method, or the name of a weighting
    settings : dict
        The method's parameters.
    level : str
    target : Target
    """

    model: TextClassifier
    method: Method | str
    settings: Settings
    level: str
    target: Target

    @classmethod
    def of(
        cls,
        model: object,
        method: str | None,
        level: str,
        target: object,
        targets: Iterable[Any] | None,
        parameters: Settings,
    ) -> "_Summary":
        """Return what makes sense; raise if it does not."""
        traced = as_classifier(model)
        kind = traced.trace_kind
        if not issubclass(kind, Embedded):
            raise InputError(
                "summaries, maps and search need a model whose documents have vectors, which one "
                f"of kind {traced.kind!r} has not; explain and class_words work with any"
            )
        if level not in LEVELS:
            raise InputError(f"level may be 'word' or 'element', not {level!r}")
        chosen: Method | str
        if method in WEIGHTINGS:
            name = chosen = str(method)
            settings, down = {}, False
            if parameters:
                raise InputError(f"{method!r} has no parameter {next(iter(parameters))!r}")
        else:
            chosen = method_for(kind, method)
            name = chosen.name
            settings, down = chosen.settings(kind, parameters), bool(chosen.element_sums)
        resolved = target_of(labels_of(traced), target, targets, None)
        if not resolved.single:
            raise InputError("a summary is for one class per document; name one, or say targets=")
        if level == "element" and not (down and issubclass(kind, ElementWise)):
            raise InputError(
                "level='element' needs a model of word vectors and a method that goes down to "
                f"their dimensions, not {name!r} of a model of kind {traced.kind!r}; say "
                "level='word'"
            )
        return cls(traced, chosen, settings, level, resolved)

    def rows(self, texts: Iterable[str], given: "_GivenWeights | None" = None) -> Iterator[Rows]:
        """Yield the vectors, a block of documents at a time."""
        for trace in self.model.trace(texts, elements=self.level == "element"):
            targets = self.target.numbers(trace.predicted)
            if given is not None:
                yield trace.summary(given(trace.documents))  # type: ignore[attr-defined]
            else:
                yield self._of_trace(trace, targets)

    def parts(self, text: str) -> tuple[Document, Rows]:
        """Return a text and what each of its words adds to its vector."""
        (trace,) = self.model.trace([text], elements=True)
        targets = self.target.numbers(trace.predicted)
        return trace.documents[0], self._of_trace(trace, targets, each=True)

    def _of_trace(self, trace: Any, targets: Targets, each: bool = False) -> Rows:  # noqa: ANN401 - of any ability
        if isinstance(self.method, str):
            return trace.summary(WEIGHTINGS[self.method](trace), each)
        if self.level == "element" and self.method.element_sums is not None:
            return self.method.element_sums(trace, targets, each, **self.settings)
        return trace.summary(self.method.compute(trace, targets, **self.settings), each)


class _GivenWeights:
    """Relevances that came from elsewhere, taken a block at a time."""

    def __init__(self, relevance: Iterable[Any]) -> None:
        if isinstance(relevance, str) or not isinstance(relevance, Iterable):
            kind = type(relevance).__name__
            raise InputError(f"relevance takes a list with one entry per text, not {kind}")
        self.remaining = iter(relevance)
        self.taken = 0

    def __call__(self, documents: Sequence[Document]) -> Relevance:
        """Return the next documents' relevances, a value for each word."""
        entries = list(islice(self.remaining, len(documents)))
        weights = align(entries, documents, self.taken)
        for number, values in enumerate(weights, self.taken):
            if np.abs(values).max(initial=0) > _MOST_RELEVANCE:
                raise InputError(f"relevance of document {number} is beyond ±{_MOST_RELEVANCE:g}")
        self.taken += len(documents)
        return Relevance([values[:, None] for values in weights], np.zeros((len(weights), 1)))


def _pool_passages(document: Document, parts: Any, by: By) -> Any:  # noqa: ANN401 - dense or sparse
    """Return the sums of the parts over each passage."""
    bounds = list(ranges(document, by))
    if isinstance(parts, np.ndarray):
        sums = [parts[first:last].sum(axis=0) for first, last in bounds]
        return np.array(sums, np.float32).reshape(len(bounds), parts.shape[1])
    chosen = [(row, word) for row, (a, b) in enumerate(bounds) for word in range(a, b)]
    rows, words = np.array(chosen, np.intp).reshape(-1, 2).T
    ones = np.ones(len(rows), np.float32)
    pool = scipy_sparse().csr_matrix((ones, (rows, words)), (len(bounds), parts.shape[0]))
    return (pool @ parts).tocsr()


# ---- one document, word by word ---------------------------------------------------------------


def summary_parts(
    model: object,
    text: str,
    method: str | None = None,
    level: str = "word",
    **parameters: float | str,
) -> tuple[Document, Rows]:
    """Return a text and what each of its words adds to its summary vector.

    Returns
    -------
    document : Document
        Of T words.
    parts : (T, D) float32, or (T, V) sparse
        They add up to ``summarize(model, [text], method, level)[0]``, but for features of a
        wrapped pipeline that have no place in the text.
    """
    return _Summary.of(model, method, level, PREDICTED, None, dict(parameters)).parts(text)
