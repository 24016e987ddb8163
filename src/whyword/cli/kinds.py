"""The settings of classifiers as options of ``whyword train``, and which kind has which."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Annotated, Any

import typer

from whyword.base.checks import one_of
from whyword.base.errors import Argument, InputError
from whyword.cli.options import whole_numbers
from whyword.cli.word_lists import words_or_file
from whyword.models.estimator import Estimator
from whyword.models.loading import kind_named


class Model(StrEnum):
    """The kinds of classifier."""

    CNN = "cnn"
    SVM = "svm"
    LSTM = "lstm"
    GRU = "gru"
    CHARACTERS = "characters"
    TRANSFORMER = "transformer"


@dataclass(frozen=True)
class NetworkOptions:
    """What networks have; the fields are options, None where nobody said anything."""

    width: Annotated[
        str | None,
        typer.Option(
            help="Words that a CNN's filter sees, or characters; several as in 2,3,4. "
            "(default: 2; of characters 3,5,7)"
        ),
    ] = None
    filters: Annotated[
        int | None,
        typer.Option(help="Filters of each width (default: 800; of characters 256)."),
    ] = None
    epochs: Annotated[
        int | None,
        typer.Option(help="A network's rounds through the texts (default: by its kind)."),
    ] = None
    vectors: Annotated[
        str | None,
        typer.Option(help="A network's word vectors: a file or package (default: GloVe + CBOW)."),
    ] = None
    validation: Annotated[
        float | None,
        typer.Option(
            help="Share (or number) of documents that choose a network's epoch (default: 0.1)."
        ),
    ] = None
    hidden: Annotated[
        int | None,
        typer.Option(
            help="Cells of an LSTM or GRU in each direction (default: 128); ReLUs before a "
            "transformer's scores (default: none)."
        ),
    ] = None
    layers: Annotated[
        int | None,
        typer.Option(
            help="Layers of an LSTM or GRU (default: 1); of a transformer, the first so many of "
            "its base (default: all)."
        ),
    ] = None
    bidirectional: Annotated[
        bool | None,
        typer.Option(
            "--both-ways/--one-way",
            help="Whether an LSTM or GRU reads texts from both ends. (default: both)",
            show_default=False,
        ),
    ] = None
    pooling: Annotated[
        str | None,
        typer.Option(
            help="How the states of a text's words become one: last, mean, max or attention of an "
            "LSTM or GRU (default: max), mean or cls of a transformer (default: mean)."
        ),
    ] = None
    train_vectors: Annotated[
        bool | None,
        typer.Option(
            "--train-vectors/--keep-vectors",
            help="Whether an LSTM or GRU trains the word vectors, too. (default: it keeps them)",
            show_default=False,
        ),
    ] = None
    length: Annotated[
        int | None,
        typer.Option(
            help="Words, characters or pieces of a text that are trained on at a time; all are "
            "read when it predicts. (default: 200 words, 1500 characters, 128 pieces)"
        ),
    ] = None
    base: Annotated[
        str | None,
        typer.Option(
            help="What a transformer is trained from: a Hugging Face folder, a name that `whyword "
            "base` knows, or hf:owner/name. (default: minilm-l6)"
        ),
    ] = None
    frozen: Annotated[
        str | None,
        typer.Option(
            help="What of a transformer stays as it is: embeddings, nothing, or, as a number, they "
            "and so many layers from below. (default: embeddings)"
        ),
    ] = None
    learning_rate: Annotated[
        float | None, typer.Option(help="A transformer's, at its highest (default: by its kind).")
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return what was given, as the classifier takes it."""
        given = given_options(self)
        if "width" in given:
            numbers = whole_numbers("width", given["width"], "2 or 2,3,4")
            given["width"] = numbers[0] if len(numbers) == 1 else numbers
        if "validation" in given and given["validation"].is_integer():
            given["validation"] = int(given["validation"])
        if "frozen" in given and given["frozen"].isdecimal():
            given["frozen"] = int(given["frozen"])
        return given


