"""How a stored model reads: its settings, checked as they are taken."""

from functools import partial
from typing import Any

from whyword.base.checks import one_of, whole_number
from whyword.models.stored import StoredSettings, list_of_strings, optional
from whyword.words.mail_parts import PARTS
from whyword.words.reader import FORMATS, Reader
from whyword.words.rules import RULES
from whyword.words.tokenizer import Tokenizer


def stored_tokenizer(settings: StoredSettings) -> Tokenizer:
    """Return the tokeniser that its stored settings are."""
    checks = {"max_words": optional(whole_number), "abbreviations": list_of_strings}
    needed = {name: settings.take(name, check) for name, check in checks.items()}
    return Tokenizer.from_configuration(needed | settings.take_any({"rule": _rule}))


def _rule(name: str, value: object) -> str:
    return one_of(name, value, RULES)


def reader_settings(reader: Reader) -> dict[str, Any]:
    """Return a reader as settings: those of its tokeniser, and its own unless it reads all."""
    settings: dict[str, Any] = {"tokenizer": reader.tokenizer.configuration()}
    return settings | own_reader_settings(reader)


def own_reader_settings(reader: Reader) -> dict[str, Any]:
    """Return a reader's settings but for its tokeniser's; none of one that just cuts words."""
    own = reader.configuration()
    return {} if own == Reader().configuration() else {"reader": own}


def stored_reader(settings: StoredSettings, tokenizer: Tokenizer | None = None) -> Reader:
    """Return the reader that stored settings are; folders from before there was one read all.

    Parameters
    ----------
    settings : StoredSettings
        Of which ``reader`` and, unless a tokeniser is given, ``tokenizer`` are taken.
    tokenizer : Tokenizer, optional
    """
    if tokenizer is None:
        tokenizer = stored_tokenizer(settings.section("tokenizer"))
    if "reader" not in settings:
        return Reader(tokenizer=tokenizer)
    own = settings.section("reader")
    taken = {
        "format": own.take("format", partial(one_of, choices=FORMATS)),
        "remove": own.take("remove", optional(partial(_each_of, PARTS))),
        "ignore": own.take("ignore", _ignored),
    }
    return Reader.from_configuration(taken, tokenizer)


def reader_argument(reader: Reader, max_words: int | None) -> Reader | None:
    """Return the argument that an estimator was made with, from the reader that came of it."""
    given = reader if max_words is None else reader.shortened(None)
    return None if given == Reader() else given


def _each_of(choices: tuple[str, ...], name: str, value: object) -> list[str]:
    return [one_of(name, one, choices) for one in list_of_strings(name, value)]


def _ignored(name: str, value: object) -> list[str]:
    """Return words and patterns to ignore."""
    words = list_of_strings(name, value)
    Reader(ignore=words)  # raises, of a pattern that is none, or never ends
    return words
