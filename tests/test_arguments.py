"""Whatever is passed for an argument: it is taken, or refused in one line before any work."""

import inspect
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest
import torch
from fuzzing import check_message
from networks import small_cnn, topical
from numpy.typing import NDArray
from planted import planted_corpus, planted_svm
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch_networks import Vote, encode

import whyword as ww
from whyword import CNNClassifier, Explanation, Explanations
from whyword.analysis import DocumentMap
from whyword.base.errors import WhywordError
from whyword.evaluation import DeletionCurve, ExplanatoryPower
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
    "huge": lambda: 10**30,
    "many digits": lambda: 10**5_000,
    "half": lambda: 0.5,
    "true": lambda: True,
    "complex": lambda: 1j,
    "empty str": lambda: "",
    "a str": lambda: "no such thing",
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
def curve() -> DeletionCurve:
    return ww.deletion_curve(network(), TEXTS, LABELS, steps=2)


@cache
def power() -> ExplanatoryPower:
    return ww.explanatory_power(ww.summarize(network(), TEXTS), LABELS, 2, [1, 2])


@cache
def index() -> ww.SearchIndex:
    return ww.SearchIndex(network(), TEXTS)


@cache
def a_map() -> DocumentMap:
    return ww.document_map(network(), TEXTS)


@cache
def pipeline() -> Any:  # noqa: ANN401 - scikit-learn has no types
    return make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)


@cache
def torch_model() -> ww.TorchClassifier:
    return ww.TorchClassifier(Vote().eval(), {"<pad>": 0, "moon": 1}, ["a", "b", "c"])


@cache
def stored_torch() -> Path:
    folder = Path(tempfile.mkdtemp()) / "kept"
    torch_model().save(folder, "no such builder")
    return folder


def labelled(**more: object) -> dict[str, Any]:
    return {"model": network(), "texts": TEXTS, "labels": LABELS, **more}


def unlabelled(**more: object) -> dict[str, Any]:
    return {"model": network(), "texts": TEXTS, **more}


def one(**more: object) -> dict[str, Any]:
    return {"self": explained()[0], **more}


def several(**more: object) -> dict[str, Any]:
    return {"self": explained(), **more}


