"""An explanation's fields as a file has them, checked: what is read can be written in any format.

A row may be damaged, or written by another program. Whatever gets through here is drawn, listed
and written again without a second look.
"""

import json
import operator
from collections.abc import Mapping, ValuesView
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.base.printable import shown, storable
from whyword.explanation.formats.json import plain_value
from whyword.explanation.phrases import Phrases
from whyword.explanation.row import PHRASES, PREDICTED, Row, read_row
from whyword.words.document import Document

_LISTS = (list, tuple, np.ndarray)
_LARGEST: dict[type, float] = {  # of float64: what they add up to is a number still
    np.float32: float(np.finfo(np.float32).max),
    np.float64: 1e300,
}
_MOST_TRUNCATED = 2**31 - 1
_PLAIN = (str, float, bool, type(None))  # parameters that JSON has in any case
_DEEPEST = 20  # lists and objects in one another, of parameters


def read_fields(fields: Row) -> dict[str, Any]:
    """Return what an :class:`~whyword.explanation.Explanation` is made of; raise if unfit.

    Parameters
    ----------
    fields : mapping
        As a row of JSON, Parquet or a frame has them.
    """
    try:
        return _parts(read_row(fields))
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError, LookupError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"this is no explanation: {reason}") from None


def _parts(fields: Row) -> dict[str, Any]:
    several = isinstance(fields["padding"], _LISTS)
    document = _document(fields)
    classes = _labels("classes", fields["classes"])
    target, explained = _target(fields["target"], classes, several)
    shape = (len(explained),) if several else ()
    relevance = _numbers("relevance", fields["relevance"], np.float32)
    if not relevance.size:
        relevance = relevance.reshape(len(document), *shape)
    padding, constant = (
        _numbers(name, fields[name], np.float64) for name in ("padding", "constant")
    )
    scores, known = _numbers("scores", fields["scores"], np.float64), _flags(fields["known"])
    parameters = _parameters(fields["parameters"])
    against = parameters.get("against")
    conserves, model, identity = fields["conserves"], fields["model"], fields["id"]
    for fits, reason in (
        (known.shape == (len(document),) == relevance.shape[:1], "its words differ in number"),
        (relevance.ndim == 1 + several, "relevance and padding differ in shape"),
        (relevance.shape[1:] == shape, "relevance and targets differ in number"),
        (padding.shape == shape, "targets and padding differ in number"),
        (constant.shape == shape, "padding and constant differ in shape"),
        (scores.shape == (len(classes),), "scores and classes differ in number"),
        (isinstance(conserves, bool | np.bool_), "conserves is neither true nor false"),
        (against is None or _is_among(against, classes), "its target is none of its classes"),
        (_is_name(fields["method"]), "its method is no string, or holds half a surrogate pair"),
        (_is_missing(model) or _is_name(model), "its model is no string that names one"),
    ):
        if not fits:
            raise ValueError(reason)
    return {
        "document": document,
        "known": known,
        "classes": classes,
        "scores": scores,
        "target": target,
        "relevance": relevance,
        "padding": padding if several else float(padding),
        "constant": constant if several else float(constant),
        "conserves": bool(conserves),
        "method": fields["method"],
        "parameters": parameters,
        "model": None if _is_missing(model) else model,
        "id": _name(identity),
        "elements": _elements(fields.get("elements"), len(document), shape),
        "labels_predicted": _predicted(fields.get(PREDICTED.name), classes),
        "units": _phrases(fields, len(document.text), shape),
    }


def _document(fields: Row) -> Document:
    """Return the text and its words, which stand one after the other and within it."""
    content = fields["text"]
    if not isinstance(content, str):
        raise ValueError(f"its text is no string but {shown(content)}")
    spans, unread = (_spans(fields[name], len(content)) for name in ("spans", "unread"))
    truncated = fields["truncated"]
    if isinstance(truncated, float) and truncated.is_integer():  # as a column with gaps has it
        truncated = int(truncated)
    truncated = operator.index(truncated)
    if not 0 <= truncated <= _MOST_TRUNCATED:
        raise ValueError("its number of truncated words is none")
    document = Document(content, spans, truncated, unread)
    if list(fields["words"]) != document.words:
        raise ValueError("its words are not those at its spans")
    return document


