"""Texts of words whose frequencies fall as those of a language do, and copies of them."""

import numpy as np


def word(number: int) -> str:
    """Return a word for a number."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


RANDOM = np.random.default_rng(1)
_RANKS = 1 / np.arange(1, 5001)
TEXTS = [
    " ".join(map(word, RANDOM.choice(5000, size, p=_RANKS / _RANKS.sum()).tolist()))
    for size in RANDOM.integers(60, 300, 400).tolist()
]


def scattered(text: str, share: float) -> str:
    """Replace words at random."""
    words = text.split()
    return " ".join(
        word(int(RANDOM.integers(5000))) if RANDOM.random() < share else one for one in words
    )


def cut(text: str, share: float) -> str:
    """Replace a passage."""
    words = text.split()
    length = round(share * len(words))
    start = int(RANDOM.integers(len(words) - length))
    new = [word(int(RANDOM.integers(5000))) for _ in range(length)]
    return " ".join(words[:start] + new + words[start + length :])


def signed(text: str, share: float) -> str:
    """Add a signature, in capitals."""
    new = [word(int(RANDOM.integers(5000))) for _ in range(round(share * len(text.split())))]
    return f"{text}.\n\n--\n{' '.join(new)}".upper()
