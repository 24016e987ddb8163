"""Text to words with character spans."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, strings, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import changed_fields, shown
from whyword.words.characters import character_classes
from whyword.words.document import Document, Text
from whyword.words.rules import WORDS, Rule, check_rule, rule_spans
from whyword.words.scan import code_points, folded_hashes, word_spans

# English words that keep their dot in mid-sentence. Initials (J.) and dotted short pieces (U.S.,
# Ph.D.) need no entry. Left out: those that are also words and so end sentences (no, sun, ill).
ABBREVIATIONS = frozenset(
    """
    mr mrs ms messrs dr drs prof rev hon st sr jr capt cmdr col gen gov lt maj sgt sen rep pres
    etc vs cf al viz approx resp incl excl
    fig figs vol vols nos pp eds ref refs sec eq eqs ch
    dept inc ltd corp co bros assn assoc univ inst natl intl govt bldg ave blvd rd
    jan feb apr jun jul aug sep sept oct nov dec tue tues thu thur thurs fri
    calif ariz okla tenn conn fla kan mich minn mont neb nev ore tex wis wyo
    """.split()
)

# Capitalised, these begin a sentence even after an abbreviation: "in the U.S. The next day".
SENTENCE_STARTERS = frozenset(
    """
    the an this that these those there here it he she we they i you my his her our their its
    in if but and or as at on for to from with by not yes well so then now also after since
    although though because while when where why how what which is are was were does did
    have has had could would should please thanks however
    """.split()
)

_CONTRACTIONS = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna")
_LONGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, repr=False)
class Tokenizer:
    """Cuts a text into words, by default as NLTK does: those of letters, ``-``, ``.``, ``'``.

    Attributes
    ----------
    max_words : int or None
        Keep the first so many words; the document counts the rest. None keeps all.
    abbreviations : frozenset of str
        Words that keep their dot in mid-sentence, with it or without; by the rule "words".
    rule : {"words", "unicode", "characters"} or callable
        "words" is made for English and fits languages with spaces between words; "unicode" cuts
        by Unicode's word boundaries, and scripts without spaces into characters; with
        "characters" every character is a unit. A function from a text to pairs (start, end), such
        as a segmenter, fits any language; a model with one cannot be saved.

    Examples
    --------
    >>> Tokenizer()("Don't ask Dr. Who about NASA's X-15.").words
    ['Do', "n't", 'ask', 'Dr.', 'Who', 'about', 'NASA', "'s"]
    >>> Tokenizer(rule="unicode")("今天天气好, don't ask").words
    ['今', '天', '天', '气', '好', "don't", 'ask']
    """

    max_words: int | None = None
    abbreviations: frozenset[str] = ABBREVIATIONS
    rule: Rule = WORDS

    def __post_init__(self) -> None:
        if self.max_words is not None:
            whole_number("max_words", self.max_words)
        strings("abbreviations", self.abbreviations)
        check_rule("rule", self.rule)

    def __call__(self, text: str) -> Document:
        """Return the text with its words' spans."""
        if not isinstance(text, str):
            raise InputError(f"a text must be a str, not {type(text).__name__}: {shown(text)}")
        if len(text) > _LONGEST:
            raise InputError(f"a text may have {_LONGEST:,} characters at most, not {len(text):,}")
        if self.rule == WORDS:
            spans = word_spans(code_points(text), character_classes(), *self._hashes)
        else:
            spans = rule_spans(self.rule, text)
        return Document(text, spans).shortened(self.max_words)

    def __repr__(self) -> str:
        return changed_fields(self, Tokenizer())

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Yield the texts with their words' spans; what was read already is not read again."""
        return (text if isinstance(text, Document) else self(text) for text in texts)

    def configuration(self) -> dict[str, object]:
        """Return what is needed to make the tokeniser again, as plain data.

        Raises
        ------
        InputError
            If its rule is a function, which plain data cannot hold.
        """
        if not isinstance(self.rule, str):
            raise InputError(
                Argument("rule"), " is a function; a saved model holds no code, only a rule's name"
            )
        stored = {"max_words": self.max_words, "abbreviations": sorted(self.abbreviations)}
        # the default is left out: models that were stored before there were rules stay the same
        return stored | ({} if self.rule == WORDS else {"rule": self.rule})

    @classmethod
    def from_configuration(cls, stored: Mapping[str, Any]) -> Self:
        """Make a tokeniser from its :meth:`configuration`."""
        rule = stored.get("rule", WORDS)
        return cls(stored["max_words"], frozenset(stored["abbreviations"]), rule)

    @cached_property
    def _hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
        return (
            folded_hashes(word.rstrip(".") for word in self.abbreviations),
            folded_hashes(SENTENCE_STARTERS),
            folded_hashes(_CONTRACTIONS),
        )


def tokenize(text: str, max_words: int | None = None, rule: Rule = WORDS) -> Document:
    """Return the text with its words' spans.

    Parameters
    ----------
    text : str
    max_words : int, optional
        Keep the first so many words.
    rule : {"words", "unicode", "characters"} or callable
        What a word is; see :class:`Tokenizer`.
    """
    return Tokenizer(max_words, rule=rule)(text)


def words_of(texts: Iterable[Text], tokenizer: Tokenizer | None = None) -> Iterable[list[str]]:
    """Yield each text's words; what was read already is not read again."""
    if isinstance(texts, str):
        raise InputError(Argument("texts"), " must be a list of strings, not one string: [text]")
    tokenizer = tokenizer or Tokenizer()
    several = items("texts", texts, "a list of strings")
    return (document.cut_read() for document in tokenizer.documents(several))
