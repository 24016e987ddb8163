"""Steps from texts to features and the way back, against sums written out and scikit-learn."""

from typing import Any

import numpy as np
import oracle
import pytest
from networks import topical
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MinMaxScaler,
    Normalizer,
    OrdinalEncoder,
    StandardScaler,
)
from wrapped import EACH

from whyword import InputError
from whyword.models.pipeline.gradients import Chosen, Gradient, Part, Projected, Values, Weights
from whyword.models.pipeline.graph import Graph, Node, Pass, Union
from whyword.models.pipeline.probes import NotLinearError, asked, is_close, probe_rows
from whyword.models.pipeline.steps import (
    Binarising,
    Centring,
    Normalising,
    Projecting,
    Scaling,
    Selecting,
    Step,
    Sublinear,
)
from whyword.models.pipeline.transformers import transformed
from whyword.models.pipeline.vectorizer import Vectorizer

TEXTS, LABELS = topical(30)
RANDOM = np.random.default_rng(1)
DENSE = RANDOM.integers(0, 4, (6, 5)).astype(float)
DENSE[2] = 0
ROWS = csr_matrix(DENSE)

# ---- forward ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (Sublinear(), TfidfTransformer(use_idf=False, norm=None, sublinear_tf=True)),
        (Binarising(1.0), Binarizer(threshold=1.0)),
        *((Normalising(norm), Normalizer(norm)) for norm in ("l1", "l2", "max")),
    ],
)
def test_steps_do_what_scikit_learns_do(step: Step, expected: Any) -> None:  # noqa: ANN401
    theirs = expected.fit(ROWS).transform(ROWS).toarray()
    np.testing.assert_allclose(step.forward(ROWS).toarray(), theirs, atol=1e-15)
    np.testing.assert_array_equal(ROWS.toarray(), DENSE)  # the input is not changed


def test_steps_with_numbers_of_their_own() -> None:
    numbers, components = RANDOM.normal(size=5), RANDOM.normal(size=(3, 5))
    np.testing.assert_allclose(Scaling(numbers).forward(ROWS).toarray(), DENSE * numbers)
    np.testing.assert_allclose(Centring(numbers).forward(ROWS).toarray(), DENSE - numbers)
    np.testing.assert_allclose(Projecting(components).forward(ROWS).toarray(), DENSE @ components.T)
    chosen = np.array([1, 4])
    np.testing.assert_array_equal(Selecting(chosen, 5).forward(ROWS).toarray(), DENSE[:, chosen])
    rows = csr_matrix(np.array([[-3.0, 1.0]]))
    assert Normalising("max").forward(rows).toarray().tolist() == [[-1.0, 1 / 3]]


@pytest.mark.parametrize(
    "step",
    [
        Scaling(np.ones(4)),
        Centring(np.ones(4)),
        Projecting(np.ones((2, 4))),
        Selecting(np.array([1]), 4),
    ],
)
def test_a_step_for_another_number_of_features_is_refused(step: Step) -> None:
    with pytest.raises(InputError, match="of 4 features stands over 5"):
        step.width(5)


def test_a_selection_from_very_many() -> None:
    """Nothing as long as all features is made: there may be two thousand million."""
    many = (1 << 31) - 1
    rows = csr_matrix((np.arange(1.0, 4), ([0, 0, 1], [5, many - 1, 6])), (2, many))
    result = Selecting(np.array([5, 7, many - 1]), many).forward(rows)
    assert result.toarray().tolist() == [[1, 0, 2], [0, 0, 0]]


def test_bounds_of_the_numbers_of_a_step() -> None:
    assert Scaling(np.array([2.0, -5.0, np.inf])).reach(3) == 15
    assert Normalising("l2").reach(1e9) == Binarising().reach(1e9) == 1
    assert Centring(np.array([-7.0])).reach(3) == 10
    assert Projecting(np.array([[-7.0]])).reach(3) == 21
    assert Sublinear().reach(3) == Selecting(np.array([0]), 1).reach(3) == 3


# ---- back ---------------------------------------------------------------------------------------

WEIGHT = RANDOM.normal(size=(4, 3))
FACTORS = RANDOM.normal(size=2)


