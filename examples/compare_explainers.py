"""Compare what LRP, SA, LIME and SHAP say about the same decisions.

All four explain the same model's predictions of the same documents; all are measured alike. LIME
and SHAP stand for any tool: what they return becomes (spans, values), and that is all that
whyword needs. The first run trains a network (or give it yours by --model).

    pip install '.[train,evaluate,shap]' lime  # in a copy of the repository
    python examples/compare_explainers.py [--documents 60] [--model FOLDER]
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from lime.lime_text import LimeTextExplainer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import whyword as ww
from whyword.base.files import cache_folder

Pieces = tuple[NDArray[np.int64], NDArray[np.float64]]  # (n, 2) character spans, (n,) values
WORDS = (100, 300)  # of the documents chosen


def by_lime(model: ww.CNNClassifier, text: str, target: int) -> Pieces:
    """Return LIME's weights at the places of the words; occurrences share a word's weight."""
    explainer = LimeTextExplainer(random_state=0)
    found = explainer.explain_instance(
        text, model.predict_proba, labels=[target], num_features=10_000, num_samples=1_000
    )
    indexed = found.domain_mapper.indexed_string
    spans, values = [], []
    for feature, weight in found.as_map()[target]:
        starts = indexed.string_position(feature)
        spans += [(start, start + len(indexed.word(feature))) for start in starts]
        values += [weight / len(starts)] * len(starts)
    return np.array(spans).reshape(-1, 2), np.array(values)


def by_shap(model: ww.CNNClassifier, text: str, target: int) -> Pieces:
    """Return SHAP's values (partition explainer) at the places of its tokens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap

        masker = shap.maskers.Text(r"\W+")
        explainer = shap.Explainer(model.predict_proba, masker, algorithm="partition", silent=True)
        found = explainer([text])
    spans, at = [], 0
    for token in found.data[0]:
        start = text.index(token, at)
        at = start + len(token)
        spans.append((start, at))
    return np.array(spans).reshape(-1, 2), found.values[0][:, target]


def trained_model(news: ww.Corpus, folder: Path | None) -> ww.CNNClassifier:
    """Return the model in the folder, or a small one that is trained once and kept."""
    kept = folder or cache_folder() / "example-model"
    if not kept.exists():
        print("training a small network (once) …", flush=True)
        model = ww.CNNClassifier(vectors="glove-6b-50d", filters=200, epochs=8, max_words=400)
        model.fit(news.train.texts, news.train.labels or []).save(kept)
    loaded = ww.load_model(kept)
    if not isinstance(loaded, ww.CNNClassifier):
        raise SystemExit(f"{kept} is no network; this example compares explanations of one")
    return loaded


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--model", type=Path, help="a saved network of 20 Newsgroups")
    arguments = parser.parse_args()
    news = ww.load_corpus("20newsgroups")
    model = trained_model(news, arguments.model)
    predicted = model.predict(news.test.texts).tolist()
    right = [
        n
        for n, label in enumerate(news.test.labels or [])
        if label == predicted[n] and WORDS[0] <= len(ww.tokenize(news.test.texts[n])) <= WORDS[1]
    ]
    chosen = np.random.default_rng(0).permutation(right)[: arguments.documents].tolist()
    texts = [news.test.texts[n] for n in chosen]
    labels = [predicted[n] for n in chosen]
    numbers = [model.classes_.tolist().index(label) for label in labels]

    def ours(method: str) -> Callable[[], list[ww.Explanation]]:
        return lambda: list(ww.explain(model, texts, targets=labels, method=method))

    def theirs(one: Callable[[ww.CNNClassifier, str, int], Pieces]) -> Callable[[], list[Pieces]]:
        return lambda: [one(model, text, n) for text, n in zip(texts, numbers, strict=True)]

    explainers: dict[str, Callable[[], list[ww.Explanation] | list[Pieces]]] = {
        "LRP": ours("lrp"),
        "SA": ours("sensitivity"),
        "LIME": theirs(by_lime),
        "SHAP": theirs(by_shap),
    }
    curves: dict[str, ww.evaluation.DeletionCurve] = {}
    powers: dict[str, ww.evaluation.ExplanatoryPower] = {}
    table = Table("", box=None, header_style="bold")
    for heading in ("area", "compreh.", "suff.", "EPI", "K", "ms a document"):
        table.add_column(heading, justify="right")
    ours("lrp")()  # compile
    for name, explain in explainers.items():
        start = time.perf_counter()
        relevance = explain()
        spent = 1000 * (time.perf_counter() - start) / len(texts)
        curve = ww.deletion_curve(model, texts, labels, name, relevance=relevance)
        vectors = ww.summarize(model, texts, relevance=relevance)
        power = ww.explanatory_power(vectors, labels, neighbours=range(1, len(texts) // 4))
        curves[name], powers[name] = curve, power
        table.add_row(
            *(name, f"{curve.area:.3f}", f"{curve.comprehensiveness:.3f}"),
            *(f"{curve.sufficiency:.3f}", f"{power.epi:.3f}", str(power.k), f"{spent:,.1f}"),
        )
    chance = ww.deletion_curve(model, texts, labels, "random")
    table.add_row("random", f"{chance.area:.3f}", f"{chance.comprehensiveness:.3f}")
    console = Console(highlight=False)
    console.print(f"\n{len(texts)} documents, 50 words deleted, most relevant first:\n")
    console.print(table)
    console.print("\nArea and sufficiency: lower is better; comprehensiveness and EPI: higher.\n")
    for comparison in [*ww.evaluation.compare_all(curves), *ww.evaluation.compare_all(powers)]:
        console.print(f"· {comparison}", soft_wrap=True)


if __name__ == "__main__":
    main()
