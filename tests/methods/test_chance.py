import numpy as np
from networks import made_cnn, made_text

from whyword import explain


def test_random_relevance_depends_on_seed_text_and_class_only() -> None:
    model, text = made_cnn(), made_text([0, 1, 2] * 100)
    first = explain(model, text, target="all", method="random")
    again = explain(model, ["wa", text], target="class 1", method="random")[1]
    np.testing.assert_array_equal(first.relevance[:, 1], again.relevance)
    other = explain(model, text, target="all", method="random", seed=1)
    assert abs(np.corrcoef(first.relevance[:, 0], other.relevance[:, 0])[0, 1]) < 0.2
    assert abs(np.corrcoef(first.relevance[:, 0], first.relevance[:, 1])[0, 1]) < 0.2
    assert first.parameters == {"seed": 0}
