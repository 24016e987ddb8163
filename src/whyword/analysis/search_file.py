"""A search index as one Parquet file: names, texts, vectors, and how those were made."""

import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.rows import lengths_of
from whyword.base.checks import existing_file, expand_path, scipy_sparse, strings
from whyword.base.errors import InputError
from whyword.base.files import arrow_file, atomic_write
from whyword.base.json import parse_json
from whyword.base.printable import one_line, storable
from whyword.models.protocol import Rows

FORMAT = 1
_ABOUT = "whyword search index"  # where the file's metadata has the settings
_ROWS = 1_000  # of a row group
_ROUNDING = 1e-3  # of a vector's length
_LONGEST_REASON = 200  # letters of what somebody else says is wrong


def write_index(
    path: str | Path,
    identity: str,
    settings: Mapping[str, Any],
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: Rows,
) -> None:
    """Write an index.

    Parameters
    ----------
    path : str or Path
    identity : str
        Of the model.
    settings : mapping
        What the index was made with; it must be fit for JSON.
    ids, texts : sequences of n str
    vectors : (n, D) float32, or sparse
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    floats = pa.list_(pa.float32())
    dense = isinstance(vectors, np.ndarray)
    names = {"vector": floats} if dense else {"places": pa.list_(pa.int32()), "values": floats}
    about = {"format": FORMAT, "model": identity, **settings}
    schema = pa.schema(
        [("id", pa.string()), ("text", pa.string()), *names.items()],
        metadata={_ABOUT: json.dumps(about)},
    )
    with (
        atomic_write(expand_path(path)) as draft,
        pq.ParquetWriter(arrow_file(draft, "wb"), schema) as writer,
    ):
        for first in range(0, len(texts), _ROWS):
            part = slice(first, first + _ROWS)
            columns = [
                [storable(name) for name in ids[part]],
                [storable(text) for text in texts[part]],
                *_columns(vectors[part]),
            ]
            writer.write_table(pa.table(dict(zip(schema.names, columns, strict=True)), schema))


def _columns(vectors: Rows) -> Iterator[list[Any]]:
    """Yield the columns that hold some vectors: one of arrays, or the places and the values."""
    if isinstance(vectors, np.ndarray):
        yield list(vectors)
        return
    bounds = list(zip(vectors.indptr[:-1], vectors.indptr[1:], strict=True))
    yield [vectors.indices[a:b] for a, b in bounds]
    yield [vectors.data[a:b] for a, b in bounds]


@dataclass(frozen=True, eq=False)
class StoredIndex:
    """An index's file, read.

    Attributes
    ----------
    file : Path
    about : dict
        The settings, the format and the model's identity.
    table : pyarrow.Table
    """

    file: Path
    about: dict[str, Any]
    table: Any

    @classmethod
    def read(cls, path: str | Path, identity: str | None) -> "StoredIndex":
        """Return what is there; raise unless a model of that identity wrote it.

        Parameters
        ----------
        path : str or Path
        identity : str or None
        """
        import pyarrow.parquet as pq

        file = existing_file(expand_path(path))
        with _damage_reported(file):
            table = pq.read_table(arrow_file(file))
            about = parse_json(table.schema.metadata[_ABOUT.encode()], "what it says of itself")
            version, own = operator.index(about["format"]), str(about["model"])
        if version != FORMAT:
            raise InputError(f"{file} has format {version}, this version reads {FORMAT}")
        if own != identity:
            raise InputError(
                f"{file} was made with another model ({own[:12]}…, this is {str(identity)[:12]}…)"
            )
        return cls(file, about, table)

    @contextmanager
    def being_opened(self) -> Iterator[None]:
        """Say of whatever fails meanwhile that the file is damaged."""
        with _damage_reported(self.file):
            yield

    def ids_and_texts(self) -> tuple[list[str], list[str]]:
        """Return the names and the texts."""
        ids, texts = (strings(name, self.table[name].to_pylist()) for name in ("id", "text"))
        if len(set(ids)) < len(ids):
            raise ValueError("an id stands there twice")
        return ids, texts

    def vectors(self, none: Rows) -> Rows:
        """Return the vectors, (n, D).

        Parameters
        ----------
        none : (0, D) array, or sparse
            What the model makes of no texts.
        """
        shape = (self.table.num_rows, none.shape[1])
        if isinstance(none, np.ndarray):
            vectors, ends = self._lists("vector", "f")
            if (np.diff(ends) != shape[1]).any():
                raise ValueError(f"a vector has not {shape[1]} numbers")
            return _checked_units(vectors.astype(np.float32).reshape(shape))
        places, ends = self._lists("places", "i")
        values, others = self._lists("values", "f")
        if not np.array_equal(ends, others):
            raise ValueError("places and values differ in number")
        if places.min(initial=0) < 0 or places.max(initial=-1) >= shape[1]:
            raise ValueError(f"a place is none of the {shape[1]} words")
        matrix = scipy_sparse().csr_matrix((values.astype(np.float32), places, ends), shape)
        return _checked_units(matrix)

    def _lists(self, name: str, kind: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return a column of lists as their numbers, and where each list begins, and the end."""
        column = self.table[name].combine_chunks()
        numbers = column.flatten()
        if column.null_count or numbers.null_count:
            raise ValueError(f"{name} has something missing")
        flat = np.asarray(numbers)
        if flat.dtype.kind != kind:
            raise ValueError(f"{name} holds {flat.dtype}")
        lengths = np.asarray(column.value_lengths(), np.int64)
        return flat, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _checked_units(vectors: Rows) -> Rows:
    """Return the vectors; raise unless each has the length 1, or 0."""
    lengths = lengths_of(vectors)
    if not ((np.abs(lengths - 1) < _ROUNDING) | (lengths == 0)).all():
        raise ValueError("a vector has not the length 1")
    return vectors


@contextmanager
def _damage_reported(file: Path) -> Iterator[None]:
    import pyarrow as pa

    damaged = (OSError, LookupError, TypeError, ValueError, AttributeError)
    try:
        yield
    except (pa.ArrowException, *damaged) as error:
        reason = one_line(str(error).partition("\n")[0])[:_LONGEST_REASON]
        raise InputError(f"{file} is damaged or no search index ({reason})") from None
