"""The senses of a word: which of its dimensions serve which class."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, whole_number
from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.labels import Label
from whyword.base.printable import shown
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import check_texts, iter_explanations
from whyword.models.blackbox import as_classifier
from whyword.models.protocol import ElementWise

_MOST = 2_000  # occurrences that are compared with each other
_SENSES = range(2, 7)  # that are tried
_DISTINCT = 0.15  # silhouette from which occurrences fall into groups at all
_CONTEXT = 40  # letters on each side


class Use(NamedTuple):
    """An occurrence of the word.

    Attributes
    ----------
    document : str or int
        Its id, or its number.
    position : int
    predicted : label
        The class that the document was given, and that the word's relevance is for.
    relevance : float
    context : str
        The text around it.
    """

    document: str | int
    position: int
    predicted: Label
    relevance: float
    context: str


@dataclass(frozen=True)
class Sense:
    """Occurrences that serve their classes through the same dimensions.

    Attributes
    ----------
    uses : list of Use
        The highest relevance first.
    classes : dict from label to int
        How many of them are in documents of each predicted class, most first.
    relevance : float
        Their mean relevance.
    """

    uses: list[Use]
    classes: dict[Label, int]
    relevance: float

    def __repr__(self) -> str:
        shown = ", ".join(f"{label} {count}" for label, count in list(self.classes.items())[:3])
        return f"Sense({len(self.uses):,} uses, mean relevance {self.relevance:+.2f}: {shown})"


def senses(
    model: object,
    texts: Iterable[str],
    word: str,
    *,
    count: int | None = None,
    ids: Iterable[str] | None = None,
) -> list[Sense]:
    """Group a word's occurrences by their element-wise relevance for the predicted class.

    The word's vector is the same everywhere; what differs is which of its dimensions spoke for
    the class. Occurrences that are alike in that are one sense. Those whose relevance is not
    positive served no class and are left out.

    Parameters
    ----------
    model : TextClassifier
        One of word vectors.
    texts : iterable of str
        Those without the word are passed over; the first 2,000 occurrences are compared.
    word : str
        In any case.
    count : int, optional
        How many senses; by default the number that separates best, 1 if none does.
    ids : iterable of str, optional

    Returns
    -------
    list of Sense, the one with most uses first
    """
    traced = as_classifier(model)
    if not issubclass(traced.trace_kind, ElementWise):
        raise InputError(
            f"senses needs a model of word vectors, which one of kind {traced.kind!r} is not"
        )
    if not isinstance(word, str) or not word.strip():
        raise InputError("a ", Argument("word"), f" must be a str, not {shown(word)}")
    if count is not None:
        count = whole_number("count", count)
    names = None if ids is None else items("ids", ids)
    _check_clustering()  # better before the work than after it
    uses, vectors = _occurrences(model, check_texts(texts), word.lower(), names)
    if not uses:
        raise InputError(f"{shown(word)} does not speak for a class anywhere in these texts")
    groups = _cluster(vectors, count)
    result = []
    for group in np.unique(groups):
        chosen = [use for use, own in zip(uses, groups, strict=True) if own == group]
        chosen.sort(key=lambda use: -use.relevance)
        classes = dict(Counter(use.predicted for use in chosen).most_common())
        result.append(Sense(chosen, classes, float(np.mean([use.relevance for use in chosen]))))
    return sorted(result, key=lambda sense: -len(sense.uses))


def _occurrences(
    model: object, texts: Iterable[str], word: str, ids: Iterator[Any] | None
) -> tuple[list[Use], NDArray[np.float64]]:
    """Return the word's occurrences and their relevance per dimension, (n, D), of length 1."""
    names: list[Any] = []

    def with_the_word() -> Iterator[str]:
        for number, text in enumerate(texts):
            name = number if ids is None else next(ids, None)
            if name is None:
                raise InputError("there are fewer ", Argument("ids"), " than texts")
            if word in text.lower():
                names.append(name)
                yield text

    uses: list[Use] = []
    vectors: list[NDArray[np.float32]] = []
    for place, explanation in enumerate(iter_explanations(model, with_the_word(), level="element")):
        for position, own in enumerate(explanation.words):
            if own.lower() == word and len(uses) < _MOST:
                elements = (
                    explanation.elements[position] if explanation.elements is not None else None
                )
                if elements is not None and explanation.relevance[position] > 0:
                    uses.append(_use(explanation, position, names[place]))
                    vectors.append(elements)
        if len(uses) == _MOST:
            break
    if not uses:
        return uses, np.empty((0, 0))
    matrix = np.array(vectors, np.float64)
    typical = np.sqrt(np.mean(matrix**2, axis=0, keepdims=True))
    scaled = matrix / np.maximum(typical, 1e-12)  # a large dimension must not decide alone
    return uses, scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-12)


def _use(explanation: Explanation, position: int, name: str | int) -> Use:
    start, end = explanation.spans[position].tolist()
    context = " ".join(explanation.text[max(0, start - _CONTEXT) : end + _CONTEXT].split())
    relevance = float(explanation.relevance[position])
    return Use(name, position, explanation.highest, relevance, context)


def _check_clustering() -> None:
    """Raise unless the package that groups vectors is installed."""
    try:
        import sklearn.cluster  # noqa: F401
    except ImportError:
        raise MissingExtraError("scikit-learn", "search") from None


def _cluster(vectors: NDArray[np.float64], count: int | None) -> NDArray[np.intp]:
    """Return the group of each vector, by their cosines."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    distinct = len(np.unique(vectors.round(6), axis=0))

    def k_means(number: int) -> NDArray[np.intp]:
        groups: NDArray[np.intp] = KMeans(number, n_init=10, random_state=0).fit_predict(vectors)
        return groups

    if count is not None:
        return k_means(min(count, distinct))
    best, chosen = _DISTINCT, np.zeros(len(vectors), np.intp)
    for number in _SENSES:
        if number < min(distinct, len(vectors)):
            groups = k_means(number)
            score = float(silhouette_score(vectors, groups, metric="cosine"))
            if score > best:
                best, chosen = score, groups
    return chosen
