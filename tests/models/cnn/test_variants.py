"""Networks made from a trained one."""

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn

from whyword.models.cnn.variants import shifted, shuffled_network, shuffled_weights

TEXTS = [made_text([0, 1, 2, 3, 4]), made_text([6, 5, 4, 3]), made_text([1, 1, 1])]


def test_shuffling_keeps_the_numbers() -> None:
    weights = np.arange(12.0).reshape(3, 4)
    shuffled = shuffled_weights(weights, np.random.default_rng(0))
    assert shuffled.shape == (3, 4)
    assert sorted(shuffled.ravel()) == sorted(weights.ravel())
    assert (shuffled != weights).any()


@pytest.mark.parametrize("filters", [True, False])
def test_a_shuffled_network(filters: bool) -> None:
    before = made_cnn((1, 2)).network_
    after, again = shuffled_network(before, filters, 3), shuffled_network(before, filters, 3)
    other = shuffled_network(before, filters, 4)
    assert (after.output_weight != before.output_weight).any()
    np.testing.assert_array_equal(after.output_weight, again.output_weight)
    assert (after.output_weight != other.output_weight).any()
    np.testing.assert_array_equal(after.output_bias, before.output_bias)
    for old, new in zip(before.convolutions, after.convolutions, strict=True):
        assert (old.weight != new.weight).any() == filters
        np.testing.assert_array_equal(np.sort(old.weight.ravel()), np.sort(new.weight.ravel()))
        np.testing.assert_array_equal(old.bias, new.bias)


@pytest.mark.parametrize("layers", ["all", "output"])
def test_a_shuffled_model_is_a_copy(layers: str) -> None:
    model = small_cnn()
    before = model.network_
    other = model.shuffled(layers, 1)
    assert model.network_ is before
    assert layers in model.shuffled_layers
    changed = other.network_.convolutions[0].weight != before.convolutions[0].weight
    assert changed.any() == (layers == "all")


@pytest.mark.parametrize("shift", [0.0, 0.5, -3.0])
@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
def test_shifted_inputs_have_the_same_scores(widths: tuple[int, ...], shift: float) -> None:
    model = made_cnn(widths, seed=2)
    inputs, network = shifted(model.inputs_, model.network_, shift)
    moved = model.shifted(shift)
    for text in TEXTS:
        assert model.is_shiftable(text)
        before, after = model.input_matrix(text), inputs.matrix(text)
        np.testing.assert_allclose(after, before + shift, atol=1e-5)
        scores = network.forward(inputs.batch([text]))
        np.testing.assert_allclose(scores, model.class_scores([text]), atol=1e-4)
        np.testing.assert_array_equal(scores, moved.class_scores([text]))


def test_padding_does_not_move() -> None:
    model = made_cnn((3,))
    assert not model.is_shiftable("wa wb")
    assert model.is_shiftable("wa wb wc")
