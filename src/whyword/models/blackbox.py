"""Anything with ``predict_proba``: a model of which nothing is known but what it says."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError, ModelError
from whyword.base.labels import Label
from whyword.models.erasure import ErasableText, deleted_words, text_without
from whyword.models.protocol import Positions, Reading, Scores, TextClassifier
from whyword.words.document import Document, Text
from whyword.words.reader import Reader

_DOCUMENTS = 256  # of a block


class BlackBoxTrace(ErasableText):
    """Texts and the probabilities that the model gave them, which are its scores."""

    output = "probability"

    def __init__(
        self, model: "BlackBox", documents: list[Document], gone: list[NDArray[np.bool_]]
    ) -> None:
        self.model, self.documents, self._gone = model, documents, gone
        self.known = [np.ones(len(document), np.bool_) for document in documents]
        for known, document in zip(self.known, documents, strict=True):
            known[document.ignored] = False
        self.scores, _ = self.rescore(
            [text_without(*one) for one in zip(documents, gone, strict=True)]
        )

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the scores: they are probabilities."""
        return scores

    def rescore(self, texts: list[str]) -> tuple[Scores, Scores]:
        """Return the probabilities of texts, twice."""
        chances = self.model.predict_proba(texts)
        return chances, chances

    def removed_words(self, number: int) -> NDArray[np.bool_]:
        """Return which words of a document were deleted."""
        return self._gone[number]


class BlackBox(Reading):
    """Somebody's model, for whom our reader finds the words.

    Parameters
    ----------
    model : object
        With ``predict_proba(list of str)`` that returns (texts, C), and perhaps ``classes_``.
    reader : Reader, optional
        The model sees blanks for what it does not read.
    """

    identity = None
    trace_kind = BlackBoxTrace

    def __init__(self, model: Any, reader: Reader | None = None) -> None:  # noqa: ANN401 - anybody's
        if isinstance(model, type) or not callable(getattr(model, "predict_proba", None)):
            name = model.__name__ if isinstance(model, type) else type(model).__name__
            hint = "; load_model opens a folder" if isinstance(model, str | Path) else ""
            raise InputError(
                f"{name} is no model: one of whyword's, or anything with "
                f"predict_proba(list of texts) is needed{hint}"
            )
        self.model = model
        self._reader = Reader.of(reader)

    @property
    def reader_(self) -> Reader:
        """How words are found for it."""
        return self._reader

    @property
    def kind(self) -> str:
        """The name of the model's class."""
        return type(self.model).__name__

    @cached_property
    def classes_(self) -> Any:  # noqa: ANN401 - an array or a list
        """The model's own labels; their numbers if it does not say."""
        classes = getattr(self.model, "classes_", None)
        return list(range(self.predict_proba([""]).shape[1])) if classes is None else classes

    def predict_proba(self, texts: list[str]) -> Scores:
        """Return what the model says of the texts, (texts, C); raise if that is unfit."""
        try:
            returned = self.model.predict_proba(texts)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise ModelError(f"{self.kind}.predict_proba failed ({reason})") from error
        try:
            chances = np.asarray(returned, np.float64)
            shape = str(chances.shape)
        except (TypeError, ValueError):
            chances, shape = np.empty(0), f"a {type(returned).__name__} that is no array of numbers"
        classes = getattr(self.model, "classes_", None)
        wide = chances.shape[1] if chances.ndim == 2 else 0
        unfit = len(chances) != len(texts) or wide == 0
        if unfit or (classes is not None and wide != len(classes)):
            count = "classes" if classes is None else len(classes)
            raise ModelError(
                f"{self.kind}.predict_proba gave {shape} for {len(texts)} texts; "
                f"it must give numbers, ({len(texts)}, {count})"
            )
        fit = np.isfinite(chances).all(axis=1)
        if not fit.all():
            number = int(np.argmin(fit))
            raise ModelError(
                f"{self.kind}.predict_proba gave a probability that is no number, of text {number} "
                f"({texts[number]!r:.40})"
            )
        return chances

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words."""
        return self.reader_.documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 1,
        elements: bool = False,
    ) -> Iterator[BlackBoxTrace]:
        """Yield the texts in blocks."""
        documents = self.documents(texts)
        while some := list(islice(documents, _DOCUMENTS)):
            yield BlackBoxTrace(self, some, [deleted_words(deleted, one) for one in some])


_WRAPPERS: list[Callable[[object], TextClassifier | None]] = []
Wrapper = TypeVar("Wrapper", bound=Callable[[object], TextClassifier | None])


def register_wrapper(wrapper: Wrapper) -> Wrapper:
    """Let :func:`as_classifier` know what makes more of some models than a black box.

    It returns None of all others.
    """
    _WRAPPERS.append(wrapper)
    return wrapper


def as_classifier(model: object) -> TextClassifier:
    """Return a model that can be traced: itself, or somebody's, wrapped.

    A scikit-learn pipeline is wrapped as ``from_pipeline`` does, others by :class:`BlackBox`.

    Raise if it is not trained yet, or no model at all.
    """
    if isinstance(model, type) or not hasattr(type(model), "trace_kind"):
        wrapped = (wrapper(model) for wrapper in _WRAPPERS)
        return next((one for one in wrapped if one is not None), None) or BlackBox(model)
    check_fitted = getattr(model, "check_fitted", None)
    if check_fitted is not None:
        check_fitted()
    return cast(TextClassifier, model)  # it says that it can be traced


def labels_of(model: TextClassifier) -> list[Label]:
    """Return the labels of a model's classes as plain values; raise if they are not distinct."""
    classes = model.classes_
    values = np.asarray(classes, None if isinstance(classes, np.ndarray) else object)
    labels = [value if isinstance(value, Label) else str(value) for value in values.tolist()]
    if values.ndim != 1 or not labels or len(set(labels)) < len(labels):
        raise InputError(f"{model.kind}.classes_ are no distinct labels: {labels!r:.80}")
    return labels
