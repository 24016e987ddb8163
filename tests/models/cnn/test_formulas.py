"""All formulas of the network against those of tests/oracle.py, and against other packages."""

import importlib
import sys
import types
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import oracle
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text
from numpy.typing import NDArray

from whyword import CNNClassifier, explain
from whyword.explanation import FilterExplanation
from whyword.models.cnn.deletion_kernels import scores_of_changes
from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.group_kernels import scores_without_groups
from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.kernels import pooled_maxima
from whyword.models.cnn.trace import CNNTrace
from whyword.models.integration import path_points
from whyword.models.word_groups import WordGroups

Array: TypeAlias = NDArray[np.float64]
Literal: TypeAlias = tuple[Array, list[tuple[Array, Array]], Array, Array]
RULES: list[dict[str, Any]] = [{}, {"bias": "apart"}, {"method": "gradient_input"}]


class Case(NamedTuple):
    """A network with random weights, a text of its words, and the words deleted from it."""

    widths: tuple[int, ...]
    numbers: list[int]
    deleted: list[int] = []  # noqa: RUF012 - never changed
    integers: bool = False
    seed: int = 0
    filters: int = 6

    @property
    def model(self) -> CNNClassifier:
        return made_cnn(self.widths, filters=self.filters, integers=self.integers, seed=self.seed)

    @property
    def text(self) -> str:
        return made_text(self.numbers)

    @property
    def literal(self) -> Literal:
        """Inputs with the deleted words zeroed, convolutions, output weight and bias."""
        inputs, convolutions, weight, bias = literal_parts(self.model, self.text)
        inputs[self.deleted] = 0
        return inputs, convolutions, weight, bias

    def trace(self, columns: int = 3) -> CNNTrace:
        gone = iter([np.array(self.deleted, np.intp)])
        (trace,) = self.model.trace([self.text], deleted=gone, columns=columns)
        return trace

    def explain(self, **options: Any) -> Any:  # noqa: ANN401 - an explanation of any level
        return explain(self.model, self.text, "all", deleted=self.deleted or None, **options)


# Integer weights make exact ties; number 6 is a word without a vector.
CASES = [
    Case((1,), [0, 1, 2, 3, 6, 4, 1, 1]),
    Case((2,), [5, 5, 5, 5, 5, 0], seed=1),
    Case((2,), [0, 1, 6, 2, 3, 0, 1], [1, 4], seed=2, filters=40),
    Case((3,), [0, 1, 2, 3, 6, 4], integers=True, seed=3, filters=70),
    Case((4,), [2, 4, 4, 0, 1, 6, 3, 3], seed=4),
    Case((1, 2), [4, 1, 0, 6, 5], [0], integers=True, seed=5),
    Case((2, 3, 5), [3, 1, 4, 1, 5, 2, 6, 5, 3], [2, 3], seed=6, filters=12),
    Case((5,), [2, 3], seed=7),
    Case((1, 3), [6, 6], integers=True, seed=8),
    Case((2, 4), [], seed=9),
    Case((3,), [0, 1, 2], [0, 1, 2], seed=10),
]
BIASES = {True: "shared", False: "apart"}


def close(found: Any, expected: Any) -> None:  # noqa: ANN401 - numbers
    limit = 1e-5 * max(1, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=limit)


def word_rows(case: Case, of_places: Array) -> Array:
    """Return the rows of the words that are left, zeros for deleted ones."""
    rows = of_places[: len(case.numbers)].copy()
    rows[case.deleted] = 0
    return rows


def check_lrp(case: Case, epsilon: float, shared: bool) -> None:
    found = case.explain(level="element", epsilon=epsilon, bias=BIASES[shared], strict=True)
    for k in range(3):
        expected = oracle.lrp(*case.literal, k, epsilon, shared)
        words = word_rows(case, expected)
        close(found.elements[:, :, k], words)
        close(found.relevance[:, k], words.sum(axis=1))
        close(found.padding[k], expected.sum() - words.sum())
        constant = 0 if shared else oracle.network_constant(*case.literal, k, epsilon)
        close(found.constant[k], constant)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_lrp(case: Case, shared: bool) -> None:
    check_lrp(case, 0.01, shared)


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 100.0])
def test_lrp_with_another_epsilon(epsilon: float) -> None:
    for case in (CASES[3], CASES[5]):
        check_lrp(case, epsilon, True)
        check_lrp(case, epsilon, False)


