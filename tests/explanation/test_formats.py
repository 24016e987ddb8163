"""Explanations in every format and back: JSON, Parquet, frames, CSV, Excel, shap, HTML, text."""

import csv
import dataclasses
import io
import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from explained import TARGETS, TEXT, assert_same
from networks import made_cnn, made_text, topical
from rich.console import Console

from whyword import Explanation, Explanations, InputError, SVMClassifier, explain
from whyword.base.errors import MissingExtraError
from whyword.explanation.formats.format import only
from whyword.explanation.formats.parquet import (
    arrow_lists,
    arrow_repeat,
    arrow_rows,
    arrow_strings,
    read,
    write,
)
from whyword.explanation.formats.registry import ENDINGS, FORMATS
from whyword.explanation.formats.word_rows import word_rows
from whyword.explanation.output import format_of, print_explanations, write_explanations
from whyword.explanation.row import NAMES

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of shap's own imports
    import shap

MODEL = made_cnn()
HEADINGS = ["id", "position", "word", "start", "end", "known"]


def labelled(names: dict[str, Any]) -> SVMClassifier:
    """Return a model whose classes have other names."""
    texts, labels = topical(30, len(names))
    return SVMClassifier(C=1.0, ngrams=(1, 1)).fit(texts, [names[label] for label in labels])


def forms(made: Explanations, folder: Path) -> list[Explanations]:
    """Write explanations in the formats that can be read, and read them."""
    made.to_parquet(folder / "why.parquet")
    return [
        Explanations.from_json(made.to_json()),
        Explanations.from_parquet(folder / "why.parquet"),
        Explanations.from_frame(made.to_frame(by="document")),
    ]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "rule", [{}, {"bias": "apart"}, {"against": "class 2"}, {"method": "occlusion"}], ids=str
)
def test_there_and_back(rule: dict[str, Any], target: Any, tmp_path: Path) -> None:  # noqa: ANN401
    texts = [TEXT, "", made_text([0, 1, 2, 3])]
    made = explain(MODEL, texts, target, ids=["a", "b", None], **rule)
    for form in forms(made, tmp_path):
        assert len(form) == 3
        for explanation, expected in zip(form, made, strict=True):
            assert_same(explanation, expected)
    schema = pq.read_schema(tmp_path / "why.parquet")
    assert schema.names == list(NAMES)
    assert schema.metadata[b"model"].decode() == made[0].model
    assert schema.metadata[b"method"].decode() == made[0].method
    assert json.loads(schema.metadata[b"parameters"]) == dict(made[0].parameters)
    assert_same(Explanation.from_json(made[0].to_json()), made[0])


def test_elements_top_classes_and_numbers_there_and_back(tmp_path: Path) -> None:
    for target in ("class 1", "all"):
        made = explain(MODEL, ["wa wb wc", "wd"], target, level="element")
        for form in forms(made, tmp_path)[:2]:
            for explanation, expected in zip(form, made, strict=True):
                np.testing.assert_array_equal(explanation.elements, expected.elements)
    made = explain(MODEL, [TEXT, "wg", "wa wb", ""], top=2, against="class 0")
    assert len({one.target for one in made}) > 1
    for form in forms(made, tmp_path):
        for one, other in zip(made, form, strict=True):
            assert_same(other, one)
    assert made.to_html().count("rather than class 0") >= 7
    numbers = labelled({"space": 1, "hockey": 2, "crypto": 3})
    for form in forms(explain(numbers, ["moon", "goal"], target=1), tmp_path):
        assert (form[0].target, form[0].classes) == (1, (1, 2, 3))


def test_explanations_of_different_kinds_are_not_mixed(tmp_path: Path) -> None:
    several = explain(MODEL, "wa", "all")
    turned = explain(MODEL, "wa", ["class 1", "class 0"])
    more = explain(MODEL, "wa", ["class 0", "class 1"])
    one, detailed = explain(MODEL, "wa"), explain(MODEL, "wa", level="element")
    top, phrases = explain(MODEL, "wa", top=2), explain(MODEL, "wa", level="phrase")
    for pair in ((one, several), (turned, more), (one, detailed), (more, top), (one, phrases)):
        mixed: Any = Explanations(pair)
        for name in ("to_parquet", "to_excel", "to_csv"):
            with pytest.raises(InputError, match="differ in their targets, elements or phrases"):
                getattr(mixed, name)(tmp_path / "why")
        with pytest.raises(InputError, match="differ in their targets, elements or phrases"):
            mixed.to_frame()
    assert list(tmp_path.iterdir()) == []
    for wrong in (5, [1], ["x"]):
        with pytest.raises(InputError, match="explanations takes a list of explanations"):
            Explanations(wrong)  # type: ignore[arg-type]


