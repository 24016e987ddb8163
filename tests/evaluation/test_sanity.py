"""Does an explanation depend on what it should."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from keywords import Keywords
from networks import made_cnn, made_text, small_cnn, topical

from whyword import CNNClassifier, InputError, SVMClassifier
from whyword.evaluation import input_invariance, model_randomisation, seed_stability

TEXTS, LABELS = topical(40, seed=8)
MODEL = small_cnn()


def test_shuffling_keeps_the_weights_but_not_their_places() -> None:
    for layers in MODEL.shuffled_layers:
        other = MODEL.shuffled(layers, 1)
        assert isinstance(other, CNNClassifier)
        before, after = MODEL.network_, other.network_
        assert not np.array_equal(before.output_weight, after.output_weight)
        np.testing.assert_array_equal(
            np.sort(before.output_weight.ravel()), np.sort(after.output_weight.ravel())
        )
        same = np.array_equal(before.convolutions[0].weight, after.convolutions[0].weight)
        assert same == (layers == "output")


def test_shuffled_weights_change_the_relevance() -> None:
    svm = SVMClassifier(C=1.0).fit(*topical(60))
    for model in (MODEL, svm):
        check = model_randomisation(model, TEXTS)
        assert check.passed
        assert check.agreement.correlation < 0.5
        assert check.score_change > 0.1
        assert "depends on what the model has learned" in check.verdict
        json.dumps(check.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match="layers may be"):
        model_randomisation(MODEL, TEXTS, layers="some")


def test_an_explanation_that_ignores_the_model_is_caught() -> None:
    def by_length(model: object, texts: list[str], targets: Sequence[object]) -> list[np.ndarray]:
        assert len(texts) == len(targets)
        words = [text.split() for text in texts]
        return [np.array([len(word) + n / 100 for n, word in enumerate(each)]) for each in words]

    check = model_randomisation(MODEL, TEXTS, by_length)
    assert not check.passed
    assert check.agreement.correlation == pytest.approx(1)
    assert "hardly looks at the model" in check.verdict
    assert not model_randomisation(MODEL, TEXTS, "random").passed


def test_the_shifted_network_is_the_same_function() -> None:
    for widths in ((1,), (2,), (1, 3)):
        model = made_cnn(widths, seed=3)
        other = model.shifted(0.7)
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


@pytest.mark.slow(reason="trains another network")
def test_two_trainings() -> None:
    check = seed_stability(MODEL, small_cnn(seed=1), TEXTS, top=3)
    assert check.passed
    assert check.agreement.overlap > check.agreement.chance
    assert check.agreement.top == 3
    assert "Two trainings agree" in check.verdict
    short = seed_stability(MODEL, MODEL, ["moon orbit", "puck goal"])
    assert not short.passed
    assert "cannot be compared, for texts this short" in short.verdict
    chance = seed_stability(MODEL, MODEL.shuffled("all", 0), TEXTS, top=3)
    assert "do not agree" in chance.verdict


@pytest.mark.slow(reason="half a second and more")
def test_bad_questions() -> None:
    with pytest.raises(InputError, match="no texts"):
        model_randomisation(MODEL, [])
    with pytest.raises(InputError, match="takes a name or a function, not 5"):
        model_randomisation(MODEL, TEXTS, 5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="different classes"):
        seed_stability(MODEL, small_cnn(classes=2), TEXTS)
    with pytest.raises(InputError, match=r"needs word vectors that can be shifted, .*'svm'"):
        input_invariance(SVMClassifier(C=1.0).fit(*topical(60)), TEXTS)
    with pytest.raises(InputError, match="none of the texts has as many words as the widest"):
        input_invariance(MODEL, ["moon"])
    with pytest.raises(InputError, match="document 0 has 1 values, but the model sees 16 words"):
        model_randomisation(MODEL, TEXTS, lambda *_: [[1.0]] * len(TEXTS))


def test_somebodys_model() -> None:
    assert seed_stability(Keywords(), Keywords(), TEXTS, top=3).passed
    for check in (model_randomisation, input_invariance):
        with pytest.raises(InputError, match=r"needs w.*, which a model of kind 'Keywords'"):
            check(Keywords(), TEXTS)