def check_gradient(gradient: Gradient, expected: list[Values]) -> None:
    """Compare with the whole gradient of each of two documents."""
    coefficients = RANDOM.normal(size=len(expected[0]))
    sums = [row * coefficients @ each for row, each in zip(FACTORS, expected, strict=True)]
    np.testing.assert_allclose(gradient.weighted(FACTORS, coefficients), np.array(sums))
    for document, whole in enumerate(expected):
        places = np.array([2, 0])
        np.testing.assert_allclose(gradient.at(document, places), whole[places])


def test_gradients_equal_the_sums_written_out() -> None:
    check_gradient(Weights(WEIGHT), [WEIGHT, WEIGHT])
    check_gradient(Part(Weights(WEIGHT), 1, 4), [WEIGHT[1:], WEIGHT[1:]])
    components = RANDOM.normal(size=(4, 5))
    rows, columns = np.array([0.5, 2.0]), RANDOM.normal(size=4)
    once = Projected(Weights(WEIGHT), components, rows, columns)
    inner = [components.T @ (row * columns[:, None] * WEIGHT) for row in rows]
    check_gradient(once, inner)
    twice = Projected(once, RANDOM.normal(size=(5, 6)), rows, np.ones(5))
    check_gradient(
        twice, [twice.components.T @ (row * one) for row, one in zip(rows, inner, strict=True)]
    )


def test_the_gradient_of_places_that_were_chosen() -> None:
    chosen = np.array([0, 2, 3, 6])
    gradient = Chosen(Weights(WEIGHT), chosen)
    np.testing.assert_array_equal(gradient.at(1, np.array([2, 6])), WEIGHT[[1, 3]])
    np.testing.assert_array_equal(gradient.at(1, np.array([1, 7, 0])), [[0] * 3] * 2 + [WEIGHT[0]])
    coefficients = np.arange(8.0)
    expected = FACTORS[:, None] * (coefficients[chosen] @ WEIGHT)
    np.testing.assert_allclose(gradient.weighted(FACTORS, coefficients), expected)


WORDS = [f"w{number}" for number in range(7)]


def vectorizer(words: list[str] | None = None) -> Vectorizer:
    return Vectorizer(CountVectorizer(vocabulary=words or WORDS).fit([""]))


def random_steps(random: np.random.Generator, width: int) -> list[tuple[str, Any, Step]]:
    """Return steps as the oracle and as the graph has them: a projection after what bends."""
    steps: list[tuple[str, Any, Step]] = []
    if random.random() < 0.4:
        steps.append(("sublinear", None, Sublinear()))
    if random.random() < 0.2:
        steps.append(("binary", 1.0, Binarising(1.0)))
    for _ in range(random.integers(0, 5)):
        numbers = random.normal(size=width)
        kind = random.choice(["scale", "shift", "norm", "select", "project"])
        if kind == "scale":
            steps.append((kind, numbers, Scaling(numbers)))
        elif kind == "shift":
            steps.append((kind, numbers, Centring(numbers)))
        elif kind == "norm":
            name = str(random.choice(["l1", "l2", "max"]))
            steps.append((kind, {"l1": 1, "l2": 2, "max": np.inf}[name], Normalising(name)))
        elif kind == "select":
            chosen = np.sort(random.choice(width, random.integers(1, width + 1), replace=False))
            steps.append((kind, chosen, Selecting(chosen, width)))
            width = len(chosen)
        else:
            components = random.normal(size=(random.integers(1, 5), width))
            steps.append((kind, components, Projecting(components)))
            width = len(components)
    return steps


def passed(graph: Graph, rows: Any, weight: Any, bias: Any) -> Pass:  # noqa: ANN401
    made = graph.outputs((), len(graph.nodes) - 1, {0: rows})
    return Pass(graph, made, weight, bias)


def relevance(done: Pass, number: int) -> Any:  # noqa: ANN401
    """Return the relevance of all features of a text, (V, C)."""
    result = np.zeros((done.graph.starts[-1], len(done.bias)))
    row = done.rows[number]
    result[row.places] = row.values[:, None] * done.gradient(number)
    return result


