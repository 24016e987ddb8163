"""What a class may be called."""

from collections.abc import Iterable
from typing import TypeAlias

from whyword.base.errors import InputError
from whyword.base.printable import storable

Label: TypeAlias = str | bool | int | float
Labels: TypeAlias = str | tuple[str, ...]  # of a document: its class, or several labels, or none


def check_storable(labels: Iterable[object]) -> None:
    """Raise if a label holds half a surrogate pair: no file could keep it."""
    several = list(labels)
    if "".join(label for label in several if isinstance(label, str)).isascii():
        return
    for number, label in enumerate(several):
        if isinstance(label, str) and storable(label) != label:
            raise InputError(f"label {number} holds half a surrogate pair: {label!r:.60}")


def label_text(said: object) -> str:
    """Return a label, or several, as people read them."""
    if isinstance(said, tuple | list):
        return ", ".join(map(str, said)) or "no label"
    return str(said)
