"""THE row of an explanation: its fields in order, their types, and how they add up.

JSON, Parquet, frames, the files of runs over corpora, the web's answers and the docs have the
fields of :data:`FIELDS`, in this order. Of every document and target,

    score = Σ relevance + padding + constant + residual.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import ConservationError, InputError
from whyword.base.json import parse_json
from whyword.base.labels import Label

Row: TypeAlias = dict[str, Any]  # by the names of the fields, arrays as they are

TOLERANCE = 1e-4  # of the residual, relative to max(1, |score|)


class Field(NamedTuple):
    """A field of the row.

    Attributes
    ----------
    name : str
    element : {"string", "json", "label", "bool", "int32", "float32", "float64"}
        What it consists of.
    shape : str
        A letter for each dimension: T words, R ranges, P phrases, D input dimensions, C classes,
        K targets, L labels.
        With a single target there is no K.
    meaning : str
        One line for the docs.
    nullable : bool
        Whether there may be none.
    """

    name: str
    element: str
    shape: str
    meaning: str
    nullable: bool = False

    @property
    def type(self) -> str:
        """The type as the docs have it, as in "float32 (T, K)"."""
        shape = f" ({', '.join(self.shape)}{',' * (len(self.shape) == 1)})" if self.shape else ""
        return f"{self.element}{shape}{' or null' if self.nullable else ''}"

    @property
    def json_type(self) -> Any:  # noqa: ANN401 - a type, or a union of several
        """The Python type of the field's JSON form."""
        kind = _nested_list(_JSON_TYPES[self.element], len(self.shape))
        if "K" in self.shape:
            kind = _nested_list(_JSON_TYPES[self.element], len(self.shape) - 1) | kind
        return kind | None if self.nullable else kind

    def arrow_type(self, label: Any, several: bool) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return the type of the column in Parquet.

        Parameters
        ----------
        label : Arrow type
            Of the classes.
        several : bool
            Whether there are several targets.
        """
        import pyarrow as pa

        names = {"string": pa.string, "json": pa.string, "bool": pa.bool_, "int32": pa.int32}
        names |= {"float32": pa.float32, "float64": pa.float64}
        kind = label if self.element == "label" else names[self.element]()
        for _ in self.shape if several else self.shape.replace("K", ""):
            kind = pa.list_(kind)
        return kind


_JSON_TYPES: Mapping[str, Any] = {
    "string": str,
    "json": dict[str, Any],
    "label": Label,
    "bool": bool,
    "int32": int,
    "float32": float | None,  # None for what is no number
    "float64": float | None,
}


def _nested_list(kind: Any, depth: int) -> Any:  # noqa: ANN401 - types
    return list[_nested_list(kind, depth - 1)] if depth else kind  # type: ignore[misc]


FIELDS = (
    Field("id", "string", "", "what the document is called", nullable=True),
    Field("text", "string", "", "as passed; of mails and pages that the model decodes, decoded"),
    Field("words", "string", "T", "the words that the model read, as they stand in the text"),
    Field("spans", "int32", "T2", "where: [start, end) in Unicode code points of the text"),
    Field("known", "bool", "T", "whether the model reads it and has a vector (a weight) for it"),
    Field("truncated", "int32", "", "how many words beyond `max_words` were not read"),
    Field("unread", "int32", "R2", "what was not read, [start, end): removed parts, ignored words"),
    Field("classes", "label", "C", "all classes of the model"),
    Field("scores", "float64", "C", "the model's score of each class"),
    Field("target", "label", "K", 'the class explained, several, or "all"'),
    Field("relevance", "float32", "TK", "what each word says for the target, never normalised"),
    Field("residual", "float64", "K", "score − Σ relevance − padding − constant"),
    Field("padding", "float64", "K", "what landed on no word of the text"),
    Field("constant", "float64", "K", "what biases said, where the method does not share them out"),
    Field("conserves", "bool", "", "whether the method promises a residual of rounding only"),
    Field("method", "string", "", "by which it was explained"),
    Field("parameters", "json", "", "of the method; a contrast's class is `against`"),
    Field("model", "string", "", "the model's identity", nullable=True),
)
ELEMENTS = Field("elements", "float32", "TDK", "of each input dimension, if it was asked for")
PHRASES = (
    Field("phrases", "string", "P", "what the model used as units, if it was asked for"),
    Field("phrase_spans", "int32", "P2", "where: [start, end) in code points; they may overlap"),
    Field("phrase_relevance", "float32", "PK", "what each says; they add up as the words do"),
)
PREDICTED = Field("predicted", "label", "L", "of a model with several labels: those predicted")
LEFT_OUT = Field("left_out", "float64", "K", "Σ relevance of the words that `top` left out")

NAMES = tuple(field.name for field in FIELDS)
OPTIONAL = (PREDICTED, ELEMENTS, *PHRASES, LEFT_OUT)  # fields that not every row has
BY_NAME: Mapping[str, Field] = {field.name: field for field in (*FIELDS, *OPTIONAL)}
_ADDED = ("constant", "conserves", "unread")  # after the first files were written


# ---- how it adds up ---------------------------------------------------------------------------


def target_scores(
    scores: NDArray[np.float64], targets: NDArray[np.integer], against: int | None = None
) -> NDArray[np.float64]:
    """Return what is decomposed: the targets' scores; of a contrast, the differences.

    Parameters
    ----------
    scores : (C,) or (documents, C) float64
    targets : (K,) or (documents, K) int
        Numbers of classes.
    against : int, optional
        The class of a contrast.

    Returns
    -------
    (K,) or (documents, K) float64
    """
    one = scores.ndim == 1
    chosen = scores[targets] if one else np.take_along_axis(scores, targets.astype(np.intp), axis=1)
    return chosen if against is None else chosen - scores[..., [against]]


def has_own_targets(target: object, parameters: Mapping[str, Any]) -> bool:
    """Return whether several targets are a document's own, those with its highest scores."""
    return isinstance(target, list | tuple) and "top_classes" in parameters