def test_lrp_of_eight_classes() -> None:
    """As many as are computed at once."""
    model, text = made_cnn((2,), classes=8, seed=1), made_text([0, 1, 2, 3])
    found = explain(model, text, "all", strict=True)
    assert found.elements is None
    for k in range(8):
        close(found.relevance[:, k], oracle.lrp(*literal_parts(model, text), k).sum(axis=1))


@pytest.mark.nightly(reason="thousands of networks")
@settings(max_examples=2_000)
@given(
    widths=st.sampled_from([(1,), (2,), (3,), (4,), (5,), (1, 2), (2, 3, 5)]),
    numbers=st.lists(st.integers(0, 6), max_size=9),
    integers=st.booleans(),
    seed=st.integers(0, 10_000),
    epsilon=st.sampled_from([0.01, 1.0]),
)
def test_lrp_of_many_networks(
    widths: tuple[int, ...], numbers: list[int], integers: bool, seed: int, epsilon: float
) -> None:
    case = Case(widths, numbers * (1 + integers), [], integers, seed)
    if not integers:
        assume(oracle.smallest_margin(*case.literal[:2]) > 1e-5)
    for shared in (True, False):
        check_lrp(case, epsilon, shared)
    check_gradients(case)
    check_windows(case, True)
    check_erasing(case)


@pytest.mark.parametrize("near", [0.0, 1e-6, -1e-3, 0.02, -0.02])
def test_scores_near_zero(near: float) -> None:
    """Where x / (x ± ε) is steep and changes its sign, sums in float32 are not enough."""
    for widths in ((1,), (2, 3)):
        case = Case(widths, [0, 1, 2, 3, 6, 4], seed=11)
        model, text = case.model, case.text
        scores = oracle.class_scores(*case.literal)
        model.network_.output_bias[:] += (near - scores).astype(np.float32)
        parts = literal_parts(model, text)
        for epsilon in (1e-6, 0.01, 1.0):
            apart = explain(model, text, "all", epsilon=epsilon, bias="apart", strict=True)
            shared = explain(model, text, "all", epsilon=epsilon, strict=True)
            for k in range(3):
                close(apart.constant[k], oracle.network_constant(*parts, k, epsilon))
                words = oracle.lrp(*parts, k, epsilon, True).sum(axis=1)
                np.testing.assert_allclose(shared.relevance[:, k], words, rtol=1e-3, atol=1e-4)


def test_a_class_whose_score_is_zero_has_no_relevance() -> None:
    model = made_cnn((2,), integers=True)
    model.network_.output_weight[:, 1] = 0
    model.network_.output_bias[1] = 0
    for rule in RULES:
        found = explain(model, made_text([0, 1, 2]), "class 1", strict=True, **rule)
        assert (found.score, found.padding, found.constant, found.residual) == (0, 0, 0, 0)
        assert not found.relevance.any()


def test_filters_that_never_fire_leave_the_score_to_the_output_bias() -> None:
    model = made_cnn((1, 2), seed=3)
    for convolution in model.network_.convolutions:
        convolution.bias[:] -= 100
    for rule in RULES[1:]:
        found = explain(model, made_text([0, 1, 2]), "all", strict=True, **rule)
        assert not found.relevance.any()
        np.testing.assert_allclose(found.constant, model.network_.output_bias, rtol=1e-6)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("case", [one for one in CASES if not one.deleted], ids=str)
