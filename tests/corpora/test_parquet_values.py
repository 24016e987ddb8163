"""Columns of any Arrow type are read."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword.corpora.parquet_values import NotText, python_values
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


PHOBOS = "Mars/Phobos"  # a time zone that is unknown


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([None, 0], pa.timestamp("ns"), "None|1970-01-01 00:00:00"),
        ([1_001, 1_000, 0], pa.time64("ns"), "00:00:00.000001001|00:00:00.000001|00:00:00"),
        ([1_001, DAY // 19_723], pa.duration("ns"), "0:00:00.000001001|1 day, 0:00:00"),
        ([1], pa.timestamp("us", PHOBOS), "1970-01-01 00:00:00.000001+00:00"),
        ([1], pa.timestamp("ns", PHOBOS), "1970-01-01 00:00:00.000000001+00:00"),
        ([2**62, 0], pa.timestamp("s"), f"{2**62}|1970-01-01 00:00:00"),  # beyond Python's years
        ([2**62, 0], pa.timestamp("ms"), f"{2**62}|1970-01-01 00:00:00"),
        ([2**62, 0], pa.timestamp("us"), f"{2**62}|1970-01-01 00:00:00"),
        ([2**62], pa.duration("s"), str(2**62)),
    ],
)
def test_times(values: list[int | None], kind: pa.DataType, expected: str) -> None:
    assert times(values, kind) == expected.split("|")


def test_text_that_is_not_utf_8() -> None:
    column = pa.array([b"a", b"\xff", None]).view(pa.string())
    flaw = NotText("text that is not UTF-8 (invalid start byte, byte 0)")
    assert list(python_values(column)) == ["a", flaw, None]
    unread, date = python_values(pa.array([2**62, 0], pa.int64()).view(pa.date64()))
    assert unread == NotText("a value of the type date64[ms] cannot be read")
    assert str(date) == "1970-01-01"


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
def test_any_type_in_any_role_is_read_or_set_aside(column: pa.Array, tmp_path: Path) -> None:
    columns = {"id": ["1", "2"], "text": ["a", "b"], "label": ["x", "y"], "split": ["test"] * 2}
    path = tmp_path / "a.parquet"
    for role in columns:
        parquet.write_table(pa.table({**columns, role: column}), path)
        bad: list[object] = []
        records = list(open_source(path).read(bad.append))
        assert len(records) + len(bad) == 2
        for record in records:
            labels = record.label if isinstance(record.label, tuple) else (record.label,)
            parts = (record.id, record.text, *labels, record.split)
            assert all(isinstance(part, str) for part in parts)
            record.id.encode()