def test_ids_of_any_kind(tmp_path: Path) -> None:
    made = explain(MODEL, ["wa", "wb", "wc"], ids=[5, None, "\ud800"])
    assert [one.id for one in made] == ["5", None, "\ud800"]
    made.to_html()
    for form in forms(made, tmp_path):
        assert [one.id for one in form] == ["5", None, "\ufffd"]


# ---- JSON ---------------------------------------------------------------------------------------


def test_the_json_of_the_contract(tmp_path: Path) -> None:
    made = explain(MODEL, "wa wb", "class 1")
    fields = json.loads(made.to_json())
    assert list(fields) == list(NAMES)
    assert (fields["words"], fields["spans"]) == (["wa", "wb"], [[0, 2], [3, 5]])
    assert (fields["truncated"], fields["target"], fields["method"]) == (0, "class 1", "lrp")
    assert (fields["known"], len(fields["model"])) == ([True, True], 64)
    assert fields["parameters"] == {"epsilon": 0.01, "bias": "shared"}
    np.testing.assert_allclose(fields["relevance"], made.relevance, rtol=1e-7)
    assert fields["relevance"][0] == float(f"{made.relevance[0]:.9g}")
    every = json.loads(explain(MODEL, "wa wb", "all").to_json())
    assert every["target"] == "all"
    assert np.shape(every["relevance"]) == (2, 3)
    assert np.shape(every["residual"]) == np.shape(every["padding"]) == (3,)
    path = tmp_path / "why.json"
    assert made.to_json(path, indent=2) == str(path)
    assert_same(Explanation.from_json(path), made)
    assert made.to_json(indent="\t").startswith('{\n\t"id"')
    assert made.to_json(indent="  ") == made.to_json(indent=2)
    for wrong in ("--", " " * 1_001):
        with pytest.raises(InputError, match="indent may be spaces or tabs, not '") as caught:
            made.to_json(indent=wrong)
        assert caught.value.arguments == ["indent"]
    made.relevance[0] = np.nan
    assert json.loads(made.to_json())["relevance"][0] is None
    explanation = Explanation.from_json("\ufeff \n" + made.to_json())
    assert np.isnan(explanation.relevance[0])
    assert not explanation.conserved


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{", "this is not JSON"),
        ("{}", "this is no explanation: id, text, words"),
        ("{}\n{}", "for several lines take Explanations.from_json"),
        ('{"id": 1}', "text, words"),
        ("/no/such/file.json", "no such file"),
        ("x" * 5000, "File name too long"),
        ('{"a":' * 100_000, "this is not JSON"),
        ("[]", "an explanation is a JSON object, not list"),
        *((source, "path|JSON") for source in (None, 3, b"{}")),
    ],
)
def test_json_that_cannot_be_read(source: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        Explanation.from_json(source)


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "why.json").write_bytes(b'{"\xff')
    with pytest.raises(InputError, match=r"why\.json is not UTF-8"):
        Explanations.from_json(tmp_path / "why.json")


OLD_LINE = (
    '{"id": "mail", "text": "wa, wb", "words": ["wa", "wb"], "spans": [[0, 2], [4, 6]], '
    '"known": [true, true], "truncated": 0, "classes": ["ham", "spam"], "scores": [-0.5, 1.5], '
    '"target": "spam", "relevance": [1.0, 0.25], "residual": 0.0, "padding": 0.25, '
    '"method": "lrp", "parameters": {"epsilon": 0.01, "bias": "shared"}, "model": null}'
)


