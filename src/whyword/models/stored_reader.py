"""How a stored model reads: its settings, checked as they are taken."""

from functools import partial
from typing import Any, TypeVar

from whyword.base.checks import one_of, whole_number
from whyword.models.stored import StoredSettings, list_of_strings, optional
from whyword.words.ignored import Ignored
from whyword.words.mail_parts import PARTS
from whyword.words.reader import FORMATS, Reader
from whyword.words.rules import RULES
from whyword.words.tokenizer import Tokenizer

Model = TypeVar("Model", bound=Any)

TAKEN_AWAY = "without"  # in a provenance: what a model was trained with, and does not read
# of a model that reads otherwise, nobody has measured these
_MEASURED = (
    "validation_accuracy",
    "test_accuracy",
    "test_near_copies",
    "test_accuracy_without_copies",
)


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


def taken_away(reader: Reader) -> dict[str, Any]:
    """Return as provenance which words were taken away from somebody's model: all it ignores."""
    return {TAKEN_AWAY: list(reader.ignore)} if reader.ignore else {}


def read_otherwise(model: Model, before: Reader) -> Model:
    """Let the arguments and the provenance of a copy say that it reads otherwise, and return it.

    Accuracies are not kept: they are those of the model that it is a copy of.

    Parameters
    ----------
    model : Estimator
        Which has its new reader.
    before : Reader
        That it was copied with.
    """
    reader: Reader = model.reader_
    most = getattr(model, "max_words", None)
    if most is not None:
        model.max_words = most = reader.tokenizer.max_words
    model.reader = reader_argument(reader, most)
    if reader != before:
        facts = {name: one for name, one in model.provenance_.items() if name not in _MEASURED}
        earlier = facts.pop(TAKEN_AWAY, [])
        once = set(earlier) if isinstance(earlier, list) else set()
        taken = [one for one in reader.ignore if one in once or one not in before.ignore]
        model.provenance_ = facts | ({TAKEN_AWAY: taken} if taken else {})
    return model


def _each_of(choices: tuple[str, ...], name: str, value: object) -> list[str]:
    return [one_of(name, one, choices) for one in list_of_strings(name, value)]


def _ignored(name: str, value: object) -> list[str]:
    """Return words, phrases and patterns to ignore."""
    words = list_of_strings(name, value)
    Ignored(words)  # raises, of a pattern that is none, or never ends, and of endless phrases
    return words
