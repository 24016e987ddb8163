"""The formulas, slow and literal: what the fast code is tested against."""

import re
import unicodedata

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def is_word(token: str) -> bool:
    """METHOD §1.3: only letters (with their marks), ``-``, ``.``, ``'``; at least one letter."""
    joiners = "\u00ad\u200c\u200d"
    letters = [unicodedata.category(c)[0] == "L" for c in token]
    allowed = [unicodedata.category(c)[0] in "LM" or c in "-.'" + joiners for c in token]
    return all(allowed) and any(letters)


def simple_words(text: str) -> list[str]:
    """Words of plain ASCII text without dots, apostrophes, digits or doubled dashes."""
    chunks = re.split(r"[\s;@#$%&?!*\[\](){}<>\"`,:]+", text)
    return [chunk for chunk in chunks if chunk and is_word(chunk)]


def context_means(
    documents: list[list[int]], vectors: Array, known: list[bool], window: int
) -> tuple[Array, NDArray[np.int64]]:
    """Sum, per word, of the mean known vector around each occurrence; and their number."""
    sums = np.zeros_like(vectors)
    used = np.zeros(len(vectors), np.int64)
    for document in documents:
        for at, word in enumerate(document):
            around = [
                vectors[other]
                for place, other in enumerate(document)
                if place != at and abs(place - at) <= window and known[other]
            ]
            if around:
                sums[word] += np.mean(around, axis=0)
                used[word] += 1
    return sums, used


def cosine(a: Array, b: Array) -> float:
    """Cosine of two vectors; 0 if one is zero."""
    norms = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / norms) if norms else 0.0


def cbow_batch(
    source: Array,
    target: Array,
    words: list[int],
    windows: list[tuple[int, int]],
    batch: range,
    noise: list[int],
    weight: float,
    rate: float,
) -> tuple[Array, Array]:
    """One batch of CBOW: all its tokens see the vectors as they were before it."""
    new_source, new_target = source.copy(), target.copy()
    for i in batch:
        left, right = windows[i]
        context = [words[j] for j in range(left, right) if j != i]
        if not context:
            continue
        hidden = np.mean([source[word] for word in context], axis=0)
        examples = [(words[i], 1.0, 1.0)]
        examples += [(word, 0.0, weight) for word in noise if word != words[i]]
        gradient = np.zeros(source.shape[1])
        for word, label, importance in examples:
            prediction = 1 / (1 + np.exp(-hidden @ target[word]))
            error = rate * importance * (label - prediction)
            new_target[word] += error * hidden
            gradient += error * target[word]
        for word in context:
            new_source[word] += gradient
    return new_source, new_target


def convolution(inputs: Array, weight: Array, bias: Array) -> Array:
    """METHOD §2: z[j, t] = Σ_{i,τ} x[t+τ, i]·w[τ, i, j] + b[j], as (T − H + 1, F)."""
    width, dimensions, filters = weight.shape
    responses = np.zeros((len(inputs) - width + 1, filters))
    for t in range(len(responses)):
        for j in range(filters):
            responses[t, j] = bias[j]
            for tau in range(width):
                for i in range(dimensions):
                    responses[t, j] += inputs[t + tau, i] * weight[tau, i, j]
    return responses


def max_pool(responses: Array) -> tuple[Array, NDArray[np.int64]]:
    """METHOD §2–3: max over t after the ReLU, and the first t that attains it."""
    activations = np.maximum(responses, 0)
    return activations.max(axis=0), activations.argmax(axis=0)


def tfidf(
    counts: dict[str, int], frequencies: dict[str, int], documents: int, sublinear: bool
) -> dict[str, float]:
    """METHOD §4: TF-IDF of one text over the training words, scaled to unit length."""
    values = {}
    for word, count in counts.items():
        if word in frequencies:
            tf = 1 + np.log(count) if sublinear else count
            values[word] = tf * (np.log((1 + documents) / (1 + frequencies[word])) + 1)
    norm = np.sqrt(sum(value**2 for value in values.values()))
    return {word: value / norm for word, value in values.items()}


def lrp_output_layer(
    pooled: Array, weight: Array, bias: Array, target: int, epsilon: float, shared: bool
) -> Array:
    """METHOD §3, output layer: R[j] from the target's score; (F,)."""
    filters = len(pooled)
    scores = [
        sum(pooled[j] * weight[j, k] for j in range(filters)) + bias[k] for k in range(len(bias))
    ]
    score = scores[target]
    sign = 1 if score >= 0 else -1
    relevance = np.zeros(filters)
    for j in range(filters):
        z = pooled[j] * weight[j, target]
        if shared:
            z += (bias[target] + epsilon * sign) / filters
        relevance[j] = z / (score + epsilon * sign) * score if score else 0.0
    return relevance


