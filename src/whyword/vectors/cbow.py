"""Word vectors of your own texts: CBOW with negative sampling, the same every time.

By hand, since gensim is the same every time with one thread only, and then takes twice as long
(`benchmarks/cbow.py`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.files import cache_folder
from whyword.base.progress import OnProgress, Progress, reporting
from whyword.base.store import Store
from whyword.vectors.cbow_kernels import (
    alias_tables,
    cut_batches,
    draw_windows,
    draw_words,
    train_batches,
)
from whyword.vectors.store import WordsAndMatrix, read_table, write_table
from whyword.vectors.vocabulary import TokenIds, token_ids

MOST_WINDOW = 1_000

_VERSION = 2  # of the algorithm: counts into the name under which results are kept
_BLOCK_TOKENS = 200_000  # planned at a time, which bounds the memory for the plan
_BATCH = 16  # 32 gave .767 instead of .772 in one run each, which is about one standard error
_REPEATS = 4
_POOL_FACTOR = 2  # noise words drawn per batch, in multiples of `negative`
_NOISE_POWER = 0.75
_LAST_RATE = 1e-4


@dataclass(frozen=True)
class CBOW:
    """Settings of CBOW; :meth:`fit` trains.

    Attributes
    ----------
    dimensions : int
    window : int
        The largest number of words on each side that count as context.
    epochs : int
    min_count : int
        Words rarer than this get no vector.
    negative : int
        Noise words per word.
    sample : float
        Words more frequent than about this share are thinned out; 0 keeps all.
    learning_rate : float
    lowercase : bool
    seed : int
    """

    dimensions: int = 300
    window: int = 10
    epochs: int = 40
    min_count: int = 2
    negative: int = 5
    sample: float = 1e-3
    learning_rate: float = 0.025
    lowercase: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        limits = {"dimensions": 100_000, "window": MOST_WINDOW, "negative": 1_000}
        for name in ("dimensions", "window", "epochs", "min_count", "negative"):
            number = whole_number(name, getattr(self, name), most=limits.get(name, 2**31 - 1))
            object.__setattr__(self, name, number)  # numpy's whole numbers become Python's
        object.__setattr__(self, "seed", whole_number("seed", self.seed, least=0))
        if not 0 < self.learning_rate <= 1 or not 0 <= self.sample <= 1:
            raise InputError(
                Argument("learning_rate"),
                " must be in (0, 1] and ",
                Argument("sample"),
                " in [0, 1]",
            )

    def fit(
        self,
        documents: Iterable[list[str]],
        *,
        cache: bool = True,
        on_progress: OnProgress | bool | None = None,
    ) -> WordsAndMatrix:
        """Train on documents given as lists of words.

        Parameters
        ----------
        documents : iterable of list of str
        cache : bool
            Keep the result in the cache folder and find it there by its content.
        on_progress : callable or bool, optional
            Called with the :class:`~whyword.base.progress.Progress`, again and again, instead of
            a bar on stderr. True shows the bar, False does not; by default a terminal does.

        Returns
        -------
        words : list of V str
        matrix : (V, dimensions) float32
        """
        tokens = token_ids(documents, lowercase=self.lowercase, min_count=self.min_count)
        if not tokens.words:
            raise InputError(f"no word occurs {self.min_count} times in the texts to train on")
        if not cache:
            return tokens.words, self._train(tokens, on_progress)
        content = {"words": tokens.words, "ids": tokens.ids, "offsets": tokens.offsets}
        made_of = {"version": _VERSION, "settings": asdict(self), **content}
        entry = Store(cache_folder()).entry("cbow", made_of, ".safetensors", read=read_table)
        return entry.get_or_make(
            lambda: (tokens.words, self._train(tokens, on_progress)), write_table
        )

    def _train(
        self, tokens: TokenIds, on_progress: OnProgress | bool | None
    ) -> NDArray[np.float32]:
        vectors = np.random.default_rng(self.seed).random(
            (len(tokens.words), self.dimensions), np.float32
        )
        source = (vectors - np.float32(0.5)) / np.float32(self.dimensions)
        target = np.zeros_like(source)
        noise_tables = alias_tables(tokens.counts.astype(np.float64) ** _NOISE_POWER)
        chances = self._chances(tokens)
        total = self.epochs * max(tokens.ids.size, 1)
        done = 0
        stage = "training word vectors"
        with reporting(on_progress, stage) as report:
            for epoch in range(self.epochs):
                for number, offsets in enumerate(_blocks(tokens.offsets)):
                    # a block has random numbers of its own, whatever was drawn before
                    seeds = np.random.SeedSequence((self.seed, epoch, number))
                    state = seeds.generate_state(1, np.uint64).astype(np.uint64)
                    rates = (self._rate(done / total), self._rate((done + _size(offsets)) / total))
                    self._train_block(
                        source, target, tokens.ids, offsets, chances, noise_tables, state, rates
                    )
                    done += _size(offsets)
                    share, at = done / total, epoch + 1
                    report(Progress(stage, share=share, number=at, total=self.epochs))
        return source

    def _train_block(
        self,
        source: NDArray[np.float32],
        target: NDArray[np.float32],
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        chances: NDArray[np.uint64],
        noise_tables: tuple[NDArray[np.uint64], NDArray[np.int32]],
        state: NDArray[np.uint64],
        rates: tuple[float, float],
    ) -> None:
        kept, left, right = (np.empty(_size(offsets), np.int32) for _ in range(3))
        count = draw_windows(ids, offsets, chances, self.window, state, kept, left, right)
        if count == 0:
            return
        kept, left, right = kept[:count], left[:count], right[:count]
        last_seen, times = (np.empty(len(source), np.int32) for _ in range(2))
        starts = cut_batches(kept, _BATCH, _REPEATS, last_seen, times)
        pool = -(-_POOL_FACTOR * self.negative // 5) * 5
        noise = np.empty((len(starts) - 1, pool), np.int32)
        draw_words(*noise_tables, state, noise.reshape(-1))
        weight = self.negative / pool
        train_batches(source, target, kept, left, right, starts, noise, weight, rates)

    def _chances(self, tokens: TokenIds) -> NDArray[np.uint64]:
        """Chance out of 2³² that a token of each word is kept."""
        ratio = self.sample * tokens.counts.sum() / tokens.counts
        chance = np.minimum(1, np.sqrt(ratio) + ratio) if self.sample > 0 else np.ones_like(ratio)
        chances: NDArray[np.uint64] = (chance * 0xFFFFFFFF).astype(np.uint64)
        return chances

    def _rate(self, done: float) -> float:
        return self.learning_rate + (_LAST_RATE - self.learning_rate) * done


def _blocks(offsets: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield runs of documents of about _BLOCK_TOKENS tokens, by their offsets."""
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + _BLOCK_TOKENS))
        last = min(max(last, first + 1), len(offsets) - 1)
        yield offsets[first : last + 1]
        first = last


def _size(offsets: NDArray[np.int64]) -> int:
    return int(offsets[-1] - offsets[0])
