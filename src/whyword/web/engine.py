"""A model at work: from the texts of a request to what is sent back."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from whyword.base.errors import Argument, InputError
from whyword.base.labels import Label
from whyword.explanation.row import Row
from whyword.methods.explain import explain_blocks
from whyword.methods.registry import Cost, method_for, methods_for
from whyword.methods.request import PHRASE, Request, check_phrases, has_phrases
from whyword.models.abilities import Caching, Reading
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import is_multilabel, predicted_sets
from whyword.web.limits import Limits
from whyword.words.document import Text
from whyword.words.rules import WORDS

CACHE_BYTES = 256 << 20  # for what a model keeps of words it met
_QUICK_CHARACTERS = 4_000
_COSTLY = (Cost.PER_WORD, Cost.PER_STEP)  # many passes through the model
_SLOW_WORDS = 1_000  # of texts that such a method explains for a model that takes its time


class Engine:
    """Predicts and explains.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    limits : Limits
    cache_bytes : int
        What its copy of the model may keep of words it met once it serves, see
        :meth:`~whyword.models.abilities.Caching.cache_words`.
    """

    def __init__(
        self, model: object, limits: Limits | None = None, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self.model = as_classifier(model)
        if isinstance(self.model, Caching):
            self.model = copy(self.model)  # what it keeps is no business of the caller's model
        self._cache_bytes = cache_bytes
        self.limits = limits or Limits()
        self.classes: list[Label] = labels_of(self.model)
        self.names = [str(label) for label in self.classes]
        self.identity = self.model.identity  # None if it holds somebody's function
        self.methods = list(methods_for(self.model.trace_kind))

    def keep_words(self) -> None:
        """Let the model keep what it computes of words, as pays where texts come one by one."""
        if isinstance(self.model, Caching):
            self.model.cache_words(self._cache_bytes)

    def about(self) -> dict[str, Any]:
        """Return what is to be known of the model."""
        facts = getattr(self.model, "provenance_", {})
        reader = self.model.reader_ if isinstance(self.model, Reading) else None
        return {
            "kind": self.model.kind,
            "identity": self.identity,
            "classes": self.classes,
            "names": self.names,  # by which they are asked for, whatever JSON makes of them
            "multilabel": is_multilabel(self.model),
            "reads": {} if reader is None else dict(reader.described()),
            "max_words": None if reader is None else reader.tokenizer.max_words,
            "documents": facts.get("documents"),
            "test_accuracy": facts.get("test_accuracy"),
            "methods": self.methods,
            "phrases": has_phrases(None, self.model),
            "all_classes": self.model.trace_kind.all_classes,
        }

    def is_quick(self, texts: Sequence[str], method: str | None = None) -> bool:
        """Whether an answer takes a few milliseconds, less than a server notices."""
        kind = self.model.trace_kind
        if not kind.is_quick or method_for(kind, method).cost in _COSTLY:
            return False
        return sum(map(len, texts)) <= _QUICK_CHARACTERS

    def predict(self, texts: Sequence[str], ids: Sequence[str | None]) -> list[dict[str, Any]]:
        """Return what the model says of each text."""
        self._check_characters(texts)
        names = iter(ids)
        return [
            {
                "id": next(names),
                "predicted": self.classes[number] if several is None else several,
                "classes": self.classes,
                "scores": scores,
                "probabilities": chances,
                "known_words": known,
            }
            for trace in self.model.trace(texts)
            for number, several, scores, chances, known in zip(
                trace.predicted.tolist(),
                predicted_sets(trace, self.classes),
                trace.scores,
                trace.probabilities,
                trace.known_words.tolist(),
                strict=True,
            )
        ]

    def explain(
        self,
        texts: Sequence[str],
        ids: Sequence[str | None],
        deleted: Sequence[Sequence[int]],
        target: object = "predicted",
        against: str | None = None,
        method: str | None = None,
        phrases: bool = False,
        top_classes: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return the explanations as they are sent: the JSON form and the probabilities."""
        request = Request.of(self.model, target, method, against=against, top_classes=top_classes)
        if phrases:
            asked = Argument("phrases", True), Argument("phrases", False)
            check_phrases(request.method, self.model, *asked)
            request = replace(request, level=PHRASE)
        read = self._read(texts, self._most_words(request))
        gone = deleted if any(deleted) else None
        names = iter(ids)
        return [
            _contiguous(one.fields())
            | {
                "id": next(names),
                "predicted": one.predicted,
                "probabilities": chances,
                "conserved": one.conserved,
            }
            for trace, block in explain_blocks(request, read, deleted=gone)
            for one, chances in zip(block, trace.probabilities, strict=True)
        ]

    def _most_words(self, request: Request) -> int:
        kind = self.model.trace_kind
        if request.method.cost in _COSTLY and not kind.is_quick:
            return min(_SLOW_WORDS, self.limits.words)
        return self.limits.words

    @property
    def _word_length(self) -> int:
        """How many characters a word takes at least; with what parts it from the next, mostly."""
        by_spaces = isinstance(self.model, Reading) and self.model.reader_.tokenizer.rule == WORDS
        return 2 if by_spaces else 1

    def _read(self, texts: Sequence[str], most_words: int) -> Sequence[Text]:
        """Return the texts, as documents if their words had to be counted; raise if too long."""
        self._check_characters(texts)
        if sum(len(text) + 1 for text in texts) <= self._word_length * most_words:
            return texts  # too short to hold more
        documents = list(self.model.documents(texts))
        words = sum(map(len, documents))
        if words > most_words:
            raise InputError(
                *("the ", Argument("documents"), f" have {words:,} words together, this server "),
                f"explains {most_words:,} at a time; send fewer or shorter ones",
            )
        return documents

    def _check_characters(self, texts: Sequence[str]) -> None:
        for text in texts:
            if len(text) > self.limits.characters:
                raise InputError(
                    *("a ", Argument("text"), f" has {len(text):,} characters, this server reads "),
                    f"{self.limits.characters:,} at most",
                )


def _contiguous(fields: Row) -> Row:
    """Return the row with arrays as they can be encoded: one column of several is in steps."""
    steps = {name: fields[name] for name in ("relevance", "phrase_relevance") if name in fields}
    return fields | {name: np.ascontiguousarray(values) for name, values in steps.items()}
