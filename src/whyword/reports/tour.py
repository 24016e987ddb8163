"""A model on labelled texts at a glance: heatmaps, class words, the map, a small evaluation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.class_words import ClassWords, ClassWordsRequest, class_words_choices
from whyword.analysis.class_words_page import explain_documents, word_page
from whyword.analysis.document_map import DocumentMap, document_map
from whyword.audit.suspicion.search import suspects
from whyword.base.checks import check_installed
from whyword.base.errors import InputError
from whyword.base.files import atomic_write, save_or_return
from whyword.base.labels import Label, Labels
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.corpus import Corpus, Part
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.evaluate import evaluate
from whyword.evaluation.findings import Findings
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality, model_quality
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import explain
from whyword.methods.predict import predicted_matrix, probabilities_of
from whyword.methods.registry import methods_for
from whyword.methods.targets import label_matrix
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.multilabel import chosen_labels, is_multilabel
from whyword.models.protocol import ElementWise, Embedded, Erasable, TextClassifier
from whyword.reports.program import program_digest
from whyword.reports.stages import digest_of
from whyword.reports.tour_page import tour_page

PAGE, SUSPECTS, WORDS, MAP, EVALUATION, FACTS = (
    "index.html",
    "suspects.html",
    "words.html",
    "map.html",
    "evaluation.html",
    "facts.json",
)
METHODS = ("lrp", "sensitivity", "random")
TOP_WORDS, RUNS = 30, 3  # of each class; of random deletion
SHOWN = 4  # documents that were predicted wrong, and right unless they are named
_READABLE = (20, 250)  # words of a document that is shown, if there are such
_DELETED = 10  # words, after which accuracy is said
_NONE = Part([], [], [])
_LINKS = {"suspects": SUSPECTS, "words": WORDS, "map": MAP, "evaluation": EVALUATION}


@dataclass(frozen=True)
class Tour:
    """What was written.

    Attributes
    ----------
    page : Path
    facts : dict
        Accuracy, areas, explanatory powers: what the page says in numbers.
    kept : bool
        Whether it was there already.
    """

    page: Path
    facts: dict[str, Any]
    kept: bool


def write_tour(
    model: object,
    test: Part,
    folder: Path,
    title: str = "What the model goes by",
    *,
    train: Part | None = None,
    examples: Sequence[tuple[str, Sequence[Label]]] = (),
    few: int = 1000,
    runs: int = RUNS,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Tour:
    """Write the page and those it leads to, unless they are there already.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    test : Part
        Labelled texts that it was not trained on.
    folder : Path
    title : str
    train : Part, optional
        The labelled texts that it was trained on, in which suspects are looked for, too.
    examples : sequence of (id, classes)
        Documents to show first, each with the classes to explain; by default those that it was
        surest of.
    few : int
        Documents that explanations are measured on.
    runs : int
        Of random deletion.
    seed : int
        Of their choice, and of random deletion.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress` as each stage begins.
    """
    check_installed("report", "sklearn", "scipy")
    if len(_distinct(test.labels or [])) < 2:
        raise InputError("a tour needs labelled texts of at least two classes")
    traced = as_classifier(model)
    inputs = {
        "model": traced.identity,
        "texts": digest_of(test),
        "train": None if train is None else digest_of(train),
        "program": program_digest(),
        "settings": [title, [[name, list(map(str, of))] for name, of in examples], few, runs, seed],
    }
    has_map, is_searched = issubclass(traced.trace_kind, Embedded), _is_searched(traced)
    pages = [PAGE, *[SUSPECTS] * is_searched, WORDS, EVALUATION, *[MAP] * has_map]
    kept = _read_facts(folder, inputs, pages)
    if kept is not None:
        return Tour(folder / PAGE, kept, kept=True)
    on_progress = on_progress or ignore
    test = _with_distinct_ids(test)
    folder.mkdir(parents=True, exist_ok=True)
    on_progress(Progress("predicting"))
    quality = model_quality(traced, test.texts, test.labels or [])
    found = None
    if is_searched:
        on_progress(Progress("suspects"))
        found = suspects(traced, Corpus(title, train or _NONE, test), seed=seed)
        found.to_html(folder / SUSPECTS)
    on_progress(Progress("heatmaps"))
    right, wrong = _heatmaps(traced, test, examples)
    on_progress(Progress("class words"))
    words = _class_words(traced, test, folder)
    plane = None
    if has_map:
        on_progress(Progress("map"))
        plane = _map(traced, test)
        plane.to_html(folder / MAP)
    on_progress(Progress("evaluation"))
    some = some_of(test, few, seed)
    evaluation = evaluate(
        traced,
        some.texts,
        some.labels or [],
        compared_methods(traced),
        source=title,
        runs=runs,
        seed=seed,
        on_progress=on_progress,
    )
    evaluation.to_html(folder / EVALUATION)
    facts = _facts(quality, len(some), evaluation)
    page = tour_page(title, facts, found, right, wrong, words, plane, evaluation, _LINKS)
    save_or_return("".join(page), folder / PAGE)
    # written last: it says that all the others are whole
    save_or_return(json.dumps({"inputs": inputs, "facts": facts}, indent=1) + "\n", folder / FACTS)
    return Tour(folder / PAGE, facts, kept=False)


def _with_distinct_ids(test: Part) -> Part:
    """Return the texts with a name of its own for each: a word leads to its document by it."""
    if len(set(test.ids)) == len(test):
        return test
    return Part(test.texts, test.labels, [f"{id_}, {n}" for n, id_ in enumerate(test.ids, 1)])


def _is_searched(model: TextClassifier) -> bool:
    """Return whether suspects are looked for: not if the model is asked for each text anew."""
    kind = model.trace_kind
    return issubclass(kind, Erasable) and not kind.predicts_anew and not is_multilabel(model)


def _heatmaps(
    model: TextClassifier, test: Part, examples: Sequence[tuple[str, Sequence[Label]]]
) -> tuple[list[Explanation], list[tuple[Labels, Explanation]]]:
    """Return explanations of right predictions, and of wrong ones with the true class."""
    surest = _surest_of_labels if is_multilabel(model) else _surest
    named = [(test.ids.index(name), list(of)) for name, of in examples]
    right = named or surest(model, test, right=True)
    wrong = [
        ((test.labels or [])[number], _explain_document(model, test, number, of))
        for number, of in surest(model, test, right=False)
    ]
    return [_explain_document(model, test, *one) for one in right], wrong


def _class_words(model: TextClassifier, test: Part, folder: Path) -> ClassWords:
    """Return the words of all classes, once their page is written."""
    asked = ClassWordsRequest(top=TOP_WORDS)
    every = class_words_choices(model, asked, test.texts, test.ids)
    lists = [words for words in every if words.rank == asked.rank]  # of all, the page is long
    pairs = zip(test.ids, test.texts, strict=True)
    _write(folder / WORDS, word_page(lists, explain_documents(model, pairs, lists[0])))
    return lists[0]


def _map(model: TextClassifier, test: Part) -> DocumentMap:
    level = "element" if issubclass(model.trace_kind, ElementWise) else "word"
    return document_map(model, test.texts, test.labels, ids=test.ids, level=level)


def some_of(test: Part, few: int, seed: int) -> Part:
    """Return so many documents, chosen by chance."""
    chosen = np.sort(np.random.default_rng(seed).permutation(len(test))[:few]).tolist()
    texts, ids = [test.texts[n] for n in chosen], [test.ids[n] for n in chosen]
    return Part(texts, [(test.labels or [])[n] for n in chosen], ids)


def compared_methods(model: TextClassifier) -> list[str]:
    """Return the methods that are measured: the model's best, and a few of the paper's."""
    able = methods_for(model.trace_kind)
    return [name for name in dict.fromkeys([next(iter(able)), *METHODS]) if name in able]


def _facts(
    quality: ModelQuality | MultiLabelQuality, measured_on: int, evaluation: Findings
) -> dict[str, Any]:
    return {
        "accuracy": quality.accuracy,
        "documents": quality.n_documents,
        "measured_on": measured_on,
        "areas": {
            str(number): {name: curve.area for name, curve in curves.items()}
            for number, curves in evaluation.curves.items()
        },
        **_deletions(evaluation.curves.get(1, {})),
        "explanatory_power": {name: power.epi for name, power in evaluation.powers.items()},
    }


def _deletions(curves: Mapping[str, DeletionCurve]) -> dict[str, Any]:
    """Return what the first experiment says in three numbers, if there is one."""
    if not curves:
        return {"deleted": 0, "deleted_from": 0, "still_right": {}}
    first = next(iter(curves.values()))
    place = int(np.searchsorted(first.steps, _DELETED, "right")) - 1
    return {
        "deleted": int(first.steps[place]),
        "deleted_from": len(first),
        "still_right": {name: float(curve.accuracy[place]) for name, curve in curves.items()},
    }


def _read_facts(
    folder: Path, inputs: dict[str, Any], pages: Sequence[str]
) -> dict[str, Any] | None:
    """Return the facts of a tour that was made of the same, and whose pages are all there."""
    if inputs["model"] is None:  # nobody knows whether it is the same
        return None
    try:
        content = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        same = content["inputs"] == inputs
        facts: dict[str, Any] = content["facts"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    whole = all((folder / name).is_file() for name in pages)
    return facts if same and whole else None


def _write(path: Path, parts: Iterator[str]) -> None:
    with atomic_write(path) as draft, draft.open("w", encoding="utf-8") as stream:
        stream.writelines(parts)


def _explain_document(model: object, test: Part, number: int, of: Sequence[Label]) -> Explanation:
    return explain(model, [test.texts[number]], list(of), ids=[test.ids[number]])[0]


def _distinct(labels: Sequence[Labels]) -> set[str]:
    """Return the labels of documents, which may have several."""
    return {label for one in labels for label in ((one,) if isinstance(one, str) else one)}


def _surest(model: TextClassifier, test: Part, right: bool) -> list[tuple[int, list[Label]]]:
    """Return documents that the model was surest of, right or wrong, with two classes each.

    The class it chose, and the true one or, if that is the same, the next best; of different true
    classes, and of a length that can be read, as far as there are such.
    """
    chances, classes = probabilities_of(model, test.texts), labels_of(model)
    labels = test.labels or []
    best, second = np.argsort(-chances, axis=1, kind="stable")[:, :2].T
    chosen: dict[Label, tuple[int, list[Label]]] = {}
    for number in _readable_first(chances, test):
        label, predicted = labels[number], classes[best[number]]
        if label not in chosen and (predicted == label) == right:
            other = classes[second[number]] if right else label
            chosen[label] = number, [predicted, other]
        if len(chosen) == SHOWN:
            break
    return list(chosen.values())


def _surest_of_labels(
    model: TextClassifier, test: Part, right: bool
) -> list[tuple[int, list[Label]]]:
    """Return the same of a model that predicts several labels: by the highest of a document.

    With the labels predicted, and those that are true; at most as many as are seen at a glance.
    """
    chances, classes = probabilities_of(model, test.texts), labels_of(model)
    said = predicted_matrix(model, test.texts)
    truth = label_matrix(classes, test.labels or [])
    chosen: dict[int, tuple[int, list[Label]]] = {}
    for number in _readable_first(chances, test):
        best = int(chances[number].argmax())
        if best not in chosen and (said[number] == truth[number]).all() == right:
            of = chosen_labels(said[number] | truth[number], classes)[:SHOWN]
            chosen[best] = number, list(of or classes[best : best + 1])
        if len(chosen) == SHOWN:
            break
    return list(chosen.values())


def _readable_first(chances: NDArray[np.floating[Any]], test: Part) -> list[int]:
    """Return the documents' numbers, those of a good length first, then the surest."""
    least, most = _READABLE
    lengths = np.array([len(text.split()) for text in test.texts])
    unfit = np.maximum(least - lengths, lengths - most).clip(0)  # how far from a good length
    order: list[int] = np.lexsort((-chances.max(axis=1), unfit)).tolist()
    return order
