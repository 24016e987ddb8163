"""Models of which only predictions are known: functions, predict_proba, transformers, spaCy."""

import math
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from networks import made_cnn, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from whyword import BlackBox, InputError, Reader, SVMClassifier, explain
from whyword.base.errors import ModelError
from whyword.models.adaptors import (
    DecisionFunction,
    Function,
    HuggingFace,
    PredictProba,
    SpaCy,
    adaptor_for,
    as_numbers,
)
from whyword.models.blackbox import BlackBoxTrace, as_classifier, labels_of
from whyword.words.tokenizer import Tokenizer


class Shouting:
    """A model of anger: the more capitals, the angrier."""

    classes_ = np.array(["angry", "calm"])
    full = 100  # capitals

    def __init__(self) -> None:
        self.asked: list[int] = []  # texts at a time

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        assert isinstance(texts, list)
        self.asked.append(len(texts))
        angry = [sum(c.isupper() for c in text) / self.full for text in texts]
        return np.array([[share, 1 - share] for share in angry])


def test_wrapped_models() -> None:
    model = made_cnn()
    assert as_classifier(model) is model
    wrapped = as_classifier(Shouting())
    assert isinstance(wrapped, BlackBox)
    assert as_classifier(wrapped) is wrapped
    assert (wrapped.kind, wrapped.identity, wrapped.trace_kind) == ("Shouting", None, BlackBoxTrace)
    assert labels_of(wrapped) == ["angry", "calm"]
    assert all(type(label) is str for label in labels_of(wrapped))
    assert labels_of(as_classifier(model)) == ["class 0", "class 1", "class 2"]
    for wrong in (None, "models/cnn2", 3, Shouting):
        with pytest.raises(InputError, match="is no model: one of whyword's, or anything with pre"):
            as_classifier(wrong)
    with pytest.raises(InputError, match="load_model opens a folder"):
        explain("models/cnn2", "text")
    with pytest.raises(InputError, match="not trained yet"):
        labels_of(as_classifier(SVMClassifier()))


def test_scores_are_probabilities_in_blocks() -> None:
    texts = ["LOOK here", "", "no", "C D", "e"] * 60
    deleted = iter([np.array([], np.intp)] * 3 + [np.array([1])] + [np.array([], np.intp)] * 296)
    parts = list(as_classifier(Shouting()).trace(texts, deleted=deleted))
    assert [len(part) for part in parts] == [256, 44]
    expected = Shouting().predict_proba([*texts[:3], "C ", *texts[4:]])
    for scores in ("scores", "probabilities"):
        np.testing.assert_array_equal(
            np.concatenate([getattr(part, scores) for part in parts]), expected
        )
    assert all(known.all() for known in parts[1].known)
    assert parts[1].known_words[:5].tolist() == [0, 1, 2, 1, 2]
    assert parts[1].output == "probability"


# ---- words that are deleted ---------------------------------------------------------------------


def test_deleting_is_predicting_the_text_without() -> None:
    explanation = explain(Shouting(), "LOOK, it IS HERE", "all", deleted=[3, 0])
    np.testing.assert_array_equal(explanation.scores, Shouting().predict_proba([", it IS "])[0])
    assert explanation.words == ["LOOK", "it", "IS", "HERE"]
    assert explanation.parameters["deleted"] == [0, 3]
    assert explanation.known.tolist() == [False, True, True, False]
    np.testing.assert_allclose(explanation.relevance[:, 0], [0, 0, 0.02, 0], atol=1e-7)
    np.testing.assert_allclose(explanation.relevance[:, 1], [0, 0, -0.02, 0], atol=1e-7)
    np.testing.assert_array_equal(explanation.padding, 0)
    texts = ["A b", "", "C D"]
    explanations = explain(Shouting(), texts, "angry", deleted=[[], [], [0, 1]])
    assert [one.score for one in explanations] == pytest.approx([0.01, 0, 0])
    assert not explanations[2].relevance.any()
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


# ---- explanations -------------------------------------------------------------------------------


def test_any_model_with_probabilities() -> None:
    explanation = explain(Shouting(), "LOOK, it is HERE", target="angry")
    assert explanation.words == ["LOOK", "it", "is", "HERE"]
    np.testing.assert_allclose(explanation.relevance, [0.04, 0, 0, 0.04], atol=1e-7)
    assert explanation.score == pytest.approx(0.08)
    assert (explanation.method, explanation.conserves, explanation.model) == (
        *("occlusion", False, None),
    )
    assert explanation.parameters == {"output": "probability"}
    assert explain(Shouting(), "look").target == "calm"
    assert explain(Shouting(), "LOOK here", method="random").relevance.shape == (2,)


