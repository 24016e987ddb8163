"""Tensors, settings and readers of a stored model are checked as they are taken."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from whyword import InputError, Reader
from whyword.base.checks import whole_number
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
from whyword.models.stored_reader import (
    own_reader_settings,
    read_otherwise,
    reader_settings,
    stored_reader,
    stored_tokenizer,
    taken_away,
)
from whyword.words.tokenizer import Tokenizer

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
def test_bytes_that_are_no_words(content: bytes, said: str) -> None:
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


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, [], ["a"], ["a", "a"], ["a", 1], [1, 2.0], [True, 1], [["a"], ["b"]], [None, None]),
        *("ab", {"a": 1, "b": 2}, ["a", "a\0"], ["b\0", "c"], ["x" * 40_000_000, "b"]),
    ],
    ids=range(14),
)
def test_classes_that_are_no_labels(wrong: object) -> None:
    for good in (["a", "b"], [1, 2, -3], [True, False], [0.5, 2.5]):
        assert stored({"classes": good}).classes().tolist() == good
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


def test_parts_that_were_not_taken_are_refused() -> None:
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
def test_provenance(wrong: object) -> None:
    with pytest.raises(InputError, match="provenance"):
        stored({"provenance": wrong}).provenance()
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


# ---- readers -------------------------------------------------------------------------------------


def test_tokenizers() -> None:
    tokenizer = Tokenizer(7, frozenset({"mr", "dr"}))
    assert stored_tokenizer(stored(tokenizer.configuration()).settings) == tokenizer
    wrong = [("max_words", 0), ("max_words", True), ("abbreviations", "mr")]
    for name, value in [*wrong, ("rule", "by heart"), ("rule", None), ("rule", ["words"])]:
        with pytest.raises(InputError, match=name):
            stored_tokenizer(stored({**tokenizer.configuration(), name: value}).settings)


@pytest.mark.parametrize("rule", ["words", "unicode", "characters"])
def test_rules_of_tokenizers(rule: str) -> None:
    for tokenizer in (Tokenizer(rule=rule), Tokenizer(3, rule=rule)):
        model = stored(tokenizer.configuration() | {"rule": rule})
        assert stored_tokenizer(model.settings) == tokenizer
        model.check_all_taken()


@pytest.mark.parametrize(
    "reader",
    [
        Reader(),
        Reader(remove=[]),
        Reader(
            "mail",
            ["quotes", "headers"],
            ["the", "/a.*/", "gordon banks"],
            Tokenizer(5, rule="unicode"),
        ),
        Reader("html"),
    ],
)
def test_readers(reader: Reader) -> None:
    model = stored(reader_settings(reader))
    assert stored_reader(model.settings) == reader
    model.check_all_taken()
    model = stored(own_reader_settings(reader))
    assert stored_reader(model.settings, reader.tokenizer) == reader
    model.check_all_taken()


def test_folders_without_a_reader() -> None:
    settings = {"tokenizer": Tokenizer(3).configuration()}
    assert settings == reader_settings(Reader(tokenizer=Tokenizer(3)))
    assert stored_reader(stored(settings).settings) == Reader(tokenizer=Tokenizer(3))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": "docx"}, "reader.format"),
        ({"format": None}, "reader.format"),
        ({"remove": "headers"}, "reader.remove must be a list of strings"),
        ({"remove": ["header"]}, "reader.remove"),
        ({"ignore": None}, "reader.ignore must be a list of strings"),
        ({"ignore": [3]}, "reader.ignore must be a list of strings"),
        ({"ignore": ["/(a+)+b/"]}, "never end"),
        ({"ignore": ["/(/"]}, "no regular expression"),
    ],
)
def test_changed_readers_are_refused(changed: dict[str, Any], said: str) -> None:
    settings = reader_settings(Reader("mail"))
    settings["reader"] |= changed
    with pytest.raises(InputError, match=f"^m is not a whole model: .*{said}"):
        stored_reader(stored(settings).settings)
    settings = reader_settings(Reader("mail"))
    settings["reader"]["more"] = 1
    model = stored(settings)
    stored_reader(model.settings)
    with pytest.raises(InputError, match="'more' is no setting"):
        model.check_all_taken()


def test_a_copy_that_reads_otherwise() -> None:
    assert taken_away(Reader()) == {}
    assert taken_away(Reader(ignore=["b", "A"])) == {"without": ["a", "b"]}
    facts = {"documents": 3, "test_accuracy": 0.5, "validation_accuracy": None}
    before = Reader(ignore=["a"])
    for reader, provenance, expected in (
        (before, facts, facts),
        (Reader(ignore=["a", "b"]), facts, {"documents": 3, "without": ["b"]}),
        (Reader(ignore=["a", "c"]), {"without": ["a"]}, {"without": ["a", "c"]}),
        (Reader(), {"without": ["a"]}, {}),
        (Reader(ignore=["b"]), {"without": "hostile"}, {"without": ["b"]}),
    ):
        model = SimpleNamespace(reader_=reader, provenance_=provenance, max_words=None)
        assert read_otherwise(model, before) is model
        assert model.provenance_ == expected
        assert model.reader == (reader if reader.ignore else None)


def test_max_words_is_kept_where_it_was_given() -> None:
    short = Reader(ignore=["a"], tokenizer=Tokenizer(5))
    for said, reader, most in ((3, Reader(ignore=["a"]), 5), (None, short, None)):
        model = SimpleNamespace(reader_=short, provenance_={}, max_words=said)
        read_otherwise(model, Reader())
        assert (model.reader, model.max_words) == (reader, most)


def test_endless_phrases_are_refused() -> None:
    settings = reader_settings(Reader(ignore=["a"]))
    settings["reader"]["ignore"] = ["a b " * 200_000]
    with pytest.raises(InputError, match="has phrases of 400,000 words together"):
        stored_reader(stored(settings).settings)
