"""Models of four kinds on the same texts, compared once for all tests that look at the result."""

from functools import cache
from typing import Any

import numpy as np
from keywords import Keywords
from networks import TOPICS, small_cnn, topical

from whyword import SVMClassifier, compare_models
from whyword.audit import ModelComparison

TEXTS, RIGHT = topical(60, seed=3)
LABELS = [RIGHT[(n + 1) % 60] if n % 5 == 0 else label for n, label in enumerate(RIGHT)]
FEW: dict[str, Any] = {"runs": 2, "splits": 3, "seed": 4}


class Weak(Keywords):
    """The same with its classes in another order, few words, and a weakness for hockey."""

    topics = {name: words[:2] for name, words in TOPICS.items()}  # noqa: RUF012

    def predict_proba(self, texts: list[str]) -> Any:  # noqa: ANN401 - an array
        """Return the share of each topic, (texts, 3)."""
        shares = super().predict_proba(texts)
        shares[:, list(self.topics).index("hockey")] += 0.7
        return shares / shares.sum(axis=1, keepdims=True)


@cache
def models() -> dict[str, Any]:
    """Return models by their names, the last of another order of classes."""
    poor = SVMClassifier(C=1.0).fit(*topical(3))
    return {"cnn": small_cnn(), "svm": poor, "words": Weak()}


@cache
def compared() -> ModelComparison:
    """Return what is found about them."""
    return compare_models(models(), TEXTS, LABELS, source="topics", **FEW)


def predicted(name: str) -> list[str]:
    """Return what a model says of the texts, by its own means."""
    model = models()[name]
    if hasattr(model, "predict"):
        return [str(label) for label in model.predict(TEXTS)]
    return [model.classes_[n] for n in np.argmax(model.predict_proba(TEXTS), axis=1)]
