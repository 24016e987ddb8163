"""Every post of 20 Newsgroups without each of its words: ours beside predicting again.

All 18,846 posts, every different known word of each (all its occurrences) deleted by itself. Ours
is timed from the raw texts: tokenising, prediction, grouping and all deletions; processor time is
said, too, and the peak of memory above what the model and the texts take. The others predict again
a few posts without each word: of the trained CNN2, PyTorch (conv1d, batches, on inputs already
looked up, the same threads); of the SVM, our own trace of the post without the words. Models are
trained in the first run, and kept.

    python benchmarks/scores_without.py [--documents N] [--sample 20] [--rounds 5] [--cnn FOLDER]
        [--svm FOLDER]
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from figures import keep, ratios
from numpy.typing import NDArray
from torch_network import PlainNetwork, from_network
from trained import trained

from whyword import CNNClassifier, SVMClassifier, load_corpus
from whyword.base.threads import usable_cores
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.trace import CNNTrace
from whyword.models.protocol import Erasable
from whyword.models.word_groups import WordGroups

RATIO, SECONDS, MEGABYTES = 100, 60, 1000
AGREEMENT = 1e-4  # relative to max(1, |score|); conv1d sums in another order
BATCH = 64

Scores = NDArray[np.float64]
Model = CNNClassifier | SVMClassifier


class Measured(NamedTuple):
    """What deleting every word took."""

    deletions: int
    words: int
    seconds: float
    processor: float
    deleting: float  # seconds of it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cnn", type=Path, help="a saved CNN2")
    parser.add_argument("--svm", type=Path, help="a saved SVM")
    arguments = parser.parse_args()
    torch.set_num_threads(usable_cores())
    news = load_corpus("20newsgroups")
    texts = [*news.train.texts, *news.test.texts][: arguments.documents]
    random = np.random.default_rng(0)
    sample = [texts[n] for n in random.choice(len(texts), arguments.sample, replace=False)]
    missed, figures = False, dict[str, list[float]]()
    for name, folder in (("svm", arguments.svm), ("cnn2", arguments.cnn)):
        model = trained(name, news, folder)
        for _ in without_words(model, sample[:2]):  # compile
            pass
        before = resident()
        rounds = [measure(model, texts) for _ in range(arguments.rounds)]
        own = peak() - before
        all_posts = sorted(rounds, key=lambda one: one.seconds)[len(rounds) // 2]
        print(
            f"{name}: {len(texts):,} posts, {all_posts.deletions:,} deletions of "
            f"{all_posts.words:,} words on {usable_cores()} cores: {all_posts.seconds:.1f} s "
            f"({all_posts.processor:.1f} s of processor time), {all_posts.deleting:.1f} s of it "
            f"deleting (all must take ≤ {SECONDS}); {own:.0f} MB more (≤ {MEGABYTES})"
        )
        ours, work = (
            1e3 * spent / all_posts.deletions for spent in (all_posts.seconds, all_posts.processor)
        )
        theirs, their_work, count, difference = again(model, sample)
        ratio = theirs / ours
        seconds = [one.seconds for one in rounds]
        each = [1e3 * one / all_posts.deletions for one in seconds]
        figures |= {f"{name}_seconds": seconds, f"{name}_ratio": ratios([theirs], each)}
        print(
            f"  again, {count:,} deletions in {len(sample)} posts: {theirs:.3f} ms each "
            f"({their_work:.3f} of processor time), ours {ours:.4f} ({work:.4f}): "
            f"{ratio:,.0f} × ({their_work / work:,.0f} ×)"
            + (f" (must be ≥ {RATIO})" if name == "cnn2" else "")
            + f"; scores differ by {difference:.0e}·max(1, |score|) at most (≤ {AGREEMENT:.0e})"
        )
        missed |= all_posts.seconds > SECONDS or own > MEGABYTES or difference > AGREEMENT
        missed |= name == "cnn2" and ratio < RATIO
    keep("scores_without", figures)
    if missed:
        raise SystemExit("missed")


def measure(model: Model, texts: list[str]) -> Measured:
    start, processor, deleting, deletions, words = (
        time.perf_counter(),
        time.process_time(),
        0.0,
        0,
        0,
    )
    for _, groups, _, seconds in without_words(model, texts):
        deletions, words = deletions + len(groups), words + len(groups.positions)
        deleting += seconds
    return Measured(
        deletions,
        words,
        time.perf_counter() - start,
        time.process_time() - processor,
        deleting,
    )


def without_words(
    model: Model, texts: list[str]
) -> Iterator[tuple[Erasable, WordGroups, Scores, float]]:
    """Yield traces, the groups of their words, scores without each, and the seconds these took."""
    for trace in model.trace(texts):
        assert isinstance(trace, Erasable)
        number_of: dict[str, int] = {}
        numbers = []
        for document, known in zip(trace.documents, trace.known, strict=True):
            each = [number_of.setdefault(word.lower(), len(number_of)) for word in document.cut()]
            numbers.append(np.where(known, np.array(each, np.int64), -1))
        groups, _ = WordGroups.alike(numbers)
        start = time.perf_counter()
        scores = trace.scores_without(groups)
        yield trace, groups, scores, time.perf_counter() - start


def again(model: Model, texts: list[str]) -> tuple[float, float, int, float]:
    """Predict again: milliseconds for each, of processor time, how often, how far scores differ."""
    spent, work, count, difference = 0.0, 0.0, 0, 0.0
    for trace, groups, scores, _ in without_words(model, texts):
        for number in range(len(trace)):
            own = scores[groups.offsets[number] : groups.offsets[number + 1]]
            if not len(own):
                continue
            predict = by_torch if isinstance(trace, CNNTrace) else by_tracing
            rows = []
            for ask in predict(model, trace, number, groups.between(number, number + 1)):
                start, processor = time.perf_counter(), time.process_time()
                rows.append(ask())
                spent += time.perf_counter() - start
                work += time.process_time() - processor
            theirs = np.concatenate(rows)
            count += len(own)
            apart = np.abs(own - theirs) / np.maximum(1, np.abs(theirs))
            difference = max(difference, float(apart.max()))
    return 1e3 * spent / count, 1e3 * work / count, count, difference


def by_torch(
    model: Model,
    trace: Erasable,
    number: int,
    groups: WordGroups,
) -> Iterator[Callable[[], Scores]]:
    """Yield what predicts a post without some groups by PyTorch, their words looked up already."""
    assert isinstance(trace, CNNTrace)
    plain, batch = from_network(trace.network), trace.batch
    whole = batch.ids[batch.offsets[number] : batch.offsets[number + 1]]
    ids = np.tile(whole, (len(groups), 1))
    ids[np.repeat(np.arange(len(groups)), np.diff(groups.starts)), groups.positions] = PADDING
    for first in range(0, len(ids), BATCH):
        vectors = torch.from_numpy(batch.vectors[ids[first : first + BATCH]])
        inputs = vectors.transpose(1, 2).contiguous()
        lengths = torch.full((len(inputs),), len(whole))
        yield partial(plain_scores, plain, inputs, lengths)


@torch.no_grad()
def plain_scores(plain: PlainNetwork, inputs: torch.Tensor, lengths: torch.Tensor) -> Scores:
    """Return what the plain network says."""
    scores: Scores = plain(inputs, lengths).numpy().astype(np.float64)
    return scores


def by_tracing(
    model: Model,
    trace: Erasable,
    number: int,
    groups: WordGroups,
) -> Iterator[Callable[[], Scores]]:
    """Yield what predicts a post without all groups by our own trace of it."""
    words = np.split(groups.positions.astype(np.intp), groups.starts[1:-1])
    texts = [trace.documents[number]] * len(groups)

    def ask() -> Scores:
        return np.concatenate([one.scores for one in model.trace(texts, deleted=iter(words))])

    yield ask


def resident() -> float:
    """Return the megabytes that the process takes now (on Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def peak() -> float:
    """Return the most megabytes that it ever took."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


if __name__ == "__main__":
    main()
