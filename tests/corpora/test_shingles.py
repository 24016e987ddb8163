import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.corpora.shingles import PLACES, RUN, WordNumbers, Words, common_share
from whyword.words.tokenizer import Tokenizer


def numbers(*texts: str) -> WordNumbers:
    return WordNumbers.of(Tokenizer().documents(texts))


WORDS = st.lists(st.integers(0, 3), min_size=RUN, max_size=30)


@given(WORDS, WORDS, st.sampled_from([0.0, 0.5, 0.7, 1.0]))
def test_the_share_of_words_in_common(one: list[int], other: list[int], least: float) -> None:
    found = common_share(np.array(one, np.uint32), np.array(other, np.uint32), least)
    literal = oracle.common_share(one, other)
    assert found == pytest.approx(literal) or (found == 0 and literal < least)


def test_equal_words_are_equal_numbers() -> None:
    found = numbers("One two, ONE.", "", "three one two one", "İstanbul one")
    assert found.lengths.tolist() == [3, 0, 4, 2]
    assert found.words[0] == found.words[2] == found.words[4] == found.words[6]
    assert len(set(found.words.tolist())) == 4
    assert len(found) == 4


def test_the_order_and_the_number_of_words_count() -> None:
    texts = ["a b c", "A, b c!", "c b a", "a b", "a b c c", "", "?!", "ab c"]
    whole = numbers(*texts).whole.tolist()
    assert whole[0] == whole[1]
    assert whole[5] == whole[6]
    assert len(set(whole)) == 6


def test_none() -> None:
    found = numbers()
    assert len(found) == len(found.words) == 0
    assert found.signatures(np.arange(0)).shape == (0, PLACES)


def test_signatures_agree_as_often_as_shingles_are_shared() -> None:
    random = np.random.default_rng(0)
    shared, one, other = random.integers(1 << 32, size=(3, 3000), dtype=np.uint32)
    first: Words = np.concatenate([shared, one])
    second: Words = np.concatenate([shared, other])
    ends = np.array([0, 6000, 12000], np.int64)
    both = WordNumbers(np.concatenate([first, second]), ends, np.zeros(2, np.uint64))
    signatures = both.signatures(np.arange(2))
    assert np.mean(signatures[0] == signatures[1]) == pytest.approx(1 / 3, abs=0.15)
    np.testing.assert_array_equal(both.signatures(np.array([1]))[0], signatures[1])


def test_one_word_has_no_signature() -> None:
    assert set(numbers("one").signatures(np.arange(1)).ravel().tolist()) == {0xFFFFFFFF}
