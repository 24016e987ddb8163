"""Long texts in windows, against a slow literal loop over them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import PAD, WORDS, encode, enliven

import whyword as ww
from whyword.models.pytorch.trace import TorchTrace
from whyword.models.pytorch.windows import window_places
from whyword.models.relevance import Relevance

Floats = NDArray[np.float64]
PLACES = 24  # tokens of a window
EVERY = np.array([[0, 1, 2]], np.int32)
SLOW = pytest.mark.slow("transformers")
LENGTHS = [PLACES - 1, PLACES, PLACES + 1, PLACES * 3 // 2, 5 * PLACES + 3]


@given(st.integers(0, 200), st.integers(0, 3), st.integers(0, 3), st.integers(1, 40))
def test_windows_are_the_literal_ones(own: int, before: int, after: int, room: int) -> None:
    count, size = own + before + after, room + before + after
    found = [one.tolist() for one in window_places(count, before, after, size)]
    assert found == oracle.windows(count, before, after, size)
    assert {place for one in found for place in one} == set(range(count))  # nothing is lost
    assert all(len(one) == min(size, count) for one in found)


@pytest.mark.parametrize(
    ("count", "windows"),
    [
        (6, [[0, 1, 2, 3, 4, 5]]),
        (7, [[0, 1, 2, 3, 4, 6], [0, 2, 3, 4, 5, 6]]),
        (9, [[0, 1, 2, 3, 4, 8], [0, 3, 4, 5, 6, 8], [0, 4, 5, 6, 7, 8]]),
    ],
)
def test_the_last_window_is_moved_back(count: int, windows: list[list[int]]) -> None:
    assert [one.tolist() for one in window_places(count, 1, 1, 6)] == windows


# ---- a plain module with a table of positions, and a BERT ---------------------------------------


class Placed(nn.Module):
    """Words and their places, attention, tanh: masked."""

    def __init__(self, classes: int = 3) -> None:
        super().__init__()
        self.embedding, self.places = nn.Embedding(WORDS, 4), nn.Embedding(PLACES, 4)
        self.look, self.hidden = nn.Linear(4, 1), nn.Linear(4, 4)
        self.output = nn.Linear(4, classes)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        x = self.embedding(input_ids) + self.places(torch.arange(input_ids.shape[1]))
        hidden = torch.tanh(self.hidden(x)) + x
        asked = self.look(hidden)[..., 0].masked_fill(attention_mask == 0, -torch.inf)
        return self.output((asked.softmax(1).unsqueeze(-1) * hidden).sum(1))


def placed(**options: Any) -> ww.TorchClassifier:
    given = {"pad": PAD, "mask": WORDS - 1} | options
    return ww.TorchClassifier(enliven(Placed().double(), 5), encode, ["a", "b", "c"], **given)


def bert(**options: Any) -> ww.TorchClassifier:
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=WORDS,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=PLACES,
        num_labels=3,
    )
    module = enliven(BertForSequenceClassification(config).double(), 2)
    given = {"pad": PAD, "mask": WORDS - 1} | options
    return ww.TorchClassifier(module, encode, ["a", "b", "c"], **given)


def text_of(tokens: int, seed: int = 0) -> str:
    """Return a text of so many tokens, two of them special."""
    random = np.random.default_rng(seed)
    return " ".join("w" * int(length) for length in random.integers(1, 40, tokens - 2))


def traced(model: ww.TorchClassifier, text: str, gone: list[int] | None = None) -> TorchTrace:
    deleted = None if gone is None else iter([np.array(gone, np.intp)])
    (trace,) = model.trace([text], deleted=deleted, columns=3)
    return trace


def by_windows(
    model: ww.TorchClassifier, text: str, ask: Callable[[TorchTrace], Floats]
) -> tuple[list[list[int]], list[Floats]]:
    """Return the windows of a text, and what is said of each as a text of its own."""
    words = text.split()
    each = oracle.windows(len(words) + 2, 1, 1, PLACES)
    texts = [" ".join(words[place - 1] for place in places[1:-1]) for places in each]
    return each, [ask(traced(model, one)) for one in texts]


def parts_of(found: Relevance) -> Floats:
    """Return relevance with a row for what is on no word, and one for constants."""
    return np.concatenate([found.words[0], found.padding, found.constant])


WAYS: dict[str, Callable[[TorchTrace], Relevance]] = {
    "lrp": lambda trace: trace.lrp(EVERY),
    "with positions": lambda trace: trace.lrp(EVERY, positions="with words"),
    "gradient × input": lambda trace: trace.gradient_input(EVERY),
    "sensitivity": lambda trace: trace.sensitivity(EVERY),
    "integrated": lambda trace: trace.integrated_gradients(EVERY, steps=3),
    "occlusion": lambda trace: trace.occlusion(EVERY),
}


@pytest.mark.parametrize("tokens", LENGTHS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [placed, pytest.param(bert, marks=SLOW)])
def test_a_text_is_the_mean_of_its_windows(
    make: Callable[[], ww.TorchClassifier], way: str, tokens: int
) -> None:
    model, text = make(), text_of(tokens)
    trace = traced(model, text)
    found = WAYS[way](trace)
    each, scores = by_windows(model, text, lambda one: one.scores)
    np.testing.assert_allclose(trace.scores, np.mean(scores, axis=0), atol=1e-10)
    _, parts = by_windows(model, text, lambda one: parts_of(WAYS[way](one)))
    places = [[*(place - 1 for place in one[1:-1]), tokens - 2, tokens - 1] for one in each]
    expected = oracle.mean_of_windows(tokens, places, parts)
    np.testing.assert_allclose(parts_of(found), expected, atol=1e-10)
    if way in ("lrp", "with positions"):
        np.testing.assert_allclose(parts_of(found).sum(0), trace.scores[0], atol=1e-10)
    assert trace.recorded(0) == ({"windows": len(each)} if len(each) > 1 else {})
    assert (len(each) > 1) == (tokens > PLACES)
