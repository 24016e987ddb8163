"""A module's trace against our own kernels, torch's autograd, captum, and slow literal versions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
import torch
from networks import letters, made_cnn, made_text
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import enliven

import whyword as ww
from whyword import CNNClassifier
from whyword.base.errors import InputError, ModelError
from whyword.models.word_groups import WordGroups

pytestmark = pytest.mark.slow("many passes")

NUMBERS: tuple[list[int], ...] = (
    [0, 1, 2, 3, 6, 4, 1, 1],
    [5, 5, 5, 5, 5, 0],
    [2],
    [],
    [3, 0, 4, 2, 5, 1, 6],
)
TEXTS = [made_text(numbers) for numbers in NUMBERS]
WIDTHS = [(1,), (2,), (3,), (1, 2, 3)]


# ---- the paper's network ------------------------------------------------------------------------


class Paper(nn.Module):
    """The paper's network with somebody's weights: words, then a padding of zeros."""

    def __init__(self, model: CNNClassifier) -> None:
        super().__init__()
        width = max(one.width for one in model.network_.convolutions)
        vectors = [model.input_matrix(letters(number))[0] for number in range(7)]
        table = np.stack([*vectors, np.zeros_like(vectors[0])])
        self.embedding = nn.Embedding(*table.shape)
        self.embedding.weight.data = torch.from_numpy(table)
        self.least, parts = width, []
        for one in model.network_.convolutions:
            conv = nn.Conv1d(table.shape[1], one.weight.shape[1], one.width)
            conv.weight.data = torch.from_numpy(one.weight.transpose(1, 2, 0).copy())
            conv.bias.data = torch.from_numpy(one.bias.copy())  # type: ignore[union-attr]
            parts.append(conv)
        self.convolutions = nn.ModuleList(parts)
        self.output = nn.Linear(*model.network_.output_weight.shape)
        self.output.weight.data = torch.from_numpy(model.network_.output_weight.T.copy())
        self.output.bias.data = torch.from_numpy(model.network_.output_bias.copy())
        self.drop = nn.Dropout(0.5)

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids).transpose(1, 2)
        pooled = [torch.relu(one(x)).max(dim=2).values for one in self.convolutions]
        return self.output(self.drop(torch.cat(pooled, 1)))


def both(widths: tuple[int, ...], seed: int) -> tuple[CNNClassifier, ww.TorchClassifier]:
    """Return our network, and the same one as a module."""
    model = made_cnn(widths, seed=seed)
    module = Paper(model).eval()
    vocabulary = {letters(number): number for number in range(7)} | {"<pad>": 7}
    return model, ww.TorchClassifier(module, vocabulary, model.classes_, min_length=module.least)


def by_distinct_word(explanation: ww.Explanation) -> NDArray[np.float64]:
    """Return the relevance of each of the words that there are: equal windows are ties."""
    words = [letters(number) for number in range(7)]
    sums = np.zeros((7, explanation.relevance.shape[1]))
    for word, values in zip(explanation.words, explanation.relevance, strict=True):
        sums[words.index(word)] += values
    return sums


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("widths", WIDTHS)
def test_biases_apart_equal_our_kernels(widths: tuple[int, ...], seed: int) -> None:
    ours, theirs = both(widths, seed)
    expected = ww.explain(ours, TEXTS, target="all", method="gradient_input")
    found = ww.explain(theirs, TEXTS, target="all", bias="apart")
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(by_distinct_word(one), by_distinct_word(other), atol=1e-5)
        np.testing.assert_allclose(one.residual, 0, atol=1e-5)
        assert not one.padding.any()  # vectors of zeros


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("widths", WIDTHS)
def test_shared_biases_equal_our_kernels(widths: tuple[int, ...], seed: int) -> None:
    """The paper's own rule, with ε = .01."""
    ours, theirs = both(widths, seed)
    expected = ww.explain(ours, TEXTS, target="all")
    found = ww.explain(theirs, TEXTS, target="all", bias="shared", epsilon=0.01)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(by_distinct_word(one), by_distinct_word(other), atol=1e-4)
        np.testing.assert_allclose(one.padding, other.padding, atol=1e-4)
        np.testing.assert_allclose(one.residual, other.residual, atol=1e-4)