@pytest.mark.parametrize("seed", range(40))
def test_the_way_back_equals_the_literal_formula(seed: int) -> None:
    random = np.random.default_rng(seed)
    steps = random_steps(random, len(WORDS))
    graph = Graph([Node(vectorizer())])
    for *_, step in steps:
        graph.add(step, (len(graph.nodes) - 1,))
    weight, bias = random.normal(size=(graph.widths[-1], 3)), random.normal(size=3)
    counts = random.integers(0, 4, (5, len(WORDS))) * random.integers(0, 2, (5, len(WORDS)))
    counts[3] = 0
    done = passed(graph, csr_matrix(counts.astype(float)), weight, bias)
    for number, row in enumerate(counts):
        expected, constant, scores = oracle.pipeline_lrp(
            row, [step[:2] for step in steps], weight, bias
        )
        scale = max(1, np.abs(expected).max(), np.abs(constant).max())
        np.testing.assert_allclose(done.scores[number], scores, atol=1e-12 * scale)
        np.testing.assert_allclose(relevance(done, number), expected, atol=1e-12 * scale)
        np.testing.assert_allclose(done.biases[number], constant, atol=1e-12 * scale)
        whole = expected.sum(axis=0) + constant
        np.testing.assert_allclose(whole, scores, atol=1e-10 * scale)


def test_a_union_is_its_parts_side_by_side() -> None:
    random = np.random.default_rng(3)
    numbers, components = random.normal(size=7), random.normal(size=(2, 7))
    graph = Graph(
        [
            Node(vectorizer()),
            Node(Scaling(numbers), (0,)),
            Node(Projecting(components), (0,)),
            Node(Union(), (1, 2)),
            Node(Normalising("l2"), (3,)),
        ]
    )
    assert [one.width for one in graph.vectorizers] == [7, 7]  # two ways down to one vectorizer
    assert graph.starts.tolist() == [0, 7, 14]
    both = np.concatenate([np.diag(numbers), components])
    weight, bias = random.normal(size=(9, 2)), random.normal(size=2)
    row = np.array([1.0, 0, 2, 0, 0, 3, 0])
    done = passed(graph, csr_matrix(row), weight, bias)
    expected, constant, scores = oracle.pipeline_lrp(
        row, [("project", both), ("norm", 2)], weight, bias
    )
    np.testing.assert_allclose(done.scores[0], scores)
    np.testing.assert_allclose(done.biases[0], constant)
    ours = relevance(done, 0)
    np.testing.assert_allclose(ours[:7] + ours[7:], expected, atol=1e-12)


def test_nodes_that_are_not_needed_are_left_out() -> None:
    graph = Graph([Node(vectorizer()), Node(vectorizer(["a", "b"])), Node(Sublinear(), (1,))])
    pruned = graph.pruned(2)
    assert pruned.widths == [2, 2]
    assert pruned.nodes[1].inputs == (0,)
    assert sorted(graph.outputs(["a b a"], 2)) == [1, 2]


def test_a_step_that_bends_may_not_stand_over_sums() -> None:
    for mixing in (Projecting(np.ones((7, 7))), Centring(np.ones(7))):
        graph = Graph([Node(vectorizer()), Node(mixing, (0,)), Node(Scaling(np.ones(7)), (1,))])
        assert [graph.is_mixed(number) for number in range(3)] == [False, True, True]
        for step in (Sublinear(), Binarising()):
            with pytest.raises(InputError, match=f"{step.name} stands over sums of features"):
                graph.add(step, (2,))
        graph.add(Normalising("l2"), (1,))


def test_very_many_ways_are_refused() -> None:
    graph = Graph([Node(vectorizer(["a"]))])
    for _ in range(9):
        last = len(graph.nodes) - 1
        graph.add(Selecting(np.array([0]), 2), (graph.add(Union(), (last, last)),))
    with pytest.raises(InputError, match="1,024 ways from texts"):
        graph.add(Union(), (18, 18))
    with pytest.raises(InputError, match="2 ways from texts to 2,147,483,648 features"):
        Graph([Node(Vectorizer(HashingVectorizer(n_features=1 << 30))), Node(Union(), (0, 0))])


