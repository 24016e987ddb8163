"""Small models and texts made by code, for tests of the classifiers."""

from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword import CNNClassifier, SVMClassifier, Vectors
from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.network import Convolution, Network
from whyword.reports.plan import Plan
from whyword.words import Reader

TOPICS = {
    "space": "orbit moon rocket shuttle launch nasa".split(),
    "hockey": "puck goal ice skate team league".split(),
    "crypto": "key cipher encryption secret clipper chip".split(),
}
COMMON = "the a of and to in is it".split()


def topical(count: int = 120, classes: int = 3, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts about topics, and the topics."""
    random = np.random.default_rng(seed)
    names = list(TOPICS)[:classes]
    labels = [names[number % classes] for number in range(count)]
    texts = []
    for label in labels:
        words = [*random.choice(TOPICS[label], 6), *random.choice(COMMON, 10)]
        random.shuffle(words)
        texts.append(" ".join(words))
    return texts, labels


def some_vectors(dimensions: int = 8, seed: int = 0) -> Vectors:
    """Return vectors for all words but one of each topic."""
    words = [word for topic in TOPICS.values() for word in topic[:-1]] + COMMON
    matrix = np.random.default_rng(seed).normal(size=(len(words), dimensions))
    return Vectors(words, matrix.astype(np.float32))


def small_cnn(width: int | tuple[int, ...] = 2, classes: int = 3, seed: int = 0) -> CNNClassifier:
    """Return a small trained network: trained once, a copy for everybody who asks."""
    return deepcopy(_trained_once(width, classes, seed))


@cache
def _trained_once(width: int | tuple[int, ...], classes: int, seed: int) -> CNNClassifier:
    return trained_cnn(width, classes, seed)


def trained_cnn(width: int | tuple[int, ...], classes: int, seed: int) -> CNNClassifier:
    """Train a small network, now."""
    model = CNNClassifier(
        vectors=some_vectors(),
        width=width,
        filters=12,
        epochs=30,
        batch_size=16,
        learning_rate=0.02,
        word_dropout=0.1,
        seed=seed,
    )
    return model.fit(*topical(classes=classes))


def small_svm(classes: int = 3, **settings: Any) -> SVMClassifier:  # noqa: ANN401
    """Return a small trained bag of words, C = 1: trained once, a copy for each caller."""
    return deepcopy(_svm_once(classes, tuple(sorted(settings.items()))))


@cache
def _svm_once(classes: int, settings: tuple[tuple[str, Any], ...]) -> SVMClassifier:
    return SVMClassifier(**{"C": 1.0, **dict(settings)}).fit(*topical(60, classes))


def made_cnn(
    widths: tuple[int, ...] = (2,),
    filters: int = 6,
    dimensions: int = 4,
    classes: int = 3,
    words: int = 7,
    integers: bool = False,
    seed: int = 0,
) -> CNNClassifier:
    """Return a network with random weights, some filters never firing, one word without a vector.

    Small integers make exact ties. Its words are those of :func:`made_text`.
    """
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> NDArray[np.float32]:
        numbers = random.integers(-2, 3, shape) if integers else random.normal(size=shape)
        return numbers.astype(np.float32)

    def bias() -> NDArray[np.float32]:
        values = draw(filters) - 1
        values[: filters // 3] -= 40  # these never fire
        return values

    vectors = Vectors([letters(number) for number in range(words - 1)], draw(words - 1, dimensions))
    mean, deviation = (1.0, 1.0) if integers else (0.3, 1.7)
    model = CNNClassifier(vectors=vectors, width=widths, filters=filters)
    model.inputs_ = Inputs(Reader(), vectors, mean, deviation, max(widths))
    model.network_ = Network(
        tuple(Convolution(draw(width, filters, dimensions), bias()) for width in widths),
        draw(filters * len(widths), classes),
        draw(classes),
    )
    model.classes_ = np.array([f"class {number}" for number in range(classes)])
    model.vocabulary_ = {}
    model.provenance_ = {"documents": 10}
    return model


def letters(number: int) -> str:
    """Return a word of plain letters for a number."""
    return "w" + chr(ord("a") + number)


def made_text(numbers: Iterable[int]) -> str:
    """Return a text of those words."""
    return " ".join(letters(number) for number in numbers)


def literal_parts(
    model: CNNClassifier, text: str
) -> tuple[
    NDArray[np.float64],
    list[tuple[NDArray[np.float64], NDArray[np.float64]]],
    NDArray[np.float64],
    NDArray[np.float64],
]:
    """Return what the oracle takes: inputs, convolutions, output weight and bias in float64."""
    convolutions = [
        (c.weight.transpose(0, 2, 1).astype(np.float64), c.bias.astype(np.float64))
        for c in model.network_.convolutions
    ]
    network = model.network_
    return (
        model.input_matrix(text).astype(np.float64),
        convolutions,
        network.output_weight.astype(np.float64),
        network.output_bias.astype(np.float64),
    )


# the whole reproduction, as small as it can be
TINY = Plan(
    train=300,
    test=160,
    cbow_epochs=1,
    epochs=1,
    filters=0.02,
    validation=40,
    folds=2,
    runs=1,
)
