"""Documents by the million: posts of 20 Newsgroups, their lines drawn anew.

A document is a post in which a third or so of the lines are others of the same group: as many as
one likes, of the lengths and with the words of real ones.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from whyword import load_corpus

ANOTHER = 0.3  # of a post's lines
GROUP = 4_096  # documents written at a time


def resampled(texts: Sequence[str], labels: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield so many documents."""
    random = np.random.default_rng(seed)
    posts = [text.splitlines() for text in texts]
    lines: dict[str, list[str]] = defaultdict(list)
    for post, label in zip(posts, labels, strict=True):
        lines[label] += post
    for chosen in random.integers(len(posts), size=count).tolist():
        post, others = posts[chosen], lines[labels[chosen]]
        replaced = random.random(len(post)) < ANOTHER
        drawn = random.integers(len(others), size=len(post))
        pairs = zip(post, replaced.tolist(), drawn.tolist(), strict=True)
        yield "\n".join(others[number] if other else line for line, other, number in pairs)


def write_resampled(path: Path, count: int, seed: int = 0) -> None:
    """Write so many documents, with ids, as a Parquet file."""
    news = load_corpus("20newsgroups")
    texts = resampled(news.texts, news.labels or (), count, seed)
    schema = pa.schema({"id": pa.string(), "text": pa.string()})
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        for first in range(0, count, GROUP):
            some = list(islice(texts, GROUP))
            ids = [f"{first + at:08}" for at in range(len(some))]
            writer.write_table(pa.table([ids, some], schema=schema))
