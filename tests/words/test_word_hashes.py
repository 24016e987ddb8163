"""Words are found, and only those."""

import numpy as np

from whyword import tokenize
from whyword.words.word_hashes import WordHashes

WORDS = ["moon", "Moon", "mo", "on", "orbit", "ёж", "𝔘nicode", "n't", "\udc80"]


def spans_of(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Return the spans of a text's parts between spaces."""
    spans, at = [], 0
    for part in text.split(" "):
        spans.append((at, at + len(part)))
        at += len(part) + 1
    return np.array(spans, np.int32).reshape(-1, 2)


def test_words_are_found() -> None:
    forms = WordHashes.of(WORDS, range(10, 10 + len(WORDS)))
    assert len(forms) == len(WORDS)
    text = " ".join([*WORDS, "MOON", "moo", "", "moonmoon", "ё"])
    numbers = forms.look_up(text, spans_of(text))
    assert numbers.tolist() == [*range(10, 10 + len(WORDS)), -1, -1, -1, -1, -1]


def test_nothing_in_nothing() -> None:
    forms = WordHashes.of([], [])
    assert forms.look_up("", np.empty((0, 2), np.int32)).tolist() == []
    assert forms.look_up("moon", spans_of("moon")).tolist() == [-1]


def test_against_a_dictionary() -> None:
    random = np.random.default_rng(0)
    letters = "abcABCäß✓"
    words = {"".join(random.choice(list(letters), random.integers(1, 5))) for _ in range(3_000)}
    chosen = sorted(words)[::2]
    literal = {word: number for number, word in enumerate(chosen)}
    forms = WordHashes.of(chosen, range(len(chosen)))
    text = " ".join(sorted(words))
    numbers = forms.look_up(text, spans_of(text))
    assert numbers.tolist() == [literal.get(word, -1) for word in sorted(words)]


def test_words_of_the_same_hash() -> None:
    """They are told apart by their letters."""
    forms = WordHashes.of(["ab", "ba", "abc"], [0, 1, 2])
    forms.hashes[:] = forms.hashes[0]
    slots = np.full(16, -1, np.int32)
    at = int(forms.hashes[0]) % 16
    slots[at], slots[(at + 1) % 16], slots[(at + 2) % 16] = 1, 2, 0
    same = WordHashes(slots, forms.hashes, forms.codes, forms.ends, forms.numbers)
    assert same.look_up("ab", spans_of("ab")).tolist() == [0]


def test_words_of_a_text() -> None:
    document = tokenize("The moon, the Moon; don't!")
    forms = WordHashes.of(WORDS, range(len(WORDS)))
    numbers = forms.look_up(document.text, document.spans)
    assert dict(zip(document.words, numbers.tolist(), strict=True)) == {
        "The": -1,
        "moon": 0,
        "the": -1,
        "Moon": 1,
        "do": -1,
        "n't": 7,
    }
