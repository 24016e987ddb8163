"""How much of the paper is computed."""

from dataclasses import asdict, dataclass
from typing import Any

from whyword.reports import paper


@dataclass(frozen=True)
class Plan:
    """How much is computed.

    Attributes
    ----------
    train, test : int or None
        Documents to use; None takes all.
    cbow_epochs, epochs : int
        Of the word vectors and of the networks.
    learning_rate : float
    filters : float
        Share of the paper's number of filters.
    validation : int
        Documents held out to choose the epoch.
    folds : int
        Of the SVM's cross-validation.
    runs : int
        Of random deletion.
    seed : int
    """

    train: int | None = None
    test: int | None = None
    cbow_epochs: int = 40
    epochs: int = 15
    learning_rate: float = 2e-3
    filters: float = 1.0
    validation: int = 1000
    folds: int = 10
    runs: int = paper.RUNS
    seed: int = 0

    def as_inputs(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


QUICK = Plan(
    train=3000,
    test=700,
    cbow_epochs=12,
    epochs=8,
    learning_rate=5e-3,  # few steps, so larger ones
    filters=0.2,
    validation=300,
    folds=2,
    runs=2,
)
