"""The formulas, slow and literal: what the fast code is tested against.

Notation and numbers of equations are those of docs/method.md. Arrays are in the order of their
indices: inputs x[t, i] are (T, D), filters w1[τ, i, j] are (H, D, F), the output layer's weights
w2[j, k] are (F, C).
"""

import itertools
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def is_word(token: str) -> bool:
    """docs/text.md: only letters (with their marks), ``-``, ``.``, ``'``; at least one letter."""
    joiners = "\u00ad\u200c\u200d"
    letters = [unicodedata.category(c)[0] == "L" for c in token]
    allowed = [unicodedata.category(c)[0] in "LM" or c in "-.'" + joiners for c in token]
    return all(allowed) and any(letters)


def simple_words(text: str) -> list[str]:
    """Words of plain ASCII text without dots, apostrophes, digits or doubled dashes."""
    chunks = re.split(r"[\s;@#$%&?!*\[\](){}<>\"`,:]+", text)
    return [chunk for chunk in chunks if chunk and is_word(chunk)]


def ignored_words(words: list[str], entries: list[str]) -> list[bool]:
    """docs/reading.md: every entry tried at every place; patterns on whole words."""
    ignored = [False] * len(words)
    for entry in entries:
        parts = entry.lower().split()
        for start in range(len(words)):
            if entry[0] == entry[-1] == "/" and len(entry) > 2:
                forms = (words[start], words[start].lower())
                ignored[start] |= any(re.fullmatch(entry[1:-1], form) for form in forms)
            elif [word.lower() for word in words[start : start + len(parts)]] == parts:
                ignored[start : start + len(parts)] = [True] * len(parts)
    return ignored


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
    """Equation (2): z[t, j] = Σ_{τ,i} x[t + τ, i]·w1[τ, i, j] + b1[j], (T − H + 1, F)."""
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
    """Equation (3): x[j], the maximum over t after the ReLU, and t[j], the first t that has it."""
    activations = np.maximum(responses, 0)
    return activations.max(axis=0), activations.argmax(axis=0)


def tfidf(
    counts: dict[str, int], frequencies: dict[str, int], documents: int, sublinear: bool
) -> dict[str, float]:
    """Equation (13): TF-IDF of one text over the training words, scaled to unit length."""
    values = {}
    for word, count in counts.items():
        if word in frequencies:
            tf = 1 + np.log(count) if sublinear else count
            values[word] = tf * (np.log((1 + documents) / (1 + frequencies[word])) + 1)
    norm = np.sqrt(sum(value**2 for value in values.values()))
    return {word: value / norm for word, value in values.items()}


def ngram_strings(words: list[str], least: int, most: int) -> list[str]:
    """The n-grams of so many adjacent words, as strings."""
    return [
        " ".join(words[start : start + length])
        for length in range(least, most + 1)
        for start in range(len(words) - length + 1)
    ]


def ngram_frequencies(
    documents: list[list[str]], least: int, most: int, min_documents: int
) -> dict[str, int]:
    """How many documents have each n-gram; those of several words that too few have left out."""
    counts: dict[str, int] = {}
    for words in documents:
        for name in set(ngram_strings(words, least, most)):
            counts[name] = counts.get(name, 0) + 1
    return {
        name: count for name, count in counts.items() if count >= min_documents or " " not in name
    }


