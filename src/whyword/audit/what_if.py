"""What if a model had not read some words: the same weights, no training."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.audit.changes import WhatIf
from whyword.base.checks import check_installed, one_each, strings
from whyword.base.errors import Argument, InputError
from whyword.evaluation.comparison import risk
from whyword.evaluation.quality import classes_quality, labels_quality
from whyword.methods.predict import predicted_matrix, probabilities_of
from whyword.methods.targets import class_numbers, label_matrix
from whyword.models.abilities import Reading
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import TextClassifier
from whyword.words.ignored import Ignored


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
    alpha: float = 0.05,
) -> WhatIf:
    """Return what becomes of a model's predictions when it does not read some words.

    All texts are predicted as they are. Those that hold one of the words are predicted again by
    the model :func:`without` them; the others cannot change.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    words : iterable of str
        As for :func:`without`.
    texts : iterable of str
    labels : iterable, optional
        The true class of each text; for a model that predicts several labels, a list for each.
        Without them it is said what changed, but not whether that is right.
    alpha : float
        Of the intervals and of McNemar's test.

    Returns
    -------
    WhatIf
    """
    before, entries = as_classifier(model), _entries(words)
    level = risk("alpha", alpha)
    several = strings("texts", texts)
    given = None if labels is None else one_each("labels", labels, len(several))
    if not several:
        raise InputError("there are no texts to predict")
    names = labels_of(before)
    multilabel = is_multilabel(before)
    truth: NDArray[Any] | None = None
    if given is not None:
        check_installed("evaluate", "scipy")
        truth = (label_matrix if multilabel else class_numbers)(names, given)
    after = _without(before, entries)
    documents = _holding(before, after, several)
    ask = predicted_matrix if multilabel else probabilities_of
    said: NDArray[Any] = ask(before, several)
    changed = said.copy()
    changed[documents] = ask(after, [several[number] for number in documents.tolist()])
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


def _holding(before: TextClassifier, after: TextClassifier, texts: list[str]) -> NDArray[np.intp]:
    """Return the numbers of the texts of which one model reads less than the other."""
    pairs = zip(before.documents(texts), after.documents(texts), strict=True)
    changed = [not np.array_equal(one.unread, other.unread) for one, other in pairs]
    return np.flatnonzero(changed)
