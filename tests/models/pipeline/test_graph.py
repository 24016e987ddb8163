"""The way back: the fast one equals the formula written out, whatever the steps are."""

from typing import Any

import numpy as np
import oracle
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from whyword import InputError
from whyword.models.pipeline.graph import Graph, Node, Pass, Union
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
from whyword.models.pipeline.vectorizer import Vectorizer

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


@pytest.mark.parametrize("seed", range(120))
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
    nodes = [
        Node(vectorizer()),
        Node(Scaling(numbers), (0,)),
        Node(Projecting(components), (0,)),
        Node(Union(), (1, 2)),
        Node(Normalising("l2"), (3,)),
    ]
    graph = Graph(nodes)
    assert [one.width for one in graph.vectorizers] == [7, 7]  # two ways down to one vectoriser
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


def test_what_is_not_needed_is_left_out() -> None:
    graph = Graph([Node(vectorizer()), Node(vectorizer(["a", "b"])), Node(Sublinear(), (1,))])
    pruned = graph.pruned(2)
    assert pruned.widths == [2, 2]
    assert pruned.nodes[1].inputs == (0,)
    assert sorted(graph.outputs(["a b a"], 2)) == [1, 2]


def test_what_bends_may_not_stand_over_sums() -> None:
    graph = Graph([Node(vectorizer()), Node(Projecting(np.ones((2, 7))), (0,))])
    for step in (Sublinear(), Binarising()):
        with pytest.raises(InputError, match="stands over sums of features"):
            graph.add(step, (1,))
    graph.add(Normalising("l2"), (1,))


def test_ways_without_end_are_refused() -> None:
    graph = Graph([Node(vectorizer(["a"]))])
    for _ in range(9):
        last = len(graph.nodes) - 1
        graph.add(Selecting(np.array([0]), 2), (graph.add(Union(), (last, last)),))
    with pytest.raises(InputError, match="1,024 ways from texts"):
        graph.add(Union(), (18, 18))


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
