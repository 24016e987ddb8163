"""Long texts in windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.models.pytorch.windows import window_places


@given(st.integers(0, 200), st.integers(0, 3), st.integers(0, 3), st.integers(1, 40))
def test_windows_have_every_piece_and_all_special_tokens(
    own: int, before: int, after: int, room: int
) -> None:
    count, size = own + before + after, room + before + after
    windows = window_places(count, before, after, size)
    assert sorted(set(np.concatenate(windows).tolist())) == list(range(count))
    if count <= size:
        assert len(windows) == 1
        return
    starts = []
    for one in windows:
        places = one.tolist()
        assert len(places) == size
        assert places[:before] == list(range(before))
        assert places[size - after :] == list(range(count - after, count))
        inside = places[before : size - after]
        assert inside == list(range(inside[0], inside[0] + room))
        starts.append(inside[0] - before)
    steps = np.diff(starts)
    assert starts[0] == 0
    assert starts[-1] == own - room
    assert (steps[:-1] == max(1, room // 2)).all()
    assert 0 < steps[-1] <= max(1, room // 2)


@pytest.mark.parametrize(
    ("count", "windows"),
    [
        (6, [[0, 1, 2, 3, 4, 5]]),
        (7, [[0, 1, 2, 3, 4, 6], [0, 2, 3, 4, 5, 6]]),
        (9, [[0, 1, 2, 3, 4, 8], [0, 3, 4, 5, 6, 8], [0, 4, 5, 6, 7, 8]]),
    ],
)
def test_the_last_window_is_moved_back(count: int, windows: list[list[int]]) -> None:
    assert [one.tolist() for one in window_places(count, 1, 1, 6)] == windows
