"""Search: the nearest documents, and words that carry the similarity."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import small_cnn, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import CNNClassifier, InputError, SearchIndex, SVMClassifier, from_pipeline, summarize
from whyword.analysis.rows import lengths_of
from whyword.base.errors import MissingExtraError
from whyword.models.pipeline.classifier import PipelineClassifier

TEXTS, LABELS = topical(40)
QUERY = "the moon and the rocket orbit"


def pipeline() -> PipelineClassifier:
    made = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
    wrapping: PipelineClassifier = from_pipeline(made.fit(TEXTS, LABELS))
    return wrapping


MODELS: dict[str, CNNClassifier | SVMClassifier | PipelineClassifier] = {
    "cnn": small_cnn(),
    "svm": SVMClassifier(C=1.0).fit(TEXTS, LABELS),
    "pipeline": pipeline(),
}


@pytest.mark.parametrize("method", [None, "uniform", "tfidf"])
@pytest.mark.parametrize("kind", MODELS)
def test_an_index_can_be_pickled(kind: str, method: str | None) -> None:
    index = SearchIndex(MODELS[kind], TEXTS, method=method)
    again = pickle.loads(pickle.dumps(index))
    assert [hit.id for hit in again.search(QUERY)] == [hit.id for hit in index.search(QUERY)]


def dense(vectors: Any) -> NDArray[np.float64]:  # noqa: ANN401 - an array or a sparse matrix
    rows = np.asarray(vectors if isinstance(vectors, np.ndarray) else vectors.toarray(), float)
    scaled: NDArray[np.float64] = rows / np.maximum(np.linalg.norm(rows, axis=1)[:, None], 1e-12)
    return scaled


@pytest.mark.parametrize(
    ("kind", "level"), [("cnn", "word"), ("cnn", "element"), ("svm", "word"), ("pipeline", "word")]
)
def test_hits_are_the_nearest_by_cosine(kind: str, level: str) -> None:
    model = MODELS[kind]
    index = SearchIndex(model, TEXTS, level=level)
    vectors = dense(summarize(model, TEXTS, level=level))
    expected = vectors @ dense(summarize(model, [QUERY], level=level))[0]
    hits = index.search(QUERY, top=10)
    assert len(hits) == 10
    for hit, number in zip(hits, np.argsort(-expected, kind="stable"), strict=False):
        assert hit.similarity == pytest.approx(float(expected[number]), abs=1e-5)
    assert LABELS[int(hits[0].id)] == "space"


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("settings", [{}, {"method": "uniform"}, {"bias": "apart"}])
def test_what_the_words_carry_adds_up(kind: str, settings: dict[str, str]) -> None:
    index = SearchIndex(MODELS[kind], TEXTS, **settings)  # type: ignore[arg-type]
    hits = index.search(QUERY, top=8)
    assert len(hits) > 1
    for hit in hits:
        for words in (hit.query_words, hit.words):
            assert sum(c.similarity for c in words) == pytest.approx(hit.similarity, abs=1e-4)
        assert hit.elsewhere == (0, 0)
        assert all(hit.text.lower().find(c.word.lower()) >= 0 for c in hit.words)
        strengths = [abs(c.similarity) for c in hit.words]
        assert strengths == sorted(strengths, reverse=True)


def test_features_without_a_place_are_carried_elsewhere() -> None:
    def analyser(text: str) -> list[str]:
        return [*text.lower().split(), "<mail>"]

    made = make_pipeline(CountVectorizer(analyzer=analyser), LogisticRegression())
    model = from_pipeline(made.fit(TEXTS, LABELS))
    (hit,) = SearchIndex(model, TEXTS, method="uniform").search(QUERY, top=1)
    assert hit.elsewhere[0] != 0
    total = sum(c.similarity for c in hit.words) + hit.elsewhere[1]
    assert total == pytest.approx(hit.similarity, abs=1e-4)


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_save_load_and_add(kind: str, tmp_path: Path) -> None:
    model = MODELS[kind]
    index = SearchIndex(model, TEXTS[:30], ids=[f"d{n}" for n in range(30)])
    index.add(TEXTS[30:35], [f"d{n}" for n in range(30, 35)])
    index.add(TEXTS[35:])
    whole = SearchIndex(model, TEXTS)
    for a, b in zip(index.search(QUERY), whole.search(QUERY), strict=True):
        assert a.text == b.text
        assert a.similarity == pytest.approx(b.similarity, abs=1e-5)
    path = tmp_path / "news.index"
    index.save(path)
    loaded = SearchIndex.load(path, model)
    assert len(loaded) == 40
    for a, b in zip(index.search(QUERY), loaded.search(QUERY), strict=True):
        assert a.id == b.id
        assert a.similarity == pytest.approx(b.similarity, abs=1e-6)
    loaded.add(["one more"], ["more"])
    assert len(loaded) == 41
    other = MODELS["svm" if kind == "cnn" else "cnn"]
    with pytest.raises(InputError, match="was made with another model"):
        SearchIndex.load(path, other)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(InputError, match="damaged or no search index"):
        SearchIndex.load(path, model)


def test_the_approximate_search_finds_the_same() -> None:
    texts, _ = topical(600, seed=5)
    exact = SearchIndex(MODELS["cnn"], texts)
    graph = SearchIndex(MODELS["cnn"], texts, approximate=True)
    best = [hit.id for hit in exact.search(QUERY, top=10)]
    near = [hit.id for hit in graph.search(QUERY, top=10)]
    assert len(set(best) & set(near)) >= 9


def test_more_than_there_is_and_documents_without_words() -> None:
    index = SearchIndex(MODELS["svm"], ["moon orbit", "", "unheard"])
    hits = index.search(QUERY, top=50)
    assert [hit.id for hit in hits] == ["0"]
    assert repr(hits[0]).startswith("Hit('0', ")
    assert repr(index) == "SearchIndex(3 documents, lrp, level='word')"


def test_documents_without_words_take_nobodys_place() -> None:
    index = SearchIndex(MODELS["cnn"], [*TEXTS[:2], *[""] * 10])
    assert len(index.search(QUERY, top=2)) == 2
    assert SearchIndex(MODELS["svm"], ["", ""]).search(QUERY) == []


def test_a_damaged_index_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "news.index"
    SearchIndex(MODELS["cnn"], TEXTS).save(path)
    whole = bytearray(path.read_bytes())
    random = np.random.default_rng(0)
    for _ in range(40):
        broken = whole.copy()
        for at in random.integers(0, len(broken), 6):
            broken[at] ^= 255
        path.write_bytes(broken)
        with suppress(InputError):  # never another error
            SearchIndex.load(path, MODELS["cnn"])
    with pytest.raises(InputError, match="NoneType is no model"):
        SearchIndex.load(path, None)


def test_unfit_arguments() -> None:
    index = SearchIndex(MODELS["cnn"], TEXTS)
    for query in ("", "unheard zebra", "12 34"):
        with pytest.raises(InputError, match="knows no word of this query"):
            index.search(query)
    with pytest.raises(InputError, match="top must be a whole number"):
        index.search(QUERY, top=0)
    with pytest.raises(InputError, match="query: item 0 is missing"):
        index.search(None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the index is empty"):
        SearchIndex(MODELS["cnn"]).search(QUERY)
    with pytest.raises(InputError, match="the id '3' is there already"):
        index.add(["moon"], ["3"])
    with pytest.raises(InputError, match="ids and texts differ in length: 1 ≠ 2"):
        index.add(["a", "b"], ["x"])
    assert len(index) == 40


def test_without_the_packages(uninstall: Callable[[str], None]) -> None:
    exact, graph = (SearchIndex(MODELS["cnn"], TEXTS, approximate=one) for one in (False, True))
    uninstall("sklearn")
    uninstall("faiss")
    assert len(exact.search(QUERY)) == 5
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[search\]'"):
        graph.search(QUERY)


@pytest.mark.parametrize("kind", MODELS)
def test_the_query_and_all_hits_are_each_traced_once(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = MODELS[kind]
    index = SearchIndex(model, TEXTS)
    asked: list[list[str]] = []
    trace = type(model).trace

    def counting(self: Any, texts: Any, **options: Any) -> Any:  # noqa: ANN401
        asked.append(list(texts))
        return trace(self, asked[-1], **options)

    monkeypatch.setattr(type(model), "trace", counting)
    hits = index.search(QUERY, top=7)
    assert asked == [[QUERY], [hit.text for hit in hits]]


@pytest.mark.parametrize("kind", MODELS)
def test_the_index_is_not_measured_again(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    index = SearchIndex(MODELS[kind], TEXTS)
    index.prepare()
    measured: list[int] = []

    def counting(rows: Any) -> Any:  # noqa: ANN401
        measured.append(rows.shape[0])
        return lengths_of(rows)

    monkeypatch.setattr("whyword.analysis.search.lengths_of", counting)
    index.search(QUERY, top=7)
    assert measured == [1, 7]
    index.add([QUERY], ["new"])
    assert index.search(QUERY, top=1)[0].id == "new"


def test_somebodys_documents_have_no_vectors() -> None:
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        SearchIndex(Keywords(), TEXTS)