def test_files_from_before_there_were_constants(tmp_path: Path) -> None:
    explanation = Explanation.from_json(OLD_LINE)
    assert (explanation.constant, explanation.conserves, explanation.residual) == (0, True, 0)
    assert explanation.conserved
    left_out = Explanation.from_json(OLD_LINE.replace("shared", "left out"))
    assert not left_out.conserves
    every = OLD_LINE.replace('"target": "spam"', '"target": "all"')
    every = every.replace("[1.0, 0.25]", "[[0.0, 1.0], [-0.5, 0.25]]")
    several = Explanation.from_json(every.replace('ing": 0.25', 'ing": [0.0, 0.25]'))
    np.testing.assert_array_equal(several.constant, [0, 0])
    assert several.conserved
    path = tmp_path / "why.parquet"
    for target in ("class 1", "all"):
        made = explain(MODEL, ["wa wb", "", "wc"], target, ids=["a", "b", "c"])
        made.to_parquet(path)
        pq.write_table(pq.read_table(path).drop_columns(["constant", "conserves"]), path)
        new = made.to_frame(by="document")
        old = new.drop(columns=["constant", "conserves"])
        both = pd.concat([old, new.assign(conserves=True)])
        tables = [Explanations.from_frame(table) for table in (old, both)]
        for form in (Explanations.from_parquet(path), *tables):
            assert form.conserved
            for one, expected in zip(form, list(made) * 2, strict=False):
                np.testing.assert_array_equal(one.constant, np.zeros_like(expected.padding))
                assert_same(one, dataclasses.replace(expected, conserves=True))


# ---- Parquet ------------------------------------------------------------------------------------


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "why.parquet"
    explain(MODEL, ["wa wb"] * 50).to_parquet(path)
    whole = bytearray(path.read_bytes())
    random = np.random.default_rng(0)
    for _ in range(20):
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
    explain(MODEL, "wa").to_parquet(path)
    assert len(Explanations.from_parquet(path)) == 1
    with pytest.raises(InputError, match="no explanations to write"):
        Explanations([]).to_parquet(path)


def test_numbers_that_parquet_cannot_hold(tmp_path: Path) -> None:
    one = explain(MODEL, "wa wb", "class 1")
    path = tmp_path / "why.parquet"
    for changed, said in (
        ({"classes": (2**70, "class 1", 3)}, "cannot hold the column 'classes'"),
        ({"document": dataclasses.replace(one.document, truncated=2**40)}, "column 'truncated'"),
    ):
        with pytest.raises(InputError, match=f"Parquet .*{said}"):
            dataclasses.replace(one, **changed).to_parquet(path)
    precise = dataclasses.replace(one, parameters={"epsilon": 0.12345678901234})
    precise.to_parquet(path)
    assert Explanations.from_parquet(path)[0].parameters == {"epsilon": 0.12345678901234}


def test_rows_are_written_block_by_block(tmp_path: Path) -> None:
    row = explain(MODEL, "wa wb").fields()
    assert write((row | {"id": str(n)} for n in range(300)), tmp_path / "why.parquet") == 300
    assert [row["id"] for row in read(tmp_path / "why.parquet")] == [str(n) for n in range(300)]
    file = pq.ParquetFile(tmp_path / "why.parquet")
    assert [file.metadata.row_group(n).num_rows for n in range(2)] == [256, 44]


def test_arrow_arrays() -> None:
    firsts = np.array([0, 2, 2, 5], np.int64)
    assert arrow_lists(np.arange(5), firsts).to_pylist() == [[0, 1], [], [2, 3, 4]]
    pairs = np.arange(10, dtype=np.int32).reshape(5, 2)
    assert arrow_lists(pairs, firsts).to_pylist()[2] == [[4, 5], [6, 7], [8, 9]]
    assert arrow_lists(pa.array(list("abcde")), firsts).to_pylist()[2] == ["c", "d", "e"]
    deep = np.arange(20).reshape(5, 2, 2)
    assert arrow_lists(deep, firsts).to_pylist()[0] == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert arrow_lists(np.empty(0), np.array([0])).to_pylist() == []
    assert arrow_lists(np.arange(10)[::2], firsts).to_pylist() == [[0, 2], [], [4, 6, 8]]
    assert arrow_rows(np.eye(2)).to_pylist() == [[1.0, 0.0], [0.0, 1.0]]
    assert arrow_strings(["a", "\ud800", None]).to_pylist() == ["a", "\ufffd", None]
    assert arrow_repeat(pa.array([["a", "b"]]), 2).to_pylist() == [["a", "b"]] * 2


