"""What a tour costs: how often a model is asked that is asked anew for every text."""

import time

import numpy as np

from whyword.corpora.corpus import Part
from whyword.evaluation.price import evaluation_predictions
from whyword.methods.price import Clock, Price, Sample
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.blackbox import labels_of
from whyword.reports.tour import RUNS, SHOWN, TOP_WORDS, compared_methods, some_of


def tour_price(model: object, test: Part, few: int, *, clock: Clock = time.perf_counter) -> Price:
    """Return what :func:`~whyword.reports.tour.write_tour` costs at most, asked anew each time.

    Every text is predicted twice, to judge the model and to choose heatmaps, and explained for its
    words; some are explained again, for the page of words and as heatmaps; some are evaluated on.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    test : Part
    few : int
        As for :func:`~whyword.reports.tour.write_tour`.
    clock : callable
        Returns the time in seconds.
    """
    request = Request.of(model, PREDICTED)
    sample, documents = Sample(), list(request.model.documents(test.texts))
    each = -np.sort(-np.array([sample.add(document, request) for document in documents], int))
    again = TOP_WORDS * len(labels_of(request.model))  # a document for each word
    explained = each.sum() + each[:again].sum() + each[: 2 * SHOWN].sum()
    chosen = list(request.model.documents(some_of(test, few, seed=0).texts))
    names = compared_methods(request.model)
    evaluated = evaluation_predictions(request.model, chosen, names, runs=RUNS)
    predictions = 2 * len(documents) + int(explained) + evaluated
    return sample.price(request, predictions, at_most=True, clock=clock, anew=True)
