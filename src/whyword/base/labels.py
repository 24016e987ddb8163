"""What a class may be called."""

from collections.abc import Iterable
from typing import TypeAlias

from whyword.base.errors import InputError
from whyword.base.printable import storable

Label: TypeAlias = str | bool | int | float


def check_storable(labels: Iterable[object]) -> None:
    """Raise if a label holds half a surrogate pair: no file could keep it."""
    several = list(labels)
    if "".join(label for label in several if isinstance(label, str)).isascii():
        return
    for number, label in enumerate(several):
        if isinstance(label, str) and storable(label) != label:
            raise InputError(f"label {number} holds half a surrogate pair: {label!r:.60}")
