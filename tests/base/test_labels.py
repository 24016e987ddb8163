"""What a class may be called."""

import numpy as np
import pytest

from whyword.base.labels import Label, label_text


@pytest.mark.parametrize("value", ["space", "", True, 3, -0.5])
def test_labels(value: object) -> None:
    assert isinstance(value, Label)


@pytest.mark.parametrize("value", [None, b"space", ("a",), np.array("a"), np.int64(3), 1j])
def test_what_is_no_label(value: object) -> None:
    assert not isinstance(value, Label)


def test_labels_as_people_read_them() -> None:
    assert [label_text(one) for one in ("a", 1, ("a", "b"), ["a"], ())] == [
        "a",
        "1",
        "a, b",
        "a",
        "no label",
    ]
