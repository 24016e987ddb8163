"""Explanations from files, damaged by the hundred: refused, or written in every format."""

import copy
import json
import random
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from networks import made_cnn

from whyword import Explanation, Explanations, explain
from whyword.explanation import passages
from whyword.explanation.row import NAMES, OPTIONAL

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of shap's own imports
    import shap

assert shap
TEXTS = ("wa wb, wc! wa", "", "wd", "wa \x00 <b>wb</b> \u202e 日本 \U0001f680")
TARGETS: tuple[Any, ...] = ("class 1", "all", ["class 2", "class 0"])
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    3,
    2**31,
    10**30,
    0.5,
    -1e308,
    1e39,
    5e-324,
    "",
    "all",
    "class 1",
    "equal shares",
    "\ud800",
    "=1+1",
    "<script>",
    [],
    {},
    [[]],
    [None],
    [1.0, 2.0, 3.0],
    ["class 0", "class 1"],
    ["class 0", 1, None],
    ["class 0", "class 0", "class 1"],
    [[0, 2], [1, 3]],
    [[0, 10**6]],
    {"against": "class 0"},
    {"against": "nobody"},
    {"occurrences": "equal shares"},
    {"deep": [[[[[1]]]]]},
)
LEVELS: tuple[Literal["word", "phrase", "element"], ...] = ("word", "phrase", "element")
INNER = (None, -1, 0, 1e38, 1e300, float("inf"), "x", True, "", [1], 10**30)
FIELDS = (*NAMES, *(field.name for field in OPTIONAL), "more")


def cases() -> st.SearchStrategy[dict[str, Any]]:
    change = st.one_of(
        st.tuples(st.just("field"), st.sampled_from(FIELDS), st.sampled_from(VALUES)),
        st.tuples(st.just("inner"), st.sampled_from(FIELDS), st.sampled_from(INNER)),
        st.tuples(st.just("without"), st.sampled_from(FIELDS), st.none()),
        st.tuples(st.just("words"), st.just(""), st.integers(0, 3)),
        st.tuples(st.just("truncated"), st.just(""), st.integers(0, 5)),
        st.tuples(st.just("target"), st.just(""), st.sampled_from(VALUES)),
    )
    return st.fixed_dictionaries(
        {
            "text": st.sampled_from(TEXTS),
            "target": st.sampled_from(TARGETS),
            "level": st.sampled_from(LEVELS),
            "changes": st.lists(change, max_size=2),
            "bytes": st.one_of(st.none(), st.integers(0, 10**6)),
            "at": st.integers(0, 3),
        }
    )


def fields_of(case: dict[str, Any], made: dict[Any, Any]) -> dict[str, Any]:
    """Return the row of a case, its changes made."""
    fields: dict[str, Any] = copy.deepcopy(made[case["text"], str(case["target"]), case["level"]])
    for what, name, value in case["changes"]:
        if what == "field":
            fields[name] = value
        elif what == "inner" and isinstance(fields.get(name), list) and fields[name]:
            fields[name][case["at"] % len(fields[name])] = value
        elif what == "without":
            fields.pop(name, None)
        elif what == "words":  # fewer words, in all that belongs to them
            for own in ("words", "spans", "known", "relevance", "elements"):
                if isinstance(fields.get(own), list):  # not what an earlier change made of it
                    fields[own] = fields[own][:value]
            fields["truncated"] = 3
        elif what in ("truncated", "target"):
            fields[what] = value
    return fields


def rows() -> dict[Any, Any]:
    """Return good rows, by text, target and level."""
    model = made_cnn()
    return {
        (text, str(target), level): json.loads(explain(model, text, target, level=level).to_json())
        for text in TEXTS
        for target in TARGETS
        for level in LEVELS
    }


def write_everywhere(explanation: Explanation, folder: Path, picture: bool) -> None:
    """Write every format, and read those back that can be."""
    repr(explanation)
    again = Explanation.from_json(explanation.to_json())
    np.testing.assert_array_equal(again.spans, explanation.spans)
    assert again.classes == explanation.classes
    explanation.to_text()
    explanation.to_html()
    explanation.to_svg()
    explanation._repr_html_()
    if picture:
        explanation.to_png(folder / "why.png")
    explanation.to_parquet(folder / "why.parquet")
    (back,) = Explanations.from_parquet(folder / "why.parquet")
    np.testing.assert_allclose(back.relevance, explanation.relevance, rtol=1e-6)
    explanation.to_frame()
    (back,) = Explanations.from_frame(explanation.to_frame("document"))
    assert back.targets == explanation.targets
    if explanation.words:
        explanation.to_shap()
    explanation.by_word()
    explanation.as_list()
    passages(explanation)
    passages(explanation, 2)


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of explanations as JSON, which works in a folder."""
    made, count = rows(), [0]

    def read(case: dict[str, Any]) -> None:
        text = json.dumps(fields_of(case, made))
        if case["bytes"] is not None:
            data = damage(text.encode(), random.Random(case["bytes"]))
            (folder / "why.json").write_bytes(data)
            explanation = Explanation.from_json(folder / "why.json")
        else:
            explanation = Explanation.from_json(text)
        count[0] += 1
        write_everywhere(explanation, folder, picture=count[0] % 10 == 0)

    return Fuzzer("explanations in JSON", cases(), read)


def parquet_fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of explanations in Parquet, which works in a folder."""
    made = rows()

    def read(case: dict[str, Any]) -> None:
        fields = fields_of(case, made)
        fields["parameters"] = json.dumps(fields.get("parameters"))
        path = folder / "read.parquet"
        columns = {name: column_of(value) for name, value in fields.items()}
        pq.write_table(pa.table(columns), path)
        if case["bytes"] is not None:
            path.write_bytes(damage(path.read_bytes(), random.Random(case["bytes"])))
        for explanation in Explanations.from_parquet(path):
            write_everywhere(explanation, folder, picture=False)

    return Fuzzer("explanations in Parquet", cases(), read)


def column_of(value: Any) -> Any:  # noqa: ANN401 - whatever a case has
    """Return a column of one row; what Parquet cannot hold as a string."""
    if isinstance(value, dict):
        return pa.array([ascii(value)])
    try:
        return pa.array([value])
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return pa.array([ascii(value)])


@pytest.mark.slow(reason="hundreds of files, each in every format")
@pytest.mark.parametrize("make", [fuzzer, parquet_fuzzer])
def test_imported_explanations(make: Any, tmp_path: Path) -> None:  # noqa: ANN401
    fuzz = make(tmp_path)
    fuzz.check(400)
    assert fuzz.accepted > 60
    assert fuzz.refused > 60
