"""What is taken from a stored model is what a kind of model said it is made of."""

from typing import Any

import numpy as np
import pytest

from whyword.base.checks import whole_number
from whyword.base.errors import InputError
from whyword.models.store import pack_words
from whyword.models.stored import (
    StoredModel,
    check_range,
    finite_number,
    largest_number,
    list_of_strings,
    optional,
    positive_number,
)

F = np.float32


def stored(configuration: dict[str, Any] | None = None, **tensors: Any) -> StoredModel:  # noqa: ANN401
    arrays = {name: np.asarray(tensor) for name, tensor in tensors.items()}
    return StoredModel("m is not a whole model", arrays, configuration or {})


def test_sizes_are_the_same_wherever_they_occur() -> None:
    model = stored(a=np.zeros((2, 3), F), b=np.zeros(3, F), c=np.zeros((3, 4), F))
    assert model.tensor("a", F, 2, "F").shape == (2, 3)
    assert model.tensor("b", F, "F").shape == (3,)
    assert model.size("F") == 3
    model.bind("C", 5)
    said = r"^m is not a whole model: c has the shape \(3, 4\); it should have \(F = 3, C = 5\)"
    with pytest.raises(InputError, match=said):
        model.tensor("c", F, "F", "C")


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (np.zeros(3), "dtype float64; it should be float32"),
        (np.zeros((3, 1), F), "shape (3, 1); it should have (F)"),
        (np.zeros(0, F), "shape (0,); it should have (F = 0), each at least 1"),
        (np.array(0, F), "shape (); it should have (F)"),
        (np.array([0, np.nan, 1], F), "NaN or infinite"),
        (np.array([0, -np.inf, 1], F), "NaN or infinite"),
    ],
    ids=range(6),
)
def test_tensors_that_do_not_fit(tensor: Any, said: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError) as error:
        stored(x=tensor).tensor("x", F, "F")
    assert said in str(error.value)
    with pytest.raises(InputError, match="the tensor x is missing"):
        stored().tensor("x", F, "F")


def test_counts_have_limits() -> None:
    numbers = np.array([0, 3, 7], np.int32)
    np.testing.assert_array_equal(stored(n=numbers).counts("n", np.int32, "V", 7), numbers)
    assert len(stored(n=numbers[:0]).counts("n", np.int32, "V", 7)) == 0
    with pytest.raises(InputError, match=r"n has the number 7; .* none below 0 or above 6"):
        stored(n=numbers).counts("n", np.int32, "V", 6)
    with pytest.raises(InputError, match="n has the number -1"):
        stored(n=numbers - 1).counts("n", np.int32, "V", 6)


def test_words_come_back() -> None:
    model = stored(w=pack_words(["é", "", "b"]), x=np.zeros((3, 2), F))
    assert model.words("w", "V") == ["é", "", "b"]
    assert len(model.tensor("x", F, "V", "D")) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "w is damaged"),
        (b'"ab"', "no list of words"),
        (b'{"a": 1}', "no list of words"),
        (b'["a", ["b"]]', "no list of words"),
        (b'["a", 1]', "no list of words"),
        (b'["a", "b", "a"]', "1 words twice"),
        (b'["\\ud800"]', "half a surrogate pair"),
        (b'["\xff"]', "w is damaged"),
        (b"[" * 100_000, "nested beyond reason"),
        (b"[]", "0 words; it should have V = 0, at least 1"),
    ],
    ids=range(10),
)
def test_what_are_no_words(content: bytes, said: str) -> None:
    with pytest.raises(InputError) as error:
        stored(w=np.frombuffer(content, np.uint8)).words("w", "V", least=1)
    assert said in str(error.value)


def test_more_words_than_vectors() -> None:
    model = stored(w=pack_words(["a", "b"]), x=np.zeros((3, 2), F))
    model.tensor("x", F, "V", "D")
    with pytest.raises(InputError, match="w has 2 words; it should have V = 3"):
        model.words("w", "V")
    with pytest.raises(InputError, match="it should be bytes of text"):
        stored(w=np.zeros((2, 2), np.uint8)).words("w", "V")


def test_numbered_tensors() -> None:
    names = ["c_2", "c_10", "c_0", "c_02", "c_²", "c_-1", "c_99999", "c_", "xc_1", "c_1 "]
    arrays = {name: np.zeros(1) for name in names}
    assert StoredModel("m", arrays, {}).numbered("c_") == [0, 2, 10]