def test_elements_and_summaries_equal_our_kernels() -> None:
    """No word comes twice, so that there are no ties."""
    ours, theirs = both((2,), 1)
    text = made_text([3, 0, 4, 2, 5, 1])
    for settings in ({"bias": "shared", "epsilon": 0.01}, {"bias": "apart"}):
        mine: dict[str, Any] = settings if settings["bias"] == "shared" else {}
        method = "lrp" if mine else "gradient_input"
        expected = ww.explain(ours, text, target="all", method=method, level="element", **mine)
        found = ww.explain(theirs, text, target="all", level="element", **settings)
        assert found.elements is not None
        assert expected.elements is not None
        np.testing.assert_allclose(found.elements, expected.elements, atol=1e-4)


# ---- a module by hand ---------------------------------------------------------------------------

VOCABULARY = {letters(number): number + 2 for number in range(7)} | {"<pad>": 0, "<mask>": 1}
CLASSES = ["a", "b", "c"]


class Mixed(nn.Module):
    """Attention, tanh and a convolution; what is masked is not seen."""

    def __init__(self, classes: int = 3) -> None:
        super().__init__()
        self.embedding = nn.Embedding(9, 5)
        self.conv, self.look = nn.Conv1d(5, 5, 3, padding=1), nn.Linear(5, 1)
        self.output = nn.Linear(5, classes)

    def read(self, x: Tensor, seen: Tensor) -> Any:
        """Return the scores of vectors, (B, T, D), of which some are seen, (B, T)."""
        x = x * seen.unsqueeze(-1)
        hidden = torch.tanh(self.conv(x.transpose(1, 2)).transpose(1, 2)) + x
        asked = self.look(hidden)[..., 0].masked_fill(seen == 0, -torch.inf)
        return self.output((asked.softmax(1).unsqueeze(-1) * hidden).sum(1))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        return self.read(self.embedding(input_ids), attention_mask)


def mixed(**options: Any) -> ww.TorchClassifier:
    return ww.TorchClassifier(enliven(Mixed().double(), 3), VOCABULARY, CLASSES, mask=1, **options)


def ids_of(numbers: list[int]) -> list[int]:
    return [number + 2 for number in numbers]


def by_hand(model: ww.TorchClassifier, numbers: list[int]) -> tuple[Any, Tensor]:
    """Return a function from vectors, (T, D), to scores, (C,), and the vectors of a text."""
    module: Any = model.module
    vectors = module.embedding.weight.detach()[torch.tensor(ids_of(numbers) or [0])]

    def read(x: Tensor) -> Any:
        return module.read(x.unsqueeze(0), torch.ones(1, len(x)))[0]

    return read, vectors.clone().requires_grad_()


@pytest.mark.parametrize("numbers", NUMBERS)
def test_gradients_equal_autograd(numbers: list[int]) -> None:
    model = mixed()
    read, x = by_hand(model, numbers)
    text, count = made_text(numbers), len(numbers)
    squares = ww.explain(model, text, target="all", method="sensitivity", level="element")
    product = ww.explain(model, text, target="all", method="gradient_input", level="element")
    for k in range(3):
        (gradient,) = torch.autograd.grad(read(x)[k], x)
        for found, each in ((squares, gradient**2), (product, gradient * x.detach())):
            expected = each.numpy()
            np.testing.assert_allclose(found.relevance[:, k], expected[:count].sum(1), atol=1e-10)
            assert found.elements is not None
            np.testing.assert_allclose(found.elements[:, :, k], expected[:count], atol=1e-6)
            np.testing.assert_allclose(found.padding[k], expected[count:].sum(), atol=1e-10)


