import numpy as np
import pytest
from networks import made_cnn, made_text, topical

from whyword import SVMClassifier, explain


@pytest.mark.parametrize("widths", [(1,), (2, 3)])
def test_is_the_limit_of_lrp_without_biases(widths: tuple[int, ...]) -> None:
    """METHOD §5; against torch's autograd it is held in test_sensitivity.py."""
    model, text = made_cnn(widths, seed=4), made_text([0, 1, 2, 3, 4, 5, 6])
    product = explain(model, text, target="all", method="gradient_input")
    limit = explain(model, text, target="all", epsilon=1e-9, bias="left out")
    np.testing.assert_allclose(product.relevance, limit.relevance, rtol=1e-4, atol=1e-5)


def test_what_is_left_is_the_biases() -> None:
    model, text = made_cnn((2,), seed=4), made_text([0, 1, 2, 3])
    found = explain(model, text, target="class 2", method="gradient_input")
    network = model.network_
    fired = network.activate(model.inputs_.batch([text]))[0].pooled[0] > 0
    biases = (network.convolutions[0].bias * network.output_weight[:, 2])[fired].sum()
    assert found.residual == pytest.approx(float(biases + network.output_bias[2]), abs=1e-4)


def test_a_score_of_0_is_no_special_case() -> None:
    model = made_cnn((1,), integers=True)
    model.network_.output_weight[:, 0] = 0
    model.network_.output_bias[0] = 0
    found = explain(model, made_text([0, 1]), target="class 0", method="gradient_input")
    assert (found.relevance == 0).all()


def test_svm() -> None:
    model = SVMClassifier(C=1.0).fit(*topical(60))
    found = explain(model, "moon goal moon", target="all", method="gradient_input")
    np.testing.assert_allclose(found.residual, model.output_bias_, atol=1e-6)
