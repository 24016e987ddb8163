"""A module as a network: batches, shapes, padding, and what can be wrong with it."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_networks import PAD, WORDS, Vote, encode, enliven, state_of

import whyword as ww
from whyword.base.errors import InputError, ModelError
from whyword.models.pytorch.encoding import Encoded, encoder_of
from whyword.models.pytorch.network import Network
from whyword.words import Reader

TEXTS = ["one two three four five", "six", "", "seven eight nine", "ten eleven twelve"]


def encoded(texts: list[str]) -> list[Encoded]:
    encoder = encoder_of(encode)
    return [encoder(one) for one in Reader().documents(texts)]


def network(module: nn.Module | None = None, **options: Any) -> Network:
    given = {"classes": 3, "pad": PAD, "min_length": 1, "embeddings": None} | options
    return Network(module or enliven(Vote()), **given)


def model(module: nn.Module, **options: Any) -> ww.TorchClassifier:
    classes = options.pop("classes", ["a", "b", "c"])
    return ww.TorchClassifier(module, encode, classes, **{"pad": PAD} | options)


# ---- batches ------------------------------------------------------------------------------------


def test_every_text_is_in_one_batch() -> None:
    texts = encoded(TEXTS * 40)
    for pads in (True, False):
        one = network()
        one.pads = pads
        numbers = []
        for batch in one.batches(one.windows(texts)):
            lengths = {len(texts[number].ids) for number in batch.numbers}
            assert pads or len(lengths) == 1
            assert len(batch.numbers) <= 64
            for row, number in enumerate(batch.numbers):
                count = len(texts[number].ids)
                assert batch.ids[row, :count].tolist() == texts[number].ids.tolist()
                assert (batch.ids[row, count:] == PAD).all()
                assert batch.mask[row].sum() == count
            numbers += batch.numbers.tolist()
        assert sorted(numbers) == list(range(len(texts)))


def test_little_is_padded() -> None:
    texts = encoded(["word " * count for count in (1, 2, 60, 3, 61)])
    one = network()
    shapes = [tuple(batch.ids.shape) for batch in one.batches(one.windows(texts))]
    assert sum(rows * length for rows, length in shapes) <= 1.4 * sum(len(t.ids) for t in texts)


def test_short_texts_are_padded_to_what_there_must_be() -> None:
    batch = network(min_length=9).batch(encoded(["one"]))
    assert batch.ids.shape == (1, 9)
    assert batch.mask.tolist() == [[1, 1, 1, 0, 0, 0, 0, 0, 0]]


def test_a_text_without_tokens_is_one_padding_id() -> None:
    encoder = encoder_of({"known": 5})
    (document,) = Reader().documents(["nothing of this"])
    batch = network().batch([encoder(document)])
    assert batch.ids.tolist() == [[PAD]]
    assert batch.mask.tolist() == [[1]]


# ---- what is wrong ------------------------------------------------------------------------------


class Says(nn.Module):
    """A module that returns something."""

    def __init__(self, say: Callable[[Tensor], Any], size: int = 3) -> None:
        super().__init__()
        self.embedding, self.say = nn.Embedding(WORDS, size), say

    def forward(self, ids: Tensor) -> Any:
        return self.say(self.embedding(ids).mean(1))


def fail(x: Tensor) -> Tensor:
    raise KeyError("no such thing")


WRONG: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "too few": (lambda x: x[:, :2], r"returned \(1, 2\) for 1 texts; for 3 classes it must"),
    "too many axes": (lambda x: x.unsqueeze(1), r"returned \(1, 1, 3\)"),
    "one for the batch": (lambda x: x.sum(), r"returned \(\) for 1 texts"),
    "no tensor": (lambda x: "scores", r"returned 'scores'"),
    "nothing": (lambda x: None, r"returned None"),
    "one score for three classes": (lambda x: x[:, :1], r"returned \(1, 1\)"),
    "an error": (fail, r"Says failed \(KeyError: 'no such thing'\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_outputs_are_one_line(name: str) -> None:
    say, said = WRONG[name]
    with pytest.raises(ModelError, match=said) as error:
        model(Says(say).eval())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_scores_that_are_no_numbers(number: float) -> None:
    broken = model(Says(lambda x: x * number).eval())
    for ask in (broken.predict, lambda texts: ww.explain(broken, texts)):
        with pytest.raises(ModelError, match=r"nan|inf|finite|number"):
            ask(TEXTS)


class Logits:
    def __init__(self, logits: Tensor) -> None:
        self.logits = logits


@pytest.mark.parametrize("wrap", [lambda x: {"logits": x}, Logits, lambda x: x])
def test_scores_in_something(wrap: Callable[[Tensor], Any]) -> None:
    one = model(Says(wrap).eval())
    assert one.class_scores(TEXTS).shape == (5, 3)
    assert np.abs(ww.explain(one, TEXTS[0]).residual).max() < 1e-5


def test_no_embedding() -> None:
    class Counting(nn.Module):
        def forward(self, ids: Tensor) -> Tensor:
            return torch.stack([(ids == number).sum(1) for number in range(3)], 1).float()

    with pytest.raises(InputError, match=r"Counting looks up no vectors .*embeddings"):
        model(Counting().eval())


def test_ids_as_numbers() -> None:
    class Numbers(nn.Module):
        def forward(self, ids: Tensor) -> Tensor:
            return ids.float().mean(1, keepdim=True).expand(len(ids), 3)

    with pytest.raises(ModelError, match="uses word ids as numbers"):
        model(Numbers().eval())


def test_ids_outside_of_the_table() -> None:
    class Small(Vote):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(4, 6)

    with pytest.raises(ModelError, match=r"the word id \d+ is outside of embedding, .* 4 rows"):
        model(enliven(Small()))
    one = model(enliven(Vote()))
    one.encoder = encoder_of(lambda text: ([WORDS], [(0, 1)]))
    for ask in (one.predict, lambda texts: ww.explain(one, texts)):
        with pytest.raises(ModelError, match=f"the word id {WORDS} is outside of embedding"):
            ask(["word"])
    one.encoder = encoder_of(lambda text: ([-3], [(0, 1)]))
    with pytest.raises(ModelError, match="the word id -3 is outside of embedding"):
        one.predict(["word"])


class Placed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.places = nn.Embedding(WORDS, 3), nn.Embedding(20, 3)

    def forward(self, ids: Tensor) -> object:
        return (self.embedding(ids) + self.places(torch.arange(ids.shape[1]))).mean(1)


def test_a_table_of_places_that_is_too_short_to_be_found() -> None:
    """Nothing is cut, and the error says what to do."""
    module = Placed().eval()
    module.places = nn.Embedding(16, 3).eval()
    with pytest.raises(InputError, match=r"\d+ tokens is too long .* 16 places: say window=16"):
        model(module)
    ww.explain(model(module, window=16), "word " * 31)


@pytest.mark.parametrize(
    ("embeddings", "said"),
    [
        ("no.such", r"there is no 'no.such' in the module; it has embedding"),
        ("output.bias", "there is no 'output.bias' in the module"),
        (nn.ReLU(), "must name an nn.Embedding"),
        (7, "must name an nn.Embedding"),
    ],
)
def test_a_table_that_is_none(embeddings: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        model(enliven(Vote()), embeddings=embeddings)


@pytest.mark.parametrize("how", ["name", "itself"])
def test_a_table_that_is_named(how: str) -> None:
    """Ids that nobody can follow: they are found again."""

    class Rebuilt(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, 3)

        def forward(self, ids: Tensor) -> object:
            return self.embedding(nn.functional.one_hot(ids, WORDS).argmax(-1)).mean(1)

    module = Rebuilt().eval()
    with pytest.raises(InputError, match="looks up no vectors"):
        model(module)
    one = model(module, embeddings="embedding" if how == "name" else module.embedding)
    found = ww.explain(one, TEXTS[0], target="all")
    assert np.abs(found.residual).max() < 1e-5
    assert np.abs(found.relevance).max() > 0


# ---- the module is left as it was ---------------------------------------------------------------


class Remembering(nn.Module):
    """It keeps what it has seen, as many do for plots."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(WORDS, 4), nn.Linear(4, 3)
        self.weights: Tensor | None = None

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids)
        self.weights = torch.softmax(x.sum(-1), 1)
        self.seen = x
        return self.output((self.weights.unsqueeze(-1) * x).sum(1))


def test_what_a_module_keeps_is_as_before() -> None:
    module = enliven(Remembering())
    before = state_of(module)
    one = model(module)
    for method in ("lrp", "gradient_input", "integrated_gradients", "occlusion"):
        ww.explain(one, TEXTS, method=method)
        assert state_of(module) == before
    copy.deepcopy(module)
    assert module.weights is None


def test_a_network_is_copied_with_a_lock_of_its_own() -> None:
    one = network()
    other = pickle.loads(pickle.dumps(one))
    assert other.lock is not one.lock
    texts = encoded(TEXTS)
    np.testing.assert_array_equal(one.scores(texts), other.scores(texts))
