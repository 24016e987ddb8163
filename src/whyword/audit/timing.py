"""How long models take for one document, measured in turn: what slows the machine slows all."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from whyword.audit.rows import Times
from whyword.methods.explain import explain
from whyword.methods.price import Clock
from whyword.models.protocol import TextClassifier

TIMED_DOCUMENTS = 15


def measure_times(
    models: Mapping[str, TextClassifier],
    methods: Mapping[str, str | None],
    texts: Sequence[str],
    clock: Clock = time.perf_counter,
) -> dict[str, Times]:
    """Return how long each model takes for a prediction, and for an explanation.

    Every text is one call of its own. All models predict and explain it before the next, each time
    another of them first. The first text is not counted: models load what they need with it.

    Parameters
    ----------
    models : mapping from name to TextClassifier
    methods : mapping from name to str or None
        What explains it; None if nothing does.
    texts : sequence of str
        At least one; where there are several, the first is for that only.
    clock : callable
        Returns the time in seconds.
    """
    predictions: dict[str, list[float]] = {name: [] for name in models}
    explanations: dict[str, list[float]] = {name: [] for name in models}
    names = list(models)
    for number, text in enumerate(texts):
        turn = number % len(names)
        for name in [*names[turn:], *names[:turn]]:
            model, method = models[name], methods[name]
            predictions[name].append(_seconds(clock, _predict, model, text))
            if method is not None:
                explanations[name].append(_seconds(clock, _explain, model, text, method))
    skipped = min(1, len(texts) - 1)
    return {
        name: Times(
            median(predictions[name][skipped:]),
            median(explanations[name][skipped:]) if explanations[name] else None,
            len(texts) - skipped,
        )
        for name in names
    }


def _seconds(clock: Clock, ask: Callable[..., None], *given: object) -> float:
    start = clock()
    ask(*given)
    return clock() - start


def _predict(model: TextClassifier, text: str) -> None:
    for trace in model.trace([text]):
        _ = trace.probabilities


def _explain(model: TextClassifier, text: str, method: str) -> None:
    explain(model, text, method=method)
