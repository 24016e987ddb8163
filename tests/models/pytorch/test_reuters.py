"""A PyTorch module of several labels, trained on Reuters-21578 in half a minute."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import whyword as ww
from whyword.corpora.corpus import Part
from whyword.evaluation.quality import MultiLabelQuality

EPOCHS, BATCH, WORDS = 4, 64, 150  # of a text, in training


class Convolutions(nn.Module):
    """Word vectors, a convolution of three words, the largest over the text."""

    def __init__(self, words: int, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, 48, padding_idx=0)
        self.convolution = nn.Conv1d(48, 96, 3, padding=1)
        self.output = nn.Linear(96, labels)

    def forward(self, input_ids: Tensor) -> Tensor:
        found = self.convolution(self.embedding(input_ids).transpose(1, 2)).relu()
        scores: Tensor = self.output(found.amax(2))
        return scores


def read(texts: Sequence[str]) -> list[list[str]]:
    return [[word.lower() for word in one.words] for one in map(ww.tokenize, texts)]


def trained(texts: list[list[str]], truth: Tensor, vocabulary: dict[str, int]) -> nn.Module:
    torch.manual_seed(0)
    module = Convolutions(len(vocabulary), truth.shape[1])
    optimiser, loss = torch.optim.Adam(module.parameters(), 2e-3), nn.BCEWithLogitsLoss()
    ids_of = [[vocabulary.get(word, 1) for word in one[:WORDS]] for one in texts]
    rows = [torch.tensor(ids, dtype=torch.long) for ids in ids_of]
    for _ in range(EPOCHS):
        for some in torch.randperm(len(rows)).split(BATCH):  # type: ignore[no-untyped-call]
            ids = nn.utils.rnn.pad_sequence([rows[n] for n in some.tolist()], batch_first=True)
            optimiser.zero_grad()
            loss(module(ids), truth[some]).backward()
            optimiser.step()
    return module.eval()


@pytest.fixture(scope="module")
def corpus() -> ww.Corpus:
    """Return the stories of the ten most frequent topics, with these alone."""
    whole = ww.load_corpus("reuters-21578")
    counts = Counter(label for several in whole.train.labels or [] for label in several)
    frequent = {label for label, _ in counts.most_common(10)}

    def of_these(part: Part) -> Part:
        labels = [tuple(sorted(frequent & {*several})) for several in part.labels or []]
        kept = [n for n, several in enumerate(labels) if several]
        texts, ids = [part.texts[n] for n in kept], [part.ids[n] for n in kept]
        return Part(texts, [labels[n] for n in kept], ids)

    return ww.Corpus("ten topics", train=of_these(whole.train), test=of_these(whole.test))


@pytest.fixture(scope="module")
def model(corpus: ww.Corpus) -> "ww.TorchClassifier":
    texts, labels = read(corpus.train.texts), corpus.train.labels or []
    counts = Counter(word for one in texts for word in set(one))
    words = ["<pad>", "<unk>", *sorted(word for word, count in counts.items() if count > 2)]
    vocabulary = {word: number for number, word in enumerate(words)}
    classes = sorted({label for several in labels for label in several})
    truth = torch.tensor([[float(one in several) for one in classes] for several in labels])
    module = trained(texts, truth, vocabulary)
    return ww.TorchClassifier(module, vocabulary, classes, min_length=3, multilabel=True)


@pytest.mark.real
@pytest.mark.slow("trains for half a minute")
def test_ten_topics(model: "ww.TorchClassifier", corpus: ww.Corpus) -> None:
    texts, labels = corpus.test.texts, corpus.test.labels or []
    quality = ww.evaluation.model_quality(model, texts, labels)
    assert isinstance(quality, MultiLabelQuality)
    assert quality.micro_f1 > 0.85
    assert quality.macro_f1 > 0.6
    several = [n for n, one in enumerate(labels) if len(one) > 1][:60]
    found = ww.explain(model, [texts[n] for n in several], "all")
    assert all(one.conserved for one in found)
    worst = max(np.max(np.abs(one.residual) / np.maximum(1, np.abs(one.scores))) for one in found)
    assert worst < 1e-5
    words = ww.class_words(model, texts[:600], top=10)
    assert {"oil", "crude"} & {entry.word for entry in words["crude"]}
    some = texts[:150], labels[:150]
    curves = {
        method: ww.deletion_curve(model, *some, method, steps=10, least_words=40)
        for method in ("lrp", "gradient_input", "random")
    }
    assert len(curves["lrp"]) > curves["lrp"].n_documents
    assert curves["lrp"].area < curves["random"].area - 0.1
