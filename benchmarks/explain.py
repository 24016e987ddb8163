"""Explaining all 20 classes, beside torch's forward pass, zennit, LIME and SHAP.

The trained CNN2 (the first run trains it, four minutes), the same documents, the same threads, one
run. Ours is timed from the raw texts to explanations of all classes, tokenising included.

- torch's forward pass alone, on inputs already looked up and padded, in batches of similar length;
- zennit's ε rule (biases apart, as ours is for the comparison of values), one pass per class;
- LIME with its default 5,000 samples for one class, and SHAP's partition explainer with its
  defaults, a few documents each; both call our own fast ``predict_proba``.

Whole-corpus figures are medians of the rounds. zennit runs once.

    python benchmarks/explain.py [--rounds 5] [--sample 1000] [--few 10] [--model FOLDER]
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from figures import keep, ratios
from numpy.typing import NDArray
from torch_network import from_network, padded_batches
from trained import trained
from zennit_network import zennit_relevance

from whyword import CNNClassifier, explain, load_corpus
from whyword.methods.lrp import LRP

FORWARD, ZENNIT, SAMPLING = 5, 300, 1000  # times faster than each, at least
SHARE = 0.4  # of the time, spent on explaining, at most
AGREEMENT = 1e-3  # relative to the document's largest |relevance|; zennit rounds to float32


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def forward_seconds(model: CNNClassifier, texts: list[str]) -> float:
    """Return the time torch spends in the forward pass."""
    plain = from_network(model.network_)
    spent = 0.0
    with torch.inference_mode():
        for _, batch, lengths in padded_batches(model.inputs_.batch(texts), 64):
            spent += seconds(lambda batch=batch, lengths=lengths: plain(batch, lengths))  # type: ignore[misc]
    return spent


def explaining_seconds(model: CNNClassifier, texts: list[str]) -> tuple[float, float]:
    """Return the time of tokenising to scores, and that of the relevance."""
    classes, rule = len(model.classes_), LRP.settings(model.trace_kind, {})
    relevance = 0.0
    start = time.perf_counter()
    for trace in model.trace(texts, columns=classes):
        targets = np.tile(np.arange(classes, dtype=np.int32), (len(trace), 1))
        relevance += seconds(lambda trace=trace, targets=targets: trace.lrp(targets, **rule))  # type: ignore[misc]
    return time.perf_counter() - start - relevance, relevance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sample", type=int, default=1000, help="documents for zennit")
    parser.add_argument("--few", type=int, default=10, help="documents for LIME and SHAP")
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    model = trained("cnn2", news, arguments.model)
    assert isinstance(model, CNNClassifier)
    texts = news.test.texts
    chosen = np.random.default_rng(0).choice(len(texts), arguments.sample, replace=False)
    sample = [texts[number] for number in chosen]
    explain(model, sample[:50], target="all")  # compile and warm up

    times: dict[str, list[float]] = {name: [] for name in ("all", "some", "torch", "rest", "lrp")}
    for _ in range(arguments.rounds):
        times["all"].append(seconds(lambda: explain(model, texts, target="all")))
        times["torch"].append(forward_seconds(model, texts))
        times["some"].append(seconds(lambda: explain(model, sample, target="all")))
        rest, relevance = explaining_seconds(model, texts)
        times["rest"].append(rest)
        times["lrp"].append(relevance)
    median = {name: statistics.median(values) for name, values in times.items()}
    alone = statistics.median(seconds(lambda: explain(model, sample[0], "all")) for _ in range(20))
    rate = len(texts) / median["all"]
    print(f"{torch.get_num_threads()} threads, {arguments.rounds} rounds, medians")
    print(
        f"whyword  {median['all']:7.2f} s for {len(texts):,} documents × 20 classes: "
        f"{rate:,.0f} documents/s"
    )
    print(f"         {1000 * alone:7.2f} ms for one document by itself")
    made = median["all"] - median["rest"]
    print(
        f"         {median['rest']:.2f} s of it to the scores, {median['lrp']:.2f} s for "
        f"relevance, {max(0.0, made - median['lrp']):.2f} s for the explanations as objects"
    )
    missed = [
        told("share of explaining", made / median["all"], SHARE, most=True),
        told("torch's forward pass", median["torch"] / median["all"], FORWARD, median["torch"]),
    ]

    ours = explain(model, sample, target="all", bias="apart")
    start = time.perf_counter()
    batch = model.inputs_.batch(sample)
    theirs = zennit_relevance(model.network_, batch, 20)
    spent = time.perf_counter() - start
    differences = []
    for a, b, first in zip(ours, theirs, batch.offsets.tolist(), strict=False):
        ids = batch.ids[first : first + len(a.words)]
        between = pooled(ids, a.relevance) - pooled(ids, b.T[: len(ids)])
        scale = max(1.0, float(np.abs(b).max()))
        differences.append(float(np.abs(between).max(initial=0)) / scale)
    missed.append(told(f"zennit, {len(sample):,} documents", spent / median["some"], ZENNIT, spent))
    typical = statistics.median(differences)
    print(
        f"         relevance by word differs by {max(differences):.1e} at most (must be ≤ "
        f"{AGREEMENT:.0e}), in the median document by {typical:.0e}"
    )

    few = [text for text in sample if len(text.split()) > 1][: arguments.few]
    each = median["some"] / len(sample)
    beside: dict[str, list[float]] = {}
    for name, theirs_each in (
        ("LIME", lime_seconds(model, few)),
        ("SHAP", shap_seconds(model, few)),
    ):
        missed.append(told(f"{name} per document", theirs_each / each, SAMPLING, theirs_each))
        beside[f"{name.lower()}_ratio"] = ratios(
            [theirs_each], [one / len(sample) for one in times["some"]]
        )
    keep(
        "explain",
        {
            "seconds": times["all"],
            "torch_seconds": times["torch"],
            "ratio": ratios(times["torch"], times["all"]),
            "zennit_ratio": ratios([spent], times["some"]),
            "difference": max(differences),
            **beside,
        },
    )
    if any(missed) or max(differences) > AGREEMENT:
        raise SystemExit("missed")


def pooled(ids: NDArray[np.int32], relevance: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the sums over each distinct vector: torch splits a maximum among equal windows."""
    sums = np.zeros((ids.max(initial=0) + 1, relevance.shape[1]))
    np.add.at(sums, ids, relevance)
    return sums