def lrp_convolution(
    inputs: Array,
    weight: Array,
    bias: Array,
    from_above: Array,
    epsilon: float,
    shared: bool,
) -> Array:
    """METHOD §3, max-pooling and convolution: R[t, i] of the inputs from R[j]; (T, D)."""
    width, dimensions, filters = weight.shape
    responses = convolution(inputs, weight, bias)
    _, winners = max_pool(responses)
    relevance = np.zeros_like(inputs)
    for j in range(filters):
        t = winners[j]
        sign = 1 if responses[t, j] > 0 else -1
        below = responses[t, j] + epsilon * sign
        for tau in range(width):
            for i in range(dimensions):
                z = inputs[t + tau, i] * weight[tau, i, j]
                if shared:
                    z += (bias[j] + epsilon * sign) / (width * dimensions)
                if z or from_above[j]:
                    relevance[t + tau, i] += z / below * from_above[j]
    return relevance


def lrp(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    output_weight: Array,
    output_bias: Array,
    target: int,
    epsilon: float = 0.01,
    shared: bool = True,
) -> Array:
    """METHOD §3 for a network of one or several widths: R[t, i], (T, D)."""
    pooled = np.concatenate([max_pool(convolution(inputs, w, b))[0] for w, b in convolutions])
    upper = lrp_output_layer(pooled, output_weight, output_bias, target, epsilon, shared)
    relevance, first = np.zeros_like(inputs), 0
    for weight, bias in convolutions:
        part = upper[first : first + len(bias)]
        relevance += lrp_convolution(inputs, weight, bias, part, epsilon, shared)
        first += len(bias)
    return relevance


def class_scores(
    inputs: Array, convolutions: list[tuple[Array, Array]], weight: Array, bias: Array
) -> Array:
    """METHOD §2: the scores of all classes, (C,)."""
    pooled = np.concatenate([max_pool(convolution(inputs, w, b))[0] for w, b in convolutions])
    scores: Array = pooled @ weight + bias
    return scores


def smallest_margin(inputs: Array, convolutions: list[tuple[Array, Array]]) -> float:
    """How far each filter's best response is from the next one, and from the ReLU's edge."""
    margins = [np.inf]
    for weight, bias in convolutions:
        for column in convolution(inputs, weight, bias).T:
            best = column.max()
            margins.append(abs(best))
            if best > 0:
                margins.append(best - np.max(np.delete(column, column.argmax()), initial=0.0))
    return float(min(margins))


def linear_lrp(
    values: dict[str, float], weights: dict[str, float], bias: float
) -> dict[str, float]:
    """METHOD §4: R_i = w_i·x_i + b/n over the n words present."""
    return {word: weights[word] * x + bias / len(values) for word, x in values.items()}


def summary(inputs: Array, relevance: Array) -> Array:
    """METHOD §6: d_i = Σ_t R[t]·x[t, i], or Σ_t R[t, i]·x[t, i] for R of shape (T, D)."""
    result = np.zeros(inputs.shape[1])
    for t in range(len(inputs)):
        for i in range(inputs.shape[1]):
            result[i] += (relevance[t] if relevance.ndim == 1 else relevance[t, i]) * inputs[t, i]
    return result


def occlusion(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    weight: Array,
    bias: Array,
    words: int,
) -> Array:
    """Each word's effect on the scores: what they lose when its vector is zeroed; (words, C)."""
    whole = class_scores(inputs, convolutions, weight, bias)
    effects = np.zeros((words, len(bias)))
    for t in range(words):
        without = inputs.copy()
        without[t] = 0
        effects[t] = whole - class_scores(without, convolutions, weight, bias)
    return effects


def scores_by_step(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    weight: Array,
    bias: Array,
    words: int,
    order: list[int],
    insert: bool,
) -> Array:
    """METHOD §7, word deletion: predict again with the first k words of the order zeroed.

    With `insert` they are the only ones that are not. Returns (len(order) + 1, C).
    """
    scores = []
    for k in range(len(order) + 1):
        changed = inputs.copy()
        gone = set(order[:k]) if not insert else set(range(words)) - set(order[:k])
        for t in gone:
            changed[t] = 0
        scores.append(class_scores(changed, convolutions, weight, bias))
    return np.array(scores)


def explanatory_power(
    vectors: Array, labels: list[int], splits: list[tuple[list[int], list[int]]], most: int
) -> Array:
    """METHOD §7, EPI: accuracy of 1 … most neighbours on each split, (splits, most)."""
    units = []
    for vector in vectors:
        norm = np.sqrt(sum(x * x for x in vector))
        units.append(vector / norm if norm > 0 else vector)
    result = np.zeros((len(splits), most))
    for number, (train, test) in enumerate(splits):
        for document in test:
            near = sorted(
                (float(np.sum((units[document] - units[other]) ** 2)), other) for other in train
            )
            for k in range(1, most + 1):
                votes = [labels[other] for _, other in near[:k]]
                winner = min(votes, key=lambda label: (-votes.count(label), label))
                result[number, k - 1] += (winner == labels[document]) / len(test)
    return result
