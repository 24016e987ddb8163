"""What an evaluation of a black box costs: counted, and compared with what is asked."""

import numpy as np
import pytest
from counting import LETTERS, Counting

from whyword import Reader, evaluate
from whyword.evaluation.price import evaluation_price

RANDOM = np.random.default_rng(3)
TEXTS = [" ".join(RANDOM.choice(["a", "b", "cab", "bead"], length)) for length in (30, 31, 60, 45)]


def wrong(texts: list[str]) -> list[str]:
    """Return labels that the model never gives."""
    best = Counting().box().scores(texts).argmax(axis=1)
    return [LETTERS[(number + 1) % 3] for number in best.tolist()]


def right(texts: list[str]) -> list[str]:
    """Return the labels that the model gives."""
    return [LETTERS[number] for number in Counting().box().scores(texts).argmax(axis=1).tolist()]


@pytest.mark.parametrize("methods", [None, ["occlusion"], ["random"], ["random_known", "random"]])
@pytest.mark.parametrize(
    ("texts", "steps", "least", "runs"),
    [
        (TEXTS, None, None, 2),
        (TEXTS, 5, None, 3),
        (TEXTS, 40, 35, 1),
        (TEXTS, 10, 1000, 2),  # none is long enough
        ([*TEXTS, "", "a"] * 3, 4, 1, 2),
        (TEXTS * 70, 2, None, 1),  # several blocks
        (TEXTS, [1, 5, 15], None, 2),
        (TEXTS, [0, 2, 59, 80, 90], 1, 2),  # longer than all texts
    ],
)
def test_it_is_what_is_asked_if_the_model_is_never_right(
    texts: list[str],
    steps: int | list[int] | None,
    least: int | None,
    runs: int,
    methods: list[str] | None,
) -> None:
    model = Counting()
    said = evaluation_price(model.box(), texts, methods, steps=steps, least_words=least, runs=runs)
    measured = model.total
    evaluate(model.box(), texts, wrong(texts), methods, steps=steps, least_words=least, runs=runs)
    assert said.at_most
    assert model.total - measured == said.predictions
    evaluate(model.box(), texts, right(texts), methods, steps=steps, least_words=least, runs=runs)
    assert model.total - measured <= 2 * said.predictions


def test_copies_are_predicted_again() -> None:
    model = Counting()
    copied = [*TEXTS, "b b b a b a a quite another text, of which there is no copy at all"]
    said = evaluation_price(model.box(), copied, ["random"], train=True, runs=1, steps=5)
    measured = model.total
    evaluate(model.box(), copied, wrong(copied), ["random"], train=TEXTS, runs=1, steps=5)
    assert said.predictions - 1 <= model.total - measured <= said.predictions


def test_words_that_are_not_read_part_the_random_orders() -> None:
    model = Counting()
    box = model.box()
    box._reader = Reader(ignore=["cab"])
    said = evaluation_price(box, TEXTS, runs=2, steps=5)
    measured = model.total
    evaluate(box, TEXTS, wrong(TEXTS), runs=2, steps=5)
    assert model.total - measured <= said.predictions
    assert said.predictions > evaluation_price(model.box(), TEXTS, runs=2, steps=5).predictions


def test_the_time_is_measured() -> None:
    model = Counting(0.25)
    said = evaluation_price(model.box(), TEXTS, clock=model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.25)
    assert evaluation_price(model.box(), []).predictions == 0