def test_filters(case: Case, shared: bool) -> None:
    found = case.explain(level="filter", bias=BIASES[shared], strict=True)
    product = case.explain(level="filter", method="gradient_input", strict=True)
    slopes = case.explain(level="filter", method="sensitivity")
    assert isinstance(found, FilterExplanation)
    inputs, convolutions, weight, bias = case.literal
    pools = [oracle.max_pool(oracle.convolution(inputs, w, b)) for w, b in convolutions]
    pooled = np.concatenate([best for best, _ in pools])
    firsts = np.concatenate([np.where(best > 0, at, 0) for best, at in pools])
    close(found.activations, pooled)
    np.testing.assert_array_equal(found.starts, firsts)
    assert found.widths.tolist() == [width for width in case.widths for _ in range(case.filters)]
    words = case.text.split()
    for ngram, start, width, fired in zip(
        found.ngrams, firsts, found.widths, pooled > 0, strict=True
    ):
        assert ngram == (" ".join(words[start : start + width]) if fired else "")
    scores = oracle.class_scores(*case.literal)
    close(found.scores, scores)
    for k in range(3):
        expected = oracle.lrp_output_layer(pooled, weight, bias, k, 0.01, shared)
        close(found.relevance[:, k], expected)
        close(found.constant[k], 0 if shared else scores[k] - expected.sum())
        close(product.relevance[:, k], pooled * weight[:, k])
        close(slopes.relevance[:, k], weight[:, k] ** 2 * (pooled > 0))
    close(product.constant, bias)
    close(slopes.constant, [0, 0, 0])


def check_gradients(case: Case) -> None:
    slopes = case.explain(method="sensitivity", level="element")
    product = case.explain(method="gradient_input", level="element", strict=True)
    inputs, convolutions, weight, _ = case.literal
    for k in range(3):
        gradient = oracle.score_gradient(inputs, convolutions, weight, k)
        words = word_rows(case, gradient**2)
        close(slopes.elements[:, :, k], words)
        close(slopes.relevance[:, k], words.sum(axis=1))
        close(slopes.padding[k], (gradient**2).sum() - words.sum())
        close(product.elements[:, :, k], (inputs * gradient)[: len(case.numbers)])
        close(product.relevance[:, k], (inputs * gradient)[: len(case.numbers)].sum(axis=1))
        close(product.constant[k], oracle.network_constant(*case.literal, k, epsilon=0))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients(case: Case) -> None:
    check_gradients(case)
    trace, targets = case.trace(), np.zeros((1, 1), np.int32)
    for words in (trace.sensitivity(targets), trace.gradient_input(targets)):
        assert words.elements is None


@pytest.mark.parametrize("case", CASES[:2] + CASES[5:7] + CASES[9:], ids=str)
def test_integrated_gradients(case: Case) -> None:
    inputs, convolutions, weight, bias = case.literal
    nothing = oracle.class_scores(np.zeros_like(inputs), convolutions, weight, bias)
    for steps in (1, 7):
        found = case.explain(method="integrated_gradients", steps=steps, level="element")
        close(found.constant, nothing)
        close(found.padding, [0, 0, 0])
        for k in range(3):
            points = list(path_points(steps))
            expected = oracle.integrated_gradients(inputs, convolutions, weight, k, points)
            close(found.elements[:, :, k], word_rows(case, expected))
            close(found.relevance[:, k], word_rows(case, expected).sum(axis=1))


def test_more_steps_miss_less() -> None:
    missed = [
        np.abs(CASES[6].explain(method="integrated_gradients", steps=steps).residual).max()
        for steps in (1, 10, 300)
    ]
    assert missed[0] > missed[1] > missed[2]
    assert missed[2] < 0.03 < missed[0]


def test_integrated_gradients_leave_the_trace_as_it_was() -> None:
    trace = CASES[6].trace(columns=1)
    before = [[np.copy(array) for array in part] for part in trace.activations]
    trace.integrated_gradients(np.zeros((1, 1), np.int32), steps=3)
    for part, kept in zip(trace.activations, before, strict=True):
        for array, copy in zip(part, kept, strict=True):
            np.testing.assert_array_equal(array, copy)


