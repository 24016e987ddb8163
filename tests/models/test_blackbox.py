"""Anything with predict_proba: what it can be asked, and what it must not say."""

import math
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn
from numpy.typing import NDArray

from whyword import InputError, Reader, SVMClassifier, explain
from whyword.base.errors import ModelError
from whyword.models import blackbox as module
from whyword.models.blackbox import BlackBox, BlackBoxTrace, as_classifier, labels_of
from whyword.words.tokenizer import Tokenizer


class Shouting:
    """Somebody's model: the more capitals, the angrier."""

    classes_ = np.array(["angry", "calm"])
    largest = 0
    full = 100  # capitals

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        assert isinstance(texts, list)
        self.largest = max(self.largest, len(texts))
        angry = [sum(c.isupper() for c in text) / self.full for text in texts]
        return np.array([[share, 1 - share] for share in angry])


class Bare:
    """Somebody's model that does not say how its classes are called."""

    calls = 0

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        self.calls += 1
        return [[0.2, 0.5, 0.3] for _ in texts]


def test_what_is_a_model_already_stays_itself() -> None:
    model = made_cnn()
    assert as_classifier(model) is model
    wrapped = as_classifier(Shouting())
    assert isinstance(wrapped, BlackBox)
    assert as_classifier(wrapped) is wrapped
    assert (wrapped.kind, wrapped.identity, wrapped.trace_kind) == ("Shouting", None, BlackBoxTrace)


@pytest.mark.parametrize("model", [None, "models/cnn2", 3, Shouting])
def test_what_is_no_model(model: object) -> None:
    with pytest.raises(InputError, match="is no model: one of whyword's, or anything with predict"):
        as_classifier(model)


def test_what_is_not_trained_yet() -> None:
    with pytest.raises(InputError, match="not trained yet"):
        labels_of(as_classifier(SVMClassifier()))


def test_labels_are_plain_values() -> None:
    assert labels_of(as_classifier(Shouting())) == ["angry", "calm"]
    assert all(type(label) is str for label in labels_of(as_classifier(Shouting())))
    assert labels_of(as_classifier(made_cnn())) == ["class 0", "class 1", "class 2"]


def test_classes_without_names_are_counted_once() -> None:
    model = Bare()
    wrapped = as_classifier(model)
    assert labels_of(wrapped) == labels_of(wrapped) == [0, 1, 2]
    assert model.calls == 1


def test_its_scores_are_its_probabilities() -> None:
    texts = ["LOOK here", "", "no"]
    (trace,) = as_classifier(Shouting()).trace(texts)
    expected = Shouting().predict_proba(texts)
    np.testing.assert_array_equal(trace.scores, expected)
    np.testing.assert_array_equal(trace.probabilities, expected)
    assert all(known.all() for known in trace.known)
    assert trace.known_words.tolist() == [2, 0, 1]


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["A", "bB", "", "C D", "e"]
    monkeypatch.setattr(module, "_DOCUMENTS", 2)
    deleted = iter([np.array([], np.intp)] * 3 + [np.array([1])] + [np.array([0])])
    parts = list(as_classifier(Shouting()).trace(texts, deleted=deleted))
    assert [len(part) for part in parts] == [2, 2, 1]
    scores = np.concatenate([part.scores for part in parts])
    np.testing.assert_array_equal(scores, Shouting().predict_proba(["A", "bB", "", "C ", ""]))


# ---- words that are deleted -------------------------------------------------------------------


def test_deleting_is_predicting_the_text_without() -> None:
    text = "LOOK, it IS HERE"
    explanation = explain(Shouting(), text, "all", deleted=[3, 0])
    np.testing.assert_array_equal(explanation.scores, Shouting().predict_proba([", it IS "])[0])
    assert explanation.words == ["LOOK", "it", "IS", "HERE"]
    assert explanation.parameters["deleted"] == [0, 3]
    assert explanation.known.tolist() == [False, True, True, False]
    np.testing.assert_allclose(explanation.relevance[:, 0], [0, 0, 0.02, 0], atol=1e-7)
    np.testing.assert_allclose(explanation.relevance[:, 1], [0, 0, -0.02, 0], atol=1e-7)
    np.testing.assert_array_equal(explanation.padding, 0)


def test_deleting_from_several_texts() -> None:
    texts = ["A b", "", "C D"]
    explanations = explain(Shouting(), texts, "angry", deleted=[[], [], [0, 1]])
    assert [one.score for one in explanations] == pytest.approx([0.01, 0, 0])
    assert (
        explanations[0].relevance.tolist() == explain(Shouting(), "A b", "angry").relevance.tolist()
    )
    assert not explanations[2].relevance.any()