class HalfNamed:
    classes_ = ("a\ud800", "b", "c")

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.25, 0.25] for _ in texts]


def test_halves_of_surrogate_pairs(tmp_path: Path) -> None:
    for target in ("all", "a\ud800", ["b", "a\ud800"]):
        explain(HalfNamed(), ["wa", ""], target).to_parquet(tmp_path / "why.parquet")
        assert pq.read_table(tmp_path / "why.parquet")["classes"][0].as_py()[0] == "a\ufffd"
    named = dataclasses.replace(explain(MODEL, "wa"), method="my\ud800")
    named.to_parquet(tmp_path / "why.parquet")
    assert pq.read_schema(tmp_path / "why.parquet").metadata[b"method"] == "my\ufffd".encode()


# ---- rows of words: frames, CSV, Excel ----------------------------------------------------------


def test_a_row_for_each_word(tmp_path: Path) -> None:
    made = explain(MODEL, [TEXT, "", "wg"], "class 1", ids=["=1+1", 'a "b",\nc', None])
    headings, *rows = word_rows(made)
    assert headings == [*HEADINGS, "target", "relevance"]
    assert rows[0][:7] == ["=1+1", 0, "wa", 0, 2, True, "class 1"]
    assert rows[-1][:7] == ["2", 0, "wg", 0, 2, False, "class 1"]
    values = np.concatenate([one.relevance for one in made])
    np.testing.assert_array_equal(np.array([row[7] for row in rows], np.float32), values)
    assert {type(value) for value in rows[0]} == {str, int, bool, float}
    frame = made.to_frame()
    assert list(frame.columns) == headings
    assert frame.iloc[:, :7].to_numpy().tolist() == [row[:7] for row in rows]
    np.testing.assert_array_equal(frame["relevance"], values)
    path = tmp_path / "why.csv"
    assert made.to_csv(path) == str(path)
    text = path.read_bytes().decode()
    assert text == made.to_csv()
    assert text.startswith(
        f"{','.join(map(str, headings))}\r\n'=1+1,0,wa,0,2,"
    )  # a formula is none
    read = pd.read_csv(io.StringIO(text))
    assert read.iloc[:, 1:5].to_numpy().tolist() == [row[1:5] for row in rows]
    np.testing.assert_array_equal(read["relevance"].astype(np.float32), values)
    made.to_excel(tmp_path / "why.xlsx")
    first, *others = openpyxl.load_workbook(tmp_path / "why.xlsx").active.values
    assert list(first) == headings
    assert [list(row[:5]) for row in others] == [
        [one.replace("\ud800", "\ufffd") if isinstance(one, str) else one for one in row[:5]]
        for row in rows
    ]
    np.testing.assert_array_equal(np.array([row[7] for row in others], np.float32), values)


def test_a_column_for_each_target() -> None:
    for names, columns in (
        ({"space": "=cmd", "hockey": "a,b"}, ["=cmd", "a,b"]),
        ({"space": "word", "hockey": "known"}, ["relevance of known", "relevance of word"]),
    ):
        made = explain(labelled(names), ["moon", "puck"], "all")
        assert list(made.to_frame().columns) == [*HEADINGS, *columns]
        rows = list(csv.reader(io.StringIO(made.to_csv())))
        assert rows[0][-2:] == [f"'{one}" if one[0] == "=" else one for one in columns]
        assert [row[2] for row in rows[1:]] == ["moon", "puck"]
        for column in range(2):
            values = [float(row[6 + column]) for row in rows[1:]]
            expected = [one.relevance[0, column] for one in made]
            np.testing.assert_allclose(values, expected, rtol=1e-6)


def test_columns_of_each_documents_highest_classes() -> None:
    made = explain(MODEL, [TEXT, "wg", "wa wb"], top=2, ids=list("abc"))
    headings, *rows = word_rows(made)
    assert headings[6:] == ["target 1", "relevance 1", "target 2", "relevance 2"]
    at = 0
    for one in made:
        for values in one.relevance:
            assert rows[at][6::2] == list(one.targets)
            np.testing.assert_array_equal(np.array(rows[at][7::2], np.float32), values)
            at += 1
    assert at == len(rows)
    assert list(made.to_frame().columns) == headings
    with pytest.raises(InputError, match="differ in their targets"):
        list(word_rows([*made, *explain(MODEL, ["wa"], top=1)]))