@pytest.mark.parametrize("steps", [1, 20])
def test_integrated_gradients_equal_captums(steps: int) -> None:
    attr = pytest.importorskip("captum.attr")
    model = mixed()
    for numbers in NUMBERS[:3]:
        found = ww.explain(
            model, made_text(numbers), target="all", method="integrated_gradients", steps=steps
        )
        read, x = by_hand(model, numbers)
        over_vectors = attr.IntegratedGradients(
            lambda some, read=read: torch.stack([read(one) for one in some])
        )
        for k in range(3):
            expected = over_vectors.attribute(x.detach()[None], target=k, n_steps=steps)[0]
            np.testing.assert_allclose(
                found.relevance[:, k], expected.sum(1).numpy(), rtol=1e-5, atol=1e-5
            )
            assert found.constant[k] == pytest.approx(read(x.detach() * 0)[k].item(), abs=1e-10)


def test_what_is_not_trained_is_made_of_words_too() -> None:
    """A backbone under no_grad: its gradients are as if it were not."""

    class Untrained(Mixed):
        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
            with torch.no_grad():
                hidden = torch.tanh(self.embedding(input_ids))
            return self.read(hidden, attention_mask)

    class Trained(Mixed):
        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
            return self.read(torch.tanh(self.embedding(input_ids)), attention_mask)

    one, other = (
        ww.TorchClassifier(enliven(kind().double()), VOCABULARY, CLASSES)
        for kind in (Untrained, Trained)
    )
    for method in ("lrp", "gradient_input", "integrated_gradients"):
        found, expected = (
            ww.explain(model, TEXTS[0], target="all", method=method) for model in (one, other)
        )
        np.testing.assert_array_equal(found.relevance, expected.relevance)


# ---- deleting words -----------------------------------------------------------------------------


def literal_scores(
    model: ww.TorchClassifier, numbers: list[int], gone: set[int], how: str
) -> NDArray[np.float64]:
    """Return what the module says without some words, one text at a time."""
    module: Any = model.module
    ids, seen = ids_of(numbers), [1] * len(numbers)
    if how == "cut":
        ids = [one for place, one in enumerate(ids) if place not in gone]
        seen = [1] * len(ids)
    if how in ("mask", "pad"):
        instead = 1 if how == "mask" else 0
        ids = [instead if place in gone else one for place, one in enumerate(ids)]
    if how == "pad":
        seen = [int(place not in gone) for place in range(len(ids))]
    if not any(seen):  # a text without tokens is one padding id
        ids, seen = ids or [0], [1] + [0] * (max(1, len(ids)) - 1)
    x = module.embedding(torch.tensor([ids]))
    if how == "zero":
        x[0, sorted(gone)] = 0
    with torch.no_grad():
        scores: NDArray[np.float64] = module.read(x.detach(), torch.tensor([seen]))[0].numpy()
    return scores


DELETIONS = ["zero", "mask", "pad", "cut"]


@pytest.mark.parametrize("how", DELETIONS)
def test_deleted_words(how: str) -> None:
    model = mixed(deletion=how)
    deleted = [[0, 3], [5], [0], [], [1, 2, 6]]
    for method in ("lrp", "gradient_input"):
        found = ww.explain(model, TEXTS, target="all", deleted=deleted, method=method)
        for one, numbers, gone in zip(found, NUMBERS, deleted, strict=True):
            expected = literal_scores(model, numbers, set(gone), how)
            np.testing.assert_allclose(one.scores, expected, atol=1e-10)
            assert one.parameters["deletion"] == how
            assert not one.relevance[gone].any()
            assert not one.known[gone].any()
            assert one.known.sum() == len(numbers) - len(gone)
            if method == "lrp":
                np.testing.assert_allclose(one.residual, 0, atol=1e-6)


@pytest.mark.parametrize("how", DELETIONS)
def test_occlusion(how: str) -> None:
    model = mixed(deletion=how)
    found = ww.explain(model, TEXTS, target="all", method="occlusion")
    for one, numbers in zip(found, NUMBERS, strict=True):
        whole = literal_scores(model, numbers, set(), how)
        for place in range(len(numbers)):
            without = literal_scores(model, numbers, {place}, how)
            np.testing.assert_allclose(one.relevance[place], whole - without, atol=1e-10)


