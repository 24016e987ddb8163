"""Explain: from a model and texts to the relevance of their words."""

from collections.abc import Iterable, Iterator
from itertools import repeat, tee
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import one_each, strings, whole_number
from whyword.base.errors import InputError
from whyword.explanation.explanation import Explanation, Explanations, FilterExplanation
from whyword.methods.blocks import NetworkBlock, Positions, kind_of, network_blocks
from whyword.methods.relevance import Relevance
from whyword.methods.request import Inquiry, identity_of
from whyword.methods.targets import PREDICTED, Question
from whyword.models.cnn.classifier import CNNClassifier

WORDS, POOLED = "words", "pooled"


@overload  # a str is an iterable of str, too, but the first form that fits is taken
def explain(  # type: ignore[overload-overlap]
    model: object,
    texts: str,
    target: object = ...,
    *,
    targets: Iterable[Any] | None = ...,
    against: object = ...,
    method: str = ...,
    layer: Literal["words"] = ...,
    elements: bool = ...,
    strict: bool = ...,
    ids: Iterable[Any] | None = ...,
    deleted: Iterable[Any] | None = ...,
    **parameters: float | str,
) -> Explanation: ...
@overload
def explain(
    model: object,
    texts: Iterable[str],
    target: object = ...,
    *,
    targets: Iterable[Any] | None = ...,
    against: object = ...,
    method: str = ...,
    layer: Literal["words"] = ...,
    elements: bool = ...,
    strict: bool = ...,
    ids: Iterable[Any] | None = ...,
    deleted: Iterable[Any] | None = ...,
    **parameters: float | str,
) -> Explanations: ...
@overload  # a str is an iterable of str, too, but the first form that fits is taken
def explain(  # type: ignore[overload-overlap]
    model: object,
    texts: str,
    target: object = ...,
    *,
    targets: Iterable[Any] | None = ...,
    against: object = ...,
    method: str = ...,
    layer: Literal["pooled"],
    elements: bool = ...,
    strict: bool = ...,
    ids: Iterable[Any] | None = ...,
    deleted: Iterable[Any] | None = ...,
    **parameters: float | str,
) -> FilterExplanation: ...
@overload
def explain(
    model: object,
    texts: Iterable[str],
    target: object = ...,
    *,
    targets: Iterable[Any] | None = ...,
    against: object = ...,
    method: str = ...,
    layer: Literal["pooled"],
    elements: bool = ...,
    strict: bool = ...,
    ids: Iterable[Any] | None = ...,
    deleted: Iterable[Any] | None = ...,
    **parameters: float | str,
) -> list[FilterExplanation]: ...
def explain(
    model: object,
    texts: str | Iterable[str],
    target: object = PREDICTED,
    *,
    targets: Iterable[Any] | None = None,
    against: object = None,
    method: str = "lrp",
    layer: str = WORDS,
    elements: bool = False,
    strict: bool = False,
    ids: Iterable[Any] | None = None,
    deleted: Iterable[Any] | None = None,
    **parameters: float | str,
) -> Explanation | Explanations | FilterExplanation | list[FilterExplanation]:
    """Say which words made the model say that.

    Parameters
    ----------
    model : CNNClassifier, SVMClassifier or anything with ``predict_proba(list of str)``
        The last kind by the methods "occlusion" and "random" only.
    texts : str or iterable of str
    target : "predicted", "all", a label or several of them
        The class that is explained. Several give relevance of shape (words, classes).
    targets : iterable of labels, optional
        One class per document, instead of `target`.
    against : label, optional
        Explain why the target rather than this class: the difference of the two.
    method : {"lrp", "sensitivity", "gradient_input", "occlusion", "random"}
    layer : {"words", "pooled"}
        "pooled" gives the relevance of a network's filters and the words that made them fire.
    elements : bool
        Give the relevance of each dimension of the input vectors, too (networks only).
    strict : bool
        Raise a ConservationError if relevance does not add up to the score.
    ids : iterable, optional
        Names of the documents; kept as strings.
    deleted : iterable, optional
        Positions of words that are deleted before the model looks (of several texts: a list of
        positions for each). They stay words of the explanation, with no relevance; what lands in
        their places is padding. A network sees zeros there, as in the paper's deletions; a bag of
        words is made anew without them.
    **parameters
        Of the method. "lrp": ``epsilon=0.01`` and ``bias="shared"`` or ``"left out"``; "random":
        ``seed=0``.

    Returns
    -------
    Explanation for one text, Explanations for several
        (FilterExplanation and a list of them for ``layer="pooled"``)

    Examples
    --------
    ::

        explain(model, "The shuttle reached orbit.").by_word()
        explain(model, text, target="sci.space", against="sci.med")
        explain(model, texts, target="all").to_parquet("why.parquet")
    """
    several = [texts] if isinstance(texts, str) else strings("texts", texts)
    asked: dict[str, Any] = {
        "target": target,
        "targets": None if targets is None else one_each("targets", targets, len(several)),
        "against": against,
        "method": method,
        "strict": strict,
        "ids": None if ids is None else one_each("ids", ids, len(several)),
        **parameters,
    }
    if deleted is not None:
        deleted = [deleted] if isinstance(texts, str) else deleted
        asked["deleted"] = one_each("deleted", deleted, len(several))
    if layer == POOLED:
        if deleted is not None:
            raise InputError("deleted words are for explanations by word, not for layer='pooled'")
        if elements:
            raise InputError("elements=True and layer='pooled' are two different layers")
        filters = list(_iter_filters(model, several, **asked))
        return filters[0] if isinstance(texts, str) else filters
    if layer != WORDS:
        raise InputError(f"layer may be {WORDS!r} or {POOLED!r}, not {layer!r}")
    found = Explanations(_asked(model, several, elements=elements, copy=False, **asked))
    return found[0] if isinstance(texts, str) else found