def test_deleting_what_is_not_there() -> None:
    with pytest.raises(InputError, match="word 2 is to be deleted, but the text's words are 0 … 1"):
        explain(Shouting(), "a b", deleted=[2])
    with pytest.raises(InputError, match="there is no word in the text"):
        explain(Shouting(), "", deleted=[0])


@pytest.mark.parametrize("insert", [True, False])
def test_erasing_begins_without_the_deleted(insert: bool) -> None:
    (trace,) = as_classifier(Shouting()).trace(["A B C"], deleted=iter([np.array([1])]))
    orders = np.array([[[0, 1, 2]]], np.int32)
    assert isinstance(trace, BlackBoxTrace)
    erased = trace.erase(np.array([0]), orders, insert, np.arange(4))
    expected = [0, 0.01, 0.01, 0.02] if insert else [0.02, 0.01, 0.01, 0]
    np.testing.assert_allclose(erased.scores[0, 0, :, 0], expected, atol=1e-12)
    np.testing.assert_array_equal(erased.scores, erased.probabilities)


# ---- explanations -----------------------------------------------------------------------------


def test_any_model_with_probabilities() -> None:
    explanation = explain(Shouting(), "LOOK, it is HERE", method="occlusion", target="angry")
    assert explanation.words == ["LOOK", "it", "is", "HERE"]
    np.testing.assert_allclose(explanation.relevance, [0.04, 0, 0, 0.04], atol=1e-7)
    assert explanation.score == pytest.approx(0.08)
    assert explanation.model is None
    assert explanation.parameters["output"] == "probability"
    assert explain(Shouting(), "look", method="occlusion").target == "calm"


def test_somebodys_model_gets_a_long_text_in_portions() -> None:
    model = Shouting()
    model.full = 1000
    explanation = explain(model, "A b " * 500, method="occlusion", target="all")
    assert explanation.relevance.shape == (1000, 2)
    assert model.largest == 64
    np.testing.assert_allclose(explanation.relevance[::2, 0], 0.001, atol=1e-6)


def test_a_model_without_classes_has_their_numbers() -> None:
    class Bare:
        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            return [[0.2, 0.5, 0.3] for _ in texts]

    explanation = explain(Bare(), "some text", method="occlusion")
    assert explanation.classes == (0, 1, 2)
    assert explanation.target == 1


def test_probabilities_of_the_wrong_shape() -> None:
    class Wrong:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[float]:
            return [0.5] * len(texts)

    with pytest.raises(InputError, match=r"Wrong.predict_proba gave \(1,\) for 1 texts"):
        explain(Wrong(), "some text", method="occlusion")


