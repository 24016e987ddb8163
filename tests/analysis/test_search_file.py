"""An index's file: what is written is read, and by the right model only."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_matrix

from whyword import InputError
from whyword.analysis import search_file
from whyword.analysis.search_file import StoredIndex, write_index

VECTORS = np.random.default_rng(1).normal(size=(7, 5)).astype(np.float32) * (np.arange(5) % 2)
VECTORS[1:] /= np.linalg.norm(VECTORS[1:], axis=1, keepdims=True)
VECTORS[0] = 0
VECTORS = VECTORS.astype(np.float32)
IDS, TEXTS = [f"d{n}" for n in range(7)], ["é", "", "a\nb", "\ud800", *"xyz"]
SETTINGS = {"method": "lrp", "parameters": {"epsilon": 0.5}}


@pytest.mark.parametrize("make", [np.array, csr_matrix])
@pytest.mark.parametrize("rows", [3, 1_000])
def test_what_is_written_is_read(
    make: type, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_file, "_ROWS", rows)
    vectors = make(VECTORS)
    write_index(tmp_path / "x", "me", SETTINGS, IDS, TEXTS, vectors)
    stored = StoredIndex.read(tmp_path / "x", "me")
    assert {name: stored.about[name] for name in SETTINGS} == SETTINGS
    ids, texts = stored.ids_and_texts()
    assert ids == IDS
    assert texts[:3] == TEXTS[:3]
    again = stored.vectors(vectors[:0])
    assert type(again) is type(vectors)
    dense = again if isinstance(again, np.ndarray) else again.toarray()
    np.testing.assert_array_equal(dense, VECTORS)


def test_another_model_and_another_format(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_index(path, "me", SETTINGS, IDS, TEXTS, VECTORS)
    with pytest.raises(InputError, match=r"made with another model \(me…, this is you…\)"):
        StoredIndex.read(path, "you")
    later = pq.read_table(path).replace_schema_metadata(
        {"whyword search index": '{"format": 2, "model": "me"}'}
    )
    pq.write_table(later, path)
    with pytest.raises(InputError, match="has format 2, this version reads 1"):
        StoredIndex.read(path, "me")


def test_no_index_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        StoredIndex.read(tmp_path / "x", "me")
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "x")
    with pytest.raises(InputError, match="damaged or no search index"):
        StoredIndex.read(tmp_path / "x", "me")
    write_index(tmp_path / "x", "me", SETTINGS, IDS, TEXTS, VECTORS)
    stored = StoredIndex.read(tmp_path / "x", "me")
    with (
        pytest.raises(InputError, match="damaged or no search index"),
        stored.being_opened(),
    ):
        stored.vectors(np.empty((0, 4), np.float32))
