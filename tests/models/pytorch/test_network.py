"""A module as a network: what it must be like, batches, padding, table of positions, outputs."""

import copy
import warnings
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
from whyword.models.pytorch.module_checks import check_module, sample_texts, takes_mask
from whyword.models.pytorch.network import Network
from whyword.models.pytorch.place_tables import configured_places
from whyword.words import Reader

TEXTS = ["one two three four five", "six", "", "seven eight nine", "ten eleven twelve"]


def encoded(texts: list[str]) -> list[Encoded]:
    encoder = encoder_of(encode)
    return [encoder(one) for one in Reader().documents(texts)]


def network(module: nn.Module | None = None, **options: Any) -> Network:
    given = {"classes": 3, "pad": PAD, "min_length": 1, "embeddings": None} | options
    return Network(enliven(Vote()) if module is None else module, **given)


def model(module: nn.Module, **options: Any) -> ww.TorchClassifier:
    return ww.TorchClassifier(module, encode, ["a", "b", "c"], **{"pad": PAD} | options)


class Net(nn.Module):
    """Words' vectors and other layers, which a function puts together."""

    def __init__(self, body: Callable[[Any, Tensor], Any]) -> None:
        super().__init__()
        self.embedding, self.table = nn.Embedding(WORDS, 3), nn.Embedding(40, 3)
        self.offset = nn.Embedding(42, 3, padding_idx=1)
        self.weights = nn.Parameter(torch.randn(1, 30, 3))
        self.register_buffer("numbers", torch.arange(50).unsqueeze(0))
        self.register_buffer("waves", torch.randn(35, 1, 3))
        self.lstm = nn.LSTM(3, 3, batch_first=True)
        self.over_time = nn.LSTM(3, 3)
        self.body = body

    def forward(self, ids: Tensor) -> Any:
        return self.body(self, ids)


def says(function: Callable[[Tensor], Any]) -> nn.Module:
    """Return a module that returns a function of the mean of the words' vectors."""
    return Net(lambda m, ids: function(m.embedding(ids).mean(1))).eval()


# ---- what a module must be like -----------------------------------------------------------------


