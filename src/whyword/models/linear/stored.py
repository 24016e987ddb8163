"""What a stored linear model is made of: which tensors, of which shapes, and which settings.

========================  ===============  =====================================================
``output_weight``         (V, C) float64
``output_bias``           (C,) float64
``vocabulary``            V words
``document_frequency``    (V,) int64
========================  ===============  =====================================================
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import flag, real_number, whole_number
from whyword.base.errors import Argument, InputError
from whyword.models.linear.tfidf import TfIdf
from whyword.models.store import pack_words
from whyword.models.stored import Check, StoredModel, optional
from whyword.models.stored_reader import reader_settings, stored_reader


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


def to_stored(features: TfIdf) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the tensors and settings of a linear model's features."""
    tensors: dict[str, NDArray[Any]] = {"vocabulary": pack_words(features.words)}
    described = {
        "documents": features.documents,
        "sublinear": features.sublinear,
        **reader_settings(features.reader),
    }
    return tensors | {"document_frequency": features.frequencies}, described


def from_stored(stored: StoredModel) -> TfIdf:
    """Return the features; raise unless words and numbers fit each other."""
    features = stored.settings.section("features")
    documents = features.take("documents", whole_number)
    words = stored.words("vocabulary", "V", least=1)
    return TfIdf(
        stored_reader(features),
        words,
        stored.counts("document_frequency", np.int64, "V", most=documents),
        documents,
        features.take("sublinear", flag),
    )
