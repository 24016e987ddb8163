"""What became of documents while their words went, before it is a curve."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.models.protocol import Erased


class Trajectories(NamedTuple):
    """Of some documents: the fields of DeletionCurve from `chosen` on."""

    chosen: NDArray[np.intp]
    correct: NDArray[np.bool_]
    scores: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    opposite: NDArray[np.float32] | None
    targets: NDArray[np.int32]

    def at(self, places: NDArray[np.intp]) -> "Trajectories":
        """Return trajectories through these of the steps, in which one may stand repeatedly."""
        return Trajectories(
            self.chosen,
            self.correct[:, :, places],
            self.scores[:, :, places],
            self.probabilities[:, :, places],
            None if self.opposite is None else self.opposite[:, :, places],
            self.targets,
        )


def trajectories_of(
    chosen: NDArray[np.intp],
    erased: Erased,
    opposite: Erased | None,
    right: NDArray[np.bool_],
    targets: NDArray[np.int32],
) -> Trajectories:
    """Return the trajectories of n documents.

    Parameters
    ----------
    chosen : (n,) intp
    erased, opposite : Erased
    right : (n, R, S) bool
        Whether the model was right at each of the steps.
    targets : (n,) int32
    """
    return Trajectories(
        chosen,
        np.moveaxis(right, 0, 1),
        _of_target(erased.scores, targets),
        _of_target(erased.probabilities, targets),
        None if opposite is None else _of_target(opposite.probabilities, targets),
        targets,
    )


def target_values(values: NDArray[np.float64], targets: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the targets' values of all classes', (n, R, S)."""
    column = targets.astype(np.intp)[:, None, None, None]
    chosen: NDArray[np.float64] = np.take_along_axis(values, column, axis=3)[..., 0]
    return chosen


def _of_target(values: NDArray[np.float64], targets: NDArray[np.int32]) -> NDArray[np.float32]:
    return np.moveaxis(target_values(values, targets), 0, 1).astype(np.float32)


def concatenate(parts: list[Trajectories]) -> Trajectories:
    """Return those of some documents after those of others."""
    opposite = [part.opposite for part in parts if part.opposite is not None]
    return Trajectories(
        np.concatenate([part.chosen for part in parts]),
        np.concatenate([part.correct for part in parts], axis=1),
        np.concatenate([part.scores for part in parts], axis=1),
        np.concatenate([part.probabilities for part in parts], axis=1),
        np.concatenate(opposite, axis=1) if opposite else None,
        np.concatenate([part.targets for part in parts]),
    )
