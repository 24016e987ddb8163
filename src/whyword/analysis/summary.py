"""Relevance to document vectors: what of the text's meaning served the class."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, strings
from whyword.base.errors import InputError, MissingExtraError
from whyword.explanation.alignment import aligned
from whyword.explanation.passages import By, ranges
from whyword.methods.blocks import (
    LinearBlock,
    NetworkBlock,
    kind_of,
    linear_blocks,
    model_classes,
    network_blocks,
)
from whyword.methods.lrp import handed_down
from whyword.methods.registry import checked_parameters, find_method
from whyword.methods.targets import PREDICTED, Question, question
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.cnn.relevance_kernels import FromAbove, score_gradient
from whyword.models.cnn.summary_kernels import element_sums, squared_gradient_sums, weighted_sums
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.linear.tfidf import Bag
from whyword.words.document import Document

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WEIGHTINGS = ("uniform", "tfidf")  # besides the methods of explain
LEVELS = ("word", "element")
_MOST_RELEVANCE = 1e30  # sums of it are still finite in float32
_DOWN_TO_FEATURES = ("lrp", "sensitivity", "gradient_input")

Floats = NDArray[np.float32]


def summarize(
    model: CNNClassifier | SVMClassifier,
    texts: Iterable[str],
    method: str = "lrp",
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
    model : CNNClassifier or SVMClassifier
    texts : iterable of str
    method : str
        A method of :func:`~whyword.explain`, or "uniform" (the mean of the word vectors) or
        "tfidf" (each word by its rarity in the training texts).
    level : {"word", "element"}
        Weigh each word's vector by the word's relevance, Σ_t R[t]·x[t, i], or each element by
        its own, Σ_t R[t, i]·x[t, i] (networks; "lrp", "sensitivity", "gradient_input").
    target, targets, **parameters
        As for :func:`~whyword.explain`: one class per document, by default the predicted one.
    relevance : iterable, optional
        Somebody's relevances instead of a method's, one entry per text: a value for each word, a
        pair (spans, values) or an Explanation. See :func:`~whyword.explanation.alignment.aligned`.
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
            _pooled(*summary_parts(model, text, method, level, **parameters), by)
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
    if isinstance(model, SVMClassifier):
        vstack = _scipy_sparse().vstack
        empty = _scipy_sparse().csr_matrix((0, len(model.output_weight_)), dtype=np.float32)
        return vstack([empty, *rows], format="csr")
    return np.concatenate([np.empty((0, model.inputs_.vectors.dimensions), np.float32), *rows])


def iter_summaries(
    model: CNNClassifier | SVMClassifier,
    texts: Iterable[str],
    method: str = "lrp",
    level: str = "word",
    *,
    target: object = PREDICTED,
    targets: Iterable[Any] | None = None,
    relevance: Iterable[Any] | None = None,
    **parameters: float | str,
) -> "Iterator[Floats | csr_matrix]":
    """Yield the vectors that :func:`summarize` returns, a block of documents at a time."""
    settings, asked = _checked(model, method, level, target, targets, parameters)
    if isinstance(texts, str):
        raise InputError("texts must be a list of strings, not one string")
    given = None if relevance is None else _GivenWeights(relevance)
    if given is not None and level != "word":
        raise InputError("relevance is given by word: there is level='word' only")
    if given is not None and (targets is not None or asked.columns is not None):
        raise InputError("relevance is given, so that there is no target to explain")
    if isinstance(model, SVMClassifier):
        return _linear_rows(model, texts, method, settings, asked, given)
    return _network_rows(model, texts, method, level, settings, asked, given)


class _GivenWeights:
    """Relevances that came from elsewhere, taken a block at a time."""

    def __init__(self, relevance: Iterable[Any]) -> None:
        if isinstance(relevance, str) or not isinstance(relevance, Iterable):
            kind = type(relevance).__name__
            raise InputError(f"relevance takes a list with one entry per text, not {kind}")
        self.remaining = iter(relevance)
        self.taken = 0

    def __call__(self, documents: Sequence[Document]) -> list[NDArray[np.float64]]:
        """Return the next documents' relevances, a value for each word."""
        here = list(islice(self.remaining, len(documents)))
        found = aligned(here, documents, self.taken)
        for number, values in enumerate(found, self.taken):
            if np.abs(values).max(initial=0) > _MOST_RELEVANCE:
                raise InputError(f"relevance of document {number} is beyond ±{_MOST_RELEVANCE:g}")
        self.taken += len(documents)
        return found


