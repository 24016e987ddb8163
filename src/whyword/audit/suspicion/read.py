"""What a model says of many documents, and by which words: all that suspicion starts from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.audit.suspicion.occurrences import Occurrences
from whyword.base.progress import OnProgress, Progress
from whyword.methods.request import Request
from whyword.words.document import Document


@dataclass(frozen=True, eq=False)
class ReadDocuments:
    """n documents as a model reads them.

    Attributes
    ----------
    occurrences : Occurrences
        Of their N words.
    predicted : (n,) intp
        The number of each document's predicted class.
    shares : (N,) float64
        Of each word's relevance for that class, in the document's positive relevance.
    """

    occurrences: Occurrences
    predicted: NDArray[np.intp]
    shares: NDArray[np.float64]


def read_documents(
    request: Request, texts: Sequence[str], on_progress: OnProgress, stage: str
) -> ReadDocuments:
    """Return what the request's model says of texts, and the share of each word in it."""
    documents: list[Document] = []
    predicted, shares = [np.empty(0, np.intp)], [np.empty(0)]
    for trace, targets, relevance in request.answers(texts):
        documents.extend(trace.documents)
        predicted.append(targets[:, 0].astype(np.intp))
        shares.extend(_shares(words[:, 0]) for words in relevance.words)
        share = len(documents) / max(1, len(texts))
        on_progress(Progress(stage, n_documents=len(documents), share=share))
    return ReadDocuments(
        Occurrences.of(documents), np.concatenate(predicted), np.concatenate(shares)
    )


def _shares(relevance: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return what part of a document's positive relevance each word has, (T,)."""
    values = relevance.astype(np.float64)
    total = values[values > 0].sum()
    return values / total if total > 0 else np.zeros(len(values))
