import numpy as np
import pytest
from networks import made_cnn

from whyword import InputError, explain, tokenize
from whyword.explanation import passages
from whyword.explanation.passages import boundaries, ranges

TEXT = (
    'Dr. Who met Mr. X at 3.5 p.m. today. "Did he?" No!\n\nThe end… or (so.) Next\nline 。終わり 二'
)


def cut(text: str, by: str | int) -> list[str]:
    document = tokenize(text)
    words = document.words
    return [" ".join(words[first:last]) for first, last in ranges(document, by)]


def test_sentences_end_where_stops_belong_to_no_word() -> None:
    assert cut(TEXT, "sentence") == [
        *("Dr. Who met Mr. X at p.m. today", "Did he", "No", "The end", "or so", "Next line"),
        "終わり 二",
    ]


def test_paragraphs() -> None:
    assert cut("One.\nTwo.\r\n \r\nThree\n\n\n", "paragraph") == ["One Two", "Three"]


def test_ngrams_overlap() -> None:
    assert cut("a b c", 2) == ["a b", "b c"]
    assert cut("a b c", 4) == []


def test_passages_add_up_to_the_words() -> None:
    explanation = explain(made_cnn(), "wa wb. Wc wd wa! We", target="class 1")
    parts = passages(explanation)
    assert [part.text for part in parts] == ["wa wb", "Wc wd wa", "We"]
    assert all(explanation.text[slice(*part.span)] == part.text for part in parts)
    every = explain(made_cnn(), "wa wb. Wc wd", target="all")
    totals = np.sum([part.relevance for part in passages(every)], axis=0)
    np.testing.assert_allclose(totals, every.relevance.sum(axis=0), atol=1e-6)
    pairs = passages(every, by=2)
    np.testing.assert_allclose(pairs[0].relevance, every.relevance[:2].sum(axis=0), atol=1e-6)


def test_nothing_and_nonsense() -> None:
    assert passages(explain(made_cnn(), "")) == []
    assert boundaries(tokenize(""), "sentence").tolist() == [0]
    explanation = explain(made_cnn(), "wa")
    for by in ("word", 0, None, 1.5):
        with pytest.raises(InputError, match="by m"):
            passages(explanation, by)  # type: ignore[arg-type]
