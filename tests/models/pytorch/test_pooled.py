"""A head of our own on an encoder of Hugging Face's."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from whyword.models.pytorch.pooled import PooledEncoder


class Encoder(nn.Module):
    """Vectors, and a pooler that nobody is to use."""

    base_model_prefix = "toy"

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 4)
        self.pooler: nn.Module | None = nn.Linear(4, 4)
        self.config = SimpleNamespace(hidden_size=4)

    def get_input_embeddings(self) -> nn.Module:
        return self.table

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        return SimpleNamespace(last_hidden_state=self.table(input_ids))


@pytest.mark.parametrize("hidden", [None, 5])
def test_it_is_the_mean_of_what_is_seen(hidden: int | None) -> None:
    module = PooledEncoder(Encoder(), 3, hidden).eval()
    ids = torch.tensor([[1, 2, 3, 0], [4, 5, 6, 7]])
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])
    with torch.no_grad():
        found = module(ids, mask).numpy()
    state = {name: one.numpy() for name, one in module.state_dict().items()}
    for row, seen in enumerate(([1, 2, 3], [4, 5, 6, 7])):
        mean = np.mean([state["toy.table.weight"][one] for one in seen], axis=0)
        if hidden is not None:
            mean = np.maximum(0, state["dense.weight"] @ mean + state["dense.bias"])
        wanted = state["scores.weight"] @ mean + state["scores.bias"]
        np.testing.assert_allclose(found[row], wanted, rtol=1e-5, atol=1e-6)


def test_the_encoder_keeps_its_name_and_loses_its_pooler() -> None:
    module = PooledEncoder(Encoder(), 2)
    names = set(module.state_dict())
    assert names == {"toy.table.weight", "scores.weight", "scores.bias"}
    assert module.get_input_embeddings() is module.get_submodule("toy.table")