@pytest.mark.parametrize("count", [1, 64, 65, 200])
def test_occlusion_asks_for_64_texts_at_a_time(count: int) -> None:
    model = Shouting()
    model.full = 1000
    explanation = explain(model, "A " * count, "angry", method="occlusion")
    assert model.asked == [1, *[64] * (count // 64), *[count % 64][: count % 64]]
    np.testing.assert_allclose(explanation.relevance, 0.001, atol=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"method": "lrp"},
            "'lrp' needs a model that is decomposable, which this one is not; what",
        ),
        ({"method": "sensitivity"}, "what works here: 'occlusion', 'random'"),
        ({"level": "element"}, "not 'occlusion' of a model of kind 'Shouting'; say level='word'"),
        ({"level": "filter"}, "not 'occlusion' of a model of kind 'Shouting'; say level='word'"),
        ({"epsilon": 0.1}, "method 'occlusion' has no parameter 'epsilon'; it has: none"),
        ({"target": "furious"}, "there is no class 'furious'"),
    ],
)
def test_what_a_black_box_cannot(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        explain(Shouting(), "text", **given)  # type: ignore[call-overload]


def test_classes_without_names_are_asked_for_once_with_a_word() -> None:
    asked: list[list[str]] = []

    def careful(texts: list[str]) -> list[list[float]]:
        assert all(texts), "an empty text"
        asked.append(texts)
        return [[0.2, 0.5, 0.3]] * len(texts)

    explanation = explain(careful, "two words")
    assert asked == [["text"], ["two words"], [" words", "two "]]
    assert (explanation.classes, explanation.target) == ((0, 1, 2), 1)
    box = BlackBox(careful)
    assert labels_of(box) == labels_of(box) == [0, 1, 2]
    assert asked[3:] == [["text"]]


def test_a_documents_words_are_asked_for_once() -> None:
    asked: list[str] = []

    def counting(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[0.5, 0.5]] * len(texts)

    (trace,) = BlackBox(counting, ["a", "b"]).trace(["one two", "three"])
    first = trace.occlusion(np.zeros((2, 1), np.int32))
    second = trace.occlusion(np.ones((2, 2), np.int32))
    assert asked == ["one two", "three", " two", "one ", ""]
    assert (first.words[0].shape, second.words[0].shape) == ((2, 1), (2, 2))


# ---- functions ----------------------------------------------------------------------------------


def loud(texts: list[str]) -> list[float]:
    """Return the probability of the second of two classes."""
    return [min(1.0, sum(c.isupper() for c in text) / 10) for text in texts]


def test_one_number_for_each_text_is_the_second_class() -> None:
    box = BlackBox(loud, ["calm", "angry"])
    np.testing.assert_allclose(box.scores(["LOOK", "no"]), [[0.6, 0.4], [1.0, 0.0]])
    np.testing.assert_array_equal(box.predict_proba(["LOOK"]), box.scores(["LOOK"]))
    column = BlackBox(lambda texts: np.array(loud(texts))[:, None], ("calm", "angry"))
    np.testing.assert_array_equal(column.scores(["LOOK", ""]), box.scores(["LOOK", ""]))
    assert explain(box, "LOOK at it", "angry").relevance.tolist() == pytest.approx([0.4, 0, 0])
    assert explain(loud, "LOOK at it").classes == (0, 1)
    only = BlackBox(lambda texts: [[1.0]] * len(texts), ["only"])
    assert (labels_of(only), only.scores(["x"]).shape) == (["only"], (1, 1))


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
        (7, "classes takes a list of labels, not int"),
        (["a", None], "label 1 must be a string or a number, not None"),
        (["a", "\ud800"], "half a surrogate pair"),
    ],
)
def test_classes_that_are_no_labels(classes: Any, message: str) -> None:  # noqa: ANN401
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
        ({"a": 1}, "gave a dict that is no array of numbers"),
        (0.5, r"gave \(\) for 2 texts"),
        ((row for row in [[0.5, 0.5]] * 2), "gave a generator that is no array of numbers"),
        ([[0.5, 0.5], [0.5, math.nan]], "gave nan for text 1 .'b b'., which is no number"),
        ([[0.5, math.inf], [0.5, 0.5]], "gave inf for text 0 .'a'., which is no number"),
        ([[0.5, 0.5], [-2, 3]], "gave -2 for text 1 .'b b'., which is no probability: it must"),
        ([1.5, 0.5], "gave -0.5 for text 0 .'a'., which is no probability"),
    ],
)
def test_answers_that_are_no_probabilities(answer: object, said: str) -> None:
    def spam(texts: list[str]) -> object:
        return answer

    with pytest.raises(ModelError, match=f"spam {said}") as refusal:
        BlackBox(spam, ["ham", "spam"]).scores(["a", "b b"])
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("classes", "answer", "message"),
    [
        (("a", "b", "c"), [[0.5, 0.5]], r"gave \(1, 2\) for 1 texts; it must give numbers, \(1, 3"),
        (("a", "b", "c"), [0.5], r"gave \(1,\) for 1 texts; .* \(1, 3\)"),
        (("a", "a"), [[0.3, 0.7]], "are no distinct labels"),
        ((), [[]], "are no distinct labels"),
        (None, [[]], r"gave \(1, 0\)"),
    ],
)
def test_models_that_contradict_themselves(classes: object, answer: object, message: str) -> None:
    odd = SimpleNamespace(classes_=classes, predict_proba=lambda texts: answer)
    with pytest.raises(InputError, match=message):
        explain(odd, "text", target="all")


