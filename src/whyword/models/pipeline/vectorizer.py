"""A vectoriser that somebody fitted with scikit-learn: texts to counts, and where these stand."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, one_of, whole_number
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.patterns import check_pattern
from whyword.base.printable import storable
from whyword.models.linear.bag import Occurrence
from whyword.models.pipeline.gradients import Matrix
from whyword.models.pipeline.placement import locate_features
from whyword.models.pipeline.steps import Tensors
from whyword.models.store import pack_words
from whyword.models.stored import (
    Check,
    StoredModel,
    StoredSettings,
    largest_number,
    list_of_strings,
    optional,
)
from whyword.words.document import Document

Places: TypeAlias = NDArray[np.intp]

_CALLABLES = ("analyzer", "tokenizer", "preprocessor", "strip_accents")
_DTYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint8", "uint16", "uint32")
_LONGEST = 32  # words or characters of an n-gram: each length takes as much memory as the text


class Vectorizer:
    """What a fitted Count, Tfidf or Hashing vectoriser sees of texts.

    Attributes
    ----------
    vectorizer
        Of scikit-learn.
    names : list of V str, or None
        Its words or n-grams; a hashing one does not know them.
    width : int
        V.
    """

    name = "vectorizer"

    def __init__(self, vectorizer: Any) -> None:  # noqa: ANN401 - scikit-learn has no types
        kind = type(vectorizer).__name__
        if vectorizer.input != "content":
            raise InputError(
                f"the pipeline's {kind} reads input={vectorizer.input!r}; texts are its content: "
                "make it with input='content'"
            )
        self.vectorizer = vectorizer
        self.names: list[str] | None = None
        if hasattr(vectorizer, "vocabulary_"):
            self.names = [str(word) for word in vectorizer.get_feature_names_out()]
        elif not hasattr(vectorizer, "n_features"):
            raise InputError(f"the pipeline's {kind} is not fitted yet; fit the pipeline first")
        self.width: int = int(vectorizer.n_features) if self.names is None else len(self.names)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be made again."""
        kept = ("vectorizer", "names", "width")
        return {name: getattr(self, name) for name in kept}

    @cached_property
    def _analyzer(self) -> Any:  # noqa: ANN401 - a function from a text to its features
        return self.vectorizer.build_analyzer()

    @property
    def by_word(self) -> bool:
        """Whether its features are words, or several of them."""
        return bool(self.vectorizer.analyzer == "word")

    def forward(self, texts: Sequence[str]) -> Matrix:
        """Return the features of texts, (n, V) csr."""
        if self.names is None:  # it hashes what can be encoded
            texts = [storable(text) for text in texts]
        matrix = self.vectorizer.transform(texts).tocsr().astype(np.float64)
        matrix.sort_indices()
        return matrix

    def locate(self, text: str) -> tuple[Document, list[Occurrence]]:
        """Return a text with the words that it finds, and its features' occurrences."""
        known = None if self.names is None else self.vectorizer.vocabulary_
        return locate_features(self.vectorizer, text, self._analyzer, known)

    def places(self, occurrences: Sequence[Occurrence]) -> tuple[Places, NDArray[np.float64]]:
        """Return where the features of occurrences stand, and whether these add to them or take.

        Returns
        -------
        (O,) intp and (O,) float64, 1 or −1
        """
        if self.names is not None:
            place_of = self.vectorizer.vocabulary_
            places = np.array([place_of[one.name] for one in occurrences], np.intp)
            return places, np.ones(len(places))
        hashed = self._hashed(sorted({one.name for one in occurrences}))
        pairs = np.array([hashed[one.name] for one in occurrences]).reshape(-1, 2)
        return pairs[:, 0].astype(np.intp), pairs[:, 1]

    def _hashed(self, names: list[str]) -> dict[str, tuple[int, float]]:
        """Return the place and the sign of names, as its own hasher has them."""
        from sklearn.feature_extraction import FeatureHasher

        own = self.vectorizer
        hasher = FeatureHasher(
            own.n_features, input_type="string", alternate_sign=own.alternate_sign
        )
        matrix = hasher.transform([[storable(name)] for name in names] or [[]])
        signs = zip(matrix.indices.tolist(), matrix.data.tolist(), strict=True)
        return dict(zip(names, signs, strict=True))

    # ---- keeping ------------------------------------------------------------------------------

    def reach(self) -> float:
        """Return a bound of what one occurrence is."""
        idf = self._idf()
        if idf is None:
            return 1.0
        return max(1.0, largest_number(idf[np.isfinite(idf)]))  # no text had the others

    def _idf(self) -> NDArray[np.float64] | None:
        weighs = getattr(self.vectorizer, "use_idf", False)
        return np.asarray(self.vectorizer.idf_, np.float64) if weighs else None

    def stored(self) -> tuple[Tensors, dict[str, Any]]:
        """Return what is needed to make it again; raise if that is code."""
        kind = type(self.vectorizer).__name__
        if kind not in _KEPT or not type(self.vectorizer).__module__.startswith("sklearn."):
            raise InputError(
                f"{kind} is a class of your own, and a saved model holds no code; "
                "keep the pipeline and call from_pipeline again"
            )
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
        parameters["dtype"] = np.dtype(parameters["dtype"]).name
        kept = {name: parameters[name] for name in _KEPT[kind]}
        tensors: Tensors = {} if self.names is None else {"vocabulary": pack_words(self.names)}
        idf = self._idf()
        tensors |= {} if idf is None else {"idf": idf}
        return tensors, {"vectorizer": kind, "parameters": kept}

    @classmethod
    def restore(cls, stored: StoredModel, settings: StoredSettings, end: str) -> "Vectorizer":
        """Make it again, checked; its tensors' names end so."""
        kind = settings.take("vectorizer", partial(one_of, choices=tuple(_KEPT)))
        parameters = settings.section("parameters").take_any(_KEPT[kind])
        is_word = parameters.get("analyzer", "word") == "word"
        if parameters.get("token_pattern", "") is None and is_word:
            raise stored.fault("a token_pattern is null, and there is no other rule")
        if "dtype" in parameters:
            parameters["dtype"] = np.dtype(parameters["dtype"]).type
        try:
            from sklearn.feature_extraction import text as vectorisers
        except ImportError:
            raise MissingExtraError("scikit-learn", "train") from None
        if kind == "HashingVectorizer":
            return cls(vectorisers.HashingVectorizer(**parameters))
        words = stored.words("vocabulary" + end, "vocabulary" + end, least=1)
        vectorizer = getattr(vectorisers, kind)(vocabulary=words, **parameters)
        vectorizer.fit([""])  # sets up what the vocabulary decides; the idf follows
        if getattr(vectorizer, "use_idf", False):
            idf = stored.tensor("idf" + end, np.float64, len(words))
            vectorizer.idf_ = np.array(idf, vectorizer.idf_.dtype)
        return cls(vectorizer)


