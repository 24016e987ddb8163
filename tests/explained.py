"""Explanations of odd texts, and whether two are the same."""

import numpy as np

from whyword import Explanation

TEXT = "wa \U0001f680 wb, wg\r\n\ud800 e\u0301 שלום"
TARGETS = ["predicted", "class 1", ["class 2", "class 0"], "all"]


def assert_same(found: Explanation, expected: Explanation) -> None:
    """Compare all there is to them; a file has no halves of surrogate pairs."""
    assert found.text == expected.text.replace("\ud800", "\ufffd")
    assert found.words == expected.words
    np.testing.assert_array_equal(found.spans, expected.spans)
    np.testing.assert_array_equal(found.known, expected.known)
    np.testing.assert_array_equal(found.relevance, expected.relevance)
    assert found.relevance.dtype == np.float32
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.padding, expected.padding)
    np.testing.assert_array_equal(found.constant, expected.constant)
    assert found.conserves is expected.conserves
    np.testing.assert_allclose(found.residual, expected.residual)
    for name in ("id", "truncated", "classes", "target", "targets", "method", "model", "against"):
        assert getattr(found, name) == getattr(expected, name), name
    assert dict(found.parameters) == dict(expected.parameters)
