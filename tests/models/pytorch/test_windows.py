"""Long texts in windows, against a slow literal loop over them."""

from collections.abc import Callable
from functools import cache
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
from whyword.base.errors import InputError
from whyword.models.pytorch.trace import TorchTrace
from whyword.models.pytorch.windows import window_places
from whyword.models.relevance import Relevance

Floats = NDArray[np.float64]
PLACES = 24  # tokens of a window
EVERY = np.array([[0, 1, 2]], np.int32)


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


class Placed(nn.Module):
    """Words and their places, attention, tanh: masked."""

    def __init__(self, classes: int = 3, end: Callable[[Tensor], Any] = lambda said: said) -> None:
        super().__init__()
        self.embedding, self.places = nn.Embedding(WORDS, 4), nn.Embedding(PLACES, 4)
        self.look, self.hidden = nn.Linear(4, 1), nn.Linear(4, 4)
        self.output, self.end = nn.Linear(4, classes), end

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        x = self.embedding(input_ids) + self.places(torch.arange(input_ids.shape[1]))
        hidden = torch.tanh(self.hidden(x)) + x
        asked = self.look(hidden)[..., 0].masked_fill(attention_mask == 0, -torch.inf)
        return self.end(self.output((asked.softmax(1).unsqueeze(-1) * hidden).sum(1)))


def classifier(module: nn.Module, **options: Any) -> ww.TorchClassifier:
    given = {"pad": PAD, "mask": WORDS - 1} | options
    return ww.TorchClassifier(module, encode, given.pop("classes", ["a", "b", "c"]), **given)


@cache
def placed(**options: Any) -> ww.TorchClassifier:
    return classifier(enliven(Placed().double(), 5), **options)


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
    """Return the windows of a text, and what each has as a text of its own."""
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
    "at a layer": lambda trace: trace.lrp(EVERY, layer="hidden"),
    "attnlrp": lambda trace: trace.lrp(EVERY, attention="attnlrp"),
    "gradient_input": lambda trace: trace.gradient_input(EVERY),
    "sensitivity": lambda trace: trace.sensitivity(EVERY),
    "integrated_gradients": lambda trace: trace.integrated_gradients(EVERY, steps=3),
    "occlusion": lambda trace: trace.occlusion(EVERY),
}


@pytest.mark.parametrize("tokens", [PLACES, PLACES + 1, 36, 5 * PLACES + 3])
@pytest.mark.parametrize("way", WAYS)
def test_a_text_is_the_mean_of_its_windows(way: str, tokens: int) -> None:
    model = placed()
    text = text_of(tokens)
    trace = traced(model, text)
    found = WAYS[way](trace)
    each, scores = by_windows(model, text, lambda one: one.scores)
    np.testing.assert_allclose(trace.scores, np.mean(scores, axis=0), atol=1e-10)
    _, parts = by_windows(model, text, lambda one: parts_of(WAYS[way](one)))
    places = [[*(place - 1 for place in one[1:-1]), tokens - 2, tokens - 1] for one in each]
    expected = oracle.mean_of_windows(tokens, places, parts)
    np.testing.assert_allclose(parts_of(found), expected, atol=1e-10)
    if way in ("lrp", "with positions", "at a layer"):
        np.testing.assert_allclose(parts_of(found).sum(0), trace.scores[0], atol=1e-10)
    assert trace.recorded(0) == ({"windows": len(each)} if len(each) > 1 else {})
    assert (len(each) > 1) == (tokens > PLACES)


# ---- everything that can be asked ---------------------------------------------------------------

LONG = text_of(3 * PLACES + 5, seed=4)  # of 75 words, in 6 windows
FIRST, LAST, MIDDLE = 0, 74, 30


def test_constants_by_name_add_up_to_the_constant() -> None:
    found = traced(placed(), LONG).lrp(EVERY, elements=True)
    said = sum(values[0] for values in traced(placed(), LONG).constants(EVERY).values())
    np.testing.assert_allclose(said, found.constant[0], atol=1e-10)
    assert found.elements is not None
    np.testing.assert_allclose(found.elements[0].sum(1), found.words[0], atol=1e-5)