Call = tuple[Callable[..., Any], Callable[[], dict[str, Any]]]
# by name: what is called, and what makes arguments it takes
CALLS: dict[str, Call] = {
    "explain": (ww.explain, unlabelled),
    "explain filters": (ww.explain, lambda: unlabelled(level="filter")),
    "explain phrases": (ww.explain, lambda: unlabelled(level="phrase")),
    "explain elements": (ww.explain, lambda: unlabelled(level="element")),
    "iter_explanations": (ww.iter_explanations, unlabelled),
    "class_words": (ww.class_words, unlabelled),
    "price": (ww.price, unlabelled),
    "from_pipeline": (ww.from_pipeline, lambda: {"pipeline": pipeline()}),
    "BlackBox": (ww.BlackBox, lambda: {"model": len, "classes": ["a", "b"], "name": "length"}),
    "TorchClassifier": (
        ww.TorchClassifier,
        lambda: {"module": Vote().eval(), "encode": encode, "classes": ["a", "b", "c"]},
    ),
    "TorchClassifier.save": (
        ww.TorchClassifier.save,
        lambda: {"self": torch_model(), "folder": "kept", "builder": "vote"},
    ),
    "TorchClassifier.predict": (
        ww.TorchClassifier.predict,
        lambda: {"self": torch_model(), "texts": TEXTS},
    ),
    "pytorch.rule": (ww.pytorch.rule, lambda: {"function": Vote}),
    "pytorch.freeze": (ww.pytorch.freeze, lambda: {"value": torch.ones(2)}),
    "pytorch.builder": (ww.pytorch.builder, lambda: {"name": "vote"}),
    "load_model": (ww.load_model, lambda: {"source": stored_torch(), "build": Vote}),
    "document_map": (ww.document_map, unlabelled),
    "summarize": (ww.summarize, unlabelled),
    "iter_summaries": (ww.analysis.iter_summaries, unlabelled),
    "senses": (ww.analysis.senses, lambda: unlabelled(word="orbit")),
    "SearchIndex": (ww.SearchIndex, unlabelled),
    "SearchIndex.search": (
        ww.SearchIndex.search,
        lambda: {"self": index(), "query": "the orbit"},
    ),
    "SearchIndex.add": (
        ww.SearchIndex.add,
        lambda: {"self": deepcopy(index()), "texts": TEXTS, "ids": [f"new {n}" for n in range(12)]},
    ),
    "SearchIndex.load": (ww.SearchIndex.load, lambda: {"path": "nowhere", "model": network()}),
    "draw_maps": (ww.analysis.draw_maps, lambda: {"maps": [a_map()], "path": "map.svg"}),
    "DocumentMap.to_svg": (DocumentMap.to_svg, lambda: {"self": a_map(), "path": "map.svg"}),
    "DocumentMap.to_html": (DocumentMap.to_html, lambda: {"self": a_map()}),
    "model_quality": (ww.evaluation.model_quality, labelled),
    "deletion_curve": (ww.deletion_curve, lambda: labelled(steps=2)),
    "deletion_curves": (
        ww.evaluation.deletion_curves,
        lambda: labelled(steps=2, methods=["lrp"], experiments=[1]),
    ),
    "explanatory_power": (
        ww.explanatory_power,
        lambda: {"vectors": np.eye(12), "labels": LABELS, "splits": 2, "neighbours": [1, 2]},
    ),
    "compare curves": (ww.compare, lambda: {"a": curve(), "b": curve(), "draws": 100}),
    "compare powers": (ww.compare, lambda: {"a": power(), "b": power()}),
    "compare_all": (
        ww.evaluation.compare_all,
        lambda: {"measured": {"a": power(), "b": power()}},
    ),
    "agreement": (ww.evaluation.agreement, lambda: {"a": [[1.0, 2.0]], "b": [[2.0, 1.0]]}),
    "evaluate": (ww.evaluate, lambda: labelled(methods=["lrp"], runs=1, splits=2, steps=2)),
    "compare_models": (
        ww.compare_models,
        lambda: {
            "models": {"a": network(), "b": network()},
            "texts": TEXTS,
            "labels": LABELS,
            "runs": 1,
            "splits": 2,
            "steps": 2,
        },
    ),
    "without": (ww.without, lambda: {"model": network(), "words": ["moon"]}),
    "suspects": (ww.suspects, lambda: {"model": planted_svm(), "corpus": planted_corpus()}),
    "what_if": (ww.what_if, lambda: labelled(words=["moon"])),
    "strategies": (
        ww.strategies,
        lambda: {"model": network(), "texts": TEXTS * 12, "target": "space", "most": 1},
    ),
    "model_randomisation": (ww.evaluation.model_randomisation, unlabelled),
    "input_invariance": (ww.evaluation.input_invariance, unlabelled),
    "seed_stability": (
        ww.evaluation.seed_stability,
        lambda: {"first": network(), "second": network(), "texts": TEXTS},
    ),
    "passages": (ww.explanation.passages, lambda: {"explanation": explained()[0]}),
    "Explanation.heatmap": (Explanation.heatmap, one),
    "Explanation.as_list": (Explanation.as_list, one),
    "Explanation.phrases": (Explanation.phrases, one),
    "Explanation.to_html": (Explanation.to_html, one),
    "Explanation.to_svg": (Explanation.to_svg, one),
    "Explanation.to_png": (Explanation.to_png, lambda: one(path="x.png")),
    "Explanation.to_text": (Explanation.to_text, one),
    "Explanation.to_json": (Explanation.to_json, one),
    "Explanation.to_parquet": (Explanation.to_parquet, lambda: one(path="x.parquet")),
    "Explanation.to_frame": (Explanation.to_frame, one),
    "Explanation.from_json": (Explanation.from_json, lambda: {"source": "{}"}),
    "Explanation.from_fields": (Explanation.from_fields, lambda: {"fields": {}}),
    "Explanation.from_shap": (Explanation.from_shap, lambda: {"explanation": None}),
    "Explanations": (Explanations, lambda: {"explanations": [explained()[0]]}),
    "Explanations.to_html": (Explanations.to_html, several),
    "Explanations.to_json": (Explanations.to_json, several),
    "Explanations.from_json": (Explanations.from_json, lambda: {"source": "{}"}),
    "Explanations.to_parquet": (Explanations.to_parquet, lambda: several(path="x.parquet")),
    "Explanations.from_parquet": (Explanations.from_parquet, lambda: {"path": "nowhere"}),
    "Explanations.to_frame": (Explanations.to_frame, several),
    "Explanations.from_frame": (Explanations.from_frame, lambda: {"table": None}),
    "tokenize": (ww.tokenize, lambda: {"text": "a text"}),
    "Vectors": (ww.Vectors, lambda: {"words": ["a"], "matrix": np.ones((1, 2))}),
    "Vectors.load": (ww.Vectors.load, lambda: {"source": "nowhere"}),
}
ROOMS = (ww, ww.analysis, ww.evaluation, ww.audit, ww.explanation)
ELSEWHERE = {  # tried where the commands' bad inputs are, and model folders
    "explain_corpus",
    "load_corpus",
    "predict_corpus",
}

