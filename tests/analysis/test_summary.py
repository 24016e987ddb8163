"""Document vectors against equations (22) to (24) of docs/method.md, and how words are weighted."""

import itertools
import math
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from keywords import Keywords
from networks import literal_parts, made_cnn, made_text, topical
from numpy.typing import NDArray
from toys import TopicsClassifier, several_topics

from whyword import CNNClassifier, InputError, SVMClassifier, explain, summarize, tokenize
from whyword.analysis import iter_summaries
from whyword.analysis.weighting import GivenRelevance, weighting_of
from whyword.explanation import passages

CNN = made_cnn()
SVM = SVMClassifier(C=1.0).fit(*topical(60))
MODELS: dict[str, tuple[Any, list[str]]] = {
    "cnn": (CNN, ["wa wb wa. The wc, the wd!\n\nA we.", "", "wa unheard"]),
    "svm": (SVM, ["Moon orbit moon. The goal, the puck!\n\nA key.", "", "moon unheard"]),
}


def dense(vectors: Any) -> NDArray[Any]:  # noqa: ANN401 - an array or a sparse matrix
    plain: NDArray[Any] = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
    return plain


def literal(
    model: CNNClassifier, text: str, method: str, level: str, target: int
) -> NDArray[np.float64]:
    parts = literal_parts(model, text)
    if method == "lrp":
        relevance = oracle.lrp(*parts, target=target)
    else:  # held against torch's autograd elsewhere
        explanation = explain(model, text, "all", method=method, level="element")
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
def test_vectors_of_networks_equal_the_formula(
    widths: tuple[int, ...], numbers: list[int], method: str, level: str, seed: int
) -> None:
    model, text = made_cnn(widths, seed=seed), made_text(numbers)
    assume(oracle.smallest_margin(*literal_parts(model, text)[:2]) > 1e-5)
    vectors = summarize(model, [text], method, level, target="class 1")
    expected = literal(model, text, method, level, 1)
    assert vectors.shape == (1, 4)
    limit = 1e-5 * max(1, np.abs(expected).max())
    assert np.abs(vectors[0] - expected).max() <= limit * (1 if method == "lrp" else 10)


def test_vectors_of_bags_are_sparse_and_equal_the_formula() -> None:
    some = ["moon orbit moon unheard", "", "goal"]
    index = {word: place for place, word in enumerate(SVM.features_.words)}
    vectors = summarize(SVM, some, target="space")
    assert (vectors.shape, vectors.dtype, vectors[1].nnz) == ((3, len(index)), np.float32, 0)
    k = list(SVM.classes_).index("space")
    features: Any = SVM.features_
    row = features.row_of(features.read(some[0]))
    values = {features.words[p]: x for p, x in zip(*row, strict=True)}
    weights = {word: SVM.output_weight_[index[word], k] for word in values}
    expected = oracle.linear_lrp(values, weights, SVM.output_bias_[k])
    for word, value in expected.items():
        assert vectors[0, index[word]] == pytest.approx(value, abs=1e-6)
    assert set(summarize(SVM, some, "uniform").data) == {1.0}
    tfidf = summarize(SVM, some, "tfidf").toarray()[0]
    np.testing.assert_allclose(tfidf, SVM.input_matrix(some[0]).toarray()[0], 1e-6)
    squares = summarize(SVM, some, "sensitivity", target="space")
    assert squares[0, index["moon"]] == pytest.approx(weights["moon"] ** 2, rel=1e-5)
    for method in ("occlusion", "random"):  # which know words only
        vector = summarize(SVM, some[:1], method).toarray()[0]
        by_word = explain(SVM, some[0], method=method).by_word()
        own = {index[word]: value for word, value in by_word.items() if word in index}
        np.testing.assert_allclose(vector[list(own)], list(own.values()), atol=1e-6)
        assert np.count_nonzero(vector) <= len(own)


def test_weights_without_relevance() -> None:
    model, text = made_cnn(), "wa wb wa unheard"
    model.vocabulary_ = {"wa": 4, "wb": 1}
    x = model.input_matrix(text)
    np.testing.assert_allclose(summarize(model, [text], "uniform")[0], x.mean(axis=0), atol=1e-6)
    rarity = [math.log(11 / (1 + model.vocabulary_.get(word, 0))) + 1 for word in text.split()]
    expected = (np.array(rarity)[:, None] * x).sum(axis=0)
    np.testing.assert_allclose(summarize(model, [text], "tfidf")[0], expected, rtol=1e-5)


@pytest.mark.parametrize(
    "method", ["lrp", "sensitivity", "occlusion", "random", "uniform", "tfidf"]
)
def test_streaming_equals_in_memory(method: str) -> None:
    random = np.random.default_rng(0)
    texts = [made_text(random.integers(0, 7, 9)) for _ in range(12)] + ["", "wa", "nothing known"]
    whole = summarize(CNN, texts, method)
    singles = [summarize(CNN, [text], method)[0] for text in texts]
    np.testing.assert_allclose(whole, singles, atol=1e-5)
    streamed = np.concatenate(list(iter_summaries(CNN, iter(texts), method)))
    np.testing.assert_array_equal(whole, streamed)


