"""Scores while words go, for every kind of model, against predicting again."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import SVMClassifier, tokenize
from whyword.evaluation.erasure import scores_by_step, without
from whyword.methods.blocks import blocks


def steps_of(model: object, text: str, order: list[int], insert: bool) -> NDArray[np.float64]:
    (block,) = blocks(model, [text], 1, elements=False)
    orders = np.array(order, np.int32).reshape(1, 1, -1)
    found: NDArray[np.float64] = scores_by_step(block, np.array([0]), orders, insert)[0, 0]
    return found


@settings(max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (2, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=9),
    integers=st.booleans(),
    insert=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_network_equals_the_literal_one(
    widths: tuple[int, ...], numbers: list[int], integers: bool, insert: bool, seed: int
) -> None:
    model, text = made_cnn(widths, integers=integers, seed=seed), made_text(numbers)
    order = np.random.default_rng(seed).permutation(len(numbers)).tolist()
    found = steps_of(model, text, order, insert)
    literal = literal_parts(model, text)
    expected = oracle.scores_by_step(*literal, len(numbers), order, insert)
    np.testing.assert_allclose(found, expected, atol=1e-5 * max(1, np.abs(expected).max()))


def test_minus_one_changes_nothing() -> None:
    found = steps_of(made_cnn(), made_text([0, 1]), [1, -1, 0, -1], insert=False)
    np.testing.assert_array_equal(found[1], found[2])
    np.testing.assert_array_equal(found[3], found[4])
    assert not np.array_equal(found[2], found[3])


@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("insert", [True, False])
def test_bag_of_words_is_made_anew(sublinear: bool, insert: bool) -> None:
    model = SVMClassifier(C=1.0, sublinear=sublinear).fit(*topical(60))
    for text in ("moon the Moon goal moon unheard puck", "moon", "moon moon", "unheard", ""):
        document = tokenize(text)
        order = np.random.default_rng(0).permutation(len(document))
        found = steps_of(model, text, order.tolist(), insert)
        for k in range(len(document) + 1):
            gone = np.full(len(document), insert)
            gone[order[:k]] = not insert
            again = model.class_scores([without(document, gone)])[0]
            np.testing.assert_allclose(found[k], again, atol=1e-9)


class Loud:
    """Somebody's model: the share of capitals."""

    classes_ = np.array(["loud", "quiet"])

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        loud = [sum(c.isupper() for c in text) / max(1, len(text)) for text in texts]
        return np.array([[share, 1 - share] for share in loud])


def pipeline() -> SVMClassifier:
    texts, labels = topical(60)
    made = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    return SVMClassifier.from_pipeline(made.fit(texts, labels))


@pytest.mark.parametrize("model", [Loud(), pipeline()])
@pytest.mark.parametrize("insert", [True, False])
def test_of_other_models_words_are_cut_out(model: object, insert: bool) -> None:
    text = "The MOON, the puck and GOAL!"
    order = [1, 5, 0]
    found = steps_of(model, text, order, insert)
    document = tokenize(text)
    gone = np.full(len(document), insert)
    for k in range(4):
        if k:
            gone[order[k - 1]] = not insert
        changed = without(document, gone)
        score = model.predict_proba if isinstance(model, Loud) else model.class_scores  # type: ignore[attr-defined]
        np.testing.assert_allclose(found[k], score([changed])[0])


def test_cutting_words_out_leaves_the_rest() -> None:
    document = tokenize("A b, c!")
    assert without(document, np.array([False, True, False])) == "A , c!"
    assert without(document, np.array([True, True, True])) == " , !"
