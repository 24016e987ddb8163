"""Lines that come back, against the literal count."""

import numpy as np
import oracle

from whyword import Reader
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.recurring_lines import recurring_lines


def test_they_are_those_of_the_oracle() -> None:
    random = np.random.default_rng(0)
    some = ["Ed Green", "ed green", "the moon", "moon", "a b a", "b a a", "x " * 41, ""]
    texts = ["\n".join(random.choice(some, 4)) for _ in range(12)]
    lines = [[line.split() for line in text.split("\n")] for text in texts]
    found = Occurrences.of(map(Reader(), texts))
    for least in (1, 3, 8, 13):
        result = recurring_lines(found, least)
        names = [tuple(result.text(n, found).split()) for n in range(len(result.starts))]
        expected = oracle.recurring(lines, least)
        assert set(names) == set(expected)
        for number, name in enumerate(names):
            assert result.documents[result.numbers == number].tolist() == expected[name]
            places = result.places[result.place_lines == number]
            words = [found.words[n] for n in found.numbers[places].tolist()]
            assert words == list(name) * (len(words) // len(name))
            assert sorted(set(found.document_of[places].tolist())) == expected[name]


def test_a_line_with_an_ignored_word_is_none() -> None:
    texts = ["ed green\nthe moon"] * 3
    found = Occurrences.of(map(Reader(ignore=["green"]), texts))
    result = recurring_lines(found, 3)
    assert [result.text(n, found) for n in range(len(result.starts))] == ["the moon"]


def test_nothing_is_an_answer() -> None:
    assert len(recurring_lines(Occurrences.of([]), 1).starts) == 0
    assert len(recurring_lines(Occurrences.of(map(Reader(), ["", "moon"])), 1).starts) == 0
