"""Does an explanation depend on what it should."""

import json
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import made_cnn, made_text, small_cnn, topical
from scipy import stats

from whyword import (
    CNNClassifier,
    Explanations,
    InputError,
    SVMClassifier,
    agreement,
    explain,
    input_invariance,
    model_randomisation,
    seed_stability,
)
from whyword.evaluation.sanity import rank_correlation, shifted_model, shuffled_model

TEXTS, LABELS = topical(40, seed=8)
MODEL = small_cnn()


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12))
def test_rank_correlation_is_spearmans(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, np.float64).T
    found = rank_correlation(a, b)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(stats.spearmanr(a, b).statistic)


def test_agreement() -> None:
    a = [np.array([3.0, 2, 1, 0]), np.array([1.0, 1]), np.empty(0)]
    b = [np.array([3.0, 1, 2, 0]), np.array([0.0, 5]), np.empty(0)]
    found = agreement(a, b, top=2)
    np.testing.assert_allclose(found.correlations, [0.8, np.nan])
    np.testing.assert_allclose(found.overlaps, [0.5, 1.0])
    assert found.correlation == pytest.approx(0.8)
    assert (found.overlap, found.chance) == (0.75, 0.75)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["without_order"] == 1
    assert "rank correlation 0.800, 75% of the top 2" in repr(found)
    explained = explain(MODEL, TEXTS[:3])
    assert agreement(explained, explained).correlation == pytest.approx(1)


def test_without_any_order_there_is_no_correlation() -> None:
    found = agreement([np.ones(3)], [np.ones(3)])
    assert math.isnan(found.correlation)
    assert found.to_dict()["rank_correlation"] is None


def test_shuffling_keeps_the_weights_but_not_their_places() -> None:
    for everything in (False, True):
        other = shuffled_model(MODEL, everything, 1)
        assert isinstance(other, CNNClassifier)
        before, after = MODEL.network_, other.network_
        assert not np.array_equal(before.output_weight, after.output_weight)
        np.testing.assert_array_equal(
            np.sort(before.output_weight.ravel()), np.sort(after.output_weight.ravel())
        )
        same = np.array_equal(before.convolutions[0].weight, after.convolutions[0].weight)
        assert same == (not everything)


def test_shuffled_weights_change_the_relevance() -> None:
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    for model in (MODEL, svm):
        found = model_randomisation(model, TEXTS)
        assert found.passed
        assert found.agreement.correlation < 0.5
        assert found.score_change > 0.1
        assert "depends on what the model has learned" in found.verdict
        json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match="layers may be"):
        model_randomisation(MODEL, TEXTS, layers="some")


def test_an_explanation_that_ignores_the_model_is_caught() -> None:
    def by_length(model: object, texts: list[str], targets: Sequence[object]) -> list[np.ndarray]:
        assert len(texts) == len(targets)
        words = [text.split() for text in texts]
        return [np.array([len(word) + n / 100 for n, word in enumerate(each)]) for each in words]

    found = model_randomisation(MODEL, TEXTS, by_length)
    assert not found.passed
    assert found.agreement.correlation == pytest.approx(1)
    assert "hardly looks at the model" in found.verdict
    assert not model_randomisation(MODEL, TEXTS, "random").passed


def test_the_shifted_network_is_the_same_function() -> None:
    for widths in ((1,), (2,), (1, 3)):
        model = made_cnn(widths, seed=3)
        other = shifted_model(model, 0.7)
        text = made_text([0, 1, 2, 6, 3])
        np.testing.assert_allclose(
            other.class_scores([text]), model.class_scores([text]), atol=1e-4
        )
        np.testing.assert_allclose(
            other.input_matrix(text), model.input_matrix(text) + 0.7, atol=1e-5
        )


def test_gradients_are_invariant_and_what_weighs_inputs_is_not() -> None:
    gradient = input_invariance(MODEL, [*TEXTS, "moon", ""], "sensitivity")
    assert gradient.passed
    assert gradient.score_change < 1e-3
    weighing = input_invariance(MODEL, TEXTS, "gradient_input")
    assert weighing.score_change < 1e-3
    assert not weighing.passed
    assert "depends on where the zero" in weighing.verdict


def test_two_trainings() -> None:
    found = seed_stability(MODEL, small_cnn(seed=1), TEXTS, top=3)
    assert found.passed
    assert found.agreement.overlap > found.agreement.chance
    assert found.agreement.top == 3
    assert "Two trainings agree" in found.verdict
    short = seed_stability(MODEL, MODEL, ["moon orbit", "puck goal"])
    assert not short.passed
    assert "cannot be compared, for texts this short" in short.verdict
    chance = seed_stability(MODEL, shuffled_model(MODEL, True, 0), TEXTS, top=3)
    assert "do not agree" in chance.verdict


def test_bad_questions() -> None:
    with pytest.raises(InputError, match="differ in their documents: 1 ≠ 2"):
        agreement([np.ones(2)], [np.ones(2)] * 2)
    with pytest.raises(InputError, match="document 0 has 2 and 3 values"):
        agreement([np.ones(2)], [np.ones(3)])
    with pytest.raises(InputError, match="no documents"):
        agreement([], [])
    with pytest.raises(InputError, match="none of the documents has a word"):
        agreement([np.empty(0)], [np.empty(0)])
    with pytest.raises(InputError, match="a relevance is no list of numbers"):
        agreement([([(0, 1)], [1.0])], [np.ones(1)])
    with pytest.raises(InputError, match="no finite number"):
        agreement([np.array([np.nan])], [np.ones(1)])
    with pytest.raises(InputError, match=r"shape \(2, 3\)"):
        agreement(Explanations([explain(made_cnn(), "wa wb", target="all")]), [np.ones(2)])
    with pytest.raises(InputError, match="no texts"):
        model_randomisation(MODEL, [])
    with pytest.raises(InputError, match="takes a name or a function, not 5"):
        model_randomisation(MODEL, TEXTS, 5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="different classes"):
        seed_stability(MODEL, small_cnn(classes=2), TEXTS)
    with pytest.raises(InputError, match="of a CNNClassifier"):
        input_invariance(SVMClassifier(C=1.0).fit(*topical(60)), TEXTS)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="none of the texts has 2 words"):
        input_invariance(MODEL, ["moon"])
    with pytest.raises(InputError, match="document 0 has 1 values, but the model sees 16 words"):
        model_randomisation(MODEL, TEXTS, lambda *_: [[1.0]] * len(TEXTS))


def test_scipy_may_be_missing(uninstall: Callable[[str], None]) -> None:
    uninstall("scipy")
    with pytest.raises(ImportError, match=r"whyword\[evaluate\]"):
        rank_correlation(np.ones(2), np.ones(2))