def test_tables_of_nothing_and_of_what_is_no_number() -> None:
    assert list(word_rows([])) == [[*HEADINGS, "target", "relevance"]]
    assert explain(MODEL, ["", ""]).to_csv().count("\n") == 1
    assert len(Explanations([]).to_frame()) == 0
    assert list(Explanations([]).to_frame(by="document").columns) == list(NAMES)
    made = explain(MODEL, "wa wb", "class 1")
    made.relevance[0] = np.nan
    assert list(word_rows([made]))[1][-1] is None


def test_frames_that_cannot_be_read() -> None:
    made = explain(MODEL, ["wa wb"], "class 1")
    table = made.to_frame(by="document")
    table["parameters"] = "{'epsilon': 1}"
    with pytest.raises(InputError, match="its parameters are no JSON"):
        Explanations.from_frame(table)
    with pytest.raises(InputError, match="by='document'"):
        Explanations.from_frame(made.to_frame())
    with pytest.raises(InputError, match="a pandas DataFrame is needed, not list"):
        Explanations.from_frame([1])
    with pytest.raises(InputError, match="by may be 'word' or 'document', not 'class'"):
        made.to_frame(by="class")


# ---- shap ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_shap_and_back(target: str) -> None:
    made = explain(MODEL, ' "wa", wb  and Dr. wc!\n', target)
    made = dataclasses.replace(made, padding=made.padding - 0.5, constant=made.constant + 0.25)
    values = made.to_shap()
    assert isinstance(values, shap.Explanation)
    assert list(values.data) == [' "wa", ', "wb  ", "and ", "Dr. ", "wc!\n"]
    base = made.score - made.relevance.sum(axis=0)
    np.testing.assert_allclose(values.base_values, base, rtol=1e-4, atol=1e-6)
    again = Explanation.from_shap(values)
    assert (again.words, again.text, again.method) == (made.words, made.text, "shap")
    np.testing.assert_array_equal(again.spans, made.spans)
    np.testing.assert_array_equal(again.relevance, made.relevance)
    np.testing.assert_allclose(again.score, made.score, rtol=1e-6)
    assert again.targets == (made.targets if target == "all" else ("output",))
    np.testing.assert_array_equal(again.constant, np.zeros_like(made.constant))
    assert not again.conserves


def test_explanations_by_shap() -> None:
    """Pieces with white space around the words; a base value for each output."""
    made = shap.Explanation(
        values=np.array([[1.0, 2], [3, 4]]),
        base_values=np.array([0.5, 1]),
        data=["to ", " moon "],
        feature_names=["?", "??"],
    )
    found = Explanation.from_shap(made)
    assert (found.text, found.words, found.classes) == ("to  moon ", ["to", "moon"], ("0", "1"))
    assert found.spans.tolist() == [[0, 2], [4, 8]]
    assert found.scores.tolist() == [4.5, 7]
    for wrong in ("text", None, shap.Explanation(values=np.ones((2, 3, 4)))):
        with pytest.raises(InputError, match="not shap's explanation of one text"):
            Explanation.from_shap(wrong)
    with pytest.raises(InputError, match="shap has no explanation of nothing"):
        explain(MODEL, "").to_shap()


@pytest.mark.parametrize("package", ["pandas", "shap"])
def test_without_the_package(package: str, uninstall: Callable[[str], None]) -> None:
    made = explain(MODEL, "wa")
    uninstall(package)
    with pytest.raises(MissingExtraError, match="pip install"):
        made.to_frame() if package == "pandas" else made.to_shap()


# ---- files --------------------------------------------------------------------------------------


