"""Explanations as data of other tools, and back: JSON, Parquet, pandas, shap.

An explanation is here a dict with the names of its JSON form, its arrays as they are:
``id, text, words, spans, known, truncated, classes, scores, target, relevance, residual, padding,
method, parameters, model`` (and ``elements``, if they were asked for).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError, MissingExtraError
from whyword.base.printable import storable

Fields: TypeAlias = dict[str, Any]

NAMES = (
    *("id", "text", "words", "spans", "known", "truncated", "classes", "scores", "target"),
    *("relevance", "residual", "padding", "method", "parameters", "model"),
)
_BLOCK = 256  # rows of a Parquet file's row group
_FLOATS = ("relevance", "elements")  # float32: nine digits are all there is to them


# ---- JSON -------------------------------------------------------------------------------------


def as_json(fields: Fields, indent: int | None = None) -> str:
    """Return one explanation as JSON; what is no number becomes null."""
    plain = {name: _plain(value, name in _FLOATS) for name, value in fields.items()}
    return json.dumps(plain, ensure_ascii=False, indent=indent, allow_nan=False)


def from_json(text: str) -> Fields:
    """Return the explanation that :func:`as_json` wrote."""
    try:
        fields = json.loads(text)
    except RecursionError:
        raise InputError("this is not JSON of ours: it is nested too deeply") from None
    except ValueError as error:
        several = "; for several lines take Explanations.from_json" if "Extra" in str(error) else ""
        raise InputError(f"this is not JSON: {error}{several}") from None
    return checked(fields)


def checked(fields: object) -> Fields:
    """Return the fields; raise if they are not those of an explanation."""
    if not isinstance(fields, dict):
        raise InputError(f"an explanation is a JSON object, not {type(fields).__name__}")
    missing = [name for name in NAMES if name not in fields]
    if missing:
        raise InputError(f"this is no explanation: {', '.join(missing)} missing")
    return fields


def _plain(value: Any, short: bool) -> Any:  # noqa: ANN401 - whatever JSON has
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(item, short) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, short) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if not np.isfinite(value):
            return None
        return float(f"{value:.9g}") if short else value
    return storable(value) if isinstance(value, str) else value


# ---- Parquet ----------------------------------------------------------------------------------


def write_parquet(explanations: Iterable[Fields], path: Path) -> int:
    """Write a Parquet file, one row an explanation, a block at a time; return how many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    remaining = iter(explanations)
    first = list(islice(remaining, 1))
    if not first:
        raise InputError("there are no explanations to write")
    schema = _schema(first[0])
    rows = chain(first, remaining)
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while block := list(islice(rows, _BLOCK)):
            arrays = [_column([row[field.name] for row in block], field) for field in schema]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(block)
    return count


def read_parquet(path: Path) -> Iterator[Fields]:
    """Yield the explanations of a Parquet file, a block at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(_BLOCK):
                for row in batch.to_pylist():
                    yield _of_row(row)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} is damaged or no Parquet file ({reason})") from None


def _of_row(row: Fields) -> Fields:
    fields = checked(dict(row))
    if fields.get("left_out") is not None:  # words that a file of the strongest ones has not
        fields["padding"] = np.add(fields["padding"], fields["left_out"])
    if isinstance(fields["parameters"], str):
        try:
            fields["parameters"] = json.loads(fields["parameters"])
        except ValueError as error:
            raise InputError(
                f"this is no explanation: its parameters are no JSON: {error}"
            ) from None
    return fields


def _column(values: list[Any], field: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the values of one column as an Arrow array."""
    import pyarrow as pa

    if field.name == "parameters":
        values = [parameters_text(value) for value in values]
    elif field.name == "words":
        values = [[storable(word) for word in words] for words in values]
    elif all(isinstance(value, np.ndarray) for value in values):
        return _lists(values, field.type)
    elif field.name in ("id", "text"):
        values = [value and storable(value) for value in values]
    try:
        return pa.array(values, field.type)
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"Parquet cannot hold the column {field.name!r}: {error}") from None