@pytest.mark.parametrize(
    ("classes", "answer", "message"),
    [
        (("a", "b", "c"), [[0.5, 0.5]], r"gave \(1, 2\) for 1 texts; it must give numbers, \(1, 3"),
        (("a", "a"), [[0.3, 0.7]], "are no distinct labels"),
        ((), [[]], "are no distinct labels"),
        (("a", "b"), [["x", "y"]], "a list that is no array of numbers"),
        (("a", "b"), {"a": 1}, "a dict that is no array of numbers"),
        (None, [[]], r"gave \(1, 0\)"),
    ],
)
def test_models_that_contradict_themselves(classes: object, answer: object, message: str) -> None:
    class Odd:
        classes_ = classes

        def predict_proba(self, texts: list[str]) -> object:
            return answer

    with pytest.raises(InputError, match=message):
        explain(Odd(), "text", method="occlusion", target="all")
    with pytest.raises(InputError, match="Odd is no model"):
        explain(Odd, "text", method="occlusion")


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_occlusion_asks_for_64_texts_at_a_time(count: int) -> None:
    asked: list[int] = []

    class Counting(Shouting):
        full = 1000

        def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
            asked.append(len(texts))
            return super().predict_proba(texts)

    explanation = explain(Counting(), "A " * count, "angry", method="occlusion")
    assert asked == [1, *[64] * (count // 64), *[count % 64][: count % 64]]
    np.testing.assert_allclose(explanation.relevance, 0.001, atol=1e-6)


def test_the_default_is_what_works() -> None:
    explanation = explain(Shouting(), "LOOK here", "angry")
    assert (explanation.method, explanation.conserves) == ("occlusion", False)
    assert explain(Shouting(), "LOOK here", method="random").relevance.shape == (2,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"method": "lrp"},
            "'lrp' needs a model that is decomposable, which this one is not; what",
        ),
        ({"method": "sensitivity"}, "what works here: 'occlusion', 'random'"),
        ({"method": "gradient_input"}, "needs a model that is differentiable"),
        ({"level": "element"}, "not 'occlusion' of a model of kind 'Shouting'; say level='word'"),
        ({"level": "filter"}, "not 'occlusion' of a model of kind 'Shouting'; say level='word'"),
        ({"epsilon": 0.1}, "method 'occlusion' has no parameter 'epsilon'; it has: none"),
        ({"target": "furious"}, "there is no class 'furious'"),
    ],
)
def test_what_it_cannot(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        explain(Shouting(), "text", **given)  # type: ignore[call-overload]


class Down:
    """A model whose service does not answer, or talks nonsense."""

    classes_ = ("a", "b")

    def __init__(self, nonsense: bool) -> None:
        self.nonsense = nonsense

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        if self.nonsense:
            return [[float("nan"), 1.0] for _ in texts]
        raise ValueError("service is down\ncall again")


def test_models_that_fail_are_one_line() -> None:
    with pytest.raises(InputError, match=r"Down.predict_proba failed .ValueError: service is down"):
        explain(Down(nonsense=False), "text")
    with pytest.raises(
        InputError, match=r"Down.predict_proba gave nan for text 0 .'text'., which is"
    ):
        explain(Down(nonsense=True), "text")
    with pytest.raises(InputError, match="load_model opens a folder"):
        explain("models/cnn2", "text")


# ---- functions --------------------------------------------------------------------------------


def loud(texts: list[str]) -> list[float]:
    """Return the probability of the second of two classes."""
    return [min(1.0, sum(c.isupper() for c in text) / 10) for text in texts]


def test_one_number_for_each_text_is_the_second_class() -> None:
    box = BlackBox(loud, ["calm", "angry"])
    np.testing.assert_allclose(box.scores(["LOOK", "no"]), [[0.6, 0.4], [1.0, 0.0]])
    np.testing.assert_array_equal(box.predict_proba(["LOOK"]), box.scores(["LOOK"]))
    column = BlackBox(lambda texts: np.array(loud(texts))[:, None], ("calm", "angry"))
    np.testing.assert_array_equal(column.scores(["LOOK", ""]), box.scores(["LOOK", ""]))
    one = explain(box, "LOOK at it", "angry")
    assert one.relevance.tolist() == pytest.approx([0.4, 0, 0])
    assert explain(loud, "LOOK at it").classes == (0, 1)  # as it does not say
    assert labels_of(BlackBox(lambda texts: [[1.0]] * len(texts), ["only"])) == ["only"]
    assert BlackBox(lambda texts: [[1.0]] * len(texts), ["only"]).scores(["x"]).shape == (1, 1)
    with pytest.raises(InputError, match=r"loud gave \(1,\) for 1 texts; .* \(1, 3\)"):
        BlackBox(loud, ["a", "b", "c"]).scores(["x"])


def test_names_are_given_to_classes_of_any_model() -> None:
    assert labels_of(BlackBox(Shouting(), ["A", "C"])) == ["A", "C"]
    assert labels_of(BlackBox(loud, np.array([3, 5]))) == [3, 5]
    assert type(labels_of(BlackBox(loud, np.array([3, 5])))[0]) is int
    with pytest.raises(InputError, match=r"Shouting.predict_proba gave \(1, 2\) for 1 texts"):
        explain(BlackBox(Shouting(), ["A", "B", "C"]), "text")


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "a"], r"classes are no distinct labels: \['a', 'a'\]"),
        ([], "classes are no distinct labels"),
        ("ab", "classes takes a list of labels, not str"),
        ({0: "a", 1: "b"}, "classes takes a list of labels, not dict"),
        (["a", None], "label 1 must be a string or a number, not None"),
        (["a", ["b"]], "label 1 must be a string or a number"),
        (["a", "\ud800"], "half a surrogate pair"),
        (7, "classes takes a list of labels, not int"),
    ],
)
def test_classes_that_are_none(classes: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=message):
        BlackBox(loud, classes)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[0.5, 0.5]], r"gave \(1, 2\) for 2 texts; it must give numbers, \(2, 2\)"),
        ([[0.5, 0.5]] * 3, r"gave \(3, 2\) for 2 texts"),
        ([[0.5, 0.5, 0]] * 2, r"gave \(2, 3\) for 2 texts"),
        ([[[0.5, 0.5]]] * 2, r"gave \(2, 1, 2\) for 2 texts"),
        ([[0.5, 0.5], [1.0]], "gave a list that is no array of numbers for 2 texts"),
        (["spam", "ham"], "gave a list that is no array of numbers"),
        (None, "gave a NoneType that is no array of numbers"),
        (0.5, r"gave \(\) for 2 texts"),
        ((row for row in [[0.5, 0.5]] * 2), "gave a generator that is no array of numbers"),
        ([[0.5, 0.5], [0.5, math.nan]], "gave nan for text 1 .'b b'., which is no number"),
        ([[0.5, math.inf], [0.5, 0.5]], "gave inf for text 0 .'a'., which is no number"),
        ([[0.5, 0.5], [-2, 3]], "gave -2 for text 1 .'b b'., which is no probability: it must"),
        ([1.5, 0.5], "gave -0.5 for text 0 .'a'., which is no probability"),
    ],
)
def test_functions_that_answer_nonsense(answer: object, said: str) -> None:
    def spam(texts: list[str]) -> object:
        return answer

    with pytest.raises(ModelError, match=f"spam {said}") as refusal:
        BlackBox(spam, ["ham", "spam"]).scores(["a", "b b"])
    assert "\n" not in str(refusal.value)


