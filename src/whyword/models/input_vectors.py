"""The word vectors that a network reads: which ones its user named."""

from collections.abc import Sequence
from pathlib import Path

from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress
from whyword.vectors.vectors import Vectors
from whyword.words.document import Document


def input_vectors(
    given: object,
    documents: Sequence[Document],
    seed: int,
    on_progress: OnProgress | bool | None,
) -> Vectors:
    """Return the vectors that an estimator's argument names; raise if it names none.

    Parameters
    ----------
    given : Vectors, str, Path or None
        None takes :meth:`Vectors.for_texts`.
    documents : list of Document
        Of the training, with all their words.
    seed, on_progress
        As for :meth:`Vectors.for_texts`.
    """
    if isinstance(given, Vectors):
        return given
    if given is None:
        return Vectors.for_texts(documents, seed=seed, on_progress=on_progress)
    if not isinstance(given, str | Path):
        kind = type(given).__name__
        raise InputError(Argument("vectors"), f" takes Vectors or a path, not {kind}")
    return Vectors.load(given)


def vectors_record(given: object) -> str:
    """Return what a training records of the vectors that it was given."""
    return "GloVe 50d + CBOW" if given is None else str(given)
