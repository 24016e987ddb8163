"""Readers come back out of a stored model as they were, or not at all."""

from types import SimpleNamespace
from typing import Any

import pytest

from whyword import InputError, Reader
from whyword.models.stored import StoredModel
from whyword.models.stored_reader import (
    own_reader_settings,
    read_otherwise,
    reader_settings,
    stored_reader,
    stored_tokenizer,
    taken_away,
)
from whyword.words.tokenizer import Tokenizer


def stored(configuration: dict[str, Any]) -> StoredModel:
    return StoredModel("m is not a whole model", {}, configuration)


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


def test_folders_from_before_there_were_readers() -> None:
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


def test_what_was_taken_away() -> None:
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


def test_so_many_words_are_said_where_they_were_said() -> None:
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