@pytest.mark.parametrize("insert", [False, True])
@pytest.mark.parametrize("how", DELETIONS)
def test_erase(how: str, insert: bool) -> None:
    model = mixed(deletion=how)
    (trace,) = model.trace(TEXTS)
    orders = np.array([[[2, 0, 5, 1], [7, 6, -1, -1]], [[0, 1, -1, -1], [5, 4, 3, 2]]], np.int32)
    erased = trace.erase(np.array([0, 1]), orders, insert, np.arange(5))
    for number, each in enumerate(orders):
        every = set(range(len(NUMBERS[number])))
        for run, order in enumerate(each):
            for step in range(5):
                done = {int(place) for place in order[:step] if place >= 0}
                gone = every - done if insert else done
                expected = literal_scores(model, NUMBERS[number], gone, how)
                np.testing.assert_allclose(erased.scores[number, run, step], expected, atol=1e-10)


@pytest.mark.parametrize("how", DELETIONS)
def test_scores_without_groups(how: str) -> None:
    model = mixed(deletion=how)
    (trace,) = model.trace(TEXTS)
    groups: list[list[list[int]]] = [[[0, 7], [1, 6], []], [[0, 1, 2, 3, 4]], [[0]], [[]], []]
    scores = trace.scores_without(WordGroups.of(groups))
    expected = [
        literal_scores(model, numbers, set(words), how)
        for numbers, each in zip(NUMBERS, groups, strict=True)
        for words in each
    ]
    np.testing.assert_allclose(scores, expected, atol=1e-10)


# ---- vectors of documents -----------------------------------------------------------------------


def test_summaries() -> None:
    model = mixed()
    (trace,) = model.trace(TEXTS, columns=1)
    targets = np.array([[0], [1], [2], [0], [1]], np.int32)
    relevance = trace.lrp(targets)
    vectors = [by_hand(model, numbers)[1].detach().numpy() for numbers in NUMBERS]
    by_word, uniform = trace.summary(relevance), trace.summary(trace.uniform())
    by_element = {
        "lrp": trace.lrp_sums(targets),
        "sensitivity": trace.sensitivity_sums(targets),
        "gradient_input": trace.gradient_input_sums(targets),
        "integrated_gradients": trace.integrated_gradients_sums(targets, steps=8),
    }
    for number, numbers in enumerate(NUMBERS):
        count = len(numbers)
        x = vectors[number][:count]
        expected = oracle.summary(x, np.asarray(relevance.words[number][:, 0], np.float64))
        np.testing.assert_allclose(by_word[number], expected, rtol=1e-5, atol=1e-6)
        mean = x.mean(0) if count else np.zeros(5)
        np.testing.assert_allclose(uniform[number], mean, rtol=1e-5, atol=1e-6)
        for method, sums in by_element.items():
            steps: dict[str, Any] = {"steps": 8} if method == "integrated_gradients" else {}
            one = ww.explain(
                model,
                made_text(numbers),
                CLASSES[targets[number, 0]],
                method=method,
                level="element",
                **steps,
            )
            expected = oracle.summary(x, np.asarray(one.elements, np.float64))
            np.testing.assert_allclose(sums[number], expected, rtol=1e-4, atol=1e-5)


def test_a_summary_asks_the_module_no_more_than_an_explanation_does() -> None:
    model = mixed()
    targets = np.zeros((len(TEXTS), 1), np.int32)
    asked: list[int] = []
    with model.module.register_forward_hook(lambda *_: asked.append(1)):
        (trace,) = model.trace(TEXTS, columns=1)
        trace.lrp(targets, elements=True)
        explained = len(asked)
        (trace,) = model.trace(TEXTS, columns=1)
        trace.lrp_sums(targets)
    assert 0 < explained == len(asked) - explained


