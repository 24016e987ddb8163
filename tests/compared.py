"""Three types of models compared on the same texts, once for all tests that look at the result."""

from functools import cache
from typing import Any

import numpy as np
from networks import made_cnn, made_text

from whyword import SVMClassifier, compare_models
from whyword.audit import ModelComparison

RANDOM = np.random.default_rng(3)
TEXTS = [made_text(RANDOM.integers(0, 7, length)) for length in [*range(1, 9), *[8] * 32]]
FEW: dict[str, Any] = {"runs": 2, "splits": 3, "seed": 4}


class Weak:
    """A black box with its classes in another order, and a weakness for the first of them."""

    classes_ = ("class 2", "class 0", "class 1")

    def predict_proba(self, texts: list[str]) -> Any:  # noqa: ANN401 - an array
        """Return the share of each class's letter, (texts, 3)."""
        counts = [[text.count(letter) + 0.5 for letter in "cab"] for text in texts]
        shares = np.array(counts) + np.array([2.0, 0, 0])
        return shares / shares.sum(axis=1, keepdims=True)


@cache
def labels() -> list[str]:
    """Return what the network predicts, of each fourth text another class."""
    classes = made_cnn().classes_.tolist()
    numbers = [classes.index(label) for label in made_cnn().predict(TEXTS)]
    return [classes[(number + (n % 4 == 0)) % 3] for n, number in enumerate(numbers)]


@cache
def models() -> dict[str, Any]:
    """Return models by their names, the last of another order of classes."""
    svm = SVMClassifier(C=1.0).fit(TEXTS[:30], labels()[:30])
    return {"cnn": made_cnn(), "svm": svm, "words": Weak()}


@cache
def compared() -> ModelComparison:
    """Return what is found about them."""
    return compare_models(models(), TEXTS, labels(), source="words", **FEW)


def predicted(name: str) -> list[str]:
    """Return what a model says of the texts, by its own means."""
    model = models()[name]
    if hasattr(model, "predict"):
        return [str(label) for label in model.predict(TEXTS)]
    return [model.classes_[n] for n in np.argmax(model.predict_proba(TEXTS), axis=1)]
