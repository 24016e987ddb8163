"""Somebody's model, of which nothing is known but what it says."""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, items
from whyword.base.errors import Argument, InputError, ModelError
from whyword.base.labels import Label, check_storable
from whyword.base.printable import reason, shown, storable
from whyword.models.abilities import Reading
from whyword.models.adaptors import adaptor_for, as_numbers
from whyword.models.erasure import ErasableText, deleted_words, text_without
from whyword.models.multilabel import MultiLabel, thresholds_of
from whyword.models.probabilities import sigmoid
from whyword.models.protocol import Positions, Scores, TextClassifier
from whyword.models.stored_reader import reader_settings, taken_away
from whyword.words.document import Document, Text
from whyword.words.reader import Reader

_DOCUMENTS = 256  # of a block
_TOLERANCE = 1e-5  # of a probability: sums of single precision
_WORD = "text"  # whose answer shows how many classes there are

log = logging.getLogger(__name__)


class BlackBoxTrace(ErasableText):
    """Texts and the probabilities that the model gave them, which are its scores."""

    output = "probability"

    def __init__(
        self, model: "BlackBox", documents: list[Document], gone: list[NDArray[np.bool_]]
    ) -> None:
        self.model, self.documents, self._gone = model, documents, gone
        for deleted, document in zip(gone, documents, strict=True):
            deleted[document.ignored] = True
        self.known = [~deleted for deleted in gone]
        self.scores = model.scores(
            [text_without(*one) for one in zip(documents, gone, strict=True)]
        )

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the probabilities that belong to scores: themselves if they are such."""
        return self.model.probabilities_of(scores)

    def rescore(self, texts: list[str]) -> tuple[Scores, Scores]:
        """Return scores and probabilities of texts."""
        scores = self.model.scores(texts)
        return scores, self.probabilities_of(scores)

    def removed_words(self, number: int) -> NDArray[np.bool_]:
        """Return which words of a document were deleted."""
        return self._gone[number]


class ScoreTrace(BlackBoxTrace):
    """Texts and the scores that the model gave them, of any size."""

    output = "score"


class LabelsTrace(MultiLabel, BlackBoxTrace):
    """Texts and the probabilities that the model gave their labels, each by itself."""

    def __init__(
        self, model: "BlackBox", documents: list[Document], gone: list[NDArray[np.bool_]]
    ) -> None:
        super().__init__(model, documents, gone)
        self.thresholds = model.thresholds

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the probabilities that belong to scores: themselves if they are such."""
        return self.model.probabilities_of(scores)


class LabelScoresTrace(LabelsTrace):
    """Texts and the scores that the model gave their labels, of any size."""

    output = "score"


