"""What is known of a tensor while a module runs frozen."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from torch import Tensor

from whyword.models.pytorch.rows import Rows


class Role(Enum):
    """What a tensor is made of."""

    CONSTANT = "constant"
    SIGNAL = "signal"
    PENDING = "pending"  # a gate, or the product of two signals: a signal when it is needed
    FROZEN = "frozen"


@dataclass(eq=False, slots=True)
class Tag:
    """What is known of a tensor.

    Attributes
    ----------
    role : Role
    rows : Rows or None
        Of a signal: whose its numbers are; None if that is not known any more.
    name : str or None
        Of a constant: what it belongs to.
    signal : callable or None
        What is pending: it makes the signal.
    is_gate : bool
        Whether it is a factor wherever it is multiplied.
    is_scale : bool
        Whether it is a gate that is a factor beside other gates, too: a root, a length.
    source : Tensor or None
        What this is the softmax, log-softmax or sigmoid of.
    version : int
        Of what is pending: how often its numbers had been changed in place.
    tokens : Tensor or None
        Of a signal that still has the places of words: which tokens'.
    """

    role: Role
    rows: Rows | None = None
    name: str | None = None
    signal: Callable[[], Tensor] | None = None
    is_gate: bool = False
    is_scale: bool = False
    source: Tensor | None = None
    version: int = 0
    tokens: Tensor | None = None
