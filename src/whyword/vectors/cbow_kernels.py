"""The compiled loops of CBOW with negative sampling.

For a kept token with word w and context words c₁…cₙ (a window of random radius around it):
h = mean of source[cᵢ]; for the word itself (label 1) and each noise word (label 0)
g = rate · (label − σ(h · target[word])); then target[word] += g·h, source[cᵢ] += Σ g·target[word].

Tokens are trained in small batches that see the vectors as they were when the batch began. So
every window's sum is the difference of two running sums, and its gradient goes back to its words
by one running sum as well: the cost does not grow with the window. And one pool of noise words,
each weighted so that together they count as `negative`, serves the whole batch.
"""

import numpy as np
from numpy.typing import NDArray

from whyword.base.compiled import compiled, compiled_for_speed

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bits = NDArray[np.uint64]

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)


@compiled
def random_bits(state: Bits) -> np.uint64:
    """Return the next 64 bits of a stream (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    x: np.uint64 = state[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def alias_tables(weights: NDArray[np.float64]) -> tuple[Bits, Ints]:
    """Prepare drawing words by weight in constant time (Walker's alias method).

    Returns
    -------
    keep : (V,) uint64
        Slot i stands for word i with this chance out of 2³², …
    other : (V,) int32
        … and else for this word.
    """
    size = weights.size
    share = weights * (size / weights.sum())
    keep = np.full(size, _LOW)
    other = np.arange(size).astype(np.int32)
    poor = [i for i in range(size) if share[i] < 1.0]
    rich = [i for i in range(size) if share[i] >= 1.0]
    while len(poor) > 0 and len(rich) > 0:
        i, j = poor.pop(), rich[-1]
        keep[i] = np.uint64(share[i] * 4294967295.0)
        other[i] = j
        share[j] -= 1.0 - share[i]
        if share[j] < 1.0:
            poor.append(rich.pop())
    return keep, other


@compiled
def draw_words(keep: Bits, other: Ints, state: Bits, drawn: Ints) -> None:
    """Fill `drawn` with words by their weight."""
    size = np.uint64(keep.size)
    for i in range(drawn.size):
        bits = random_bits(state)
        slot = np.int64(((bits >> _SHIFT) * size) >> _SHIFT)
        drawn[i] = slot if (bits & _LOW) <= keep[slot] else other[slot]


@compiled
def draw_windows(
    ids: Ints,
    offsets: NDArray[np.int64],
    chances: Bits,
    window: int,
    state: Bits,
    kept: Ints,
    left: Ints,
    right: Ints,
) -> int:
    """Draw which tokens are kept (frequent words are thinned out) and the window of each.

    Writes the kept tokens' words to `kept` and their windows ``[left, right)``, in terms of
    kept tokens; returns how many there are. `chances` are out of 2³², per word.
    """
    count = 0
    for document in range(offsets.size - 1):
        begin = count
        for at in range(offsets[document], offsets[document + 1]):
            bits = random_bits(state)
            if (bits >> _SHIFT) <= chances[ids[at]]:
                kept[count] = ids[at]
                # the radius, for now: the window's place is known once the document is through
                left[count] = 1 + np.int64(((bits & _LOW) * np.uint64(window)) >> _SHIFT)
                count += 1
        for i in range(begin, count):
            radius = left[i]
            left[i] = max(begin, i - radius)
            right[i] = min(count, i + radius + 1)
    return count


@compiled
def cut_batches(kept: Ints, batch: int, repeats: int, last_seen: Ints, times: Ints) -> Ints:
    """Cut tokens into batches of at most `batch` tokens and `repeats` tokens of one word.

    The steps of a batch do not see each other. Those of one word repeated over and over would
    all go the same way, too far together; then the batch ends early.

    Returns
    -------
    starts : (batches + 1,) int32
    """
    starts = np.empty(kept.size + 2, np.int32)
    last_seen[:] = -1
    count, start = 0, 0
    starts[0] = 0
    for i in range(kept.size):
        word = kept[i]
        times[word] = times[word] + 1 if last_seen[word] >= start else 1
        last_seen[word] = i
        if i - start == batch or times[word] > repeats:
            count += 1
            start = i
            starts[count] = start
            times[word] = 1
    starts[count + 1] = kept.size
    return starts[: count + 2].copy()


@compiled_for_speed
def _sigmoid(x: np.float32) -> np.float32:
    """σ by a rational form of tanh, to 6e-5 everywhere; plain arithmetic vectorises."""
    t = min(max(x * np.float32(0.5), np.float32(-4.9)), np.float32(4.9))
    q = t * t
    over = t * (np.float32(135135) + q * (np.float32(17325) + q * (np.float32(378) + q)))
    under = np.float32(135135) + q * (
        np.float32(62370) + q * (np.float32(3150) + q * np.float32(28))
    )
    return np.float32(0.5) + np.float32(0.5) * over / under


@compiled_for_speed
def _hidden_vectors(
    source: Floats,
    kept: Ints,
    left: Ints,
    right: Ints,
    start: int,
    low: int,
    sums: Floats,
    hidden: Floats,
) -> None:
    """hidden[b] = mean of the source vectors around token start + b, from running sums."""
    size = source.shape[1]
    for d in range(size):
        sums[0, d] = 0
    for i in range(sums.shape[0] - 1):
        row, before, after = source[kept[low + i]], sums[i], sums[i + 1]
        for d in range(size):
            after[d] = before[d] + row[d]
    for b in range(hidden.shape[0]):
        i = start + b
        around = right[i] - left[i] - 1
        # a token alone has no context: its hidden vector, and so all it changes, is zero
        scale = np.float32(1) / np.float32(around) if around > 0 else np.float32(0)
        before, after = sums[left[i] - low], sums[right[i] - low]
        own, h = source[kept[i]], hidden[b]
        for d in range(size):
            h[d] = (after[d] - before[d] - own[d]) * scale


@compiled_for_speed
def _products(hidden: Floats, rows: Floats, dots: Floats) -> None:
    """dots[b, p] = hidden[b] · rows[p], four rows of `hidden` at once (they are padded to that)."""
    for p in range(rows.shape[0]):
        row = rows[p]
        for b in range(0, hidden.shape[0], 4):
            h0, h1, h2, h3 = hidden[b], hidden[b + 1], hidden[b + 2], hidden[b + 3]
            s0 = s1 = s2 = s3 = np.float32(0)
            for d in range(row.size):
                x = row[d]
                s0 += x * h0[d]
                s1 += x * h1[d]
                s2 += x * h2[d]
                s3 += x * h3[d]
            dots[b, p], dots[b + 1, p], dots[b + 2, p], dots[b + 3, p] = s0, s1, s2, s3


@compiled_for_speed
def _add_products(errors: Floats, rows: Floats, result: Floats) -> None:
    """result[b] += Σ_p errors[b, p] · rows[p], five rows at once (a multiple of that)."""
    for b in range(result.shape[0]):
        out, e = result[b], errors[b]
        for p in range(0, rows.shape[0], 5):
            r0, r1, r2, r3, r4 = rows[p], rows[p + 1], rows[p + 2], rows[p + 3], rows[p + 4]
            e0, e1, e2, e3, e4 = e[p], e[p + 1], e[p + 2], e[p + 3], e[p + 4]
            for d in range(out.size):
                out[d] += e0 * r0[d] + e1 * r1[d] + e2 * r2[d] + e3 * r3[d] + e4 * r4[d]


@compiled_for_speed
def _move_noise(target: Floats, noise: Ints, errors: Floats, hidden: Floats) -> None:
    """target[noise[p]] += Σ_b errors[b, p] · hidden[b], four rows of `hidden` at once."""
    for p in range(noise.size):
        row = target[noise[p]]
        for b in range(0, hidden.shape[0], 4):
            h0, h1, h2, h3 = hidden[b], hidden[b + 1], hidden[b + 2], hidden[b + 3]
            e0, e1 = errors[b, p], errors[b + 1, p]
            e2, e3 = errors[b + 2, p], errors[b + 3, p]
            for d in range(row.size):
                row[d] += e0 * h0[d] + e1 * h1[d] + e2 * h2[d] + e3 * h3[d]


@compiled_for_speed
def _move_words(
    source: Floats,
    target: Floats,
    kept: Ints,
    left: Ints,
    right: Ints,
    start: int,
    low: int,
    own_errors: Floats,
    hidden: Floats,
    gradients: Floats,
    marks: Floats,
) -> None:
    """Move the batch's own target vectors, and the source vectors of every window.

    A window's gradient reaches all its tokens but the middle one: mark where it begins and
    where it ends; the running sum of the marks spreads all windows at once.
    """
    size = source.shape[1]
    marks[:] = 0
    for b in range(own_errors.size):
        i, e = start + b, own_errors[b]
        out, h, g = target[kept[i]], hidden[b], gradients[b]
        begin, end, own = marks[left[i] - low], marks[right[i] - low], source[kept[i]]
        for d in range(size):
            out[d] += e * h[d]
            begin[d] += g[d]
            end[d] -= g[d]
            own[d] -= g[d]
    running = gradients[0]
    running[:] = 0
    for i in range(marks.shape[0] - 1):
        row, mark = source[kept[low + i]], marks[i]
        for d in range(size):
            running[d] += mark[d]
            row[d] += running[d]


@compiled_for_speed
def train_batches(
    source: Floats,
    target: Floats,
    kept: Ints,
    left: Ints,
    right: Ints,
    starts: Ints,
    noise: Ints,
    weight: float,
    rates: tuple[float, float],
) -> None:
    """Train on batches of tokens, in order.

    Parameters
    ----------
    source, target : (V, D) float32
        The vectors of words as context and as the word in the middle; changed in place.
    kept, left, right : (N,) int32
        Words of the tokens and their windows.
    starts : (batches + 1,) int32
        Where batches begin.
    noise : (batches, P) int32
        Each batch's noise words; P is a multiple of 5.
    weight : float
        How much one of them counts.
    rates : (float, float)
        The learning rate at the beginning and at the end, linear in between.
    """
    size, pool = source.shape[1], noise.shape[1]
    longest = np.max(np.diff(starts)) + 3
    reach = np.max(right - left)
    sums = np.empty((longest + 2 * reach + 1, size), np.float32)
    hidden = np.empty((longest, size), np.float32)
    gradients = np.empty((longest, size), np.float32)
    rows = np.empty((pool, size), np.float32)
    errors = np.empty((longest, pool), np.float32)
    own_errors = np.empty(longest, np.float32)
    for batch in range(noise.shape[0]):
        start, stop = starts[batch], starts[batch + 1]
        count = stop - start
        rate = np.float32(rates[0] + (rates[1] - rates[0]) * start / kept.size)
        low, high = left[start], right[start]
        for i in range(start, stop):
            low, high = min(low, left[i]), max(high, right[i])
        padded = hidden[: (count + 3) // 4 * 4]
        padded[count:] = 0
        window_sums = sums[: high - low + 1]
        _hidden_vectors(source, kept, left, right, start, low, window_sums, padded[:count])
        for p in range(pool):
            rows[p] = target[noise[batch, p]]
        _products(padded, rows, errors)
        for b in range(count):
            word = kept[start + b]
            out, h, dot = target[word], padded[b], np.float32(0)
            for d in range(size):
                dot += out[d] * h[d]
            e = rate * (np.float32(1) - _sigmoid(dot))
            own_errors[b] = e
            for d in range(size):
                gradients[b, d] = e * out[d]
            for p in range(pool):
                # a noise word that happens to be the word itself is no noise
                drawn = noise[batch, p] != word
                errors[b, p] = -rate * weight * _sigmoid(errors[b, p]) if drawn else np.float32(0)
        errors[count : padded.shape[0]] = 0
        _add_products(errors, rows, gradients[:count])
        _move_noise(target, noise[batch], errors, padded)
        _move_words(
            source,
            target,
            kept,
            left,
            right,
            start,
            low,
            own_errors[:count],
            padded,
            gradients,
            window_sums,
        )
