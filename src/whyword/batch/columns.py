"""The words of many documents as an Arrow column, without a Python object for each word.

The other columns are encoded as in any file of explanations, by `explanation/formats/parquet.py`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.batch.word_kernels import byte_spans, gather_bytes
from whyword.explanation.formats.parquet import arrow_lists


def words_column(
    texts: Any,  # noqa: ANN401 - pyarrow has no types
    spans: NDArray[np.int32],
    firsts: NDArray[np.int64],
) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the words of each text, an Arrow array of lists of strings.

    Parameters
    ----------
    texts : Arrow array of strings
    spans : (N, 2) int32
        Of the words of all texts.
    firsts : (texts + 1,) int64
        The first word of each text.
    """
    import pyarrow as pa

    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int32)[texts.offset :][: len(texts) + 1].astype(np.int64)
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    places = byte_spans(text, starts, np.ascontiguousarray(spans), firsts)
    ends = np.concatenate([[0], np.cumsum(places[:, 1] - places[:, 0])]).astype(np.int32)
    out = np.empty(ends[-1], np.uint8)
    gather_bytes(text, places, ends, out)
    words = pa.StringArray.from_buffers(len(spans), pa.py_buffer(ends), pa.py_buffer(out))
    return arrow_lists(words, firsts)


def strongest(
    values: NDArray[np.float32], firsts: NDArray[np.int64], top: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return which words are the strongest of each document, and the first one of each.

    Parameters
    ----------
    values : (N, K) float32
        The relevance of all words; the strongest are those of the largest |value| of any column,
        the first one of several that are as strong.
    firsts : (documents + 1,) int64
    top : int
    """
    size = np.abs(values).max(axis=1, initial=0)
    document = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    order = np.lexsort((-size, document))  # stable: by position where sizes are the same
    rank = np.arange(len(order)) - firsts[document[order]]
    chosen = np.sort(order[rank < top])
    counts = np.minimum(np.diff(firsts), top)
    return chosen, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
