"""From a text to the ids that a module reads, and back: which characters each stands for."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import check_installed, one_of
from whyword.base.errors import Argument, InputError, ModelError
from whyword.base.printable import reason, shown, storable
from whyword.models.erasure import text_without
from whyword.models.pytorch.pieces import Pieces
from whyword.words.document import Document

ZERO, MASK, PAD, CUT = DELETIONS = ("zero", "mask", "pad", "cut")
_UNKNOWN = ("<unk>", "[UNK]", "<UNK>", "UNK", "unk", "<oov>", "<OOV>")
SPECIAL = ("pad", "unk", "mask", "cls", "sep", "bos", "eos")
_PADDING = ("<pad>", "[PAD]", "<PAD>")
LONGEST = 1 << 20  # ids of a text
_LARGEST_ID = 1 << 24


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Let a fault inside of a tokenizer be an ordinary error: its kind is none of Exception."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise RuntimeError(str(error)) from error


@dataclass(frozen=True, eq=False)
class Encoded:
    """A text as a module reads it.

    Attributes
    ----------
    ids : (P,) int64
    pieces : Pieces
        Which words they are of.
    known : (P,) bool
        Whether each is more than "some word".
    hidden : (P,) bool
        What the mask hides.
    zeroed : (P,) bool
        Whose vectors are zeros.
    special : (P,) bool
        What stands for no character: special tokens.
    """

    ids: NDArray[np.int64]
    pieces: Pieces
    known: NDArray[np.bool_]
    hidden: NDArray[np.bool_]
    zeroed: NDArray[np.bool_]
    special: NDArray[np.bool_]

    def part(self, kept: NDArray[np.bool_]) -> "Encoded":
        """Return some of the pieces, (P,)."""
        marks = (self.known, self.hidden, self.zeroed, self.special)
        return Encoded(self.ids[kept], self.pieces.chosen(kept), *(one[kept] for one in marks))


class Encoder(ABC):
    """Somebody's way from a text to ids.

    Attributes
    ----------
    sees_symbols : bool
        Whether what is no word (numbers, signs, emoji) is read, too.
    pad, mask : int or None
        The ids that it has for these.
    settings : dict or None
        What tells it from others, as plain data; None if nothing does.
    """

    sees_symbols = True
    pad: int | None = None
    mask: int | None = None

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any] | None:
        """What tells it from others."""

    @abstractmethod
    def ids_and_spans(self, document: Document, text: str) -> tuple[Any, Any]:
        """Return the ids of a text and their [start, end) in it.

        Parameters
        ----------
        document : Document
        text : str
            What is read of the document's, perhaps without some words.
        """

    def known(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are more than "some word"."""
        return np.ones(len(ids), np.bool_)

    def __call__(self, document: Document) -> Encoded:
        """Return what a module reads of a document, words that are ignored included."""
        return self._encoded(document, document.legible, None)

    def _encoded(self, document: Document, text: str, places: NDArray[np.intp] | None) -> Encoded:
        """Return what is read of a text; `places` are those of its characters in the document."""
        try:
            with panics_as_errors():
                ids, spans = self.ids_and_spans(document, text)
        except InputError:
            raise
        except Exception as error:
            raise ModelError(f"encode failed on {text!r:.40} ({reason(error)})") from error
        numbers, bounds = _checked(ids, spans, len(text))
        if places is not None:
            real = bounds[:, 0] < bounds[:, 1]
            bounds[real] = np.stack(
                [places[bounds[real, 0]], places[bounds[real, 1] - 1] + 1], axis=1
            )
        nothing = np.zeros(len(numbers), np.bool_)
        pieces, special = Pieces.of(bounds, document), bounds[:, 0] == bounds[:, 1]
        return Encoded(numbers, pieces, self.known(numbers), nothing, nothing, special)

    def without(
        self, document: Document, whole: Encoded, gone: NDArray[np.bool_], how: "Deletion"
    ) -> Encoded:
        """Return a document without some of its words, (T,)."""
        if not gone.any():
            return whole
        if how.how == CUT:
            text = text_without(document, gone)
            kept = np.ones(len(document.text), np.bool_)
            for start, end in document.spans[gone].tolist():
                kept[start:end] = False
            return self._encoded(document, text, np.flatnonzero(kept))
        places = whole.pieces.gone(gone)
        left = replace(whole, known=whole.known & ~places)
        if how.how == ZERO:
            return replace(left, zeroed=whole.zeroed | places)
        ids = np.where(places, how.id, whole.ids)
        hidden = whole.hidden | places if how.how == PAD else whole.hidden
        return replace(left, ids=ids, hidden=hidden)