@pytest.mark.parametrize("good", [["a", "b"], [1, 2, -3], [True, False], [0.5, 2.5]], ids=str)
def test_classes(good: list[object]) -> None:
    labels = stored({"classes": good}).classes()
    assert labels.tolist() == good


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, [], ["a"], ["a", "a"], ["a", 1], [1, 2.0], [True, 1], [["a"], ["b"]], [None, None]),
        *("ab", {"a": 1, "b": 2}, ["a", "a\0"], ["b\0", "c"], ["x" * 40_000_000, "b"]),
    ],
    ids=range(14),
)
def test_what_are_no_classes(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^m is not a whole model: classes ") as error:
        stored({"classes": wrong}).classes()
    assert len(str(error.value)) < 200


def test_settings_are_taken_once_and_named() -> None:
    model = stored({"a": {"b": {"c": 3}}, "n": None})
    section = model.settings.section("a").section("b")
    assert section.take("c", whole_number) == 3
    assert model.settings.take("n", optional(whole_number)) is None
    model.check_all_taken()
    with pytest.raises(InputError, match=r"the setting a\.b\.c is missing"):
        section.take("c", whole_number)
    wrong = stored({"a": {"c": "x" * 9_999}}).settings.section("a")
    with pytest.raises(InputError, match=r"a\.c must be a whole number") as error:
        wrong.take("c", whole_number)
    assert len(str(error.value)) < 500
    with pytest.raises(InputError, match="a must be settings by name, not"):
        stored({"a": [1]}).settings.section("a")


def test_what_nobody_took_is_refused() -> None:
    with pytest.raises(InputError, match="'more' is no tensor of this kind of model"):
        stored(more=np.zeros(1)).check_all_taken()
    with pytest.raises(InputError, match="'more' is no setting of this kind of model"):
        stored({"more": 1}).check_all_taken()
    model = stored({"parameters": {"colour": 1, "seed": 2}})
    assert model.parameters({"seed": whole_number, "width": whole_number}) == {"seed": 2}
    with pytest.raises(InputError, match=r"parameters\.'colour' is no setting"):
        model.check_all_taken()


@pytest.mark.parametrize(
    "wrong",
    [
        *([], {"documents": "many"}, {"documents": -1}, {"documents": 2.0}, {"documents": True}),
        *({"test_accuracy": 1.5}, {"test_accuracy": "good"}, {"seconds": None}),
        *({"test_near_copies": 0.5}, {"test_accuracy_without_copies": 2}),
    ],
    ids=str,
)
def test_provenance_that_is_used(wrong: object) -> None:
    with pytest.raises(InputError, match="provenance"):
        stored({"provenance": wrong}).provenance()


def test_provenance_may_say_anything_else() -> None:
    facts = {"documents": 0, "test_accuracy": None, "seconds": 0.5, "colour": ["red", {}]}
    assert stored({"provenance": facts}).provenance() == facts


@pytest.mark.parametrize(
    ("check", "good", "wrong"),
    [
        (finite_number, [0, -1.5, 3e38], [True, None, "1", 1e39, float("nan"), 10**400]),
        (positive_number, [1, 0.5, 1e-30], [0, -1, 1e-46, float("inf"), None, True]),
        (list_of_strings, [[], ["a", "a"]], ["ab", [1], [["a"]], None]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_checks_of_settings(check: Any, good: list[object], wrong: list[object]) -> None:  # noqa: ANN401
    for value in good:
        assert check("x", value) == value
    for value in wrong:
        with pytest.raises(InputError, match=r"^x "):
            check("x", value)


@pytest.mark.parametrize(("numbers", "largest"), [([1, -3], 3), ([], 0), ([[2.5], [0]], 2.5)])
def test_the_largest_number(numbers: list[float], largest: float) -> None:
    assert largest_number(np.array(numbers, np.float32)) == largest


def test_no_largest_number() -> None:
    assert np.isnan(largest_number(np.array([1, np.nan, -np.inf])))
    assert largest_number(np.array([1, -np.inf])) == np.inf
    for bound in (float("nan"), float("inf"), 1e18):
        with pytest.raises(InputError, match="weights are so large"):
            check_range(bound)
