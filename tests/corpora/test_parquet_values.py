"""Any type of column is read, and the same with pandas and without."""

import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword.corpora.parquet_values import NotText, Time, python_values
from whyword.corpora.source import open_source

DAY = 1_704_067_200_000_000_000  # ns from 1970 to the beginning of 2024


def times(values: Sequence[int | None], kind: object) -> list[str]:
    return [str(value) for value in python_values(pa.array(values, pa.int64()).view(kind))]


def test_nanoseconds_as_pandas_shows_them() -> None:
    import pandas as pd

    values = [DAY, DAY + 1, DAY + 5_000, DAY + 123_456_789, -1, -1_000, 0]
    assert times(values, pa.timestamp("ns")) == [str(pd.Timestamp(v)) for v in values]
    for zone in ("UTC", "Europe/Berlin", "America/New_York"):
        expected = [str(pd.Timestamp(value, tz="UTC").tz_convert(zone)) for value in values]
        assert times(values, pa.timestamp("ns", zone)) == expected
    assert times([None], pa.timestamp("ns")) == ["None"]


def test_times_and_durations() -> None:
    assert times([1_001, 1_000, 0], pa.time64("ns")) == [
        "00:00:00.000001001",
        "00:00:00.000001",
        "00:00:00",
    ]
    assert times([1_001, 86_400_000_000_000], pa.duration("ns")) == [
        "0:00:00.000001001",
        "1 day, 0:00:00",
    ]


def test_a_time_zone_that_is_unknown_here() -> None:
    assert times([0, 1], pa.timestamp("us", "Mars/Phobos")) == [
        "1970-01-01 00:00:00+00:00",
        "1970-01-01 00:00:00.000001+00:00",
    ]
    assert times([1], pa.timestamp("ns", "Mars/Phobos")) == ["1970-01-01 00:00:00.000000001+00:00"]


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_years_that_python_does_not_count(unit: str) -> None:
    assert times([2**62, 0], pa.timestamp(unit)) == [str(2**62), "1970-01-01 00:00:00"]
    assert times([2**62], pa.duration("s")) == [str(2**62)]


def test_text_that_is_not_utf_8() -> None:
    column = pa.array([b"a", b"\xff", None]).view(pa.string())
    assert list(python_values(column)) == [
        "a",
        NotText("text that is not UTF-8 (invalid start byte, byte 0)"),
        None,
    ]


KINDS = [
    pa.array([1, 2], pa.int64()).view(pa.timestamp("ns")),
    pa.array([1, 2], pa.int64()).view(pa.timestamp("us", "Mars/Phobos")),
    pa.array([2**62, 1], pa.int64()).view(pa.timestamp("ms")),
    pa.array([1, 2], pa.int64()).view(pa.time64("ns")),
    pa.array([1, 2], pa.int64()).view(pa.duration("ns")),
    pa.array([[1], [2, 3]], pa.list_(pa.int64())),
    pa.array([[1], [2]], pa.list_(pa.timestamp("ns"))),
    pa.array([{"a": 1}, None], pa.struct([("a", pa.timestamp("ns"))])),
    pa.array([b"x", b"\xff"]),
    pa.array([Decimal("1.5"), None], pa.decimal128(5, 2)),
    pa.array(["a", "b"]).dictionary_encode(),
    pa.array(["a", "b"], pa.large_string()),
    pa.nulls(2),
    pa.array([True, None]),
    pa.array([1.5, float("nan")]),
    pa.array([1, 2], pa.date32()),
    pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    pa.array([b"0123456789abcdef", None], pa.uuid()),
]


@pytest.mark.parametrize("column", KINDS, ids=lambda column: str(column.type))
@pytest.mark.parametrize("role", ["id", "label", "text", "split"])
def test_any_type_in_any_role_is_read_or_set_aside(
    column: pa.Array, role: str, tmp_path: Path
) -> None:
    columns = {"id": ["1", "2"], "text": ["a", "b"], "label": ["x", "y"], "split": ["test"] * 2}
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({**columns, role: column}), path)
    bad: list[object] = []
    records = list(open_source(path).read(bad.append))
    assert len(records) + len(bad) == 2
    for record in records:
        labels = record.label if isinstance(record.label, tuple) else (record.label,)  # of lists
        parts = (record.id, record.text, *labels, record.split)
        assert all(isinstance(part, str) for part in parts)
        record.id.encode()


def test_without_pandas(tmp_path: Path) -> None:
    ids = pa.array([DAY + 1, DAY + 1_000], pa.int64()).view(pa.timestamp("ns"))
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"id": ids, "text": ["a", "b"]}), path)
    code = (
        "import sys\n"
        "class NoPandas:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pandas': raise ImportError\n"
        "sys.meta_path.insert(0, NoPandas())\n"
        "from whyword.corpora.source import open_source\n"
        "print(*(r.id for r in open_source(sys.argv[1], labelled=False)), sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "2024-01-01 00:00:00.000000001|2024-01-01 00:00:00.000001\n"
    assert str(Time("x")) == "x"
