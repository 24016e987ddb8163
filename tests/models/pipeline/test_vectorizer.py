"""Vectorisers: rows, and where features stand."""

import pickle

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from whyword import InputError
from whyword.models.linear.bag import Occurrence
from whyword.models.pipeline.vectorizer import Vectorizer

TEXTS = ["the moon, the Moon", "", "zzz goal"]


@pytest.mark.parametrize(
    "made",
    [CountVectorizer(), TfidfVectorizer(ngram_range=(1, 2)), HashingVectorizer(n_features=8)],
)
def test_rows_are_its_own(made: CountVectorizer) -> None:
    vectorizer = Vectorizer(made.fit(TEXTS[:1]))
    rows = vectorizer.forward(TEXTS)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows.toarray(), made.transform(TEXTS).toarray())
    again = pickle.loads(pickle.dumps(vectorizer))
    np.testing.assert_array_equal(again.forward(TEXTS).toarray(), rows.toarray())
    assert again.locate(TEXTS[0])[1] == vectorizer.locate(TEXTS[0])[1]


def test_known_features_have_places() -> None:
    vectorizer = Vectorizer(CountVectorizer().fit(["moon the"]))
    _, occurrences = vectorizer.locate("the moon shines")
    assert [one.name for one in occurrences] == ["the", "moon"]
    places, signs = vectorizer.places(occurrences)
    assert places.tolist() == [1, 0]
    assert signs.tolist() == [1, 1]


def test_hashed_features_have_places_and_signs() -> None:
    made = HashingVectorizer(n_features=64, norm=None)
    vectorizer = Vectorizer(made)
    assert vectorizer.names is None
    _, occurrences = vectorizer.locate("the moon and a rocket in orbit")
    places, signs = vectorizer.places(occurrences)
    row = np.bincount(places, signs, 64)
    expected = made.transform(["the moon and a rocket in orbit"]).toarray()[0]
    np.testing.assert_array_equal(row, expected)
    assert set(signs.tolist()) == {1.0, -1.0}
    assert [len(part) for part in vectorizer.places([])] == [0, 0]
    half, _ = vectorizer.places([Occurrence("\ud800", [0], (0, 1))])
    assert len(half) == 1  # which scikit-learn cannot encode


def test_it_must_be_fitted() -> None:
    with pytest.raises(InputError, match="CountVectorizer is not fitted yet"):
        Vectorizer(CountVectorizer())
    with pytest.raises(InputError, match="reads input='file'"):
        Vectorizer(CountVectorizer(input="file"))