def check_windows(case: Case, shared: bool) -> None:
    trace, targets = case.trace(), np.arange(3, dtype=np.int32)[None]
    (phrases,) = trace.lrp_phrases(targets, epsilon=0.01, bias=BIASES[shared])
    words = case.explain(bias=BIASES[shared]).relevance
    np.testing.assert_allclose(phrases.relevance.sum(axis=0), words.sum(axis=0), atol=1e-4)
    length = len(case.literal[0])
    read = [t < len(case.numbers) and t not in case.deleted for t in range(length)]
    spans = trace.documents[0].spans.tolist()
    for k in range(3):
        expected = []
        literal = oracle.window_relevance(*case.literal, k, read, shared=shared)
        for (width, t), value in literal.items():
            live = [n for n in range(t, t + width) if read[n]]
            expected.append((spans[live[0]][0], spans[live[-1]][1], width, value))
        found = [
            (*span, value)
            for span, value in zip(
                phrases.spans.tolist(), phrases.relevance[:, k].tolist(), strict=True
            )
        ]
        expected.sort(key=lambda one: one[:2])  # of one place the narrow one first
        assert [one[:2] for one in found] == [one[:2] for one in expected]
        close([one[2] for one in found], np.array([one[3] for one in expected]))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_windows(case: Case, shared: bool) -> None:
    check_windows(case, shared)


def test_a_window_shows_its_deleted_words_as_dots() -> None:
    case = Case((3,), [0, 1, 2, 3], [1], seed=1, filters=40)
    names = {one.text for one in case.explain(level="phrase").phrases()}
    assert names == {"wa … wc", "wc wd"}


# ---- words that go ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [one for one in CASES if not one.deleted], ids=str)
def test_occlusion(case: Case) -> None:
    found = case.explain(method="occlusion")
    close(found.relevance, oracle.occlusion(*case.literal, words=len(case.numbers)))
    close(found.padding, [0, 0, 0])
    assert found.parameters == {"output": "score"}


def check_erasing(case: Case) -> None:
    count, trace = len(case.numbers), case.trace()
    order = np.random.default_rng(case.seed).permutation(count).tolist()
    for insert in (True, False):
        orders, steps = np.array([[order, order[::-1]]], np.int32), np.arange(0, count + 1)
        erased = trace.erase(np.array([0]), orders, insert, steps)
        np.testing.assert_allclose(erased.probabilities, trace.probabilities_of(erased.scores))
        for run, one in enumerate((order, order[::-1])):
            expected = oracle.scores_by_step(*case.literal, count, one, insert)
            close(erased.scores[0, run], expected)
    groups = [[n for n in range(count) if n % step == 0] for step in (1, 2, 3)]
    groups += [[n] for n in range(count)] + [[]]
    scores = trace.scores_without(WordGroups.of([groups]))
    close(scores, oracle.scores_without(*case.literal, groups))


@pytest.mark.parametrize("case", [one for one in CASES if not one.deleted], ids=str)
def test_words_go_and_come(case: Case) -> None:
    check_erasing(case)


def test_of_several_documents_some_steps() -> None:
    """−1 changes nothing; documents in any order, steps left out."""
    model, texts = made_cnn((1, 3), seed=2), [made_text([0, 1, 2]), "", made_text([4, 3])]
    (trace,) = model.trace(texts)
    orders = np.array([[[-1, 1, 0, -1]], [[0, -1, 1, 2]]], np.int32)
    erased = trace.erase(np.array([2, 0]), orders, False, np.array([0, 2, 3]))
    for at, (number, order) in enumerate([(2, [1, 0]), (0, [0, 1, 2])]):
        literal = literal_parts(model, texts[number])
        steps = oracle.scores_by_step(*literal, len(order), order, False)
        close(erased.scores[at, 0], steps[[0, 1, 2]])


