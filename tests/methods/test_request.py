"""A request is checked at once and answered block by block."""

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn, topical

from whyword import InputError, SVMClassifier, explain
from whyword.methods.request import LEVELS, Request
from whyword.models.blackbox import as_classifier
from whyword.models.linear import trace as linear

TEXTS, LABELS = topical(30)


class Even:
    """Somebody's model."""

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.5] for _ in texts]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"target": "nothing"}, "there is no class 'nothing'"),
        ({"method": "guess"}, "guess"),
        ({"parameters": {"epsilon": -1}}, "epsilon"),
        ({"against": "nothing"}, "there is no class 'nothing'"),
        (
            {"level": "letter"},
            "level may be .*'phrase' or 'element' or 'filter', not 'letter'",
        ),
        ({"level": None}, "level may be "),
        ({"level": "element", "method": "occlusion"}, "level='element' needs a model of word vec"),
        ({"level": "filter", "method": "random"}, "level='filter' needs a network with filters"),
    ],
)
def test_requests_that_make_no_sense(wrong: dict[str, object], said: str) -> None:
    asked = {"target": "predicted", "method": "lrp"} | wrong
    with pytest.raises(InputError, match=said):
        Request.of(small_cnn(), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("against", [None, "space"])
def test_answers_are_those_of_explain(against: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_DOCUMENTS", 7)
    model = SVMClassifier(C=1.0).fit(TEXTS, LABELS)
    against = None if against is None else str(model.classes_[0])
    request = Request.of(model, "all", "lrp", against=against)
    expected = iter(explain(model, TEXTS, "all", against=against))
    count = 0
    for trace, targets, relevance in request.answers(TEXTS):
        assert targets.tolist() == [[0, 1, 2]] * len(trace.documents)
        for words in relevance.words:
            one = next(expected)
            np.testing.assert_allclose(words, one.relevance, rtol=1e-6, atol=1e-7)
            assert request.recorded == one.parameters
            count += 1
    assert count == len(TEXTS)


@pytest.mark.parametrize("against", [None, "class 0"])
def test_answers_of_filters(against: str | None) -> None:
    model, texts = made_cnn((1, 2)), [made_text([0, 1]), ""]
    request = Request.of(model, "all", against=against, level="filter")
    expected = explain(model, texts, "all", against=against, level="filter")
    ((_, targets, relevance),) = request.filter_answers(texts)
    assert targets.tolist() == [[0, 1, 2]] * 2
    for values, constant, one in zip(relevance.filters, relevance.constant, expected, strict=True):
        np.testing.assert_allclose(values, one.relevance, atol=1e-6)
        np.testing.assert_array_equal(constant, one.constant)
    with pytest.raises(TypeError, match="random does not go through filters"):
        next(Request.of(model, "all", "random").filter_answers(texts))


def test_deleted_words_are_read_in_step() -> None:
    model, text = made_cnn(), made_text([0, 1, 2])
    deleted = iter([np.array([1]), np.array([], np.intp)])
    ((trace, _, _),) = Request.of(model, "predicted").answers([text, text], deleted)
    expected = explain(model, [text, text], deleted=[[1], []])
    np.testing.assert_array_equal(trace.scores, [one.scores for one in expected])


def test_the_method_is_the_best_of_the_model() -> None:
    svm = SVMClassifier(C=1.0).fit(TEXTS, LABELS)
    assert Request.of(made_cnn(), "predicted").method.name == "lrp"
    assert Request.of(svm, "predicted").method.name == "lrp"
    assert Request.of(Even(), "predicted").method.name == "occlusion"


def test_what_is_recorded_and_promised() -> None:
    svm = SVMClassifier(C=1.0).fit(TEXTS, LABELS)
    asked = Request.of(svm, "space", against="hockey")
    shares = {"occurrences": "equal shares"}
    assert asked.recorded == {"bias": "shared", "against": "hockey"} | shares
    assert asked.conserves
    assert Request.of(svm, "space", "sensitivity").recorded == shares
    assert not Request.of(svm, "space", "sensitivity").conserves
    assert Request.of(Even(), 0).recorded == {"output": "probability"}
    assert Request.of(made_cnn(), "all", "occlusion").recorded == {"output": "score"}
    assert LEVELS == ("word", "phrase", "element", "filter")


def test_identities() -> None:
    model = small_cnn()
    assert as_classifier(model).identity == model.identity
    assert as_classifier(Even()).identity is None
    assert explain(Even(), "some text").model is None