@pytest.mark.parametrize("how", ["zero", "mask", "pad", "cut"])
def test_deleted_words_leave_windows_where_they_are_unless_cut_out(how: str) -> None:
    model = placed(deletion=how)
    gone = [FIRST, 20, 21, MIDDLE, LAST]
    trace = traced(model, LONG, gone)
    words = LONG.split()
    if how == "cut":
        kept = " ".join(word for number, word in enumerate(words) if number not in gone)
        np.testing.assert_allclose(trace.scores, traced(model, kept).scores, atol=1e-10)
    else:
        scores = []
        for places in oracle.windows(len(words) + 2, 1, 1, PLACES):
            own = [place - 1 for place in places[1:-1]]
            without = [at for at, number in enumerate(own) if number in gone]
            text = " ".join(words[number] for number in own)
            scores.append(traced(model, text, without).scores)
        np.testing.assert_allclose(trace.scores, np.mean(scores, axis=0), atol=1e-10)
    np.testing.assert_allclose(parts_of(trace.lrp(EVERY)).sum(0), trace.scores[0], atol=1e-10)
    steps = np.arange(len(gone) + 1)
    erased = traced(model, LONG).erase(np.array([0]), np.array([[gone]], np.int32), False, steps)
    for step in steps:
        expected = traced(model, LONG, gone[:step]).scores[0]
        np.testing.assert_allclose(erased.scores[0, 0, step], expected, atol=1e-10)


def test_summaries_are_over_pieces() -> None:
    model = placed()
    trace = traced(model, LONG)
    vectors = model.module.get_parameter("embedding.weight").detach().numpy()
    x = vectors[np.array(encode(LONG)[0][1:-1])]
    relevance = trace.lrp(EVERY[:, :1], elements=True)
    assert relevance.elements is not None
    np.testing.assert_allclose(trace.summary(relevance)[0], relevance.words[0].T[0] @ x, atol=1e-5)
    by_element = (relevance.elements[0][..., 0] * x).sum(0)
    np.testing.assert_allclose(trace.lrp_sums(EVERY[:, :1])[0], by_element, atol=1e-5)
    np.testing.assert_allclose(trace.summary(trace.uniform())[0], x.mean(0), atol=1e-6)


def test_the_mean_is_of_what_goes_into_the_last_function() -> None:
    single = classifier(enliven(Placed(1).double(), 5), classes=["no", "yes"])
    _, each = by_windows(single, LONG, lambda one: one.scores)
    scores = traced(single, LONG).scores
    np.testing.assert_allclose(scores, np.mean(each, axis=0), atol=1e-10)
    np.testing.assert_allclose(scores[:, 0], -scores[:, 1])
    ending = enliven(Placed(end=lambda said: torch.softmax(said, 1)).double(), 5)
    scores = traced(placed(), LONG).scores
    np.testing.assert_allclose(traced(classifier(ending), LONG).scores, scores)
    chances = placed(multilabel=True).predict_proba([LONG])
    np.testing.assert_allclose(chances, 1 / (1 + np.exp(-scores)))


def test_texts_of_all_lengths_have_together_what_they_have_alone() -> None:
    model = placed()
    texts = [text_of(tokens, seed) for seed, tokens in enumerate([2, 90, 24, 25, 200, 3, 26])]
    together = ww.explain(model, texts, "all")
    for one, text in zip(together, texts, strict=True):
        alone = ww.explain(model, text, "all")
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-6)
        np.testing.assert_allclose(one.scores, alone.scores, atol=1e-10)
        assert one.parameters == alone.parameters
    assert [one.parameters.get("windows", 1) for one in together] == [1, 7, 1, 2, 17, 1, 2]
    assert "Too long to be read at once: the mean of 7 windows" in together[1].to_text()
    assert "the mean of" not in together[0].to_text()


