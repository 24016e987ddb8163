"""Relevance to document vectors: what of the text's meaning served the class."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from whyword.analysis.rows import stack, sums_over
from whyword.analysis.weighting import (
    ELEMENT,
    WORD,
    ByWord,
    GivenRelevance,
    Sums,
    Weighting,
    weighting_of,
)
from whyword.base.checks import one_each, strings
from whyword.base.errors import Argument, InputError
from whyword.explanation.passages import By, check_by, ranges
from whyword.methods.explain import check_texts
from whyword.methods.targets import PREDICTED, Target, target_of
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import Embedded, Rows, TextClassifier, Trace


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
    summarizer = Summarizer.of(model, method, level, parameters)
    if not isinstance(by, str) or by != "document":
        check_by(by)
        predicted = isinstance(target, str) and target == PREDICTED
        if targets is not None or not predicted or relevance is not None:
            raise InputError("passages are summarised for the predicted class, by a method, only")
        return list(summarizer.passages(strings("texts", texts), by))
    several = strings("texts", texts)
    given = None if relevance is None else one_each("relevance", relevance, len(several))
    each = None if targets is None else one_each("targets", targets, len(several))
    asked = summarizer.for_target(target, each).weighted_by(given)
    return stack(list(asked.rows(several)) or [summarizer.no_rows()])


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
    summarizer = Summarizer.of(model, method, level, parameters).for_target(target, targets)
    return summarizer.weighted_by(relevance).rows(check_texts(texts))


class SummaryBlock(NamedTuple):
    """The summaries of some documents.

    Attributes
    ----------
    trace : Trace
    sums : callable
        See :meth:`~whyword.analysis.weighting.Weighting.sums`.
    """

    trace: Trace
    sums: Sums

    def vectors(self) -> Rows:
        """Return a vector for each document, (n, D)."""
        return self.sums(False)

    def parts(self) -> Iterator[Rows]:
        """Yield for each document of T words what each adds to its vector, (T, D).

        They add up to the vector, but for features of a wrapped pipeline that have no place in the
        text.
        """
        rows, end = self.sums(True), 0
        for document in self.trace.documents:
            start, end = end, end + len(document)
            yield rows[start:end]


@dataclass(frozen=True, eq=False)
class Summarizer:
    """How documents become vectors.

    Attributes
    ----------
    model : TextClassifier
    weighting : Weighting
    target : Target
    """

    model: TextClassifier
    weighting: Weighting
    target: Target

    @classmethod
    def of(
        cls, model: object, method: str | None, level: str, parameters: Mapping[str, Any]
    ) -> "Summarizer":
        """Return what makes sense, for the predicted class; raise if it does not."""
        traced = as_classifier(model)
        if not issubclass(traced.trace_kind, Embedded):
            raise InputError(
                "summaries, maps and search need a model whose documents have vectors, which one "
                f"of kind {traced.kind!r} has not; explain and class_words work with any"
            )
        weighting = weighting_of(traced, method, level, dict(parameters))
        return cls(traced, weighting, target_of(labels_of(traced)))

    def for_target(self, target: object, targets: Iterable[Any] | None) -> "Summarizer":
        """Return the same for one class per document; see :func:`~whyword.explain`."""
        resolved = target_of(labels_of(self.model), target, targets)
        if not resolved.single:
            raise InputError(
                "a summary is for one class per document; name one, or say ",
                Argument("targets", ...),
            )
        return replace(self, target=resolved)

    def weighted_by(self, relevance: Iterable[Any] | None) -> "Summarizer":
        """Return the same with somebody's relevance, if there is any, instead of a method's."""
        if relevance is None:
            return self
        given = GivenRelevance(relevance)
        if self.weighting.level != WORD:
            raise InputError(
                Argument("relevance"),
                " is given by word: there is ",
                Argument("level", WORD),
                " only",
            )
        if self.target.each is not None or self.target.columns is not None:
            raise InputError(
                Argument("relevance"), " is given, so that there is no target to explain"
            )
        return replace(self, weighting=ByWord(given))

    def blocks(self, texts: Iterable[str], each: bool = False) -> Iterator[SummaryBlock]:
        """Yield the summaries of the texts, some documents at a time.

        Parameters
        ----------
        texts : iterable of str
        each : bool
            Whether what single words add will be asked for; it takes more room.
        """
        for trace in self.model.trace(texts, elements=each or self.weighting.level == ELEMENT):
            targets = self.target.numbers(trace.predicted, trace.scores)
            yield SummaryBlock(trace, self.weighting.sums(trace, targets))

    def rows(self, texts: Iterable[str]) -> Iterator[Rows]:
        """Yield the documents' vectors, a block at a time."""
        return (block.vectors() for block in self.blocks(texts))

    def no_rows(self) -> Rows:
        """Return the vectors of no documents: (0, D). An empty text tells how wide they are."""
        (trace,) = self.model.trace([""])
        vectors: Rows = trace.summary(trace.uniform())  # type: ignore[attr-defined]
        return vectors[:0]

    def passages(self, texts: Iterable[str], by: By) -> Iterator[Rows]:
        """Yield for each text the vectors of its passages, (passages, D)."""
        for block in self.blocks(texts, each=True):
            for document, parts in zip(block.trace.documents, block.parts(), strict=True):
                yield sums_over(parts, list(ranges(document, by)))
