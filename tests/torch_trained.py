"""Small torch networks that were trained here, for tests of what all of them can do."""

from copy import deepcopy
from functools import cache
from typing import Any

from networks import some_vectors, topical

import whyword as ww

SMALL = {"epochs": 2, "batch_size": 8, "learning_rate": 0.02, "on_progress": False}


def untrained(kind: str, **settings: Any) -> Any:
    """Return a small estimator: "recurrent" or "characters"."""
    if kind == "recurrent":
        own: dict[str, Any] = {"vectors": some_vectors(), "hidden": 4, **SMALL}
        return ww.RecurrentClassifier(**(own | settings))
    own = {"dimensions": 6, "width": (3, 4), "filters": 16, **SMALL}
    return ww.CharacterClassifier(**(own | settings))


def trained(kind: str, classes: int = 3, **settings: Any) -> Any:
    """Return a small network that has learned, a copy for everybody who asks."""
    return deepcopy(_trained_once(kind, classes, tuple(settings.items())))


@cache
def _trained_once(kind: str, classes: int, settings: tuple[tuple[str, Any], ...]) -> Any:
    own = {"epochs": 12, "hidden": 8} if kind == "recurrent" else {"epochs": 12}
    return untrained(kind, **(own | dict(settings))).fit(*topical(60, classes))