def test_rounding_is_no_contradiction() -> None:
    scores = BlackBox(lambda texts: [[1 + 1e-7, -1e-7]] * len(texts), ["a", "b"]).scores(["x"])
    np.testing.assert_allclose(scores, [[1, 0]], atol=1e-6)


class AngryError(Exception):
    """An error without a message."""

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
    nameless: Callable[..., object] = lambda texts: 1 / 0  # noqa: E731
    with pytest.raises(InputError, match=re.escape("<lambda> failed (ZeroDivisionError: division")):
        explain(nameless, "text")


def test_functions_that_change_their_mind_or_their_list() -> None:
    sizes = iter([2, 2, 3])

    def fickle(texts: list[str]) -> list[list[float]]:
        return [[0.1] * next(sizes)] * len(texts)

    with pytest.raises(ModelError, match=r"fickle gave \(2, 3\) for 2 texts; .* \(2, 2\)"):
        explain(fickle, "some text")

    def greedy(texts: list[str]) -> list[list[float]]:
        answer = [[0.2, 0.8] if "moon" in text else [0.6, 0.4] for text in texts]
        texts.clear()
        return answer

    assert explain(greedy, "to the moon").as_list()[0][0] == "moon"
    assert len(explain(greedy, ["to the moon", "a", ""])) == 3


# ---- names --------------------------------------------------------------------------------------


def test_a_name_is_an_identity(tmp_path: Path) -> None:
    box = BlackBox(loud, ["calm", "angry"], name="loudness 1")
    assert re.fullmatch("[0-9a-f]{64}", box.identity or "")
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
    assert repr(box) == "BlackBox(loud, name='loudness 1')"
    with pytest.raises(InputError, match="a black box cannot be saved"):
        box.save(tmp_path / "model")
    for name in ("", "  ", 3, b"x", "\ud800"):
        with pytest.raises(InputError, match="name must say what the model is called"):
            BlackBox(loud, name=name)  # type: ignore[arg-type]
    text = explain(lambda texts: [[0.0, 1.0]] * len(texts), "wa wb").to_text()
    assert text.startswith("1 (predicted)  probability +1, by occlusion")


