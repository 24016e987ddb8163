"""Labels of rows: a class, or several labels in a list, in a text, or in a column each."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from whyword import InputError, load_corpus
from whyword.corpora.columns import Columns
from whyword.corpora.corpus import Corpus
from whyword.corpora.labels import RowLabels, kind_of, one_label, rarest_labels, several_labels
from whyword.corpora.overview import describe
from whyword.corpora.source import open_source
from whyword.models.store import fingerprint_of

TEXTS = ["corn and wheat", "gold", "nothing of the kind", "wheat"]
LABELS = [("corn", "wheat"), ("gold",), (), ("wheat",)]
LISTS = [list(several) for several in LABELS]
ROWS = [{"text": text, "topics": several} for text, several in zip(TEXTS, LISTS, strict=True)]
TABLE = pa.table({"text": TEXTS, "topics": LISTS})


def read(source: Any, **options: Any) -> Corpus:  # noqa: ANN401
    return load_corpus(source, test=0, **options)


@pytest.mark.parametrize(
    "source",
    [
        "a.jsonl",
        "a.parquet",
        ROWS,
        [{**row, "topics": tuple(row["topics"])} for row in ROWS],
        pd.DataFrame({"text": TEXTS, "topics": [np.array(one) for one in LISTS]}),
        pl.DataFrame({"text": TEXTS, "topics": LISTS}),
        TABLE,
        {"train": pd.DataFrame(ROWS)},
    ],
)
def test_a_column_of_lists(source: Any, tmp_path: Path) -> None:  # noqa: ANN401
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    parquet.write_table(TABLE, tmp_path / "a.parquet")
    corpus = read(tmp_path / source if isinstance(source, str) else source)
    assert corpus.labels == LABELS
    assert corpus.classes == ("corn", "gold", "wheat")
    assert corpus.multilabel
    assert "3 labels, several each" in repr(corpus)


def test_texts_with_a_separator(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('text,topics\ncorn,"corn, wheat,corn, "\ngold,gold\nnothing,\nwheat, wheat\n')
    assert read(path, label_separator=",").labels == LABELS
    frame = pd.DataFrame({"text": TEXTS, "label": ["corn|wheat", "gold", None, "wheat"]})
    assert read(frame, label_separator="|").labels == LABELS
    assert not read(path, label="text").multilabel
    assert read(ROWS, label_separator=",").labels == LABELS  # lists stay
    mixed = [{"text": "a", "label": "x,y"}, {"text": "b", "label": 3}]
    assert read(mixed, label_separator=",").labels == [("x", "y"), ("3",)]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "1.txt").write_text("one")
    with pytest.raises(InputError, match="label_separator is for tables, not for"):
        read(tmp_path, label_separator=",")


@pytest.mark.parametrize(
    "flags",
    [
        [[1, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 1]],
        [["1", "0", " true"], ["0", "TRUE", "false"], ["0"] * 3, ["0", "0", "1.0"]],
        [[True, False, True], [False, True, False], [False] * 3, [False, False, True]],
        [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0] * 3, [0.0, 0.0, 1.0]],
    ],
)
def test_a_column_of_each_label(flags: list[list[object]], tmp_path: Path) -> None:
    names = ["corn", "gold", "wheat"]
    frame = pd.DataFrame(flags, columns=names).assign(text=TEXTS)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    for source in (frame, tmp_path / "a.csv", tmp_path / "a.parquet"):
        assert read(source, label=tuple(names)).labels == LABELS
    assert read(frame, label=names[:1]).labels == [("corn",), (), (), ()]


NO_FLAG = "a label's column has 0 or 1"


@pytest.mark.parametrize(
    ("labels", "options", "said"),
    [
        ([None], {}, "'label' is empty; every document needs a label: fill it in, or delete"),
        ([["x"], "x"], {}, "row 2: 'label' is one label: str 'x'; before it was a list$"),
        (["x", ["x"]], {}, r"row 2: 'label' is a list: list \['x'\]; before it was one label$"),
        ([[["x"]]], {}, r"'label' holds list \['x'\], which is no label"),
        ([["x", None]], {}, "'label' holds null, which is no label"),
        ([["a", " "]], {}, "holds str ' ', which is no label"),
        (["maybe"], {"label": ["label"]}, f"'label' is str 'maybe'; {NO_FLAG}"),
        ([None], {"label": ["label"]}, f"'label' is empty; {NO_FLAG}"),
        ([2], {"label": ["label"]}, f"'label' is int 2; {NO_FLAG}"),
        ([1], {"label": ["label", "y"]}, "no column 'y'; there are text, label"),
        ([1], {"label": []}, "label names no columns, or one of them twice"),
        ([1], {"label": ["label", "label"]}, "label names no columns, or one of them twice"),
        ([1], {"label": 7}, "label must be a list of strings, not int"),
        ([1], {"label_separator": ""}, "label_separator is what stands between labels, not ''"),
        ([1], {"label_separator": 3}, "label_separator is what stands between labels, not 3"),
        (
            [1],
            {"label": ["label"], "label_separator": ","},
            "columns that are a label each are 0 or 1: leave label_separator out",
        ),
    ],
)
def test_bad_labels(labels: list[object], options: Any, said: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=said):
        read([{"text": "a", "label": label} for label in labels], **options)


def test_bad_rows_are_set_aside_and_missing_labels_allowed() -> None:
    rows = [{"text": "a", "label": ["x"]}, {"text": "b", "label": "x"}, {"text": "c", "label": 1}]
    bad: list[object] = []
    assert [one.label for one in open_source(rows).read(bad.append)] == [("x",)]
    assert len(bad) == 2
    labels = [one.label for one in open_source(rows, label="label", labelled=False)]
    assert labels == [("x",), None, None]


def test_a_part_is_held_out_by_the_rarest_label() -> None:
    assert rarest_labels(LABELS) == ["corn", "gold", "", "wheat"]
    assert rarest_labels([("wheat", "corn"), ("wheat",), ()]) == ["corn", "wheat", ""]
    assert rarest_labels(["a", None]) == ["a", None]
    many = [{"text": f"{n}", "label": ["often", *["rare"] * (n % 10 == 0)]} for n in range(100)]
    corpus = load_corpus(many, test=0.2)
    assert sum("rare" in one for one in corpus.test.labels or ()) == 2
    assert "held out, by the rarest label of each" in corpus.notes[-1]


def test_figures_of_several_labels() -> None:
    figures = describe(read(ROWS))
    found = [(one.name, one.train, one.median_words) for one in figures.classes]
    assert found == [("corn", 1, 3), ("gold", 1, 1), ("wheat", 2, 2)]
    assert figures.sizes == {0: 1, 1: 2, 2: 1}


def test_single_values() -> None:
    values: list[object] = ["a", 1, np.int64(3), 2.5, True, float("nan"), None, "", " ", [], {}]
    assert [one_label(one) for one in values] == ["a", "1", "3", "2.5", "True"] + [None] * 6
    values = [None, "", [1], np.array([1]), 3]
    kinds = ["null", "empty", "list [1]", "ndarray array([1])", "int 3"]
    assert [kind_of(one) for one in values] == kinds
    assert several_labels([None, ()])
    assert not several_labels([None, "a"])
    assert not several_labels(None)
    assert RowLabels(Columns("text", None, None, None))(("a",)) is None
    hostile = ["\ud800", "\x00", "same", "same", "<script>", "a\nb", "9" * 500, 1, 2.5, True]
    (labels,) = read([{"text": "a", "label": hostile}]).labels or [()]
    expected = ("\ufffd", "\x00", "same", "<script>", "a\nb", "9" * 500, "1", "2.5", "True")
    assert labels == expected


def test_the_order_of_labels_does_not_change_a_fingerprint() -> None:
    same = [tuple(reversed(several)) for several in LABELS]
    assert fingerprint_of(TEXTS, LABELS) == fingerprint_of(TEXTS, same)
    assert fingerprint_of(TEXTS, LABELS) != fingerprint_of(TEXTS, [(), *LABELS[1:]])
