"""An argument of any kind is taken, or refused in one line before any work; each check once."""

import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest
from fuzzing import check_message
from networks import small_cnn, topical
from numpy.typing import NDArray
from torch_networks import Vote, encode

import whyword as ww
from whyword import CNNClassifier, Explanation, Explanations
from whyword.base.errors import WhywordError
from whyword.models.cnn.trace import CNNTrace
from whyword.models.protocol import Positions, Trace
from whyword.words.document import Text

TEXTS, LABELS = topical(12, seed=7)


class Angry:
    """It cannot be compared, and has no truth: arrays of several numbers are like that."""

    def __eq__(self, other: object) -> NoReturn:
        raise RuntimeError("not to be compared")

    def __bool__(self) -> NoReturn:
        raise RuntimeError("neither true nor false")

    __hash__ = None  # type: ignore[assignment]


# by name, made anew for each call: a generator is used up
HOSTILE: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "nan": lambda: float("nan"),
    "infinite": lambda: float("inf"),
    "negative": lambda: -1,
    "zero": lambda: 0,
    "many digits": lambda: 10**5_000,
    "half": lambda: 0.5,
    "true": lambda: True,
    "complex": lambda: 1j,
    "empty str": lambda: "",
    "lines": lambda: "several\nlines\x00",
    "long str": lambda: "x" * 10_000,
    "half a pair": lambda: "\ud800",
    "bytes": lambda: b"space",
    "empty list": list,
    "nested": lambda: [["space"], ["hockey", 1]],
    "mixed": lambda: ["space", None, 3.5, object()],
    "set": lambda: {"space", "hockey"},
    "dict": lambda: {"space": 1},
    "generator": lambda: (word for word in ("space", "hockey")),
    "array of str": lambda: np.array(["space", "hockey"]),
    "array": lambda: np.array([1.0, 2.0]),
    "array of one": lambda: np.array(3.5),
    "array of objects": lambda: np.array([None, "space"], object),
    "matrix": lambda: np.ones((3, 3)),
    "series": lambda: pd.Series(["space", "hockey"]),
    "frame": lambda: pd.DataFrame({"text": ["space"]}),
    "a class": lambda: int,
    "function": lambda: print,
    "object": object,
    "angry": Angry,
    "list of angry": lambda: [Angry() for _ in TEXTS],
    "path": lambda: Path("no such file"),
}


class CountingCNN(CNNClassifier):
    """A network that counts how often it looks at texts."""

    calls = 0

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 1,
        elements: bool = False,
    ) -> Iterator[CNNTrace]:
        type(self).calls += 1
        return super().trace(texts, deleted=deleted, columns=columns, elements=elements)


@cache
def network() -> CNNClassifier:
    model = small_cnn()
    model.__class__ = CountingCNN
    return model


@cache
def explained() -> Explanations:
    return ww.explain(network(), TEXTS)


@cache
def index() -> ww.SearchIndex:
    return ww.SearchIndex(network(), TEXTS)


def on_texts(**more: object) -> dict[str, Any]:
    return {"model": network(), "texts": TEXTS, **more}


def labelled(**more: object) -> dict[str, Any]:
    return on_texts(labels=LABELS, **more)


def power(splits: int = 2, **more: object) -> dict[str, Any]:
    return {"vectors": np.eye(12), "labels": LABELS, "splits": splits, "neighbours": [1, 2], **more}


def evaluated() -> dict[str, Any]:
    return labelled(methods=["lrp"], runs=1, splits=2, steps=2)


def compared() -> dict[str, Any]:
    models = {"a": network(), "b": network()}
    return {"models": models, "texts": TEXTS, "labels": LABELS, "runs": 1, "splits": 2, "steps": 2}


