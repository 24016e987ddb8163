"""What if the model had not read some words: its predictions of the corpus, before and after."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from whyword.audit.changes import Change, turn_order
from whyword.audit.what_if import what_if
from whyword.audit.what_if_result import WhatIf
from whyword.base.progress import OnProgress, Progress
from whyword.models.protocol import TextClassifier
from whyword.web.gate import TooLongError
from whyword.web.judged import Judged

MOST_CHANGES = 200  # documents that are listed


def what_if_answer(
    model: TextClassifier,
    ids: Sequence[str],
    texts: Sequence[str],
    judged: Judged,
    words: Sequence[str],
    seconds: float,
) -> dict[str, Any]:
    """Return what becomes of predictions, as it is sent.

    Documents whose labels are no classes of the model change, too, but nobody can say whether that
    is right.

    Parameters
    ----------
    model : TextClassifier
    ids, texts : sequences of str
    judged : Judged
        What the model says of them already.
    words : sequence of str
    seconds : float
        After which it is given up.
    """
    truths = [judged.truth(number) for number in range(len(texts))]
    known = [number for number, true in enumerate(truths) if true is not None]
    others = [number for number, true in enumerate(truths) if true is None]
    within = _within(seconds)
    answered: list[tuple[list[int], WhatIf]] = []
    for numbers, has_truth in ((known, True), (others, False)):
        if numbers:
            found = what_if(
                model,
                words,
                [texts[number] for number in numbers],
                [truths[number] for number in numbers] if has_truth else None,
                before=judged.outputs[numbers],
                on_progress=within,
            )
            answered.append((numbers, found))
    changes = [
        one._replace(document=numbers[one.document])
        for numbers, found in answered
        for one in found.changes
    ]
    return {
        "words": answered[0][1].words,
        "documents": len(texts),
        "with_words": sum(len(found.documents) for _, found in answered),
        "changed": len(changes),
        "accuracy": _accuracy(answered[0][1]),
        "changes": [
            {
                "number": number,
                "id": ids[number],
                **dict(zip(Change._fields[1:], said, strict=True)),
            }
            for number, *said in sorted(changes, key=turn_order)[:MOST_CHANGES]
        ],
    }


def _accuracy(found: WhatIf) -> dict[str, Any] | None:
    """Return how good predictions are before and after; None if nobody knows."""
    intervals, compared = found.intervals, found.accuracy
    if intervals is None or compared is None:
        return None
    return {
        "documents": found.n_documents,
        "before": compared.values[0],
        "after": compared.values[1],
        "before_interval": intervals[0],
        "after_interval": intervals[1],
        "p": compared.p,
        "alpha": found.alpha,
        "turns": found.turns,
    }


def _within(seconds: float, clock: Callable[[], float] = time.monotonic) -> OnProgress:
    """Return what to call as the work goes on: it raises once the time is over."""
    end = clock() + seconds

    def check(_: Progress) -> None:
        if clock() > end:  # nobody waits for the answer any more
            raise TooLongError(f"the answer was not ready after {seconds:g} s; name fewer words")

    return check
