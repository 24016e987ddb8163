"""What a search for strategies costs: how often a model is asked that is asked again and again."""

import time
from collections.abc import Iterable

import numpy as np

from whyword.audit.strategies import DOCUMENTS
from whyword.base.checks import strings
from whyword.methods.price import Clock, Price, Sample
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.protocol import Embedded


def strategies_price(
    model: object,
    texts: Iterable[str],
    *,
    method: str | None = None,
    documents: int = DOCUMENTS,
    clock: Clock = time.perf_counter,
) -> Price:
    """Return what :func:`~whyword.audit.strategies.strategies` costs at most.

    Every text is predicted. Those that are given the class, perhaps the longest, are explained, and
    once more for their vectors, if they have any.

    Parameters
    ----------
    model, texts, method, documents
        As for :func:`~whyword.audit.strategies.strategies`.
    clock : callable
        Returns the time in seconds.
    """
    request = Request.of(model, PREDICTED, method)
    sample, read = Sample(), request.model.documents(strings("texts", texts))
    each = -np.sort([-sample.add(document, request) for document in read])
    times = 2 if issubclass(request.model.trace_kind, Embedded) else 1
    most = len(each) + times * int(each[:documents].sum())
    return sample.price(request, most, at_most=True, clock=clock)
