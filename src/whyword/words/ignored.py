"""Which words of a text are not read: words, phrases, and patterns of words.

Phrases are found by Aho and Corasick's automaton, whose letters are words here: however many there
are, a text is gone through once.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import strings
from whyword.base.errors import Argument, InputError
from whyword.base.patterns import check_pattern

_MOST_PATTERNS = 1_000  # each is tried on each different word
_REMEMBERED = 1 << 16  # words of which it is known whether they fit one
_MOST_PHRASE_WORDS = 200_000  # of all phrases together: each costs memory
_LONGEST = 1_000  # letters of a word that patterns are tried on: their time may grow by the square


class Ignored:
    r"""Words that are not read, whatever their case.

    Parameters
    ----------
    entries : collection of str
        Words; phrases, with white space inside: their words where they stand in a row; between
        slashes, regular expressions that a whole word must match.
    name : str
        Of the argument that they are, for messages.

    Attributes
    ----------
    entries : tuple of str
        In order, none twice; words and phrases in lower case.

    Examples
    --------
    >>> Ignored(["Gordon Banks", r"/.*\.edu/"]).among(["gordon", "Gordon", "banks", "a.edu"])
    array([False,  True,  True,  True])
    """

    def __init__(self, entries: Collection[str], name: str = "ignore") -> None:
        self.entries = tuple(sorted({_checked(name, one) for one in strings(name, entries)}))
        given = [one[1:-1] for one in self.entries if is_pattern(one)]
        if len(given) > _MOST_PATTERNS:
            raise InputError(
                Argument(name),
                f" has {len(given):,} patterns; {_MOST_PATTERNS:,} may be: join some by |",
            )
        self._patterns = _joined([check_pattern(name, one) for one in given])
        self._fits: dict[str, bool] = {}
        # a rule of somebody's may cut words with blanks in them: a phrase is a word, too
        self._words = frozenset(one for one in self.entries if not is_pattern(one))
        self._split = [one.split() for one in self.entries if one in self._words and " " in one]
        count = sum(map(len, self._split))
        if count > _MOST_PHRASE_WORDS:
            raise InputError(
                Argument(name),
                f" has phrases of {count:,} words together; {_MOST_PHRASE_WORDS:,} may be",
            )

    def __contains__(self, word: str) -> bool:
        """Return whether a word is not read wherever it stands."""
        return word.lower() in self._words or self._matches(word)

    def _matches(self, word: str) -> bool:
        """Return whether a word fits a pattern, as it stands or in lower case."""
        if len(word) > _LONGEST or not self._patterns:
            return False
        known = self._fits.get(word)
        if known is not None:
            return known
        forms = (word, word.lower())
        fits = any(one.fullmatch(form) for one in self._patterns for form in forms)
        if len(self._fits) >= _REMEMBERED:
            self._fits.clear()
        self._fits[word] = fits
        return fits

    @cached_property
    def longest(self) -> int:
        """How many words the longest phrase has; 1 without phrases."""
        return max(map(len, self._split), default=1)

    def among(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return which of the words, that stand in a row, are not read, (T,)."""
        if not self.entries:
            return np.zeros(len(words), np.bool_)
        lowered = [word.lower() for word in words]
        ignored = np.fromiter(map(self._words.__contains__, lowered), np.bool_, len(words))
        if self._patterns:
            ignored |= np.fromiter(map(self._matches, words), np.bool_, len(words))
        return ignored | self._phrases.cover(lowered) if self._split else ignored

    def absent(self, texts: Iterable[Sequence[str]]) -> list[str]:
        """Return the words and phrases that stand in no text; patterns are not looked for.

        Parameters
        ----------
        texts : iterable of sequences of str
            The words of each.
        """
        missing = set(self._words)
        phrases: dict[tuple[str, str], list[list[str]]] = {}  # by their first two words
        for phrase in self._split:
            phrases.setdefault((phrase[0], phrase[1]), []).append(phrase)
        for words in texts:
            if not missing:
                break
            lowered = [word.lower() for word in words]
            missing.difference_update(lowered)
            for at, pair in enumerate(pairwise(lowered)) if phrases else ():
                for phrase in phrases.get(pair, ()):
                    if lowered[at : at + len(phrase)] == phrase:
                        missing.discard(" ".join(phrase))
        return sorted(missing)

    @cached_property
    def _phrases(self) -> "_Phrases":
        return _Phrases(self._split)


class _Phrases:
    """The automaton of phrases: a state is the longest beginning of one that was just read.

    Parameters
    ----------
    phrases : iterable of lists of str
        Words in lower case.
    """

    def __init__(self, phrases: Iterable[Sequence[str]]) -> None:
        self._next: dict[tuple[int, str], int] = {}
        self._back = [0]  # the state of the longest other end of what was read
        self._length = [0]  # of the longest phrase that ends in a state
        self._words: set[str] = set()
        for phrase in phrases:
            self._words.update(phrase)
            state = 0
            for word in phrase:
                state = self._next.setdefault((state, word), len(self._back))
                if state == len(self._back):
                    self._back.append(0)
                    self._length.append(0)
            self._length[state] = len(phrase)
        self._link()

    def _link(self) -> None:
        """Find what every state falls back to, shorter ones first."""
        onwards: list[list[tuple[str, int]]] = [[] for _ in self._back]
        for (state, word), following in self._next.items():
            onwards[state].append((word, following))
        level = [0]
        while level:
            for state in level:
                for word, following in onwards[state]:
                    back = self._after(self._back[state], word) if state else 0
                    self._back[following] = back
                    self._length[following] = self._length[following] or self._length[back]
            level = [following for state in level for _, following in onwards[state]]

    def _after(self, state: int, word: str) -> int:
        """Return the state after one more word."""
        while (state, word) not in self._next:
            if not state:
                return 0
            state = self._back[state]
        return self._next[state, word]

    def cover(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return which words, in lower case, are in a phrase, (T,)."""
        changes = np.zeros(len(words) + 1, np.int64)  # in how many phrases a word is more
        state = 0
        for number, word in enumerate(words):
            state = self._after(state, word) if word in self._words else 0
            if self._length[state]:  # what ends here and is shorter is within it
                changes[number + 1 - self._length[state]] += 1
                changes[number + 1] -= 1
        covered: NDArray[np.bool_] = np.cumsum(changes[:-1]) > 0
        return covered


def _joined(patterns: list["re.Pattern[str]"]) -> list["re.Pattern[str]"]:
    """Return fewer patterns that fit the same words: those that can be, as ways of one.

    Groups and flags are a pattern's own, so who has some stays alone.
    """
    plain = [one.pattern for one in patterns if not one.groups and one.flags == re.UNICODE]
    others = [one for one in patterns if one.groups or one.flags != re.UNICODE]
    return [*([re.compile("|".join(f"(?:{one})" for one in plain))] if plain else []), *others]


def is_pattern(entry: str) -> bool:
    """Whether an entry is a pattern, between slashes."""
    return len(entry) > 2 and entry[0] == entry[-1] == "/"


def _checked(name: str, entry: str) -> str:
    """Return a word or phrase in lower case, one blank between words; a pattern as it is."""
    if is_pattern(entry):
        return entry
    words = entry.lower().split()
    if not words:
        raise InputError(Argument(name), " holds an empty word")
    return " ".join(words)