def test_rounding_is_no_nonsense() -> None:
    scores = BlackBox(lambda texts: [[1 + 1e-7, -1e-7]] * len(texts), ["a", "b"]).scores(["x"])
    np.testing.assert_allclose(scores, [[1, 0]], atol=1e-6)


class AngryError(Exception):
    """Cannot even be shown."""

    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("first\nsecond"), r"failed \(ValueError: first\)"),
        (AngryError(), r"failed \(AngryError: …\)"),
        (RuntimeError("\x1b[31m" + "x" * 10_000), r"failed \(RuntimeError: ␛\[31mx{200,300}\)"),
    ],
)
def test_functions_that_raise(error: Exception, said: str) -> None:
    def spam(texts: list[str]) -> object:
        raise error

    with pytest.raises(ModelError, match=f"^spam {said}$") as refusal:
        explain(BlackBox(spam, ["a", "b"]), "text")
    assert refusal.value.__cause__ is error


def test_the_number_of_classes_stays_what_it_was() -> None:
    sizes = iter([2, 2, 3])

    def fickle(texts: list[str]) -> list[list[float]]:
        return [[0.1] * next(sizes)] * len(texts)

    with pytest.raises(ModelError, match=r"fickle gave \(2, 3\) for 2 texts; .* \(2, 2\)"):
        explain(fickle, "some text")


def test_a_function_may_do_what_it_likes_with_its_list() -> None:
    def greedy(texts: list[str]) -> list[list[float]]:
        answer = [[0.2, 0.8] if "moon" in text else [0.6, 0.4] for text in texts]
        texts.clear()
        return answer

    assert explain(greedy, "to the moon").as_list()[0][0] == "moon"
    assert len(explain(greedy, ["to the moon", "a", ""])) == 3


def test_who_has_no_classes_is_asked_for_them_with_a_word() -> None:
    asked: list[list[str]] = []

    def careful(texts: list[str]) -> list[list[float]]:
        assert all(texts), "an empty text"
        asked.append(texts)
        return [[0.5, 0.5]] * len(texts)

    explain(careful, "two words")
    assert asked == [["text"], ["two words"], [" words", "two "]]


def test_a_documents_words_are_asked_for_once() -> None:
    asked: list[str] = []

    def counting(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[0.5, 0.5]] * len(texts)

    (trace,) = BlackBox(counting, ["a", "b"]).trace(["one two", "three"])
    first = trace.occlusion(np.zeros((2, 1), np.int32))
    second = trace.occlusion(np.ones((2, 2), np.int32))
    assert asked == ["one two", "three", " two", "one ", ""]
    assert first.words[0].shape == (2, 1)
    assert second.words[0].shape == (2, 2)


# ---- names ------------------------------------------------------------------------------------


