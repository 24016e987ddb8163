"""What a search for strategies costs of black boxes: counted, and compared with what is asked."""

import numpy as np
import pytest
from counting import Counting

from whyword import strategies
from whyword.audit.strategies_price import strategies_price

RANDOM = np.random.default_rng(5)
TEXTS = [" ".join(["a", *RANDOM.choice(["a", "ab", "x"], n % 7)]) for n in range(50)]


@pytest.mark.parametrize("documents", [2_000, 30])
def test_it_is_what_is_asked_at_most(documents: int) -> None:
    model = Counting()
    said = strategies_price(model.box(), TEXTS, documents=documents)
    measured = model.total
    strategies(model.box(), TEXTS, "a", documents=documents, most=1)
    asked = model.total - measured
    assert said.at_most
    if documents > len(TEXTS):  # all of them are given the class
        assert asked == said.predictions
    assert len(TEXTS) < asked <= said.predictions


def test_the_time_is_measured() -> None:
    model = Counting(0.25)
    said = strategies_price(model.box(), TEXTS, clock=model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.25)
    assert strategies_price(model.box(), []).predictions == 0
