"""Document vectors against equations (22) to (24) of docs/method.md, literally."""

import itertools
import math

import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from keywords import Keywords
from networks import literal_parts, made_cnn, made_text, small_cnn, topical
from numpy.typing import NDArray
from scipy.sparse import issparse

from whyword import CNNClassifier, InputError, SVMClassifier, explain, summarize, tokenize
from whyword.analysis import iter_summaries
from whyword.explanation import passages
from whyword.models.linear.tfidf import TfIdf


def literal(
    model: CNNClassifier, text: str, method: str, level: str, target: int
) -> NDArray[np.float64]:
    parts = literal_parts(model, text)
    if method == "lrp":
        relevance = oracle.lrp(*parts, target=target)
    else:
        explanation = explain(model, text, "all", method=method, level="element")
        # held against torch's autograd in test_sensitivity.py
        assert explanation.elements is not None
        relevance = np.zeros_like(parts[0])
        relevance[: len(explanation.words)] = explanation.elements[:, :, target]
    return oracle.summary(parts[0], relevance.sum(axis=1) if level == "word" else relevance)


@given(
    widths=st.sampled_from([(1,), (2,), (3,), (1, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=9),
    method=st.sampled_from(["lrp", "sensitivity", "gradient_input"]),
    level=st.sampled_from(["word", "element"]),
    seed=st.integers(0, 10_000),
)
def test_equals_the_literal_formula(
    widths: tuple[int, ...], numbers: list[int], method: str, level: str, seed: int
) -> None:
    model, text = made_cnn(widths, seed=seed), made_text(numbers)
    assume(oracle.smallest_margin(*literal_parts(model, text)[:2]) > 1e-5)
    vectors = summarize(model, [text], method, level, target="class 1")
    expected = literal(model, text, method, level, 1)
    assert vectors.shape == (1, 4)
    limit = 1e-5 * max(1, np.abs(expected).max())
    assert np.abs(vectors[0] - expected).max() <= limit * (1 if method == "lrp" else 10)


def test_the_target_is_the_predicted_class() -> None:
    model, texts = made_cnn(), [made_text([0, 1, 2]), made_text([3, 4])]
    predicted = list(model.predict(texts))
    for level in ("word", "element"):
        np.testing.assert_array_equal(
            summarize(model, texts, level=level),
            summarize(model, texts, level=level, targets=predicted),
        )


def test_uniform_and_tfidf() -> None:
    model = small_cnn()
    text = "orbit the moon the unheard"
    x = model.input_matrix(text)
    np.testing.assert_allclose(summarize(model, [text], "uniform")[0], x.mean(axis=0), atol=1e-6)
    documents = model.provenance_["documents"]
    rarity = [
        math.log((1 + documents) / (1 + model.vocabulary_.get(word.lower(), 0))) + 1
        for word in tokenize(text).words
    ]
    expected = (np.array(rarity)[:, None] * x).sum(axis=0)
    np.testing.assert_allclose(summarize(model, [text], "tfidf")[0], expected, rtol=1e-5)


@pytest.mark.parametrize(
    "method", ["lrp", "sensitivity", "occlusion", "random", "uniform", "tfidf"]
)
def test_streaming_equals_in_memory(method: str) -> None:
    model = small_cnn()
    texts = [*topical(30)[0], "", "moon", "nothing known"]
    whole = summarize(model, texts, method)
    singles = [summarize(model, [text], method)[0] for text in texts]
    np.testing.assert_allclose(whole, singles, atol=1e-5)
    streamed = np.concatenate(list(iter_summaries(model, iter(texts), method)))
    np.testing.assert_array_equal(whole, streamed)


def test_texts_may_be_endless() -> None:
    texts = (made_text([number % 7]) for number in itertools.count())
    first = next(iter_summaries(made_cnn(), texts, level="element"))
    assert len(first) > 1000


def test_svm_summaries_are_sparse_and_literal() -> None:
    texts, labels = topical(60)
    model = SVMClassifier(C=1.0).fit(texts, labels)
    some = ["moon orbit moon unheard", "", "goal"]
    index = {word: place for place, word in enumerate(model.features_.words)}
    vectors = summarize(model, some, target="space")
    assert issparse(vectors)
    assert vectors.shape == (3, len(index))
    assert vectors.dtype == np.float32
    k = list(model.classes_).index("space")
    assert isinstance(model.features_, TfIdf)
    row = model.features_.row_of(model.features_.read(some[0]))
    values = {model.features_.words[p]: x for p, x in zip(*row, strict=True)}
    weights = {word: model.output_weight_[index[word], k] for word in values}
    expected = oracle.linear_lrp(values, weights, model.output_bias_[k])
    for word, value in expected.items():
        assert vectors[0, index[word]] == pytest.approx(value, abs=1e-6)
    assert vectors[1].nnz == 0
    binary = summarize(model, some, "uniform")
    assert set(binary.data) == {1.0}
    np.testing.assert_allclose(
        summarize(model, some, "tfidf").toarray()[0], model.input_matrix(some[0]).toarray()[0], 1e-6
    )
    squares = summarize(model, some, "sensitivity", target="space")
    assert squares[0, index["moon"]] == pytest.approx(weights["moon"] ** 2, rel=1e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": "letter"}, "level may be 'word' or 'element'"),
        ({"method": "lime"}, "choose from lrp"),
        ({"target": "all"}, "one class per document"),
        (
            {"method": "uniform", "level": "element"},
            "level='element' needs a model of word vectors and a",
        ),
        ({"method": "uniform", "epsilon": 1.0}, "'uniform' has no parameter 'epsilon'"),
        ({"target": "class 7"}, "did you mean class"),
    ],
)
def test_unfit_arguments(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        summarize(made_cnn(), ["wa"], **given)  # type: ignore[arg-type]


def test_no_texts_and_no_words() -> None:
    with pytest.raises(InputError, match="not one string"):
        iter_summaries(made_cnn(), "wa")
    model = made_cnn()
    assert summarize(model, []).shape == (0, 4)
    assert not summarize(model, ["", "  "]).any()
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    assert summarize(svm, []).shape == (0, len(svm.features_.words))
    with pytest.raises(InputError, match=r"level='element' needs a model of word vectors .*'lrp'"):
        summarize(svm, ["moon"], level="element")


@pytest.mark.parametrize("kind", ["cnn", "svm"])
@pytest.mark.parametrize("by", ["sentence", "paragraph", 2])
def test_passages_have_vectors(kind: str, by: str | int) -> None:
    model = small_cnn() if kind == "cnn" else SVMClassifier(C=1.0).fit(*topical(60))
    texts = ["Moon orbit. The goal, the puck!\n\nA key.", "", "moon"]
    level = "element" if kind == "cnn" else "word"
    summaries = summarize(model, texts, level=level, by=by)
    whole = summarize(model, texts, level=level)
    assert len(summaries) == 3
    for text, vectors, document in zip(texts, summaries, whole, strict=True):
        assert vectors.shape[0] == len(passages(explain(model, text), by))
        if by != 2:
            total = np.asarray(vectors.sum(axis=0)).ravel()
            expected = document if kind == "cnn" else document.toarray()[0]
            np.testing.assert_allclose(total, expected, atol=1e-5)
    with pytest.raises(InputError, match="by may be"):
        summarize(model, texts, by="letter")
    with pytest.raises(InputError, match="for the predicted class, by a method, only"):
        summarize(model, texts, by="sentence", target=str(model.classes_[0]))


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_somebodys_relevance(kind: str) -> None:
    model = small_cnn() if kind == "cnn" else SVMClassifier(C=1.0).fit(*topical(60))
    texts = ["Moon orbit moon. The goal, the puck!", "", "moon unheard"]
    explained = explain(model, texts)
    expected = summarize(model, texts)
    expected = expected if kind == "cnn" else expected.toarray()
    for relevance in (
        list(explained),
        [one.relevance for one in explained],
        [(one.spans, one.relevance) for one in explained],
    ):
        vectors = summarize(model, texts, relevance=relevance)
        vectors = vectors if kind == "cnn" else vectors.toarray()
        np.testing.assert_allclose(vectors, expected, atol=1e-5)
    with pytest.raises(InputError, match="relevance and texts differ in length: 1 ≠ 3"):
        summarize(model, texts, relevance=[[1.0]])
    with pytest.raises(InputError, match="document 2 has 1 values, but the model sees 2 words"):
        summarize(model, texts, relevance=[*explained[:2], [1.0]])
    with pytest.raises(InputError, match="one entry per text, not int"):
        iter_summaries(model, texts, relevance=5)  # type: ignore[arg-type]
    if kind == "cnn":
        with pytest.raises(InputError, match="there is level='word' only"):
            summarize(model, texts, level="element", relevance=explained)
    with pytest.raises(InputError, match="by a method, only"):
        summarize(model, texts, relevance=explained, by="sentence")
    with pytest.raises(InputError, match="there is no target to explain"):
        summarize(model, texts, relevance=explained, target=str(model.classes_[0]))
    with pytest.raises(InputError, match=r"relevance of document 0 is beyond ±1e\+30"):
        summarize(model, texts, relevance=[one.relevance * 1e38 for one in explained])


@pytest.mark.parametrize("method", ["occlusion", "random"])
def test_bags_by_methods_that_know_words_only(method: str) -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    text = "moon the Moon goal unheard"
    vector = summarize(model, [text], method).toarray()[0]
    places = {word: place for place, word in enumerate(model.features_.words)}
    expected = np.zeros(len(vector))
    for word, value in explain(model, text, method=method).by_word().items():
        if word in places:
            expected[places[word]] = value
    np.testing.assert_allclose(vector, expected, atol=1e-6)


def test_a_document_of_another_tokenizer_is_no_text() -> None:
    with pytest.raises(InputError, match="item 0 must be a str, not Document"):
        next(iter_summaries(small_cnn(), [tokenize("space orbit", 1)]))  # type: ignore[list-item]


def test_somebodys_documents_have_no_vectors() -> None:
    for method in (None, "occlusion", "uniform"):
        with pytest.raises(InputError, match="need a model whose documents have vectors"):
            summarize(Keywords(), ["moon"], method)