@pytest.mark.parametrize("widths", [(1,), (2,), (3, 5)])
@pytest.mark.parametrize("insert", [True, False])
def test_maxima_without_words_are_those_of_pooling_again(
    widths: tuple[int, ...], insert: bool
) -> None:
    """Bit for bit, of more filters and windows than are done at once."""
    numbers = [*np.random.default_rng(0).integers(0, 4, 40).tolist(), 5, *[6] * 10]
    (trace,) = made_cnn(widths, filters=300, seed=1).trace([made_text(numbers)])
    order = np.random.default_rng(1).permutation(len(numbers))[:6]
    gone = [np.delete(np.arange(51), order[:k]) if insert else order[:k] for k in range(7)]
    gone += [np.flatnonzero(np.array(numbers) == word) for word in range(7)]
    gone += [np.array([3, 8, 9, 25]), np.arange(51)]
    groups, steps = WordGroups.of([[sorted(one.tolist()) for one in gone]]), np.arange(7)
    orders, zero = order[None, None].astype(np.int32), np.zeros(1, np.int64)
    for parts, weight in trace.parts():
        scores, pooled = np.ones((16, 3)), np.full((16, 300), np.nan, np.float32)
        scores_without_groups(parts, weight, groups, PADDING, scores, pooled)
        stepwise = np.ones((1, 1, 7, 3)), np.full((1, 1, 7, 300), np.nan, np.float32)
        scores_of_changes(parts, weight, zero, orders, insert, steps, PADDING, *stepwise)
        for at, words in enumerate(gone):
            ids = parts.ids.copy()
            ids[words] = PADDING
            again, _ = pooled_maxima(ids, parts.offsets, parts.table)
            np.testing.assert_array_equal(pooled[at], again[0])
            close(scores[at], 1 + again[0].astype(float) @ weight)
            if at < 7:
                np.testing.assert_array_equal(stepwise[1][0, 0, at], again[0])
                close(stepwise[0][0, 0, at], scores[at])


def test_infinite_responses_change_nothing_that_stays() -> None:
    model = made_cnn((1,), filters=3)
    model.network_.convolutions[0].bias[:] = np.inf
    model.network_.output_weight[:] = 1
    (trace,) = model.trace([made_text([0, 1, 2])])
    assert np.isposinf(trace.scores_without(WordGroups.of([[[0], []]]))).all()


# ---- summary vectors ----------------------------------------------------------------------------

TEXTS = [made_text([0, 1, 2, 6, 3]), "", made_text([4])]
TARGETS = np.array([[2], [0], [1]], np.int32)


@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
@pytest.mark.parametrize(
    ("method", "rule"),
    [
        ("lrp", {"epsilon": 0.01, "bias": "shared"}),
        ("lrp", {"epsilon": 1.0, "bias": "apart"}),
        ("gradient_input", {}),
        ("sensitivity", {}),
        ("integrated_gradients", {"steps": 3}),
    ],
)
def test_sums_of_vectors(widths: tuple[int, ...], method: str, rule: dict[str, Any]) -> None:
    """Equations (22) and (23): of each document, and of each word."""
    model = made_cnn(widths, seed=9)
    (trace,) = model.trace(TEXTS)
    relevance = getattr(trace, method)(TARGETS, elements=True, **rule)
    sums, each = (
        getattr(trace, f"{method}_sums")(TARGETS, **how, **rule) for how in ({}, {"each": True})
    )
    by_word = trace.summary(relevance)
    x = [model.input_matrix(text).astype(float) for text in TEXTS]
    rows = [e[:, :, 0] * x[at][: len(e)] for at, e in enumerate(relevance.elements)]
    close(each, np.concatenate(rows))
    close(
        trace.summary(relevance, each=True),
        np.concatenate(
            [x[at][: len(words)] * words[:, :1] for at, words in enumerate(relevance.words)]
        ),
    )
    for at, words in enumerate(relevance.words):
        close(sums[at], rows[at].sum(axis=0))
        close(by_word[at], oracle.summary(x[at][: len(words)], words[:, 0].astype(float)))
    assert sums.dtype == by_word.dtype == np.float32


# ---- other packages -----------------------------------------------------------------------------


def torch_network(model: CNNClassifier) -> torch.nn.Module:
    """Return a network of one width, (n, D, T) to (n, C), in float64."""
    (convolution,), network = model.network_.convolutions, model.network_
    width, filters, dimensions = convolution.weight.shape
    first = torch.nn.Conv1d(dimensions, filters, width)
    last = torch.nn.Linear(*network.output_weight.shape)
    with torch.no_grad():
        first.weight.copy_(torch.tensor(convolution.weight.transpose(1, 2, 0).copy()))
        first.bias.copy_(torch.tensor(convolution.bias))  # type: ignore[union-attr]
        last.weight.copy_(torch.tensor(network.output_weight.T.copy()))
        last.bias.copy_(torch.tensor(network.output_bias))
    pool, flat = torch.nn.AdaptiveMaxPool1d(1), torch.nn.Flatten()
    return torch.nn.Sequential(first, torch.nn.ReLU(), pool, flat, last).double()