@pytest.mark.slow(reason="starts a process")
def test_the_identity_is_the_same_in_another_process_and_nothing_is_imported() -> None:
    code = (
        "import sys, whyword as ww\n"
        "reader = ww.Reader(ignore=['b', 'a'])\n"
        "print(ww.BlackBox(len, ['a', 2], name='x', reader=reader).identity)\n"
        "ww.explain(lambda texts: [[0.5, 0.5]] * len(texts), 'to the moon')\n"
        "print([name for name in ('transformers', 'spacy', 'torch', 'sklearn') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    reader = Reader(ignore=["b", "a"])
    identity = BlackBox(len, ["a", 2], name="x", reader=reader).identity
    assert done.stdout.split("\n")[:2] == [identity, "[]"]


# ---- several labels -----------------------------------------------------------------------------


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
    assert explain(box, "red and green", "green").as_list()[0][0] == "green"
    chances = 1 / (1 + np.exp(-Scored().decision_function(texts)))
    expected = chances if isinstance(asked, Scored) else colours(texts)
    np.testing.assert_allclose(box.predict_proba(texts), expected)
    other = BlackBox(asked, names, multilabel=True, name="colours")
    assert len({box.identity, other.identity, BlackBox(asked, names, name="colours").identity}) == 3
    for one in (other, pickle.loads(pickle.dumps(other))):
        assert explain(one, "blue").predicted == ("blue",)


def test_unfit_labels_and_thresholds() -> None:
    box = BlackBox(lambda texts: np.full((len(texts), 2), 0.8), ["a", "b"], multilabel=True)
    assert explain(box, "text").predicted == ("a", "b")
    box = BlackBox(lambda texts: np.full(len(texts), 0.8), ["a", "b"], multilabel=True)
    with pytest.raises(ModelError, match=r"gave \(1,\) for 1 texts; .* \(1, 2\)"):
        explain(box, "text")
    with pytest.raises(InputError, match="threshold is for several labels: say multilabel=True"):
        BlackBox(colours, threshold=0.3)
    with pytest.raises(InputError, match="multilabel must be True or False, not 'yes'"):
        BlackBox(colours, multilabel="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threshold is a probability, not 2"):
        explain(BlackBox(colours, multilabel=True, threshold=2), "text")


# ---- how models of other packages are asked -----------------------------------------------------

TEXTS, LABELS = topical(30)
NAMES = ("hockey", "space", "other")


def shares(text: str) -> list[float]:
    """Return made-up probabilities of three classes."""
    counts = [1 + len(text) % 3, 1 + text.count("moon"), 1 + text.count("puck")]
    return [count / sum(counts) for count in counts]


def function(texts: list[str]) -> list[list[float]]:
    return [shares(text) for text in texts]


class FakePipeline:
    """What Hugging Face's pipelines have, and how they answer: the best label first."""

    task = "text-classification"
    tokenizer: object = object()
    _batch_size: int | None = None
    busy = Lock()
    expected = 1  # at a time: what cannot be padded is asked one by one

    def __init__(self, labels: dict[Any, str] | None = None) -> None:
        named = dict(enumerate(NAMES)) if labels is None else labels
        self.model = SimpleNamespace(config=SimpleNamespace(id2label=named))

    def __call__(self, texts: list[str], **options: object) -> list[list[dict[str, Any]]]:
        assert options == {"top_k": None, "truncation": True, "batch_size": self.expected}
        assert self.busy.acquire(blocking=False), "asked by two threads at once"
        rows = []
        for text in texts:
            pairs = zip(NAMES, shares(text), strict=True)
            row = [{"label": label, "score": score} for label, score in pairs]
            rows.append(sorted(row, key=lambda one: -float(str(one["score"]))))
        self.busy.release()
        return rows


class FakeSpaCy:
    """What spaCy's pipelines have."""

    pipe_names: ClassVar[list[str]] = ["tagger", "topics"]
    pipe_factories: ClassVar[dict[str, str]] = {"tagger": "tagger", "topics": "textcat"}

    def get_pipe(self, name: str) -> object:
        return SimpleNamespace(labels=NAMES if name == "topics" else ("NOUN", "VERB"))

    def __call__(self, text: str) -> object:
        raise AssertionError("texts are asked about together")

    def pipe(self, texts: list[str]) -> Iterator[object]:
        for text in texts:
            pairs = list(zip(NAMES, shares(text), strict=True))
            yield SimpleNamespace(cats=dict(reversed(pairs)))


class Scoring:
    """Has both; what gives probabilities goes first."""

    classes_ = NAMES

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return function(texts)

    def decision_function(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("probabilities are there")

    def __call__(self, texts: list[str]) -> None:
        raise AssertionError("probabilities are there")


@pytest.mark.parametrize(
    ("model", "kind", "name", "classes"),
    [
        (Scoring(), PredictProba, "Scoring", NAMES),
        (FakePipeline(), HuggingFace, "FakePipeline", list(NAMES)),
        (FakePipeline({"2": "other", "0": "hockey", "1": "space"}), HuggingFace, None, list(NAMES)),
        (FakeSpaCy(), SpaCy, "FakeSpaCy", list(NAMES)),
        (function, Function, "function", None),
        (SimpleNamespace(decision_function=function), DecisionFunction, "SimpleNamespace", None),
    ],
)
def test_the_adaptor_that_fits_is_chosen(
    model: object, kind: type, name: str | None, classes: object
) -> None:
    adaptor = adaptor_for(model)
    assert type(adaptor) is kind
    assert adaptor.kind == name or name is None
    assert adaptor.classes == classes
    assert adaptor.output == ("score" if kind is DecisionFunction else "probability")
    texts = ["to the moon with a puck", "", "puck"]
    np.testing.assert_allclose(np.asarray(adaptor.ask(texts)), function(texts))
    if classes is not None:
        explanation = explain(model, texts[0], "all")
        assert explanation.classes == NAMES
        np.testing.assert_allclose(explanation.scores, shares(texts[0]))


def test_networks_are_asked_of_several_texts_by_one_thread_at_a_time() -> None:
    padded = FakePipeline()
    padded.tokenizer = SimpleNamespace(pad_token_id=0)
    padded.expected = 32
    assert np.array(adaptor_for(padded).ask(["moon"] * 3)).shape == (3, len(NAMES))
    padded._batch_size = padded.expected = 5  # as its owner wants
    assert np.array(adaptor_for(padded).ask(["moon"])).shape == (1, len(NAMES))
    box = pickle.loads(pickle.dumps(BlackBox(FakeSpaCy())))  # its lock does not go along
    np.testing.assert_allclose(box.scores(["moon"]), [shares("moon")])
    box = BlackBox(FakePipeline())
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: box.scores(["moon " * n] * 20), range(20)))
    for number, answer in enumerate(answers):
        np.testing.assert_allclose(answer, [shares("moon " * number)] * 20)


