"""What a study runs on."""

from collections.abc import Callable

import numpy as np
import pytest

from whyword.reports.machine import machine, peak_memory


@pytest.mark.slow(reason="a process that fills memory")
def test_a_large_array_shows() -> None:
    before = peak_memory()
    assert before is not None
    held = np.ones(before // 8 + 8_000_000)
    after = peak_memory()
    assert after is not None
    assert after - before > held.nbytes / 3


def test_not_every_system_tells(uninstall: Callable[[str], None]) -> None:
    uninstall("resource")
    assert peak_memory() is None
    assert machine()


def test_cores_are_said() -> None:
    assert " cores" in machine()
