"""A corpus as a model sees it: predictions, class words, map, search, confusions."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.document_map import project
from whyword.analysis.search import Carrier, Hit, SearchIndex
from whyword.analysis.word_statistics import Units, units_of
from whyword.base.errors import InputError
from whyword.base.labels import Label
from whyword.base.printable import storable
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.source import Record
from whyword.methods.explain import explain, iter_explanations
from whyword.methods.predict import predict_documents
from whyword.methods.price import Clock, Price, price_by
from whyword.methods.request import PHRASE, WORD
from whyword.methods.targets import class_number
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import Embedded, TextClassifier
from whyword.web.judged import Judged
from whyword.web.what_if import what_if_answer
from whyword.web.word_lists import WordLists
from whyword.words.document import Document

_MOST_POINTS = 20_000  # of the map: more are drawn as specks anyway
_BEGINNING = 160  # characters of a text in a list
_STRONGEST = 8  # words that stand for a document
_AROUND = 100  # characters on each side of a word
_NO_VECTORS = "this model's documents have no vectors"
_COMPARED = 300  # documents among which a word's strongest are looked for


class UnknownDocumentError(InputError):
    """There is no document of this number."""


@dataclass(frozen=True, eq=False)
class Library:
    """Documents, and all that is known of them beforehand.

    Attributes
    ----------
    model : TextClassifier
    name : str
    ids, texts : lists of str
    judged : Judged
        Their labels and predictions.
    lists : WordLists
        The words of its classes.
    index : SearchIndex or None
        None if the model's documents have no vectors.
    points : (documents, 2) float64, or None
        The map, between 0 and 1.
    share : float
        Of the variance that the map shows.
    """

    model: TextClassifier
    name: str
    ids: list[str]
    texts: list[str]
    judged: Judged
    lists: WordLists
    index: SearchIndex | None
    points: NDArray[np.float64] | None
    share: float

    def __len__(self) -> int:
        return len(self.texts)

    # ---- the whole ----------------------------------------------------------------------------

    def about(self) -> dict[str, Any]:
        """Return the corpus in figures."""
        return {
            "name": self.name,
            "documents": len(self),
            "labelled": self.judged.n_labelled,
            "accuracy": self.judged.accuracy,
            "vectors": self.index is not None,
        }

    def map(self) -> dict[str, Any]:
        """Return the documents as points, evenly chosen if they are too many."""
        if self.points is None:
            raise InputError(f"there is no map: {_NO_VECTORS}")
        step = -(-len(self) // _MOST_POINTS)
        chosen = range(0, len(self), step)
        return {
            "documents": len(self),
            "numbers": list(chosen),
            "points": np.round(self.points[::step], 4).astype(np.float32),
            "ids": [self.ids[number] for number in chosen],
            "classes": self.judged.classes,
            **self.judged.groups(chosen),
            "share": self.share,
        }

    def confusion(self) -> dict[str, Any]:
        """Return how often each label was predicted as each class."""
        return self.judged.confusion()

    # ---- documents ----------------------------------------------------------------------------

    def document(self, number: int) -> dict[str, Any]:
        """Return one document whole, with its strongest words for the class predicted."""
        if not 0 <= number < len(self):
            raise UnknownDocumentError(f"there is no document {number}, only 0 … {len(self) - 1}")
        one = explain(self.model, self.texts[number])
        strongest = [(word, value) for word, value in one.as_list() if value > 0][:_STRONGEST]
        return self._entry(number) | {"text": self.texts[number], "strongest": strongest}

    def documents(
        self, label: str | None, predicted: str | None, offset: int, limit: int
    ) -> dict[str, Any]:
        """Return those with this label and this prediction, the surest predictions first."""
        numbers = self.judged.select(label, predicted)
        shown = numbers[offset : offset + limit].tolist()
        return {
            "found": len(numbers),
            "documents": [self._entry(n) | {"text": self.texts[n]} for n in shown],
        }

    def _entry(self, number: int) -> dict[str, Any]:
        return {
            "number": number,
            "id": self.ids[number],
            "label": self.judged.labels[number],
            "predicted": self.judged.prediction(number),
            "probability": float(self.judged.chances[number]),
            "beginning": " ".join(self.texts[number][: 2 * _BEGINNING].split())[:_BEGINNING],
        }

    # ---- words --------------------------------------------------------------------------------

    def class_words(
        self,
        target: str | None,
        top: int,
        rank: str = "typical",
        units: str = "words",
        symbols: bool = False,
    ) -> dict[str, Any]:
        """Return the words of one class, or of all."""
        words = self.lists.choose(units, rank, symbols)
        labels = list(words) if target is None else [self._class(target)]
        return {
            "documents": words.n_documents,
            "rank": rank,
            "units": units,
            "choices": list(self.lists.places),
            "symbols": self.lists.has_symbols(units),
            "classes": [
                {
                    "target": label,
                    "words": [
                        entry._asdict() | {"document": int(entry.document)}
                        for entry in words[label][:top]
                    ],
                }
                for label in labels
            ],
        }

    def word_documents(
        self, target: str, word: str, top: int, units: str = "words"
    ) -> dict[str, Any]:
        """Return the documents in which a class word speaks most for its class."""
        label = self._class(target)
        key, numbers = word.lower(), self.lists.documents_of(word, units)
        step = -(-len(numbers) // _COMPARED)
        some = sorted({*numbers[::step], *self.lists.strongest(label, key, units)})
        level = PHRASE if units == "phrases" else WORD
        texts = [self.texts[n] for n in some]
        explanations = list(iter_explanations(self.model, texts, [label], level=level))
        of = [units_of(one, units) for one in explanations]
        found = [_strongest_place(each, key) for each in of]
        values = [each.values[place, 0] for each, place in zip(of, found, strict=True)]
        order = np.argsort(-np.array(values), kind="stable")[:top].tolist()
        return {
            "found": len(numbers),
            "compared": len(some),
            "documents": [
                self._entry(some[n])
                | {"relevance": float(values[n])}
                | _around(explanations[n].text, *of[n].spans[found[n]].tolist())
                for n in order
            ],
        }

    def _class(self, name: str) -> Label:
        return self.judged.classes[class_number(self.judged.classes, name)]

    def what_if(self, words: Sequence[str], seconds: float = math.inf) -> dict[str, Any]:
        """Return what becomes of predictions when the model does not read some words."""
        return what_if_answer(self.model, self.ids, self.texts, self.judged, words, seconds)

    # ---- search -------------------------------------------------------------------------------

    def search(self, query: str, top: int) -> dict[str, Any]:
        """Return the nearest documents, and what each word carries of the similarity."""
        if self.index is None:
            raise InputError(f"nothing can be searched: {_NO_VECTORS}")
        hits = self.index.search(query, top)
        said, *texts = self.model.documents([query, *(hit.text for hit in hits)])
        return {"hits": [self._hit(hit, said, text) for hit, text in zip(hits, texts, strict=True)]}

    def _hit(self, hit: Hit, query: Document, text: Document) -> dict[str, Any]:
        return self._entry(int(hit.id)) | {
            "similarity": hit.similarity,
            "query": _carried(query, hit.query_words),
            "text": _carried(text, hit.words),
        }


def _carried(document: Document, carriers: Sequence[Carrier]) -> dict[str, Any]:
    """Return a text, and what each of its words carries of the similarity."""
    carried = np.zeros(len(document))
    for carrier in carriers:
        carried[carrier.position] += carrier.similarity
    return {
        "text": document.text,
        "words": document.words,
        "spans": document.spans,
        "carried": carried,
    }


def _strongest_place(units: Units, word: str) -> int:
    """Return which of the units is the occurrence that speaks most for the target."""
    return max(
        (n for n, own in enumerate(units.names) if own == word),
        key=lambda n: float(units.values[n, 0]),
    )


def _around(text: str, start: int, end: int) -> dict[str, str]:
    return {
        "before": text[max(0, start - _AROUND) : start],
        "said": text[start:end],
        "after": text[end : end + _AROUND],
    }


def open_library(
    model: object,
    records: Sequence[Record],
    name: str,
    on_progress: OnProgress | None = None,
) -> Library:
    """Prepare a corpus.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    records : sequence of Record
        At least 3.
    name : str
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress` as each stage begins.
    """
    if len(records) < 3:
        raise InputError(f"{name}: a corpus to look at needs 3 documents, not {len(records)}")
    traced = as_classifier(model)
    classes = labels_of(traced)
    texts = [storable(record.text) for record in records]
    report = on_progress or ignore
    report(Progress(f"predicting {len(texts):,} documents"))
    predictions = list(predict_documents(model, records))
    report(Progress("finding the classes' words"))
    lists = WordLists.of(model, texts)
    index, points, share = None, None, 0.0
    if issubclass(traced.trace_kind, Embedded):
        report(Progress("preparing the search"))
        index = SearchIndex(model, texts)
        report(Progress("drawing the map"))
        points, share = _map_of(index)
        index.prepare()
    return Library(
        model=traced,
        name=name,
        ids=[storable(record.id) for record in records],
        texts=texts,
        judged=Judged.of(classes, [record.label for record in records], predictions),
        lists=lists,
        index=index,
        points=points,
        share=share,
    )


def library_price(
    model: object, records: Sequence[Record], clock: Clock = time.perf_counter
) -> Price:
    """Return what :func:`open_library` costs: predictions, explanations for words and search."""
    explained = price_by(clock, model, (record.text for record in records))
    each = explained.seconds / max(1, explained.predictions)
    if issubclass(as_classifier(model).trace_kind, Embedded):
        explained += explained
    return explained + Price(len(records), len(records) * each)


def _map_of(index: SearchIndex) -> tuple[NDArray[np.float64], float]:
    """Return the documents as points between 0 and 1, and the share of the variance they show."""
    points, share = project(index.vectors)
    low, high = points.min(axis=0), points.max(axis=0)
    size = max(float((high - low).max()), 1e-12)  # the same scale both ways
    return (points - (low + high) / 2) / size + 0.5, share or 0.0
