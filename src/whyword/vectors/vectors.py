"""Words to vectors: look-up, stacking, neighbours, coverage."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import exists, expand_path, flag, real_number, strings, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress
from whyword.vectors.cbow import CBOW, MOST_WINDOW
from whyword.vectors.files import read_vector_file
from whyword.vectors.induction import induce_vectors
from whyword.vectors.pretrained import PRETRAINED, no_such_vectors
from whyword.vectors.store import WordsAndMatrix, check_table, read_store, write_store
from whyword.vectors.table import WordTable
from whyword.vectors.vocabulary import token_ids
from whyword.words.document import Text
from whyword.words.tokenizer import Tokenizer, words_of

# GloVe's share in for_texts, chosen on held-out posts of 20 Newsgroups (docs/vectors.md)
_GLOVE = "glove-6b-50d"
_TRAINED_WORDS = 24e6  # words × epochs after which CBOW's elements deserve GloVe's size
_GLOVE_SIZES = (0.25, 2.5)


class Neighbour(NamedTuple):
    """A word and its cosine similarity to the word asked about."""

    word: str
    similarity: float


class Vectors:
    """Word vectors in one or several stacked tables.

    A word is looked up in its exact form, then lower-cased; one that has no vector is zero.

    Parameters
    ----------
    words : sequence of V str
    matrix : (V, D) float32

    Examples
    --------
    >>> vectors = Vectors(["orbit", "moon"], np.eye(2, dtype=np.float32))
    >>> vectors["Moon"], "sun" in vectors
    (array([0., 1.], dtype=float32), False)
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32]) -> None:
        self._tables: tuple[WordTable, ...] = (WordTable(*check_table(words, matrix)),)

    @classmethod
    def _of(cls, tables: Iterable[WordTable]) -> "Vectors":
        vectors = cls.__new__(cls)
        vectors._tables = tuple(tables)
        return vectors

    def __repr__(self) -> str:
        return f"Vectors({len(self):,} words, {self.dimensions} dimensions)"

    def __deepcopy__(self, memo: object) -> "Vectors":
        return self  # never changed; scikit-learn's clone copies arguments deeply

    # ---- making -----------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        source: str | Path,
        *,
        vocabulary: Iterable[str] | None = None,
        duplicates: str = "error",
        induce: bool = False,
        texts: Iterable[str] | None = None,
    ) -> "Vectors":
        """Load vectors from a file or a package.

        Parameters
        ----------
        source : str or Path
            word2vec binary or text, GloVe text (each also ``.gz``), a ``.safetensors`` file that
            :meth:`save` wrote, or one of ``"glove-6b-50d"``, ``"glove-6b-100d"``,
            ``"google-news-26k"``.
        vocabulary : iterable of str, optional
            Keep only these words (and their lower-cased forms); read in one streaming pass.
        duplicates : {"error", "first"}
            What to do when a file has a word twice.
        induce : bool
            Give words of `texts` that have no vector one inferred from their contexts.
        texts : iterable of str, optional
            Needed by `induce`.
        """
        if flag("induce", induce) and texts is None:
            raise InputError(
                Argument("induce", True), " needs the training texts: ", Argument("texts", ...)
            )
        vectors = cls._load(source, vocabulary, duplicates)
        return vectors.induce(texts) if induce and texts is not None else vectors

    @classmethod
    def _load(
        cls, source: str | Path, vocabulary: Iterable[str] | None, duplicates: str
    ) -> "Vectors":
        if vocabulary is not None:
            vocabulary = strings("vocabulary", vocabulary)
        path = expand_path(source)
        if str(source) in PRETRAINED:
            vectors = cls(*PRETRAINED[str(source)]())
        elif path.suffix.lower() == ".safetensors":
            vectors = cls.from_tables(read_store(path))
        elif exists(path):
            return cls(*read_vector_file(path, vocabulary, duplicates))
        else:
            raise no_such_vectors(source)
        return vectors if vocabulary is None else vectors.restrict(vocabulary)

    @classmethod
    def train_cbow(
        cls,
        texts: Iterable[str],
        *,
        dimensions: int = 300,
        window: int = 10,
        epochs: int = 40,
        min_count: int = 2,
        negative: int = 5,
        lowercase: bool = True,
        seed: int = 0,
        tokenizer: Tokenizer | None = None,
        cache: bool = True,
        on_progress: OnProgress | bool | None = None,
    ) -> "Vectors":
        """Train CBOW with negative sampling on texts.

        The same texts, settings and seed give the same vectors on the same machine.

        Parameters
        ----------
        texts : iterable of str
        dimensions, window, epochs, min_count, negative, lowercase, seed
            As for :class:`whyword.vectors.cbow.CBOW`.
        tokenizer : Tokenizer, optional
        cache : bool
            Keep the result in the cache folder and find it there by its content.
        on_progress : callable or bool, optional
            Called with the :class:`~whyword.base.progress.Progress`, again and again, instead of
            a bar on stderr. True shows the bar, False does not; by default a terminal does.
        """
        settings = CBOW(
            dimensions=dimensions,
            window=window,
            epochs=epochs,
            min_count=min_count,
            negative=negative,
            lowercase=lowercase,
            seed=seed,
        )
        return cls(*settings.fit(words_of(texts, tokenizer), cache=cache, on_progress=on_progress))

    @classmethod
    def for_texts(
        cls,
        texts: Iterable[Text],
        *,
        epochs: int = 40,
        seed: int = 0,
        on_progress: OnProgress | bool | None = None,
    ) -> "Vectors":
        """Stack GloVe 50d with CBOW trained on texts: what networks use by default.

        The more CBOW has read, the more it counts: GloVe's elements have 24 million / (words ×
        epochs) of the size of CBOW's, at least a quarter and at most 2.5 times.

        Parameters
        ----------
        texts : iterable of str or Document
        epochs, seed, on_progress
            As for :meth:`train_cbow`.
        """
        read = 0

        def count_words() -> Iterator[list[str]]:
            nonlocal read
            for words in words_of(texts):
                read += len(words)
                yield words

        own = cls(*CBOW(epochs=epochs, seed=seed).fit(count_words(), on_progress=on_progress))
        size = min(max(_TRAINED_WORDS / (read * epochs), _GLOVE_SIZES[0]), _GLOVE_SIZES[1])
        return cls.stack(cls.load(_GLOVE), own, weights=(size, 1))

    @classmethod
    def stack(cls, *parts: "Vectors", weights: Sequence[float] | None = None) -> "Vectors":
        """Put vectors side by side, each part's rows scaled to unit length first.

        Parameters
        ----------
        *parts : Vectors
        weights : sequence of float, optional
            One per part. Then every dimension is centred and scaled over the words of its part,
            and a part's elements have on average this size; a word that a part does not know
            is, as 0, in its middle.
        """
        if not parts or not all(isinstance(part, Vectors) for part in parts):
            raise InputError("stack takes one or more Vectors: Vectors.stack(a, b)")
        if weights is None:
            return cls._of(table.unit() for part in parts for table in part._tables)
        scales = [real_number("weights", weight, above=0) for weight in weights]
        if len(scales) != len(parts):
            raise InputError(
                Argument("weights"), f" and parts differ in length: {len(scales)} ≠ {len(parts)}"
            )
        return cls._of(
            table.standardise(weight)
            for part, weight in zip(parts, scales, strict=True)
            for table in part._tables
        )

    def restrict(self, vocabulary: Iterable[str]) -> "Vectors":
        """Keep only these words and their lower-cased forms."""
        words = strings("vocabulary", vocabulary)
        forms = {*words, *(word.lower() for word in words)}
        tables = []
        for table in self._tables:
            rows = [row for row, word in enumerate(table.words) if word in forms]
            tables.append(WordTable([table.words[row] for row in rows], table.matrix[rows]))
        return self._of(tables)

    def induce(self, texts: Iterable[str], *, window: int = 5, min_count: int = 2) -> "Vectors":
        """Give words of the texts that have no vector one inferred from their contexts.

        Parameters
        ----------
        texts : iterable of str
            Where the words occur; they are taken in lower case.
        window : int
            How many words on each side make the context.
        min_count : int
            How often a word must occur.
        """
        window = whole_number("window", window, most=MOST_WINDOW)
        min_count = whole_number("min_count", min_count)
        tokens = token_ids(words_of(texts), min_count=min_count)
        known = self.known(tokens.words)
        inferred = induce_vectors(tokens, self.rows(tokens.words), known, window)
        new = np.flatnonzero(~known & inferred.any(axis=1))
        extra = [tokens.words[row] for row in new]
        ends = np.cumsum([table.matrix.shape[1] for table in self._tables])
        pieces = np.split(inferred[new], ends[:-1], axis=1)
        return self._of(
            WordTable(table.words + extra, np.concatenate([table.matrix, piece]))
            for table, piece in zip(self._tables, pieces, strict=True)
        )

    @property
    def tables(self) -> list[WordsAndMatrix]:
        """Words and matrix of each stacked part."""
        return [(table.words, table.matrix) for table in self._tables]

    @classmethod
    def from_tables(cls, tables: Iterable[WordsAndMatrix]) -> "Vectors":
        """Put together what :attr:`tables` gave."""
        return cls._of(WordTable(*table) for table in tables)

    def save(self, path: str | Path) -> None:
        """Write a ``.safetensors`` file that :meth:`load` reads; whole or not at all."""
        path = expand_path(path)
        if path.suffix.lower() != ".safetensors":
            raise InputError(f"{path}: vectors are saved as .safetensors")
        write_store(path, self.tables)

    # ---- looking up -------------------------------------------------------------------------

    @property
    def dimensions(self) -> int:
        """Length D of a vector, all tables together."""
        return sum(table.matrix.shape[1] for table in self._tables)

    @cached_property
    def words(self) -> list[str]:
        """Every word that has a vector, in the tables' order."""
        return list(dict.fromkeys(word for table in self._tables for word in table.words))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return bool(self.known([word])[0])

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.rows([word])[0]
        return vector

    def rows(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the words' vectors, (len(words), D) float32; unknown words are zero rows."""
        return self.rows_at(self.places(words))

    def places(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Return where look-up finds each word in each table, (len(words), tables); else −1."""
        return np.stack([table.rows(words) for table in self._tables], axis=1)

    def rows_at(self, places: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the vectors at places that :meth:`places` gave, (len(places), D) float32."""
        matrix = np.zeros((len(places), self.dimensions), np.float32)
        start = 0
        for table, rows in zip(self._tables, places.T, strict=True):
            end = start + table.matrix.shape[1]
            matrix[rows >= 0, start:end] = table.matrix[rows[rows >= 0]]
            start = end
        return matrix

    @cached_property
    def has_keys(self) -> bool:
        """Whether one integer can say where a word stands in all tables."""
        return prod(size + 1 for size in self.sizes()) < 1 << 63

    def keys(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return a number for each word's vector, (len(words),): 0 if it has none."""
        keys = np.zeros(len(words), np.int64)
        for size, column in zip(self.sizes(), self.places(words).T, strict=True):
            keys = keys * (size + 1) + column + 1
        return keys

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors that :meth:`keys` gave numbers, (len(keys), D) float32."""
        columns = []
        for size in reversed(self.sizes()):
            keys, place = np.divmod(keys, size + 1)
            columns.append(place - 1)
        return self.rows_at(np.stack(columns[::-1], axis=1))

    def sizes(self) -> tuple[int, ...]:
        """Return the number of words of each table."""
        return tuple(len(table.words) for table in self._tables)

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say for each word whether it has a vector, (len(words),) bool."""
        known: NDArray[np.bool_] = np.any(self.places(words) >= 0, axis=1)
        return known

    def coverage(self, texts: Iterable[str]) -> float:
        """Return the share of the texts' tokens that have a vector (NaN without tokens)."""
        tokens, missing = self._count(texts)
        return 1 - sum(missing.values()) / tokens if tokens else float("nan")

    def missing(self, texts: Iterable[str], top: int = 10) -> list[tuple[str, int]]:
        """Return the texts' most frequent words that have no vector, with their counts."""
        ranked = sorted(self._count(texts)[1].items(), key=lambda item: (-item[1], item[0]))
        return ranked[:top]

    def _count(self, texts: Iterable[str]) -> tuple[int, dict[str, int]]:
        tokens = 0
        counts: dict[str, int] = {}
        for words in words_of(texts):
            tokens += len(words)
            for word in words:
                counts[word] = counts.get(word, 0) + 1
        known = self.known(list(counts)).tolist()
        return tokens, {
            word: count
            for (word, count), is_known in zip(counts.items(), known, strict=True)
            if not is_known
        }

    def nearest(self, word: str, top: int = 10) -> list[Neighbour]:
        """Return the words most similar to a word, by cosine, without the word itself."""
        if word not in self:
            raise InputError(f"{word!r} has no vector")
        # in float64, where the square of no float32 is zero
        products = np.zeros(len(self.words))
        squares = np.zeros(len(self.words))
        own_square = 0.0
        for table, rows in zip(self._tables, self._rows_of_words, strict=True):
            has_word = rows >= 0
            own = int(table.rows([word])[0])
            if own >= 0:
                vector = table.matrix[own].astype(np.float64)
                own_square += float(vector @ vector)
                products[has_word] += np.einsum("vd,d->v", table.matrix, vector)[rows[has_word]]
            squares[has_word] += np.einsum(
                "vd,vd->v", table.matrix, table.matrix, dtype=np.float64
            )[rows[has_word]]
        lengths = np.sqrt(squares) * np.sqrt(own_square)
        similarity = np.divide(products, lengths, where=lengths > 0, out=np.zeros_like(products))
        order = np.argsort(-similarity, kind="stable")
        others = (row for row in order if self.words[row] not in (word, word.lower()))
        return [
            Neighbour(self.words[row], float(similarity[row]))
            for row, _ in zip(others, range(top), strict=False)
        ]

    @cached_property
    def _rows_of_words(self) -> list[NDArray[np.intp]]:
        return [table.rows(self.words) for table in self._tables]