def _spans(values: Any, length: int) -> NDArray[np.int32]:  # noqa: ANN401 - whatever a file has
    """Return where the words stand, (T, 2), in a text of so many letters."""
    spans = _pairs("spans", values)
    places = spans.ravel()
    if not (places[1:] >= places[:-1]).all():  # a difference of unsigned numbers is never below 0
        raise ValueError("its spans overlap or are out of order")
    if places.size and (places[0] < 0 or places[-1] > length):
        raise ValueError("its spans leave the text")
    return spans.astype(np.int32)


def _pairs(name: str, values: Any) -> NDArray[np.integer]:  # noqa: ANN401 - whatever a file has
    """Return pairs of whole numbers, (n, 2)."""
    pairs = _array(values)
    if pairs.dtype == object:
        listed = [tuple(pair) for pair in values]
        if any(len(pair) != 2 for pair in listed):
            raise ValueError(f"its {name} are no pairs of numbers")
        pairs = np.array(listed)
    if not pairs.size:
        return np.zeros((0, 2), np.int32)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"its {name} are no pairs of numbers")
    if pairs.dtype.kind not in "iu":
        raise ValueError(f"its {name} are no whole numbers")
    return pairs


def _array(values: Any) -> NDArray[Any]:  # noqa: ANN401 - lists, perhaps of arrays
    """Return nested lists as an array, as one of objects if they are uneven."""
    try:
        return np.array(values)
    except ValueError:
        return np.array(None)


def _name(identity: Any) -> str | None:  # noqa: ANN401 - whatever a file has
    """Return what the document is called, if it has a name: ids may be numbers, dates, UUIDs."""
    if isinstance(identity, str):
        return identity
    try:
        return None if _is_missing(identity) else str(identity)
    except Exception as error:  # noqa: BLE001 - somebody's own str, or thousands of digits
        raise ValueError(f"its id cannot be written: {error}") from None


def _labels(name: str, values: Any) -> tuple[Label, ...]:  # noqa: ANN401 - whatever a file has
    """Return labels: all strings, all numbers or all true or false; each once."""
    if not isinstance(values, _LISTS):
        raise ValueError(f"its {name} are no list")
    labels = tuple(one.item() if isinstance(one, np.generic) else one for one in values)
    kinds = {type(label) for label in labels}
    if not (kinds in ({str}, {bool}) or (kinds and kinds <= {int, float})):
        raise ValueError(f"its {name} must be all strings or all numbers, not {shown(labels)}")
    if len(set(labels)) < len(labels):
        raise ValueError(f"its {name} name one twice")
    most = 2**63 - 1 if kinds == {int} else 2**53
    for label in labels:
        if isinstance(label, str) and storable(label) != label:
            raise ValueError(f"its {name} hold half a surrogate pair: {shown(label)}")
        if isinstance(label, int | float) and not -most <= label <= most:
            raise ValueError(f"its {name} are too large: {shown(label)}")
    return labels


def _target(
    given: Any,  # noqa: ANN401 - whatever a file has
    classes: tuple[Label, ...],
    several: bool,
) -> tuple[Label | tuple[Label, ...], tuple[Label, ...]]:
    """Return the target as an explanation has it, and the classes it stands for."""
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, _LISTS):
        explained = target = _labels("targets", given)
    else:
        target, explained = given, classes if several else (given,)
    fits = several if isinstance(given, _LISTS) else not several or given == "all"
    if not fits:
        raise ValueError("targets and padding differ in number")
    if not all(_is_among(label, classes) for label in explained):
        raise ValueError("its target is none of its classes")
    return target, explained


def _predicted(
    given: Any,  # noqa: ANN401 - whatever a file has
    classes: tuple[Label, ...],
) -> tuple[Label, ...] | None:
    """Return the labels predicted, of a model with several; of one class, scores say which."""
    if not isinstance(given, _LISTS):
        return None
    labels = tuple(one.item() if isinstance(one, np.generic) else one for one in given)
    if not all(_is_among(label, classes) for label in labels) or len(set(labels)) < len(labels):
        raise ValueError("what is predicted is no list of its classes, each once")
    return labels


def _is_among(label: object, classes: tuple[Label, ...]) -> bool:
    return isinstance(label, Label) and label in classes


def _is_name(value: object) -> bool:
    """Whether it is a string that any file can hold."""
    return isinstance(value, str) and storable(value) == value


def _is_missing(value: object) -> bool:
    """Whether there is none: frames have NaN, NaT or NA for it."""
    if value is None or isinstance(value, (str, bool, np.bool_, *_LISTS)):
        return value is None
    differs = value != value
    return differs is value or bool(differs)  # of NA even that is NA