def _checked(
    model: CNNClassifier | SVMClassifier,
    method: str,
    level: str,
    target: object,
    targets: Iterable[Any] | None,
    parameters: dict[str, float | str],
) -> tuple[dict[str, Any], Question]:
    """Return the method's parameters and the question; raise if something does not fit."""
    kind = kind_of(model)
    if not isinstance(model, CNNClassifier | SVMClassifier):
        raise InputError(
            f"summaries are of a CNNClassifier or SVMClassifier, not {type(model).__name__}"
        )
    if level not in LEVELS:
        raise InputError(f"level may be 'word' or 'element', not {level!r}")
    if method in WEIGHTINGS:
        settings: dict[str, Any] = {}
        if parameters:
            raise InputError(f"{method!r} has no parameter {next(iter(parameters))!r}")
    else:
        settings = checked_parameters(find_method(method), kind, parameters)
    asked = question(model_classes(model), target, targets, None)
    if not asked.single:
        raise InputError("a summary is for one class per document; name one, or say targets=")
    if level == "element" and (method not in _DOWN_TO_FEATURES or kind is not NetworkBlock):
        raise InputError(
            "level='element' needs a network and one of the methods "
            f"{', '.join(_DOWN_TO_FEATURES)}, not {method!r} of {type(model).__name__}"
        )
    return settings, asked


# ---- networks ---------------------------------------------------------------------------------


def _network_rows(
    model: CNNClassifier,
    texts: Iterable[str],
    method: str,
    level: str,
    settings: dict[str, Any],
    asked: Question,
    given: _GivenWeights | None,
) -> Iterator[Floats]:
    rarity = _rarity(model) if method == "tfidf" else None
    held = method == "sensitivity" and level == "element"  # the gradient, a block at a time
    for block in network_blocks(model, texts, 1, elements=held):
        lengths = np.diff(block.batch.offsets)
        rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        sums = np.zeros((len(lengths), block.batch.vectors.shape[1]), np.float32)
        if given is not None:
            weights = _placed(block, given(block.documents))
            weighted_sums(block.found[0], rows, weights, sums)
        else:
            numbers = asked.numbers(block.scores)
            _add_block(block, numbers, method, level, settings, rarity, rows, sums)
        yield sums


def _add_block(
    block: NetworkBlock,
    numbers: NDArray[np.int32],
    method: str,
    level: str,
    settings: dict[str, Any],
    rarity: Callable[[str], float] | None,
    rows: NDArray[np.int32],
    sums: Floats,
) -> None:
    """Add what each place of a block contributes to its row."""
    if level == "element":
        _add_elements(block, numbers, method, settings, rows, sums)
    else:
        weights = _weights(block, numbers, method, settings, rarity)
        weighted_sums(block.found[0], rows, weights, sums)


def _weights(
    block: NetworkBlock,
    numbers: NDArray[np.int32],
    method: str,
    settings: dict[str, Any],
    rarity: Callable[[str], float] | None,
) -> Floats:
    """Return the weight of each place of a block, 0 for padding: (N,) float32."""
    if method in WEIGHTINGS:
        words = [np.ones(len(document)) / max(1, len(document)) for document in block.documents]
        if rarity is not None:
            words = [np.array([rarity(w) for w in d.cut()]) for d in block.documents]
    else:
        found = find_method(method).of_block[NetworkBlock](block, numbers, **settings)
        words = [relevance[:, 0].astype(np.float64) for relevance in found.words]
    return _placed(block, words)


def _placed(block: NetworkBlock, words: Sequence[NDArray[np.float64]]) -> Floats:
    """Return values of the words of each document at their places in the block, (N,) float32."""
    weights = np.zeros(len(block.batch.ids), np.float32)
    for start, values in zip(block.batch.offsets[:-1].tolist(), words, strict=True):
        weights[start : start + len(values)] = values
    return weights


def _add_elements(
    block: NetworkBlock,
    numbers: NDArray[np.int32],
    method: str,
    settings: dict[str, Any],
    rows: NDArray[np.int32],
    sums: Floats,
) -> None:
    if method == "sensitivity":
        gradient = np.zeros((len(rows), sums.shape[1]), np.float32)
        unused = np.zeros(numbers.shape)
        for found, weight in block.parts():
            above = FromAbove(weight, numbers, unused, unused)
            score_gradient(found, above, 0, gradient, 0, len(numbers))
        squared_gradient_sums(block.found[0], gradient, rows, sums)
        return
    epsilon = settings.get("epsilon", 0.0)  # gradient × input has none
    shared = settings.get("bias") == "shared"
    added, gain = handed_down(block, numbers, epsilon, shared)
    for found, weight in block.parts():
        above = FromAbove(weight, numbers, added, gain)
        element_sums(found, above, epsilon, shared, rows, sums)


def _rarity(model: CNNClassifier) -> Callable[[str], float]:
    """Return the function from a word to ln((1 + N)/(1 + n)) + 1 over N training documents."""
    documents = model.provenance_["documents"]
    frequency = model.vocabulary_
    known: dict[str, float] = {}

    def rarity(word: str) -> float:
        found = known.get(word)
        if found is None:
            count = frequency.get(word.lower(), 0)
            found = known[word] = math.log((1 + documents) / (1 + count)) + 1
        return found

    return rarity


