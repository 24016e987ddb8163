"""Which words go first."""

import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword import InputError, explain
from whyword.evaluation.ranking import ranking_of
from whyword.models.cnn.trace import CNNTrace

MODEL = made_cnn()
TEXT = made_text([0, 6, 1, 2, 0, 6])  # word 6 has no vector
TARGETS = np.array([[1]], np.int32)
FIRST = np.array([0])


def trace_of(text: str = TEXT) -> CNNTrace:
    (trace,) = MODEL.trace([text])
    return trace


@pytest.mark.parametrize("order", ["most", "least"])
def test_a_method_ranks_by_its_relevance(order: str) -> None:
    relevance = explain(MODEL, TEXT, target="class 1").relevance
    orders = ranking_of(MODEL, "lrp", None, 1, order).orders(trace_of(), TARGETS, 0, 4, FIRST)
    sign = 1 if order == "most" else -1
    assert orders.tolist() == [[np.argsort(-sign * relevance, kind="stable")[:4].tolist()]]


def test_the_parameters_reach_the_method() -> None:
    relevance = explain(MODEL, TEXT, target="class 1", epsilon=5.0).relevance
    ranking = ranking_of(MODEL, None, None, 1, parameters={"epsilon": 5.0})
    assert ranking.name == "lrp"
    assert (
        ranking.orders(trace_of(), TARGETS, 0, 6, FIRST)[0, 0].tolist()
        == np.argsort(-relevance).tolist()
    )


@pytest.mark.parametrize(("order", "expected"), [("most", [1, 3, 0, 2]), ("least", [0, 2, 1, 3])])
def test_ties_go_by_position(order: str, expected: list[int]) -> None:
    ranking = ranking_of(MODEL, None, [[0, 1, 0, 1]], 1, order)
    assert ranking.name == "given"
    orders = ranking.orders(trace_of(made_text([0, 1, 2, 3])), TARGETS, 0, 4, FIRST)
    assert orders[0, 0].tolist() == expected


def test_where_no_word_is_left_nothing_goes() -> None:
    ranking = ranking_of(MODEL, "sensitivity", None, 1)
    orders = ranking.orders(trace_of(made_text([0, 1])), TARGETS, 0, 5, FIRST)[0, 0]
    assert sorted(orders[:2].tolist()) == [0, 1]
    assert orders[2:].tolist() == [-1, -1, -1]


def test_chance_differs_by_run_and_text_only() -> None:
    ranking = ranking_of(MODEL, "random", None, 1, runs=30, seed=4)
    orders = ranking.orders(trace_of(), TARGETS, 0, 6, FIRST)
    assert np.all(np.sort(orders[0], axis=1) == np.arange(6))
    assert len({tuple(order) for order in orders[0].tolist()}) > 20
    np.testing.assert_array_equal(ranking.orders(trace_of(), TARGETS * 0, 3, 6, FIRST), orders)
    later = ranking_of(MODEL, "random", None, 1, runs=1, seed=5)
    np.testing.assert_array_equal(
        later.orders(trace_of(), TARGETS, 0, 6, FIRST)[0, 0], orders[0, 1]
    )


def test_random_among_known_words_takes_them_first() -> None:
    for order in ("most", "least"):
        ranking = ranking_of(MODEL, "random_known", None, 1, order, runs=20)
        orders = ranking.orders(trace_of(), TARGETS, 0, 6, FIRST)[0]
        assert all(set(each[4:]) == {1, 5} for each in orders.tolist())
        assert len({tuple(each) for each in orders.tolist()}) > 5


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"method": "magic"}, "no method 'magic'; choose from lrp, .*random_known"),
        ({"method": 5}, "method takes a name or a function, not 5"),
        ({"method": "random", "parameters": {"epsilon": 1}}, "'random' has no parameter 'epsilon'"),
        ({"method": "lrp", "parameters": {"speed": 1}}, "no parameter 'speed'"),
        ({"relevance": [[1]], "parameters": {"epsilon": 1}}, "no method has parameters"),
        ({"relevance": [[1], [2]]}, "differ in length: 2 ≠ 1"),
        ({"method": "random", "runs": 0}, "runs must be a whole number"),
        ({"method": "random", "seed": -1}, "seed must be a whole number"),
    ],
)
def test_bad_questions(asked: dict[str, object], message: str) -> None:
    asked = {"method": None, "relevance": None, **asked}
    with pytest.raises(InputError, match=message):
        ranking_of(MODEL, texts=1, **asked)  # type: ignore[arg-type]


def test_a_function_ranks_the_documents_that_take_part() -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def by_position(model: object, texts: list[str], targets: list[str]) -> list[list[float]]:
        assert model is MODEL
        asked.append((texts, targets))
        return [[float(n) for n in range(len(text.split()))] for text in texts]

    (trace,) = MODEL.trace([TEXT, made_text([1, 2, 3])])
    ranking = ranking_of(MODEL, by_position, None, 2)
    assert ranking.name == "by_position"
    targets = np.array([[0], [2]], np.int32)
    orders = ranking.orders(trace, targets, 0, 2, np.array([1]))
    assert orders.tolist() == [[[2, 1]]]
    assert asked == [([made_text([1, 2, 3])], ["class 2"])]


def test_an_explanation_must_be_of_the_target() -> None:
    explained = [explain(MODEL, TEXT, target="class 0")]
    ranking = ranking_of(MODEL, None, explained, 1)
    ranking.orders(trace_of(), TARGETS * 0, 0, 2, FIRST)
    with pytest.raises(InputError, match="explains 'class 0', but here 'class 1' is the target"):
        ranking.orders(trace_of(), TARGETS, 0, 2, FIRST)
