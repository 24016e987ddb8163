"""What an evaluation costs: how often a model is asked that is asked anew for every text."""

import time
from collections.abc import Iterable

import numpy as np

from whyword.base.checks import strings
from whyword.evaluation.decisions import WRONG
from whyword.evaluation.evaluate import SANITY_DOCUMENTS, usual_steps
from whyword.evaluation.experiment import EXPERIMENTS
from whyword.evaluation.ranking import RANDOM, RANDOM_KNOWN, compared_methods, named_methods
from whyword.evaluation.steps import Steps, asked_texts, step_numbers
from whyword.methods.price import Clock, Price, Sample
from whyword.methods.registry import METHODS, Cost, Method
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.abilities import Trained
from whyword.models.protocol import ElementWise, Embedded, TextClassifier
from whyword.words.document import Document

_SIDES = 2  # words go, and come


def evaluation_price(
    model: object,
    texts: Iterable[str],
    methods: Iterable[str] | None = None,
    *,
    train: bool = False,
    steps: Steps | None = None,
    least_words: int | None = None,
    runs: int = 10,
    clock: Clock = time.perf_counter,
) -> Price:
    """Return what :func:`~whyword.evaluate` costs at most, of a model that is asked anew.

    Parameters
    ----------
    model, texts, methods, steps, least_words, runs
        As for :func:`~whyword.evaluate`.
    train : bool
        Whether copies of training texts are looked for, which are predicted again.
    clock : callable
        Returns the time in seconds.
    """
    request = Request.of(model, PREDICTED)
    sample, documents = Sample(), list(request.model.documents(strings("texts", texts)))
    for document in documents:
        sample.add(document, request)
    names = list(named_methods(compared_methods(model) if methods is None else methods))
    most = evaluation_predictions(request.model, documents, names, steps, least_words, runs)
    most += train * len(documents)
    return sample.price(request, most, at_most=True, clock=clock, anew=True)


def evaluation_predictions(
    model: TextClassifier,
    documents: list[Document],
    methods: list[str],
    steps: Steps | None = None,
    least_words: int | None = None,
    runs: int = 10,
) -> int:
    """Return how often :func:`~whyword.evaluate` asks a model at most: if it is never right.

    Every text is predicted to judge the model, and again for the experiments, which share what they
    find out: a text without each of its words, for all targets, and a random order, for both
    experiments on texts that were predicted wrong. Who has no vocabulary knows all words that are
    read, so that there both random orders are the same. Methods that leave out no words explain
    texts for the experiments, the documents' vectors and the sanity checks.
    """
    if not documents:
        return 0
    lengths = np.array([len(document) for document in documents])
    numbers = step_numbers(usual_steps(lengths) if steps is None else steps)
    least = 2 * int(numbers[-1]) if least_words is None else least_words
    fit = int(np.sum(lengths >= least))
    texts = asked_texts(numbers, int(lengths.max()))  # of each order
    wrong = len([one for one in EXPERIMENTS.values() if one["subset"] == WRONG])
    chance = {name for name in methods if name in (RANDOM, RANDOM_KNOWN)}
    by_method = [name for name in methods if name not in chance]
    all_known = not isinstance(model, Trained) and not any(len(one.unread) for one in documents)
    orders = min(len(chance), 1 if all_known else 2) * runs + len(by_method) * _SIDES * wrong
    ranked = any(METHODS[name].cost is Cost.PER_WORD for name in by_method)
    without_each = int(lengths.sum()) if ranked and fit else 0
    explained = wrong * fit + _explanations_beside(model, len(documents))
    passes = sum(_passes(model, METHODS[name]) for name in by_method)
    return 2 * len(documents) + without_each + fit * orders * texts + explained * passes


def _explanations_beside(model: TextClassifier, documents: int) -> int:
    """Return how many explanations by each method there are beside those of the experiments."""
    kind = model.trace_kind
    vectors = issubclass(kind, Embedded) + issubclass(kind, ElementWise)
    shuffled = 2 * len(model.shuffled_layers) if isinstance(model, Trained) else 0
    return vectors * documents + shuffled * min(documents, SANITY_DOCUMENTS)


def _passes(model: TextClassifier, method: Method) -> int:
    """Return how often the model is asked for an explanation, if no words are left out for it."""
    kind = model.trace_kind
    per_word = method.cost is Cost.PER_WORD or not method.is_for(kind)
    return 0 if per_word else method.passes(kind, method.settings(kind, {}))
