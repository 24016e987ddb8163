"""What a pipeline's parts are asked about, so that nothing is believed of a class's name."""

from typing import Any, TypeAlias

import numpy as np

from whyword.base.checks import scipy_sparse
from whyword.models.pipeline.gradients import Matrix
from whyword.models.protocol import Scores

Estimator: TypeAlias = Any  # scikit-learn has no types

_ROWS = 6  # of each sort of probe
_CLOSE = 1e-9


class NotLinearError(Exception):
    """A pipeline is not linear at heart; the message says why."""


class SeveralLabelsError(NotLinearError):
    """A pipeline predicts several labels of a text."""


def probe_rows(width: int) -> Matrix:
    """Return rows to ask a part about: nothing, single features, several; the same always."""
    random = np.random.default_rng(0)
    single = np.unique(np.linspace(0, width - 1, _ROWS).astype(np.int64))
    rows, columns, values = [np.arange(len(single)) + 1], [single], [np.ones(len(single))]
    first = len(single) + 1
    for number in range(_ROWS):
        some = np.unique(random.integers(0, width, 2 + 4 * number))
        rows.append(np.full(len(some), first + number))
        columns.append(some)
        values.append(random.random(len(some)) * (1 + number))
    parts = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return scipy_sparse().csr_matrix(parts, (first + _ROWS, width))


def asked(estimator: Estimator, method: str, probes: Any) -> Any:  # noqa: ANN401
    """Return what a part says of probes; those that take no sparse rows get dense ones."""
    ask = getattr(estimator, method)
    try:
        try:
            return ask(probes)
        except (TypeError, ValueError):
            if not hasattr(probes, "toarray"):
                raise
            return ask(probes.toarray())
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        said = f"its {type(estimator).__name__}.{method} failed ({reason:.100})"
        raise NotLinearError(said) from error


def is_close(ours: Scores, own: Scores, tolerance: float = _CLOSE) -> bool:
    """Return whether numbers are equal but for rounding."""
    if ours.shape != own.shape or not (np.isfinite(ours).all() and np.isfinite(own).all()):
        return False
    most = max(1.0, float(np.abs(own).max(initial=0)))
    return bool(np.abs(ours - own).max(initial=0) <= tolerance * most)