@dataclass(frozen=True)
class Deletion:
    """What deleting a word means.

    Attributes
    ----------
    how : {"zero", "mask", "pad", "cut"}
    id : int
        What is read instead, of "mask" and "pad".
    """

    how: str = ZERO
    id: int = 0

    @classmethod
    def of(
        cls, how: object, encoder: Encoder, pad: int | None, mask: int | None, hides: bool = False
    ) -> "Deletion":
        """Return what was asked for; raise if there is no id for it.

        Parameters
        ----------
        how : {"zero", "mask", "pad", "cut"} or None
            None for the one that disturbs least: what nobody sees, where that can be.
        encoder : Encoder
        pad, mask : int or None
            The ids that are read instead; by default the encoder's mask.
        hides : bool
            Whether the module does not see what its mask hides.
        """
        if how is None:
            how = PAD if hides and pad is not None else ZERO
        one_of("deletion", how, DELETIONS)
        if how == MASK:
            number = encoder.mask if mask is None else mask
            if number is None:
                raise InputError(
                    Argument("deletion", MASK),
                    " needs the id that is read instead: say ",
                    Argument("mask", ...),
                )
            return cls(MASK, number)
        if how == PAD and pad is None:
            raise InputError(
                Argument("deletion", PAD), " needs a padding id: say ", Argument("pad", ...)
            )
        return cls(str(how), pad or 0)


class FunctionEncoder(Encoder):
    """A function from a text to (ids, spans)."""

    settings = None

    def __init__(self, function: Callable[[str], Any]) -> None:
        self.function = function

    def ids_and_spans(self, document: Document, text: str) -> tuple[Any, Any]:
        """Return what the function says."""
        said = self.function(text)
        if not isinstance(said, tuple | list) or len(said) != 2:
            raise InputError(Argument("encode"), f" must return (ids, spans), not {shown(said)}")
        return said[0], said[1]