def test_vectors_are_the_same_whether_relevance_will_be_asked_for_or_not() -> None:
    model = mixed()
    (one,), (other,) = model.trace(TEXTS, columns=1), model.trace(TEXTS)
    for ours, theirs in zip(one._vectors, other._vectors, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_words_of_summaries_add_up() -> None:
    model = mixed()
    (trace,) = model.trace(TEXTS, columns=1)
    targets = np.zeros((len(TEXTS), 1), np.int32)
    ends = np.cumsum([len(numbers) for numbers in NUMBERS])
    for whole, each in (
        (trace.summary(trace.lrp(targets)), trace.summary(trace.lrp(targets), each=True)),
        (trace.lrp_sums(targets), trace.lrp_sums(targets, each=True)),
    ):
        sums = [part.sum(0) for part in np.split(each, ends[:-1])]
        np.testing.assert_allclose(whole, np.stack(sums), atol=1e-5)


# ---- classes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion"]
)
def test_all_classes_are_single_calls(method: str) -> None:
    model = mixed()
    every = ww.explain(model, TEXTS, target="all", method=method)
    for k, label in enumerate(CLASSES):
        single = ww.explain(model, TEXTS, target=label, method=method)
        for one, other in zip(every, single, strict=True):
            np.testing.assert_allclose(one.relevance[:, k], other.relevance, atol=1e-12)
            np.testing.assert_allclose(one.padding[k], other.padding, atol=1e-12)
            np.testing.assert_allclose(one.constant[k], other.constant, atol=1e-12)


def test_a_contrast_is_a_difference() -> None:
    model = mixed()
    every = ww.explain(model, TEXTS[0], target="all")
    contrast = ww.explain(model, TEXTS[0], target="a", against="c")
    expected = every.relevance[:, 0] - every.relevance[:, 2]
    np.testing.assert_allclose(contrast.relevance, expected, atol=1e-6)


class Ending(nn.Module):
    """A module that ends in some way."""

    def __init__(self, classes: int, end: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.inner, self.end = Mixed(classes), end

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        return self.end(self.inner(input_ids, attention_mask))


def ending(classes: int, end: Callable[[Tensor], Tensor]) -> ww.TorchClassifier:
    module = enliven(Ending(classes, end).double(), 3)
    labels = ["no", "yes"] if classes < 3 else CLASSES
    return ww.TorchClassifier(module, VOCABULARY, labels)


@pytest.mark.parametrize("shape", ["(B, 1)", "(B,)"])
@pytest.mark.parametrize("method", ["lrp", "gradient_input", "sensitivity", "integrated_gradients"])
def test_one_score_stands_for_two_classes(shape: str, method: str) -> None:
    model = ending(1, (lambda s: s[:, 0]) if shape == "(B,)" else (lambda s: s))
    inner: Any = model.module.inner
    found = ww.explain(model, TEXTS, target="all", method=method)
    decided = model.decision_function(TEXTS)
    chances = model.predict_proba(TEXTS)
    for number, (one, numbers) in enumerate(zip(found, NUMBERS, strict=True)):
        x = inner.embedding(torch.tensor([ids_of(numbers) or [0]]))
        score = inner.read(x, torch.ones(x.shape[:2]))[0, 0].item()
        np.testing.assert_allclose(one.scores, [-score, score], atol=1e-10)
        assert decided[number] == pytest.approx(score, abs=1e-10)
        assert chances[number, 1] == pytest.approx(1 / (1 + np.exp(-score)), abs=1e-10)
        sign = 1 if method == "sensitivity" else -1
        np.testing.assert_allclose(one.relevance[:, 0], sign * one.relevance[:, 1], atol=1e-12)
        if method == "lrp":
            np.testing.assert_allclose(one.residual, 0, atol=1e-6)


def test_two_scores_stay_as_they_are() -> None:
    model = ending(2, lambda s: s)
    scores = model.class_scores(TEXTS)
    np.testing.assert_allclose(model.decision_function(TEXTS), scores[:, 1] - scores[:, 0])
    one = ww.explain(model, TEXTS[0], target="all")
    np.testing.assert_allclose(one.scores, scores[0], atol=1e-12)


@pytest.mark.parametrize("method", ["lrp", "gradient_input", "occlusion", "integrated_gradients"])
@pytest.mark.parametrize(
    "name", ["softmax", "log_softmax", "sigmoid", "nn.Softmax", "F.softmax", "Tensor.sigmoid"]
)
def test_the_input_of_the_last_function_is_explained(name: str, method: str) -> None:
    end: dict[str, Callable[[Tensor], Tensor]] = {
        "softmax": lambda s: torch.softmax(s, 1),
        "log_softmax": lambda s: torch.log_softmax(s, -1),
        "sigmoid": torch.sigmoid,
        "nn.Softmax": nn.Softmax(dim=-1),
        "F.softmax": lambda s: nn.functional.softmax(s, dim=1),
        "Tensor.sigmoid": lambda s: s.sigmoid(),
    }
    plain, ends = ending(3, lambda s: s), ending(3, end[name])
    assert ends.network.ends_in in ("softmax", "log_softmax", "sigmoid")
    expected = ww.explain(plain, TEXTS, target="all", method=method)
    for one, other in zip(
        ww.explain(ends, TEXTS, target="all", method=method), expected, strict=True
    ):
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-10)
        np.testing.assert_allclose(one.relevance, other.relevance, atol=1e-10)


