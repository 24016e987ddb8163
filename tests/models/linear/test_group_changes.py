"""Groups of words taken out of bags by arithmetic: what the model says without them."""

from collections import Counter
from functools import cache

import numpy as np
import oracle
import pytest
from networks import topical

from whyword import Reader, SVMClassifier, tokenize
from whyword.models.erasure import text_without
from whyword.models.linear import group_changes as module
from whyword.models.linear.tfidf_trace import TfIdfTrace
from whyword.models.word_groups import WordGroups

TEXTS = [
    "moon the Moon goal moon unheard puck the moon the moon",
    *("moon moon", "moon moon moon", "moon", "the unheard moon", "unheard", ""),
    "the goal",
]
LENGTHS = [(1, 1), (1, 2), (2, 2), (1, 3), (2, 4), (5, 5)]


@cache
def made(lengths: tuple[int, int], sublinear: bool, stop: str | None = None) -> SVMClassifier:
    """Return a model that knows n-grams of the texts, with weights by chance."""
    texts, labels = topical(30)
    texts = [f"{text} {TEXTS[number % 4]} moon moon moon" for number, text in enumerate(texts)]
    stop_words = None if stop is None else [stop]
    model = SVMClassifier(
        ngrams=lengths,
        min_documents=1,
        stop_words=stop_words,
        C=1.0,
        folds=2,
        sublinear=sublinear,
        reader=Reader(ignore=["goal"]),
    ).fit(texts, labels)
    random = np.random.default_rng(0)
    model.output_weight_ = random.normal(size=model.output_weight_.shape)
    return model


def some_groups(lengths: list[int], seed: int) -> list[list[list[int]]]:
    """Return single words, some by chance, no word, and all of them."""
    random = np.random.default_rng(seed)
    return [
        [
            *([t] for t in range(length)),
            *(np.flatnonzero(random.random(length) < share).tolist() for share in (0.3, 0.5, 0.8)),
            [],
            list(range(length)),
        ]
        for length in lengths
    ]


@pytest.mark.slow("predicts again without hundreds of groups")
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("stop", [None, "the"])
@pytest.mark.parametrize("at_once", [1, 1 << 17])
def test_equals_predicting_again(
    lengths: tuple[int, int],
    sublinear: bool,
    stop: str | None,
    at_once: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neighbours of one group, unknown, ignored and stop words; no word left; in any portions."""
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    model = made(lengths, sublinear, stop)
    (trace,) = model.trace(TEXTS)
    assert isinstance(trace, TfIdfTrace)
    documents = [tokenize(text) for text in TEXTS]
    groups = some_groups([len(one) for one in documents], 1)
    scores = trace.scores_without(WordGroups.of(groups))
    again = [
        text_without(document, np.isin(np.arange(len(document)), group))
        for document, each in zip(documents, groups, strict=True)
        for group in each
    ]
    np.testing.assert_allclose(scores, model.class_scores(again), rtol=1e-9, atol=1e-9)


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("lengths", LENGTHS)
def test_words_that_are_gone_already(lengths: tuple[int, int]) -> None:
    model, deleted = made(lengths, True), [1, 5, 9]
    (trace,) = model.trace([TEXTS[0]], deleted=iter([np.array(deleted)]))
    assert isinstance(trace, TfIdfTrace)
    groups = [[0], [1], [0, 1, 2], [2, 4, 6, 8], []]
    scores = trace.scores_without(WordGroups.of([groups]))
    for group, score in zip(groups, scores, strict=True):
        gone = np.unique([*deleted, *group]).astype(np.intp)
        (again,) = model.trace([TEXTS[0]], deleted=iter([gone]))
        np.testing.assert_allclose(score, again.scores[0], rtol=1e-9, atol=1e-9)


@pytest.mark.slow("trains a model")
def test_equals_the_literal_formula() -> None:
    model = made((1, 1), False)
    words = [word.lower() for word in tokenize(TEXTS[0]).words]
    features = model.features_
    frequencies = dict(zip(features.words, features.frequencies.tolist(), strict=True))
    places = {word: place for place, word in enumerate(features.words)}
    (trace,) = model.trace([TEXTS[0]])
    assert isinstance(trace, TfIdfTrace)
    groups = [[0, 2, 4], [6], list(range(len(words)))]
    expected = []
    for group in groups:
        left = [w for t, w in enumerate(words) if t not in group and w != "goal"]
        values = oracle.tfidf(Counter(left), frequencies, features.documents, False)
        score = model.output_bias_.astype(np.float64)
        for word, value in values.items():
            score = score + value * model.output_weight_[places[word]]
        expected.append(score)
    np.testing.assert_allclose(trace.scores_without(WordGroups.of([groups])), expected, atol=1e-9)


@pytest.mark.slow("a long text")
def test_little_that_is_left_is_not_lost_in_rounding() -> None:
    """Without the word that makes almost all of the norm, the rest has unit length."""
    model = made((1, 2), False)
    text = "moon " * 20_000 + "puck the"
    (trace,) = model.trace([text])
    assert isinstance(trace, TfIdfTrace)
    scores = trace.scores_without(WordGroups.of([[range(20_000), range(1, 20_000)]]))
    expected = model.class_scores(["puck the", "moon puck the"])
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)