def _lists(values: list[Any], kind: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return arrays as an Arrow array of lists."""
    firsts = np.cumsum([0, *map(len, values)])
    return arrow_lists(np.concatenate(values), firsts).cast(kind)


def arrow_lists(values: Any, firsts: NDArray[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an Arrow array of lists, without a Python object for each number.

    Parameters
    ----------
    values : Arrow array, or array of any number of dimensions
        The rows of one of several dimensions are lists themselves.
    firsts : (lists + 1,) int
        List d is ``values[firsts[d]:firsts[d + 1]]``.
    """
    import pyarrow as pa

    if isinstance(values, np.ndarray) and values.ndim > 1:
        count, width = values.shape[:2]
        values = arrow_lists(values.reshape(-1, *values.shape[2:]), np.arange(count + 1) * width)
    elif isinstance(values, np.ndarray):
        values = pa.array(np.ascontiguousarray(values))
    return pa.ListArray.from_arrays(pa.array(firsts.astype(np.int32)), values)


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Return a method's parameters as Parquet has them: JSON."""
    return json.dumps(_plain(parameters, short=False), ensure_ascii=False)


def _schema(fields: Fields) -> Any:  # noqa: ANN401 - pyarrow has no types
    return parquet_schema(
        fields["classes"],
        target=fields["target"],
        several=isinstance(fields["residual"], np.ndarray),
        method=fields["method"],
        parameters=fields["parameters"],
        model=fields["model"],
        elements="elements" in fields,
    )


def parquet_schema(
    classes: Sequence[Any],
    *,
    target: object,
    several: bool,
    method: str,
    parameters: Mapping[str, Any],
    model: str | None,
    elements: bool = False,
    top: int | None = None,
) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the columns' types; they depend on the labels and on the number of targets.

    Parameters
    ----------
    classes : sequence of labels
    target : label or several
    several : bool
        Whether relevance is (T, K).
    method, parameters, model
        What the file says of itself.
    elements : bool
        Whether there is relevance of input dimensions.
    top : int, optional
        How many words there are of each document; what the others have is a column, too.
    """
    import pyarrow as pa

    try:
        label = pa.infer_type(list(classes))
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"Parquet cannot hold these classes: {error}") from None
    number = pa.float64()
    per_target = pa.list_(number) if several else number
    nested = pa.list_(pa.list_(pa.float32())) if several else pa.list_(pa.float32())
    is_list = isinstance(target, list | tuple)
    types = {
        "id": pa.string(),
        "text": pa.string(),
        "words": pa.list_(pa.string()),
        "spans": pa.list_(pa.list_(pa.int32())),
        "known": pa.list_(pa.bool_()),
        "truncated": pa.int32(),
        "classes": pa.list_(label),
        "scores": pa.list_(pa.float64()),
        "target": pa.list_(label) if is_list else pa.infer_type([target]),
        "relevance": nested,
        "residual": per_target,
        "padding": per_target,
        "method": pa.string(),
        "parameters": pa.string(),
        "model": pa.string(),
    }
    if elements:
        inner = pa.list_(pa.list_(pa.float32()))
        types["elements"] = pa.list_(inner) if several else inner
    about = {
        "whyword": version("whyword"),
        "method": method,
        "parameters": parameters_text(parameters),
        "model": model or "",
    }
    if top is not None:
        types["left_out"] = per_target
        about["top"] = str(top)
    return pa.schema(list(types.items()), metadata=about)


# ---- pandas -----------------------------------------------------------------------------------


def frame(explanations: Sequence[Fields], targets: Sequence[object], by: str) -> Any:  # noqa: ANN401 - pandas is optional
    """Return a pandas DataFrame with a row for each word, or for each document."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("pandas", "frames") from None
    if by == "document":
        rows = [
            {
                **fields,
                "id": fields["id"] and storable(fields["id"]),
                "spans": fields["spans"].tolist(),
                "text": storable(fields["text"]),
            }
            for fields in explanations
        ]
        return pd.DataFrame(rows, columns=list(rows[0]) if rows else list(NAMES))
    if by != "word":
        raise InputError(f"by may be 'word' or 'document', not {by!r}")
    parts = [_word_rows(fields, targets) for fields in explanations]
    empty = _word_rows(_NOTHING, ())
    names = parts[0] if parts else empty
    return pd.DataFrame(
        {name: np.concatenate([part[name] for part in parts]) for name in names} if parts else empty
    )


_NOTHING: Fields = {
    "id": None,
    "words": (),
    "spans": np.empty((0, 2), np.int32),
    "known": np.empty(0, np.bool_),
    "target": None,
    "relevance": np.empty(0, np.float32),
}


def _word_rows(fields: Fields, targets: Sequence[object]) -> dict[str, Any]:
    count = len(fields["words"])
    rows = {
        "id": np.full(count, fields["id"] and storable(fields["id"]), object),
        "position": np.arange(count),
        "word": np.array([storable(word) for word in fields["words"]], object),
        "start": fields["spans"][:, 0],
        "end": fields["spans"][:, 1],
        "known": fields["known"],
    }
    relevance = fields["relevance"]
    if relevance.ndim == 1:
        return rows | {"target": np.full(count, fields["target"], object), "relevance": relevance}
    names = (str(target) for target in targets)
    free = (f"relevance of {name}" if name in rows else name for name in names)
    return rows | {name: relevance[:, k] for k, name in enumerate(free)}


def of_frame(table: Any) -> Iterator[Fields]:  # noqa: ANN401 - pandas is optional
    """Yield the explanations of a DataFrame with a row for each document."""
    if "text" not in table.columns:
        raise InputError("this frame has no text; make it with to_frame(by='document')")
    for row in table.to_dict("records"):
        yield _of_row(row)


# ---- shap -------------------------------------------------------------------------------------


def as_shap(fields: Fields, names: Sequence[str]) -> Any:  # noqa: ANN401 - shap is optional
    """Return a ``shap.Explanation``: values per word, and pieces that make up the text.

    Each piece is a word with what follows it (the first with what precedes it too), as shap's
    text plots want them; the words themselves are the ``feature_names``.
    """
    try:
        import shap
    except ImportError:
        raise MissingExtraError("shap", "shap") from None
    if not fields["words"]:
        raise InputError("there is no word in this text, and shap has no explanation of nothing")
    text, starts = fields["text"], fields["spans"][:, 0].tolist()
    cuts = [0, *starts[1:], len(text)]
    pieces = [text[a:b] for a, b in pairwise(cuts)]
    relevance = np.asarray(fields["relevance"], np.float64)
    base = np.asarray(fields["residual"]) + np.asarray(fields["padding"])
    return shap.Explanation(
        values=relevance,
        base_values=base if relevance.ndim == 2 else float(base),
        data=np.array(pieces, object),
        feature_names=list(fields["words"]),
        output_names=list(names) if relevance.ndim == 2 else None,  # shap takes no single name
    )


def of_shap(explanation: Any) -> Fields:  # noqa: ANN401 - shap is optional
    """Return the explanation of one text that shap made, or that :func:`as_shap` wrote.

    Where shap's features are pieces of the text, the words are the pieces without the white space
    around them; what shap calls the base value is the residual.
    """
    try:
        return _of_shap(explanation)
    except (ValueError, TypeError, AttributeError, IndexError):
        raise InputError(
            "this is not shap's explanation of one text; take one of them: result[0]"
        ) from None


def _of_shap(explanation: Any) -> Fields:  # noqa: ANN401 - shap is optional
    values = np.asarray(explanation.values, np.float32)
    pieces = [str(piece) for piece in explanation.data]
    if values.ndim not in (1, 2) or len(pieces) != len(values):
        raise ValueError("values and pieces differ")
    names = explanation.feature_names
    wanted = list(names) if names is not None and len(names) == len(pieces) else pieces
    spans, start = [], 0
    for piece, name in zip(pieces, wanted, strict=True):
        word = name if name in piece else piece.strip()
        first = start + piece.index(word)
        spans.append([first, first + len(word)])
        start += len(piece)
    text = "".join(pieces)
    outputs = explanation.output_names
    single = values.ndim == 1
    labels = [outputs if isinstance(outputs, str) else "output"] if single else outputs
    labels = [str(n) for n in range(values.shape[1])] if labels is None else list(labels)
    base = np.asarray(explanation.base_values, np.float64).reshape(-1)
    if single:
        base = base[:1]
    return {
        "id": None,
        "text": text,
        "words": [text[a:b] for a, b in spans],
        "spans": np.array(spans, np.int32).reshape(-1, 2),
        "known": np.ones(len(spans), np.bool_),
        "truncated": 0,
        "classes": labels,
        "scores": base + values.sum(axis=0, dtype=np.float64),
        "target": labels[0] if single else "all",
        "relevance": values,
        "residual": float(base[0]) if single else base,
        "padding": 0.0 if single else np.zeros(len(labels)),
        "method": "shap",
        "parameters": {},
        "model": None,
    }
