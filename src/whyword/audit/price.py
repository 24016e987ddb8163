"""What a comparison costs: how often models are asked that are asked anew for every text."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence

from whyword.audit.changes_page import EXAMPLES
from whyword.audit.compare import (
    DELETION_DOCUMENTS,
    POWER_DOCUMENTS,
    RUNS,
    chosen_documents,
    named_models,
    shortest_lengths,
)
from whyword.audit.timing import TIMED_DOCUMENTS
from whyword.base.checks import strings
from whyword.evaluation.evaluate import usual_steps
from whyword.evaluation.ranking import RANDOM
from whyword.evaluation.steps import Steps, asked_texts, step_numbers
from whyword.methods.price import Clock, Price, Sample
from whyword.methods.registry import method_for
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.protocol import Embedded
from whyword.words.document import Document


def comparison_prices(
    models: Mapping[str, object] | Iterable[object],
    texts: Iterable[str],
    *,
    asked: Collection[str],
    method: str | None = None,
    deletion_documents: int = DELETION_DOCUMENTS,
    power_documents: int = POWER_DOCUMENTS,
    steps: Steps | None = None,
    least_words: int | None = None,
    runs: int = RUNS,
    seed: int = 0,
    clock: Clock = time.perf_counter,
) -> dict[str, Price]:
    """Return what :func:`~whyword.compare_models` costs at most, of some of the models.

    Parameters
    ----------
    models, texts, method, deletion_documents, power_documents, steps, least_words, runs, seed
        As for :func:`~whyword.compare_models`.
    asked : collection of str
        The names of those whose price is wanted: models that are asked anew.
    clock : callable
        Returns the time in seconds.
    """
    named, several = named_models(models), strings("texts", texts)
    if not several:
        return {}
    lengths = shortest_lengths(named, several)
    numbers = step_numbers(usual_steps(lengths) if steps is None else steps)
    least = 2 * int(numbers[-1]) if least_words is None else least_words
    chosen, long_enough, vectors = chosen_documents(
        lengths, least, deletion_documents, power_documents, seed
    )
    prices = {}
    for name in asked:
        model = named[name]
        able = method_for(model.trace_kind, method).is_for(model.trace_kind)
        request = Request.of(model, PREDICTED, method if able else RANDOM)
        documents = list(model.documents([several[number] for number in chosen]))
        of_order = asked_texts(numbers, max(map(len, documents))) if long_enough else 0
        most = len(several) + _of_sample(request, documents, of_order, runs, able)
        if able:
            pairs = len(named) - 1 if name == next(iter(named)) else 1
            most += _of_examples(request, model.documents(several), EXAMPLES * pairs)
        if issubclass(model.trace_kind, Embedded):
            most += len(vectors) * (1 + able * request.predictions(1))
        sample = Sample()
        for document in documents:
            sample.add(document, request)
        prices[name] = sample.price(request, most, at_most=True, clock=clock, anew=True)
    return prices


def _of_examples(request: Request, documents: Iterable[Document], most: int) -> int:
    """Return how often a model is asked at most to explain so many documents that changed."""
    return sum(sorted((request.predictions(len(one)) for one in documents), reverse=True)[:most])


def _of_sample(
    request: Request,
    documents: Sequence[Document],
    texts: int,
    runs: int,
    able: bool,
) -> int:
    """Return how often a model is asked at most for the documents whose words are looked at.

    They are timed; predicted and ranked, once for each word that is left out or, by other methods,
    for each experiment: one of documents that are right, two of those that are wrong. They are
    explained once more if they are right. Words are deleted if there are texts of each order.
    """
    explained = [request.predictions(len(document)) for document in documents]
    timed = slice(TIMED_DOCUMENTS + 1)
    if not able:
        return len(documents[timed])
    most = len(documents[timed]) + sum(explained[timed])
    if not texts:
        return most + sum(explained)  # they may all be right
    most += len(documents)
    anew = request.method.predicts_anew(request.model.trace_kind)
    by_chance = request.method.name == RANDOM
    for passes in explained:
        ranked = 0 if by_chance else passes - 1 if anew else passes
        orders = runs * texts + (0 if by_chance else texts)
        right = ranked + orders + passes
        wrong = orders + (0 if by_chance else texts + (ranked if anew else 2 * ranked))
        most += max(right, wrong)
    return most
