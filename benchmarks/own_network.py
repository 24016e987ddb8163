"""A network as somebody writes it in plain PyTorch: words, pairs of them, the largest, scores."""

from collections import Counter
from collections.abc import Sequence
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import whyword as ww

PAD, UNKNOWN = "<pad>", "<unk>"
WORDS, KNOWN = 150, 30_000  # read of a text in training; in the vocabulary
SIZE, FILTERS, EPOCHS, BATCH, RATE = 48, 96, 6, 64, 2e-3


class Pairs(nn.Module):
    """Vectors of words, filters over two at a time, the largest answer of each, scores."""

    def __init__(self, words: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, SIZE, padding_idx=0)
        self.convolution = nn.Conv1d(SIZE, FILTERS, 2, padding=1)
        self.dropout = nn.Dropout(0.5)
        self.output = nn.Linear(FILTERS, classes)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Return the scores, (texts, classes), of padded ids."""
        responses = torch.relu(self.convolution(self.embedding(input_ids).transpose(1, 2)))
        scores: Tensor = self.output(self.dropout(responses.amax(2)))
        return scores


class OwnNetwork:
    """Trains such a network; what it returns is the module, wrapped.

    Parameters
    ----------
    seed : int
    reader : Reader, optional
        Words that it ignores are left out of the vocabulary, and of what is read.
    """

    def __init__(self, seed: int, reader: ww.Reader | None = None) -> None:
        self.seed, self.reader = seed, reader

    def set_params(self, reader: ww.Reader) -> Self:
        """Read otherwise."""
        self.reader = reader
        return self

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> ww.TorchClassifier:
        """Return the trained network as a model."""
        reader = ww.Reader.of(self.reader)
        read = [
            [word.lower() for word in document.words] for document in reader.documents(list(texts))
        ]
        counts = Counter(word for words in read for word in words)
        known = [word for word, count in counts.most_common(KNOWN) if count > 1]
        vocabulary = {word: number for number, word in enumerate([PAD, UNKNOWN, *known])}
        classes = sorted(set(labels))
        torch.manual_seed(self.seed)
        module = Pairs(len(vocabulary), len(classes))
        ids = [[vocabulary.get(word, 1) for word in words[:WORDS]] for words in read]
        self._train(module, ids, np.array([classes.index(label) for label in labels]))
        return ww.TorchClassifier(module.eval(), vocabulary, classes, min_length=2, reader=reader)

    def _train(self, module: Pairs, ids: list[list[int]], wanted: NDArray[np.intp]) -> None:
        random = np.random.default_rng(self.seed)
        optimiser = torch.optim.Adam(module.parameters(), RATE)
        module.train()
        for _ in range(EPOCHS):
            order = random.permutation(len(ids))
            for first in range(0, len(ids), BATCH):
                some = order[first : first + BATCH]
                longest = max(2, *(len(ids[n]) for n in some))
                batch = np.zeros((len(some), longest), np.int64)
                for row, n in enumerate(some):
                    batch[row, : len(ids[n])] = ids[n]
                scores = module(torch.from_numpy(batch))
                loss = nn.functional.cross_entropy(scores, torch.from_numpy(wanted[some]))
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
