"""The epochs of a training: which one is kept, and what is told on the way."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import share, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress, Progress
from whyword.corpora.split import hold_out

STAGE = "training"


def held_out_count(name: str, value: object) -> float:
    """Return the number or the share of documents to hold out; raise if it is unfit."""
    if isinstance(value, float | np.floating):
        return share(name, value)
    return whole_number(name, value, least=0)


def held_out_documents(value: float, classes: NDArray[np.intp], seed: int) -> NDArray[np.bool_]:
    """Return which documents are held out, (n,), in proportion to the classes.

    Parameters
    ----------
    value : int or float
        The ``validation`` of an estimator: a number or a share.
    classes : (n,) intp
    seed : int
    """
    if isinstance(value, float | np.floating):
        count = round(share("validation", value) * len(classes))
    else:
        count = whole_number("validation", value, least=0, most=len(classes) - 1)
    return hold_out(classes.tolist(), count, seed)


Kept = TypeVar("Kept", covariant=True)


@dataclass(frozen=True)
class Epoch:
    """An epoch that is done: its number, its mean loss, its accuracy on validation data."""

    number: int
    loss: float
    accuracy: float | None


class Training(Protocol[Kept]):
    """What is trained, an epoch at a time."""

    def epoch(self, on_share: "OnShare") -> float:
        """Train on every document once; return the mean loss."""

    def accuracy(self) -> float | None:
        """Return the accuracy on validation data, None if there are none."""

    def snapshot(self) -> Kept:
        """Return a copy of the parameters as they are now."""


class OnShare(Protocol):
    """What is called with the share of an epoch that is done, and the mean loss so far."""

    def __call__(self, share: float, loss: float) -> None:
        """Tell it."""


def best_epoch(
    training: Training[Kept], epochs: int, on_progress: OnProgress, patience: int | None = None
) -> tuple[Kept, Epoch]:
    """Train; return the parameters of the best epoch on the validation data (else the last).

    Parameters
    ----------
    training : Training
    epochs : int
    on_progress : callable
        Called while an epoch goes on, and after it.
    patience : int, optional
        After so many epochs without a better one, it ends.
    """
    best: tuple[Kept, Epoch] | None = None
    for number in range(1, epochs + 1):

        def tell(share: float, loss: float, number: int = number) -> None:
            done = (number - 1 + share) / epochs
            on_progress(
                Progress(STAGE, share=done, number=number, total=epochs, metrics={"loss": loss})
            )

        loss = training.epoch(tell)
        if not np.isfinite(loss):
            name = Argument("learning_rate")
            raise InputError(f"training diverged in epoch {number}; lower ", name)
        epoch = Epoch(number, loss, training.accuracy())
        on_progress(_progress(epoch, epochs))
        if best is None or (epoch.accuracy or 0) >= (best[1].accuracy or 0):
            best = training.snapshot(), epoch
        elif patience is not None and number - best[1].number >= patience:
            break
    if best is None:
        raise InputError(Argument("epochs"), " must be at least 1")
    return best


def _progress(epoch: Epoch, epochs: int) -> Progress:
    metrics = {"loss": epoch.loss}
    if epoch.accuracy is not None:
        metrics["validation accuracy"] = epoch.accuracy
    done = epoch.number / epochs
    return Progress(STAGE, share=done, number=epoch.number, total=epochs, metrics=metrics)