def test_blocks_are_small_where_nothing_is_zero() -> None:
    assert Graph([Node(vectorizer())]).documents_at_once == 256
    wide = Vectorizer(HashingVectorizer(n_features=1 << 20))
    graph = Graph([Node(wide), Node(Centring(np.ones(1 << 20)), (0,))])
    assert graph.documents_at_once == 8


def test_a_bound_of_what_the_classifier_sees() -> None:
    graph = Graph([Node(vectorizer()), Node(Scaling(np.full(7, 3.0)), (0,)), Node(Union(), (0, 1))])
    assert graph.reach() == (3, 3)
    graph.add(Normalising("l2"), (2,))
    assert graph.reach() == (1, 3)


# ---- scikit-learn's transformers ----------------------------------------------------------------


@pytest.mark.parametrize("name", EACH)
def test_transformers_give_what_scikit_learns_give(name: str) -> None:
    made = make_pipeline(CountVectorizer(), EACH[name]()).fit(TEXTS, LABELS)
    graph = Graph()
    last = transformed(made, None, graph)
    texts = [*TEXTS[:3], "", "moon"]
    expected = made.transform(texts)
    expected = expected.toarray() if hasattr(expected, "toarray") else expected
    ours = graph.outputs(texts, last)[last].toarray()
    np.testing.assert_allclose(ours, expected, atol=1e-12)


class Doubling(TfidfTransformer):  # type: ignore[misc]  # scikit-learn has no types
    """A transformer that does more than its name says."""

    def transform(self, X: Any, copy: bool = True) -> Any:  # noqa: ANN401, N803 - scikit-learn's
        """Return twice what it would be."""
        return 2 * super().transform(X, copy=copy)


@pytest.mark.parametrize(
    ("transformer", "reason"),
    [
        (OrdinalEncoder(), "its OrdinalEncoder is not known to be linear"),
        (MinMaxScaler(clip=True), "its MinMaxScaler clips"),
        (FeatureUnion([("a", "drop")]), "a union of nothing"),
        (Binarizer(threshold=-1.0), "its Binarizer makes something of nothing"),
        (SelectKBest(k=0), "its SelectKBest selects no feature"),
        (Doubling(), "its Doubling does something of its own"),
    ],
)
def test_transformers_that_are_not_linear(transformer: Any, reason: str) -> None:  # noqa: ANN401
    graph = Graph()
    counts = CountVectorizer().fit(TEXTS)
    below = transformed(counts, None, graph)
    if isinstance(transformer, Doubling | SelectKBest):
        transformer.fit(counts.transform(TEXTS), LABELS)
    with pytest.raises(NotLinearError, match=reason):
        transformed(transformer, below, graph)


def test_texts_need_a_vectorizer() -> None:
    for transformer, reason in ((None, "passes texts on"), (SelectKBest(), "begins with Select")):
        with pytest.raises(NotLinearError, match=reason):
            transformed(transformer, None, Graph())


# ---- probes -------------------------------------------------------------------------------------


def test_probes_are_few_and_always_the_same() -> None:
    for width in (1, 3, 1 << 20):
        rows = probe_rows(width)
        assert rows.shape[1] == width
        assert rows.shape[0] == min(width, 6) + 7
        assert rows[0].nnz == 0
        assert (rows != probe_rows(width)).nnz == 0
    singles = rows[1:7]
    assert singles.indices.tolist() == [0, 209715, 419430, 629145, 838860, 1048575]
    assert singles.data.tolist() == [1] * 6
    assert (np.diff(rows[7:].indptr) > 1).all()


def test_close_but_for_rounding() -> None:
    assert is_close(np.array([1e12]), np.array([1e12 + 1]))
    assert not is_close(np.array([1.0]), np.array([1.0 + 1e-8]))
    assert not is_close(np.array([np.nan]), np.array([np.nan]))
    assert not is_close(np.ones(2), np.ones((2, 1)))


def test_estimators_that_take_no_sparse_rows_get_dense_ones() -> None:
    rows = probe_rows(3)
    dense = StandardScaler().fit(rows.toarray())
    np.testing.assert_array_equal(asked(dense, "transform", rows), dense.transform(rows.toarray()))
    with pytest.raises(NotLinearError, match=r"its TfidfTransformer\.transform failed \(NotFitted"):
        asked(TfidfTransformer(), "transform", rows)
