"""shap's explanations, and back."""

import dataclasses
import warnings

import numpy as np
import pytest
from networks import made_cnn

from whyword import Explanation, InputError, explain

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of shap's own imports
    import shap


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_shap_and_back(target: str) -> None:
    made = explain(made_cnn(), ' "wa", wb  and Dr. wc!\n', target)
    values = made.to_shap()
    assert isinstance(values, shap.Explanation)
    assert "".join(values.data) == made.text
    np.testing.assert_allclose(
        values.values.sum(axis=0) + values.base_values, made.score, rtol=1e-6
    )
    explanation = Explanation.from_shap(values)
    assert explanation.words == made.words
    np.testing.assert_array_equal(explanation.spans, made.spans)
    np.testing.assert_array_equal(explanation.relevance, made.relevance)
    np.testing.assert_allclose(explanation.score, made.score, rtol=1e-6)
    for wrong in ("text", None, shap.Explanation(values=np.ones((2, 3, 4)))):
        with pytest.raises(InputError, match="not shap's explanation of one text"):
            Explanation.from_shap(wrong)


def test_the_base_value_is_all_that_is_on_no_word() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    moved = dataclasses.replace(made, padding=made.padding - 0.5, constant=0.25)
    assert moved.to_shap().base_values == pytest.approx(made.score - made.relevance.sum(), abs=1e-6)
    again = Explanation.from_shap(moved.to_shap())
    assert (again.constant, again.conserves) == (0, False)


def test_a_text_without_words() -> None:
    with pytest.raises(InputError, match="shap has no explanation of nothing"):
        explain(made_cnn(), "").to_shap()
