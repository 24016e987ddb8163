"""What a search for suspects costs: how often a model is asked that is asked for every text."""

import time

import numpy as np

from whyword.audit.suspicion.candidates import LEAST
from whyword.audit.suspicion.examples import EXPLAINED
from whyword.audit.suspicion.found import EXAMPLES
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.search import MOST_ASKED, search_inputs, units_of
from whyword.corpora.corpus import Corpus
from whyword.methods.price import Clock, Price, Sample


def suspects_price(
    model: object,
    corpus: Corpus,
    *,
    method: str | None = None,
    least_documents: int = LEAST,
    clock: Clock = time.perf_counter,
) -> Price:
    """Return what :func:`~whyword.suspects` costs at most, of a model that is asked anew.

    Every text is explained, predicted again, and predicted without each of the units that are
    tried; those that stand in most documents may be. The examples are explained once more.

    Parameters
    ----------
    model, corpus, method, least_documents
        As for :func:`~whyword.suspects`.
    clock : callable
        Returns the time in seconds.
    """
    request, asked = search_inputs(model, corpus, None, method)
    sample, found = Sample(), Occurrences.of(request.model.documents(asked.texts))
    each = -np.sort([-sample.add(document, request) for document in found.documents])
    units = units_of(found, asked.known, len(request.target.labels), least_documents)
    documents = -np.sort(-np.bincount(units.numbers))
    without = documents[documents >= least_documents][:MOST_ASKED].sum()
    explained = each.sum() + each[: EXAMPLES * EXPLAINED].sum()
    most = int(len(found) + without + explained)
    return sample.price(request, most, at_most=True, clock=clock, anew=True)
