"""What a wrapped pipeline reads of a text, and the words that its features stand for."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from whyword.models.linear.bag import Bag, FeatureRow, Occurrence, linked_bag
from whyword.models.pipeline.graph import Graph
from whyword.models.pipeline.vectorizer import Vectorizer
from whyword.models.protocol import Positions
from whyword.words.document import Document, Text
from whyword.words.reader import Reader

_NO_WORDS = np.zeros((0, 2), np.int32)
_Located = tuple[Document, list[list[Occurrence]]]  # of each vectoriser


class PipelineFeatures:
    """The features of all of a pipeline's vectorisers, side by side.

    Attributes
    ----------
    graph : Graph
    reader : Reader
        What is decoded, removed and ignored before they look: they see blanks there. Ignored are
        words as it cuts them, and as the vectorisers do.
    """

    def __init__(self, graph: Graph, reader: Reader) -> None:
        self.graph, self.reader = graph, reader

    @cached_property
    def _vectorizers(self) -> list[Vectorizer]:
        """Each of them once; those whose features are words first."""
        once = list({id(one): one for one in self.graph.vectorizers}.values())
        return sorted(once, key=lambda one: not one.by_word)

    @property
    def words(self) -> list[str] | None:
        """The names of all features; None if one of the vectorisers does not know its own."""
        names: list[str] = []
        for one in self.graph.vectorizers:
            if one.names is None:
                return None
            names += one.names
        return names

    # ---- texts --------------------------------------------------------------------------------

    def read(self, text: Text) -> Document:
        """Return what is to be read of a text, without words: vectorisers cut them themselves."""
        if isinstance(text, Document):
            return text
        if self.reader.is_plain and self.reader.tokenizer.max_words is None:
            return Document(text, _NO_WORDS)
        read = self.reader(text)
        if not self.reader.ignore:
            return read
        own = replace(read, spans=self._locate(read.legible)[0].spans)
        return replace(read, unread=self.reader.ignore_words(own).unread)

    def read_documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words."""
        return (
            text if isinstance(text, Document) else self._document(self.read(text))[0]
            for text in texts
        )

    # ---- bags ---------------------------------------------------------------------------------

    def bag_of(self, read: Document, row: FeatureRow) -> Bag:
        """Return a text's features and the words they stand for.

        An n-gram's share, docs/method.md (16), goes to the words it covers in equal parts.
        """
        document, occurrences = self._document(read)
        return self._linked(document, row, occurrences)

    def text_without(self, document: Document, deleted: Positions) -> str:
        """Return what is read of a document, with blanks for the words at these positions."""
        characters = list(document.visible)
        for start, end in document.spans[deleted].tolist():
            characters[start:end] = " " * (end - start)
        return "".join(characters)

    def bag_without(self, document: Document, text: str, row: FeatureRow) -> Bag:
        """Return the document's bag made anew.

        A feature that comes to stand on something that was no word of the document, as rules of
        cutting may have it, stands on no word.

        Parameters
        ----------
        document : Document
        text : str
            Of :meth:`text_without`.
        row : FeatureRow
            Its features.
        """
        found, occurrences = self._locate(text)
        bag = self._linked(found, row, occurrences)
        numbers = {tuple(span): number for number, span in enumerate(document.spans.tolist())}
        word_numbers = [numbers.get(tuple(span), -1) for span in found.spans.tolist()]
        words = np.array(word_numbers, np.intp)[bag.words] if word_numbers else bag.words
        placed = words >= 0
        return replace(
            bag, document=document, words=words[placed], occurrences=bag.occurrences[placed]
        )

    def _document(self, read: Document) -> _Located:
        """Return the text with the vectorisers' words, and their features' occurrences."""
        found, occurrences = self._locate(read.visible)
        document = Document(read.text, found.spans, read.truncated, read.unread, read.passed)
        return document, occurrences

    def _locate(self, text: str) -> _Located:
        located = [one.locate(text) for one in self._vectorizers]
        first = located[0][0]
        several = [occurrences for _, occurrences in located]
        if all(np.array_equal(found.spans, first.spans) for found, _ in located[1:]):
            return first, several
        pieces = _Pieces(text, [found.spans for found, _ in located])
        return Document(text, pieces.spans), [
            pieces.moved(found, occurrences, vectorizer.by_word)
            for vectorizer, (found, occurrences) in zip(self._vectorizers, located, strict=True)
        ]

    def _linked(
        self, document: Document, row: FeatureRow, occurrences: Sequence[list[Occurrence]]
    ) -> Bag:
        several = zip(self._vectorizers, occurrences, strict=True)
        known = {id(one): (each, *one.places(each)) for one, each in several}
        every = [known[id(one)] for one in self.graph.vectorizers]
        starts = self.graph.starts[:-1].tolist()
        return linked_bag(
            document,
            row,
            np.concatenate([one[1] + start for one, start in zip(every, starts, strict=True)]),
            list(chain.from_iterable(one[0] for one in every)),
            np.concatenate([one[2] for one in every]),
        )


class _Pieces:
    """The words of several vectorisers, of which the first has the say.

    What another one has beyond is a word of its own, so that every feature stands on one.

    Attributes
    ----------
    spans : (T, 2) int32
    """

    def __init__(self, text: str, cuts: Sequence[NDArray[np.int32]]) -> None:
        owners = np.full(len(text), -1, np.int64)
        count = 0
        for spans in cuts:
            for start, end in spans.tolist():
                for _, run in groupby(np.flatnonzero(owners[start:end] < 0) + start, _Runs()):
                    owners[list(run)] = count
                    count += 1
        starts = np.flatnonzero(np.diff(owners, prepend=-1) != 0)
        ends = np.append(starts[1:], len(text))
        kept = owners[starts] >= 0
        self.spans = np.stack([starts[kept], ends[kept]], axis=1).astype(np.int32)
        words = np.full(len(text), -1, np.int64)
        for number, (start, end) in enumerate(self.spans.tolist()):
            words[start:end] = number
        self._words: list[int] = words.tolist()

    def moved(
        self, found: Document, occurrences: list[Occurrence], by_word: bool
    ) -> list[Occurrence]:
        """Return occurrences on these words instead of those that their vectoriser found.

        Those of words and several words cover what these cover, others what their span does.
        """
        spans = found.spans.tolist()
        result = []
        for name, words, span in occurrences:
            touched = [spans[word] for word in words] if by_word or not words else [span]
            result.append(Occurrence(name, self._of(touched), span))
        return result

    def _of(self, spans: Iterable[Sequence[int]]) -> list[int]:
        """Return the numbers of the words that some spans touch, in order."""
        numbers: set[int] = set()
        for start, end in spans:
            numbers.update(self._words[start:end])
        numbers.discard(-1)
        return sorted(numbers)


class _Runs:
    """Tells numbers apart that do not follow each other."""

    def __init__(self) -> None:
        self._seen = 0

    def __call__(self, number: int) -> int:
        self._seen += 1
        return number - self._seen