# ---- bags of words ----------------------------------------------------------------------------


def _linear_rows(
    model: SVMClassifier,
    texts: Iterable[str],
    method: str,
    settings: dict[str, Any],
    asked: Question,
    given: _GivenWeights | None,
) -> "Iterator[csr_matrix]":
    sparse = _scipy_sparse()
    for block in linear_blocks(model, texts):
        numbers = asked.numbers(block.scores)
        if given is None:
            values = _block_values(block, numbers, method, settings)
        else:
            pairs = zip(block.bags, given(block.documents), strict=True)
            values = [bag.gathered(words) for bag, words in pairs]
        ends = np.cumsum([0, *map(len, values)])
        places = np.concatenate([bag.row.places for bag in block.bags])
        shape = (len(values), len(model.output_weight_))
        yield sparse.csr_matrix((np.concatenate(values).astype(np.float32), places, ends), shape)


def _block_values(
    block: LinearBlock, numbers: NDArray[np.int32], method: str, settings: dict[str, Any]
) -> list[NDArray[np.float64]]:
    """Return the weight of each document's features, (n,) each."""
    if method in (*_DOWN_TO_FEATURES, *WEIGHTINGS):
        return [
            _feature_values(block.model, bag, int(chosen[0]), method, settings)
            for bag, chosen in zip(block.bags, numbers, strict=True)
        ]
    found = find_method(method).of_block[LinearBlock](block, numbers, **settings)
    pairs = zip(block.bags, found.words, strict=True)
    return [bag.gathered(words[:, 0]) for bag, words in pairs]


def _feature_values(
    model: SVMClassifier, bag: Bag, number: int, method: str, settings: dict[str, Any]
) -> NDArray[np.float64]:
    """Return the weight of each of a text's features, (n,)."""
    places, values = bag.row
    weights = model.output_weight_[places, number]
    if method == "uniform":
        return np.ones(len(places))
    if method == "tfidf":
        return values
    contributions: NDArray[np.float64] = weights * values
    if method == "sensitivity":
        contributions = weights**2
    if settings.get("bias") == "shared":
        contributions = contributions + model.output_bias_[number] / max(1, len(places))
    return contributions


def _scipy_sparse() -> Any:  # noqa: ANN401 - scipy has no types
    try:
        from scipy import sparse
    except ImportError:
        raise MissingExtraError("scipy", "train") from None
    return sparse


def _pooled(document: Document, parts: Any, by: By) -> Any:  # noqa: ANN401 - dense or sparse
    """Return the sums of the parts over each passage."""
    bounds = list(ranges(document, by))
    if isinstance(parts, np.ndarray):
        sums = [parts[first:last].sum(axis=0) for first, last in bounds]
        return np.array(sums, np.float32).reshape(len(bounds), parts.shape[1])
    chosen = [(row, word) for row, (a, b) in enumerate(bounds) for word in range(a, b)]
    rows, words = np.array(chosen, np.intp).reshape(-1, 2).T
    ones = np.ones(len(rows), np.float32)
    pool = _scipy_sparse().csr_matrix((ones, (rows, words)), (len(bounds), parts.shape[0]))
    return (pool @ parts).tocsr()


# ---- one document, word by word ---------------------------------------------------------------


def summary_parts(
    model: CNNClassifier | SVMClassifier,
    text: str,
    method: str = "lrp",
    level: str = "word",
    **parameters: float | str,
) -> tuple[Document, Any]:
    """Return a text and what each of its words adds to its summary vector.

    Returns
    -------
    document : Document
        Of T words.
    parts : (T, D) float32, or (T, V) sparse
        They add up to ``summarize(model, [text], method, level)[0]``, but for features of a
        wrapped pipeline that have no place in the text.
    """
    settings, asked = _checked(model, method, level, PREDICTED, None, parameters)
    if isinstance(model, SVMClassifier):
        (block,) = linear_blocks(model, [text])
        (bag,) = block.bags
        (values,) = _block_values(block, asked.numbers(block.scores), method, settings)
        shape = (len(bag.document), len(model.output_weight_))
        shares = (bag.shares * values[bag.features]).astype(np.float32)
        places = (bag.words, bag.row.places[bag.features])
        return bag.document, _scipy_sparse().csr_matrix((shares, places), shape)
    (network_block,) = network_blocks(model, [text], 1, elements=True)
    numbers = asked.numbers(network_block.scores)
    each = np.arange(len(network_block.batch.ids), dtype=np.int32)
    sums = np.zeros((len(each), network_block.batch.vectors.shape[1]), np.float32)
    rarity = _rarity(model) if method == "tfidf" else None
    _add_block(network_block, numbers, method, level, settings, rarity, each, sums)
    return network_block.documents[0], sums[: len(network_block.documents[0])]