def prepared(make: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return what makes a module out of another, whatever torch warns of."""

    def function() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(enliven(Vote()))

    return function


def compiled_in_place(module: nn.Module) -> nn.Module:
    module.compile()
    return module


def partly_training(module: Any) -> nn.Module:
    module.output.train()
    return module  # type: ignore[no-any-return]


FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "no module": (lambda: "module.pt", "must be a torch.nn.Module, not 'module.pt'"),
    "a class": (lambda: Vote, "must be a torch.nn.Module"),
    "training": (prepared(nn.Module.train), r"is in training mode .*; call module.eval\(\)"),
    "a part is training": (prepared(partly_training), "is in training mode"),
    "half": (prepared(nn.Module.half), r"computes in float16 .*; call module.float\(\)"),
    "bfloat16": (prepared(nn.Module.bfloat16), r"computes in bfloat16 .*call module.float\(\)"),
    "another device": (
        prepared(lambda one: one.to("meta")),
        r"is on the device meta .*; call module.cpu\(\)",
    ),
    "scripted": (
        prepared(
            lambda _: nn.Sequential(torch.jit.trace(nn.Linear(2, 2).eval(), torch.ones(1, 2)))  # type: ignore[no-untyped-call]
        ),
        r"is scripted \(torch.jit\), and cannot be followed",
    ),
    "compiled in place": (prepared(compiled_in_place), "is compiled"),
    "quantized": (
        prepared(lambda one: torch.ao.quantization.quantize_dynamic(one, {nn.Linear})),  # type: ignore[no-untyped-call]
        "is quantised",
    ),
    "more arguments": (
        lambda: type(
            "More", (nn.Module,), {"forward": lambda self, ids, lengths, *, kind: ids}
        )().eval(),
        r"More.forward needs lengths, kind; it is called with ids",
    ),
    "no argument": (
        lambda: type("Nothing", (nn.Module,), {"forward": lambda self: 0})().eval(),
        "Nothing.forward needs no input",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_module_that_cannot_be_explained_is_refused_in_one_line(name: str) -> None:
    make, said = FAULTS[name]
    module: Any = make()
    with pytest.raises(InputError, match=said) as error:
        network(module)
    assert "\n" not in str(error.value)


@pytest.mark.slow(reason="imports torch's compiler")
def test_a_compiled_module_is_refused() -> None:
    module: Any = prepared(torch.compile)()
    with pytest.raises(InputError, match="is compiled"):
        network(module)


def test_a_module_is_called_with_a_mask_if_it_takes_one() -> None:
    assert takes_mask(enliven(Vote()))
    assert not takes_mask(nn.Identity())
    assert not takes_mask(nn.Sequential())
    module = enliven(Vote().double())
    assert check_module(module) is module  # float64 is as good


def test_a_module_that_is_set_to_training_later_is_refused() -> None:
    one = model(enliven(Vote()))
    one.module.train()
    with pytest.raises(InputError, match="this Vote is in training mode"):
        one.predict(TEXTS)


def test_sample_texts_are_beginnings_of_a_text() -> None:
    assert sample_texts(["a", "b"], 1)[:3] == ["a", "a b", "a b a"]
    lengths = [len(one.split()) for one in sample_texts({"a": 1}, 20)]
    assert lengths == [*range(1, 13), *range(20, 27)]
    assert sample_texts(None, 1)[-1].endswith("10 of 10!")
    assert set(sample_texts([], 3)) == {""}


def test_words_that_the_tokenizer_never_makes_are_told(caplog: pytest.LogCaptureFixture) -> None:
    words = ["<pad>", "<unk>", *(f"w{'x' * n}" for n in range(20))]
    for odd, is_told in ((["a_b c"], False), (["a_b c", "d e"], True)):
        caplog.clear()
        vocabulary = {word: number for number, word in enumerate([*words, *odd])}
        ww.TorchClassifier(enliven(Vote()), vocabulary, ["a", "b", "c"])
        assert (f"{len(odd)} of {20 + len(odd)} words of the dictionary" in caplog.text) == is_told


# ---- batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pads", [True, False])
def test_every_text_is_in_one_batch(pads: bool) -> None:
    texts, one, numbers = encoded(TEXTS * 40), network(), []
    one.pads = pads
    sizes = []
    for batch in one.batches(one.windows(texts)):
        lengths = {len(texts[number].ids) for number in batch.numbers}
        assert pads or len(lengths) == 1
        sizes.append(len(batch.numbers))
        for row, number in enumerate(batch.numbers):
            count = len(texts[number].ids)
            assert batch.ids[row, :count].tolist() == texts[number].ids.tolist()
            assert (batch.ids[row, count:] == PAD).all()
            assert batch.mask[row].tolist() == [1] * count + [0] * (batch.ids.shape[1] - count)
        numbers += batch.numbers.tolist()
    assert sorted(numbers) == list(range(len(texts)))
    assert max(sizes) == 64
    singly = [len(batch.numbers) for batch in one.batches(one.windows(texts), singly=True)]
    assert singly == [1] * len(texts)


def test_little_is_padded_and_a_batch_has_at_most_4096_tokens() -> None:
    texts = encoded(["word " * count for count in (1, 2, 60, 3, 61)])
    one = network()
    shapes = [tuple(batch.ids.shape) for batch in one.batches(one.windows(texts))]
    assert shapes == [(3, 5), (2, 63)]
    long = encoded(["word " * 1022] * 5)
    assert [len(batch.ids) for batch in one.batches(one.windows(long))] == [4, 1]
    one.width = 1 << 21  # of so wide a module, 64 tokens are kept
    assert one.most_tokens == 64


def test_a_short_text_is_padded_to_the_least_length() -> None:
    batch = network(min_length=9).batch(encoded(["one"]))
    assert batch.ids.shape == (1, 9)
    assert batch.mask.tolist() == [[1, 1, 1, 0, 0, 0, 0, 0, 0]]


def test_a_text_without_tokens_is_one_padding_id() -> None:
    (document,) = Reader().documents(["nothing of this"])
    batch = network().batch([encoder_of({"known": 5})(document)])
    assert (batch.ids.tolist(), batch.mask.tolist()) == ([[PAD]], [[1]])


# ---- outputs ------------------------------------------------------------------------------------


def fail(x: Tensor) -> Tensor:
    raise KeyError("no such thing")


WRONG: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "too few": (lambda x: x[:, :2], r"returned \(1, 2\) for 1 texts; for 3 classes it must return"),
    "too many axes": (lambda x: x.unsqueeze(1), r"returned \(1, 1, 3\)"),
    "one for the batch": (lambda x: x.sum(), r"returned \(\) for 1 texts"),
    "no tensor": (lambda x: "scores", r"returned 'scores'; \(1, 3\) scores are needed"),
    "nothing": (lambda x: None, r"returned None"),
    "one score for three classes": (lambda x: x[:, :1], r"returned \(1, 1\)"),
    "an error": (fail, r"Net failed \(KeyError: 'no such thing'\)$"),
    "none of its numbers": (lambda x: {"scores": x}, "returned {'scores'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_output_is_told_in_one_line(name: str) -> None:
    function, said = WRONG[name]
    with pytest.raises(ModelError, match=said) as error:
        model(says(function))
    assert "\n" not in str(error.value)


def test_a_failure_with_a_short_text_suggests_the_least_length() -> None:
    def strict(m: Any, ids: Tensor) -> Any:
        if ids.shape[1] < 12:
            raise ValueError("too short")
        return m.embedding(ids).mean(1)

    one = network(Net(strict).eval())
    said = r"Net failed \(ValueError: too short\); are texts of 3 tokens too short for it\? say min"
    with pytest.raises(ModelError, match=said):
        one.scores(encoded(["one"]))
    with pytest.raises(ModelError, match=r"too short\)$"):
        one.scores(encoded(["one " * 6]))


@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_scores_that_are_no_numbers_are_refused(number: float) -> None:
    broken = model(says(lambda x: x * number))
    for ask in (broken.predict, lambda texts: ww.explain(broken, texts)):
        with pytest.raises(ModelError, match=r"nan|inf|finite|number"):
            ask(TEXTS)


class Logits:
    def __init__(self, logits: Tensor) -> None:
        self.logits = logits


@pytest.mark.parametrize("wrap", [lambda x: {"logits": x}, Logits, lambda x: x])
def test_scores_may_be_wrapped(wrap: Callable[[Tensor], Any]) -> None:
    module = says(wrap)
    one = model(module)
    table = module.get_parameter("embedding.weight").detach().numpy()
    expected = [table[encode(text)[0]].mean(0) for text in TEXTS]
    np.testing.assert_allclose(one.class_scores(TEXTS), expected, atol=1e-6)
    assert np.abs(ww.explain(one, TEXTS[0]).residual).max() < 1e-5


def test_a_module_without_vectors_of_words_is_refused() -> None:
    def counting(m: Any, ids: Tensor) -> Tensor:
        return torch.stack([(ids == number).sum(1) for number in range(3)], 1).float()

    with pytest.raises(InputError, match=r"Net looks up no vectors of the ids .*embeddings"):
        model(Net(counting).eval())


@pytest.mark.parametrize("how", ["name", "itself"])
def test_a_table_that_is_named_is_found_though_ids_cannot_be_followed(how: str) -> None:
    def rebuilt(m: Any, ids: Tensor) -> Any:
        return m.embedding(nn.functional.one_hot(ids, WORDS).argmax(-1)).mean(1)

    module: Any = Net(rebuilt).eval()
    with pytest.raises(InputError, match="looks up no vectors"):
        model(module)
    one = model(module, embeddings="embedding" if how == "name" else module.embedding)
    found = ww.explain(one, TEXTS[0], target="all")
    vectors = module.embedding.weight.detach().numpy()[encode(TEXTS[0])[0]] / 7
    np.testing.assert_allclose(found.relevance, vectors[1:-1], atol=1e-6)


def test_an_id_outside_of_the_table_is_named() -> None:
    small = Vote()
    small.embedding = nn.Embedding(4, 6)
    with pytest.raises(ModelError, match=r"the word id \d+ is outside of embedding, .* 4 rows"):
        model(enliven(small))
    with pytest.raises(ModelError, match="999 is outside of embedding"):
        model(enliven(Vote()), pad=999)
    one = model(enliven(Vote()))
    one.encoder = encoder_of(lambda text: ([WORDS], [(0, 1)]))
    for ask in (one.predict, lambda texts: ww.explain(one, texts)):
        with pytest.raises(ModelError, match=f"the word id {WORDS} is outside of embedding"):
            ask(["word"])


# ---- padding ------------------------------------------------------------------------------------


class Convolution(nn.Module):
    """What stands after a text counts: its windows are as good as others."""

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
@pytest.mark.parametrize("seed", range(3))
def test_padding_that_loses_against_most_words_is_seen(masked: bool, seed: int) -> None:
    """Two texts that happen to have the same scores beside longer ones prove nothing."""
    module: Any = enliven(Convolution(masked), seed)
    with torch.no_grad():
        module.embedding.weight[PAD] = 0
        module.conv.bias -= 1
    one = model(module, min_length=3)
    assert not one.network.pads
    texts = ["a b c d", "e f g h i j k", "l m n o", "p q r s t"]
    together, alone = one.class_scores(texts), [one.class_scores([text])[0] for text in texts]
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-5)


def one_at_a_time(m: Any, ids: Tensor) -> Any:
    if len(ids) > 1:
        raise ValueError("one at a time")
    return m.embedding(ids).mean(1)


def centred(m: Any, ids: Tensor) -> Any:
    hidden = m.embedding(ids).mean(1)
    return 2 * hidden - hidden.mean(0)


@pytest.mark.parametrize("pad", [PAD, None])
@pytest.mark.parametrize(
    "body",
    [lambda m, ids: m.over_time(m.embedding(ids))[0].mean(1), centred, one_at_a_time],
)
def test_texts_that_would_change_each_other_are_read_alone(
    body: Callable[[Any, Tensor], Any], pad: int | None
) -> None:
    one = model(enliven(Net(body).double()), pad=pad)
    assert one.network.alone
    assert not one.network.pads
    texts = ["good film", "bad film", "no music", "music at all"]
    alone = np.concatenate([one.class_scores([text]) for text in texts])
    np.testing.assert_allclose(one.class_scores(texts), alone, atol=1e-12)
    for found, text in zip(ww.iter_explanations(one, texts), texts, strict=True):
        np.testing.assert_allclose(found.relevance, ww.explain(one, text).relevance, atol=1e-12)


class Packed(nn.Module):
    """A module whose attention mask says how long texts are, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        lengths = attention_mask.sum(1, keepdim=True)
        seen = torch.arange(input_ids.shape[1]) < lengths
        return (self.embedding(input_ids) * seen.unsqueeze(-1)).sum(1) / lengths


def test_deleted_words_are_hidden_by_the_mask_where_that_can_be(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one = model(enliven(Vote()))
    assert (one.network.pads, one.network.hides, one.deletion.how) == (True, True, "pad")
    assert not caplog.text
    found = ww.explain(one, TEXTS[0], deleted=[2])
    without = ww.explain(one, "one two four five")
    np.testing.assert_allclose(found.scores, without.scores, atol=1e-6)
    assert found.parameters["deletion"] == "pad"
    packed = model(enliven(Packed()))
    assert (packed.network.pads, packed.network.hides, packed.deletion.how) == (True, False, "zero")
    assert model(enliven(Convolution()), min_length=3).deletion.how == "zero"
    assert "Convolution says something else of a text beside longer ones" in caplog.text
    assert model(enliven(Vote()), deletion="zero").deletion.how == "zero"
    plain = model(enliven(Vote()), pad=None)
    assert (plain.network.pads, plain.deletion.how) == (False, "zero")
    assert np.isfinite(plain.class_scores(TEXTS)).all()


# ---- a table of positions -----------------------------------------------------------------------


def counted(ids: Tensor) -> Tensor:
    return torch.arange(ids.shape[1])


ADDED: dict[str, tuple[Callable[[Any, Tensor], Tensor], int | None]] = {
    "looked up": (lambda m, ids: m.table(counted(ids)), 40),
    "looked up by each text": (lambda m, ids: m.table(counted(ids).expand(ids.shape)), 40),
    "from padding on": (lambda m, ids: m.offset(torch.cumsum((ids != 1000).int(), 1) + 1), 40),
    "numbers that are kept": (lambda m, ids: m.table(m.numbers[:, : ids.shape[1]]), 40),
    "the beginning": (lambda m, ids: m.weights[:, : ids.shape[1]], 30),
    "a later part": (lambda m, ids: m.weights[:, 2 : ids.shape[1] + 2], 28),
    "the beginning of an axis": (lambda m, ids: m.waves[: ids.shape[1]].transpose(0, 1), 35),
    "taken": (lambda m, ids: m.weights[0][counted(ids)], None),  # of what it has no name
    "taken itself": (lambda m, ids: m.table.weight[counted(ids)], 40),
    "two tables": (lambda m, ids: m.table(counted(ids)) + m.weights[:, : ids.shape[1]], 30),
    "one for all": (lambda m, ids: m.table(torch.zeros_like(ids)), None),
    "the same beginning": (lambda m, ids: m.weights[:, :16].mean(), None),
    "every second": (lambda m, ids: m.weights[:, : 2 * ids.shape[1] : 2].sum(), None),
    "states": (lambda m, ids: m.lstm(m.embedding(ids))[0], None),
}


@pytest.mark.parametrize("name", ADDED)
def test_the_table_of_positions_is_found(name: str) -> None:
    add, places = ADDED[name]
    module = enliven(Net(lambda m, ids: (m.embedding(ids) + add(m, ids)).mean(1)))
    one = model(module)
    assert one.network.window.size == places
    if places is not None:
        assert ww.explain(one, "word " * 3 * places, "all").conserved
        assert one.network.window.before == one.network.window.after == 1


def test_a_table_of_positions_that_is_too_short_to_be_found_is_told() -> None:
    def placed(m: Any, ids: Tensor) -> Any:
        return (m.embedding(ids) + m.table(counted(ids))).mean(1)

    module = Net(placed).eval()
    module.table = nn.Embedding(16, 3).eval()
    with pytest.raises(InputError, match=r"\d+ tokens is too long .* 16 places: say window=16"):
        model(module)
    assert ww.explain(model(module, window=16), "word " * 31).parameters["windows"] == 4


def test_ids_in_a_row_are_no_positions() -> None:
    """The first words of a dictionary have them."""
    words = {word: number for number, word in enumerate("a b c d e f g h i j k l m n o".split())}
    module = nn.Sequential(nn.EmbeddingBag(len(words), 4), nn.Linear(4, 2)).eval()
    assert ww.TorchClassifier(module, words, ["no", "yes"]).network.window.size is None


@pytest.mark.parametrize(
    ("said", "places"),
    [(None, None), (-1, None), (0, None), ("512", None), (True, None), (2.5, None), (1, 1)],
)
def test_a_configuration_may_say_how_many_positions_there_are(
    said: object, places: int | None
) -> None:
    module = nn.Linear(1, 1)
    module.config = type("Config", (), {"max_position_embeddings": said})()
    assert configured_places(module) == places
    assert configured_places(nn.Linear(1, 1)) is None


# ---- the module is left as it was ---------------------------------------------------------------


class Remembering(nn.Module):
    """A module that keeps what it has seen, as many do for plots."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(WORDS, 4), nn.Linear(4, 3)
        self.weights: Tensor | None = None

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids)
        self.weights = torch.softmax(x.sum(-1), 1)
        self.seen = x
        return self.output((self.weights.unsqueeze(-1) * x).sum(1))


def test_a_module_keeps_nothing_of_what_it_has_seen() -> None:
    module = enliven(Remembering())
    before = state_of(module)
    one = model(module)
    for method in ("lrp", "gradient_input", "integrated_gradients", "occlusion"):
        ww.explain(one, TEXTS, method=method)
        assert state_of(module) == before
    copy.deepcopy(module)
    assert module.weights is None
