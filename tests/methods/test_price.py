"""Cost forecasts: as many predictions are asked for as announced."""

import pytest
from counting import Counting
from networks import made_cnn, small_svm, topical

from whyword import InputError, Price, class_words, explain, price
from whyword.methods.price import price_by

TEXTS = ["a b c d e", "", "one", "b " * 100, *(["some words of a text"] * 40)]
WORDS = 5 + 0 + 1 + 100 + 40 * 5


def test_predictions_are_counted_in_advance() -> None:
    model = Counting()
    for method, count in ((None, len(TEXTS) + WORDS), ("random", len(TEXTS))):
        before = model.total
        said = price(model.box(), (text for text in TEXTS), method)
        assert (said.predictions, said.at_most) == (count, False)
        measured = model.total
        assert 2 <= measured - before <= max(2, count // 32)
        explain(model.box(), TEXTS, method=method)
        assert model.total - measured == count
    before = model.total
    class_words(model.box(), TEXTS)
    assert model.total - before == len(TEXTS) + WORDS
    nothing = price(model.box(), [])
    assert (nothing.predictions, nothing.seconds) == (0, 0.0)
    assert price(model.box(), [""]).predictions == 1


def test_a_network_is_asked_once_or_once_for_each_step() -> None:
    texts, _ = topical(10)
    for method in (None, "occlusion", "sensitivity"):
        said = price(made_cnn(), texts, method)
        assert said.predictions == 10
        assert said.seconds > 0
    assert price(made_cnn(), texts, "integrated_gradients", steps=7).predictions == 70
    assert price(small_svm(), texts, "integrated_gradients").predictions == 10


@pytest.mark.parametrize(("seconds", "count"), [(0.0, 20), (0.001, 400), (0.2, 20), (7.0, 1)])
def test_the_time_is_measured(seconds: float, count: int) -> None:
    model = Counting(seconds)
    said = price_by(model.clock, model.box(), ["five words of a text"] * count)
    assert said.predictions == 6 * count
    assert said.seconds == pytest.approx(seconds * said.predictions)
    assert model.total <= max(1 if count == 1 else 2, said.predictions // 32)
    if seconds * 2 >= 0.5:  # two are enough to know that it is slow
        assert model.total <= 2 + (0.5 / seconds if seconds < 0.25 else 0)


def test_what_is_slow_at_first_only() -> None:
    model = Counting(0.01, start=30.0)
    said = price_by(model.clock, model.box(), ["five words of a text"] * 10)
    assert said.seconds == pytest.approx(0.6)
    assert model.asked == [1, 1]


def test_long_texts_are_measured_more_often() -> None:
    asked: list[int] = []

    def model(texts: list[str]) -> list[list[float]]:
        asked.extend(len(text.split()) for text in texts)
        return [[0.5, 0.5]] * len(texts)

    price(model, ["word"] * 500 + ["many words " * 50] * 50)
    assert sum(words > 90 for words in asked) > sum(words < 2 for words in asked)


def test_the_texts_measured_are_without_a_word() -> None:
    seen: set[str] = set()

    def model(texts: list[str]) -> list[list[float]]:
        seen.update(texts)
        return [[0.5, 0.5]] * len(texts)

    price(model, [" ".join(f"w{'x' * n}" for n in range(400))])
    seen.discard("text")  # which asks for the number of classes
    assert len(seen) > 5  # what is kept of equal texts would not be measured
    assert {len(text.split()) for text in seen} == {399}


def test_the_sample_is_small_and_the_same_every_time() -> None:
    models = [Counting(), Counting()]
    for model in models:
        price(model.box(), (f"word {n}" for n in range(5_000)))
    assert models[0].asked == models[1].asked
    assert max(models[0].asked) == 64
    assert sum(models[0].asked) == 128


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((["a"], "lrp"), "'lrp' needs a model that is decomposable"),
        ((["a"], "none"), "there is no method 'none'"),
        (("a text", None), "texts must be a list of strings, not one string"),
        (([3], None), "item 0 must be a str, not int"),
    ],
)
def test_what_cannot_be_priced(given: tuple[object, str | None], message: str) -> None:
    with pytest.raises(InputError, match=message):
        price(Counting().box(), *given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        *((0.99, "less than a second"), (1, "about 1 s"), (89, "about 89 s"), (90, "about 2 min")),
        *((5_399, "about 90 min"), (5_400, "about 2 h"), (86_400 * 5_000, "about 5,000 days")),
    ],
)
def test_durations_are_rough(seconds: float, said: str) -> None:
    assert Price(12_340, seconds).duration == said
    assert str(Price(12_340, seconds)) == f"12,340 predictions, {said}"


def test_prices_add_up() -> None:
    both = Price(10, 1.0) + Price(5, 0.5, at_most=True)
    assert both == Price(15, 1.5, at_most=True)
    assert str(both) == "at most 15 predictions, about 2 s"
    assert not (Price(1, 1.0) + Price(1, 1.0)).at_most
