"""Explain: from a model and texts to the relevance of their words."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import repeat, tee
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import (
    check_no_frame,
    flag,
    items,
    no_string,
    one_each,
    strings,
    whole_number,
)
from whyword.base.errors import Argument, InputError, WhywordError
from whyword.explanation.explanation import Explanation
from whyword.explanation.explanations import Explanations
from whyword.explanation.filters import FilterExplanation
from whyword.methods.phrases import LaterPhrases, for_targets
from whyword.methods.request import FILTER, WORD, Answer, Request
from whyword.methods.targets import PREDICTED
from whyword.models.abilities import Hashed
from whyword.models.multilabel import predicted_sets
from whyword.models.protocol import Positions, Trace
from whyword.words.document import Text


@overload  # a str is an iterable of str, too, but the first form that fits is taken
def explain(  # type: ignore[overload-overlap]
    model: object,
    texts: str,
    target: object = ...,
    *,
    targets: Iterable[Any] | None = ...,
    against: object = ...,
    top: int | None = ...,
    method: str | None = ...,
    level: Literal["word", "phrase", "element"] = ...,
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
    top: int | None = ...,
    method: str | None = ...,
    level: Literal["word", "phrase", "element"] = ...,
    strict: bool = ...,
    ids: Iterable[Any] | None = ...,
    deleted: Iterable[Any] | None = ...,
    **parameters: float | str,
) -> Explanations: ...
@overload  # of filters: with the same options
def explain(
    model: object,
    texts: str,
    target: object = ...,
    *,
    level: Literal["filter"],
    **options: Any,  # noqa: ANN401
) -> FilterExplanation: ...
@overload
def explain(
    model: object,
    texts: Iterable[str],
    target: object = ...,
    *,
    level: Literal["filter"],
    **options: Any,  # noqa: ANN401
) -> list[FilterExplanation]: ...
def explain(
    model: object,
    texts: str | Iterable[str],
    target: object = PREDICTED,
    *,
    targets: Iterable[Any] | None = None,
    against: object = None,
    top: int | None = None,
    method: str | None = None,
    level: str = WORD,
    strict: bool = False,
    ids: Iterable[Any] | None = None,
    deleted: Iterable[Any] | None = None,
    **parameters: float | str,
) -> Explanation | Explanations | FilterExplanation | list[FilterExplanation]:
    """Say which words made the model say that.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : str or iterable of str
    target : "predicted", "all", a label or several of them
        The class that is explained. Several give relevance of shape (words, classes).
    targets : iterable of labels, optional
        One class per document, instead of `target`.
    against : label, optional
        Explain why the target rather than this class: the difference of the two.
    top : int, optional
        Explain each document's so many classes with the highest scores, instead of `target`; the
        explanation's `target` has them, the highest first.
    method : str, optional
        "lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion" or "random"; by
        default the first of these that the model is able to.
    level : {"word", "phrase", "element", "filter"}
        "phrase" gives the relevance of what the model used as units, too: windows of words, or
        n-grams; "element" that of each dimension of the input vectors; "filter" that of a
        network's filters, and the words that made them fire.
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
        Of the method. "lrp": ``epsilon=0.01`` and ``bias="shared"`` or ``"apart"``, or what the
        model's own rule has; "integrated_gradients": ``steps=50``; "random": ``seed=0``.

    Returns
    -------
    Explanation for one text, Explanations for several
        (FilterExplanation and a list of them for ``level="filter"``)

    Examples
    --------
    ::

        explain(model, "The shuttle reached orbit.").by_word()
        explain(model, text, target="sci.space", against="sci.med")
        explain(model, texts, target="all").to_parquet("why.parquet")
    """
    several = [texts] if isinstance(texts, str) else strings("texts", texts)
    count = len(several)
    each = None if targets is None else one_each("targets", targets, count)
    asked = {"targets": each, "against": against, "level": level, "parameters": parameters}
    request = _request(model, target, method, top, **asked)
    names = None if ids is None else one_each("ids", ids, count)
    strict = flag("strict", strict)
    if request.level == FILTER:
        if deleted is not None:
            raise InputError(
                "deleted words are for explanations by word, not for ", Argument("level", FILTER)
            )
        filters = list(_filter_explanations(request, several, strict, names))
        return filters[0] if isinstance(texts, str) else filters
    if deleted is not None:
        given = one_each("deleted", [deleted] if isinstance(texts, str) else deleted, count)
        deleted = list(_positions(given))  # all there: what is wrong is better said now
    blocks = explain_blocks(request, several, strict=strict, ids=names, deleted=deleted)
    explanations = Explanations(one for _, block in blocks for one in block)
    return explanations[0] if isinstance(texts, str) else explanations


def iter_explanations(
    model: object,
    texts: Iterable[str],
    target: object = PREDICTED,
    *,
    targets: Iterable[Any] | None = None,
    against: object = None,
    top: int | None = None,
    method: str | None = None,
    level: str = WORD,
    strict: bool = False,
    ids: Iterable[Any] | None = None,
    deleted: Iterable[Any] | None = None,
    **parameters: float | str,
) -> Iterator[Explanation]:
    """Yield the explanations one after the other, as :func:`explain` gives them.

    Texts are read, and relevance is held, a block at a time, so that they may be endless.
    """
    asked = {"targets": targets, "against": against, "level": level, "parameters": parameters}
    request = _request(model, target, method, top, **asked)
    return iter_answers(request, texts, strict=strict, ids=ids, deleted=deleted)


def _request(
    model: object,
    target: object,
    method: str | None,
    top: int | None,
    **asked: Any,  # noqa: ANN401
) -> Request:
    """Return what is asked for; in errors `top` has the name that it has here."""
    try:
        return Request.of(model, target, method, top_classes=top, **asked)
    except WhywordError as error:
        error.replace_arguments(
            lambda one: (
                replace(one, name="top") if one.name == "top_classes" and not one.of else one
            )
        )
        raise


def iter_answers(
    request: Request,
    texts: Iterable[str],
    *,
    strict: bool = False,
    ids: Iterable[Any] | None = None,
    deleted: Iterable[Any] | None = None,
) -> Iterator[Explanation]:
    """Yield the explanations that a request asks for, as :func:`iter_explanations` does."""
    if request.level == FILTER:
        raise InputError(
            Argument("level", FILTER), " is for explain; explanations of filters are not iterated"
        )
    checked = check_texts(texts)
    names = None if ids is None else items("ids", ids)
    gone = None if deleted is None else items("deleted", deleted)
    strict = flag("strict", strict)
    blocks = explain_blocks(request, checked, strict=strict, ids=names, deleted=gone, copy=True)
    return (one for _, block in blocks for one in block)


def explain_blocks(
    request: Request,
    texts: Iterable[Text],
    *,
    strict: bool = False,
    ids: Iterable[Any] | None = None,
    deleted: Iterable[Any] | None = None,
    copy: bool = False,
) -> Iterator[tuple[Trace, Iterator[Explanation]]]:
    """Yield each block's trace and what yields its documents' explanations.

    Parameters
    ----------
    request : Request
    texts : iterable of str or Document
        Documents that the request's model made of texts are not read again.
    strict, ids, deleted
        As for :func:`explain`.
    copy : bool
        Let an explanation that is kept not keep its whole block.
    """
    names = _Names(ids)
    gone: Iterator[Positions] | None = None
    again: Iterator[Positions | None] = repeat(None)
    if deleted is not None:
        gone, again = tee(_positions(deleted))
    about = _about(request)
    for answer in request.answers(texts, gone):
        explanations = _explanations(request, answer, about, names, again, copy)
        yield answer.trace, (one.check() for one in explanations) if strict else explanations


def _explanations(
    request: Request,
    answer: Answer,
    about: dict[str, Any],
    names: "_Names",
    deleted: Iterator[Positions | None],
    copy: bool,
) -> Iterator[Explanation]:
    """Yield the explanations of a block."""
    trace, targets, relevance = answer
    single = request.target.single
    later = LaterPhrases.of(request)
    said = predicted_sets(trace, request.target.labels)
    for at, (document, chosen) in enumerate(zip(trace.documents, targets.tolist(), strict=True)):
        positions = next(deleted)
        recorded = dict(trace.recorded(at))
        if positions is not None and len(positions):
            recorded["deleted"] = positions.tolist()
            relevance.move_to_padding(at, positions)
        more = about | {"parameters": about["parameters"] | recorded} if recorded else about
        elements, phrases = relevance.elements, relevance.phrases
        yield Explanation(
            document=document,
            known=trace.known[at],
            scores=trace.scores[at],
            target=request.target.labels_for(chosen),
            relevance=_per_word(relevance.words[at], single, copy),
            padding=_per_target(relevance.padding[at], single),
            constant=_per_target(relevance.constant[at], single),
            id=names.next(),
            labels_predicted=said[at],
            elements=None if elements is None else _per_word(elements[at], single, copy),
            units=None if phrases is None else for_targets(phrases[at], single),
            ask_units=(
                None
                if later is None
                else later.question(document, trace.scores[at], chosen, positions)
            ),
            **more,
        )


def _filter_explanations(
    request: Request, texts: Iterable[str], strict: bool, ids: Iterable[Any] | None
) -> Iterator[FilterExplanation]:
    """Yield which filters of a network spoke for the target."""
    names, about, single = _Names(ids), _about(request), request.target.single
    for trace, targets, relevance in request.filter_answers(texts):
        activations, starts, widths = trace.filters()
        said = predicted_sets(trace, request.target.labels)
        for at, values in enumerate(relevance.filters):
            explanation = FilterExplanation(
                document=trace.documents[at],
                scores=trace.scores[at],
                target=request.target.labels_for(targets[at].tolist()),
                relevance=_per_word(values, single, copy=False),
                padding=_per_target(np.zeros(values.shape[1]), single),
                constant=_per_target(relevance.constant[at], single),
                id=names.next(),
                labels_predicted=said[at],
                activations=activations[at],
                starts=starts[at],
                widths=widths.copy(),
                **about,
            )
            yield explanation.check() if strict else explanation


def _about(request: Request) -> dict[str, Any]:
    """Return what the explanations of a request have in common."""
    model = request.model
    return {
        "classes": request.target.labels,
        "method": request.method.name,
        "parameters": request.recorded,
        "conserves": request.conserves,
        "model": model.lazy_identity() if isinstance(model, Hashed) else model.identity,
    }


def check_texts(texts: Iterable[str]) -> Iterator[str]:
    """Return the texts, each checked as it is read."""
    check_no_frame("texts", texts)
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        kind = "one string" if isinstance(texts, str) else type(texts).__name__
        raise InputError(Argument("texts"), f" must be a list of strings, not {kind}")
    remaining = items("texts", texts, "a list of strings")

    def check_each() -> Iterator[str]:
        for number, text in enumerate(remaining):
            if not isinstance(text, str):
                raise no_string("texts", number, text)
            yield text

    return check_each()


def _positions(deleted: Iterable[Any]) -> Iterator[Positions]:
    """Yield each text's deleted positions, in order, each once."""
    for each in deleted:
        positions = items("deleted", each, "a list of positions for each text")
        numbers = [whole_number("deleted", number, least=0) for number in positions]
        yield np.unique(np.array(numbers, np.intp))


class _Names:
    """The documents' names, one after the other; None for all if there are none."""

    def __init__(self, ids: Iterable[Any] | None) -> None:
        self._remaining: Iterator[Any] = repeat(None) if ids is None else iter(ids)

    def next(self) -> str | None:
        """Return the next; raise if there is none left."""
        for name in self._remaining:
            return None if name is None else str(name)
        raise InputError("there are fewer ", Argument("ids"), " than texts")


def _per_word(values: NDArray[Any], single: bool, copy: bool) -> NDArray[np.float32]:
    chosen = values[..., 0] if single else values
    shaped: NDArray[np.float32] = chosen.astype(np.float32, copy=copy)
    return shaped


def _per_target(values: NDArray[np.float64], single: bool) -> object:
    return float(values[0]) if single else values
