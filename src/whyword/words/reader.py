"""How a model reads: everything between a raw text and its words."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from whyword.base.checks import one_of
from whyword.base.errors import Argument, InputError
from whyword.base.printable import changed_fields
from whyword.words.document import Document, Text, blanked
from whyword.words.ignored import Ignored
from whyword.words.mail_parts import PARTS, check_parts, merge_ranges, removed_ranges
from whyword.words.tokenizer import Tokenizer

FORMATS = ("text", "mail", "html")
MOST_WORDS = 2**31 - 1  # that a tokenizer can be asked for


@dataclass(frozen=True, repr=False)
class Reader:
    r"""From a raw text to its words, the same way every time: a part of the model.

    Parameters
    ----------
    format : {"text", "mail", "html"}
        What the texts are: plain; raw mails, of which MIME parts, transfer encodings and HTML are
        decoded; HTML, of which tags go and entities are decoded. What is decoded becomes the
        document's text, into which spans point.
    remove : collection of {"headers", "quotes", "footers"}, optional
        Parts of mails and posts that are not read; spans point into the whole text all the same.
        None: nobody has said, so a corpus that has a rule of its own keeps to it (newsgroup posts
        are without headers); an empty collection reads everything.
    ignore : collection of str
        Words that are not read, whatever their case. ``"gordon banks"``, with white space inside,
        is a phrase: these words where they stand in a row, as the tokenizer cuts the text. Between
        slashes stand regular expressions that a whole word must match: ``"/.*\\.edu/"``. For a
        model they are deleted words: a network sees zeros in their place, a bag of words is made
        without them.
    tokenizer : Tokenizer
        How words are cut, and how many at most.

    Examples
    --------
    >>> post = "From: me@home\n\nThe shuttle landed."
    >>> Reader(remove=["headers"], ignore=["the"])(post).cut_read()
    ['shuttle', 'landed']
    """

    format: str = "text"
    remove: Collection[str] | None = None
    ignore: Collection[str] = ()
    tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def __post_init__(self) -> None:
        one_of("format", self.format, FORMATS)
        if self.remove is not None:
            check_parts(self.remove)
            # in one order, so that equal readers are equal
            parts = tuple(part for part in PARTS if part in self.remove)
            object.__setattr__(self, "remove", parts)
        object.__setattr__(self, "ignore", self._ignored.entries)
        if not isinstance(self.tokenizer, Tokenizer):
            kind = type(self.tokenizer).__name__
            raise InputError(Argument("tokenizer"), f" must be a Tokenizer, not {kind}")

    def __repr__(self) -> str:
        return changed_fields(self, Reader())

    @classmethod
    def of(cls, reader: Self | None, max_words: int | None = None) -> Self:
        """Return the reader, the default one for None, that reads so many words at most."""
        if reader is not None and not isinstance(reader, cls):
            kind = type(reader).__name__
            raise InputError(Argument("reader"), f" must be a Reader or None, not {kind}")
        reader = cls() if reader is None else reader
        own = reader.tokenizer.max_words
        if max_words is None or own == max_words:
            return reader
        if own is not None:
            raise InputError(
                Argument("max_words", max_words), f" and a reader of {own} words contradict"
            )
        return reader.shortened(max_words)

    def shortened(self, max_words: int | None) -> Self:
        """Return the reader of so many words at most; of all for None."""
        return replace(self, tokenizer=replace(self.tokenizer, max_words=max_words))

    def __call__(self, text: str) -> Document:
        """Return the text, decoded, with its words' spans and what of it is not read."""
        if self.is_plain:
            return self.tokenizer(text)
        decoded = self.decode(text)
        removed = removed_ranges(decoded, self.remove or ()) if isinstance(decoded, str) else []
        whole = self._cutter(blanked(decoded, removed))
        unread = np.array(merge_ranges(removed), np.int32).reshape(-1, 2)
        passed = None if decoded is text else text
        document = Document(decoded, whole.spans, whole.truncated, unread, passed)
        return self.ignore_words(document, self.tokenizer.max_words)

    def ignore_words(self, document: Document, most: int | None = None) -> Document:
        """Return a document of which those of its words are not read that are ignored.

        Parameters
        ----------
        document : Document
            Its words need not be those that the tokenizer cuts.
        most : int, optional
            Let it have so many words at most.
        """
        read = document.shortened(most)
        if not self.ignore:
            return read
        chosen = self._ignored.among(document.cut())[: len(read)]
        ranges = [*document.unread.tolist(), *read.spans[chosen].tolist()]
        unread = np.array(merge_ranges([(start, end) for start, end in ranges]), np.int32)
        return replace(read, unread=unread.reshape(-1, 2))

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Yield the texts with their words' spans; what was read already is not read again."""
        if self.is_plain:
            return self.tokenizer.documents(texts)
        return (text if isinstance(text, Document) else self(text) for text in texts)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the text is read as it is, and all of it."""
        return self.format == "text" and not self.remove and not self.ignore

    def decode(self, text: str) -> str:
        """Return a mail's or page's text; any other as it is."""
        if not isinstance(text, str):
            return text  # which the tokeniser refuses
        if self.format == "mail":
            from whyword.words.mail import decode_mail

            return decode_mail(text)
        if self.format == "html":
            from whyword.words.html import html_to_text

            return html_to_text(text)
        return text

    def configuration(self) -> dict[str, object]:
        """Return what is needed to make the reader again, but for its tokeniser, as plain data."""
        remove = None if self.remove is None else list(self.remove)
        return {"format": self.format, "remove": remove, "ignore": list(self.ignore)}

    @classmethod
    def from_configuration(cls, stored: Mapping[str, Any], tokenizer: Tokenizer) -> Self:
        """Make a reader from its :meth:`configuration`."""
        return cls(stored["format"], stored["remove"], stored["ignore"], tokenizer)

    def described(self) -> Iterator[tuple[str, str]]:
        """Yield how it reads, for people: what is said, and of what."""
        yield "texts are", {"text": "plain", "mail": "mails", "html": "HTML"}[self.format]
        unsaid = "nothing, or what a corpus has a rule for"
        yield "removed", unsaid if self.remove is None else ", ".join(self.remove) or "nothing"
        yield "ignored", ", ".join(self.ignore) or "nothing"
        rule = self.tokenizer.rule
        yield "words by", f"the rule {rule!r}" if isinstance(rule, str) else "somebody's function"
        most = self.tokenizer.max_words
        yield "words read", "all" if most is None else f"the first {most:,}"

    @cached_property
    def _ignored(self) -> Ignored:
        return Ignored(self.ignore)

    @cached_property
    def _cutter(self) -> Tokenizer:
        """The tokenizer, with what a phrase may have behind the last word that is read."""
        most, more = self.tokenizer.max_words, self._ignored.longest - 1
        if most is None or not more:
            return self.tokenizer
        return replace(self.tokenizer, max_words=min(most + more, MOST_WORDS))

    def absent(self, texts: Iterable[Text]) -> list[str]:
        """Return the words and phrases that are ignored and stand in none of the texts."""
        if not self.ignore:
            return []
        everything = replace(self, ignore=())
        documents = everything.documents(texts)
        return self._ignored.absent(document.cut() for document in documents)

    def ignores(self, word: str) -> bool:
        """Return whether a word is not read wherever it stands, by itself or in a pattern."""
        return word in self._ignored
