"""shap's explanations, for its plots, and back."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from whyword.base.errors import InputError, MissingExtraError
from whyword.explanation.row import Row


def encode(row: Row, names: Sequence[str]) -> Any:  # noqa: ANN401 - shap is optional
    """Return a ``shap.Explanation``: values per word, and pieces that make up the text.

    Each piece is a word with what follows it (the first with what precedes it too), as shap's
    text plots want them; the words themselves are the ``feature_names``.
    """
    try:
        import shap
    except ImportError:
        raise MissingExtraError("shap", "shap") from None
    if not row["words"]:
        raise InputError("there is no word in this text, and shap has no explanation of nothing")
    text, starts = row["text"], row["spans"][:, 0].tolist()
    cuts = [0, *starts[1:], len(text)]
    pieces = [text[a:b] for a, b in pairwise(cuts)]
    relevance = np.asarray(row["relevance"], np.float64)
    base = np.asarray(row["residual"]) + row["padding"] + row["constant"]
    return shap.Explanation(
        values=relevance,
        base_values=base if relevance.ndim == 2 else float(base),
        data=np.array(pieces, object),
        feature_names=list(row["words"]),
        output_names=list(names) if relevance.ndim == 2 else None,  # shap takes no single name
    )


def decode(explanation: Any) -> Row:  # noqa: ANN401 - shap is optional
    """Return the explanation of one text that shap made, or that :func:`encode` wrote.

    Where shap's features are pieces of the text, the words are the pieces without the white space
    around them; what shap calls the base value is the residual.
    """
    try:
        return _decode(explanation)
    except (ValueError, TypeError, AttributeError, IndexError):
        raise InputError(
            "this is not shap's explanation of one text; take one of them: result[0]"
        ) from None


def _decode(explanation: Any) -> Row:  # noqa: ANN401 - shap is optional
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
        "unread": [],
        "classes": labels,
        "scores": base + values.sum(axis=0, dtype=np.float64),
        "target": labels[0] if single else "all",
        "relevance": values,
        "residual": float(base[0]) if single else base,
        "padding": 0.0 if single else np.zeros(len(labels)),
        "constant": 0.0 if single else np.zeros(len(labels)),
        "conserves": False,
        "method": "shap",
        "parameters": {},
        "model": None,
    }