class WordEncoder(Encoder):
    """Words of our own tokeniser, by their numbers; as they stand, else in lower case.

    Parameters
    ----------
    numbers : dict from str to int
    unknown : int or None
        The id of other words; without one, they are left out.
    pad : int or None
    """

    sees_symbols = False

    def __init__(self, numbers: Mapping[str, int], unknown: int | None, pad: int | None) -> None:
        self.numbers, self.unknown, self.pad = numbers, unknown, pad

    @property
    def settings(self) -> dict[str, Any]:
        """The words and their ids."""
        return {"vocabulary": {word: int(number) for word, number in self.numbers.items()}}

    def ids_and_spans(self, document: Document, text: str) -> tuple[Any, Any]:
        """Return the ids of words; those that nobody knows are unknown, or left out."""
        spans = document.spans.tolist()
        found = [self._number(text[start:end]) for start, end in spans]
        pairs = [(one, span) for one, span in zip(found, spans, strict=True) if one is not None]
        return [one for one, _ in pairs], [span for _, span in pairs]

    def _number(self, word: str) -> int | None:
        return self.numbers.get(word, self.numbers.get(word.lower(), self.unknown))

    def without(
        self, document: Document, whole: Encoded, gone: NDArray[np.bool_], how: "Deletion"
    ) -> Encoded:
        """Return a document without some of its words, (T,)."""
        if how.how != CUT:
            return super().without(document, whole, gone, how)
        return whole.part(~whole.pieces.gone(gone))  # the others are the same without them

    def known(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are of words."""
        if self.unknown is None:
            return np.ones(len(ids), np.bool_)
        known: NDArray[np.bool_] = ids != self.unknown
        return known


class VocabularyEncoder(WordEncoder):
    """Somebody's dictionary from words to ids, checked; it may have ``<pad>`` and ``<unk>``."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = dict(vocabulary)
        for word, number in self.vocabulary.items():
            if (
                not isinstance(word, str)
                or isinstance(number, bool)
                or not isinstance(number, int | np.integer)
            ):
                raise InputError(
                    Argument("encode"),
                    f" must map words to ids; it has {shown(word)}: {shown(number)}",
                )
        super().__init__(self.vocabulary, self._first(_UNKNOWN), self._first(_PADDING))

    def _first(self, names: Sequence[str]) -> int | None:
        return next((self.vocabulary[one] for one in names if one in self.vocabulary), None)


class TokenizerEncoder(Encoder):
    """A fast tokenizer of Hugging Face's; it neither cuts nor pads."""

    def __init__(self, tokenizer: Any) -> None:  # of a package that is not imported
        if not getattr(tokenizer, "is_fast", False):
            raise InputError(
                Argument("encode"),
                f": {type(tokenizer).__name__} is no fast tokenizer, and does not say which "
                "characters its pieces are of; load it with use_fast=True",
            )
        self.tokenizer = tokenizer
        self.pad, self.mask = tokenizer.pad_token_id, tokenizer.mask_token_id

    @property
    def settings(self) -> dict[str, Any]:
        """The tokenizer's file, and what its special tokens are called."""
        names = {f"{one}_token": getattr(self.tokenizer, f"{one}_token") for one in SPECIAL}
        special = {name: str(token) for name, token in names.items() if token is not None}
        file = json.loads(self.tokenizer.backend_tokenizer.to_str())
        return {"tokenizer": {**file, "special": special}}

    def ids_and_spans(self, document: Document, text: str) -> tuple[Any, Any]:
        """Return what the tokenizer says, special tokens included."""
        said = self.tokenizer(
            storable(text),  # as long; halves of surrogate pairs are errors there
            return_offsets_mapping=True,
            truncation=False,
            padding=False,
            verbose=False,
        )
        spans = said["offset_mapping"]
        return said["input_ids"], spans

    def known(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are pieces that the tokenizer has."""
        unknown = self.tokenizer.unk_token_id
        same: NDArray[np.bool_] = ids != (-1 if unknown is None else unknown)
        return same


def tokenizer_of(stored: dict[str, Any]) -> TokenizerEncoder:
    """Return the tokenizer whose file, with its padding and mask, was stored."""
    check_installed("transformers", "transformers")
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    settings = dict(stored)
    names = settings.pop("special", {})
    check_ids(settings)
    try:
        with panics_as_errors():
            inner = Tokenizer.from_str(json.dumps(settings))
            return TokenizerEncoder(PreTrainedTokenizerFast(tokenizer_object=inner, **names))
    except Exception as error:
        raise InputError(f"the folder's tokenizer is none ({reason(error)})") from error


def check_ids(stored: Mapping[str, Any]) -> None:
    """Raise if a tokenizer's file has ids beyond reason: the package counts up to the largest."""
    model, added = stored.get("model"), stored.get("added_tokens")
    words = model.get("vocab") if isinstance(model, dict) else None
    ids = list(words.values()) if isinstance(words, dict) else []
    for one in added if isinstance(added, list) else ():
        ids += [one.get("id")] if isinstance(one, dict) else []
    largest = max((number for number in ids if isinstance(number, int)), default=0)
    if largest > _LARGEST_ID:
        raise InputError(f"the folder's tokenizer is none: it has the id {shown(largest)}")


def encoder_of(encode: object) -> Encoder:
    """Return the encoder that somebody's is; raise if it is none."""
    if isinstance(encode, Encoder):
        return encode
    if isinstance(encode, Mapping):
        return VocabularyEncoder(encode)
    if hasattr(encode, "backend_tokenizer") or hasattr(encode, "is_fast"):
        return TokenizerEncoder(encode)
    if callable(encode):
        return FunctionEncoder(encode)
    raise InputError(
        Argument("encode"),
        " must be a function from a text to (ids, spans), a fast tokenizer of Hugging Face's, or a "
        f"dict from words to ids, not {shown(encode)}",
    )


def _checked(ids: Any, spans: Any, length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and spans as arrays; raise if they are none."""
    try:
        numbers = np.asarray(ids if not hasattr(ids, "tolist") else ids.tolist())
        bounds = np.asarray(spans if not hasattr(spans, "tolist") else spans.tolist())
    except (TypeError, ValueError) as error:
        raise InputError(
            Argument("encode"), " must return ids (n,) and spans (n, 2) of whole numbers"
        ) from error
    numbers = numbers.astype(np.int64) if not numbers.size else numbers
    bounds = bounds.reshape(-1, 2).astype(np.int64) if not bounds.size else bounds
    whole = numbers.dtype.kind in "iu" and bounds.dtype.kind in "iu"
    if not whole or numbers.ndim != 1 or bounds.shape != (len(numbers), 2):
        raise InputError(
            Argument("encode"),
            f" must return ids (n,) and spans (n, 2) of whole numbers, not {numbers.shape} and "
            f"{bounds.shape}",
        )
    if len(numbers) > LONGEST:
        raise InputError(f"a text has {len(numbers):,} tokens; there may be {LONGEST:,}")
    wrong = (bounds[:, 0] < 0) | (bounds[:, 1] < bounds[:, 0]) | (bounds[:, 1] > length)
    if wrong.any():
        start, end = bounds[int(np.argmax(wrong))].tolist()
        raise InputError(
            Argument("encode"),
            f" returned the span [{start}, {end}) of a text of {length} characters",
        )
    return numbers.astype(np.int64), bounds.astype(np.int64)
