"""Taking words away from any model: cut them out of the text, and ask it again."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.models.protocol import Erasable, Erased, Positions, Scores, Targets
from whyword.models.relevance import Relevance
from whyword.words.document import Document

_TEXTS = 64  # handed to a model at a time
_KEPT_BYTES = 2**26  # of scores without each word, for other targets of the same documents


class ErasableText(Erasable):
    """A trace that can score other texts, so that words can be cut out."""

    predicts_anew = True

    @abstractmethod
    def rescore(self, texts: list[str]) -> tuple[Scores, Scores]:
        """Return scores and probabilities of texts, (texts, C) each."""

    def removed_words(self, number: int) -> NDArray[np.bool_]:
        """Return which words of a document are gone from the start, (T,); none by default."""
        return np.zeros(len(self.documents[number]), np.bool_)

    def erase(
        self,
        documents: NDArray[np.intp],
        orders: NDArray[np.int32],
        insert: bool,
        steps: NDArray[np.intp],
    ) -> Erased:
        """Return what the model says of the texts, words cut out of them: docs/method.md (27)."""
        shape = (orders.shape[1], len(steps), self.scores.shape[1])
        scores = np.empty((len(documents), *shape))
        chances = np.empty(scores.shape)
        for at, (number, each) in enumerate(zip(documents.tolist(), orders, strict=True)):
            document, removed = self.documents[number], self.removed_words(number)
            texts = (
                text_without(document, gone)
                for order in each
                for gone in words_gone(removed, order, insert, steps)
            )
            for result, rows in zip((scores, chances), self._rescore_all(texts), strict=True):
                result[at] = rows.reshape(shape)
        return Erased(scores, chances)

    def occlusion(self, targets: Targets) -> Relevance:
        """Return what the score loses when a word is cut out of the text: docs/method.md (21)."""
        words = []
        for number, (document, chosen) in enumerate(zip(self.documents, targets, strict=True)):
            without_each = self._scores_without_each(number, document)
            words.append(self.scores[number, chosen] - without_each[:, chosen])
        return Relevance(words, np.zeros(targets.shape))

    @cached_property
    def _kept(self) -> dict[int, Scores]:
        """What the model said of documents without each word, as far as there is room."""
        return {}

    def _scores_without_each(self, number: int, document: Document) -> Scores:
        """Return the scores of a document without its first word, its second …, (T, C)."""
        if number in self._kept:
            return self._kept[number]
        scores, _ = self._rescore_all(_texts_without_each(document, self.removed_words(number)))
        if scores.nbytes + sum(one.nbytes for one in self._kept.values()) <= _KEPT_BYTES:
            self._kept[number] = scores
        return scores

    def _rescore_all(self, texts: Iterator[str]) -> tuple[Scores, Scores]:
        none = np.empty((0, self.scores.shape[1]))
        scores, chances = [none], [none]
        while some := list(islice(texts, _TEXTS)):
            new_scores, new_chances = self.rescore(some)
            scores.append(new_scores)
            chances.append(new_chances)
        return np.concatenate(scores), np.concatenate(chances)


def words_gone(
    removed: NDArray[np.bool_],
    order: NDArray[np.int32],
    insert: bool,
    steps: NDArray[np.intp],
) -> Iterator[NDArray[np.bool_]]:
    """Yield which words of a document are gone at each of the steps, (T,).

    Parameters
    ----------
    removed : (T,) bool
        Those that are gone from the start, and do not come back.
    order, insert, steps
        As for :meth:`~whyword.models.protocol.Erasable.erase`, of one order.
    """
    at_first = np.full(len(removed), insert) | removed
    for count in steps.tolist():
        words = order[:count][order[:count] >= 0]
        gone = at_first.copy()
        gone[words] = removed[words] if insert else True
        yield gone


def _texts_without_each(document: Document, removed: NDArray[np.bool_]) -> Iterator[str]:
    """Yield the text without its first word, without its second, and so on."""
    for word in range(len(document)):
        gone = removed.copy()
        gone[word] = True
        yield text_without(document, gone)


def text_without(document: Document, gone: NDArray[np.bool_]) -> str:
    """Return what is read of the text without the words that are gone."""
    pieces, done, text = [], 0, document.visible
    for start, end in document.spans[gone].tolist():
        pieces.append(text[done:start])
        done = end
    return "".join([*pieces, text[done:]])


def next_positions(deleted: Iterator[Positions], document: Document) -> Positions:
    """Return the positions of the next document's deleted words; raise if it has no such."""
    positions = next(deleted, None)
    if positions is None:
        raise InputError("there are fewer lists of deleted words than texts", about=["deleted"])
    if len(positions) and (positions.min() < 0 or positions.max() >= len(document)):
        wrong = int(positions.max() if positions.min() >= 0 else positions.min())
        raise InputError(
            f"word {wrong} is to be deleted, but the text's words are 0 … {len(document) - 1}"
            if len(document)
            else f"word {wrong} is to be deleted, but there is no word in the text",
            about=["deleted"],
        )
    return positions


def deleted_words(deleted: Iterator[Positions] | None, document: Document) -> NDArray[np.bool_]:
    """Return which words of the next document are deleted, (T,)."""
    gone = np.zeros(len(document), np.bool_)
    if deleted is not None:
        gone[next_positions(deleted, document)] = True
    return gone
