"""A module's trace against torch's autograd, captum, and slow literal versions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
import torch
from networks import letters, made_text
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import enliven

import whyword as ww
from whyword.base.errors import InputError, ModelError
from whyword.models.relevance import Relevance
from whyword.models.word_groups import WordGroups

NUMBERS: tuple[list[int], ...] = (
    [0, 1, 2, 3, 6, 4, 1, 1],
    [5, 5, 5, 5, 5, 0],
    [2],
    [],
    [3, 0, 4, 2, 5, 1, 6],
)
TEXTS = [made_text(numbers) for numbers in NUMBERS]


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
def test_integrated_gradients_equal_those_of_captum(steps: int) -> None:
    from captum import attr

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
def test_deleted_words_are_gone(how: str) -> None:
    model = mixed(deletion=how)
    deleted = [[0, 3], [5], [0], [], [1, 2, 6]]
    for method in ("lrp", "gradient_input"):
        found = ww.explain(model, TEXTS, target="all", deleted=deleted, method=method)
        for one, numbers, gone in zip(found, NUMBERS, deleted, strict=True):
            expected = literal_scores(model, numbers, set(gone), how)
            np.testing.assert_allclose(one.scores, expected, atol=1e-10)
            assert one.parameters["deletion"] == how
            assert not one.relevance[gone].any()
            assert one.known.tolist() == [place not in gone for place in range(len(numbers))]
            if method == "lrp":
                np.testing.assert_allclose(one.residual, 0, atol=1e-6)


@pytest.mark.parametrize("how", DELETIONS)
def test_scores_without_words(how: str) -> None:
    model = mixed(deletion=how)
    found = ww.explain(model, TEXTS, target="all", method="occlusion")
    for one, numbers in zip(found, NUMBERS, strict=True):
        whole = literal_scores(model, numbers, set(), how)
        for place in range(len(numbers)):
            without = literal_scores(model, numbers, {place}, how)
            np.testing.assert_allclose(one.relevance[place], whole - without, atol=1e-10)
    (trace,) = model.trace(TEXTS, deleted=iter([np.array([4])] + [np.array([], int)] * 4))
    groups: list[list[list[int]]] = [[[0, 7], [1, 6], []], [[0, 1, 2, 3, 4]], [[0]], [[]], []]
    expected = [
        literal_scores(model, numbers, {*words} | ({4} if number == 0 else set()), how)
        for number, (numbers, each) in enumerate(zip(NUMBERS, groups, strict=True))
        for words in each
    ]
    np.testing.assert_allclose(trace.scores_without(WordGroups.of(groups)), expected, atol=1e-10)
    orders = np.array([[[2, 0, 5, 1], [7, 6, -1, -1]], [[0, 1, -1, -1], [5, 4, 3, 2]]], np.int32)
    for insert in (False, True):
        erased = trace.erase(np.array([0, 1]), orders, insert, np.arange(5))
        for number, run, step in np.ndindex(2, 2, 5):
            every, always = set(range(len(NUMBERS[number]))), {4} if number == 0 else set()
            done = {int(place) for place in orders[number, run, :step] if place >= 0}
            gone = (every - done if insert else done) | always
            wanted = literal_scores(model, NUMBERS[number], gone, how)
            np.testing.assert_allclose(erased.scores[number, run, step], wanted, atol=1e-10)
        chances = np.exp(erased.scores) / np.exp(erased.scores).sum(-1, keepdims=True)
        np.testing.assert_allclose(erased.probabilities, chances)


# ---- vectors of documents -----------------------------------------------------------------------


def test_summaries_are_sums_over_words_of_relevance_times_vectors() -> None:
    model = mixed()
    (trace,) = model.trace(TEXTS, columns=1)
    targets = np.array([[0], [1], [2], [0], [1]], np.int32)
    relevance = trace.lrp(targets)
    ends = np.cumsum([len(numbers) for numbers in NUMBERS])[:-1]
    vectors = [by_hand(model, numbers)[1].detach().numpy() for numbers in NUMBERS]
    kept = Relevance(relevance.words, relevance.padding)  # of words alone, not of their pieces
    for parts in (trace.summary(relevance, each=True), trace.summary(kept, each=True)):
        for number, part in enumerate(np.split(parts, ends)):
            x = vectors[number][: len(part)]
            expected = relevance.words[number] * x
            np.testing.assert_allclose(part, expected, rtol=1e-5, atol=1e-6)
    by_word, uniform = trace.summary(relevance), trace.summary(trace.uniform())
    found: dict[str, Callable[..., Any]] = {
        "lrp": trace.lrp_sums,
        "sensitivity": trace.sensitivity_sums,
        "gradient_input": trace.gradient_input_sums,
        "integrated_gradients": trace.integrated_gradients_sums,
    }
    for number, x in enumerate(vectors):
        x = x[: len(NUMBERS[number])]
        expected = oracle.summary(x, np.asarray(relevance.words[number][:, 0], np.float64))
        np.testing.assert_allclose(by_word[number], expected, rtol=1e-5, atol=1e-6)
        mean = x.mean(0) if len(x) else np.zeros(5)
        np.testing.assert_allclose(uniform[number], mean, rtol=1e-5, atol=1e-6)
    for method, sums in found.items():
        steps: dict[str, Any] = {"steps": 8} if method == "integrated_gradients" else {}
        whole, each = sums(targets, **steps), np.split(sums(targets, True, **steps), ends)
        for number, numbers in enumerate(NUMBERS):
            one = ww.explain(
                model,
                TEXTS[number],
                CLASSES[targets[number, 0]],
                method=method,
                level="element",
                **steps,
            )
            x = vectors[number][: len(numbers)]
            expected = oracle.summary(x, np.asarray(one.elements, np.float64))
            np.testing.assert_allclose(whole[number], expected, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(each[number].sum(0), expected, rtol=1e-4, atol=1e-5)


def test_a_summary_asks_the_module_no_more_than_an_explanation_does() -> None:
    model = mixed()
    targets = np.zeros((len(TEXTS), 1), np.int32)
    asked: list[int] = []
    with model.module.register_forward_hook(lambda *_: asked.append(1)):
        (trace,) = model.trace(TEXTS, columns=1)
        trace.lrp(targets, elements=True)
        explained = len(asked)
        trace.lrp(targets)
        assert 0 < len(asked) == explained  # what fits is kept
        (trace,) = model.trace(TEXTS, columns=1)
        trace.lrp_sums(targets)
    assert explained == len(asked) - explained
    (plain,) = model.trace(TEXTS)
    for one, other in zip(
        trace.summary(trace.uniform()), plain.summary(plain.uniform()), strict=True
    ):
        np.testing.assert_array_equal(one, other)


# ---- classes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion"]
)
def test_all_classes_together_are_as_each_alone(method: str) -> None:
    model = mixed()
    steps: dict[str, Any] = {"steps": 5} if method == "integrated_gradients" else {}
    every = ww.explain(model, TEXTS, target="all", method=method, **steps)
    for k, label in enumerate(CLASSES):
        single = ww.explain(model, TEXTS, target=label, method=method, **steps)
        for one, other in zip(every, single, strict=True):
            np.testing.assert_allclose(one.relevance[:, k], other.relevance, atol=1e-12)
            np.testing.assert_allclose(one.padding[k], other.padding, atol=1e-12)
            np.testing.assert_allclose(one.constant[k], other.constant, atol=1e-12)
    contrast = ww.explain(model, TEXTS, target="a", against="c", method=method, **steps)
    for one, other in zip(every, contrast, strict=True):
        if method != "sensitivity":
            expected = one.relevance[:, 0] - one.relevance[:, 2]
            np.testing.assert_allclose(other.relevance, expected, atol=1e-6)


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


@pytest.mark.parametrize(
    "end", [lambda s: s, lambda s: s[:, 0], lambda s: torch.sigmoid(s).squeeze(1)]
)
@pytest.mark.parametrize("method", ["lrp", "gradient_input", "sensitivity", "integrated_gradients"])
def test_one_score_stands_for_two_classes(end: Callable[[Tensor], Tensor], method: str) -> None:
    model = ending(1, end)
    inner: Any = model.module.inner
    decided, chances = model.decision_function(TEXTS), model.predict_proba(TEXTS)
    steps: dict[str, Any] = {"steps": 5} if method == "integrated_gradients" else {}
    found = ww.explain(model, TEXTS, target="all", method=method, **steps)
    for number, (one, numbers) in enumerate(zip(found, NUMBERS, strict=True)):
        x = inner.embedding(torch.tensor([ids_of(numbers) or [0]])).detach().requires_grad_()
        score = inner.read(x, torch.ones(x.shape[:2]))[0, 0]
        (gradient,) = torch.autograd.grad(score, x)
        np.testing.assert_allclose(one.scores, [-score.item(), score.item()], atol=1e-10)
        assert decided[number] == pytest.approx(score.item(), abs=1e-10)
        assert chances[number, 1] == pytest.approx(1 / (1 + np.exp(-score.item())), abs=1e-10)
        sign = 1 if method == "sensitivity" else -1
        np.testing.assert_allclose(one.relevance[:, 0], sign * one.relevance[:, 1], atol=1e-12)
        if method == "gradient_input":
            product = (gradient * x).sum(-1)[0, : len(numbers)].detach().numpy()
            np.testing.assert_allclose(one.relevance[:, 1], product, atol=1e-10)
        if method == "lrp":
            np.testing.assert_allclose(one.residual, 0, atol=1e-6)


def test_two_scores_stay_as_they_are() -> None:
    model = ending(2, lambda s: s)
    scores = model.class_scores(TEXTS)
    np.testing.assert_allclose(model.decision_function(TEXTS), scores[:, 1] - scores[:, 0])
    one = ww.explain(model, TEXTS[0], target="all")
    np.testing.assert_allclose(one.scores, scores[0], atol=1e-12)


@pytest.mark.parametrize(
    ("end", "name"),
    [
        (lambda s: torch.softmax(s, 1), "softmax"),
        (lambda s: torch.log_softmax(s, -1), "log_softmax"),
        (torch.sigmoid, "sigmoid"),
        (nn.Softmax(dim=-1), "softmax"),
        (lambda s: nn.functional.softmax(s.unsqueeze(1), dim=2).squeeze(1), "softmax"),
        (lambda s: s.sigmoid()[:, [0, 1, 2]], "sigmoid"),
    ],
)
def test_the_input_of_the_last_function_is_explained(end: Any, name: str) -> None:
    plain, ends = ending(3, lambda s: s), ending(3, end)
    assert ends.network.ends_in == name
    np.testing.assert_allclose(ends.class_scores(TEXTS), plain.class_scores(TEXTS), atol=1e-10)
    for method in ("lrp", "gradient_input", "occlusion"):
        expected = ww.explain(plain, TEXTS, target="all", method=method)
        found = ww.explain(ends, TEXTS, target="all", method=method)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.scores, other.scores, atol=1e-10)
            np.testing.assert_allclose(one.relevance, other.relevance, atol=1e-10)


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


def test_attention_that_takes_a_share_says_that_it_does_not_add_up() -> None:
    model = mixed()
    fixed = ww.explain(model, TEXTS[0], target="all")
    share = ww.explain(model, TEXTS[0], target="all", attention="attnlrp")
    assert np.abs(fixed.residual).max() < 1e-6
    assert np.abs(share.residual).max() > 1e-3
    assert (fixed.conserves, share.conserves) == (True, False)
    assert fixed.parameters == {
        "bias": "apart",
        "attention": "fixed",
        "positions": "apart",
        "deletion": "pad",
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": 0.1}, "epsilon is for bias='shared': with biases apart"),
        ({"bias": "shared", "attention": "attnlrp"}, "is the paper's rule; it has no attention"),
        ({"bias": "shared", "positions": "with words"}, "is the paper's rule; it has no positions"),
        ({"bias": "shared", "layer": "conv"}, "is the paper's rule; it has no layer"),
    ],
)
def test_choices_that_do_not_go_together_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ww.explain(mixed(), TEXTS[0], **options)


@pytest.mark.parametrize("end", [lambda s: s, torch.sigmoid, lambda s: s.log_softmax(1)])
def test_the_rule_of_the_paper_is_for_its_layers(end: Callable[[Tensor], Tensor]) -> None:
    class Paper(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.conv = nn.Embedding(9, 4), nn.Conv1d(4, 5, 2, padding=1)
            self.output = nn.Linear(5, 3)

        def forward(self, ids: Tensor) -> object:
            return end(self.output(torch.relu(self.conv(self.embedding(ids).mT)).amax(2)))

    model = ww.TorchClassifier(enliven(Paper().double(), 1), VOCABULARY, CLASSES)
    found = ww.explain(model, TEXTS[0], "all", bias="shared", epsilon=1e-9, level="element")
    assert (found.parameters["bias"], found.parameters["epsilon"]) == ("shared", 1e-9)
    assert found.elements is not None
    np.testing.assert_allclose(found.elements.sum(1), found.relevance, atol=1e-5)
    total = found.relevance.sum(0) + found.padding + found.constant
    np.testing.assert_allclose(total, found.scores, atol=1e-6)
    apart = ww.explain(model, TEXTS[0], "all")
    np.testing.assert_allclose(apart.scores, found.scores, atol=1e-12)
    assert np.abs(apart.relevance - found.relevance).max() > 1e-3
    with pytest.raises(ModelError, match=r"would divide by activations elsewhere"):
        ww.explain(mixed(), TEXTS[0], bias="shared")
