"""Files of search indexes, damaged by the hundred: searched, or refused in one line."""

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from networks import small_cnn, topical

from whyword import SearchIndex, SVMClassifier

TEXTS = topical(9, seed=2)[0]
ANYTHING: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    10**30,
    "",
    "lrp",
    "element",
    "no such thing",
    [],
    {},
    {"epsilon": -1},
    {"epsilon": 0.5},
    {"texts": ["orbit"]},
    {"model": 1},
    [1],
)
LISTS: tuple[Any, ...] = (
    [],
    [1.0],
    [float("nan")] * 8,
    [1e38] * 8,
    None,
    [0] * 8,
    [-1, 2],
    [10**9],
    [0, 0],
)
STRINGS = (None, "", "0", "1", "orbit", "\x00", "x" * 1000)
SETTINGS = ("format", "model", "method", "level", "parameters", "approximate", "more")
COLUMNS = ("id", "text", "vector", "places", "values")


def cases() -> st.SearchStrategy[dict[str, Any]]:
    change = st.one_of(
        st.none(),
        st.tuples(st.just("setting"), st.sampled_from(SETTINGS), st.sampled_from(ANYTHING)),
        st.tuples(st.just("without"), st.sampled_from((*SETTINGS, *COLUMNS)), st.none()),
        st.tuples(st.just("string"), st.sampled_from(("id", "text")), st.sampled_from(STRINGS)),
        st.tuples(st.just("list"), st.sampled_from(COLUMNS[2:]), st.sampled_from(LISTS)),
        st.tuples(st.just("about"), st.just(""), st.sampled_from(("", "[]", "{", "[" * 10**5))),
        st.tuples(st.just("bytes"), st.just(""), st.integers(0, 10**6)),
        st.tuples(st.just("rows"), st.just(""), st.integers(0, 3)),
    )
    keys = {"kind": st.sampled_from(("cnn", "svm")), "row": st.integers(0, 8)}
    return st.fixed_dictionaries({**keys, "change": change})


def changed_table(table: Any, case: dict[str, Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    what, name, value = case["change"] or ("", "", None)
    (key,) = table.schema.metadata
    about = json.loads(table.schema.metadata[key])
    if what == "setting":
        about[name] = value
    if what == "without":
        about.pop(name, None)
        table = table.drop_columns([name]) if name in table.column_names else table
    if what in ("string", "list") and name in table.column_names:
        values = table[name].to_pylist()
        values[case["row"]] = value
        try:
            column = pa.array(values, table.schema.field(name).type)
        except (pa.ArrowException, OverflowError, TypeError):
            column = pa.array([str(value)] * len(values))
        table = table.set_column(table.column_names.index(name), name, column)
    text = value if what == "about" else json.dumps(about)
    return table.replace_schema_metadata({key: text})


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of search indexes, which works in a folder."""
    models = {"cnn": small_cnn(), "svm": SVMClassifier(folds=2).fit(*topical(60))}
    tables, found = {}, {}
    for kind, model in models.items():
        index = SearchIndex(model, TEXTS)
        index.save(folder / kind)
        tables[kind] = pq.read_table(folder / kind)
        found[kind] = [hit.id for hit in index.search("orbit moon puck")]

    def search(case: dict[str, Any]) -> None:
        kind, path = case["kind"], folder / "index"
        what, _, value = case["change"] or ("", "", None)
        table = changed_table(tables[kind], case)
        pq.write_table(table[: value if what == "rows" else None], path)
        if what == "bytes":
            path.write_bytes(damage(path.read_bytes(), random.Random(value)))
        index = SearchIndex.load(path, models[kind])
        hits = index.search("orbit moon puck")
        if case["change"] is None:
            assert [hit.id for hit in hits] == found[kind]
        for hit in hits:
            assert -1 <= hit.similarity <= 1

    return Fuzzer("search indexes", cases(), search)


@pytest.mark.slow(reason="hundreds of files")
def test_search_indexes(tmp_path: Path) -> None:
    fuzz = fuzzer(tmp_path)
    fuzz.check(400)
    assert fuzz.accepted > 60
    assert fuzz.refused > 60
