"""Models are timed in turn, by whatever clock."""

from typing import Any

import pytest
from counting import Counting
from networks import small_cnn

from whyword.audit.timing import measure_times


class Watched:
    """Two models that share a clock, and write down who was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.now = 0.0
        self.models = {"quick": self._box("quick", 1.0), "slow": self._box("slow", 3.0)}

    def _box(self, name: str, seconds: float) -> Any:  # noqa: ANN401
        inner = Counting()

        def ask(texts: list[str]) -> list[list[float]]:
            first = name not in self.asked
            self.asked.append(name)
            self.now += len(texts) * seconds + (100 if first else 0)
            return inner(texts)

        box = inner.box()
        box._adaptor.ask = ask  # type: ignore[method-assign]
        return box


def test_medians_without_the_first_which_loads_things() -> None:
    watched = Watched()
    methods = dict.fromkeys(watched.models, "occlusion")
    texts = ["a b", "a b", "a b", "a", "a b c d"]
    times = measure_times(watched.models, methods, texts, clock=lambda: watched.now)
    assert times["quick"] == (1.0, 3.0, 4)  # two words: the text, and without each of them
    assert times["slow"] == (3.0, 9.0, 4)
    assert watched.asked[:6] == ["quick"] * 3 + ["slow"] * 3  # predicted, explained in two calls


def test_the_first_of_each_text_changes() -> None:
    watched = Watched()
    methods = dict.fromkeys(watched.models)
    measure_times(watched.models, methods, ["a", "b", "c"], clock=lambda: watched.now)
    assert watched.asked == ["quick", "slow", "slow", "quick", "quick", "slow"]


def test_one_text_counts_and_what_nothing_explains() -> None:
    watched = Watched()
    methods = {"quick": None, "slow": "random"}
    times = measure_times(watched.models, methods, ["a"], clock=lambda: watched.now)
    assert times["quick"] == (101.0, None, 1)
    assert times["slow"].explanation == pytest.approx(3.0)


def test_a_real_clock() -> None:
    times = measure_times({"a": small_cnn(), "b": small_cnn()}, {"a": "lrp", "b": None}, ["moon"])
    assert times["a"].prediction > 0
    assert times["a"].explanation is not None
