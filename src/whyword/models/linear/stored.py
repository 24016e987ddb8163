"""What a stored linear model is made of: which tensors, of which shapes, and which settings.

========================  ===============  =====================================================
``output_weight``         (V, C) float64
``output_bias``           (C,) float64
``vocabulary``            W words
``ngrams_n``              (V_n, 2) int32   of our own bag, for n = 2, 3, …: an n-gram's first
                                           n − 1 words among those of that length, its last word
``document_frequency``    (V,) int64       of our own bag
========================  ===============  =====================================================

Where n-grams are single words, V is W.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, one_of, real_number, strings, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.models.linear.ngrams import LONGEST, Ngrams
from whyword.models.linear.tfidf import TfIdf
from whyword.models.store import pack_words
from whyword.models.stored import Check, StoredModel, StoredSettings, list_of_strings, optional
from whyword.models.stored_reader import reader_settings, stored_reader


def _weight_of_errors(name: str, value: object) -> float:
    """Return C; raise unless the SVM's solver can do with it."""
    if not 1e-6 <= real_number(name, value, above=0) <= 1e6:
        raise InputError(Argument(name), f" must be from 1e-6 to 1e6 or None, not {value}")
    return value  # type: ignore[return-value]  # as it was given


def _lengths(name: str, value: object) -> tuple[int, int]:
    """Return of how many words n-grams are, from and to."""
    if isinstance(value, list | tuple) and len(value) == 2:
        least, most = (whole_number(name, number, most=LONGEST) for number in value)
        if least <= most:
            return least, most
    raise InputError(
        Argument(name), f" must be two numbers of words, the lower first, not {shown(value)}"
    )


def _stop_words(name: str, value: object) -> str | list[str]:
    """Return "english" or words."""
    if isinstance(value, str):
        return one_of(name, value, ("english",))
    words = strings(name, value)  # type: ignore[arg-type]  # it looks for itself
    if not all(map(str.strip, words)):
        raise InputError(Argument(name), " holds an empty word")
    return words


# the classifier's arguments
CHECKS: dict[str, Check[Any]] = {
    "C": optional(_weight_of_errors),
    "folds": partial(whole_number, least=2),
    "ngrams": optional(_lengths),
    "min_documents": optional(whole_number),
    "stop_words": optional(_stop_words),
    "sublinear": flag,
    "max_words": optional(whole_number),
    "seed": partial(whole_number, least=0),
}


def to_stored(features: TfIdf) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the tensors and settings of a linear model's features."""
    tensors: dict[str, NDArray[Any]] = {"vocabulary": pack_words(features.words)}
    tensors["document_frequency"] = features.frequencies
    ngram_tensors, ngram_settings = _stored_ngrams(features.ngrams)
    described = {
        "documents": features.documents,
        "sublinear": features.sublinear,
        **ngram_settings,
        **reader_settings(features.reader),
    }
    return tensors | ngram_tensors, described


def from_stored(stored: StoredModel) -> TfIdf:
    """Return the features; raise unless words and numbers fit each other."""
    features = stored.settings.section("features")
    documents = features.take("documents", whole_number)
    ngrams = _restored_ngrams(stored, features)
    stored.bind("V", len(ngrams))
    return TfIdf(
        stored_reader(features),
        ngrams,
        stored.counts("document_frequency", np.int64, "V", most=documents),
        documents,
        features.take("sublinear", flag),
    )


def _stored_ngrams(ngrams: Ngrams) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return tensors and settings of n-grams; none of single words: there were no others once."""
    words = max(1, len(ngrams.words))
    tensors: dict[str, NDArray[Any]] = {
        f"ngrams_{length}": np.stack(np.divmod(codes, words), axis=1).astype(np.int32)
        for length, codes in enumerate(ngrams.codes, 2)
    }
    settings: dict[str, Any] = {}
    if ngrams.lengths != (1, 1):
        settings["ngrams"] = list(ngrams.lengths)
    if ngrams.stop_words:
        settings["stop_words"] = sorted(ngrams.stop_words)
    return tensors, settings


def _restored_ngrams(stored: StoredModel, features: StoredSettings) -> Ngrams:
    """Return n-grams; raise unless each is there once, and made of what there is."""
    given = features.take_any({"ngrams": _lengths, "stop_words": list_of_strings})
    lengths = given.get("ngrams", (1, 1))
    words = stored.words("vocabulary", "W", least=1)
    codes: list[NDArray[np.int64]] = []
    for length in range(2, lengths[1] + 1):
        name = f"ngrams_{length}"
        pairs = stored.tensor(name, np.int32, f"V_{length}", 2, least=0).astype(np.int64)
        shorter = len(codes[-1]) if codes else len(words)
        if pairs.size and ((pairs < 0) | (pairs >= [shorter, len(words)])).any():
            raise stored.fault(f"{name} has an n-gram of words that are not there")
        codes.append(pairs[:, 0] * len(words) + pairs[:, 1])
        if (np.diff(codes[-1]) <= 0).any():
            raise stored.fault(f"{name} has n-grams that are not in order, or twice")
    ngrams = Ngrams(words, lengths, tuple(codes), frozenset(given.get("stop_words", ())))
    if not len(ngrams):
        raise stored.fault("there are no n-grams")
    return ngrams