class BlackBox(Reading):
    """Somebody's model, for which our reader finds the words.

    Parameters
    ----------
    model : callable or object
        A function from a list of n texts to (n, C) probabilities, or, of two classes, to the n
        probabilities of the second; an object with ``predict_proba`` or ``decision_function``, as
        scikit-learn's have them; a text-classification ``pipeline`` of Hugging Face's
        ``transformers``; a spaCy pipeline with ``cats``.
    classes : iterable of C labels, optional
        By default the model's own; of one that does not say, their numbers, found by asking once.
    name : str, optional
        What tells it from all other models, its version included: whoever changes the model
        changes the name. Without one it has no :attr:`identity`.
    reader : Reader, optional
        The model sees blanks for what is removed, and a text without the words that are ignored.
    multilabel : bool
        Whether it predicts several labels at once: its probabilities are of each label by itself
        (of its scores, the sigmoids), and need not sum to 1.
    threshold : float, mapping from label to float, or iterable of C floats
        The probability from which on a label is predicted.

    Examples
    --------
    ::

        spam = BlackBox(lambda texts: service.ask(texts), ["ham", "spam"], name="spam 3")
        explain(spam, "You have won!")
    """

    trace_kind: type[BlackBoxTrace] = BlackBoxTrace

    def __init__(
        self,
        model: Any,  # noqa: ANN401 - anybody's
        classes: Iterable[Any] | None = None,
        *,
        name: str | None = None,
        reader: Reader | None = None,
        multilabel: bool = False,
        threshold: float | Mapping[Any, float] | Iterable[float] = 0.5,
    ) -> None:
        self.model = model
        self._adaptor = adaptor_for(model)
        self._classes = None if classes is None else checked_labels(classes)
        self.name = checked_name(name)
        self._reader = Reader.of(reader)
        self.multilabel = flag("multilabel", multilabel)
        self._threshold = threshold
        if not self.multilabel and not (isinstance(threshold, float) and threshold == 0.5):
            raise InputError(
                Argument("threshold"), " is for several labels: say ", Argument("multilabel", True)
            )
        of_scores = self._adaptor.output == ScoreTrace.output
        if self.multilabel:
            self.trace_kind = LabelScoresTrace if of_scores else LabelsTrace
        elif of_scores:
            self.trace_kind = ScoreTrace

    def __repr__(self) -> str:
        named = "" if self.name is None else f", name={self.name!r}"
        return f"BlackBox({self.kind}{named})"

    def save(self, folder: str | Path) -> None:
        """Raise: of a model that only answers there is nothing to save."""
        raise InputError(
            f"a black box cannot be saved, for nothing is known of {self.kind} but what it says; "
            "keep the model itself, and name it as module:name"
        )

    @property
    def reader_(self) -> Reader:
        """How words are found for it."""
        return self._reader

    def with_reader(self, reader: Reader) -> Self:
        """Return a copy that asks the same model, for which another reader finds the words."""
        other = copy(self)
        other._reader = Reader.of(reader)
        return other

    @property
    def kind(self) -> str:
        """The name of the model's class, or of the function."""
        return self._adaptor.kind

    @property
    def provenance_(self) -> dict[str, Any]:
        """The name that it was given, and the words that were taken away from it."""
        named = {} if self.name is None else {"name": self.name}
        return named | taken_away(self._reader)

    @property
    def identity(self) -> str | None:
        """The sha256 of its name, classes and reader; None without a name.

        None, too, if the reader holds somebody's function.
        """
        settings = None
        with suppress(InputError):
            settings = reader_settings(self._reader)
        if self.name is None or settings is None:
            return None
        parts = [self.name, labels_of(self), settings]
        parts += [self.thresholds.tolist()] if self.multilabel else []
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @cached_property
    def classes_(self) -> Any:  # noqa: ANN401 - an array or a list
        """The labels given, or the model's own; their numbers if it does not say."""
        for classes in (self._classes, self._adaptor.classes):
            if classes is not None:
                return classes
        log.info(
            "%s names no classes: they are numbers; BlackBox(…, classes=[…]) names them", self.kind
        )
        return list(range(self._ask([_WORD], None).shape[1]))

    @cached_property
    def thresholds(self) -> Scores:
        """The probability from which on each label is predicted, (C,)."""
        return thresholds_of(self._threshold, labels_of(self))

    def scores(self, texts: list[str]) -> Scores:
        """Return what the model says of the texts, (texts, C); raise if that is unfit."""
        return self._ask(texts, self._n_classes)

    @cached_property
    def _n_classes(self) -> int:
        return len(labels_of(self))

    def predict_proba(self, texts: list[str]) -> Scores:
        """Return the probabilities of the texts, (texts, C); raise if they are unfit."""
        reader = self._reader
        if not reader.is_plain or reader.tokenizer.max_words is not None:
            texts = [text_without(one, one.are_ignored) for one in self.documents(texts)]
        return self.probabilities_of(self.scores(texts))

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the probabilities that belong to its scores, (…, C)."""
        if self.multilabel and self._adaptor.output == ScoreTrace.output:
            return sigmoid(scores)
        return self._adaptor.probabilities(scores)

    def _ask(self, texts: list[str], classes: int | None) -> Scores:
        """Return the answer, a column for each class; how many there are may not be known yet."""
        adaptor = self._adaptor
        try:
            answer = adaptor.ask(list(texts))  # which it may change
        except Exception as error:
            raise ModelError(f"{adaptor.named} failed ({reason(error)})") from error
        numbers = as_numbers(answer)
        shape = f"a {type(answer).__name__} that is no array of numbers"
        if numbers is not None:
            shape = str(numbers.shape)
            if not self.multilabel and classes in (2, None) and _is_single(numbers):
                of_two = adaptor.of_two(numbers.reshape(-1))
                numbers = numbers if of_two is None else of_two
        fits = numbers is not None and numbers.ndim == 2 and len(numbers) == len(texts)
        if numbers is None or not fits or numbers.shape[1] != (classes or numbers.shape[1] or 1):
            count = "classes" if classes is None else classes
            raise ModelError(
                f"{adaptor.named} gave {shape} for {len(texts)} texts; it must give numbers, "
                f"({len(texts)}, {count})"
            )
        self._check(numbers, texts)
        return numbers

    def _check(self, numbers: Scores, texts: list[str]) -> None:
        """Raise if what the model says is no probability, or score."""
        fit, sense = np.isfinite(numbers), "number"
        if fit.all() and self._adaptor.output == BlackBoxTrace.output:
            sense = "probability: it must be between 0 and 1"
            fit = (numbers >= -_TOLERANCE) & (numbers <= 1 + _TOLERANCE)
        if not fit.all():
            number = int(np.argmin(fit.all(axis=1)))
            wrong = numbers[number, int(np.argmin(fit[number]))]
            raise ModelError(
                f"{self._adaptor.named} gave {wrong:g} for text {number} ({texts[number]!r:.40}), "
                f"which is no {sense}"
            )

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words."""
        return self.reader_.documents(texts)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[BlackBoxTrace]:
        """Yield the texts in blocks."""
        documents = self.documents(texts)
        while some := list(islice(documents, _DOCUMENTS)):
            yield self.trace_kind(self, some, [deleted_words(deleted, one) for one in some])


def _is_single(numbers: NDArray[np.float64]) -> bool:
    """Whether there is one number for each text."""
    return numbers.ndim == 1 or (numbers.ndim == 2 and numbers.shape[1] == 1)


def checked_labels(classes: Iterable[Any]) -> list[Label]:
    """Return the labels that were given; raise unless they are distinct ones."""
    given = items("classes", classes, "a list of labels")
    labels = [one.item() if isinstance(one, np.generic) else one for one in given]
    for number, label in enumerate(labels):
        if not isinstance(label, Label):
            raise InputError(
                Argument("classes"),
                f": label {number} must be a string or a number, not {shown(label)}",
            )
    check_storable(labels)
    if not labels or len(set(labels)) < len(labels):
        raise InputError(Argument("classes"), f" are no distinct labels: {labels!r:.80}")
    return labels


def checked_name(name: object) -> str | None:
    """Return what a model is called, or None; raise if that is no name."""
    if name is None:
        return None
    if not isinstance(name, str) or not name.strip() or storable(name) != name:
        raise InputError(Argument("name"), f" must say what the model is called, not {shown(name)}")
    return name


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
    several = values.tolist() if values.ndim == 1 else []
    labels = [value if isinstance(value, Label) else str(value) for value in several]
    if not labels or len(set(labels)) < len(labels):
        raise InputError(f"{model.kind}.classes_ are no distinct labels: {shown(classes, 80)}")
    return labels
