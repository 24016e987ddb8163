"""A model at work: from the texts of a request to what is sent back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.methods.blocks import NetworkBlock, documents_of, kind_of, model_classes
from whyword.methods.explain import explain
from whyword.methods.registry import METHODS
from whyword.methods.request import identity_of
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.cnn.network import TABLE_BYTES
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.linear.from_sklearn import PipelineFeatures
from whyword.web.limits import Limits

_QUICK_CHARACTERS = 4_000
_SLOW_WORDS = 1_000  # where the time grows with the square of a text's length


class Engine:
    """Predicts and explains.

    Parameters
    ----------
    model : CNNClassifier or SVMClassifier
    limits : Limits
    table_bytes : int
        What a network's answers to words may take in memory, see
        :meth:`~whyword.CNNClassifier.remember_words`.
    """

    def __init__(
        self,
        model: CNNClassifier | SVMClassifier,
        limits: Limits | None = None,
        table_bytes: int = TABLE_BYTES,
    ) -> None:
        if isinstance(model, CNNClassifier):
            model.remember_words(table_bytes)
        self.model = model
        self._features = getattr(model, "features_", None)
        self.limits = limits or Limits()
        self.classes: list[Label] = model_classes(model)
        self.names = [str(label) for label in self.classes]
        self.identity = identity_of(model)  # None if it holds somebody's function

    def about(self) -> dict[str, Any]:
        """Return what is to be known of the model."""
        facts = self.model.provenance_
        kind = kind_of(self.model)
        return {
            "kind": "cnn" if kind is NetworkBlock else "svm",
            "identity": self.identity,
            "classes": self.classes,
            "max_words": getattr(self.model, "max_words", None),
            "documents": facts.get("documents"),
            "test_accuracy": facts.get("test_accuracy"),
            "methods": [name for name, method in METHODS.items() if kind in method.of_block],
        }

    def is_quick(self, texts: Sequence[str], method: str = "lrp") -> bool:
        """Whether an answer takes a few milliseconds, less than a server notices."""
        if method == "occlusion" or isinstance(self._features, PipelineFeatures):
            return False
        return sum(map(len, texts)) <= _QUICK_CHARACTERS

    def predict(self, texts: Sequence[str], ids: Sequence[str | None]) -> list[dict[str, Any]]:
        """Return what the model says of each text."""
        self._check(texts, most_words=None)
        scores = self.model.class_scores(texts)
        chances, known = self.model.probabilities(scores), self.model.known_words(texts)
        return [
            {
                "id": name,
                "predicted": self.classes[int(row.argmax())],
                "classes": self.classes,
                "scores": row.astype(np.float64),
                "probabilities": chance,
                "known_words": count,
            }
            for name, row, chance, count in zip(ids, scores, chances, known.tolist(), strict=True)
        ]

    def explain(
        self,
        texts: Sequence[str],
        ids: Sequence[str | None],
        deleted: Sequence[Sequence[int]],
        target: object = "predicted",
        against: str | None = None,
        method: str = "lrp",
    ) -> list[dict[str, Any]]:
        """Return the explanations as they are sent: the JSON form and the probabilities."""
        self._check(texts, self._most_words(method))
        found = explain(
            self.model,
            texts,
            target,
            against=against,
            method=method,
            deleted=deleted if any(deleted) else None,
        )
        chances = self.model.probabilities(np.array([one.scores for one in found]))
        return [
            one.fields()
            | {
                "id": name,
                "relevance": np.ascontiguousarray(one.relevance),
                "predicted": one.predicted,
                "probabilities": chance,
                "conserved": one.conserved,
            }
            for one, name, chance in zip(found, ids, chances, strict=True)
        ]

    def _most_words(self, method: str) -> int:
        if method == "occlusion" and isinstance(self._features, PipelineFeatures):
            return min(_SLOW_WORDS, self.limits.words)
        return self.limits.words

    def _check(self, texts: Sequence[str], most_words: int | None) -> None:
        for text in texts:
            if len(text) > self.limits.characters:
                raise InputError(
                    f"a text has {len(text):,} characters, this server reads "
                    f"{self.limits.characters:,} at most"
                )
        if most_words is None or sum(len(text) + 1 for text in texts) <= 2 * most_words:
            return  # too short to hold more: a word and what parts it from the next take two
        words = sum(map(len, documents_of(self.model, texts)))
        if words > most_words:
            raise InputError(
                f"the texts have {words:,} words together, this server explains {most_words:,} "
                "at a time; send fewer or shorter ones"
            )
