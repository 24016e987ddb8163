"""The compiled loop that takes out groups of words, one group at a time: equation (41).

The notation is that of docs/method.md. Zeroing a group changes the windows that hold one of its
words; all other responses stand. A filter's maximum is looked for again only if it stood in one of
those windows, so that over all groups of different words each filter looks H times.
"""

import numpy as np

from whyword.base.compiled import Floats, Ints, Offsets, compiled
from whyword.base.threads import in_threads
from whyword.models.cnn.deletion_kernels import respond
from whyword.models.cnn.kernels import Activations
from whyword.models.cnn.relevance_kernels import Numbers
from whyword.models.word_groups import WordGroups

_MOST, _LEAST = 256, 16  # filters done together, fewer of long texts:
_NUMBERS = 1 << 22  # so many of their responses are held
_CHUNK = 16  # windows whose maxima are kept, for whoever looks again


def scores_without_groups(
    activations: Activations,
    weight: Floats,
    groups: WordGroups,
    padding: int,
    scores: Numbers,
    pooled: Floats | None = None,
) -> None:
    """Run :func:`zero_groups` on all documents, on all cores."""
    kept = np.empty((0, 0), np.float32) if pooled is None else pooled

    def work(first: int, last: int) -> None:
        zero_groups(
            activations,
            weight,
            groups.offsets,
            groups.starts,
            groups.positions,
            padding,
            first,
            last,
            scores,
            kept,
        )

    in_threads(work, groups.documents)


