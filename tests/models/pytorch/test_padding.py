"""Whether a text beside others is the same text."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import PAD, WORDS, Vote, encode, enliven

import whyword as ww

TEXTS = ["one two three four five", "six", "", "seven eight nine", "ten eleven twelve"]


def model(module: nn.Module, **options: Any) -> ww.TorchClassifier:
    return ww.TorchClassifier(module, encode, ["a", "b", "c"], **{"pad": PAD} | options)


class Convolution(nn.Module):
    """What is beside a text counts: its windows are as good as others."""

    def __init__(self, masked: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 6)
        self.conv, self.output = nn.Conv1d(6, 8, 3), nn.Linear(8, 3)
        self.masked = masked

    def forward(self, input_ids: Tensor) -> object:
        x = self.embedding(input_ids).mT
        if self.masked:
            x = x * (input_ids != PAD).unsqueeze(1)
        return self.output(torch.relu(self.conv(x)).amax(2))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_padding_that_loses_against_most_words_is_seen(masked: bool, seed: int) -> None:
    """Two texts that happen to be the same beside longer ones prove nothing."""
    module = enliven(Convolution(masked), seed)
    with torch.no_grad():
        module.embedding.weight[PAD] = 0  # type: ignore[union-attr,operator]
        module.conv.bias -= 1  # type: ignore[union-attr,operator]
    one = model(module, min_length=3)
    assert not one.network.pads
    texts = ["a b c d", "e f g h i j k", "l m n o", "p q r s t"]
    together, alone = one.class_scores(texts), [one.class_scores([text])[0] for text in texts]
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-5)


def test_masked_padding_is_used() -> None:
    assert model(enliven(Vote())).network.pads


def test_without_a_padding_id_texts_of_one_length_go_together() -> None:
    one = ww.TorchClassifier(enliven(Vote()), encode, ["a", "b", "c"])
    assert not one.network.pads
    assert np.isfinite(one.class_scores(TEXTS)).all()


class Centred(Vote):
    """What a text says depends on the others beside it."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        said: Any = super().forward(input_ids, attention_mask)
        return said - said.mean(0, keepdim=True) + said.mean()


def test_texts_that_change_beside_others_are_read_alone() -> None:
    one = model(enliven(Centred()))
    assert one.network.alone
    assert not one.network.pads
    together, alone = one.class_scores(TEXTS), [one.class_scores([text])[0] for text in TEXTS]
    np.testing.assert_allclose(together, alone, rtol=1e-6)


class Packed(nn.Module):
    """An attention mask says how long texts are, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        lengths = attention_mask.sum(1, keepdim=True)
        seen = torch.arange(input_ids.shape[1]) < lengths
        return (self.embedding(input_ids) * seen.unsqueeze(-1)).sum(1) / lengths


def test_deleted_words_are_hidden_where_that_can_be() -> None:
    """By default: it disturbs least; else their vectors are zeros."""
    one = model(enliven(Vote()))
    assert one.network.hides
    assert one.deletion.how == "pad"
    found = ww.explain(one, TEXTS[0], deleted=[2])
    without = ww.explain(one, "one two four five")
    np.testing.assert_allclose(found.scores, without.scores, atol=1e-6)
    assert found.parameters["deletion"] == "pad"
    packed = model(enliven(Packed()))
    assert packed.network.pads
    assert not packed.network.hides
    assert packed.deletion.how == "zero"
    assert ww.TorchClassifier(enliven(Vote()), encode, ["a", "b", "c"]).deletion.how == "zero"
    assert model(enliven(Convolution()), min_length=3).deletion.how == "zero"
    assert model(enliven(Vote()), deletion="zero").deletion.how == "zero"
