"""What a stored linear model is made of: which tensors, of which shapes, and which settings.

========================  ===============  =====================================================
``output_weight``         (V, C) float64
``output_bias``           (C,) float64
``vocabulary``            V words
``document_frequency``    (V,) int64       of our own bag of words
``idf``                   (V,) float64     instead, of a scikit-learn vectoriser
========================  ===============  =====================================================
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, real_number, whole_number
from whyword.base.errors import Argument, InputError
from whyword.models.linear.from_sklearn import PipelineFeatures, restore_features
from whyword.models.linear.tfidf import TfIdf
from whyword.models.store import pack_words
from whyword.models.stored import Check, StoredModel, optional
from whyword.models.stored_reader import own_reader_settings, reader_settings, stored_reader
from whyword.words.tokenizer import Tokenizer


def _weight_of_errors(name: str, value: object) -> float:
    """Return C; raise unless the SVM's solver can do with it."""
    if not 1e-6 <= real_number(name, value, above=0) <= 1e6:
        raise InputError(Argument(name), f" must be from 1e-6 to 1e6 or None, not {value}")
    return value  # type: ignore[return-value]  # as it was given


# the classifier's arguments
CHECKS: dict[str, Check[Any]] = {
    "C": optional(_weight_of_errors),
    "folds": partial(whole_number, least=2),
    "sublinear": flag,
    "max_words": optional(whole_number),
    "seed": partial(whole_number, least=0),
}


def to_stored(features: TfIdf | PipelineFeatures) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the tensors and settings of a linear model's features."""
    tensors: dict[str, NDArray[Any]] = {"vocabulary": pack_words(features.words)}
    if isinstance(features, PipelineFeatures):
        reader = features.reader
        usual = reader.tokenizer == Tokenizer()
        settings = own_reader_settings(reader) if usual else reader_settings(reader)
        settings = features.configuration() | settings
        return tensors | {"idf": features.idf()}, settings
    described = {
        "documents": features.documents,
        "sublinear": features.sublinear,
        **reader_settings(features.reader),
    }
    return tensors | {"document_frequency": features.frequencies}, described


def from_stored(stored: StoredModel) -> TfIdf | PipelineFeatures:
    """Return the features; raise unless words and numbers fit each other."""
    features = stored.settings.section("features")
    if "vectorizer" in features:
        return restore_features(stored, features)
    documents = features.take("documents", whole_number)
    words = stored.words("vocabulary", "V", least=1)
    return TfIdf(
        stored_reader(features),
        words,
        stored.counts("document_frequency", np.int64, "V", most=documents),
        documents,
        features.take("sublinear", flag),
    )
