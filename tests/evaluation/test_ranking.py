"""The order in which words are deleted."""

from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword import InputError, explain
from whyword.evaluation.ranking import compared_methods, named_methods, ranking_of
from whyword.methods.chance import generator_for

MODEL = made_cnn()
TEXT = made_text([0, 6, 1, 2, 0, 6])  # word 6 has no vector
TARGETS = np.array([[1]], np.int32)


def orders(ranking: Any, text: str = TEXT, words: int = 6, first: int = 0) -> list[list[int]]:  # noqa: ANN401
    """Return the orders of one text's words, one for each run."""
    (trace,) = MODEL.trace([text])
    found: list[list[int]] = ranking.orders(trace, TARGETS, first, words, np.array([0]))[0].tolist()
    return found


@pytest.mark.parametrize(("order", "sign"), [("most", -1), ("least", 1)])
def test_a_method_ranks_by_its_relevance(order: str, sign: int) -> None:
    relevance = explain(MODEL, TEXT, target="class 1").relevance
    ranking = ranking_of(MODEL, "lrp", None, 1, order)
    assert orders(ranking, words=4) == [np.argsort(sign * relevance, kind="stable")[:4].tolist()]
    settled = ranking_of(MODEL, None, None, 1, parameters={"epsilon": 5.0})
    assert settled.name == "lrp"
    relevance = explain(MODEL, TEXT, target="class 1", epsilon=5.0).relevance
    assert orders(settled) == [np.argsort(-relevance).tolist()]


@pytest.mark.parametrize(("order", "expected"), [("most", [1, 3, 0, 2]), ("least", [0, 2, 1, 3])])
def test_ties_go_by_position(order: str, expected: list[int]) -> None:
    ranking = ranking_of(MODEL, None, [[9.0], [0, 1, 0, 1]], 2, order)
    assert (ranking.name, ranking.runs) == ("given", 1)
    assert orders(ranking, made_text([0, 1, 2, 3]), 4, first=1) == [expected]


def test_where_no_word_is_left_nothing_goes() -> None:
    (order,) = orders(ranking_of(MODEL, "sensitivity", None, 1), made_text([0, 1]), 5)
    assert (sorted(order[:2]), order[2:]) == ([0, 1], [-1, -1, -1])


def test_chance_depends_on_the_run_and_the_text_only() -> None:
    expected = [np.argsort(-generator_for(TEXT, 4 + run).random(6)).tolist() for run in range(3)]
    assert orders(ranking_of(MODEL, "random", None, 1, runs=3, seed=4)) == expected
    known = np.array([True, False, True, True, True, False])
    expected = [
        np.argsort(-(generator_for(TEXT, run).random(6) + known)).tolist() for run in range(10)
    ]
    assert orders(ranking_of(MODEL, "random_known", None, 1, "least")) == expected


def test_a_function_ranks_the_documents_that_take_part() -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def by_position(
        model: object, texts: list[str], targets: list[str], power: float = 1
    ) -> list[list[float]]:
        assert model is MODEL
        asked.append((texts, targets))
        return [[power * n for n in range(len(text.split()))] for text in texts]

    (trace,) = MODEL.trace([TEXT, made_text([1, 2, 3])])
    targets = np.array([[0], [2]], np.int32)
    for power, expected in ((1, [2, 1]), (-1, [0, 1])):
        ranking = ranking_of(MODEL, by_position, None, 2, parameters={"power": power})
        assert ranking.name == "by_position"
        assert ranking.orders(trace, targets, 0, 2, np.array([1])).tolist() == [[expected]]
        assert asked.pop() == ([made_text([1, 2, 3])], ["class 2"])
    least = ranking_of(MODEL, by_position, None, 2, "least")
    assert least.orders(trace, targets, 0, 2, np.array([1])).tolist() == [[[0, 1]]]


def test_an_explanation_must_be_of_the_target() -> None:
    ranking = ranking_of(MODEL, None, [0, explain(MODEL, TEXT, target="class 0")], 2)
    (trace,) = MODEL.trace([TEXT])
    ranking.orders(trace, TARGETS * 0, 1, 2, np.array([0]))
    message = "relevance of document 1 explains 'class 0', but here 'class 1' is the target"
    with pytest.raises(InputError, match=message):
        ranking.orders(trace, TARGETS, 1, 2, np.array([0]))


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
    ],
)
def test_invalid_rankings(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ranking_of(MODEL, **{"method": None, "relevance": None, "texts": 1} | asked)


def test_methods_by_their_names() -> None:
    assert compared_methods(MODEL) == ["lrp", "sensitivity", "random", "random_known"]
    assert named_methods("lrp") == {"lrp": "lrp"}
    assert named_methods({1: "random"}) == {"1": "random"}  # type: ignore[dict-item]
    assert named_methods([sorted, "random_known"]) == {
        "sorted": sorted,
        "random_known": "random_known",
    }
    for wrong, message in (
        (5, "methods takes names, or a dict of them, not int"),
        ([5], "method takes a name or a function, not 5"),
        ({"a": 5}, "method takes a name or a function, not 5"),
        (["magic"], "no method 'magic'; choose from lrp"),
        ([], "methods is empty; choose from lrp, .*, random_known"),
    ):
        with pytest.raises(InputError, match=message):
            named_methods(wrong)  # type: ignore[arg-type]