def ngram_shares(
    words: list[str], known: set[str], least: int, most: int
) -> dict[tuple[int, str], float]:
    """Equation (16): a[t, i], what word t has of n-gram i, of the known ones."""
    occurrences: dict[str, list[range]] = {}
    for length in range(least, most + 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            if name in known:
                occurrences.setdefault(name, []).append(range(start, start + length))
    shares: dict[tuple[int, str], float] = {}
    for name, each in occurrences.items():
        for covered in each:
            for word in covered:
                part = 1 / len(each) / len(covered)
                shares[word, name] = shares.get((word, name), 0.0) + part
    return shares


def lrp_output_layer(
    pooled: Array, weight: Array, bias: Array, target: int, epsilon: float, shared: bool
) -> Array:
    """Equation (6), output layer: R[j, k] for the target k; (F,)."""
    filters = len(pooled)
    scores = [
        sum(pooled[j] * weight[j, k] for j in range(filters)) + bias[k] for k in range(len(bias))
    ]
    score = scores[target]
    sign = 1 if score >= 0 else -1
    gain = output_gain(score, epsilon)
    relevance = np.zeros(filters)
    for j in range(filters):
        z = pooled[j] * weight[j, target]
        if shared:
            z += (bias[target] + epsilon * sign) / filters
        relevance[j] = z * gain
    return relevance


def output_gain(score: float, epsilon: float) -> float:
    """The last factors of equation (6), x[k] / (x[k] + ε·s[k]); 1 if both are 0."""
    divisor = score + epsilon * (1 if score >= 0 else -1)
    return score / divisor if divisor else 1.0


def lrp_convolution(
    inputs: Array,
    weight: Array,
    bias: Array,
    filter_relevance: Array,
    epsilon: float,
    shared: bool,
) -> Array:
    """Equations (7) and (8), max-pooling and convolution: R[t, i, k] from R[j, k]; (T, D)."""
    width, dimensions, filters = weight.shape
    responses = convolution(inputs, weight, bias)
    _, winners = max_pool(responses)
    relevance = np.zeros_like(inputs)
    for j in range(filters):
        t = winners[j]
        sign = 1 if responses[t, j] > 0 else -1
        divisor = responses[t, j] + epsilon * sign
        for tau in range(width):
            for i in range(dimensions):
                z = inputs[t + tau, i] * weight[tau, i, j]
                if shared:
                    z += (bias[j] + epsilon * sign) / (width * dimensions)
                if z or filter_relevance[j]:
                    relevance[t + tau, i] += z / divisor * filter_relevance[j]
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
    """Equations (2) to (8) for a network of one or several widths: R[t, i, k], (T, D)."""
    pooled = np.concatenate([max_pool(convolution(inputs, w, b))[0] for w, b in convolutions])
    filters = lrp_output_layer(pooled, output_weight, output_bias, target, epsilon, shared)
    relevance, first = np.zeros_like(inputs), 0
    for weight, bias in convolutions:
        part = filters[first : first + len(bias)]
        relevance += lrp_convolution(inputs, weight, bias, part, epsilon, shared)
        first += len(bias)
    return relevance


def window_relevance(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    output_weight: Array,
    output_bias: Array,
    target: int,
    is_word: list[bool],
    epsilon: float = 0.01,
    shared: bool = True,
) -> dict[tuple[int, int], float]:
    """Equation (32): R[H, t, k] of each window that won for a filter, by (H, t)."""
    pooled = np.concatenate([max_pool(convolution(inputs, w, b))[0] for w, b in convolutions])
    filters = lrp_output_layer(pooled, output_weight, output_bias, target, epsilon, shared)
    windows: dict[tuple[int, int], float] = {}
    first = 0
    for weight, bias in convolutions:
        width, _, count = weight.shape
        responses = convolution(inputs, weight, bias)
        _, winners = max_pool(responses)
        for j in range(count):
            t = int(winners[j])
            if not shared and responses[t, j] <= 0:
                continue  # nothing passes through a filter that does not fire
            alone = lrp_convolution(
                inputs,
                weight[:, :, j : j + 1],
                bias[j : j + 1],
                filters[first + j :],
                epsilon,
                shared,
            )
            words = [t + tau for tau in range(width) if is_word[t + tau]]
            if words:
                before = windows.get((width, t), 0.0)
                windows[width, t] = before + sum(float(alone[at].sum()) for at in words)
        first += count
    return windows


def network_constant(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    output_weight: Array,
    output_bias: Array,
    target: int,
    epsilon: float = 0.01,
) -> float:
    """Equation (11): what biases and ε keep of the target's score where they are apart.

    With biases shared it is 0.
    """
    pooled = np.concatenate([max_pool(convolution(inputs, w, b))[0] for w, b in convolutions])
    filters = lrp_output_layer(pooled, output_weight, output_bias, target, epsilon, shared=False)
    score = float(pooled @ output_weight[:, target] + output_bias[target])
    sign = 1 if score >= 0 else -1
    constant, first = (output_bias[target] + epsilon * sign) * output_gain(score, epsilon), 0
    for weight, bias in convolutions:
        best = max_pool(convolution(inputs, weight, bias))[0]
        for j in range(len(bias)):
            if best[j] > 0:  # so z[j] = x[j], and s[j] = 1
                constant += (bias[j] + epsilon) / (best[j] + epsilon) * filters[first + j]
        first += len(bias)
    return float(constant)


def score_gradient(
    inputs: Array, convolutions: list[tuple[Array, Array]], output_weight: Array, target: int
) -> Array:
    """Equation (18): ∂x[k]/∂x[t, i] of the target's score, (T, D)."""
    gradient, first = np.zeros_like(inputs), 0
    for weight, bias in convolutions:
        best, winners = max_pool(convolution(inputs, weight, bias))
        for j in range(len(bias)):
            if best[j] > 0:
                for tau in range(len(weight)):
                    change = output_weight[first + j, target] * weight[tau, :, j]
                    gradient[winners[j] + tau] += change
        first += len(bias)
    return gradient


def integrated_gradients(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    output_weight: Array,
    target: int,
    points: list[tuple[float, float]],
) -> Array:
    """Equation (36): R[t, i, k], (T, D), from points of the path with their weights."""
    total = np.zeros_like(inputs)
    for alpha, weight in points:
        total += weight * score_gradient(alpha * inputs, convolutions, output_weight, target)
    relevance: Array = inputs * total
    return relevance


def class_scores(
    inputs: Array, convolutions: list[tuple[Array, Array]], weight: Array, bias: Array
) -> Array:
    """Equations (2) to (4): the scores x[k] of all classes, (C,)."""
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
    """Equation (15): R[i, k] = x[i]·w[i, k] + b[k]/n over the n words present."""
    return {word: weights[word] * x + bias / len(values) for word, x in values.items()}


def linear_constant(bias: float, shared: bool) -> float:
    """Equation (17): a linear model's bias, where it is not shared out."""
    return 0.0 if shared else bias


def pipeline_lrp(
    inputs: Array, steps: list[tuple[str, Any]], weight: Array, bias: Array
) -> tuple[Array, Array, Array]:
    """Equation (32): relevance (V, C) of one text's features, its bias, and its scores (C,).

    Steps are names and what they have: ("scale", s[p]), ("shift", m[p]), ("project", c[k, p]),
    ("select", places), ("norm", 1, 2 or inf), ("sublinear", None), ("binary", threshold).
    """
    seen = [inputs.astype(float)]
    for name, given in steps:
        x = seen[-1]
        if name == "scale":
            y = [a * b for a, b in zip(x, given, strict=True)]
        elif name == "shift":
            y = [a - b for a, b in zip(x, given, strict=True)]
        elif name == "project":
            y = [sum(c * a for c, a in zip(row, x, strict=True)) for row in given]
        elif name == "select":
            y = [x[place] for place in given]
        elif name == "norm":
            y = [a / (np.linalg.norm(x, given) or 1) for a in x]
        elif name == "sublinear":
            y = [1 + math.log(a) if a else 0.0 for a in x]
        else:
            y = [float(a > given) for a in x]
        seen.append(np.array(y))
    z = seen[-1]
    scores = np.array([z @ weight[:, k] + bias[k] for k in range(len(bias))])
    value, gradient, factor = z.copy(), weight.copy(), np.ones(len(z))
    constant = bias.astype(float).copy()
    for (name, given), x in zip(reversed(steps), reversed(seen[:-1]), strict=True):
        if name == "scale":
            factor = factor * given
        elif name == "norm":
            factor = factor / (np.linalg.norm(x, given) or 1)
        elif name == "shift":
            for p in range(len(x)):
                constant -= given[p] * factor[p] * gradient[p]
                value[p] = factor[p] * x[p]
        elif name == "project":
            columns = range(len(x))
            rows = range(len(given))
            inner = [sum(given[k, i] * factor[k] * gradient[k] for k in rows) for i in columns]
            value, gradient, factor = x.copy(), np.array(inner), np.ones(len(x))
        elif name == "select":
            below = np.zeros(len(x)), np.zeros((len(x), len(bias))), np.zeros(len(x))
            for number, place in enumerate(given):
                below[0][place], below[1][place] = value[number], gradient[number]
                below[2][place] = factor[number]
            value, gradient, factor = below
    return value[:, None] * gradient, constant, scores


def summary(inputs: Array, relevance: Array) -> Array:
    """Equation (22), d[i] = Σ_t R[t, k]·x[t, i]; or (23) for relevance of shape (T, D)."""
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
    """Equation (21): what the scores lose when a word's vector is zeroed; (words, C)."""
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
    """Equation (27): predict again with the first m words of the order zeroed.

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


def scores_without(
    inputs: Array,
    convolutions: list[tuple[Array, Array]],
    weight: Array,
    bias: Array,
    groups: list[list[int]],
) -> Array:
    """Equation (41): predict again with the vectors of one group zeroed; (groups, C)."""
    scores = np.zeros((len(groups), len(bias)))
    for g, words in enumerate(groups):
        changed = inputs.copy()
        for t in words:
            changed[t] = 0
        scores[g] = class_scores(changed, convolutions, weight, bias)
    return scores


def straight_curve(heights: list[float], steps: list[int]) -> list[float]:
    """A curve after 0, 1, … words, straight between the numbers at which it is known."""
    every = []
    for m in range(steps[-1] + 1):
        i = max(i for i in range(len(steps)) if steps[i] <= m)
        if steps[i] == m:
            every.append(heights[i])
        else:
            share = (m - steps[i]) / (steps[i + 1] - steps[i])
            every.append((1 - share) * heights[i] + share * heights[i + 1])
    return every


def curve_area(heights: list[float], steps: list[int]) -> float:
    """Equation (28), each word by itself."""
    y = straight_curve(heights, steps)
    return sum((y[m - 1] + y[m]) / 2 for m in range(1, len(y))) / (len(y) - 1)


def explanatory_power(
    vectors: Array, labels: list[int], splits: list[tuple[list[int], list[int]]], most: int
) -> Array:
    """Equation (25): q(K, r), the accuracy of K = 1 … most neighbours in split r, (J, most)."""
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


# ---- class words --------------------------------------------------------------------------------


def class_word_value(rank: str, occurrences: list[tuple[int, float, float, bool]]) -> float:
    """Return what a word is ordered by (docs/classes.md).

    Parameters
    ----------
    rank : {"typical", "strongest", "mean", "sum"}
    occurrences : list of (document, relevance, value, given)
        Relevance adds up; the value is what the occurrence shows; given says whether the document
        was given the class.
    """
    if rank == "strongest":
        return max(value for _, _, value, _ in occurrences)
    total = 0.0
    for _, relevance, _, given in occurrences:
        total += relevance if given or rank != "typical" else 0.0
    if rank == "sum":
        return total
    if rank == "mean":
        return total / len(occurrences)
    documents = len({document for document, *_ in occurrences})
    return total / documents * math.log(1 + documents) ** 2


# ---- recurrent layers, docs/method.md (39): gates take nothing, sums go by contribution ---------

Weights = tuple[Array, Array, Array, Array]  # of inputs, of states, and the biases of both


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def recurrent_states(
    kind: str, x: Array, weights: Weights, h: Array, c: Array
) -> list[dict[str, Array]]:
    """Each step of a recurrent layer over x, (T, D): its gates, sums and states, (H,) each."""
    steps = []
    w, u, b, d = weights
    for t in range(len(x)):
        before, cell = h, c
        if kind == "lstm":
            i, f, a, o = np.split(w @ x[t] + b + u @ h + d, 4)
            i, f, o = _sigmoid(i), _sigmoid(f), _sigmoid(o)
            c = f * c + i * np.tanh(a)
            h = o * np.tanh(c)
            steps.append({"i": i, "f": f, "a": a, "o": o, "cell": cell, "c": c})
        elif kind == "gru":
            (xr, xz, xa), (hr, hz, ha) = np.split(w @ x[t] + b, 3), np.split(u @ h + d, 3)
            r, z = _sigmoid(xr + hr), _sigmoid(xz + hz)
            a = xa + r * ha
            h = (1 - z) * np.tanh(a) + z * h
            steps.append({"r": r, "z": z, "a": a})
        else:
            a = w @ x[t] + b + u @ h + d
            h = np.tanh(a)
            steps.append({"a": a})
        steps[-1] |= {"before": before, "h": h}
    return steps


def recurrent_relevance(
    kind: str,
    x: Array,
    weights: Weights,
    initial: tuple[Array, Array],
    of_states: Array,
    of_cell: Array,
) -> tuple[Array, float]:
    """Relevance of inputs, (T, D), and of biases and initial states.

    `of_states`, (T, H), is the relevance of what the layer says at each step, `of_cell`, (H,), that
    of an LSTM's last cell.
    """
    steps = recurrent_states(kind, x, weights, *initial)
    size = len(initial[0])
    last = slice(-size, None) if kind == "gru" else slice(None)
    last = slice(2 * size, 3 * size) if kind == "lstm" else last
    w, u, b, d = (one[last] for one in weights)
    of_inputs, constant = np.zeros_like(x), 0.0
    of_before = np.zeros(size)
    for t in reversed(range(len(x))):
        step = steps[t]
        of_h = of_states[t] + of_before
        of_before = np.zeros(size)
        if kind == "lstm":  # h = [o]·tanh(c),  c = [f]·c′ + [i]·tanh(a)
            of_c = of_cell + of_h
            of_a = step["i"] * np.tanh(step["a"]) / step["c"] * of_c
            of_cell = step["f"] * step["cell"] / step["c"] * of_c
        elif kind == "gru":  # h = [1 − z]·tanh(a) + [z]·h′
            of_a = (1 - step["z"]) * np.tanh(step["a"]) / step["h"] * of_h
            of_before = step["z"] * step["before"] / step["h"] * of_h
        else:  # h = tanh(a)
            of_a = of_h
        factor = step["r"] if kind == "gru" else np.ones(size)
        for j in range(size):  # a = W·x + b + [r]·(U·h′ + d)
            share = of_a[j] / step["a"][j]
            of_inputs[t] += w[j] * x[t] * share
            of_before = of_before + factor[j] * u[j] * step["before"] * share
            constant += float((b[j] + factor[j] * d[j]) * share)
    return of_inputs, constant + float(of_before.sum()) + float(of_cell.sum())


def windows(count: int, before: int, after: int, size: int) -> list[list[int]]:
    """Equation (40): which pieces of a text each of its windows has, special tokens repeated."""
    if count <= size:
        return [list(range(count))]
    room = size - before - after
    found, start, last = [], before, count - after - room
    while start < last:
        found.append(start)
        start += max(1, room // 2)
    begin, end = list(range(before)), list(range(count - after, count))
    return [[*begin, *range(one, one + room), *end] for one in [*found, last]]


def mean_of_windows(count: int, each: list[list[int]], values: list[Array]) -> Array:
    """Equation (40): what the pieces of a text have, (count, …), from those of its windows."""
    total = np.zeros((count, *values[0].shape[1:]))
    for places, own in zip(each, values, strict=True):
        for place, value in zip(places, own, strict=True):
            total[place] += value / len(each)
    return total


def found_again(groups: list[int], predicted: list[int], clusters: int) -> float:
    """Equation (42), one half's part: pairs of a cluster that are predicted to be together."""
    shares = []
    for cluster in range(clusters):
        members = [place for place, group in enumerate(groups) if group == cluster]
        pairs = [(i, j) for i in members for j in members if i != j]
        together = [predicted[i] == predicted[j] for i, j in pairs]
        shares.append(sum(together) / len(pairs) if pairs else 0.0)
    return min(shares)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return how often b + c coins fall at least as unevenly as b and c, counted one by one."""
    both = only_first + only_second
    unevenness = abs(only_first - only_second)
    ways = sum(math.comb(both, k) for k in range(both + 1) if abs(2 * k - both) >= unevenness)
    return float(ways / 2**both)


def common_stretches(
    letters: int,
    spans: list[list[tuple[int, int]]],
    values: list[list[float]],
) -> list[list[float]]:
    """Return the relevance of stretches that no span cuts, for each of several models.

    Letter by letter: two that stand side by side belong together if a span has both.
    """
    every = [span for several in spans for span in several]
    stretches: list[list[int]] = []
    for letter in range(letters):
        if not any(start <= letter < end for start, end in every):
            continue
        if stretches and any(start < letter < end for start, end in every):
            stretches[-1].append(letter)
        else:
            stretches.append([letter])
    return [
        [
            sum(
                value
                for (start, end), value in zip(several, numbers, strict=True)
                if start < end and start in stretch
            )
            for stretch in stretches
        ]
        for several, numbers in zip(spans, values, strict=True)
    ]


def group_counts(population: list[int], size: int) -> list[int]:
    """Equation (43): how many groups each choice of so many of a class's documents has."""
    return [len(set(chosen)) for chosen in itertools.combinations(population, size)]


def group_sets(population: list[int], size: int, groups: int) -> float:
    """Equation (43), right: chances that all that is drawn is of a set of groups, added up."""
    chosen = itertools.combinations(sorted(set(population)), groups)
    ways = sum(math.comb(sum(one in some for one in population), size) for some in chosen)
    return ways / math.comb(len(population), size)


def fisher(train: int, train_class: int, other: int, other_class: int) -> float:
    """Equation (44): how often as many of the class are in training, by chance, counted."""
    total, in_class = train + other, train_class + other_class
    ways = sum(
        math.comb(in_class, k) * math.comb(total - in_class, train - k)
        for k in range(train_class, min(in_class, train) + 1)
    )
    return float(ways / math.comb(total, train))


def false_discovery(probabilities: list[float]) -> list[float]:
    """Equation (45): the least rate at which each would still be among those that are taken."""
    count = len(probabilities)
    ordered = sorted(probabilities)
    return [
        min(
            1.0,
            *(
                count * ordered[rank - 1] / rank
                for rank in range(1, count + 1)
                if ordered[rank - 1] >= p
            ),
        )
        for p in probabilities
    ]


def recurring(lines: list[list[list[str]]], least: int) -> dict[tuple[str, ...], list[int]]:
    """The lines of 2 to 40 words that stand in so many documents, and in which."""
    found: dict[tuple[str, ...], list[int]] = {}
    for number, document in enumerate(lines):
        for line in {tuple(word.lower() for word in words) for words in document}:
            if 2 <= len(line) <= 40:
                found.setdefault(line, []).append(number)
    return {line: documents for line, documents in found.items() if len(documents) >= least}


def common_share(one: Sequence[object], other: Sequence[object]) -> float:
    """docs/corpus.md: the share of both's words that stand beside the same word in both."""

    def beside(mine: Sequence[object], theirs: Sequence[object]) -> int:
        pairs = set(itertools.pairwise(theirs))
        first = {at for at, pair in enumerate(itertools.pairwise(mine)) if pair in pairs}
        return len(first | {at + 1 for at in first})

    both = len(one) + len(other)
    share = (beside(one, other) + beside(other, one)) / both
    return min(share, 2 * min(len(one), len(other)) / both)


def copy_groups(documents: list[list[str]], threshold: float) -> list[int]:
    """docs/corpus.md: all pairs; copies of copies are of one group, numbered as they are met."""
    groups = list(range(len(documents)))
    for one, other in itertools.combinations(range(len(documents)), 2):
        mine, theirs = documents[one], documents[other]
        long_enough = min(len(mine), len(theirs)) >= 2
        near = long_enough and common_share(mine, theirs) >= threshold
        if near or (mine and mine == theirs):
            groups = [groups[one] if group == groups[other] else group for group in groups]
    met = list(dict.fromkeys(groups))
    return [met.index(group) for group in groups]
