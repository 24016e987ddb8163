"""A question is checked at once and answered block by block."""

import numpy as np
import pytest
from networks import small_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.methods import blocks
from whyword.methods.request import Inquiry, identity_of

TEXTS, LABELS = topical(30)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"target": "nothing"}, "there is no class 'nothing'"),
        ({"method": "guess"}, "guess"),
        ({"epsilon": -1}, "epsilon"),
        ({"against": "nothing"}, "there is no class 'nothing'"),
    ],
)
def test_questions_that_make_no_sense(wrong: dict[str, object], said: str) -> None:
    asked = {"target": "predicted", "method": "lrp"} | wrong
    with pytest.raises(InputError, match=said):
        Inquiry.of(small_cnn(), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("against", [None, "space"])
def test_answers_are_those_of_explain(against: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_DOCUMENTS", 7)
    model = SVMClassifier(C=1.0).fit(TEXTS, LABELS)
    against = None if against is None else str(model.classes_[0])
    inquiry = Inquiry.of(model, "all", "lrp", None, against)
    expected = iter(explain(model, TEXTS, "all", against=against))
    count = 0
    for block, targets, found in inquiry.answers(TEXTS):
        assert targets.tolist() == [[0, 1, 2]] * len(block.documents)
        for words in found.words:
            one = next(expected)
            np.testing.assert_allclose(words, one.relevance, rtol=1e-6, atol=1e-7)
            assert inquiry.recorded == one.parameters
            count += 1
    assert count == len(TEXTS)


def test_identities() -> None:
    model = small_cnn()
    assert identity_of(model) == model.identity
    assert identity_of(object()) is None
