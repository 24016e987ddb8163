"""Features of a vectoriser that somebody fitted with scikit-learn."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, one_of, whole_number
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.patterns import check_pattern
from whyword.models.linear.bag import Bag, FeatureRow, Occurrence, linked_bag
from whyword.models.linear.placement import locate_features
from whyword.models.stored import (
    Check,
    StoredModel,
    StoredSettings,
    list_of_strings,
    optional,
)
from whyword.models.stored_reader import stored_reader
from whyword.words.document import Document, Text
from whyword.words.reader import Reader
from whyword.words.tokenizer import Tokenizer

_NO_WORDS = np.zeros((0, 2), np.int32)
_CALLABLES = ("analyzer", "tokenizer", "preprocessor", "strip_accents")


class PipelineFeatures:
    """What a fitted ``CountVectorizer`` or ``TfidfVectorizer`` sees of a text.

    Attributes
    ----------
    vectorizer
        Of scikit-learn.
    words : list of V str
        Its words or n-grams.
    reader : Reader
        What is decoded, removed and ignored before it looks: it sees blanks there.
    """

    def __init__(self, vectorizer: Any, reader: Reader) -> None:  # noqa: ANN401 - scikit-learn has no types
        name = type(vectorizer).__name__
        if name not in _KEPT:
            raise InputError(
                f"the pipeline begins with {name}; it must be one of {', '.join(_KEPT)}"
            )
        if not hasattr(vectorizer, "vocabulary_"):
            raise InputError(f"the pipeline's {name} is not fitted yet; fit the pipeline first")
        if vectorizer.input != "content":
            raise InputError(
                f"the pipeline's {name} reads input={vectorizer.input!r}; texts are its content: "
                "make it with input='content'"
            )
        self.vectorizer, self.reader = vectorizer, reader
        self.words: list[str] = [str(word) for word in vectorizer.get_feature_names_out()]

    def read(self, text: Text) -> Document:
        """Return what is to be read of a text, without words: the vectoriser cuts them itself."""
        if isinstance(text, Document):
            return text
        if self.reader.is_plain and self.reader.tokenizer.max_words is None:
            return Document(text, _NO_WORDS)
        return self.reader(text)

    def row_of(self, read: Document) -> FeatureRow:
        """Return the text's features."""
        return self.row_of_visible(read.visible)

    def row_of_visible(self, text: str) -> FeatureRow:
        """Return the features of what is left of a text."""
        matrix = self.vectorizer.transform([text]).tocsr()
        matrix.sort_indices()
        return FeatureRow(matrix.indices.astype(np.intp), matrix.data.astype(np.float64))

    def bag_of(self, read: Document, row: FeatureRow) -> Bag:
        """Return the text's features and the words they stand for.

        An n-gram's share, docs/method.md (16), goes to the words it covers in equal parts.
        """
        document, occurrences = self._locate(read)
        return self._linked(document, row, occurrences)

    def _linked(self, document: Document, row: FeatureRow, occurrences: list[Occurrence]) -> Bag:
        place_of = self.vectorizer.vocabulary_
        known = [(place_of[one.name], one) for one in occurrences if one.name in place_of]
        return linked_bag(document, row, known)

    def bag_without(self, document: Document, deleted: NDArray[np.intp]) -> Bag:
        """Return the document's bag made anew with blanks for the words at these positions.

        A feature that comes to stand on something that was no word of the document, as rules of
        cutting may have it, stands on no word.
        """
        characters = list(document.visible)
        for start, end in document.spans[deleted].tolist():
            characters[start:end] = " " * (end - start)
        text = "".join(characters)
        found, occurrences = locate_features(self.vectorizer, text)
        bag = self._linked(found, self.row_of_visible(text), occurrences)
        numbers = {tuple(span): number for number, span in enumerate(document.spans.tolist())}
        word_numbers = [numbers.get(tuple(span), -1) for span in bag.document.spans.tolist()]
        words = np.array(word_numbers, np.intp)[bag.words] if word_numbers else bag.words
        placed = words >= 0
        return replace(
            bag, document=document, words=words[placed], occurrences=bag.occurrences[placed]
        )

    def _locate(self, read: Document) -> tuple[Document, list[Occurrence]]:
        """Return the text with the vectoriser's words, and its features' occurrences."""
        found, occurrences = locate_features(self.vectorizer, read.visible)
        document = Document(read.text, found.spans, read.truncated, read.unread, read.passed)
        return document, occurrences

    def read_documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words."""
        return (
            text if isinstance(text, Document) else self._locate(self.read(text))[0]
            for text in texts
        )

    def configuration(self) -> dict[str, Any]:
        """Return what is needed to make the vectoriser again; raise if that is code."""
        parameters = self.vectorizer.get_params()
        for name in _CALLABLES:
            if callable(parameters[name]):
                raise InputError(
                    f"the vectoriser's {name} is a function, and a saved model holds no code; "
                    "keep the pipeline and call from_pipeline again"
                )
        stop_words = parameters["stop_words"]
        if stop_words is not None and not isinstance(stop_words, str):
            parameters["stop_words"] = sorted(stop_words)
        kind = type(self.vectorizer).__name__
        kept = {name: parameters[name] for name in _KEPT[kind]}
        return {"vectorizer": kind, "parameters": kept}

    def idf(self) -> NDArray[np.float64]:
        """Return the vectoriser's idf, (V,); ones if it has none."""
        if getattr(self.vectorizer, "use_idf", False):
            return np.asarray(self.vectorizer.idf_, np.float64)
        return np.ones(len(self.words))


