"""Sanity checks: an explanation depends on the model's weights, and on nothing else."""

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from keywords import Keywords
from networks import made_cnn, made_text, topical

from whyword import InputError, SVMClassifier, explain
from whyword.evaluation import agreement, input_invariance, model_randomisation, seed_stability

TEXTS = topical(12, seed=8)[0]
MODEL = made_cnn()
SHORT = [made_text([0, 1, 2])] * 2
Explainer = Callable[..., list[list[float]]]


def of_both(*relevances: Sequence[Sequence[float]]) -> Explainer:
    """Return what explains the first model asked about in one way, and the other in another."""
    left = iter(relevances)
    return lambda *_: [list(one) for one in next(left)]


@pytest.mark.parametrize("layers", ["all", "output"])
def test_shuffling_keeps_the_weights_but_not_their_places(layers: str) -> None:
    before, after = (one.network_ for one in (MODEL, MODEL.shuffled(layers, 1)))
    assert not np.array_equal(before.output_weight, after.output_weight)
    kept = [np.sort(one.output_weight.ravel()).tolist() for one in (before, after)]
    assert kept[0] == kept[1]
    same = np.array_equal(before.convolutions[0].weight, after.convolutions[0].weight)
    assert same == (layers == "output")


@pytest.mark.parametrize("layers", ["all", "output"])
def test_model_randomisation_explains_the_shuffled_model(layers: str) -> None:
    texts = [made_text(np.random.default_rng(n).integers(0, 7, 9)) for n in range(6)]
    check = model_randomisation(MODEL, texts, "gradient_input", layers=layers, seed=2, top=4)
    labels, other = MODEL.predict(texts).tolist(), MODEL.shuffled(layers, 2)
    explained = [
        [one.relevance for one in explain(each, texts, targets=labels, method="gradient_input")]
        for each in (MODEL, other)
    ]
    expected = agreement(explained[0], explained[1], top=4)
    assert check.agreement.to_dict() == pytest.approx(expected.to_dict())
    columns = [MODEL.classes_.tolist().index(label) for label in labels]
    scores = [each.class_scores(texts)[range(6), columns] for each in (MODEL, other)]
    assert check.score_change == pytest.approx(np.abs(scores[0] - scores[1]).max(), rel=1e-5)
    assert check.passed == (expected.correlation < 0.5)
    json.dumps(check.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("other", "passed", "verdict"),
    [
        ([1, 3, 2], False, "correlates by 0.50 with what it was: it hardly looks at the model."),
        ([2, 1, 3], False, "it hardly looks at the model."),
        ([3, 1, 2], True, "by -0.50 with what it was: it depends on what the model has learned."),
        ([1, 1, 1], False, "by no number (no order) with what it was: it cannot be judged, for wa"),
    ],
)
def test_verdicts_of_model_randomisation(other: list[int], passed: bool, verdict: str) -> None:
    check = model_randomisation(MODEL, SHORT, of_both([[1, 2, 3]] * 2, [other] * 2))
    assert (check.passed, check.name) == (passed, "model randomisation (all)")
    assert check.verdict.startswith("With all weights shuffled, relevance correlates by ")
    assert verdict in check.verdict
    said = "passed" if passed else "failed"
    assert repr(check) == f"SanityCheck(model randomisation (all), {said}: {check.verdict})"
    assert check.to_dict()["passed"] is passed
    output = model_randomisation(MODEL, SHORT, "random", layers="output")
    assert output.verdict.startswith("With the output weights shuffled")
    assert output.agreement.correlation == pytest.approx(1)


def test_gradients_are_invariant_and_what_weighs_inputs_is_not() -> None:
    random = np.random.default_rng(0)
    words = [made_text(random.integers(0, 6, 9)) for _ in range(12)]
    model, texts = made_cnn(seed=3), [*words, "wa", ""]
    gradient = input_invariance(model, texts, "sensitivity", shift=0.5)
    assert (gradient.passed, gradient.name) == (True, "input invariance")
    assert gradient.score_change < 1e-3
    assert gradient.verdict == (
        "With inputs shifted by 0.5 and biases that make up for it, relevance correlates by 1.00 "
        "with what it was: it is invariant."
    )
    assert (
        len(gradient.agreement.overlaps) == 12
    )  # those with fewer words than a filter do not count
    weighing = input_invariance(model, words, "gradient_input")
    assert not weighing.passed
    assert "shifted by 1 and" in weighing.verdict
    assert "depends on where the zero of the input lies" in weighing.verdict


ALIKE, APART = [4, 3, 2, 1], [4, 1, 2, 3]  # which have one of their top two in common


@pytest.mark.parametrize(
    ("texts", "relevances", "top", "passed", "verdict"),
    [
        (4, [ALIKE, APART], 2, True, "agree: 75% of the top 2 words are the same (50% by chance)"),
        (4, [APART, APART], 2, False, "do not agree: 50% of the top 2 words are the same"),
        (5, [[*ALIKE, 0]] * 2, 4, False, "cannot be compared, for texts this short: 100%"),
    ],
)
def test_two_trainings(
    texts: int, relevances: list[list[int]], top: int, passed: bool, verdict: str
) -> None:
    """They agree if the common share is nearer to 1 than to chance; chance of 80 % says nothing."""
    several = [made_text(range(texts))] * 2
    first = [relevances[0] if texts == 5 else ALIKE] * 2
    check = seed_stability(MODEL, MODEL, several, of_both(first, relevances), top=top)
    assert (check.passed, check.name, check.score_change) == (passed, "seed stability", 0)
    assert check.verdict.startswith(f"Two trainings {verdict}")
    assert "rank correlation " in check.verdict


@pytest.mark.parametrize("check", [model_randomisation, input_invariance])
def test_models_that_cannot_be_checked(check: Callable[..., object]) -> None:
    with pytest.raises(InputError, match=r"needs w.*, which a model of kind 'Keywords'"):
        check(Keywords(), TEXTS)
    with pytest.raises(
        InputError, match=r"no texts|none of the texts has as many words as the wid"
    ):
        check(MODEL, [])
    with pytest.raises(InputError, match="takes a name or a function, not 5"):
        check(MODEL, TEXTS, 5)
    with pytest.raises(InputError, match="top must be a whole number"):
        check(MODEL, TEXTS, top=0)


def test_invalid_arguments() -> None:
    assert seed_stability(Keywords(), Keywords(), TEXTS, top=3).passed
    with pytest.raises(InputError, match="different classes"):
        seed_stability(MODEL, made_cnn(classes=2), TEXTS)
    with pytest.raises(InputError, match="layers may be 'all' or 'output'"):
        model_randomisation(MODEL, SHORT, layers="some")
    with pytest.raises(InputError, match="seed must be"):
        model_randomisation(MODEL, SHORT, seed=-1)
    with pytest.raises(InputError, match="shift must be"):
        input_invariance(MODEL, SHORT, shift=0)
    with pytest.raises(InputError, match=r"needs word vectors that can be shifted, .*'svm'"):
        input_invariance(SVMClassifier(C=1.0).fit(*topical(9)), TEXTS)
    with pytest.raises(InputError, match="none of the texts has as many words as the widest"):
        input_invariance(MODEL, ["wa"])
    with pytest.raises(InputError, match="document 0 has 1 values, but the model sees 3 words"):
        model_randomisation(MODEL, SHORT, lambda *_: [[1.0]] * 2)
