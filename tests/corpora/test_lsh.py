"""Documents that may be copies are found, the likeliest first."""

import numpy as np
from edited import TEXTS, scattered, word

from whyword.corpora.lsh import MOST_FOUND, LSHIndex, band_keys, find_candidates
from whyword.corpora.shingles import WordNumbers
from whyword.words.tokenizer import Tokenizer


def found(texts: list[str], asked: str) -> list[int]:
    """Return the numbers of the texts that may be copies of another one."""
    known, other = (WordNumbers.of(Tokenizer().documents(some)) for some in (texts, [asked]))
    index = LSHIndex(known, np.arange(len(texts)))
    (signature,) = signatures = other.signatures(np.arange(1))
    seen, room = np.full(len(texts), -1, np.int32), np.empty(MOST_FOUND, np.int64)
    keys = np.ascontiguousarray(band_keys(signatures)[:, 0])
    several: list[int] = find_candidates(signature, keys, index.sorted, seen, 0, room).tolist()
    return several


def test_the_likeliest_is_first() -> None:
    texts = [*TEXTS[:30], scattered(TEXTS[7], 0.05), scattered(TEXTS[7], 0.2)]
    assert found(texts, TEXTS[7])[:3] == [7, 30, 31]
    assert found(texts[:30], TEXTS[31]) == []


def test_of_any_number_that_are_alike_only_some_are_looked_at() -> None:
    letters = [f"{TEXTS[0]} {word(n)}" for n in range(2 * MOST_FOUND)]
    several = found(letters, TEXTS[0])
    assert 8 <= len(set(several)) == len(several) <= MOST_FOUND


def test_none() -> None:
    assert found([], "one two three") == []
    assert found(["one two three"], "") == []