@pytest.mark.parametrize("kind", MODELS)
def test_targets_and_given_relevance(kind: str) -> None:
    model, texts = MODELS[kind]
    explained, expected = explain(model, texts), dense(summarize(model, texts))
    by_target = summarize(model, texts, targets=list(model.predict(texts)))
    np.testing.assert_array_equal(dense(by_target), expected)
    pairs = [(one.spans, one.relevance) for one in explained]
    for relevance in (list(explained), [values for _, values in pairs], pairs):
        vectors = summarize(model, texts, relevance=relevance)
        np.testing.assert_allclose(dense(vectors), expected, atol=1e-5)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("by", ["sentence", "paragraph", 2])
def test_passages_have_vectors(kind: str, by: str | int) -> None:
    model, texts = MODELS[kind]
    given: dict[str, Any] = {"level": "element" if kind == "cnn" else "word"}
    summaries, whole = summarize(model, texts, **given, by=by), summarize(model, texts, **given)
    for text, vectors, document in zip(texts, summaries, dense(whole), strict=True):
        assert vectors.shape[0] == len(passages(explain(model, text), by))
        if by != 2:
            np.testing.assert_allclose(dense(vectors).sum(axis=0), document, atol=1e-5)


@pytest.mark.parametrize("level", ["word", "element"])
def test_what_words_add_makes_the_document(level: str) -> None:
    model = made_cnn((1, 3), seed=4)
    texts, targets = [made_text([0, 1, 2, 6, 3]), "", made_text([4])], [[1], [0], [2]]
    (trace,) = model.trace(texts)
    weighting = weighting_of(model, "gradient_input", level, {})
    sums = weighting.sums(trace, np.array(targets, np.int32))
    each, whole = sums(True), sums(False)
    assert (weighting.level, each.shape, whole.shape) == (level, (6, 4), (3, 4))
    np.testing.assert_allclose(each[:5].sum(axis=0), whole[0], atol=1e-5)
    np.testing.assert_array_equal(whole[1], 0)
    np.testing.assert_allclose(each[5], whole[2], atol=1e-5)
    given_ = GivenRelevance([[1.0, 2, 3, 4, 5], [], [6.0]])  # taken in step
    (first,), (second,) = model.trace(texts[:2]), model.trace(texts[2:])
    taken = given_(first, np.array(targets[:2], np.int32)).words
    assert [one[:, 0].tolist() for one in taken] == [[1, 2, 3, 4, 5], []]
    assert [o.tolist() for o in given_(second, np.array(targets[2:], np.int32)).words] == [[[6.0]]]


WHOLE = explain(CNN, ["wa"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"texts": "wa"}, "not one string"),
        ({"texts": [tokenize("space orbit", 1)]}, "item 0 must be a str, not Document"),
        ({"level": "letter"}, "level may be 'word' or 'element', not 'letter'"),
        ({"method": "lime"}, "choose from lrp"),
        ({"target": "all"}, "one class per document"),
        ({"target": "class 7"}, "did you mean class"),
        ({"method": "uniform", "level": "element"}, "level='element' needs a model of word vec"),
        (
            {"model": SVM, "level": "element"},
            "level='element' needs a model of word vectors .*'lrp'",
        ),
        (
            {"method": "uniform", "epsilon": 1.0},
            "'uniform' has no parameter 'epsilon'; it has: none",
        ),
        ({"by": "letter"}, "by may be"),
        ({"by": "sentence", "target": "class 1"}, "for the predicted class, by a method, only"),
        ({"relevance": []}, "relevance and texts differ in length: 0 ≠ 1"),
        ({"relevance": [[1.0, 2]]}, "document 0 has 2 values, but the model sees 1 word"),
        ({"relevance": 5}, "one entry per text, not int"),
        ({"relevance": "text"}, "takes a list with one entry per text, not str"),
        ({"relevance": WHOLE, "level": "element"}, "there is level='word' only"),
        ({"relevance": WHOLE, "by": "sentence"}, "by a method, only"),
        ({"relevance": WHOLE, "target": "class 1"}, "there is no target to explain"),
        ({"relevance": [[1e38]]}, r"relevance of document 0 is beyond ±1e\+30"),
        *(
            ({"model": Keywords(), "method": method}, "need a model whose documents have vectors")
            for method in (None, "occlusion", "uniform")
        ),
        (
            {"model": TopicsClassifier().fit(*several_topics(9)), "method": "tfidf"},
            "rarity in the training texts, which is not known of a model of kind 'topics'; say",
        ),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        summarize(**{"model": CNN, "texts": ["wa"], **asked})


def test_no_texts_no_words_and_endless_texts() -> None:
    endless = (made_text([number % 7]) for number in itertools.count())
    assert len(next(iter_summaries(CNN, endless))) > 1000
    assert summarize(CNN, []).shape == (0, 4)
    assert not summarize(CNN, ["", "  "]).any()
    assert summarize(SVM, []).shape == (0, len(SVM.features_.words))
    with pytest.raises(InputError, match="no method"):
        explain(CNN, "wa", method="uniform")
