"""Rows of tables that were computed before, as many as a budget holds."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from math import prod
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class RowMemory:
    """One or several tables' rows by key; the one that was not asked for longest goes first.

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
        self._slots: OrderedDict[Hashable, int] = OrderedDict()
        self._lock = Lock()

    def __reduce__(self) -> tuple[type["RowMemory"], tuple[list[tuple[int, ...]], int]]:
        return RowMemory, (self._shapes, self._budget)  # a copy remembers for itself

    def __len__(self) -> int:
        return len(self._slots)

    def rows(
        self, keys: Sequence[Hashable], make: Callable[[NDArray[np.intp]], Sequence[Floats]]
    ) -> list[Floats]:
        """Return each table's rows for distinct keys, (keys, …).

        Parameters
        ----------
        keys : sequence of hashable
        make : callable
            From the numbers of the keys that are not remembered to each table's rows of them.
        """
        with self._lock:
            slots = np.array([self._slots.get(key, -1) for key in keys], np.intp)
            new = np.flatnonzero(slots < 0)
            if not len(new):
                found = [table[slots] for table in self._tables]
            else:
                found = [
                    np.empty((len(keys), *table.shape[1:]), np.float32) for table in self._tables
                ]
                old = np.flatnonzero(slots >= 0)
                for rows, table in zip(found, self._tables, strict=True):
                    rows[old] = table[slots[old]]
            for key, slot in zip(keys, slots.tolist(), strict=True):
                if slot >= 0:
                    self._slots.move_to_end(key)
        if len(new):
            made = make(new)
            for rows, fresh in zip(found, made, strict=True):
                rows[new] = fresh
            self._keep([keys[number] for number in new.tolist()], made)
        return found

    def _keep(self, keys: Sequence[Hashable], made: Sequence[Floats]) -> None:
        with self._lock:
            chosen, taken = [], []
            for number, key in enumerate(keys[: self.capacity]):
                if key in self._slots:  # another thread was faster
                    continue
                if len(self._slots) < self.capacity:
                    slot = len(self._slots)
                else:
                    _, slot = self._slots.popitem(last=False)
                self._slots[key] = slot
                chosen.append(number)
                taken.append(slot)
            for table, fresh in zip(self._tables, made, strict=True):
                table[taken] = fresh[chosen]