def test_names_and_endings_of_formats() -> None:
    assert list(FORMATS) == ["text", "json", "html", "svg", "csv", "excel", "parquet", "png"]
    files = [name for name, made in FORMATS.items() if made.parts is None]
    assert files == ["excel", "parquet", "png"]
    assert {ending: name for ending, name in ENDINGS.items() if name in ("html", "json")} == {
        ".html": "html",
        ".htm": "html",
        ".json": "json",
        ".jsonl": "json",
    }
    assert [ENDINGS[one] for one in (".txt", ".svg", ".csv", ".xlsx", ".parquet", ".png")] == [
        *("text", "svg", "csv", "excel", "parquet", "png")
    ]


@pytest.mark.parametrize(
    ("out", "wanted", "expected"),
    [
        (None, None, "text"),
        ("why.HTM", None, "html"),
        ("why.jsonl", None, "json"),
        ("why", "json", "json"),
    ],
)
def test_the_format_follows_the_ending(out: str | None, wanted: str | None, expected: str) -> None:
    assert format_of(None if out is None else Path(out), wanted) == expected


def test_formats_that_cannot_be() -> None:
    for out, wanted, said in (
        (Path("why.doc"), None, "why.doc: the ending says nothing of the format"),
        (None, "parquet", r"parquet is written to a file: say out='why\.parquet'"),
        (Path("why"), "doc", "format may be text, json, html, svg, csv, excel, parquet, png; not"),
    ):
        with pytest.raises(InputError, match=said):
            format_of(out, wanted)
    with pytest.raises(InputError, match="png is written to a file, not printed"):
        print_explanations(explain(MODEL, ["wa"]), "png", Console())


@pytest.mark.parametrize("wanted", FORMATS)
def test_files_are_whole_or_not_there(wanted: str, tmp_path: Path) -> None:
    path = tmp_path / f"why.{wanted}"
    path.write_text("old")
    explanations = explain(MODEL, ["wa wb"], ids=["é"])

    def broken() -> object:
        yield explanations[0]
        raise InputError("the source broke")

    with pytest.raises(InputError, match="the source broke"):
        write_explanations(broken(), wanted, path)  # type: ignore[arg-type]
    assert path.read_text() == "old"
    write_explanations(explanations, wanted, path)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    one = explanations[0]
    expected = {
        "text": one.to_text,
        "json": explanations.to_json,
        "svg": one.to_svg,
        "csv": explanations.to_csv,
        "html": lambda: explanations.to_html().replace("whyword: 1 documents", "whyword"),
    }
    if wanted in expected:
        assert path.read_bytes().decode() == expected[wanted]()
    elif wanted == "png":
        one.to_png(tmp_path / "same.png")
        assert path.read_bytes() == (tmp_path / "same.png").read_bytes()
    elif wanted == "parquet":
        assert len(Explanations.from_parquet(path)) == 1
    else:
        assert openpyxl.load_workbook(io.BytesIO(path.read_bytes())).active.max_row == 3


def test_a_page_of_several_and_a_picture_of_one(tmp_path: Path) -> None:
    explanations = explain(MODEL, ["wa wb", "wc"], ids=["a", "b"])
    page = explanations.to_html(tmp_path / "why.html")
    assert page == str(tmp_path / "why.html")
    page = explanations.to_html()
    assert page.count("<html") == page.count("</html>") == 1
    assert page.count("<article") == 2
    assert only(explanations[:1]) is explanations[0]
    for wanted in ("svg", "png"):
        with pytest.raises(InputError, match="a picture shows one document"):
            write_explanations(explanations, wanted, tmp_path / "why")
    with pytest.raises(InputError, match="a picture shows one document"):
        only([])
    cell = explain(MODEL, ["wa"] * 12)._repr_html_()
    assert cell.count("<article") == 10
    assert "… and 2 more documents" in cell


def test_printing(capsys: pytest.CaptureFixture[str]) -> None:
    explanations = explain(MODEL, ["wa wb", "wc"])
    print_explanations(explanations, "json", Console())
    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == [
        *("wa wb", "wc")
    ]
    stream = io.StringIO()
    print_explanations(explanations, "text", Console(file=stream, width=20))
    assert stream.getvalue() == "".join(one.to_text() for one in explanations)
    colored = io.StringIO()
    console = Console(file=colored, force_terminal=True, color_system="truecolor", width=200)
    print_explanations(explanations, "text", console)
    assert "\x1b[" in colored.getvalue()