def test_a_name_is_an_identity() -> None:
    box = BlackBox(loud, ["calm", "angry"], name="loudness 1")
    assert box.identity is not None
    assert re.fullmatch("[0-9a-f]{64}", box.identity)
    same = BlackBox(lambda texts: texts, ["calm", "angry"], name="loudness 1")
    assert same.identity == box.identity  # whoever changes the model changes the name
    others = [
        BlackBox(loud, ["calm", "angry"], name="loudness 2"),
        BlackBox(loud, ["angry", "calm"], name="loudness 1"),
        BlackBox(loud, ["calm", "angry"], name="loudness 1", reader=Reader(ignore=["it"])),
    ]
    assert len({box.identity, *(other.identity for other in others)}) == 4
    assert explain(box, "LOOK").model == box.identity
    assert BlackBox(loud, ["calm", "angry"]).identity is None
    own_words = Reader(tokenizer=Tokenizer(rule=lambda text: [(0, len(text))]))
    assert BlackBox(loud, ["calm", "angry"], name="x", reader=own_words).identity is None
    assert (box.provenance_, BlackBox(loud).provenance_) == ({"name": "loudness 1"}, {})


@pytest.mark.slow(reason="half a second and more")
def test_the_identity_is_the_same_in_another_process() -> None:
    code = (
        "import whyword as ww\n"
        "print(ww.BlackBox(len, ['a', 2], name='x', reader=ww.Reader(ignore=['b', 'a'])).identity)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    reader = Reader(ignore=["b", "a"])
    assert done.stdout.strip() == BlackBox(len, ["a", 2], name="x", reader=reader).identity


@pytest.mark.parametrize("name", ["", "  ", 3, b"x", "\ud800"])
def test_names_that_are_none(name: Any) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match="name must say what the model is called"):
        BlackBox(loud, name=name)


def test_it_says_what_it_is_and_that_it_cannot_be_saved(tmp_path: Path) -> None:
    def sure(texts: list[str]) -> list[list[float]]:
        return [[0.0, 1.0] for _ in texts]

    assert repr(BlackBox(sure, name="sure 1")) == "BlackBox(sure, name='sure 1')"
    with pytest.raises(InputError, match="a black box cannot be saved"):
        BlackBox(sure).save(tmp_path / "model")
    assert (
        explain(sure, "wa wb").to_text().startswith("1 (predicted)  probability +1, by occlusion")
    )


# ---- several labels ---------------------------------------------------------------------------


def colours(texts: list[str]) -> list[list[float]]:
    """Return the probabilities of red, green and blue, each by itself."""
    return [[0.9 * (name in text) for name in ("red", "green", "blue")] for text in texts]


class Scored:
    """The same, as scores."""

    classes_ = ("red", "green", "blue")

    def decision_function(self, texts: list[str]) -> NDArray[np.float64]:
        return 4 * np.array(colours(texts)) - 2


@pytest.mark.parametrize("asked", [colours, Scored()])
def test_several_labels(asked: object) -> None:
    names = ["red", "green", "blue"]
    box = BlackBox(asked, names, multilabel=True, threshold={"blue": 1.0}, name="colours")
    texts = ["red and green", "blue", ""]
    assert [one.predicted for one in explain(box, texts)] == [("red", "green"), (), ()]
    one = explain(box, "red and green", "green")
    assert one.as_list()[0][0] == "green"
    chances = 1 / (1 + np.exp(-Scored().decision_function(texts)))
    expected = chances if isinstance(asked, Scored) else colours(texts)
    np.testing.assert_allclose(box.predict_proba(texts), expected)
    other = BlackBox(asked, names, multilabel=True, name="colours")
    assert box.identity != other.identity
    assert other.identity != BlackBox(asked, names, name="colours").identity
    assert [one.predicted for one in explain(other, ["blue"])] == [("blue",)]
    again = pickle.loads(pickle.dumps(other))
    assert [one.predicted for one in explain(again, ["blue"])] == [("blue",)]


def test_two_labels_are_no_two_classes() -> None:
    box = BlackBox(lambda texts: np.full((len(texts), 2), 0.8), ["a", "b"], multilabel=True)
    assert explain(box, "text").predicted == ("a", "b")
    box = BlackBox(lambda texts: np.full(len(texts), 0.8), ["a", "b"], multilabel=True)
    with pytest.raises(ModelError, match=r"gave \(1,\) for 1 texts; .* \(1, 2\)"):
        explain(box, "text")


def test_unfit_thresholds_of_labels() -> None:
    with pytest.raises(InputError, match="threshold is for several labels: say multilabel=True"):
        BlackBox(colours, threshold=0.3)
    with pytest.raises(InputError, match="multilabel must be True or False, not 'yes'"):
        BlackBox(colours, multilabel="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threshold is a probability, not 2"):
        explain(BlackBox(colours, multilabel=True, threshold=2), "text")
