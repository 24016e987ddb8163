"""Every post of 20 Newsgroups without each of its words: ours beside predicting again.

All 18,846 posts, every different known word of each (all its occurrences) deleted by itself. Ours
is timed from the raw texts: tokenising, prediction, grouping and all deletions; processor time is
said, too, and the peak of memory above what the model and the texts take. The others predict again
a few posts without each word: of the trained CNN2, PyTorch (conv1d, batches, on inputs already
looked up, the same threads); of the SVM, our own trace of the post without the words. Models are
trained in the first run, and kept.

    python benchmarks/scores_without.py [--documents N] [--sample 20] [--cnn FOLDER] [--svm FOLDER]
"""

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch_network import from_network
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
    deletions: int
    words: int
    seconds: float
    processor: float
    deleting: float  # seconds of it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--cnn", type=Path, help="a saved CNN2")
    parser.add_argument("--svm", type=Path, help="a saved SVM")
    arguments = parser.parse_args()
    torch.set_num_threads(usable_cores())
    news = load_corpus("20newsgroups")
    texts = [*news.train.texts, *news.test.texts][: arguments.documents]
    random = np.random.default_rng(0)
    sample = [texts[n] for n in random.choice(len(texts), arguments.sample, replace=False)]
    missed = False
    for name, folder in (("cnn2", arguments.cnn), ("svm", arguments.svm)):
        model = trained(name, news, folder)
        for _ in without_words(model, sample[:2]):  # compile
            pass
        before = megabytes()
        all_posts = measure(model, texts)
        own = megabytes() - before
        print(
            f"{name}: {len(texts):,} posts, {all_posts.deletions:,} deletions of "
            f"{all_posts.words:,} words on {usable_cores()} cores: {all_posts.seconds:.1f} s "
            f"({all_posts.processor:.1f} s of processor time), {all_posts.deleting:.1f} s of it "
            f"deleting (all must take ≤ {SECONDS}); {own:.0f} MB more (≤ {MEGABYTES})"
        )
        ours = all_posts.seconds / all_posts.deletions
        spent, count, difference = again(model, sample)
        ratio = spent / count / ours
        print(
            f"  again, {count:,} deletions in {len(sample)} posts: {1e3 * spent / count:.3f} ms "
            f"each, ours {1e3 * ours:.4f}: {ratio:,.0f} ×"
            + (f" (must be ≥ {RATIO})" if name == "cnn2" else "")
            + f"; scores differ by {difference:.0e}·max(1, |score|) at most (≤ {AGREEMENT:.0e})"
        )
        missed |= all_posts.seconds > SECONDS or own > MEGABYTES or difference > AGREEMENT
        missed |= name == "cnn2" and ratio < RATIO
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


def again(model: Model, texts: list[str]) -> tuple[float, int, float]:
    """Return the seconds that predicting again takes, how often, and how far scores differ."""
    spent, count, difference = 0.0, 0, 0.0
    for trace, groups, scores, _ in without_words(model, texts):
        for number in range(len(trace)):
            own = scores[groups.offsets[number] : groups.offsets[number + 1]]
            if not len(own):
                continue
            one = groups.between(number, number + 1)
            if isinstance(trace, CNNTrace):
                seconds, theirs = by_torch(trace, number, one)
            else:
                seconds, theirs = by_tracing(model, trace, number, one)
            spent, count = spent + seconds, count + len(own)
            apart = np.abs(own - theirs) / np.maximum(1, np.abs(theirs))
            difference = max(difference, float(apart.max()))
    return spent, count, difference


def by_torch(trace: CNNTrace, number: int, groups: WordGroups) -> tuple[float, Scores]:
    """Predict a post without each group by PyTorch; looking words up is not timed."""
    plain, batch = from_network(trace.network), trace.batch
    whole = batch.ids[batch.offsets[number] : batch.offsets[number + 1]]
    ids = np.tile(whole, (len(groups), 1))
    ids[np.repeat(np.arange(len(groups)), np.diff(groups.starts)), groups.positions] = PADDING
    spent, found = 0.0, []
    with torch.no_grad():
        for first in range(0, len(ids), BATCH):
            vectors = torch.from_numpy(batch.vectors[ids[first : first + BATCH]])
            inputs = vectors.transpose(1, 2).contiguous()
            lengths = torch.full((len(inputs),), len(whole))
            start = time.perf_counter()
            found.append(plain(inputs, lengths).numpy())
            spent += time.perf_counter() - start
    return spent, np.concatenate(found).astype(np.float64)


def by_tracing(
    model: Model, trace: Erasable, number: int, groups: WordGroups
) -> tuple[float, Scores]:
    """Predict a post without each group by our own trace of it."""
    words = np.split(groups.positions.astype(np.intp), groups.starts[1:-1])
    texts = [trace.documents[number]] * len(groups)
    start = time.perf_counter()
    found = [one.scores for one in model.trace(texts, deleted=iter(words))]
    return time.perf_counter() - start, np.concatenate(found)


def megabytes() -> float:
    """Return the most memory that the process ever took."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
