"""What a comparison costs of black boxes: counted, and compared with what is asked."""

import numpy as np
import pytest
from counting import LETTERS, Counting
from networks import small_cnn
from numpy.typing import NDArray

from whyword import BlackBox, compare_models
from whyword.audit.changes_page import EXAMPLES
from whyword.audit.price import comparison_prices

pytestmark = pytest.mark.slow(reason="compares models")

RANDOM = np.random.default_rng(3)
TEXTS = [" ".join(RANDOM.choice(["a", "b", "cab", "bead"], length)) for length in (30, 31, 60, 45)]


def labels(texts: list[str], right: bool) -> list[str]:
    """Return the labels that the model gives, or never gives."""
    best = Counting().box().scores(texts).argmax(axis=1)
    return [LETTERS[(number + (not right)) % 3] for number in best.tolist()]


def contrary(texts: list[str]) -> NDArray[np.float64]:
    """Return what never is what the other model says."""
    return np.roll(Counting()(texts), 1, axis=1)


@pytest.mark.parametrize("method", [None, "random"])
@pytest.mark.parametrize(
    ("texts", "steps", "least", "runs", "deleted"),
    [
        (TEXTS, None, None, 2, 500),  # what is explained once more decides
        (TEXTS, 5, None, 3, 2),
        (TEXTS, 29, 25, 1, 500),
        (TEXTS, 70, 1, 2, 500),  # what goes twice where it is wrong
        (TEXTS, 10, 1000, 2, 500),  # none is long enough
        (TEXTS, [1, 5, 15], None, 2, 500),
        ([*TEXTS, ""] * 6, 4, 1, 2, 500),
    ],
)
def test_it_is_what_is_asked_at_most(
    texts: list[str],
    steps: int | list[int] | None,
    least: int | None,
    runs: int,
    deleted: int,
    method: str | None,
) -> None:
    model = Counting()
    both = {"a": model.box(), "b": BlackBox(contrary, LETTERS)}
    how = {"steps": steps, "least_words": least, "runs": runs, "deletion_documents": deleted}
    said = comparison_prices(both, texts, asked=["a"], method=method, **how)  # type: ignore[arg-type]
    assert list(said) == ["a"]
    asked = []
    for right in (True, False):
        before = model.total
        compare_models(both, texts, labels(texts, right), method=method, **how)  # type: ignore[arg-type]
        asked.append(model.total - before)
    assert said["a"].at_most
    if len(texts) <= EXAMPLES:
        assert max(asked) == said["a"].predictions
    else:  # those that are explained because models differ need not be the longest
        assert max(asked) <= said["a"].predictions < 1.5 * max(asked)


def test_a_method_that_is_not_for_it() -> None:
    model = Counting()
    both = {"a": model.box(), "b": small_cnn()}
    said = comparison_prices(both, TEXTS, asked=["a"], method="lrp", steps=5)
    assert said["a"].predictions == 2 * len(TEXTS)  # predicted and timed


def test_the_time_is_measured() -> None:
    model = Counting(0.25)
    both = [model.box(), Counting().box()]
    name = "Counting"
    said = comparison_prices(both, TEXTS, asked=[name], clock=model.clock)[name]
    assert said.seconds == pytest.approx(said.predictions * 0.25)
    assert comparison_prices(both, [], asked=[name]) == {}