def iter_explanations(
    model: object,
    texts: Iterable[str],
    target: object = PREDICTED,
    *,
    targets: Iterable[Any] | None = None,
    against: object = None,
    method: str = "lrp",
    elements: bool = False,
    strict: bool = False,
    ids: Iterable[Any] | None = None,
    deleted: Iterable[Any] | None = None,
    **parameters: float | str,
) -> Iterator[Explanation]:
    """Yield the explanations one after the other, as :func:`explain` gives them.

    Texts are read, and relevance is held, a block at a time, so that they may be endless.
    """
    return _asked(
        model,
        texts,
        target,
        targets=targets,
        against=against,
        method=method,
        elements=elements,
        strict=strict,
        ids=ids,
        deleted=deleted,
        copy=True,
        **parameters,
    )


def _asked(
    model: object,
    texts: Iterable[str],
    target: object,
    *,
    targets: Iterable[Any] | None,
    against: object,
    method: str,
    elements: bool,
    strict: bool,
    ids: Iterable[Any] | None,
    copy: bool,
    deleted: Iterable[Any] | None = None,
    **parameters: float | str,
) -> Iterator[Explanation]:
    """Check the arguments, now, and return what will yield the explanations."""
    asked = Inquiry.of(model, target, method, targets, against, **parameters)
    if elements and not (asked.method.elements and kind_of(model) is NetworkBlock):
        raise InputError(
            f"elements=True needs a network and a method that goes down to its input "
            f"dimensions, not {method!r} of {type(model).__name__}"
        )
    checked = _checked_texts(texts)
    gone = None if deleted is None else _positions(deleted)
    return _explanations(asked, checked, elements, strict, ids, copy, gone)


def _explanations(
    inquiry: Inquiry,
    texts: Iterable[str],
    elements: bool,
    strict: bool,
    ids: Iterable[Any] | None,
    copy: bool,
    deleted: Iterator[Positions] | None,
) -> Iterator[Explanation]:
    """Yield the explanations; with `copy`, one that is kept does not keep its whole block."""
    names: Iterator[str | None] = repeat(None) if ids is None else iter(ids)
    identity, asked, recorded = identity_of(inquiry.model), inquiry.question, inquiry.recorded
    gone: Iterator[Positions] | None = None
    again: Iterator[Positions | None] = repeat(None)
    if deleted is not None:
        gone, again = tee(deleted)
    for block, numbers, found in inquiry.answers(texts, elements, gone):
        rows = zip(block.documents, numbers.tolist(), strict=True)
        for at, (document, chosen) in enumerate(rows):
            parameters, positions = recorded, next(again)
            if positions is not None and len(positions):
                parameters = recorded | {"deleted": positions.tolist()}
                _move_to_padding(found, at, positions)
            explanation = Explanation(
                document=document,
                known=block.known[at],
                classes=asked.classes,
                scores=block.scores[at],
                target=asked.target(chosen),
                relevance=_shaped(found.words[at], asked, copy),
                padding=_shaped_padding(found.padding[at], asked),
                method=inquiry.method.name,
                parameters=parameters,
                model=identity,
                id=_next_name(names),
                elements=_shaped(found.elements[at], asked, copy) if found.elements else None,
            )
            yield explanation.check() if strict else explanation