# ---- what it costs ------------------------------------------------------------------------------


def tokens_read(model: ww.TorchClassifier, ask: Callable[[], object]) -> int:
    """Return how many tokens a module was called with."""
    read: list[int] = []
    hook = model.module.register_forward_pre_hook(lambda _, given: read.append(given[0].numel()))
    ask()
    hook.remove()
    return sum(read)


def test_a_long_document_takes_linear_time() -> None:
    model, text = placed(), text_of(2002)
    windows = len(oracle.windows(2002, 1, 1, PLACES))
    assert tokens_read(model, lambda: model.predict([text])) == windows * PLACES
    found: list[ww.Explanation] = []
    read = tokens_read(model, lambda: found.append(ww.explain(model, text, "all")))
    assert read <= 3 * windows * PLACES  # frozen twice, and checked
    assert found[0].conserved
    assert found[0].parameters["windows"] == windows


def test_no_more_is_kept_than_of_short_documents() -> None:
    """Frozen passes hold what their ways back need: of a long document, most are made anew."""
    model = placed(deletion="zero")  # its own
    model.network.width = 1 << 21  # so that there is room for 64 tokens
    trace = traced(model, text_of(10 * PLACES))
    windows = len(oracle.windows(10 * PLACES, 1, 1, PLACES))
    read = [tokens_read(model, lambda: trace.lrp(EVERY)) // PLACES for _ in range(3)]
    found = trace.lrp(EVERY)
    assert read == [windows + 2, windows - 4, windows - 4]  # the first batch is compared
    np.testing.assert_allclose(parts_of(found).sum(0), trace.scores[0], atol=1e-10)


def test_windows_without_a_change_are_not_read_again() -> None:
    """Of a word that is left out, two windows know; so occlusion is linear, too."""
    model, text = placed(), text_of(202)
    windows = len(oracle.windows(202, 1, 1, PLACES))
    read = tokens_read(model, lambda: ww.explain(model, text, method="occlusion"))
    assert read <= (3 * windows + 3 * 200) * PLACES


def test_equal_windows_are_read_once() -> None:
    model = placed(window=6)
    (text,) = [model.encoder(one) for one in model.documents(["w " * 40])]
    windows = model.network.windows([text, text])
    distinct, like = windows.distinct()
    assert len(distinct.places) == 1
    assert not like.any()
    assert len(windows.places) == 2 * len(oracle.windows(42, 1, 1, 6))


# ---- how large a window is ----------------------------------------------------------------------


@pytest.mark.parametrize(("size", "tokens"), [(10, 77), (3, 7)])
def test_a_window_of_another_size(size: int, tokens: int) -> None:
    model = placed(window=size)
    assert model.network.window.size == size
    found = ww.explain(model, text_of(tokens), "all")
    assert found.conserved
    assert found.parameters["windows"] == len(oracle.windows(tokens, 1, 1, size))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window": 2}, "window=2 is too small: it must be at least 3 tokens"),
        ({"window": 25}, "window=25 is too large: Placed has 24 places"),
        ({"window": 8, "min_length": 9}, "window=8 is too small: it must be at least 9 tokens"),
    ],
)
def test_a_wrong_size_of_a_window_is_told(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        placed(**options)
    assert "\n" not in str(error.value)


def test_only_the_special_tokens_of_every_text_are_repeated() -> None:
    """A text that begins with a hundred special tokens has no windows full of them."""

    def many(text: str) -> tuple[list[int], list[tuple[int, int]]]:
        ids, spans = encode(text)
        more = 100 if text.startswith("many") else 0
        return [1] * more + ids, [(0, 0)] * more + spans

    module = enliven(Placed().double(), 5)
    model = ww.TorchClassifier(module, many, ["a", "b", "c"], pad=PAD)
    found = ww.explain(model, "many words here", "all")
    assert found.conserved
    assert found.parameters["windows"] == len(oracle.windows(105, 1, 1, PLACES))
