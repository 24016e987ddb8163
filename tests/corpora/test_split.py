from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whyword.corpora.split import hold_out


@given(st.lists(st.sampled_from("aabbbbcd"), min_size=1, max_size=60), st.data())
def test_shares_are_those_of_the_classes(labels: list[str], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(labels) - 1))
    chosen = hold_out(labels, count, seed=1)
    sizes = Counter(labels)
    spare = sum(size - 1 for size in sizes.values())
    assert chosen.sum() == min(count, spare)
    taken = Counter(np.array(labels)[chosen].tolist())
    for label, size in sizes.items():
        assert taken[label] <= size - 1
        if count <= spare // 2 and size > 3:
            assert abs(taken[label] - count * size / len(labels)) <= len(sizes)


def test_the_seed_decides() -> None:
    labels = ["a"] * 50 + ["b"] * 50
    first, again, other = (hold_out(labels, 20, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert Counter(np.array(labels)[first].tolist()) == {"a": 10, "b": 10}