def test_one_sigmoid_is_explained_at_its_input() -> None:
    plain, ends = ending(1, lambda s: s), ending(1, lambda s: torch.sigmoid(s).squeeze(1))
    one, other = (ww.explain(model, TEXTS[0], target="all") for model in (ends, plain))
    np.testing.assert_allclose(one.relevance, other.relevance, atol=1e-12)
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-12)


# ---- choices of the rule ------------------------------------------------------------------------


class Placed(nn.Module):
    """Vectors of places are added to those of words."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.places = nn.Embedding(9, 5), nn.Embedding(20, 5)
        self.attention = nn.MultiheadAttention(5, 1, batch_first=True)
        self.output = nn.Linear(5, 3)

    def forward(self, ids: Tensor) -> object:
        x = self.embedding(ids) + self.places(torch.arange(ids.shape[1]))
        return self.output(self.attention(x, x, x)[0].mean(1))


def test_places_apart_or_with_their_words() -> None:
    model = ww.TorchClassifier(enliven(Placed().double()), VOCABULARY, CLASSES)
    apart, together = (
        ww.explain(model, TEXTS[0], target="all", positions=how) for how in ("apart", "with words")
    )
    for one in (apart, together):
        np.testing.assert_allclose(one.residual, 0, atol=1e-6)
    moved = together.relevance.sum(0) - apart.relevance.sum(0)
    np.testing.assert_allclose(apart.constant - together.constant, moved, atol=1e-6)
    assert np.abs(moved).max() > 1e-3
    (trace,) = model.trace(TEXTS[:1], columns=3)
    said = trace.constants(np.array([[0, 1, 2]], np.int32))
    total = sum(values[0] for values in said.values())
    np.testing.assert_allclose(total, apart.constant, atol=1e-10)
    np.testing.assert_allclose(said["places.weight"][0], moved, atol=1e-6)


def test_attention_that_takes_a_share() -> None:
    """It does not add up, and says so."""
    model = mixed()
    fixed = ww.explain(model, TEXTS[0], target="all")
    share = ww.explain(model, TEXTS[0], target="all", attention="attnlrp")
    assert np.abs(fixed.residual).max() < 1e-6
    assert np.abs(share.residual).max() > 1e-3
    assert fixed.conserves
    assert not share.conserves


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 0.1},
        {"bias": "shared", "attention": "attnlrp"},
        {"bias": "shared", "positions": "with words"},
    ],
)
def test_choices_that_do_not_go_together(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="shared"):
        ww.explain(mixed(), TEXTS[0], **options)


def test_the_papers_rule_is_for_its_layers() -> None:
    with pytest.raises(ModelError, match=r"would divide by activations elsewhere"):
        ww.explain(mixed(), TEXTS[0], bias="shared")