def told(
    name: str, found: float, limit: float, spent: float | None = None, most: bool = False
) -> bool:
    """Print a figure beside its limit; return whether it was missed."""
    time_spent = "" if spent is None else f"{spent:8.2f} s"
    if most:
        print(f"{name}: {found:.0%} (aim: under {limit:.0%})")
        return False
    print(f"{name:28} {time_spent}  {found:8,.1f} × (must be ≥ {limit:,})")
    return found < limit


def lime_seconds(model: CNNClassifier, texts: list[str]) -> float:
    """Return LIME's median time for a document, for one class."""
    from lime.lime_text import LimeTextExplainer

    explainer = LimeTextExplainer(class_names=model.classes_.tolist(), random_state=0)
    return statistics.median(
        seconds(
            lambda text=text: explainer.explain_instance(text, model.predict_proba, top_labels=1)  # type: ignore[misc]
        )
        for text in texts
    )


def shap_seconds(model: CNNClassifier, texts: list[str]) -> float:
    """Return the median time of SHAP's partition explainer for a document, all classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap
    masker = shap.maskers.Text(r"\W+")
    explainer = shap.Explainer(model.predict_proba, masker, algorithm="partition", silent=True)
    explainer(texts[:1])  # compiles
    return statistics.median(seconds(lambda text=text: explainer([text])) for text in texts)  # type: ignore[misc]


if __name__ == "__main__":
    main()
