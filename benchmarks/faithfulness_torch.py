"""How faithful explanations of ready-made torch classifiers are, by method.

Four classifiers that others have trained (``tests/ready_models.py``): a CNN on film sentences, an
LSTM on film reviews, a bi-LSTM and a BERT on comments. For each text the predicted class is
explained (of comments, "toxic", where that is predicted), then the words go, most relevant first.
Printed are, by method, the score lost after 3 and 10 words, the worst residual (what of a score no
word or constant has got), the time, and for comments in which people marked what is toxic, how
often the most relevant word is among that.

Comments are read from a folder with Toxic Spans (``tsd_trial.csv``); without it, these two
classifiers are left out.

    python benchmarks/faithfulness_torch.py [--texts 200] [--toxic-spans FOLDER]
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the models are the tests', too

import ready_models
from ready_models import ReadyModel
from ready_texts import Texts, comments, reviews, sentences

import whyword as ww

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "LRP, exact": ("lrp", {}),
    "AttnLRP": ("lrp", {"attention": "attnlrp"}),
    "integrated gradients, 20 steps": ("integrated_gradients", {"steps": 20}),
    "gradient × input": ("gradient_input", {}),
    "sensitivity": ("sensitivity", {}),
    "leave one out": ("occlusion", {}),
    "random": ("random", {}),
}
STEPS = (3, 10)  # words
BEHIND = 0.01  # of what LRP loses: as good as equal
RESIDUAL = 1e-5


def inside(explained: ww.Explanations, marked: list[set[int]]) -> float:
    """Return how often the most relevant word has a character that people marked."""
    hits = []
    for one, marks in zip(explained, marked, strict=True):
        start, end = one.spans[int(np.argmax(one.relevance))]
        hits.append(not marks.isdisjoint(range(start, end)))
    return float(np.mean(hits))


def compare(ready: ReadyModel, given: Texts) -> bool:
    """Print the methods' figures; return whether exact LRP was behind, or leaked."""
    model = ready.classifier()
    toxic = "toxic" if given.marked is not None else None
    chosen = list(range(len(given.texts)))
    if toxic is not None:  # only what the model found toxic, too
        scores = ready.forward(given.texts)
        column = ready.classes.index(toxic)
        found = scores[:, column] >= 0.5 if ready.multilabel else scores.argmax(1) == column
        chosen = np.flatnonzero(found).tolist()
    texts = [given.texts[number] for number in chosen]
    marked = None if given.marked is None else [given.marked[number] for number in chosen]
    print(f"{ready.name}: {len(texts)} texts")
    ww.explain(model, texts[:8])  # warms up
    lost: dict[str, list[float]] = {}
    residual = 0.0
    for name, (method, parameters) in METHODS.items():
        start = time.perf_counter()
        explained = ww.explain(
            model, texts, target=toxic or "predicted", method=method, **parameters
        )
        each = (time.perf_counter() - start) / len(texts)
        curve = ww.deletion_curve(
            model,
            texts,
            [[toxic] if ready.multilabel else one.target for one in explained],
            name,
            target=toxic or "true",
            subset="all",
            steps=STEPS,
            relevance=explained,
            sufficiency=False,
        )
        fall = curve.scores[:, :, :1] - curve.scores
        lost[name] = fall.mean(axis=(0, 1), dtype=np.float64)[1:].tolist()
        worst = max(abs(float(one.residual)) for one in explained)
        residual = worst if name == "LRP, exact" else residual
        figures = " ".join(f"{value:7.3f}" for value in lost[name])
        among = (
            "" if marked is None else f"  among what people marked {inside(explained, marked):.3f}"
        )
        print(f"  {name:31} {figures}  {worst:8.0e}  {1000 * each:8.1f} ms{among}")
    first = lost["LRP, exact"]
    behind = [
        name
        for name, values in lost.items()
        if any(one > (1 + BEHIND) * ours for one, ours in zip(values, first, strict=True))
    ]
    if behind:
        print(f"  exact LRP is behind: {', '.join(behind)}")
    if residual > RESIDUAL:
        print(f"  the worst residual is above {RESIDUAL:.0e}")
    return bool(behind) or residual > RESIDUAL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--toxic-spans", type=Path, help="the folder of tsd_trial.csv")
    arguments = parser.parse_args()
    print(f"score lost after {' and '.join(map(str, STEPS))} words, worst residual, time of a text")
    missed = [
        compare(ready_models.kim_cnn(), sentences(arguments.texts)),
        compare(ready_models.imdb_lstm(), reviews(arguments.texts)),
    ]
    if arguments.toxic_spans is not None:
        marked = comments(arguments.toxic_spans, arguments.texts)
        missed.append(compare(ready_models.toxic_lstm(), marked))
        missed.append(compare(ready_models.bert_tiny(), marked))
    if any(missed):
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
