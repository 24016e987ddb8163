from collections import Counter

import numpy as np
import pytest
from oracle import tfidf
from sklearn.feature_extraction.text import TfidfVectorizer

from whyword.models.linear.tfidf import fit_tfidf
from whyword.words import Reader, Tokenizer

TEXTS = ["The moon, the MOON and Mars.", "ice and goals", "", "the 42 !", "moon moon moon"]


@pytest.mark.parametrize("sublinear", [False, True])
def test_equal_to_the_formula_and_to_scikit_learn(sublinear: bool) -> None:
    features = fit_tfidf([*Tokenizer().documents(TEXTS)], Reader(), sublinear)
    theirs = TfidfVectorizer(
        analyzer=lambda text: [word.lower() for word in Tokenizer()(text).words],
        sublinear_tf=sublinear,
    ).fit(TEXTS)
    assert features.words == theirs.get_feature_names_out().tolist()
    frequencies = dict(zip(features.words, features.frequencies.tolist(), strict=True))
    for text in [*TEXTS, "unknown words", "moon unknown ice Ice"]:
        row = features.row_of(features.read(text))
        counts = Counter(word.lower() for word in Tokenizer()(text).words)
        expected = tfidf(counts, frequencies, len(TEXTS), sublinear)
        result = {features.words[p]: v for p, v in zip(row.places, row.values, strict=True)}
        assert result == pytest.approx(expected)
        dense = np.zeros(len(features.words))
        dense[row.places] = row.values
        np.testing.assert_allclose(dense, theirs.transform([text]).toarray()[0], atol=1e-12)


def test_places_are_in_order() -> None:
    features = fit_tfidf([*Tokenizer().documents(TEXTS)], Reader(), True)
    row = features.row_of(features.read("the moon and ice goals"))
    assert (np.diff(row.places) > 0).all()
