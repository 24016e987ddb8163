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

    def prolonged(self, steps: int) -> "Trajectories":
        """Return trajectories of so many steps: the last ones change nothing."""
        more = ((0, 0), (0, 0), (0, steps + 1 - self.correct.shape[2]))
        return Trajectories(
            self.chosen,
            np.pad(self.correct, more, "edge"),
            np.pad(self.scores, more, "edge"),
            np.pad(self.probabilities, more, "edge"),
            None if self.opposite is None else np.pad(self.opposite, more, "edge"),
        )


def trajectories_of(
    chosen: NDArray[np.intp],
    erased: Erased,
    opposite: Erased | None,
    truth: NDArray[np.intp],
    targets: NDArray[np.int32],
) -> Trajectories:
    """Return the trajectories of n documents."""
    return Trajectories(
        chosen,
        np.moveaxis(erased.scores.argmax(axis=3) == truth[:, None, None], 0, 1),
        _of_target(erased.scores, targets),
        _of_target(erased.probabilities, targets),
        None if opposite is None else _of_target(opposite.probabilities, targets),
    )


def _of_target(values: NDArray[np.float64], targets: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the targets' values of all classes', (R, n, K + 1)."""
    column = targets.astype(np.intp)[:, None, None, None]
    chosen = np.take_along_axis(values, column, axis=3)[..., 0]
    return np.moveaxis(chosen, 0, 1).astype(np.float32)


def concatenate(parts: list[Trajectories]) -> Trajectories:
    """Return those of some documents after those of others."""
    opposite = [part.opposite for part in parts if part.opposite is not None]
    return Trajectories(
        np.concatenate([part.chosen for part in parts]),
        np.concatenate([part.correct for part in parts], axis=1),
        np.concatenate([part.scores for part in parts], axis=1),
        np.concatenate([part.probabilities for part in parts], axis=1),
        np.concatenate(opposite, axis=1) if opposite else None,
    )
