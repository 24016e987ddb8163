"""Damaged explanations from files: refused in one line, or written in every format."""

import copy
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    *(None, True, 0, 1, -1, 3, 2**31, 10**30, 0.5, -1e308, 1e39, 1e300, 5e-324, float("inf")),
    *("", "x", "all", "class 1", "equal shares", "\ud800", "=1+1", "<script>"),
    *([], {}, [[]], [None], [1.0, 2.0, 3.0], ["class 0", "class 1"], ["class 0", 1, None]),
    *(["class 0", "class 0", "class 1"], [[0, 2], [1, 3]], [[0, 10**6]]),
    *({"against": "class 0"}, {"against": "nobody"}, {"occurrences": "equal shares"}),
    {"deep": [[[[[1]]]]]},
)
FIELDS = (*NAMES, *(field.name for field in OPTIONAL), "more")
SEEDS = st.lists(st.integers(0, 2**32), min_size=1, max_size=3)  # which row, then a change each


def rows() -> list[dict[str, Any]]:
    """Return good rows of each text, target and level."""
    model = made_cnn()
    made = [
        explain(model, TEXTS, target, level=level)
        for target in TARGETS
        for level in ("word", "phrase", "element")
    ]
    return [json.loads(one.to_json()) for several in made for one in several]


def changed(seeds: list[int], good: list[dict[str, Any]]) -> tuple[dict[str, Any], random.Random]:
    """Return a row with some fields changed, and how to damage its file."""
    first, *others = seeds
    fields = copy.deepcopy(good[first % len(good)])
    how = random.Random(first)
    for how in map(random.Random, others):
        name, what = how.choice(FIELDS), how.randrange(6)
        if what < 2:
            fields[name] = how.choice(VALUES)
        elif what == 2 and isinstance(fields.get(name), list) and fields[name]:
            fields[name][how.randrange(len(fields[name]))] = how.choice(VALUES)
        elif what == 3:
            fields.pop(name, None)
        elif what == 4:  # fewer words, in all that belongs to them
            count = how.randrange(4)
            for own in ("words", "spans", "known", "relevance", "elements"):
                if isinstance(fields.get(own), list):
                    fields[own] = fields[own][:count]
            fields["truncated"] = 3
    return fields, how


def write_everywhere(explanation: Explanation, folder: Path) -> None:
    """Write every format, and read those back that can be."""
    again = Explanation.from_json(explanation.to_json())
    np.testing.assert_array_equal(again.spans, explanation.spans)
    assert again.classes == explanation.classes
    for show in (repr, str, Explanation.to_html, Explanation.to_svg, Explanation.as_list):
        show(explanation)
    explanation._repr_html_()
    if len(explanation.words) == 1:
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
    passages(explanation)
    passages(explanation, 2)


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of explanations as JSON, which works in a folder."""
    good = rows()

    def run(seeds: list[int]) -> None:
        fields, how = changed(seeds, good)
        data = json.dumps(fields).encode()
        (folder / "why.json").write_bytes(damage(data, how) if how.randrange(2) else data)
        write_everywhere(Explanation.from_json(folder / "why.json"), folder)

    return Fuzzer("explanations in JSON", SEEDS, run)


def parquet_fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of explanations in Parquet, which works in a folder."""
    good = rows()

    def run(seeds: list[int]) -> None:
        fields, how = changed(seeds, good)
        fields["parameters"] = json.dumps(fields.get("parameters"))
        path = folder / "read.parquet"
        pq.write_table(pa.table(dict(columns_of(fields))), path)
        if how.randrange(2):
            path.write_bytes(damage(path.read_bytes(), how))
        for explanation in Explanations.from_parquet(path):
            write_everywhere(explanation, folder)

    return Fuzzer("explanations in Parquet", SEEDS, run)


def columns_of(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield columns of one row; values that Parquet cannot hold as strings."""
    for name, value in fields.items():
        try:
            yield name, pa.array([ascii(value) if isinstance(value, dict) else value])
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            yield name, pa.array([ascii(value)])


@pytest.mark.slow(reason="many files, each in every format")
@pytest.mark.parametrize("make", [fuzzer, parquet_fuzzer])
def test_imported_explanations(make: Any, tmp_path: Path) -> None:  # noqa: ANN401
    make(tmp_path).check(40)


@pytest.mark.nightly(reason="hundreds of files, each in every format")
@pytest.mark.parametrize("make", [fuzzer, parquet_fuzzer])
def test_hundreds_of_imported_explanations(make: Any, tmp_path: Path) -> None:  # noqa: ANN401
    fuzz = make(tmp_path)
    fuzz.check(400)
    assert fuzz.accepted > 60
    assert fuzz.refused > 60