@pytest.mark.parametrize("case", CASES[1:2] + CASES[4:5], ids=str)
def test_torch_has_the_same_scores_and_gradients(case: Case) -> None:
    inputs = torch.tensor(case.literal[0].T[None].copy(), requires_grad=True)
    scores = torch_network(case.model)(inputs)[0]
    close(case.trace().scores[0], scores.detach().numpy())
    slopes = case.explain(method="sensitivity", level="element")
    for k in range(3):
        (gradient,) = torch.autograd.grad(scores[k], inputs, retain_graph=True)
        expected = (gradient[0].T ** 2).numpy()
        close(slopes.elements[:, :, k], expected[: len(case.numbers)])


@pytest.fixture(scope="module")
def zennit() -> types.ModuleType:
    """zennit; for its canonizers it imports torchvision, which this torch has no build of."""
    names = ("torchvision", "torchvision.models", "torchvision.models.resnet")
    for name in names:
        sys.modules.setdefault(name, types.ModuleType(name))
    for block in ("Bottleneck", "BasicBlock"):
        setattr(sys.modules[names[2]], block, type(block, (), {}))
    for part in ("attribution", "composites", "rules", "types"):
        importlib.import_module(f"zennit.{part}")
    for name in names:  # transformers looks for it, and would take it for the real one
        del sys.modules[name]
    return sys.modules["zennit"]


@pytest.mark.slow(reason="imports zennit")
@pytest.mark.parametrize("width", [1, 2, 3])
def test_zennit_has_the_same_epsilon_rule(zennit: types.ModuleType, width: int) -> None:
    case = Case((width,), [0, 1, 2, 3, 6, 4, 1], seed=width)
    rule = zennit.rules.Epsilon(epsilon=0.01)
    composite = zennit.composites.LayerMapComposite(
        [
            (zennit.types.Activation, zennit.rules.Pass()),
            (zennit.types.Convolution, rule),
            (zennit.types.Linear, rule),
        ]
    )
    x = torch.tensor(case.literal[0].T.copy())[None]
    found = case.explain(level="element", bias="apart")
    for k in range(3):
        with zennit.attribution.Gradient(torch_network(case.model), composite) as attributor:
            start = torch.zeros(1, 3, dtype=torch.float64)
            start[0, k] = float(found.scores[k])
            _, relevance = attributor(x, start)
        close(found.elements[:, :, k], relevance[0].numpy().T)


@pytest.mark.slow(reason="imports captum")
def test_captum_has_the_same_integrated_gradients() -> None:
    from captum import attr

    case = Case((3,), [0, 1, 2, 3, 6, 4, 1, 1], seed=4)
    theirs = attr.IntegratedGradients(torch_network(case.model))
    found = case.explain(method="integrated_gradients", steps=20)
    for k in range(3):
        x = torch.tensor(case.literal[0].T[None].copy())
        expected = theirs.attribute(x, target=k, n_steps=20)
        close(found.relevance[:, k], expected[0].sum(dim=0).numpy())


def test_the_trace_is_the_models_own_prediction() -> None:
    model, texts = made_cnn((1, 3)), [made_text([0, 6, 2]), "", made_text([4])]
    (trace,) = model.trace(texts)
    assert isinstance(trace, ForwardPass)
    np.testing.assert_array_equal(trace.scores, model.class_scores(texts))
    np.testing.assert_allclose(trace.probabilities, model.predict_proba(texts))
    assert [one.tolist() for one in trace.known] == [[True, False, True], [], [True]]
    assert trace.known_words.tolist() == model.known_words(texts).tolist() == [2, 0, 1]
    for text, scores in zip(texts, trace.scores, strict=True):
        close(scores, oracle.class_scores(*literal_parts(model, text)))