def relevance_sums(
    relevance: NDArray[np.float32], firsts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the sums over the words of each document, (documents, K), in float64.

    Parameters
    ----------
    relevance : (N, K) float32
        Of the words of all documents.
    firsts : (documents + 1,) int64
        The words of document d are ``relevance[firsts[d]:firsts[d + 1]]``.
    """
    count = len(firsts) - 1
    document = np.repeat(np.arange(count), np.diff(firsts))
    columns = [np.bincount(document, column, count) for column in relevance.T]
    return np.stack(columns, axis=1)


def residual_of(score: Any, relevance_sum: Any, padding: Any, constant: Any) -> Any:  # noqa: ANN401 - a number or an array of one shape
    """Return the residual of docs/method.md (10), of one target or of arrays of any shape."""
    return score - relevance_sum - padding - constant


def largest_residual(score: Any) -> Any:  # noqa: ANN401 - a number or an array
    """Return how large a residual of rounding may be: 1e-4·max(1, |score|), of each."""
    return TOLERANCE * np.maximum(1, np.abs(score))


def is_conserved(residual: Any, score: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - a number or an array
    """Return whether the residual is rounding, of each; False for what is no number."""
    fits: NDArray[np.bool_] = np.abs(residual) <= largest_residual(score)
    return fits


def check_conserved(residual: Any, score: Any, method: str, name: str | None = None) -> None:  # noqa: ANN401 - a number or an array
    """Raise a ConservationError if a residual is too large; `name` is the document's."""
    fits = is_conserved(residual, score)
    if not fits.all():
        worst = np.abs(np.atleast_1d(residual)[np.atleast_1d(~fits)]).max()
        raise ConservationError(
            f"{'' if name is None else f'{name}: '}relevance is not conserved: the residual is "
            f"{worst:.3g}, allowed are {TOLERANCE:g}·max(1, |score|) (method {method!r})"
        )


# ---- files ------------------------------------------------------------------------------------


def read_row(row: object) -> Row:
    """Return the fields of a row that was read from a file; raise if it is no explanation's."""
    if not isinstance(row, Mapping):
        raise InputError(f"an explanation is a JSON object, not {type(row).__name__}")
    missing = [name for name in NAMES if name not in row and name not in _ADDED]
    if missing:
        raise InputError(f"this is no explanation: {', '.join(missing)} missing")
    fields = dict(row)
    if isinstance(fields["parameters"], str):
        try:
            fields["parameters"] = parse_json(fields["parameters"], "the field")
        except InputError as error:
            raise InputError(
                f"this is no explanation: its parameters are no JSON: {error}"
            ) from None
    _complete(fields)
    if fields.get(LEFT_OUT.name) is not None:  # words that a file of the strongest ones has not
        try:
            fields["padding"] = np.add(fields["padding"], fields[LEFT_OUT.name])
        except (TypeError, ValueError):
            raise InputError("this is no explanation: left_out is no number like padding") from None
    return fields


def _complete(fields: Row) -> None:
    """Add what files did not say before there was something to say."""
    if _is_null(fields.get("unread")):
        fields["unread"] = []
    old = _is_null(fields.get("conserves"))  # null where old and new rows stand in one table
    if old:
        fields["conserves"] = conserves_by_old_rule(fields["method"], fields["parameters"])
    if "constant" not in fields or (old and _is_null(fields["constant"])):
        several = isinstance(fields["padding"], list | tuple | np.ndarray)
        fields["constant"] = np.zeros(len(fields["padding"])) if several else 0.0


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def conserves_by_old_rule(method: object, parameters: object) -> bool:
    """Return what ``conserves`` is where a file does not say it, as those written before do."""
    shared = isinstance(parameters, Mapping) and parameters.get("bias") == "shared"
    return method == "lrp" and shared
