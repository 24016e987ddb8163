"""What was computed of erased words is not computed again while there is room."""

from typing import Any

import numpy as np
import pytest
from networks import small_cnn, topical

from whyword.evaluation import erased_words as module
from whyword.evaluation.erased_words import ErasedWords

(TRACE,) = small_cnn().trace(topical(4)[0])
SOME = np.array([0, 2], np.intp)
ORDERS = np.array([[[0, 1, 2]], [[3, 1, 0]]], np.int32)
STEPS = np.arange(4)


class Counting:
    """A trace that counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def erase(self, *asked: Any) -> Any:  # noqa: ANN401
        self.asked += 1
        return TRACE.erase(*asked)


def test_the_same_is_asked_once() -> None:
    trace = Counting()
    erased = ErasedWords(trace)
    first = erased(SOME, ORDERS, False, STEPS)
    np.testing.assert_array_equal(first.scores, TRACE.erase(SOME, ORDERS, False, STEPS).scores)
    assert erased(SOME.copy(), ORDERS.copy(), False, STEPS) is first
    assert trace.asked == 1
    erased(SOME, ORDERS, True, STEPS)
    erased(SOME, ORDERS[:, :, ::-1].copy(), False, STEPS)
    erased(SOME + 1, ORDERS, False, STEPS)
    erased(SOME, ORDERS, False, STEPS[::3].copy())
    assert trace.asked == 5


def test_the_oldest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(values.nbytes for values in TRACE.erase(SOME, ORDERS, False, STEPS))
    monkeypatch.setattr(module, "_CACHE_BYTES", 2 * size)
    trace = Counting()
    erased = ErasedWords(trace)
    for documents in (SOME, SOME + 1, SOME.copy()):  # two fit
        erased(documents, ORDERS, False, STEPS)
    assert trace.asked == 2
    erased(SOME, ORDERS, True, STEPS)  # the oldest goes
    erased(SOME + 1, ORDERS, False, STEPS)
    assert trace.asked == 3
    erased(SOME, ORDERS, False, STEPS)
    assert trace.asked == 4
