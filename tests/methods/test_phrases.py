"""Phrases that are asked for after the text was explained."""

from typing import Any

import numpy as np
import pytest
from networks import made_cnn
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, explain


@pytest.mark.parametrize("target", ["class 2", "all", ["class 2", "class 0"]])
@pytest.mark.parametrize("against", [None, "class 1"])
@pytest.mark.parametrize("deleted", [None, [1, 3]])
def test_asked_for_later_they_are_the_same(
    target: object, against: str | None, deleted: list[int] | None
) -> None:
    model, text = made_cnn((1, 2)), "wa wb wc wa wb"
    options: dict[str, Any] = {"target": target, "against": against, "deleted": deleted}
    asked, later = explain(model, text, level="phrase", **options), explain(model, text, **options)
    assert asked.units is not None
    assert later.units is None
    assert later.phrases() == asked.phrases()
    sums = asked.units.relevance.sum(axis=0)
    np.testing.assert_allclose(sums, asked.relevance.sum(axis=0), atol=1e-5)
    assert "phrases" not in later.fields()


def test_a_model_that_has_changed_since_says_so() -> None:
    model = made_cnn()
    explanation = explain(model, "wa wb wc")
    model.network_.output_bias[:] += 1
    with pytest.raises(InputError, match="the model has changed since this was explained"):
        explanation.phrases()


def test_a_pipeline_is_asked_as_it_was_passed() -> None:
    pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
    pipeline.fit(["not good", "good", "so bad", "not bad"], ["bad", "good", "bad", "good"])
    phrases = explain(pipeline, "not so good", "good").phrases()
    assert {one.text for one in phrases} == {"not", "so", "good"}
    with pytest.raises(InputError, match=r"there no more, .* explain with level='phrase'"):
        explain(made_cnn(), "wa wb").phrases()
