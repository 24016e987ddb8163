import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword import explain
from whyword.audit.word_shares import WordShares, share_on
from whyword.words.ignored import Ignored

SHARES = WordShares(
    words=["a", "b", "c"],
    documents=np.array([0, 0, 1, 2], np.intp),
    numbers=np.array([0, 1, 1, 2], np.intp),
    shares=np.array([0.75, 0.25, 1.0, -0.5]),
    n_documents=4,
)
GROUPS = np.array([0, 1, 1, 1], np.intp)


def test_shares_of_explanations() -> None:
    texts = [made_text([0, 1, 0, 5]), "", made_text([2]).upper(), "nothing known"]
    explanations = explain(made_cnn(), texts, "class 1")
    shares = WordShares.of(explanations)
    assert shares.n_documents == 4
    found = {
        (document, shares.words[number]): share
        for document, number, share in zip(
            shares.documents.tolist(), shares.numbers.tolist(), shares.shares.tolist(), strict=True
        )
    }
    expected = {}
    for document, one in enumerate(explanations):
        totals = one.by_word()
        positive = sum(value for value in totals.values() if value > 0)
        for word, value in totals.items():
            expected[document, word] = value / positive if positive > 0 else 0
    assert found == pytest.approx(expected)
    assert len(found) == 6


def test_no_documents() -> None:
    shares = WordShares.of([])
    assert (shares.words, shares.n_documents) == ([], 0)
    assert shares.vectors().shape == (0, 0)


def test_means_over_groups() -> None:
    means = SHARES.means(GROUPS, 2)
    np.testing.assert_allclose(means, [[0.75, 0.25, 0], [0, 1 / 3, -0.5 / 3]])
    assert SHARES.document_counts(GROUPS, 2).tolist() == [[1, 1, 0], [0, 1, 1]]
    assert SHARES.means(GROUPS, 3)[2].tolist() == [0, 0, 0]


def test_what_lies_on_some_words() -> None:
    one = explain(made_cnn(), made_text([0, 1, 0, 5]), "class 1")
    words, totals = one.words, one.by_word()
    positive = sum(value for value in totals.values() if value > 0)
    for word, total in totals.items():
        assert share_on(one, Ignored([word.upper()])) == pytest.approx(max(0, total) / positive)
    pair = float(one.relevance[:2].sum())
    found = share_on(one, Ignored([" ".join(words[:2])]))
    assert found == pytest.approx(min(1, max(0, pair / positive)))
    assert share_on(one, Ignored([])) == 0
    assert share_on(explain(made_cnn(), "", "class 1"), Ignored(["a"])) == 0


def test_vectors() -> None:
    expected = [[0.75, 0.25, 0], [0, 1, 0], [0, 0, -0.5], [0, 0, 0]]
    assert SHARES.vectors().tolist() == expected


def test_vectors_have_the_words_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whyword.audit.word_shares._WIDEST", 2)
    assert SHARES.vectors().tolist() == [[0.75, 0.25], [0, 1], [0, 0], [0, 0]]
