"""Rows of tables that were computed before, as many as a budget holds."""

from collections.abc import Callable, Sequence
from math import prod
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Keys = NDArray[np.int64]

_NEVER = np.iinfo(np.int64).max  # used: a slot that is free


class RowCache:
    """One or several tables' rows by key; the least recently used ones go first.

    Rows are handed out as copies, so that threads may ask, and rows go, at any time.

    Parameters
    ----------
    shapes : sequence of tuples
        Of a row of each table.
    budget : int
        Bytes that the rows may take, all tables together.
    """

    def __init__(self, shapes: Sequence[tuple[int, ...]], budget: int) -> None:
        self._shapes, self._budget = list(shapes), budget
        self.capacity = max(1, budget // (4 * sum(map(prod, shapes))))
        # the system gives memory to rows that are written, not before
        self._tables = [np.empty((self.capacity, *shape), np.float32) for shape in shapes]
        self._slots: dict[int, int] = {}
        self._keys = np.zeros(self.capacity, np.int64)
        self._last_used = np.full(self.capacity, _NEVER)
        self._clock = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[type["RowCache"], tuple[list[tuple[int, ...]], int]]:
        return RowCache, (self._shapes, self._budget)  # a copy has a cache of its own

    def __len__(self) -> int:
        return len(self._slots)

    def rows(
        self, keys: Keys, make: Callable[[NDArray[np.intp]], Sequence[Floats]]
    ) -> list[Floats]:
        """Return each table's rows for distinct keys, (keys, …).

        Parameters
        ----------
        keys : (keys,) int64
        make : callable
            From the numbers of the keys that are not in the cache to each table's rows of them.
        """
        with self._lock:
            slot_of = self._slots.get
            slots = np.array([slot_of(key, -1) for key in keys.tolist()], np.intp)
            new, old = np.flatnonzero(slots < 0), np.flatnonzero(slots >= 0)
            self._clock += 1
            self._last_used[slots[old]] = self._clock
            # what slot −1 has is overwritten below
            tables = [table.take(slots, axis=0) for table in self._tables]
        if len(new):
            made = make(new)
            for rows, fresh in zip(tables, made, strict=True):
                rows[new] = fresh
            self._keep(keys[new], made)
        return tables

    def _keep(self, keys: Keys, made: Sequence[Floats]) -> None:
        with self._lock:
            # another thread may have been faster
            fresh = [n for n, key in enumerate(keys.tolist()) if key not in self._slots]
            fresh = fresh[: self.capacity]
            slots = self._evict(len(fresh))
            self._slots.update(zip(keys[fresh].tolist(), slots.tolist(), strict=True))
            self._keys[slots], self._last_used[slots] = keys[fresh], self._clock
            for table, rows in zip(self._tables, made, strict=True):
                table[slots] = rows[fresh]

    def _evict(self, count: int) -> NDArray[np.intp]:
        """Return so many slots, free ones first; evict what was in the others."""
        free = np.arange(len(self._slots), min(len(self._slots) + count, self.capacity))
        missing = count - len(free)
        if not missing:
            return free
        oldest = np.argpartition(self._last_used, missing - 1)[:missing]
        for key in self._keys[oldest].tolist():
            del self._slots[key]
        return np.concatenate([free, oldest])
