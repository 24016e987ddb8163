"""What if a model had not read some words: the same weights, no training."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whyword.audit.what_if_result import WhatIf
from whyword.base.checks import check_callable, check_installed, one_each, strings
from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.evaluation.comparison import risk
from whyword.evaluation.quality import classes_quality, labels_quality
from whyword.methods.predict import predicted_matrix, probabilities_of
from whyword.methods.targets import class_numbers, label_matrix
from whyword.models.abilities import Reading
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import TextClassifier
from whyword.words.document import Document
from whyword.words.ignored import Ignored

Unread: TypeAlias = NDArray[np.int32]


def without(model: object, words: Iterable[str]) -> Any:  # noqa: ANN401 - of the model's own kind
    """Return the model as it is when it does not read some words: they are deleted everywhere.

    It has the same weights, and an identity of its own; :func:`~whyword.explain` and all others
    take it. A network sees zeros in the words' places, a bag of words is made without them, a
    PyTorch module's ``deletion`` says what it sees. A model that was *trained* with
    ``Reader(ignore=words)`` reads in just this way.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    words : iterable of str
        Words, whatever their case; phrases (``"gordon banks"``: these words in a row); between
        slashes, patterns of whole words. As for ``ignore`` of a :class:`~whyword.Reader`.

    Returns
    -------
    model of the same kind
    """
    return _without(as_classifier(model), _entries(words))


def _entries(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words to take away, checked."""
    entries = Ignored(strings("words", words), "words").entries
    if not entries:
        raise InputError(Argument("words"), " names no word to take away")
    return entries


def _without(model: TextClassifier, entries: Iterable[str]) -> TextClassifier:
    if not isinstance(model, Reading):
        raise InputError(
            f"a model of kind {model.kind!r:.60} finds its words itself: none can be taken away "
            "from what it reads"
        )
    reader = model.reader_
    return model.with_reader(replace(reader, ignore=[*reader.ignore, *entries]))


def what_if(
    model: object,
    words: Iterable[str],
    texts: Iterable[str],
    labels: Iterable[Any] | None = None,
    *,
    before: ArrayLike | None = None,
    alpha: float = 0.05,
    on_progress: OnProgress | None = None,
) -> WhatIf:
    """Return what becomes of a model's predictions when it does not read some words.

    All texts are predicted as they are, unless that is known. Those that hold one of the words are
    predicted again by the model :func:`without` them; the others cannot change.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    words : iterable of str
        As for :func:`without`.
    texts : iterable of str
    labels : iterable, optional
        The true class of each text; for a model that predicts several labels, a list for each.
        Without them it is said what changed, but not whether that is right.
    before : (texts, C) array, optional
        What the model says of the texts, where that is known already: the probabilities; of a model
        that predicts several labels, which are predicted.
    alpha : float
        Of the intervals and of McNemar's test.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress` before each text; what it raises
        ends the work.

    Returns
    -------
    WhatIf
    """
    asked, entries = as_classifier(model), _entries(words)
    level = risk("alpha", alpha)
    several = strings("texts", texts)
    given = None if labels is None else one_each("labels", labels, len(several))
    if not several:
        raise InputError("there are no texts to predict")
    names = labels_of(asked)
    multilabel = is_multilabel(asked)
    check_callable("on_progress", on_progress)
    report = ignore if on_progress is None else on_progress
    truth: NDArray[Any] | None = None
    if given is not None:
        check_installed("evaluate", "scipy")
        truth = (label_matrix if multilabel else class_numbers)(names, given)
    other = _without(asked, entries)
    ask: Any = predicted_matrix if multilabel else probabilities_of
    if before is None:
        unread: list[Unread] = []
        read = asked.documents(_reported(several, "predicting", report))
        said: NDArray[Any] = ask(asked, _noting_unread(read, unread))
        holding = _Holding(unread)
    else:
        said = _known(before, (len(several), len(names)), np.bool_ if multilabel else np.float64)
        holding = _Holding(document.unread for document in asked.documents(several))
    again = other.documents(_reported(several, "predicting again", report))
    anew = ask(other, holding.among(again))
    documents = np.array(holding.numbers, np.intp)
    changed = said.copy()
    changed[documents] = anew
    qualities = None
    if truth is not None:
        judge: Any = labels_quality if multilabel else classes_quality
        qualities = judge(names, truth, said), judge(names, truth, changed)
    return WhatIf(
        words=entries,
        classes=tuple(names),
        documents=documents,
        before=said if multilabel else said.argmax(axis=1),
        after=changed if multilabel else changed.argmax(axis=1),
        truth=truth,
        qualities=qualities,
        alpha=level,
    )


def _known(before: ArrayLike, shape: tuple[int, int], kind: type[np.generic]) -> NDArray[Any]:
    """Return what is known of the texts, checked."""
    try:
        given = np.asarray(before)
    except ValueError:
        given = np.empty(0)
    if given.shape != shape or not np.can_cast(given.dtype, kind):
        raise InputError(
            *(Argument("before"), " must be an array with a row for each text and a column for "),
            f"each class, {shape[0]:,} × {shape[1]:,}, of "
            + ("true and false" if kind is np.bool_ else "probabilities"),
        )
    if not np.isfinite(given).all():
        raise InputError(Argument("before"), " holds what is no number")
    return given.astype(kind)


def _reported(texts: list[str], stage: str, report: OnProgress) -> Iterator[str]:
    for number, text in enumerate(texts):
        report(Progress(stage, n_documents=number, share=number / len(texts)))
        yield text


def _noting_unread(documents: Iterable[Document], unread: list[Unread]) -> Iterator[Document]:
    """Yield documents, and note what of each is not read."""
    for document in documents:
        unread.append(document.unread)
        yield document


class _Holding:
    """Finds the documents of which less is read than before, while they are predicted.

    Parameters
    ----------
    unread : iterable of (R, 2) int32
        What of each document was not read before.
    """

    def __init__(self, unread: Iterable[Unread]) -> None:
        self._unread = unread
        self.numbers: list[int] = []

    def among(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield those of all documents, and note their numbers."""
        for number, (before, one) in enumerate(zip(self._unread, documents, strict=True)):
            if not np.array_equal(before, one.unread):
                self.numbers.append(number)
                yield one
