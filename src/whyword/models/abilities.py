"""What a model may be able to, or know, beyond the protocol: a small class each.

Whoever has a use for one asks ``isinstance(model, …)``; nobody asks which kind of model it is.
What a model's *traces* can do stands in ``protocol.py``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

from whyword.words.reader import Reader

LazyIdentity: TypeAlias = str | Callable[[], str | None] | None


class Trained(ABC):
    """Its training is known: the words it has seen, and weights that can be shuffled.

    Attributes
    ----------
    shuffled_layers : tuple of str
        What :meth:`shuffled` takes.
    """

    shuffled_layers: ClassVar[tuple[str, ...]] = ("all",)

    @property
    @abstractmethod
    def training_words(self) -> Collection[str] | None:
        """The lower-cased words of the training texts; None if nobody knows them any more."""

    @abstractmethod
    def shuffled(self, layers: str, seed: int) -> Self:
        """Return a copy with weights in random order."""


class Reading(ABC):
    """It reads texts by a reader of ours, so that it is known what it does not read."""

    @property
    @abstractmethod
    def reader_(self) -> Reader:
        """How it reads."""

    @abstractmethod
    def with_reader(self, reader: Reader) -> Self:
        """Return a copy with the same weights that reads otherwise, and so has another identity.

        What the reader ignores is deleted, as a word is that
        :class:`~whyword.models.protocol.TextClassifier` is told to delete.
        """


def removal_by_source(model: object) -> tuple[str, ...] | None:
    """Return what a source is to remove from the texts that a model reads, for ``remove``.

    Nothing if the model's reader has been told what to remove, for then it sees to that itself;
    else None: what the source has as a rule of its own.
    """
    told = isinstance(model, Reading) and model.reader_.remove is not None
    return () if told else None


class Layered(ABC):
    """It has hidden layers with names, at which relevance can be read.

    Its traces' rule has the parameter ``layer`` (of the method "lrp"): a word's relevance there is
    that of its positions, and the constant is what is booked above the layer.
    """

    @property
    @abstractmethod
    def layer_names(self) -> Sequence[str]:
        """Their names, in the order in which a text goes through them."""


class Recorded(ABC):
    """It has choices of its own that every explanation is to record."""

    @property
    @abstractmethod
    def recorded(self) -> Mapping[str, Any]:
        """What is added to the ``parameters`` of explanations: plain values by name."""


class Weighed(ABC):
    """It is known how large it is."""

    @property
    @abstractmethod
    def n_bytes(self) -> int | None:
        """The bytes of all its numbers and words; None if some of it is somebody's function."""


class Shiftable(ABC):
    """The zero of its input can be moved without a change of its scores."""

    @abstractmethod
    def shifted(self, shift: float) -> Self:
        """Return a copy with inputs moved by a constant, and biases that make up for it."""

    @abstractmethod
    def is_shiftable(self, text: str) -> bool:
        """Return whether all that the model sees of a text moves: padding does not."""


class Hashed(ABC):
    """Its identity is a hash of all its weights, which takes time."""

    @abstractmethod
    def lazy_identity(self) -> LazyIdentity:
        """Return the identity that the model has now, or what computes it when it is called.

        Until then it refers to the weights: those that are changed in place are hashed as changed.
        """

    def remember_identity(self, identity: str) -> None:  # noqa: B027 - some need not
        """Keep the identity that its folder has, if that is the one it would compute."""


class Caching(ABC):
    """It can keep what it computed of words that come again."""

    @abstractmethod
    def cache_words(self, budget: int = ...) -> Self:
        """Keep answers to words from call to call, in so many bytes, and return itself."""

    @abstractmethod
    def cache_frequent_words(self, texts: Iterable[str], budget: int) -> Self:
        """Return a copy that has the answers to words which the texts have most often.

        Its numbers depend on these texts and the budget alone, not on what it was asked before.
        """