Call = tuple[Callable[..., Any], Callable[[], dict[str, Any]], str]
# what is called, what makes arguments that it takes, and those that are replaced: a check each
CALLS: dict[str, Call] = {
    "explain": (ww.explain, on_texts, "model texts target method against top deleted level"),
    "explain with": (ww.explain, on_texts, "strict epsilon bias no_such_parameter"),
    "iter_explanations": (ww.iter_explanations, on_texts, "targets ids"),
    "class_words": (ww.class_words, on_texts, "symbols rank"),
    "without": (ww.without, lambda: {"model": network(), "words": ["moon"]}, "words"),
    "tokenize": (ww.tokenize, lambda: {"text": "a text"}, "text"),
    "Vectors": (ww.Vectors, lambda: {"words": ["a"], "matrix": np.ones((1, 2))}, "words matrix"),
    "Vectors.load": (ww.Vectors.load, lambda: {"source": "nowhere"}, "source"),
    "load_model": (ww.load_model, lambda: {"source": "nowhere"}, "source"),
    "BlackBox": (ww.BlackBox, lambda: {"model": len, "classes": ["a", "b"]}, "model classes name"),
    "TorchClassifier": (
        ww.TorchClassifier,
        lambda: {"module": Vote().eval(), "encode": encode, "classes": ["a", "b", "c"]},
        "module encode",
    ),
    "document_map": (ww.document_map, on_texts, "labels projection"),
    "senses": (ww.analysis.senses, lambda: on_texts(word="orbit"), "word"),
    "summarize": (ww.summarize, on_texts, "relevance by"),
    "SearchIndex.search": (
        ww.SearchIndex.search,
        lambda: {"self": index(), "query": "the orbit"},
        "query",
    ),
    "SearchIndex.load": (
        ww.SearchIndex.load,
        lambda: {"path": "nowhere", "model": network()},
        "path model",
    ),
    "model_quality": (ww.evaluation.model_quality, labelled, "labels"),
    "deletion_curve": (ww.deletion_curve, lambda: labelled(steps=2), "steps relevance"),
    "explanatory_power": (ww.explanatory_power, power, "vectors splits neighbours"),
    "agreement": (ww.evaluation.agreement, lambda: {"a": [[1.0, 2.0]], "b": [[2.0, 1.0]]}, "a"),
    "compare": (
        ww.compare,
        lambda: dict.fromkeys("ab", ww.explanatory_power(**power())),
        "a alpha",
    ),
    "evaluate": (ww.evaluate, evaluated, "methods train source on_progress"),
    "compare_models": (ww.compare_models, compared, "models ids"),
    "passages": (ww.explanation.passages, lambda: {"explanation": explained()[0]}, "explanation"),
    "Explanation.to_html": (Explanation.to_html, lambda: {"self": explained()[0]}, "path"),
    "Explanation.from_json": (Explanation.from_json, lambda: {"source": "{}"}, "source"),
    "Explanation.from_fields": (Explanation.from_fields, lambda: {"fields": {}}, "fields"),
    "Explanation.from_shap": (Explanation.from_shap, lambda: {"explanation": None}, "explanation"),
    "Explanations": (Explanations, lambda: {"explanations": explained()}, "explanations"),
    "Explanations.from_frame": (Explanations.from_frame, lambda: {"table": None}, "table"),
}

# what is read while the model is at work, since it may be endless, and what only texts can tell
LATE = {"targets", "ids", "relevance", "word", "query"}
# somebody's function is called, and may raise what it wants
EXPLAINERS, CALLED = {"method", "methods", "on_progress"}, {"a class", "function"}


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, parameter) for name, (_, _, taken) in CALLS.items() for parameter in taken.split()],
)
def test_hostile_arguments(
    name: str, parameter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, make_good, _ = CALLS[name]
    good, wrong = make_good(), []
    for kind, make in HOSTILE.items():
        if parameter in EXPLAINERS and kind in CALLED:
            continue
        CountingCNN.calls = 0
        try:
            result = function(**(good | {parameter: make()}))
            if isinstance(result, Iterator):
                list(result)
        except WhywordError as error:
            check_message(str(error))
            if CountingCNN.calls and parameter not in LATE:
                wrong.append(f"{kind}: {CountingCNN.calls} traces before {error}")
        except Exception as error:  # noqa: BLE001 - that is what must not be
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {str(error)[:100]}"
            wrong.append(f"{kind}: {said} ({Path(where.filename).name}:{where.lineno})")
    assert not wrong, "\n".join(wrong)


class OnlyProbabilities:
    """Somebody's model: it says how probable the classes are, and nothing else."""

    calls = 0

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        type(self).calls += len(texts)
        return np.array([[0.25, 0.75] if "orbit" in text else [0.6, 0.4] for text in texts])


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (ww.explain, {}),
        (ww.class_words, {}),
        (ww.evaluation.model_quality, {"labels": [0, 1] * 6}),
        (ww.deletion_curve, {"labels": [0, 1] * 6, "steps": 2}),
        (ww.evaluate, {"labels": [0, 1] * 6, "runs": 1, "steps": 2}),
    ],
)
def test_a_model_that_says_probabilities_only(
    function: Callable[..., object], given: dict[str, Any]
) -> None:
    assert function(OnlyProbabilities(), TEXTS, **given)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (ww.document_map, {}),
        (ww.summarize, {}),
        (ww.analysis.senses, {"word": "orbit"}),
        (ww.SearchIndex, {}),
        (ww.evaluation.model_randomisation, {}),
        (ww.evaluation.input_invariance, {}),
    ],
)
def test_what_a_model_cannot_do_is_said_before_it_is_asked(
    function: Callable[..., object], given: dict[str, Any]
) -> None:
    OnlyProbabilities.calls = 0
    with pytest.raises(WhywordError, match=r"OnlyProbabilities|needs") as caught:
        function(OnlyProbabilities(), TEXTS, **given)
    check_message(str(caught.value))
    assert OnlyProbabilities.calls <= 1  # how many classes there are


class BareTrace(Trace):
    """One that has no ability."""


class Untraceable(CNNClassifier):
    """A model whose traces can do nothing but say scores."""

    trace_kind = BareTrace  # type: ignore[assignment]

    def trace(self, *given: object, **named: object) -> NoReturn:
        raise AssertionError("work was begun")


@pytest.mark.parametrize("function", [ww.deletion_curve, ww.evaluate])
def test_a_model_whose_words_cannot_be_taken_away(function: Callable[..., object]) -> None:
    model = small_cnn()
    model.__class__ = Untraceable
    with pytest.raises(WhywordError, match="words can be taken away"):
        function(model, TEXTS, LABELS)