@compiled
def zero_groups(
    activations: Activations,
    weight: Floats,
    group_offsets: Offsets,
    group_starts: Offsets,
    positions: Ints,
    padding: int,
    first: int,
    last: int,
    scores: Numbers,
    pooled: Floats,
) -> None:
    """scores[g, k] += Σ_j x[j]·w2[j, k] of group g's document without its words: (41).

    x[j] = max(0, max_t z[t, j]), with responses summed in the order of
    :func:`~whyword.models.cnn.kernels.max_pool`, so that they are what that would find, bit for
    bit. A group adds (x[j] − x[j] before)·w2[j, k] of the filters that it changes, in float64.

    Parameters
    ----------
    activations : Activations
    weight : (F, C) float32
        w2[j, k].
    group_offsets, group_starts, positions
        Of :class:`~whyword.models.word_groups.WordGroups`.
    padding : int
        The row of the table that stands for a zero vector.
    first, last : int
        The documents to do.
    scores : (G, C) float64
        Added to.
    pooled : (G, F) float32, or empty
        If there is room, x[j] is written there.
    """
    ids, offsets, table = activations.ids, activations.offsets, activations.table
    width, filters, classes = table.shape[1], table.shape[2], weight.shape[1]
    for d in range(first, last):
        first_group, last_group = group_offsets[d], group_offsets[d + 1]
        if first_group == last_group:
            continue
        now = ids[offsets[d] : offsets[d + 1]].copy()
        windows = now.size - width + 1
        starts = group_starts[first_group : last_group + 1]
        ends, touched = windows_of(starts, positions, width, windows)
        by, chunk_by = np.full(windows, -1), np.full((windows - 1) // _CHUNK + 1, -1)
        at_once = max(_LEAST, min(_MOST, _NUMBERS // windows))
        z = np.zeros((windows, at_once), np.float32)
        chunks = np.zeros((chunk_by.size, at_once), np.float32)
        highest, response = np.zeros(at_once, np.float32), np.zeros(at_once, np.float32)
        heads, following = np.empty(windows, np.int64), np.empty(at_once, np.int64)
        whole = np.zeros(classes)
        for low in range(0, filters, at_once):
            high = min(filters, low + at_once)
            best = activations.pooled[d, low:high]
            for j in range(high - low):
                for k in range(classes):
                    whole[k] += best[j] * np.float64(weight[low + j, k])
            responses(now, table, low, high, z, chunks)
            link_winners(best, activations.winners[d, low:high], heads, following)
            for number in range(last_group - first_group):
                group = first_group + number
                words = positions[starts[number] : starts[number + 1]]
                mine = touched[ends[number] : ends[number + 1]]
                for word in words:
                    now[word] = padding
                highest[:] = 0
                for t in mine:
                    by[t] = number
                    chunk_by[t // _CHUNK] = number
                    rise(now, table, t, low, high, highest, response)
                for word in words:
                    now[word] = ids[offsets[d] + word]
                if pooled.size:
                    pooled[group, low:high] = best
                for t in mine:
                    j = heads[t]
                    while j >= 0:
                        new = look_elsewhere(z, chunks, by, chunk_by, number, j, highest[j])
                        highest[j] = -1  # done
                        change(new, best[j], group, low + j, weight, scores, pooled)
                        j = following[j]
                if are_above(highest, best):
                    for j in range(high - low):
                        if highest[j] > best[j]:
                            change(highest[j], best[j], group, low + j, weight, scores, pooled)
        for group in range(first_group, last_group):
            for k in range(classes):
                scores[group, k] += whole[k]


@compiled
def windows_of(
    starts: Offsets, positions: Ints, width: int, windows: int
) -> tuple[Offsets, Offsets]:
    """Return the windows that hold words of each group, increasing, and where groups end.

    Returns
    -------
    ends : (groups + 1,) int64
    touched : (n,) int64
        Group g has ``touched[ends[g]:ends[g + 1]]``.
    """
    ends = np.zeros(starts.size, np.int64)
    touched = np.empty((starts[-1] - starts[0]) * width, np.int64)
    count = 0
    for group in range(starts.size - 1):
        done = 0
        for word in positions[starts[group] : starts[group + 1]]:
            done = max(done, word - width + 1)
            while done < min(windows, word + 1):
                touched[count] = done
                count += 1
                done += 1
        ends[group + 1] = count
    return ends, touched


@compiled
def responses(words: Ints, table: Floats, low: int, high: int, z: Floats, chunks: Floats) -> None:
    """z[t, j − low] = z[t, j], and the maxima of chunks of windows, 0 at least."""
    chunks[:] = 0
    for t in range(z.shape[0]):
        respond(words, table, t, low, high, z[t])
        raise_to(chunks[t // _CHUNK], z[t])


@compiled
def link_winners(best: Floats, winners: Ints, heads: Offsets, following: Offsets) -> None:
    """Chain the filters that fire most at window t: heads[t], following[heads[t]], …, −1."""
    heads[:] = -1
    for j in range(best.size):
        if best[j] > 0:
            following[j] = heads[winners[j]]
            heads[winners[j]] = j


@compiled
def rise(
    words: Ints, table: Floats, t: int, low: int, high: int, highest: Floats, response: Floats
) -> None:
    """highest[j − low] = max(highest[j − low], Σ_τ table[words[t + τ], τ, j])."""
    row = table[words[t], 0, low:high]
    if table.shape[1] == 1:
        raise_to(highest, row)
    elif table.shape[1] == 2:  # without writing the sum, which takes half as long
        after = table[words[t + 1], 1, low:high]
        for j in range(row.size):
            z = row[j] + after[j]
            highest[j] = z if z > highest[j] else highest[j]
    else:
        respond(words, table, t, low, high, response)
        raise_to(highest, response)


@compiled
def are_above(highest: Floats, best: Floats) -> bool:
    """Return whether one of highest[j] is above best[j]."""
    count = 0
    for j in range(best.size):
        count += highest[j] > best[j]
    return count > 0


@compiled
def raise_to(highest: Floats, response: Floats) -> None:
    """highest[j] = max(highest[j], response[j])."""
    for j in range(response.size):
        highest[j] = response[j] if response[j] > highest[j] else highest[j]


@compiled
def look_elsewhere(
    z: Floats,
    chunks: Floats,
    by: Offsets,
    chunk_by: Offsets,
    group: int,
    j: int,
    highest: np.float32,
) -> np.float32:
    """Return the maximum of z[t, j] over the windows that the group does not touch, and highest."""
    for chunk in range(chunk_by.size):
        if chunks[chunk, j] > highest:
            if chunk_by[chunk] != group:
                highest = chunks[chunk, j]
            else:
                for t in range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, by.size)):
                    if z[t, j] > highest and by[t] != group:
                        highest = z[t, j]
    return highest


@compiled
def change(
    new: np.float32,
    old: np.float32,
    group: int,
    j: int,
    weight: Floats,
    scores: Numbers,
    pooled: Floats,
) -> None:
    """Add what a filter's other maximum adds to the group's scores; write it if there is room."""
    if new != old:
        difference = np.float64(new) - np.float64(old)
        for k in range(weight.shape[1]):
            scores[group, k] += difference * weight[j, k]
        if pooled.size:
            pooled[group, j] = new
