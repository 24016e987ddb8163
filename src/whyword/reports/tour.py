"""A model on labelled texts at a glance: heatmaps, class words, the map, a small evaluation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.class_words import ClassWords, class_words
from whyword.analysis.class_words_page import explain_documents, word_page
from whyword.analysis.document_map import DocumentMap, document_map
from whyword.base.checks import check_installed
from whyword.base.errors import InputError
from whyword.base.files import atomic_write, save_or_return, temporary_folder
from whyword.base.labels import Label
from whyword.base.printable import html_line
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.corpora.corpus import Part
from whyword.evaluation.comparison import of_best
from whyword.evaluation.curves import DeletionCurve
from whyword.evaluation.evaluate import Evaluation, evaluate
from whyword.evaluation.quality import model_quality
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import explain
from whyword.methods.predict import probabilities_of
from whyword.methods.registry import methods_for
from whyword.models.blackbox import as_classifier, labels_of
from whyword.models.protocol import ElementWise, Embedded
from whyword.pages.charts import Line, line_chart
from whyword.pages.layout import table
from whyword.pages.parts import STYLE, picture, word_list
from whyword.reports.stages import digest_of, program_digest

PAGE, WORDS, MAP, EVALUATION, FACTS = (
    "index.html",
    "words.html",
    "map.html",
    "evaluation.html",
    "facts.json",
)
METHODS = ("lrp", "sensitivity", "random")
_SHOWN = 4  # documents that were predicted wrong, and right unless they are named
_TOP = 10  # words of a class; the page of words has more
_READABLE = (20, 250)  # words of a document that is shown, if there are such
_DELETED = 10  # words, after which accuracy is said


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
    examples: Sequence[tuple[str, Sequence[Label]]] = (),
    few: int = 1000,
    runs: int = 3,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Tour:
    """Write the page and those it leads to, unless they are there already.

    Parameters
    ----------
    model : TextClassifier, or anything with ``predict_proba(list of str)``
    test : Part
        Labelled texts that it was not trained on.
    folder : Path
    title : str
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
    check_installed("report", "sklearn", "scipy", "matplotlib")
    if len(set(test.labels or [])) < 2:
        raise InputError("a tour needs labelled texts of at least two classes")
    traced = as_classifier(model)
    kind = traced.trace_kind
    inputs = {
        "model": traced.identity,
        "texts": digest_of(test),
        "program": program_digest(),
        "settings": [title, [[name, list(map(str, of))] for name, of in examples], few, runs, seed],
    }
    kept = _read_facts(folder, inputs)
    if kept is not None:
        return Tour(folder / PAGE, kept, kept=True)
    on_progress = on_progress or ignore
    if len(set(test.ids)) < len(test):  # a word leads to its document by the name
        test = Part(test.texts, test.labels, [f"{id_}, {n}" for n, id_ in enumerate(test.ids, 1)])
    folder.mkdir(parents=True, exist_ok=True)
    on_progress(Progress("predicting"))
    quality = model_quality(model, test.texts, test.labels or [])
    on_progress(Progress("heatmaps"))
    chances, classes = probabilities_of(traced, test.texts), labels_of(traced)
    named = [(test.ids.index(name), list(of)) for name, of in examples]
    right = named or _surest(chances, classes, test, right=True)
    shown = [_explain_document(model, test, *one) for one in right]
    wrong = [
        ((test.labels or [])[number], _explain_document(model, test, number, of))
        for number, of in _surest(chances, classes, test, right=False)
    ]
    on_progress(Progress("class words"))
    words = class_words(model, test.texts, top=30, ids=test.ids)
    pairs = zip(test.ids, test.texts, strict=True)
    _write(folder / WORDS, word_page(words, explain_documents(model, pairs, words)))
    plane = None
    if issubclass(kind, Embedded):
        on_progress(Progress("map"))
        level = "element" if issubclass(kind, ElementWise) else "word"
        plane = document_map(model, test.texts, test.labels, ids=test.ids, level=level)
        plane.to_html(folder / MAP)
    on_progress(Progress("evaluation"))
    chosen = np.sort(np.random.default_rng(seed).permutation(len(test))[:few]).tolist()
    texts, labels = [test.texts[n] for n in chosen], [(test.labels or [])[n] for n in chosen]
    able = methods_for(kind)
    methods = [name for name in dict.fromkeys([next(iter(able)), *METHODS]) if name in able]
    evaluation = evaluate(
        model, texts, labels, methods, source=title, runs=runs, seed=seed, on_progress=on_progress
    )
    evaluation.to_html(folder / EVALUATION)
    facts: dict[str, Any] = {
        "accuracy": quality.accuracy,
        "documents": quality.n_documents,
        "measured_on": len(chosen),
        "areas": {
            str(number): {name: curve.area for name, curve in curves.items()}
            for number, curves in evaluation.curves.items()
        },
        **_deletions(evaluation.curves.get(1, {})),
        "explanatory_power": {name: power.epi for name, power in evaluation.powers.items()},
    }
    page = _page(title, facts, shown, wrong, words, plane, evaluation)
    save_or_return("".join(page), folder / PAGE)
    # written last: it says that all the others are whole
    save_or_return(json.dumps({"inputs": inputs, "facts": facts}, indent=1) + "\n", folder / FACTS)
    return Tour(folder / PAGE, facts, kept=False)


