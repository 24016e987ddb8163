"""Small models and texts made by code, for tests of the classifiers."""

import numpy as np

from whyword import CNNClassifier, Vectors

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
    """Return a small trained network."""
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