# what is read while the model is at work, since it may be endless
STREAMED = {"texts", "ids", "targets", "deleted", "relevance"}
STREAMS = {"iter_explanations", "iter_summaries", "class_words", "senses"}
# what only the texts can tell: that nobody knows a word, that a document has other words
TOLD_BY_TEXTS = {
    ("senses", "word"),
    ("SearchIndex.search", "query"),
    ("summarize", "relevance"),
    ("deletion_curve", "relevance"),
}
# somebody's function is called, and may raise what it wants
EXPLAINERS, CALLED = {"method", "methods", "on_progress"}, {"a class", "function"}


def parameters() -> Iterator[tuple[str, str]]:
    for name, (function, _) in CALLS.items():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                yield name, "epsilon"
                yield name, "no_such_parameter"
            elif parameter.name != "self":
                yield name, parameter.name


def test_every_public_function_is_called() -> None:
    public = {
        name for room in ROOMS for name in room.__all__ if inspect.isfunction(getattr(room, name))
    }
    assert public == ELSEWHERE | ({name.split()[0] for name in CALLS} & public)


@pytest.mark.slow(reason="thousands of calls")
@pytest.mark.slow(reason="calls everything with everything")
@pytest.mark.parametrize(("name", "parameter"), list(parameters()))
def test_hostile_arguments(
    name: str, parameter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, make_good = CALLS[name]
    good = make_good()
    late = (name in STREAMS and parameter in STREAMED) or (name, parameter) in TOLD_BY_TEXTS
    wrong = []
    for kind, make in HOSTILE.items():
        if parameter in EXPLAINERS and kind in CALLED:
            continue
        CountingCNN.calls = 0
        try:
            result = function(**(good | {parameter: make()}))
            if isinstance(result, Iterator):
                list(result)
        except WhywordError as error:
            wrong += [f"{kind}: {one}" for one in unfit(str(error))]
            if CountingCNN.calls and not late:
                wrong.append(f"{kind}: {CountingCNN.calls} traces before {error}")
        except Exception as error:  # noqa: BLE001 - that is what must not be
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {str(error)[:100]}"
            wrong.append(f"{kind}: {said} ({Path(where.filename).name}:{where.lineno})")
    assert not wrong, "\n".join(wrong)


def unfit(message: str) -> list[str]:
    """Return what is wrong with a message."""
    try:
        check_message(message)
    except AssertionError as error:
        return [str(error)]
    return []


class BareTrace(Trace):
    """One that has no ability."""


class OnlyProbabilities:
    """Somebody's model: it says how probable the classes are, and nothing else."""

    calls = 0

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        type(self).calls += len(texts)
        return np.array([[0.25, 0.75] if "orbit" in text else [0.6, 0.4] for text in texts])


class Untraceable(CNNClassifier):
    """A model whose traces can do nothing but say scores."""

    calls = 0
    trace_kind = BareTrace  # type: ignore[assignment]

    def trace(self, *given: object, **named: object) -> NoReturn:
        raise AssertionError("work was begun")


ABLE: dict[str, dict[str, Any]] = {
    "explain": {},
    "iter_explanations": {},
    "class_words": {},
    "model_quality": {"labels": [0, 1] * 6},
    "deletion_curve": {"labels": [0, 1] * 6, "steps": 2},
    "evaluate": {"labels": [0, 1] * 6, "runs": 1, "steps": 2},
}
UNABLE: dict[str, dict[str, Any]] = {
    "document_map": {},
    "summarize": {},
    "iter_summaries": {},
    "senses": {"word": "orbit"},
    "SearchIndex": {},
    "model_randomisation": {},
    "input_invariance": {},
}


@pytest.mark.parametrize("name", ABLE)
def test_a_model_that_says_probabilities_only(name: str) -> None:
    result = CALLS[name][0](OnlyProbabilities(), TEXTS, **ABLE[name])
    assert len(list(result) if isinstance(result, Iterator) else [result]) > 0


@pytest.mark.parametrize("name", UNABLE)
def test_what_a_model_cannot_do_is_said_before_it_is_asked(name: str) -> None:
    OnlyProbabilities.calls = 0
    with pytest.raises(WhywordError, match=r"OnlyProbabilities|needs") as caught:
        CALLS[name][0](OnlyProbabilities(), TEXTS, **UNABLE[name])
    check_message(str(caught.value))
    assert OnlyProbabilities.calls <= 1  # how many classes there are


@pytest.mark.parametrize("name", ["deletion_curve", "evaluate"])
def test_a_model_whose_words_cannot_be_taken_away(name: str) -> None:
    model = small_cnn()
    model.__class__ = Untraceable
    with pytest.raises(WhywordError, match="words can be taken away"):
        CALLS[name][0](model, TEXTS, LABELS)
