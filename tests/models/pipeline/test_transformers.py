"""scikit-learn's transformers, taken apart: each gives what it gives."""

from typing import Any

import numpy as np
import pytest
from networks import topical
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder
from wrapped import EACH

from whyword.models.pipeline.graph import Graph
from whyword.models.pipeline.probes import NotLinearError
from whyword.models.pipeline.transformers import transformed

TEXTS, LABELS = topical(30)


@pytest.mark.parametrize("name", EACH)
def test_each_gives_what_it_gives(name: str) -> None:
    made = make_pipeline(CountVectorizer(), EACH[name]()).fit(TEXTS, LABELS)
    graph = Graph()
    last = transformed(made, None, graph)
    texts = [*TEXTS[:3], "", "moon"]
    expected = made.transform(texts)
    expected = expected.toarray() if hasattr(expected, "toarray") else expected
    ours = graph.outputs(texts, last)[last].toarray()
    np.testing.assert_allclose(ours, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("transformer", "reason"),
    [
        (OrdinalEncoder(), "its OrdinalEncoder is not known to be linear"),
        (MinMaxScaler(clip=True), "its MinMaxScaler clips"),
        (FeatureUnion([("a", "drop")]), "a union of nothing"),
    ],
)
def test_what_is_not_linear_says_so(transformer: Any, reason: str) -> None:  # noqa: ANN401
    graph = Graph()
    below = transformed(CountVectorizer().fit(TEXTS), None, graph)
    with pytest.raises(NotLinearError, match=reason):
        transformed(transformer, below, graph)


def test_texts_need_a_vectoriser() -> None:
    for transformer, reason in ((None, "passes texts on"), (SelectKBest(), "begins with")):
        with pytest.raises(NotLinearError, match=reason):
            transformed(transformer, None, Graph())


class Doubling(TfidfTransformer):  # type: ignore[misc]  # scikit-learn has no types
    """A class of somebody's own, which does more than it is called."""

    def transform(self, X: Any, copy: bool = True) -> Any:  # noqa: ANN401, N803 - scikit-learn's
        """Return twice what it would be."""
        return 2 * super().transform(X, copy=copy)


def test_a_class_of_its_own_is_not_believed() -> None:
    """Behind a calibration nobody else would see it: that has no scores of its own."""
    made = make_pipeline(CountVectorizer(), Doubling()).fit(TEXTS)
    with pytest.raises(NotLinearError, match="its Doubling does something of its own"):
        transformed(made, None, Graph())
