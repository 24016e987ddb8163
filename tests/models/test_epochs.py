"""Which epoch of a training is kept."""

from collections.abc import Sequence

import numpy as np
import pytest

from whyword import InputError
from whyword.base.progress import Progress
from whyword.models.epochs import OnShare, best_epoch, held_out_count, held_out_documents


class Told:
    """A training whose losses and accuracies are known beforehand."""

    def __init__(
        self, accuracies: Sequence[float | None], losses: Sequence[float] | None = None
    ) -> None:
        self.accuracies, self.losses, self.number = accuracies, losses, 0

    def epoch(self, on_share: OnShare) -> float:
        self.number += 1
        on_share(0.5, 2.0)
        return 1.0 if self.losses is None else self.losses[self.number - 1]

    def accuracy(self) -> float | None:
        return self.accuracies[self.number - 1]

    def snapshot(self) -> int:
        return self.number


@pytest.mark.parametrize(
    ("accuracies", "patience", "kept", "trained"),
    [
        ([0.1, 0.3, 0.2], None, 2, 3),
        ([0.3, 0.3, 0.2], None, 2, 3),  # of equals the last
        ([None, None, None], None, 3, 3),
        ([0.3, 0.2, 0.4], 1, 1, 2),
        ([0.3, 0.2, 0.4], 2, 3, 3),
    ],
)
def test_the_best_epoch_is_kept(
    accuracies: list[float | None], patience: int | None, kept: int, trained: int
) -> None:
    training = Told(accuracies)
    state, epoch = best_epoch(training, 3, lambda _: None, patience)
    assert (state, epoch.number, training.number) == (kept, kept, trained)


def test_it_is_told_how_far_it_is() -> None:
    events: list[Progress] = []
    best_epoch(Told([0.5, 0.6]), 2, events.append)
    assert [one.share for one in events] == [0.25, 0.5, 0.75, 1.0]
    assert [one.number for one in events] == [1, 1, 2, 2]
    assert events[0].metrics == {"loss": 2.0}
    assert events[-1].metrics == {"loss": 1.0, "validation accuracy": 0.6}


def test_what_diverges_is_said() -> None:
    with pytest.raises(InputError, match="diverged in epoch 2; lower learning_rate"):
        best_epoch(Told([0.5] * 3, [1.0, np.nan, 1.0]), 3, lambda _: None)
    with pytest.raises(InputError, match="epochs must be at least 1"):
        best_epoch(Told([]), 0, lambda _: None)


def test_documents_are_held_out_by_number_or_share() -> None:
    classes = np.repeat([0, 1], 50)
    assert held_out_documents(0.2, classes, 0).sum() == 20
    assert held_out_documents(7, classes, 0).sum() == 7
    assert not held_out_documents(0, classes, 0).any()
    assert held_out_count("validation", 3) == 3
    for wrong in (1.5, -1, "x"):
        with pytest.raises(InputError, match="validation"):
            held_out_count("validation", wrong)
