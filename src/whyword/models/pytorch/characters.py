"""A network that reads characters, trained here."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import torch
from numpy.typing import NDArray

from whyword.base.checks import flag, share, whole_number
from whyword.base.errors import InputError
from whyword.base.progress import OnProgress
from whyword.models.cnn.training import MOST_FILTERS, widths_of
from whyword.models.pytorch.character_encoding import BLANK, FIRST, CharacterEncoder, alphabet_of
from whyword.models.pytorch.character_network import CharacterNetwork
from whyword.models.pytorch.classifier import TorchClassifier
from whyword.models.pytorch.stored import fill
from whyword.models.pytorch.trained import TrainedNetwork
from whyword.models.pytorch.training import CHECKS
from whyword.models.stored import Check, StoredModel
from whyword.models.stored_reader import stored_reader
from whyword.words.document import Document
from whyword.words.reader import Reader

_MOST_DIMENSIONS, _MOST_HIDDEN = 4096, 65_536
_MOST_CHARACTERS = 1 << 20
_CENTRED, _FIRST = 64, 200  # documents by which filters begin, and their words


def _widths(name: str, value: object) -> int | list[int]:
    """Return filters' widths as an estimator takes them; raise if they are unfit."""
    widths = widths_of(name, value)
    return list(widths) if len(widths) > 1 else widths[0]


class CharacterClassifier(TrainedNetwork):
    """A convolutional network over the characters of a text: a misspelt word is much like it.

    What is no word (numbers, signs, emoji) is read, too. Blanks part words, and have no relevance:
    their vectors are zeros, as those of deleted words are.

    Parameters
    ----------
    alphabet : int
        How many characters it knows, the most frequent of the training texts; all others are one.
    lowercase : bool
        Whether letters are read in lower case.
    dimensions : int
        The length of a character's vector.
    width : int or sequence of int
        How many characters a filter sees; several widths at once.
    filters : int
        How many filters of each width.
    hidden : int
        How many ReLUs there are between the filters and the scores; 0 for none.
    dropout : float
        Share of what filters and ReLUs say zeroed at random while training.
    word_dropout : float
        Share of words that are blank at random while training.
    epochs, batch_size : int
    learning_rate : float
        Of Adam, at its highest; it falls linearly to zero.
    warmup : float
        Share of the steps in which the rate grows from zero.
    patience : int or None
        After so many epochs without a better one, training ends.
    l2 : float
        Strength of the pull of all weights towards zero.
    precision : {"float32", "bfloat16"} or None
        Of the passes forth in training; None takes bfloat16 where the processor has it.
    class_weight : None, "balanced" or dict
        Weight of each class in the loss.
    validation : int or float
        Number or share of documents held out, by class; the epoch that does best on them is
        kept. 0 trains on everything and keeps the last epoch.
    length : int or None
        How many characters of a text are trained on at a time: of longer ones another part in each
        epoch. All are read when it predicts. None trains on whole texts.
    max_words : int or None
        Keep the first so many words of each text; None keeps all.
    reader : Reader or None
        How texts are read, in training and ever after; None reads them as they are.
    seed : int
    on_progress : callable, bool or None
        Called with the :class:`~whyword.base.progress.Progress` while it trains, instead of a
        bar. True shows the bar, False does not, None does on a terminal only.

    Attributes
    ----------
    classes_ : (C,) array
    classifier_ : TorchClassifier
        The network, as it predicts and is explained.
    training_words_ : list of str
        Lower-cased words of the training texts.
    provenance_ : dict
        What it was trained on, with which versions, and how well it did.
    """

    kind = "characters"
    checks: ClassVar[Mapping[str, Check[Any]]] = {
        "alphabet": partial(whole_number, most=_MOST_CHARACTERS),
        "lowercase": flag,
        "dimensions": partial(whole_number, most=_MOST_DIMENSIONS),
        "width": _widths,
        "filters": partial(whole_number, most=MOST_FILTERS),
        "hidden": partial(whole_number, least=0, most=_MOST_HIDDEN),
        "dropout": share,
        **CHECKS,
    }

    def __init__(
        self,
        *,
        alphabet: int = 200,
        lowercase: bool = True,
        dimensions: int = 16,
        width: int | Sequence[int] = (3, 5, 7),
        filters: int = 256,
        hidden: int = 0,
        dropout: float = 0.5,
        word_dropout: float = 0.1,
        epochs: int = 15,
        batch_size: int = 16,
        learning_rate: float = 5e-3,
        warmup: float = 0.05,
        patience: int | None = 3,
        l2: float = 0.0,
        precision: str | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        validation: float = 0.1,
        length: int | None = 1500,
        max_words: int | None = None,
        reader: Reader | None = None,
        seed: int = 0,
        on_progress: OnProgress | bool | None = None,
    ) -> None:
        self.alphabet = alphabet
        self.lowercase = lowercase
        self.dimensions = dimensions
        self.width = width
        self.filters = filters
        self.hidden = hidden
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warmup = warmup
        self.patience = patience
        self.l2 = l2
        self.precision = precision
        self.class_weight = class_weight
        self.validation = validation
        self.length = length
        self.max_words = max_words
        self.reader = reader
        self.seed = seed
        self.on_progress = on_progress

    def _untrained(self, documents: Sequence[Document], classes: NDArray[Any]) -> TorchClassifier:
        lowercase = bool(self.lowercase)
        visible = (document.visible for document in documents)
        encoder = CharacterEncoder(alphabet_of(visible, int(self.alphabet), lowercase), lowercase)
        if not encoder.alphabet:
            raise InputError("there is no character in the training texts")
        module = self._module(encoder, len(classes))
        reader = Reader.of(self.reader, self.max_words)
        model = TorchClassifier(module.eval(), encoder, classes.tolist(), reader=reader)
        every = -(-len(documents) // _CENTRED)
        some = [model.encoded(one.shortened(_FIRST)) for one in documents[::every]]
        windows = model.network.windows(some)
        module.centre(
            (batch.ids.masked_fill(batch.zeroed, BLANK), batch.mask)  # whose vector is zero
            for batch in model.network.batches(windows)
        )
        return model

    def _module(self, encoder: CharacterEncoder, classes: int) -> CharacterNetwork:
        return CharacterNetwork(
            FIRST + len(encoder.alphabet),
            int(self.dimensions),
            widths_of("width", self.width),
            int(self.filters),
            int(self.hidden),
            1 if classes == 2 else classes,
            float(self.dropout),
        )

    # ---- keeping ------------------------------------------------------------------------------

    def _described(self) -> dict[str, Any]:
        return {"characters": self.classifier_.encoder.settings}

    @classmethod
    def _rebuilt(cls, stored: StoredModel, model: Self) -> TorchClassifier:
        section = stored.settings.section("characters")
        encoder = CharacterEncoder(
            section.take("alphabet", _alphabet), section.take("lowercase", flag)
        )
        with torch.device("meta"):
            module = model._module(encoder, len(model.classes_))
        fill(stored, module)
        module.eval().requires_grad_(False)
        stored.check_range(module.largest())
        if module.characters.weight[0].any():
            raise stored.fault("the vector of blanks is not zero")
        reader = stored_reader(stored.settings)
        return TorchClassifier(module, encoder, model.classes_.tolist(), reader=reader)


def _alphabet(name: str, value: object) -> str:
    """Return the characters that have ids."""
    if not isinstance(value, str) or not 1 <= len(value) <= _MOST_CHARACTERS:
        raise InputError(f"{name} must be a string of characters, not {value!r:.60}")
    if len(set(value)) != len(value):
        raise InputError(f"{name} has a character twice")
    return value
