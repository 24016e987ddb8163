"""What explanations cost: how often the model is asked, and how long that takes."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappush, heappushpop
from itertools import count, cycle, islice

import numpy as np

from whyword.methods.explain import check_texts
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.erasure import text_without
from whyword.words.document import Document, Text

Clock = Callable[[], float]

_LARGEST = 64  # texts that are asked about at a time, as occlusion does
_ENOUGH = 0.5  # seconds of measuring
_SHARE = 32  # of the predictions, one in so many may be asked to measure,
_SEVERAL = 16  # but two of so many already: the first may be slow
_UNITS = ((1, "s"), (60, "min"), (3_600, "h"), (86_400, "days"))


@dataclass(frozen=True)
class Price:
    """What something costs.

    Attributes
    ----------
    predictions : int
        How many texts the model is asked about.
    seconds : float
        How long that takes, as far as can be foreseen.
    at_most : bool
        Whether it may be fewer: what is asked depends on the answers.
    """

    predictions: int
    seconds: float
    at_most: bool = False

    def __add__(self, other: "Price") -> "Price":
        return Price(
            self.predictions + other.predictions,
            self.seconds + other.seconds,
            self.at_most or other.at_most,
        )

    @property
    def duration(self) -> str:
        """The seconds for people: "about 3 min"."""
        size, unit = max(one for one in _UNITS if one[0] == 1 or self.seconds >= 1.5 * one[0])
        rough = f"about {self.seconds / size:,.0f} {unit}"
        return rough if self.seconds >= 1 else "less than a second"

    def __str__(self) -> str:
        most = "at most " if self.at_most else ""
        return f"{most}{self.predictions:,} predictions, {self.duration}"


def price(
    model: object,
    texts: Iterable[str],
    method: str | None = None,
    **parameters: float | str,
) -> Price:
    """Return what explanations of texts cost, before it is paid.

    Of a black box, occlusion asks for a prediction of each text, and one more for each of its
    words; integrated gradients go through a network once for each step. The time is measured on a
    few of these very texts: two, and more, to one prediction in 32, while that takes less than half
    a second.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    texts : iterable of str
        Read once; a few are kept.
    method, **parameters
        As for :func:`~whyword.explain`.

    Examples
    --------
    ::

        print(price(model, texts))  # 12,340 predictions, about 3 min
    """
    return price_by(time.perf_counter, model, texts, method, **parameters)


def price_by(
    clock: Clock,
    model: object,
    texts: Iterable[str],
    method: str | None = None,
    **parameters: float | str,
) -> Price:
    """Return what :func:`price` does, by a clock that returns the time in seconds."""
    request = Request.of(model, PREDICTED, method, parameters=parameters)
    sample, predictions = Sample(), 0
    for document in request.model.documents(check_texts(texts)):
        predictions += sample.add(document, request)
    return sample.price(request, predictions, clock=clock)


class Sample:
    """Documents by chance, a longer one more likely, as its words are asked for more often."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._kept: list[tuple[float, int, Document]] = []  # the highest numbers, a heap
        self._number = count()

    def add(self, document: Document, request: Request) -> int:
        """Return how many predictions an explanation of the document takes; perhaps keep it."""
        predictions = request.predictions(len(document))
        entry = (self._random.random() ** (1 / predictions), next(self._number), document)
        if len(self._kept) < _LARGEST:
            heappush(self._kept, entry)
        else:
            heappushpop(self._kept, entry)
        return predictions

    def price(
        self,
        request: Request,
        predictions: int,
        at_most: bool = False,
        clock: Clock = time.perf_counter,
        anew: bool | None = None,
    ) -> Price:
        """Return what so many predictions of such documents cost, measured on the sample.

        Parameters
        ----------
        request : Request
        predictions : int
        at_most : bool
            Whether it may be fewer.
        clock : callable
            Returns the time in seconds.
        anew : bool, optional
            Whether they are of texts without some words, not explanations; by default so if the
            request's method asks for such.
        """
        if not self._kept or not predictions:
            return Price(predictions, 0.0, at_most)
        if anew is None:
            anew = request.method.predicts_anew(request.model.trace_kind)
        at_once = 1 if anew else request.predictions(1)  # of a text that is explained
        documents = [document for _, _, document in self._kept]
        texts = _texts_without_a_word(documents) if anew else cycle(documents)

        def ask(some: list[Text]) -> None:
            for _ in request.model.trace(some) if anew else request.answers(some):
                pass

        asked = predictions / at_once
        seconds = asked * _seconds_each(ask, texts, math.ceil(asked), clock)
        return Price(predictions, seconds, at_most)


def _texts_without_a_word(documents: list[Document]) -> Iterator[str]:
    """Yield what occlusion asks about: the documents in turn, each time without another word."""
    for word in count():
        for document in documents:
            gone = np.zeros(len(document), np.bool_)
            gone[word % max(1, len(document)) :][:1] = True
            yield text_without(document, gone)


def _seconds_each(
    ask: Callable[[list[Text]], None], texts: Iterator[Text], predictions: int, clock: Clock
) -> float:
    """Return how long a prediction takes: in ever larger portions, the last of which counts.

    The first one may be long, since a model may load what it needs.
    """
    asked, spent, each = 0, 0.0, 0.0
    most = max(predictions // _SHARE, 2 if predictions >= _SEVERAL else 1)
    for size in (1, *(2**power for power in range(_LARGEST.bit_length()))):
        if asked + size > most or (asked > 1 and spent >= _ENOUGH):
            break
        some = list(islice(texts, size))
        start = clock()
        ask(some)
        seconds = clock() - start
        asked, spent, each = asked + size, spent + seconds, seconds / size
    return each
