"""Readers come back out of a stored model as they were, or not at all."""

from typing import Any

import pytest

from whyword import InputError, Reader
from whyword.models.stored import StoredModel
from whyword.models.stored_reader import (
    own_reader_settings,
    reader_settings,
    stored_reader,
    stored_tokenizer,
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
        Reader("mail", ["quotes", "headers"], ["the", "/a.*/"], Tokenizer(5, rule="unicode")),
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
