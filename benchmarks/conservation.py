"""How exact explanations are: on the 20 Newsgroups test posts, all classes, the paper's models.

- The residual, equation (10) of docs/method.md, of every document and class.
- The difference from the same formulas in float64 (relative to max(1, the largest |relevance|)),
  on a sample. Which window won is taken from the network, after a check that it is
  within 1e-5 of the float64 maximum.

    python benchmarks/conservation.py [--models FOLDER] [--sample 300]

FOLDER may hold saved models called cnn1, cnn2, cnn3 and svm; what is missing is trained.
"""

import argparse
from pathlib import Path

import numpy as np
from figures import keep
from numpy.typing import NDArray
from trained import trained

from whyword import CNNClassifier, explain, iter_explanations, load_corpus

RESIDUAL, DIFFERENCE = 1e-4, 1e-5
EPSILON = 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--sample", type=int, default=300)
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    chosen = np.random.default_rng(0).choice(len(news.test), arguments.sample, replace=False)
    sample = [news.test.texts[number] for number in chosen]
    missed = False
    residuals, differences = list[float](), list[float]()
    for name in ("cnn1", "cnn2", "cnn3", "svm"):
        model = trained(name, news, arguments.models / name if arguments.models else None)
        worst, numbers, padded = 0.0, 0, 0
        for found in iter_explanations(model, news.test.texts, target="all"):
            relative = np.abs(found.residual) / np.maximum(1, np.abs(found.score))
            worst = max(worst, float(relative.max()))
            numbers += len(relative)
            padded += bool(np.abs(found.padding).max() > RESIDUAL)
        print(
            f"{name}: |residual| / max(1, |score|) ≤ {worst:.1e} over {numbers:,} scores "
            f"(must be ≤ {RESIDUAL:.0e}); {padded} documents with relevance on padding",
            flush=True,
        )
        missed |= worst > RESIDUAL
        residuals.append(worst)
        if isinstance(model, CNNClassifier):
            furthest = largest_difference(model, sample)
            print(
                f"      differs from float64 by ≤ {furthest:.1e} over {len(sample):,} documents "
                f"× {len(model.classes_)} classes (must be ≤ {DIFFERENCE:.0e})",
                flush=True,
            )
            missed |= furthest > DIFFERENCE
            differences.append(furthest)
    keep("conservation", {"residual": residuals, "difference": differences})
    if missed:
        raise SystemExit("missed")


def largest_difference(model: CNNClassifier, texts: list[str]) -> float:
    differences = [0.0]
    for text, found in zip(texts, explain(model, texts, target="all"), strict=True):
        expected = float64_relevance(model, text)
        scale = np.maximum(1, np.abs(expected).max(axis=0))
        shown = np.abs(found.relevance - expected[: len(found.words)]) / scale
        differences.append(float(shown.max(initial=0)))
    return max(differences)


def float64_relevance(model: CNNClassifier, text: str) -> NDArray[np.float64]:
    """Return R[t, k] by equations (6) and (30), in float64 throughout: (T, C), with padding."""
    (convolution,) = model.network_.convolutions
    weight, bias = convolution.weight.astype(np.float64), convolution.bias.astype(np.float64)
    output = model.network_.output_weight.astype(np.float64)
    output_bias = model.network_.output_bias.astype(np.float64)
    width, filters, _ = weight.shape
    x = model.input_matrix(text).astype(np.float64)
    answers = np.einsum("ti,hji->htj", x, weight)
    windows = len(x) - width + 1
    z = sum(answers[h, h : h + windows] for h in range(width)) + bias
    winners = model.network_.activate(model.inputs_.batch([text]))[0].winners[0]
    each = np.arange(filters)
    z_won = z[winners, each]
    if np.max(np.maximum(z.max(axis=0), 0) - np.maximum(z_won, 0)) > DIFFERENCE:
        raise SystemExit("the network took a window that is not the largest")
    scores = np.maximum(z_won, 0) @ output + output_bias
    sign = np.where(scores >= 0, EPSILON, -EPSILON)
    above = np.maximum(z_won, 0)[:, None] * output + (output_bias + sign) / filters
    above *= scores / (scores + sign)
    sign_won = np.where(z_won > 0, EPSILON, -EPSILON)
    relevance = np.zeros((len(x), len(scores)))
    for h in range(width):
        share = (answers[h, winners + h, each] + (bias + sign_won) / width) / (z_won + sign_won)
        np.add.at(relevance, winners + h, share[:, None] * above)
    return relevance


if __name__ == "__main__":
    main()