@dataclass(frozen=True)
class BagOptions:
    """What an SVM has and no CNN; the fields are options, None where nobody said anything."""

    ngrams: Annotated[
        str | None,
        typer.Option(
            help="Adjacent words that make an SVM's feature, from and to: 1,1 is single words, 1,2 "
            "words and pairs. (default: one of these two, by cross-validation)"
        ),
    ] = None
    min_documents: Annotated[
        int | None,
        typer.Option(
            help="Leave out an SVM's words and n-grams that fewer documents have. (default: only "
            "n-grams of several words that one document has)"
        ),
    ] = None
    stop_words: Annotated[
        str | None,
        typer.Option(
            metavar="english|WORD,…|@FILE",
            help="Words that an SVM leaves out: a list of English ones, words, or '@' and a file "
            "with one a line. (default: none)",
        ),
    ] = None
    C: Annotated[
        float | None,
        typer.Option(
            "--C",
            help="The weight of an SVM's errors against its margin. (default: by cross-validation)",
        ),
    ] = None
    sublinear: Annotated[
        str | None,
        typer.Option(
            "--term-frequency",
            help="What m occurrences count for in an SVM: 'log', 1 + ln m, or 'count', m. "
            "(default: log)",
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return what was given, as the classifier takes it."""
        given = given_options(self)
        if "ngrams" in given:
            numbers = whole_numbers("ngrams", given["ngrams"], "1,2")
            given["ngrams"] = tuple(numbers * 2 if len(numbers) == 1 else numbers)
        if self.stop_words is not None and self.stop_words != "english":
            given["stop_words"] = _stop_words(self.stop_words)
        if "sublinear" in given:
            given["sublinear"] = one_of("sublinear", self.sublinear, ("log", "count")) == "log"
        return given


@dataclass(frozen=True)
class Kind:
    """A kind of classifier: what models know it by, and which options it has.

    Attributes
    ----------
    name : str
        That of :data:`whyword.models.loading.KINDS`.
    options : tuple of str
    fixed : dict
        Arguments that the command's name of it says.
    """

    name: str
    options: tuple[str, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> type[Estimator]:
        """Return the classifier's class; raise if what it needs is not installed."""
        found: type[Estimator] = kind_named(self.name)
        return found


_TRAINED = ("epochs", "validation")
_RECURRENT = (
    *("vectors", "hidden", "layers", "bidirectional", "pooling", "train_vectors", "length"),
    *_TRAINED,
)
_TRANSFORMER = (
    *("base", "layers", "frozen", "pooling", "hidden", "length", "learning_rate"),
    *_TRAINED,
)
KINDS = {
    Model.CNN: Kind("cnn", ("width", "filters", "vectors", *_TRAINED)),
    Model.SVM: Kind("svm", tuple(one.name for one in fields(BagOptions))),
    Model.LSTM: Kind("recurrent", _RECURRENT, {"cell": "lstm"}),
    Model.GRU: Kind("recurrent", _RECURRENT, {"cell": "gru"}),
    Model.CHARACTERS: Kind("characters", ("width", "filters", "length", *_TRAINED)),
    Model.TRANSFORMER: Kind("transformer", _TRANSFORMER),
}


def arguments_of(model: Model, *groups: NetworkOptions | BagOptions) -> dict[str, Any]:
    """Return what a kind of classifier is to be made with; raise for another kind's options."""
    for group in groups:
        for name in given_options(group):
            if name not in KINDS[model].options:
                its = ", ".join(kind for kind in Model if name in KINDS[kind].options)
                raise InputError(
                    Argument(name),
                    " is for another kind of classifier than ",
                    Argument("model", model),
                    f": {its}",
                )
    arguments = dict(KINDS[model].fixed)
    for group in groups:
        arguments |= group.arguments()
    return arguments


def _stop_words(given: str) -> list[str]:
    """Return the words that are left out; raise for what can be none."""
    if given[:1] != "@" and "," not in given:
        raise InputError(
            Argument("stop_words"),
            f" may be 'english', words with commas between them, or '@' and a file; not {given!r}",
        )
    words = words_or_file(given) if given[:1] == "@" else given.split(",")
    words = [word.strip() for word in words if word.strip()]
    for word in words:
        if len(word.split()) > 1:
            raise InputError(Argument("stop_words"), f": {word!r:.60} is no single word")
    return words


def given_options(options: NetworkOptions | BagOptions) -> dict[str, Any]:
    """Return the options that somebody named."""
    every = {one.name: getattr(options, one.name) for one in fields(options)}
    return {name: value for name, value in every.items() if value is not None}