def _stop_words(name: str, value: object) -> str | list[str]:
    return "english" if value == "english" else list_of_strings(name, value)


def _pattern(name: str, value: object) -> str:
    """Return a regular expression that a vectoriser can cut words by."""
    if isinstance(value, str) and check_pattern(name, value, parallel=1).groups <= 1:
        return value
    raise InputError(f"{name} is no regular expression with one group at most: {value!r:.60}")


def _range(name: str, value: object) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2:
        least, most = (whole_number(name, number) for number in value)
        if least <= most:
            return least, most
    raise InputError(f"{name} must be two numbers, the lower first, not {value!r:.60}")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be a text, not {value!r:.60}")
    return value


_COUNTING: dict[str, Check[Any]] = {
    "strip_accents": optional(partial(one_of, choices=("ascii", "unicode"))),
    "lowercase": flag,
    "stop_words": optional(_stop_words),
    "token_pattern": optional(_pattern),
    "ngram_range": _range,
    "analyzer": partial(one_of, choices=("word", "char", "char_wb")),
    "binary": flag,
    "encoding": _text,
    "decode_error": partial(one_of, choices=("strict", "ignore", "replace")),
}
_WEIGHTING: dict[str, Check[Any]] = {
    "norm": optional(partial(one_of, choices=("l1", "l2"))),
    "use_idf": flag,
    "smooth_idf": flag,
    "sublinear_tf": flag,
}
# what is kept of a vectoriser's parameters, and what it may be
_KEPT = {"CountVectorizer": _COUNTING, "TfidfVectorizer": _COUNTING | _WEIGHTING}


def restore_features(stored: StoredModel, features: StoredSettings) -> PipelineFeatures:
    """Make the vectoriser again.

    Parameters
    ----------
    stored : StoredModel
        Of which its words and their idf are taken.
    features : StoredSettings
        What :meth:`PipelineFeatures.configuration` returned.
    """
    kind = features.take("vectorizer", partial(one_of, choices=tuple(_KEPT)))
    parameters = features.section("parameters").take_any(_KEPT[kind])
    if parameters.get("token_pattern", "") is None and parameters.get("analyzer", "word") == "word":
        raise stored.fault("features.parameters.token_pattern is null, and there is no other rule")
    words = stored.words("vocabulary", "V", least=1)
    idf = stored.tensor("idf", np.float64, "V")
    try:
        from sklearn.feature_extraction import text as vectorisers
    except ImportError:
        raise MissingExtraError("scikit-learn", "train") from None
    vectorizer = getattr(vectorisers, kind)(vocabulary=words, **parameters)
    vectorizer.fit([""])  # sets up what the vocabulary decides; the idf follows
    if getattr(vectorizer, "use_idf", False):
        vectorizer.idf_ = np.array(idf)
    # the vectoriser cuts words itself; by the reader's it is decided which are ignored
    tokenizer = None if "tokenizer" in features else Tokenizer()
    return PipelineFeatures(vectorizer, stored_reader(features, tokenizer))
