"""Which predictions hang on which units: every document is predicted without each of them."""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.units import UnitGroups
from whyword.base.progress import OnProgress, Progress
from whyword.models.protocol import Erasable, Positions, TextClassifier, Trace
from whyword.models.word_groups import WordGroups
from whyword.words.document import Document

_NEAR = 1e-3  # of two scores: who is higher may be a matter of rounding


def predictions_without(
    model: TextClassifier,
    documents: Sequence[Document],
    units: UnitGroups,
    on_progress: OnProgress,
    stage: str,
) -> NDArray[np.int32]:
    """Return the class that each document is given without each of its units, (G,).

    They are those of predicting anew: where the two highest scores are so near that rounding
    might decide, the model is asked again.

    Parameters
    ----------
    model : TextClassifier
        With traces that are Erasable.
    documents : sequence of n Document
        The model's own.
    units : UnitGroups
    """
    found, done = [np.empty(0, np.int32)], 0
    for trace in model.trace(documents):
        groups = units.groups.between(done, done + len(trace))
        erasable = cast(Erasable, trace)
        if erasable.predicts_anew:  # these are its own answers
            found.append(erasable.predicted_without(groups).astype(np.int32))
        else:
            found.append(_by_scores(model, erasable, groups))
        done += len(trace)
        share = done / max(1, len(documents))
        on_progress(Progress(stage, n_documents=done, share=share))
    return np.concatenate(found)


def _by_scores(model: TextClassifier, trace: Erasable, groups: WordGroups) -> NDArray[np.int32]:
    """Return the classes with the highest scores, asked again where two are about equal, (G,)."""
    scores = trace.scores_without(groups)
    classes: NDArray[np.int32] = scores.argmax(axis=1).astype(np.int32)
    near = np.flatnonzero(_is_near(scores))
    for number, again in zip(near, _again(model, trace, groups, near), strict=True):
        classes[number] = again
    return classes


def _is_near(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return where the two highest scores are about equal, (G,)."""
    if scores.shape[1] < 2:
        return np.zeros(len(scores), np.bool_)
    second, first = np.partition(scores, -2, axis=1)[:, -2:].T
    near: NDArray[np.bool_] = first - second <= _NEAR * np.maximum(1.0, np.abs(first))
    return near


def _again(
    model: TextClassifier, trace: Trace, groups: WordGroups, chosen: NDArray[np.intp]
) -> Iterator[int]:
    """Yield the classes of documents without some groups, predicted anew."""
    owners = groups.owners[chosen].tolist()
    texts = [trace.documents[owner] for owner in owners]
    gone: Iterator[Positions] = iter(
        [
            groups.positions[groups.starts[n] : groups.starts[n + 1]].astype(np.intp)
            for n in chosen.tolist()
        ]
    )
    for again in model.trace(texts, deleted=gone):
        yield from again.predicted.tolist()
