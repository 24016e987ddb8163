"""Groups of words by themselves, and what every kind of model says without them."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import BlackBox, InputError, SVMClassifier, from_pipeline, tokenize
from whyword.models import word_groups as module
from whyword.models.protocol import Erasable, TextClassifier
from whyword.models.word_groups import WordGroups

GROUPS: list[list[list[int]]] = [[[0, 2], []], [], [[1], [2, 1, 0]]]


def listed(groups: WordGroups) -> list[list[list[int]]]:
    words = np.split(groups.positions, groups.starts[1:-1]) if len(groups) else []
    each = [one.tolist() for one in words]
    ends = groups.offsets.tolist()
    return [each[start:end] for start, end in pairwise(ends)]


def test_groups_of_lists() -> None:
    groups = WordGroups.of(GROUPS)
    assert (len(groups), groups.documents) == (4, 3)
    assert groups.offsets.tolist() == [0, 2, 2, 4]
    assert groups.starts.tolist() == [0, 2, 2, 3, 6]
    assert groups.positions.tolist() == [0, 2, 1, 0, 1, 2]
    assert groups.offsets.dtype == groups.starts.dtype == np.int64
    assert groups.positions.dtype == np.int32
    assert groups.owners.tolist() == [0, 0, 2, 2]
    assert len(WordGroups.of([])) == WordGroups.of([[], []]).starts[-1] == 0


def test_words_that_are_alike_are_a_group() -> None:
    numbers = [np.array([5, -1, 3, 5]), np.array([], np.int64), np.array([3, 3]), np.array([-1])]
    groups, values = WordGroups.alike(numbers)
    assert listed(groups) == [[[2], [0, 3]], [], [[0, 1]], []]
    assert values.tolist() == [3, 5, 3]
    assert len(WordGroups.alike([])[0]) == 0


def test_documents_of_groups_are_cut_out() -> None:
    groups = WordGroups.of(GROUPS)
    for first in range(4):
        for last in range(first, 4):
            part = groups.between(first, last)
            assert listed(part) == listed(groups)[first:last]


@pytest.mark.parametrize("most", [1, 2, 5, 1 << 20])
def test_orders_hold_the_groups(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", most)
    groups = WordGroups.of([*GROUPS, [[7], [1, 2, 3], [4, 5], []]])
    found: list[list[list[int]]] = [[] for _ in range(groups.documents)]
    for document, orders in groups.orders():
        assert orders.dtype == np.int32
        assert orders.size <= max(most, orders.shape[1])
        found[document] += [[word for word in order if word >= 0] for order in orders.tolist()]
    assert found == listed(groups)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([0, 1], [0, 2], [1, 1]), "different positions"),
        (([0, 1], [0, 2], [2, 1]), "in increasing order"),
        (([0, 1], [0, 1], [-1]), "positions must be from 0"),
        (([0, 1], [0, 1], [2**31]), "positions must be from 0 to 2147483647"),
        (([0, 1], [0, 1], [0.5]), "positions must be a list of whole numbers"),
        (([0, 1], [0, 1], [[0]]), "positions must be a list"),
        (([0, 2], [0, 1], [0]), "offsets must go up from 0 to 1"),
        (([1, 1], [0, 1], [0]), "offsets must go up"),
        (([0, 2, 1], [0, 1], [0]), "offsets must go up"),
        (([], [0], []), "offsets must go up"),
        (([0], [], []), "offsets must go up from 0"),
        (([0, 2], [0, 3, 2], [0, 1]), "starts must go up from 0 to 2"),
    ],
)
def test_what_makes_no_groups(parts: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        WordGroups(*parts)


def test_groups_must_be_of_the_documents() -> None:
    documents = [tokenize("one two three"), tokenize(""), tokenize("one two three")]
    WordGroups.of(GROUPS).check(documents)
    with pytest.raises(InputError, match="of 3 documents, but 2 documents"):
        WordGroups.of(GROUPS).check(documents[1:])
    with pytest.raises(InputError, match="word 2 of document 2, which has 2 words"):
        WordGroups.of(GROUPS).check([*documents[:2], tokenize("one two")])
    with pytest.raises(InputError, match="whole numbers"):
        WordGroups.of([[["moon"]]])  # type: ignore[list-item]


# ---- what models say without them -------------------------------------------------------------

TEXTS = ["moon the Moon goal wa moon", "", "wa wb unheard wc wa", "puck"]
WORDS: list[list[list[int]]] = [
    [[0, 2, 5], [1], [3, 4], [], list(range(6))],
    [[]],
    [[0, 4], [1, 2]],
    [],
]


class Loud:
    """Somebody's model: the share of capitals; it counts the texts it is asked about."""

    classes_ = np.array(["loud", "quiet"])
    asked = 0

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        self.asked += len(texts)
        loud = [sum(c.isupper() for c in text) / max(1, len(text)) for text in texts]
        return np.array([[share, 1 - share] for share in loud])


@cache
def models() -> dict[str, TextClassifier]:
    texts, labels = topical(30)
    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    return {
        "cnn": made_cnn((1, 3)),
        "svm": SVMClassifier(C=1.0, ngrams=(1, 1)).fit(texts, labels),
        "n-grams": SVMClassifier(C=1.0, ngrams=(1, 2)).fit(texts, labels),
        "pipeline": from_pipeline(pipeline.fit(texts, labels)),
        "black box": BlackBox(Loud()),
    }


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("name", ["cnn", "svm", "n-grams", "pipeline", "black box"])
@pytest.mark.parametrize("gone", [[], [1]])
def test_models_say_what_they_say_of_deleted_words(name: str, gone: list[int]) -> None:
    """Without a group, and without what is gone from the start."""
    model, tolerance = models()[name], 1e-5 if name == "cnn" else 1e-9
    several = [TEXTS[0], TEXTS[2]] if gone else TEXTS
    words = [WORDS[TEXTS.index(text)] for text in several]
    (trace,) = model.trace(several, deleted=iter([np.array(gone, np.intp)] * len(several)))
    assert isinstance(trace, Erasable)
    scores = trace.scores_without(WordGroups.of(words))
    deleted = [np.array(sorted({*gone, *one}), np.intp) for each in words for one in each]
    texts = [text for text, each in zip(several, words, strict=True) for _ in each]
    (again,) = model.trace(texts, deleted=iter(deleted))
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, again.scores, rtol=tolerance, atol=tolerance)


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("name", ["cnn", "svm", "n-grams", "pipeline", "black box"])
def test_no_group_and_groups_of_other_documents(name: str) -> None:
    model = models()[name]
    (trace,) = model.trace(TEXTS)
    assert isinstance(trace, Erasable)
    assert trace.scores_without(WordGroups.of([[]] * 4)).shape == (0, len(model.classes_))
    with pytest.raises(InputError, match="of 0 documents, but 4 documents"):
        trace.scores_without(WordGroups.of([]))
    with pytest.raises(InputError, match="word 1 of document 3, which has 1 words"):
        trace.scores_without(WordGroups.of([[], [], [], [[0, 1]]]))


def test_a_model_is_asked_once_for_each_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    loud = Loud()
    (trace,) = BlackBox(loud).trace(TEXTS)
    assert isinstance(trace, Erasable)
    groups, loud.asked = WordGroups.of(WORDS), 0
    trace.scores_without(groups)
    assert loud.asked == len(groups) == 8
