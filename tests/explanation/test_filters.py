"""Which filters spoke for a class."""

import numpy as np
import pytest
from networks import made_cnn

from whyword import InputError, explain
from whyword.explanation.filters import FilterShare

TEXT = "wa wb wc wd"


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
def test_filters_and_their_words(widths: tuple[int, ...]) -> None:
    model = made_cnn(widths)
    made = explain(model, TEXT, level="filter")
    words = TEXT.split()
    assert len(made.relevance) == len(made.activations) == 6 * len(widths)
    assert made.widths.tolist() == [width for width in widths for _ in range(6)]
    fired = 0
    for start, width, ngram, activation in zip(
        made.starts.tolist(), made.widths.tolist(), made.ngrams, made.activations, strict=True
    ):
        assert ngram == (" ".join(words[start : start + width]) if activation > 0 else "")
        fired += bool(activation > 0)
    assert 0 < fired < len(made.activations)
    assert f"{fired} of {len(made.activations)} filters fired, lrp" in repr(made)
    made.check()


def test_the_top_filters() -> None:
    made = explain(made_cnn(), TEXT, "all", level="filter")
    column = made.targets.index("class 1")
    top = made.top(3, "class 1")
    order = np.argsort(-np.abs(made.relevance[:, column]), kind="stable")[:3].tolist()
    assert [one.filter for one in top] == order
    first = order[0]
    activation, relevance = made.activations[first], made.relevance[first, column]
    assert top[0] == FilterShare(first, made.ngrams[first], float(activation), float(relevance))
    assert len(made.top(100)) == 6
    with pytest.raises(InputError, match="count must be a whole number"):
        made.top(0)
    with pytest.raises(InputError, match="'nobody' was not explained"):
        made.top(1, "nobody")