def _stop_words(name: str, value: object) -> str | list[str]:
    return "english" if value == "english" else list_of_strings(name, value)


def _pattern(name: str, value: object) -> str:
    """Return a regular expression that a vectoriser can cut words by."""
    if isinstance(value, str) and check_pattern(name, value, parallel=1).groups <= 1:
        return value
    raise InputError(f"{name} is no regular expression with one group at most: {value!r:.60}")


def _range(name: str, value: object) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2:
        least, most = (whole_number(name, number, most=_LONGEST) for number in value)
        if least <= most:
            return least, most
    raise InputError(f"{name} must be two numbers, the lower first, not {value!r:.60}")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} must be a text, not {value!r:.60}")
    return value


_READING: dict[str, Check[Any]] = {
    "strip_accents": optional(partial(one_of, choices=("ascii", "unicode"))),
    "lowercase": flag,
    "stop_words": optional(_stop_words),
    "token_pattern": optional(_pattern),
    "ngram_range": _range,
    "analyzer": partial(one_of, choices=("word", "char", "char_wb")),
    "binary": flag,
    "encoding": _text,
    "decode_error": partial(one_of, choices=("strict", "ignore", "replace")),
    "dtype": partial(one_of, choices=_DTYPES),
}
_NORM: dict[str, Check[Any]] = {"norm": optional(partial(one_of, choices=("l1", "l2")))}
_WEIGHTING: dict[str, Check[Any]] = _NORM | {
    "use_idf": flag,
    "smooth_idf": flag,
    "sublinear_tf": flag,
}
_HASHING: dict[str, Check[Any]] = _NORM | {"n_features": whole_number, "alternate_sign": flag}
# what is kept of a vectoriser's parameters, and what it may be
_KEPT = {
    "CountVectorizer": _READING,
    "TfidfVectorizer": _READING | _WEIGHTING,
    "HashingVectorizer": _READING | _HASHING,
}
