"""Parquet files of explanations, and back."""

import dataclasses
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from explained import assert_same
from networks import made_cnn, topical

from whyword import Explanation, Explanations, InputError, SVMClassifier, explain
from whyword.explanation.formats.parquet import (
    arrow_lists,
    arrow_repeat,
    arrow_rows,
    arrow_strings,
    read,
    write,
)


def test_elements_travel_too(tmp_path: Path) -> None:
    texts = ["wa wb wc", "wd"]
    for target in ("class 1", "all"):
        made = explain(made_cnn(), texts, target, level="element")
        path = tmp_path / "why.parquet"
        made.to_parquet(path)
        for form in (Explanations.from_parquet(path), Explanations.from_json(made.to_json())):
            for explanation, expected in zip(form, made, strict=True):
                assert explanation.elements is not None
                assert expected.elements is not None
                np.testing.assert_array_equal(explanation.elements, expected.elements)


def test_numbers_as_labels(tmp_path: Path) -> None:
    texts, labels = topical(60)
    numbers = {"space": 1, "hockey": 2, "crypto": 3}
    model = SVMClassifier(C=1.0).fit(texts, [numbers[label] for label in labels])
    made = explain(model, ["moon", "goal"], target=1)
    made.to_parquet(tmp_path / "why.parquet")
    explanations = Explanations.from_parquet(tmp_path / "why.parquet")
    assert explanations[0].target == 1
    assert explanations[0].classes == (1, 2, 3)
    assert_same(Explanation.from_json(made[0].to_json()), made[0])


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "why.parquet"
    explain(made_cnn(), ["wa wb"] * 50).to_parquet(path)
    whole = bytearray(path.read_bytes())
    random = np.random.default_rng(0)
    for _ in range(60):
        broken = whole.copy()
        for at in random.integers(0, len(broken), 8):
            broken[at] ^= 255
        path.write_bytes(broken)
        with suppress(InputError):  # never another error
            Explanations.from_parquet(path)
    path.write_bytes(b"PAR1 but no more")
    with pytest.raises(InputError, match="damaged or no Parquet file"):
        Explanations.from_parquet(path)
    pd.DataFrame({"text": ["a"]}).to_parquet(path)
    with pytest.raises(InputError, match="no explanation: id, words"):
        Explanations.from_parquet(path)
    made = explain(made_cnn(), "wa")
    made.to_parquet(path)
    assert len(Explanations.from_parquet(path)) == 1
    with pytest.raises(InputError, match="no explanations to write"):
        Explanations([]).to_parquet(path)


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_a_file_from_before_there_were_constants(target: str, tmp_path: Path) -> None:
    made = explain(made_cnn(), ["wa wb", "", "wc"], target, ids=["a", "b", "c"])
    path = tmp_path / "why.parquet"
    made.to_parquet(path)
    pq.write_table(pq.read_table(path).drop_columns(["constant", "conserves"]), path)
    explanations = Explanations.from_parquet(path)
    assert explanations.conserved
    for one, expected in zip(explanations, made, strict=True):
        assert one.conserves
        np.testing.assert_array_equal(one.constant, np.zeros_like(expected.padding))
        assert_same(one, dataclasses.replace(expected, conserves=True))


def test_constants_travel(tmp_path: Path) -> None:
    path = tmp_path / "why.parquet"
    for target, constant in (("class 1", 0.5), ("all", np.array([0.5, -1, 2]))):
        made = dataclasses.replace(
            explain(made_cnn(), "wa wb", target), constant=constant, conserves=True
        )
        made.to_parquet(path)
        (explanation,) = Explanations.from_parquet(path)
        assert_same(explanation, made)


def test_rows_are_written_block_by_block(tmp_path: Path) -> None:
    row = explain(made_cnn(), "wa wb").fields()
    assert write((row | {"id": str(n)} for n in range(300)), tmp_path / "why.parquet") == 300
    assert [row["id"] for row in read(tmp_path / "why.parquet")] == [str(n) for n in range(300)]
    assert pq.ParquetFile(tmp_path / "why.parquet").num_row_groups == 2


def test_lists() -> None:
    firsts = np.array([0, 2, 2, 5], np.int64)
    assert arrow_lists(np.arange(5), firsts).to_pylist() == [[0, 1], [], [2, 3, 4]]
    pairs = np.arange(10, dtype=np.int32).reshape(5, 2)
    assert arrow_lists(pairs, firsts).to_pylist() == [
        [[0, 1], [2, 3]],
        [],
        [[4, 5], [6, 7], [8, 9]],
    ]
    assert arrow_lists(pa.array(list("abcde")), firsts).to_pylist()[2] == ["c", "d", "e"]
    deep = np.arange(20).reshape(5, 2, 2)
    assert arrow_lists(deep, firsts).to_pylist()[0] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert arrow_lists(np.empty(0), np.array([0])).to_pylist() == []
    every_second = np.arange(10)[::2]
    assert arrow_lists(every_second, firsts).to_pylist() == [[0, 2], [], [4, 6, 8]]


def test_rows_and_texts() -> None:
    assert arrow_rows(np.eye(2)).to_pylist() == [[1.0, 0.0], [0.0, 1.0]]
    assert arrow_strings(["a", "\ud800", None]).to_pylist() == ["a", "\ufffd", None]
    assert arrow_repeat(pa.array([["a", "b"]]), 2).to_pylist() == [["a", "b"]] * 2


class HalfNamed:
    classes_ = ("a\ud800", "b", "c")

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.25, 0.25] for _ in texts]


def test_halves_of_surrogate_pairs_in_labels(tmp_path: Path) -> None:
    for target in ("all", "a\ud800", ["b", "a\ud800"]):
        explain(HalfNamed(), ["wa", ""], target).to_parquet(tmp_path / "why.parquet")
        assert pq.read_table(tmp_path / "why.parquet")["classes"][0].as_py()[0] == "a\ufffd"


def test_halves_of_surrogate_pairs_in_what_the_file_says_of_itself(tmp_path: Path) -> None:
    fields = {**explain(made_cnn(), "wa").fields(), "method": "my\ud800", "model": "\udfff"}
    Explanation.from_fields(fields).to_parquet(tmp_path / "why.parquet")
    assert pq.read_schema(tmp_path / "why.parquet").metadata[b"method"] == "my\ufffd".encode()
