"""What a stored network is made of: which tensors, of which shapes, and which settings.

========================  ==========================  ===========================================
``conv_weight_<H>``       (H, F, D) float32           one for each width H; F may differ
``conv_bias_<H>``         (F,) float32
``output_weight``         (ΣF, C) float32
``output_bias``           (C,) float32
``vectors_<n>``           (V, D) float32              one for each table n; their D add up to D
``words_<n>``             V words
``vocabulary``            words of the training texts
``document_frequency``    (words,) int32
========================  ==========================  ===========================================
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.network import Convolution, Network
from whyword.models.cnn.training import CHECKS, MOST_FILTERS, MOST_WIDTH
from whyword.models.store import pack_words
from whyword.models.stored import (
    Check,
    StoredModel,
    finite_number,
    positive_number,
)
from whyword.models.stored_reader import reader_settings, stored_reader
from whyword.vectors.vectors import Vectors


def _as_given(check: Check[Any]) -> Check[Any]:
    """Return a check that gives back what it was given."""

    def given(name: str, value: object) -> object:
        check(name, value)
        return value

    return given


PARAMETERS: dict[str, Check[Any]] = {name: _as_given(check) for name, check in CHECKS.items()}


def to_stored(
    network: Network, inputs: Inputs, vocabulary: Mapping[str, int]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a network's tensors and settings."""
    tensors: dict[str, NDArray[Any]] = {
        "output_weight": network.output_weight,
        "output_bias": network.output_bias,
        "vocabulary": pack_words(list(vocabulary)),
        "document_frequency": np.array(list(vocabulary.values()), np.int32),
    }
    for convolution in network.convolutions:
        tensors[f"conv_weight_{convolution.width}"] = convolution.weight
        tensors[f"conv_bias_{convolution.width}"] = convolution.bias
    for number, (words, matrix) in enumerate(inputs.vectors.tables):
        tensors[f"vectors_{number}"] = matrix
        tensors[f"words_{number}"] = pack_words(words)
    settings = {
        **reader_settings(inputs.reader),
        "normalisation": {"mean": inputs.mean, "deviation": inputs.deviation},
    }
    return tensors, settings


def from_stored(
    stored: StoredModel, documents: int | None
) -> tuple[Network, Inputs, dict[str, int]]:
    """Return a network, its inputs and its vocabulary; raise unless they fit each other.

    Parameters
    ----------
    stored : StoredModel
        Of which the classes were taken.
    documents : int or None
        How many there were in the training, where that is known.
    """
    vectors = _vectors(stored)
    stored.bind("D", vectors.dimensions)
    network = _network(stored)
    normalisation = stored.settings.section("normalisation")
    inputs = Inputs(
        stored_reader(stored.settings),
        vectors,
        normalisation.take("mean", finite_number),
        normalisation.take("deviation", positive_number),
        max(convolution.width for convolution in network.convolutions),
    )
    element = max(stored.largest(f"vectors_{n}") for n in range(len(vectors.tables)))
    stored.check_range(network.largest(inputs.largest(element)))
    words = stored.words("vocabulary", "words")
    most = np.iinfo(np.int32).max if documents is None else documents
    frequencies = stored.counts("document_frequency", np.int32, "words", most)
    return network, inputs, dict(zip(words, frequencies.tolist(), strict=True))


def _vectors(stored: StoredModel) -> Vectors:
    tables = []
    for number in range(max(1, len(stored.numbered("vectors_")))):
        count = f"V of table {number}"
        size = f"D of table {number}"
        matrix = stored.tensor(f"vectors_{number}", np.float32, count, size, least=0)
        tables.append((stored.words(f"words_{number}", count), matrix))
    return Vectors.from_tables(tables)


def _network(stored: StoredModel) -> Network:
    widths = stored.numbered("conv_weight_")
    if not widths or not 1 <= min(widths) <= max(widths) <= MOST_WIDTH:
        raise stored.fault(f"it has no tensor conv_weight_<width> of a width up to {MOST_WIDTH}")
    convolutions = []
    for width in widths:
        filters = f"F of width {width}"
        weight = stored.tensor(f"conv_weight_{width}", np.float32, width, filters, "D")
        bias = stored.tensor(f"conv_bias_{width}", np.float32, filters)
        if len(bias) > MOST_FILTERS:
            raise stored.fault(f"{len(bias):,} filters; there may be {MOST_FILTERS:,} of a width")
        convolutions.append(Convolution(weight, bias))
    stored.bind("ΣF", sum(len(convolution.bias) for convolution in convolutions))
    return Network(
        tuple(convolutions),
        stored.tensor("output_weight", np.float32, "ΣF", "C"),
        stored.tensor("output_bias", np.float32, "C"),
    )
