"""How many tokens a module has places for."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_networks import PAD, WORDS, encode, enliven

import whyword as ww
from whyword.models.pytorch.place_tables import configured_places


class Reads(nn.Module):
    """Words' vectors and what somebody adds to them, in the mean."""

    def __init__(self, add: Callable[[Any, Tensor], Tensor]) -> None:
        super().__init__()
        self.embedding, self.table = nn.Embedding(WORDS, 3), nn.Embedding(40, 3)
        self.offset = nn.Embedding(42, 3, padding_idx=1)
        self.weights = nn.Parameter(torch.randn(1, 30, 3))
        self.register_buffer("numbers", torch.arange(50).unsqueeze(0))
        self.register_buffer("waves", torch.randn(35, 1, 3))
        self.lstm = nn.LSTM(3, 3, batch_first=True)
        self.add = add

    def forward(self, ids: Tensor) -> object:
        return (self.embedding(ids) + self.add(self, ids)).mean(1)


def counted(ids: Tensor) -> Tensor:
    return torch.arange(ids.shape[1])


ADDED: dict[str, tuple[Callable[[Any, Tensor], Tensor], int | None]] = {
    "looked up": (lambda m, ids: m.table(counted(ids)), 40),
    "looked up by each text": (lambda m, ids: m.table(counted(ids).expand(ids.shape)), 40),
    "from padding on": (lambda m, ids: m.offset(torch.cumsum((ids != 1000).int(), 1) + 1), 40),
    "numbers that are kept": (lambda m, ids: m.table(m.numbers[:, : ids.shape[1]]), 40),
    "the beginning": (lambda m, ids: m.weights[:, : ids.shape[1]], 30),
    "the beginning of an axis": (lambda m, ids: m.waves[: ids.shape[1]].transpose(0, 1), 35),
    "taken": (lambda m, ids: m.weights[0][counted(ids)], None),  # of what it has no name
    "taken itself": (lambda m, ids: m.table.weight[counted(ids)], 40),
    "one for all": (lambda m, ids: m.table(torch.zeros_like(ids)), None),
    "the same beginning": (lambda m, ids: m.weights[:, :16].mean(), None),
    "states": (lambda m, ids: m.lstm(m.embedding(ids))[0], None),
}


@pytest.mark.parametrize("name", ADDED)
def test_the_table_of_places_is_found(name: str) -> None:
    add, places = ADDED[name]
    model = ww.TorchClassifier(enliven(Reads(add)), encode, ["a", "b", "c"], pad=PAD)
    assert model.network.window.size == places
    if places is not None:
        long = "word " * 3 * places
        assert ww.explain(model, long, "all").conserved
        assert model.network.window.before == model.network.window.after == 1


def test_ids_in_a_row_are_no_places() -> None:
    """A dictionary's first words have them."""
    words = {word: number for number, word in enumerate("a b c d e f g h i j k l m n o".split())}
    module = nn.Sequential(nn.EmbeddingBag(len(words), 4), nn.Linear(4, 2)).eval()
    assert ww.TorchClassifier(module, words, ["no", "yes"]).network.window.size is None


@pytest.mark.parametrize("said", [None, -1, 0, "512", True, 2.5])
def test_what_a_configuration_says_may_be_nothing(said: object) -> None:
    module = nn.Linear(1, 1)
    module.config = type("Config", (), {"max_position_embeddings": said})()
    assert configured_places(module) is None


@pytest.mark.slow("transformers")
@pytest.mark.parametrize(
    ("kind", "places", "options"),
    [
        ("Bert", 40, {}),
        ("Roberta", 38, {"pad_token_id": 1}),
        ("MPNet", 38, {"pad_token_id": 1}),
        ("DistilBert", 40, {}),
        ("GPT2", 40, {"pad_token_id": 0}),
        ("ModernBert", 40, {"pad_token_id": 0}),
    ],
)
def test_models_of_hugging_face(kind: str, places: int, options: dict[str, Any]) -> None:
    """RoBERTa's positions begin after its padding's: of 40 rows, 38 are places."""
    import transformers

    def shifted(text: str) -> tuple[list[int], list[tuple[int, int]]]:
        ids, spans = encode(text)
        return [number + 1 for number in ids], spans  # no text has padding in it

    config = getattr(transformers, f"{kind}Config")(
        vocab_size=WORDS + 1,
        max_position_embeddings=40,
        num_labels=3,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=12,
        **options,
    )
    module = getattr(transformers, f"{kind}ForSequenceClassification")(config)
    pad = options.get("pad_token_id", PAD)
    model = ww.TorchClassifier(enliven(module), shifted, ["a", "b", "c"], pad=pad)
    assert model.network.window.size == places
    assert ww.explain(model, "a word and another " * 20).conserved
