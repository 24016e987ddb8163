"""Every page there is, with one text as title, class, method, word, name and remark in it."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from typing import Any

import numpy as np
from networks import made_cnn, made_text

from whyword import CNNClassifier, class_words, compare_models, evaluate, explain
from whyword.analysis.class_words_page import explain_documents, word_page
from whyword.analysis.document_map import DocumentMap
from whyword.audit import Strategies, Strategy, StrategyWord, Suspect, Suspects, Turned
from whyword.audit.compare import ModelComparison
from whyword.audit.page import comparison_page
from whyword.base.printable import storable
from whyword.evaluation.evaluate import Evaluation
from whyword.evaluation.page import evaluation_page
from whyword.reports import paper
from whyword.reports.claims import Claim
from whyword.reports.page import reproduction_page, words_of_all_classes
from whyword.reports.plan import Plan
from whyword.reports.reproduction import Reproduction
from whyword.reports.tour_page import tour_page
from whyword.web.docspage import docs_page

HARMLESS = "plain"
LINKS = {name: f"{name}.html" for name in ("suspects", "words", "map", "evaluation")}
KINDS = (
    *("heatmap", "notebook", "words", "map", "evaluation", "comparison"),
    *("strategies", "suspects", "tour", "reproduction", "all", "api"),
)


def rendered(kind: str, text: str) -> str:
    """Return a page that has the text wherever it shows what somebody else wrote."""
    makers: dict[str, Callable[[str], Iterator[str] | str]] = {
        "heatmap": lambda text: _explained(text, "all").to_html(),
        "notebook": lambda text: _explained(text, "all")._repr_html_(),
        "words": _words_page,
        "map": lambda text: _map(text).to_html(),
        "evaluation": lambda text: evaluation_page(_evaluation(text), text),
        "comparison": _comparison_page,
        "strategies": lambda text: _strategies(text).to_html(title=text),
        "suspects": lambda text: _suspects(text).to_html(title=text),
        "tour": _tour_page,
        "reproduction": lambda text: reproduction_page(_reproduction(text), "words.html"),
        "all": lambda text: words_of_all_classes(_reproduction(text)),
        "api": lambda text: docs_page(_schema(text)),
    }
    return "".join(makers[kind](text))


def named(text: str, what: object) -> str:
    """Return the text as a name of its own, for names must differ; numpy drops a NUL at the end."""
    return f"{text} {what}|"


def class_name(text: str, number: int) -> str:
    """Return the text as a class of the model, which no half of a surrogate pair can name."""
    return named(storable(text), number)


def _model(text: str) -> CNNClassifier:
    model = made_cnn()
    model.classes_ = np.array([class_name(text, n) for n in range(3)])
    return model


def _texts(text: str) -> dict[str, str]:
    bodies = ("wa wb wc", f"wd {text}\nwe", f"zebra {text} wa")
    return {named(text, f"document {n}"): body for n, body in enumerate(bodies)}


def _explained(text: str, target: str = "predicted") -> Any:  # noqa: ANN401 - one of any targets
    (name, body), *_ = reversed(_texts(text).items())
    return explain(_model(text), [body], target, ids=[name])[0]


def _class_words(text: str) -> Any:  # noqa: ANN401
    """Return the words of harmless texts, all names and words replaced: so they are as many."""
    harmless = _texts(HARMLESS)
    words = class_words(_model(HARMLESS), harmless.values(), top=2, ids=list(harmless))
    names = dict(zip(harmless, _texts(text), strict=True))
    names |= {class_name(HARMLESS, n): class_name(text, n) for n in range(3)}
    listed = {entry.word for entries in words.values() for entry in entries}
    return _swap(words, names | {word: named(text, word) for word in listed})


def _words_page(text: str) -> Iterator[str]:
    words = _class_words(text)
    return word_page([words], explain_documents(_model(text), _texts(text).items(), words), text)


def _map(text: str) -> DocumentMap:
    texts = _texts(text)
    shown = explain(_model(text), texts.values(), ids=list(texts))
    groups = [class_name(text, n) for n in range(3)]
    return DocumentMap(np.eye(3)[:, :2], list(texts), groups, 0.5, text, list(shown))


@cache
def _measured() -> Evaluation:
    random = np.random.default_rng(0)
    texts = [made_text(random.integers(0, 7, 12)) for _ in range(40)]
    model = made_cnn()
    labels = random.choice(model.classes_, 40)
    methods = ["lrp", "sensitivity", "random"]
    return evaluate(model, texts, labels, methods, source="source", runs=2, splits=2)


def _evaluation(text: str) -> Evaluation:
    names = [*(f"class {n}" for n in range(3)), "lrp", "sensitivity", "random", "source", "cnn"]
    measured = dataclasses.replace(_measured(), remarks=["remark"])
    swapped = _swap(measured, {name: named(text, name) for name in [*names, "remark"]})
    assert isinstance(swapped, Evaluation)
    return swapped


@cache
def _compared() -> ModelComparison:
    random = np.random.default_rng(0)
    texts = [made_text(random.integers(0, 7, 12)) for _ in range(20)]
    both = {"one": made_cnn(), "other": made_cnn(seed=1)}
    labels = random.choice(both["one"].classes_, 20)
    return compare_models(both, texts, labels, source="source", runs=1, splits=2)


def _comparison_page(text: str) -> Iterator[str]:
    measured = dataclasses.replace(_compared(), remarks=["remark"])
    names = ["one", "other", "lrp", "source", "remark"]
    swapped = _swap(measured, {name: named(text, name) for name in names})
    lacks = {"size": named(text, "lack")}
    rows = {
        name: dataclasses.replace(row, n_bytes=None, lacks=lacks)
        for name, row in swapped.models.items()
    }
    lacking = dataclasses.replace(swapped, models=rows)
    return comparison_page(lacking, [named(text, "finding")], text)


def _strategies(text: str) -> Strategies:
    texts = _texts(text)
    words = [StrategyWord(named(text, word), 0.5, 0.1, 2) for word in "ab"]
    rows = [
        Strategy(n, 2, 0.5, words, words, [n - 1, 2], 1.5, 0.5, (0.2, 0.8), 0.6) for n in (1, 2)
    ]
    return Strategies(
        target=class_name(text, 0),
        strategies=rows,
        documents=np.arange(3),
        groups=np.array([1, 2, 2]),
        points=np.eye(3)[:, :2],
        plane_share=0.5,
        strengths={1: 1.0, 2: 0.9},
        explanations=list(explain(_model(text), texts.values(), ids=list(texts))),
        remarks=[named(text, "remark")],
        settings={"method": named(text, "method")},
    )


def _suspects(text: str) -> Suspects:
    texts = _texts(text)
    numbers: dict[str, Any] = dict.fromkeys(("suspicion", "habit", "drift", "unusual"), 0.5)
    numbers |= dict.fromkeys(("groups", "groups_expected", "relevance", "score"), 2.0)
    numbers |= dict.fromkeys(("p_groups", "q_groups", "p_odds", "q_odds"), 0.01)
    numbers |= dict.fromkeys(("train", "train_class", "grouped", "held_out", "held_out_class"), 3)
    row = Suspect(
        entries=(named(text, "entry"), named(text, "other entry")),
        kind="words",
        form="host",
        label=class_name(text, 0),
        verdict="suspect",
        n_documents=3,
        train_turned=Turned(1, 2, 3),
        held_out_turned=Turned(1, 2, 3),
        examples=(0, 1, 2),
        **numbers,
    )
    return Suspects(
        rows=[row, dataclasses.replace(row, verdict="noise", label=class_name(text, 1))],
        classes=tuple(class_name(text, n) for n in range(3)),
        n_units=5,
        n_train=1,
        n_held_out=2,
        accuracy=0.5,
        remarks=[named(text, "remark")],
        settings={"source": named(text, "source"), "groups": named(text, "group")},
        seconds={},
        examples=dict(enumerate(explain(_model(text), texts.values(), ids=list(texts)))),
    )


def _swap(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - a value of any kind
    """Return a copy with these strings replaced, however deep they lie."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {_swap(key, names): _swap(one, names) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_swap(one, names) for one in value))
    if isinstance(value, list | tuple):
        return type(value)(_swap(one, names) for one in value)
    if dataclasses.is_dataclass(value):
        swapped = copy(value)
        for field in dataclasses.fields(value):
            object.__setattr__(swapped, field.name, _swap(getattr(value, field.name), names))
        return swapped
    return value


