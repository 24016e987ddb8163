"""Torch's random numbers as a seed says, whoever else draws some: it has one source for all."""

from threading import RLock

import torch

_ALONE = RLock()  # of those who draw here: in turns, and what is put back is what was there


class Draws:
    """A source of random numbers of its own that torch draws from within ``with``.

    It goes on where it stopped the last time, so what is drawn is the same whatever other trainings
    did meanwhile. While one draws, others wait; keep it short.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        self._own = torch.Generator().manual_seed(seed).get_state()
        self._before: list[torch.Tensor] = []

    def __enter__(self) -> None:
        _ALONE.acquire()
        self._before.append(torch.get_rng_state())
        torch.set_rng_state(self._own)

    def __exit__(self, *_: object) -> None:
        self._own = torch.get_rng_state()
        torch.set_rng_state(self._before.pop())
        _ALONE.release()