def _numbers(
    name: str,
    values: Any,  # noqa: ANN401 - lists, perhaps of arrays
    kind: type[np.float32 | np.float64],
) -> NDArray[Any]:
    """Return nested lists as an array; what is no number (null) becomes NaN."""
    largest = _LARGEST[kind]
    if type(values) is float and abs(values) <= largest:
        return np.array(values, kind)
    array = _array(values)
    if array.dtype == object:
        array = np.array(_as_lists(values))
        numbers = all(one is None or type(one) in (int, float) for one in array.ravel().tolist())
        array = array.astype(np.float64) if numbers else np.array("")
    if array.dtype.kind not in "fiu":
        raise ValueError(f"its {name} are no numbers: {shown(values)}")
    array = array.astype(np.float64, copy=False)
    if not np.abs(array).max(initial=0) <= largest:  # too large, or no number
        # as JSON has it; and NaN of a damaged file may be of the kind that signals
        array[~np.isfinite(array)] = np.nan
        if np.nan_to_num(np.abs(array)).max() > largest:
            raise ValueError(f"its {name} are beyond ±{largest:.3g}")
    return array.astype(kind, copy=False)


def _flags(values: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - whatever a file has
    array = np.array(list(values))
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind not in "fiu" or not ((array == 0) | (array == 1)).all():
        raise ValueError("whether its words are known must be true or false")
    return array.astype(np.bool_)


def _elements(
    values: Any,  # noqa: ANN401 - whatever a file has
    words: int,
    shape: tuple[int, ...],
) -> NDArray[np.float32] | None:
    """Return the relevance of input dimensions, (T, D) or (T, D, K), if there is any."""
    if _is_missing(values):
        return None
    elements = _numbers("elements", values, np.float32)
    if not elements.size:
        wide = elements.shape[1] if elements.ndim > 1 else 0
        elements = elements.reshape(words, wide, *shape) if not words else elements
    if elements.ndim != 2 + len(shape) or len(elements) != words or elements.shape[2:] != shape:
        raise ValueError("its elements differ in number")
    return elements


def _phrases(fields: Row, length: int, shape: tuple[int, ...]) -> Phrases | None:
    """Return the phrases, if there are any: names, where they stand, (P,) or (P, K) numbers."""
    given: list[Any] = [fields.get(field.name) for field in PHRASES]
    if all(_is_missing(values) for values in given):
        return None
    if any(_is_missing(values) for values in given):
        raise ValueError("of its phrases, names, spans or relevance are missing")
    names = list(given[0])
    if not all(_is_name(name) for name in names):
        raise ValueError("its phrases have names that are no strings")
    spans = _pairs("phrase_spans", given[1])
    if spans.size and not (spans[:, 0].min() >= 0 and spans.max() <= length):
        raise ValueError("its phrases leave the text")
    if (spans[:, 0] > spans[:, 1]).any():
        raise ValueError("its phrases end before they begin")
    relevance = _numbers("phrase_relevance", given[2], np.float32)
    if not relevance.size:
        relevance = relevance.reshape(len(names), *shape)
    if len(spans) != len(names) or relevance.shape != (len(names), *shape):
        raise ValueError("its phrases differ in number")
    return Phrases(names, spans.astype(np.int32), relevance)


def _as_lists(values: Any) -> Any:  # noqa: ANN401 - arrays of arrays, as frames have them
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return list(map(_as_lists, values)) if isinstance(values, list | tuple) else values


def _parameters(given: object) -> dict[str, Any]:
    """Return a method's parameters, such as JSON can hold."""
    if not isinstance(given, Mapping):
        raise ValueError(f"its parameters are no object but {shown(given)}")
    parameters = {str(name): value for name, value in given.items()}
    if all(type(value) in _PLAIN for value in parameters.values()):
        return parameters
    if _depth(parameters, _DEEPEST) > _DEEPEST:
        raise ValueError("its parameters are nested beyond reason")
    json.dumps(plain_value(parameters, short=False))
    return parameters


def _depth(value: object, most: int) -> int:
    """Return how deep lists and objects stand in one another, counted to one beyond the most."""
    inner = value.values() if isinstance(value, Mapping) else value
    if most < 0 or not isinstance(inner, (*_LISTS, ValuesView)):
        return 0
    return 1 + max((_depth(one, most - 1) for one in inner), default=0)
