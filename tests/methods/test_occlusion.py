"""Occlusion against predicting again without the word."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text, topical
from numpy.typing import NDArray

from whyword import InputError, SVMClassifier, explain


@settings(deadline=None, max_examples=60)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (5,), (1, 4)]),
    numbers=st.lists(st.integers(0, 6), max_size=10),
    integers=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_equals_zeroing_the_word(
    widths: tuple[int, ...], numbers: list[int], integers: bool, seed: int
) -> None:
    model, text = made_cnn(widths, integers=integers, seed=seed), made_text(numbers)
    found = explain(model, text, target="all", method="occlusion")
    expected = oracle.occlusion(*literal_parts(model, text), words=len(numbers))
    np.testing.assert_allclose(found.relevance, expected, atol=2e-4)
    assert found.parameters["output"] == "score"


def test_more_filters_than_are_done_at_once() -> None:
    model, text = made_cnn((2,), filters=150, seed=1), made_text([0, 1, 2, 3, 4])
    found = explain(model, text, target="all", method="occlusion")
    expected = oracle.occlusion(*literal_parts(model, text), words=5)
    np.testing.assert_allclose(found.relevance, expected, atol=2e-3)


@pytest.mark.parametrize("sublinear", [True, False])
def test_svm_equals_predicting_again(sublinear: bool) -> None:
    model = SVMClassifier(C=1.0, sublinear=sublinear).fit(*topical(60))
    for text in ("moon the Moon goal moon unheard puck", "moon", "moon moon", "unheard", ""):
        found = explain(model, text, target="all", method="occlusion")
        whole = model.class_scores([text])[0]
        for number, (start, end) in enumerate(found.spans.tolist()):
            without = model.class_scores([text[:start] + text[end:]])[0]
            np.testing.assert_allclose(found.relevance[number], whole - without, atol=1e-6)


class Shouting:
    """Somebody's model: the more capitals, the angrier."""

    classes_ = np.array(["angry", "calm"])
    largest = 0

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        assert isinstance(texts, list)
        self.largest = max(self.largest, len(texts))
        angry = [sum(c.isupper() for c in text) / 100 for text in texts]
        return np.array([[share, 1 - share] for share in angry])


def test_any_model_with_probabilities() -> None:
    found = explain(Shouting(), "LOOK, it is HERE", method="occlusion", target="angry")
    assert found.words == ["LOOK", "it", "is", "HERE"]
    np.testing.assert_allclose(found.relevance, [0.04, 0, 0, 0.04], atol=1e-7)
    assert found.score == pytest.approx(0.08)
    assert found.model is None
    assert found.parameters["output"] == "probability"
    assert explain(Shouting(), "look", method="occlusion").target == "calm"


def test_somebodys_model_gets_a_long_text_in_portions() -> None:
    model = Shouting()
    found = explain(model, "A b " * 500, method="occlusion", target="all")
    assert found.relevance.shape == (1000, 2)
    assert model.largest <= 256
    np.testing.assert_allclose(found.relevance[::2, 0], 0.01, atol=1e-6)


def test_a_model_without_classes_has_their_numbers() -> None:
    class Bare:
        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.2, 0.5, 0.3] for _ in texts]

    found = explain(Bare(), "some text", method="occlusion")
    assert found.classes == (0, 1, 2)
    assert found.target == 1


def test_probabilities_of_the_wrong_shape() -> None:
    class Wrong:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[float]:
            return [0.5] * len(texts)

    with pytest.raises(InputError, match=r"Wrong.predict_proba gave \(1,\) for 1 texts"):
        explain(Wrong(), "some text", method="occlusion")


@pytest.mark.parametrize(
    ("classes", "answer", "message"),
    [
        (("a", "b", "c"), [[0.5, 0.5]], r"gave \(1, 2\) for 1 texts; it must give numbers, \(1, 3"),
        (("a", "a"), [[0.3, 0.7]], "are no distinct labels"),
        ((), [[]], "are no distinct labels"),
        (("a", "b"), [["x", "y"]], "a list that is no array of numbers"),
        (("a", "b"), {"a": 1}, "a dict that is no array of numbers"),
        (None, [[]], r"gave \(1, 0\)"),
    ],
)
def test_models_that_contradict_themselves(classes: object, answer: object, message: str) -> None:
    class Odd:
        classes_ = classes

        def predict_proba(self, texts: list[str]) -> object:
            return answer

    with pytest.raises(InputError, match=message):
        explain(Odd(), "text", method="occlusion", target="all")
    with pytest.raises(InputError, match="Odd is no model"):
        explain(Odd, "text", method="occlusion")
