"""The words of a corpus's classes: listed once, by every rank, to be looked at in any."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from whyword.analysis.class_words import RANKS, UNITS, ClassWords, ClassWordsRequest
from whyword.base.checks import one_of
from whyword.base.errors import InputError
from whyword.base.labels import Label

TOP_WORDS = 100  # of each class


@dataclass(frozen=True, eq=False)
class WordLists:
    """Words by every rank, and phrases if the model has any that are not its words.

    Attributes
    ----------
    plain : mapping from (units, rank) to ClassWords
        Of what has a letter or a digit.
    whole : mapping from (units, rank) to ClassWords
        Of everything: the same objects where there is nothing else.
    places : mapping from units to mapping from word to documents it occurs in
        For the words of the lists.
    """

    plain: Mapping[tuple[str, str], ClassWords]
    whole: Mapping[tuple[str, str], ClassWords]
    places: Mapping[str, Mapping[str, list[int]]]

    @classmethod
    def of(cls, model: object, texts: Sequence[str]) -> "WordLists":
        """Return the lists of some texts, which are explained for that."""
        plain: dict[tuple[str, str], ClassWords] = {}
        whole: dict[tuple[str, str], ClassWords] = {}
        places = {}
        request = ClassWordsRequest(top=TOP_WORDS)
        for statistics in request.collect_choices(model, texts, placed=True):
            some = request.words_by_rank(model, statistics)
            every = some
            if statistics.is_symbol.any():
                every = replace(request, symbols=True).words_by_rank(model, statistics)
            plain |= {(words.units, words.rank): words for words in some}
            whole |= {(words.units, words.rank): words for words in every}
            entries = (one for words in (*some, *every) for each in words.values() for one in each)
            places[statistics.units] = statistics.documents_of({one.word for one in entries})
        return cls(plain, whole, places)

    def choose(self, units: str, rank: str, symbols: bool = False) -> ClassWords:
        """Return one of the lists; raise if there is none."""
        one_of("rank", rank, list(RANKS))
        return (self.whole if symbols else self.plain)[self.check_units(units), rank]

    def has_symbols(self, units: str) -> bool:
        """Whether there are any without a letter or digit, listed on demand."""
        return any(self.plain[key] is not self.whole[key] for key in self.plain if key[0] == units)

    def check_units(self, units: str) -> str:
        """Return the units; raise if this model's are none."""
        one_of("units", units, UNITS)
        if units not in self.places:
            raise InputError("this model has no phrases that are not its words")
        return units

    def documents_of(self, word: str, units: str) -> list[int]:
        """Return the documents in which a listed word occurs; raise if it is none."""
        places = self.places[self.check_units(units)]
        if word.lower() not in places:
            raise InputError(f"{word!r:.60} is none of the {TOP_WORDS} {units} of any class")
        return places[word.lower()]

    def strongest(self, label: Label, word: str, units: str) -> set[int]:
        """Return the documents in which a word is strongest for a class, by any rank."""
        return {
            int(entry.document)
            for lists in (self.plain, self.whole)
            for (own, _), words in lists.items()
            if own == units
            for entry in words[label]
            if entry.word == word
        }
