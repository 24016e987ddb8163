"""Search: the nearest documents by definition, the words that carry the similarity, index files."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzzing import check_message
from keywords import Keywords
from networks import made_cnn, made_text, topical
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, SearchIndex, SVMClassifier, from_pipeline, summarize
from whyword.analysis import search_file
from whyword.analysis.nearest import ExactNearest, GraphNearest
from whyword.analysis.rows import lengths_of, products, stack, sums_over, unit_vectors
from whyword.analysis.search_file import StoredIndex, write_index
from whyword.base.errors import MissingExtraError

RANDOM = np.random.default_rng(3)
WORDS = [made_text(RANDOM.integers(0, 6, 9)) for _ in range(40)]
TEXTS, LABELS = topical(40)
QUERY = "the moon and the rocket orbit"
BAG = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
MODELS: dict[str, tuple[Any, list[str], str]] = {
    "cnn": (made_cnn(), WORDS, "wa wb wa"),
    "svm": (SVMClassifier(C=1.0).fit(TEXTS, LABELS), TEXTS, QUERY),
    "pipeline": (from_pipeline(BAG.fit(TEXTS, LABELS)), TEXTS, QUERY),
}
CNN = MODELS["cnn"][0]


# ---- rows and nearest vectors -------------------------------------------------------------------

VALUES = np.array([[3, 0, 4, 0], [0, 0, 0, 0], [1, -1, 1, -1], [0, 2, 0, 0]], np.float32)


def dense(rows: Any) -> NDArray[Any]:  # noqa: ANN401 - an array or a sparse matrix
    plain: NDArray[Any] = rows if isinstance(rows, np.ndarray) else rows.toarray()
    return plain


@pytest.mark.parametrize("make", [np.array, csr_matrix])
def test_rows_of_arrays_and_of_sparse_matrices(make: type) -> None:
    rows = make(VALUES)
    assert lengths_of(rows).tolist() == [5, 0, 2, 2]
    units = VALUES / np.array([[5], [1], [2], [2]])
    np.testing.assert_allclose(dense(unit_vectors(rows)), units, rtol=1e-6)
    assert dense(unit_vectors(rows, np.ones(4))).tolist() == VALUES.tolist()
    assert products(rows, rows[0]).tolist() == [25, 0, 7, 0]
    assert dense(stack([rows[:1], rows[2:]])).tolist() == VALUES[[0, 2, 3]].tolist()
    assert dense(stack([rows[:0], rows[:0]])).tolist() == []
    sums = [VALUES[:3].sum(axis=0), np.zeros(4), VALUES[2:].sum(axis=0)]
    np.testing.assert_array_equal(dense(sums_over(rows, [(0, 3), (1, 1), (2, 4)])), sums)
    assert sums_over(rows, []).shape == (0, 4)


UNITS = unit_vectors(np.random.default_rng(3).normal(size=(200, 8)).astype(np.float32))


@pytest.mark.parametrize("make", [np.array, csr_matrix])
def test_nearest_vectors_are_those_of_the_definition(make: type) -> None:
    vectors = make(UNITS)
    for number in (0, 17, 199):
        nearest = ExactNearest(vectors).search(vectors[number], 6)
        cosines = UNITS.astype(float) @ UNITS[number].astype(float)
        expected = np.argsort(-cosines, kind="stable")[:6]
        assert [place for place, _ in nearest] == expected.tolist()
        np.testing.assert_allclose([cosine for _, cosine in nearest], cosines[expected], atol=1e-6)
        assert max(cosine for _, cosine in nearest) <= 1
    alike = ExactNearest(np.tile(UNITS[:1], (50, 1)))
    assert [place for place, _ in alike.search(UNITS[0], 4)] == [0, 1, 2, 3]


def test_the_graph_finds_nearly_all() -> None:
    exact, graph = ExactNearest(UNITS), GraphNearest(UNITS)
    for unit in UNITS[:20]:
        best, near = (dict(one.search(unit, 10)) for one in (exact, graph))
        common = best.keys() & near.keys()
        assert len(common) >= 9
        assert [near[n] for n in common] == pytest.approx([best[n] for n in common], abs=1e-6)
    for kind in (ExactNearest, GraphNearest):
        assert sorted(place for place, _ in kind(UNITS[:3]).search(UNITS[0], 9)) == [0, 1, 2]
        assert kind(UNITS[:0]).search(UNITS[0], 9) == []


# ---- search -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    "settings", [{}, {"method": "uniform"}, {"bias": "apart"}, {"level": "element"}]
)
def test_hits_are_the_nearest_and_their_words_add_up(kind: str, settings: dict[str, Any]) -> None:
    model, texts, query = MODELS[kind]
    if "level" in settings and kind != "cnn":
        return
    index = SearchIndex(model, texts, **settings)
    hits = index.search(query, top=8)
    vectors, asked = (
        dense(unit_vectors(summarize(model, some, **settings))) for some in (texts, [query])
    )
    cosines = vectors @ asked[0]
    expected = [n for n in np.argsort(-cosines, kind="stable") if vectors[n].any()][:8]
    assert [hit.similarity for hit in hits] == pytest.approx(cosines[expected].tolist(), abs=1e-5)
    for hit in hits:
        assert hit.text == texts[int(hit.id)]
        assert hit.elsewhere == (0, 0)
        for words in (hit.query_words, hit.words):
            assert sum(c.similarity for c in words) == pytest.approx(hit.similarity, abs=1e-4)
        assert all(hit.text.lower().find(c.word.lower()) >= 0 for c in hit.words)
        strengths = [abs(c.similarity) for c in hit.words]
        assert strengths == sorted(strengths, reverse=True)
    again = pickle.loads(pickle.dumps(index))
    assert [hit.id for hit in again.search(query, top=8)] == [hit.id for hit in hits]


def test_features_without_a_place_are_carried_elsewhere() -> None:
    def analyser(text: str) -> list[str]:
        return [*text.lower().split(), "<mail>"]

    made = make_pipeline(CountVectorizer(analyzer=analyser), LogisticRegression())
    model = from_pipeline(made.fit(TEXTS, LABELS))
    (hit,) = SearchIndex(model, TEXTS, method="uniform").search(QUERY, top=1)
    assert hit.elsewhere[0] != 0
    total = sum(c.similarity for c in hit.words) + hit.elsewhere[1]
    assert total == pytest.approx(hit.similarity, abs=1e-4)


def test_documents_without_words_take_nobodys_place() -> None:
    svm = MODELS["svm"][0]
    index = SearchIndex(svm, ["moon orbit", "", "unheard"])
    (hit,) = index.search(QUERY, top=50)
    assert (hit.id, repr(hit)[:9]) == ("0", "Hit('0', ")
    assert repr(index) == "SearchIndex(3 documents, lrp, level='word')"
    assert len(SearchIndex(CNN, [*WORDS[:2], *[""] * 10]).search("wa wb", top=2)) == 2
    assert SearchIndex(svm, ["", ""]).search(QUERY) == []


def test_the_query_and_all_hits_are_each_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    index = SearchIndex(CNN, WORDS)
    asked: list[list[str]] = []
    trace = type(CNN).trace

    def counting(self: Any, texts: Any, **options: Any) -> Any:  # noqa: ANN401
        asked.append(list(texts))
        return trace(self, asked[-1], **options)

    monkeypatch.setattr(type(CNN), "trace", counting)
    hits = index.search("wa wb", top=7)
    assert asked == [["wa wb"], [hit.text for hit in hits]]
    index.add(["wb wa wb wa wb"], ["new"])
    assert "new" in {hit.id for hit in index.search("wb wa wb wa wb", top=3)}


def test_invalid_arguments(uninstall: Callable[[str], None]) -> None:
    index = SearchIndex(CNN, WORDS)
    for query in ("", "unheard zebra", "12 34"):
        with pytest.raises(InputError, match="knows no word of this query"):
            index.search(query)
    with pytest.raises(InputError, match="top must be a whole number"):
        index.search("wa", top=0)
    with pytest.raises(InputError, match="query: item 0 is missing"):
        index.search(None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the index is empty"):
        SearchIndex(CNN).search("wa")
    with pytest.raises(InputError, match="the id '3' is there already"):
        index.add(["moon"], ["3"])
    with pytest.raises(InputError, match="ids and texts differ in length: 1 ≠ 2"):
        index.add(["a", "b"], ["x"])
    assert len(index) == 40
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        SearchIndex(Keywords(), TEXTS)
    graph = SearchIndex(CNN, WORDS, approximate=True)
    uninstall("sklearn")
    uninstall("faiss")
    assert len(index.search("wa")) == 5
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[search\]'"):
        graph.search("wa")


# ---- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_an_index_is_extended_saved_and_loaded(kind: str, tmp_path: Path) -> None:
    model, texts, query = MODELS[kind]
    index = SearchIndex(model, texts[:30], ids=[f"d{n}" for n in range(30)])
    index.add(texts[30:35], [f"d{n}" for n in range(30, 35)])
    index.add(texts[35:])
    path = tmp_path / "news.index"
    index.save(path)
    loaded = SearchIndex.load(path, model)
    found = index.search(query)
    for other, ids in ((SearchIndex(model, texts), False), (loaded, True)):
        for a, b in zip(found, other.search(query), strict=True):
            assert [a.text, a.similarity] == [b.text, pytest.approx(b.similarity, abs=1e-5)]
            assert a.id == b.id or not ids
    loaded.add(["one more"], ["more"])
    assert len(loaded) == 41
    with pytest.raises(InputError, match="was made with another model"):
        SearchIndex.load(path, MODELS["svm" if kind == "cnn" else "cnn"][0])
    whole = path.read_bytes()
    for cut in (b"", whole[:50], whole[:-9], whole[:200] + b"\xff" * 99 + whole[299:]):
        path.write_bytes(cut)
        with pytest.raises(InputError, match="damaged or no search index"):
            SearchIndex.load(path, model)


SETTINGS = {"method": "lrp", "parameters": {"epsilon": 0.5}}


@pytest.mark.parametrize("make", [np.array, csr_matrix])
@pytest.mark.parametrize("rows", [3, 1_000])
def test_what_is_written_is_read(
    make: type, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_file, "_ROWS", rows)
    given, path = UNITS[:7] * 1.0, tmp_path / "x"
    given[0] = 0
    ids, texts, vectors = [f"d{n}" for n in range(7)], ["é", "", "a\nb", *"wxyz"], make(given)
    write_index(path, "me", SETTINGS, ids, texts, vectors)
    stored = StoredIndex.read(path, "me")
    assert {name: stored.about[name] for name in SETTINGS} == SETTINGS
    assert stored.ids_and_texts() == (ids, texts)
    again = stored.vectors(vectors[:0])
    assert type(again) is type(vectors)
    np.testing.assert_array_equal(dense(again), given)
    with pytest.raises(InputError, match=r"made with another model \(me…, this is you…\)"):
        StoredIndex.read(path, "you")
    with pytest.raises(InputError, match="damaged or no search index"), stored.being_opened():
        stored.vectors(np.empty((0, 4), np.float32))
    said = {"whyword search index": '{"format": 2, "model": "me"}'}
    pq.write_table(pq.read_table(path).replace_schema_metadata(said), path)
    with pytest.raises(InputError, match="has format 2, this version reads 1"):
        StoredIndex.read(path, "me")
    pq.write_table(pa.table({"text": ["a"]}), path)
    with pytest.raises(InputError, match="damaged or no search index"):
        StoredIndex.read(path, "me")
    with pytest.raises(InputError, match="no such file"):
        StoredIndex.read(tmp_path / "y", "me")


def damaged(table: Any, name: str, value: object) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the table with another setting, or another value in the fourth row of a column."""
    (key,) = table.schema.metadata
    about = json.loads(table.schema.metadata[key])
    if name not in table.column_names:
        return table.replace_schema_metadata({key: json.dumps(about | {name: value})})
    values = table[name].to_pylist()
    values[3] = value
    column = pa.array(values, table.schema.field(name).type)
    return table.set_column(table.column_names.index(name), name, column)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("format", value) for value in (None, 10**30, list[int](), "")),
        *(("method", value) for value in ("no such method", 1, dict[str, int]())),
        *(("level", value) for value in ("letter", None)),
        *(("parameters", value) for value in ([1], {"epsilon": -1}, {"texts": ["orbit"]})),
        *(("id", value) for value in (None, "0")),
        ("text", None),
        *(("vector", value) for value in ([], [float("nan")] * 4, [1e38] * 4, None)),
        *(("places", value) for value in ([], [-1, 2], [10**9], None)),
        *(("values", value) for value in ([], [float("nan")] * 9)),
    ],
)
def test_damaged_indexes_are_refused(name: str, value: object, tmp_path: Path) -> None:
    model, texts, _ = MODELS["svm" if name in ("places", "values") else "cnn"]
    path = tmp_path / "index"
    SearchIndex(model, texts[:9]).save(path)
    pq.write_table(damaged(pq.read_table(path), name, value), path)
    with pytest.raises(InputError) as caught:
        SearchIndex.load(path, model)
    check_message(str(caught.value))