def _deletions(curves: Mapping[str, DeletionCurve]) -> dict[str, Any]:
    """Return what the first experiment says in three numbers, if there is one."""
    if not curves:
        return {"deleted": 0, "deleted_from": 0, "still_right": {}}
    first = next(iter(curves.values()))
    deleted = min(_DELETED, first.steps)
    return {
        "deleted": deleted,
        "deleted_from": len(first),
        "still_right": {name: float(curve.accuracy[deleted]) for name, curve in curves.items()},
    }


def _read_facts(folder: Path, inputs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the facts of a tour that was made of the same, and whose pages are all there."""
    if inputs["model"] is None:  # nobody knows whether it is the same
        return None
    try:
        content = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        same = content["inputs"] == inputs
        facts: dict[str, Any] = content["facts"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    whole = all((folder / name).is_file() for name in (PAGE, WORDS, MAP, EVALUATION))
    return facts if same and whole else None


def _write(path: Path, parts: Iterator[str]) -> None:
    with atomic_write(path) as draft, draft.open("w", encoding="utf-8") as stream:
        stream.writelines(parts)


def _explain_document(model: object, test: Part, number: int, of: Sequence[Label]) -> Explanation:
    return explain(model, [test.texts[number]], list(of), ids=[test.ids[number]])[0]


def _surest(
    chances: NDArray[np.floating[Any]], classes: Sequence[Label], test: Part, right: bool
) -> list[tuple[int, list[Label]]]:
    """Return documents that the model was surest of, right or wrong, with two classes each.

    The class it chose, and the true one or, if that is the same, the next best; of different true
    classes, and of a length that can be read, as far as there are such.
    """
    labels = test.labels or []
    best, second = np.argsort(-chances, axis=1, kind="stable")[:, :2].T
    least, most = _READABLE
    lengths = np.array([len(text.split()) for text in test.texts])
    unfit = np.maximum(least - lengths, lengths - most).clip(0)  # how far from a good length
    chosen: dict[Label, tuple[int, list[Label]]] = {}
    for number in np.lexsort((-chances.max(axis=1), unfit)).tolist():
        label, predicted = labels[number], classes[best[number]]
        if label not in chosen and (predicted == label) == right:
            other = classes[second[number]] if right else label
            chosen[label] = number, [predicted, other]
        if len(chosen) == _SHOWN:
            break
    return list(chosen.values())


def _page(
    title: str,
    facts: dict[str, Any],
    shown: Sequence[Explanation],
    wrong: Sequence[tuple[Label, Explanation]],
    words: ClassWords,
    plane: DocumentMap | None,
    evaluation: Evaluation,
) -> Iterator[str]:
    yield heatmap.page_head(title, STYLE, pictures=True)
    yield f'<main class="ww"><h1>{html_line(title)}</h1>'
    best = shown[0].method if shown else ""
    tiles = [
        (f"{facts['accuracy']:.1%}", f"right, of {facts['documents']:,} texts"),
        (f"{len(words)}", "classes"),
        *(
            (f"{facts['still_right'][name]:.0%}", said)
            for name, said in (
                (best, f"still right without the {facts['deleted']} most relevant words"),
                ("random", f"still right without {facts['deleted']} words by chance"),
            )
            if name in facts["still_right"]
        ),
    ]
    yield '<ul class="tiles">'
    yield "".join(f"<li><b>{figure}</b><span>{said}</span></li>" for figure, said in tiles)
    yield "</ul>"
    yield "<h2>Why it says so</h2><p>Red words speak for the class, blue ones against it."
    if all(one.conserves for one in shown):
        yield " Together they are its score, nothing is left over."
    yield "</p>"
    yield from (heatmap.fragment(one.heatmap()) for one in shown)
    if wrong:
        yield "<h2>Where it is wrong, and what misled it</h2>"
        yield "<p>Mistakes it was sure of: the class it chose, and the true one.</p>"
    for label, one in wrong:
        said = f"{one.id}: {one.predicted}, in truth {label}"
        yield heatmap.fragment(heatmap.Heatmap(**{**vars(one.heatmap()), "title": said}))
    yield from _words(words)
    if plane is not None:
        yield from _map(plane)
    else:
        yield "<p>There is no map: this model's documents have no vectors.</p>"
    yield from _evaluation(evaluation, facts)
    yield f"</main>{heatmap.PAGE_END}"


def _words(words: ClassWords) -> Iterator[str]:
    yield "<h2>What classes are about</h2>"
    yield (
        f"<p>The words that speak most for each class, with their relevance, over all texts. "
        f'<a href="{WORDS}">Thirty of each, and the texts they come from</a>.</p>'
        '<div class="grid3">'
    )
    for label, entries in words.items():
        listed = word_list((one.word, one.relevance, one.seen) for one in entries[:_TOP])
        yield f"<section><h3>{html_line(str(label))}</h3>{listed}</section>"
    yield "</div>"


def _map(plane: DocumentMap) -> Iterator[str]:
    yield "<h2>The texts on a map</h2>"
    yield (
        "<p>Near to each other if the same speaks for their classes; coloured by the true class. "
        f'<a href="{MAP}">The map to explore</a>: point at a text for its words, click for its '
        "heatmap.</p>"
    )
    with temporary_folder() as folder:
        plane.to_png(folder / "map.png")
        yield picture((folder / "map.png").read_bytes(), "The texts as points, by class")


def _evaluation(evaluation: Evaluation, facts: dict[str, Any]) -> Iterator[str]:
    yield "<h2>How far to trust this</h2>"
    yield (
        f"<p>Measured on {facts['measured_on']:,} of the texts; words are deleted from the "
        f"{facts['deleted_from']:,} of them that are long enough and were right. If the words are "
        "the right ones, predictions change when they are deleted, and documents are told apart "
        "by them. "
        f'<a href="{EVALUATION}">The whole evaluation</a>.</p><div class="grid2">'
    )
    if 1 in evaluation.curves:
        lines = [
            Line(name, range(len(curve.accuracy)), curve.accuracy.tolist(), number)
            for number, (name, curve) in enumerate(evaluation.curves[1].items())
        ]
        said = "Accuracy of texts that were right, words deleted, the most relevant first"
        chart = line_chart(lines, "words deleted", "accuracy", said, percent=True)
        yield f"<div><b>Deleting the most relevant words: lower is better</b>{chart}</div>"
    if evaluation.powers:
        best = max(power.epi for power in evaluation.powers.values())
        rows = [[html_line(n), f"{p.epi:.3f}", f"{p.k}"] for n, p in evaluation.powers.items()]
        marks = [power.epi == best for power in evaluation.powers.values()]
        yield "<div><b>Explanatory power: higher is better</b>"
        yield table(["by", "EPI", "K"], rows, marks) + "</div>"
    yield "</div>"
    verdicts = [
        one.headline
        for several in (evaluation.curve_comparisons.get(1, []), evaluation.power_comparisons)
        for one in (of_best(several)[0] if several else [])
    ]
    yield f'<ul class="verdicts">{"".join(map(_item, verdicts))}</ul>'


def _item(text: str) -> str:
    return f"<li>{html_line(text)}</li>"