def _tour_page(text: str) -> Iterator[str]:
    facts = {
        "accuracy": 0.5,
        "documents": 3,
        "measured_on": 3,
        "deleted": 1,
        "deleted_from": 3,
        "still_right": {"lrp": 0.5, "random": 1.0},
    }
    shown = _explained(text)
    wrong = [(named(text, "label"), shown)]
    words, plane = _class_words(text), _map(text)
    suspected, evaluation = _suspects(text), _evaluation(text)
    return tour_page(text, facts, suspected, [shown], wrong, words, plane, evaluation, LINKS)


def _reproduction(text: str) -> Reproduction:
    model = _model(text)
    body = _texts(text)[named(text, "document 1")]
    power = {"epi": 0.5, "deviation": 0.1, "k": 2, "neighbours": [1, 2], "curve": [0.4, 0.5]}
    curve = {"accuracy": [1.0, 0.5], "mean_score": [1.0, 0.5], "area": 0.7, "count": 3}
    curves = {"curves": {name: curve for name in paper.METHODS}}
    listed = [[named(text, "word"), 0.5, seen] for seen in (True, False)]
    words = {label: listed for label in (*paper.WORD_CLASSES, named(text, "class"))}
    quality = {"accuracy": 0.5, "macro_f1": 0.5}
    plane = {
        "points": [[0.0, 1.0], [1.0, 0.0]],
        "labels": ["sci.med", "rec.autos"],
        "neighbours_of_own_group": 0.5,
    }
    results: dict[str, Any] = {
        "quality": {name: quality for name in (*paper.ACCURACY, paper.PRETRAINED)},
        "corpus": {"long_documents": 1, "short_documents": 2, "vocabulary": 3},
        "heatmaps": {"CNN2": {"explanation": explain(model, body, "all").to_json()}},
        "words": {name: words for name in (paper.PRETRAINED, named(text, "model"))},
        "planes": {name: plane for name in ("CNN2 LRP", "SVM LRP")},
        "deletion": {named(text, "network"): {number: curves for number in "123"}},
        "powers": {row.name: power for row in paper.POWERS},
        "tests": {"one": {"verdict": named(text, "verdict")}},
        "about": {
            "data": {"vectors": named(text, "vectors")},
            "versions": {named(text, "package"): named(text, "version")},
            "machine": named(text, "machine"),
            "seconds": {named(text, "stage"): 1.0},
            "this_run": 1,
            "memory": 10**9,
        },
    }
    claims = [Claim(named(text, f"claim {n}"), bool(n), named(text, "figures")) for n in range(2)]
    return Reproduction(json.loads(json.dumps(results)), claims, Plan())


def _schema(text: str) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{named(text, 'kind').replace('/', '')}"}
    content = {"schema": reference, "examples": {"one": {"value": {"text": text}}}}
    kind = {
        "description": named(text, "described"),
        "properties": {named(text, "field"): {"enum": [text]}},
    }
    operation = {
        "description": named(text, "described"),
        "parameters": [{"name": named(text, "name"), "schema": {"type": text}, "required": True}],
        "requestBody": {"content": {"application/json": content}},
        "responses": {"200": {"content": {"application/json": {"schema": reference}}}, "401": {}},
    }
    return {
        "info": {"title": text, "description": text},
        "paths": {named(text, "/path"): {"post": operation}},
        "components": {"schemas": {reference["$ref"].rpartition("/")[2]: kind}},
    }