def _iter_filters(
    model: object,
    texts: Iterable[str],
    *,
    target: object,
    targets: Iterable[Any] | None,
    against: object,
    method: str,
    strict: bool,
    ids: Iterable[Any] | None,
    **parameters: float | str,
) -> Iterator[FilterExplanation]:
    """Yield which filters of a network spoke for the target."""
    asked = Inquiry.of(model, target, method, targets, against, **parameters)
    of_filters, question = asked.method.of_filters, asked.question
    if not isinstance(model, CNNClassifier) or of_filters is None:
        raise InputError(
            "layer='pooled' needs a network and a method that goes through its layers, "
            f"not {method!r} of {type(model).__name__}"
        )
    names: Iterator[str | None] = repeat(None) if ids is None else iter(ids)
    identity, recorded = identity_of(model), asked.recorded
    for block in network_blocks(model, _checked_texts(texts), question.count):
        numbers = question.numbers(block.scores)
        widths = np.concatenate([np.full(len(f.bias), f.table.shape[1]) for f in block.found])
        pooled = np.concatenate([found.pooled for found in block.found], axis=1)
        winners = np.concatenate([found.winners for found in block.found], axis=1)
        for at, relevance in enumerate(of_filters(block, numbers, **asked.settings)):
            if question.against is not None:
                relevance = relevance[:, :-1] - relevance[:, -1:]
            explanation = FilterExplanation(
                document=block.documents[at],
                classes=question.classes,
                scores=block.scores[at],
                target=question.target(numbers[at].tolist()),
                relevance=_shaped(relevance, question, copy=False),
                padding=_shaped_padding(np.zeros(relevance.shape[1]), question),
                method=method,
                parameters=recorded,
                model=identity,
                id=_next_name(names),
                activations=pooled[at],
                starts=winners[at],
                widths=widths.astype(np.int32),
            )
            yield explanation.check() if strict else explanation


def _checked_texts(texts: Iterable[str]) -> Iterator[str]:
    """Return the texts, each checked as it is read."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of strings, not {type(texts).__name__}")

    def checked() -> Iterator[str]:
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                kind = type(text).__name__
                raise InputError(f"texts: item {number} must be a str, not {kind}: {text!r:.60}")
            yield text

    return checked()


def _positions(deleted: Iterable[Any]) -> Iterator[Positions]:
    """Yield each text's deleted positions, in order, each once."""
    for each in deleted:
        if isinstance(each, str) or not isinstance(each, Iterable):
            raise InputError(f"deleted takes a list of positions for each text, not {each!r:.60}")
        numbers = [whole_number("deleted", number, least=0) for number in each]
        yield np.unique(np.array(numbers, np.intp))


def _move_to_padding(found: Relevance, at: int, deleted: Positions) -> None:
    """Let a document's deleted words have no relevance: what landed there is padding."""
    found.padding[at] += found.words[at][deleted].sum(axis=0, dtype=np.float64)
    found.words[at][deleted] = 0
    if found.elements:
        found.elements[at][deleted] = 0


def _next_name(names: Iterator[str | None]) -> str | None:
    for name in names:
        return None if name is None else str(name)
    raise InputError("there are fewer ids than texts")


def _shaped(values: NDArray[Any], asked: Question, copy: bool) -> NDArray[np.float32]:
    chosen = values[..., 0] if asked.single else values
    shaped: NDArray[np.float32] = chosen.astype(np.float32, copy=copy)
    return shaped


def _shaped_padding(padding: NDArray[np.float64], asked: Question) -> object:
    return float(padding[0]) if asked.single else padding