def test_models_that_say_no_class_of_a_text() -> None:
    class Stubborn:
        def predict(self, texts: list[str]) -> list[str]:
            return ["yes"] * len(texts)

    tagger, task = FakeSpaCy(), FakePipeline()
    tagger.pipe_names = ["tagger"]  # type: ignore[misc]
    task.task = "ner"
    for model, said in (
        (task, "a pipeline of the task 'ner' says no class of a text; one of 'text-classif"),
        (tagger, r"needs a component 'textcat' or .* and has \['tagger'\]"),
        (Stubborn(), r"Stubborn is no model: .* it has predict alone"),
        (Stubborn, r"Stubborn is no model: .*; this is a class, not an obj"),
    ):
        with pytest.raises(InputError, match=said):
            BlackBox(model)
    box = BlackBox(FakePipeline({0: "hockey", 1: "space", 2: "something else"}))
    with pytest.raises(InputError, match="an answer has no 'something else', which is one of the"):
        box.scores(["moon"])


class Wrapped:
    """An array of some other package."""

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[np.float64]:
        return np.array([[0.25, 0.75]])


class Hostile:
    """Looks like an array."""

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[np.float64]:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "answer",
    [
        [(0.25, 0.75)],
        [np.array([0.25, 0.75], np.float16)],
        torch.tensor([[0.25, 0.75]], dtype=torch.bfloat16),
        torch.tensor([[0.25, 0.75]], requires_grad=True),
        Wrapped(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_all_sorts(answer: object) -> None:
    numbers = as_numbers(answer)
    assert numbers is not None
    assert numbers.dtype == np.float64
    assert numbers.tolist() == [[0.25, 0.75]]


def test_answers_that_are_no_numbers() -> None:
    for answer in (
        *("0.5", [["0.25", "0.75"]], [[None, 1.0]], [[1j, 0]], [[b"0.5"]], [[10**400]], Hostile()),
        SimpleNamespace(detach=lambda: None, cpu=None, double=None),
    ):
        assert as_numbers(answer) is None


@pytest.mark.parametrize("count", [2, 3])
def test_scores_of_scikit_learn(count: int) -> None:
    texts, labels = topical(30, count)
    fitted = make_pipeline(TfidfVectorizer(), SVC(kernel="rbf")).fit(texts, labels)
    box = BlackBox(fitted)
    (trace,) = box.trace(texts)
    expected = fitted.decision_function(texts)
    if count == 2:
        np.testing.assert_allclose(trace.scores, np.stack([-expected, expected], axis=1))
        np.testing.assert_allclose(trace.probabilities[:, 1], 1 / (1 + np.exp(-expected)))
    else:
        np.testing.assert_allclose(trace.scores, expected)
        powers = np.exp(expected)
        np.testing.assert_allclose(trace.probabilities, powers / powers.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(box.predict_proba(texts), trace.probabilities)
    one = explain(box, texts[0], labels[0])
    assert (trace.output, one.parameters["output"], one.method) == ("score", "score", "occlusion")
    without = texts[0].replace(one.words[0], "", 1)
    (other,) = box.trace([without])
    column = list(fitted.classes_).index(labels[0])
    difference = trace.scores[0, column] - other.scores[0, column]
    assert one.relevance[0] == pytest.approx(difference, abs=1e-6)


def test_estimators_are_asked_for_probabilities_first() -> None:
    sure = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    unsure = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(TEXTS, LABELS)
    assert type(adaptor_for(sure)) is PredictProba
    assert type(adaptor_for(unsure)) is DecisionFunction
    one_to_one = make_pipeline(TfidfVectorizer(), SVC(decision_function_shape="ovo"))
    one_to_one.fit([*TEXTS, "fourth"], [*LABELS, "fourth"])
    with pytest.raises(InputError, match=r"gave \(1, 6\) for 1 texts; .* \(1, 4\)"):
        explain(BlackBox(one_to_one), TEXTS[0])


# ---- the real packages --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def transformer() -> Any:  # noqa: ANN401
    """A tiny network with random weights, and a tokenizer of a few words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tokenizers import Tokenizer, models, pre_tokenizers, processors
        from transformers import (
            BertConfig,
            BertForSequenceClassification,
            PreTrainedTokenizerFast,
            TextClassificationPipeline,
        )
    words = "[PAD] [UNK] [CLS] [SEP] the moon puck rocket goal orbit to a".split()
    rules = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, "[UNK]"))
    rules.pre_tokenizer = pre_tokenizers.Whitespace()
    rules.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=rules, pad_token="[PAD]", unk_token="[UNK]", model_max_length=16
    )
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        initializer_range=1.0,
        id2label=dict(enumerate(NAMES)),
        label2id={name: n for n, name in enumerate(NAMES)},
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = BertForSequenceClassification(config).eval()
    return TextClassificationPipeline(model=network, tokenizer=tokenizer)


@pytest.mark.slow("imports transformers")
def test_a_real_transformer(transformer: Any) -> None:  # noqa: ANN401
    texts = ["to the moon", "a goal with the puck", ""]
    box = BlackBox(transformer, name="tiny 1")
    inputs = transformer.tokenizer(texts, return_tensors="pt", padding=True)
    with torch.no_grad():
        logits = transformer.model(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
        ).logits
    expected = torch.softmax(logits, dim=1).numpy()
    np.testing.assert_allclose(box.scores(texts), expected, atol=1e-5)
    assert list(box.classes_) == list(NAMES)
    one = explain(transformer, "to the moon", "all")
    without = box.scores(["to the "])[0]
    np.testing.assert_allclose(one.relevance[2], expected[0] - without, atol=1e-5)
    long = explain(transformer, "the moon " * 40, "space")  # truncated, not an error
    assert np.count_nonzero(np.abs(long.relevance) > 1e-6) <= 16
    sent = pickle.loads(pickle.dumps(box))
    np.testing.assert_allclose(sent.scores(texts), expected, atol=1e-5)
    assert sent.identity == box.identity
    transformer.model.config.problem_type = "multi_label_classification"
    several = BlackBox(transformer).scores(texts)
    transformer.model.config.problem_type = None
    np.testing.assert_allclose(several, torch.sigmoid(logits).numpy(), atol=1e-5)


@pytest.mark.slow("imports spaCy, and trains it for a moment")
@pytest.mark.parametrize("component", ["textcat", "textcat_multilabel"])
def test_a_real_spacy_pipeline(component: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import spacy
        from spacy.training import Example

        nlp = spacy.blank("en")
        added: Any = nlp.add_pipe(component, name="topics")
        for name in NAMES:
            added.add_label(name)
        said = {"the moon and the rocket": "space", "a puck, a goal": "hockey", "so it is": "other"}
        examples = [
            Example.from_dict(nlp.make_doc(text), {"cats": {n: float(n == own) for n in NAMES}})
            for text, own in said.items()
        ]
        optimizer = nlp.initialize(lambda: examples)
        for _ in range(15):
            nlp.update(examples, sgd=optimizer)
    box = BlackBox(nlp)
    texts = [*said, "to the moon", ""]
    expected = [[nlp(text).cats[name] for name in NAMES] for text in texts]
    np.testing.assert_allclose(box.scores(texts), expected, atol=1e-6)
    assert list(box.classes_) == list(NAMES)
    one = explain(nlp, "to the moon", "space")
    lost = nlp("to the moon").cats["space"] - nlp("to the ").cats["space"]
    assert one.relevance[2] == pytest.approx(lost, abs=1e-6)
    with pytest.raises(InputError, match="needs a component 'textcat'"):
        explain(spacy.blank("en"), "to the moon")
