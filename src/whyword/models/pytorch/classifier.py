"""Somebody's PyTorch text classifier."""

import copy
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import nn

from whyword.base.checks import expand_path, flag, strings, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.base.tensors import Tensors
from whyword.models.abilities import (
    Hashed,
    Layered,
    LazyIdentity,
    Reading,
    Recorded,
    Trained,
    Weighed,
)
from whyword.models.blackbox import checked_labels, checked_name
from whyword.models.erasure import deleted_words
from whyword.models.multilabel import chosen_labels, thresholds_of
from whyword.models.probabilities import check_finite
from whyword.models.protocol import Positions, Scores
from whyword.models.pytorch.encoding import LONGEST, Deletion, Encoded, encoder_of
from whyword.models.pytorch.module_checks import sample_texts, warn_of_words
from whyword.models.pytorch.module_weights import (
    module_digest,
    shuffled_module,
    weights_bytes,
    weights_state,
)
from whyword.models.pytorch.network import Network
from whyword.models.pytorch.pieces import with_symbols
from whyword.models.pytorch.stored import builder_name, restored, to_stored
from whyword.models.pytorch.trace import LabelsTorchTrace, TorchTrace
from whyword.models.store import write_model
from whyword.models.stored_reader import reader_settings, taken_away
from whyword.words.document import Document, Text
from whyword.words.reader import Reader

_DOCUMENTS = 64  # of a block,
_READ = 1 << 20  # and tokens, where nothing is kept of them
_CHECKED = 32  # every so many blocks, the frozen pass is compared with the module's own

log = logging.getLogger(__name__)


class TorchClassifier(Reading, Hashed, Trained, Layered, Recorded, Weighed):
    """Somebody's PyTorch text classifier, explained exactly.

    Parameters
    ----------
    module : nn.Module
        In eval mode, with float weights, on the CPU. It is called with ids (B, T), with
        ``attention_mask`` (B, T) if its ``forward`` has that, and returns scores (B, C) or
        something with ``.logits``. (B,) or (B, 1) is the score s of the second of two classes: the
        scores are (−s, s). Of a module that returns softmax, log-softmax or sigmoid, the input of
        that function is the score.
    encode : callable, fast tokenizer or dict
        From a text to ``(ids, spans)``, spans [start, end) in code points (empty for special
        tokens); a fast tokenizer of Hugging Face's; or a dict from words to ids, for the words of
        our own tokeniser.
    classes : iterable of C labels
    pad : int, optional
        The padding id; by default the tokenizer's, or that of a dict with ``<pad>``.
    min_length : int
        How many tokens a text has at least: convolutions need some.
    window : int, optional
        How many tokens are read at a time, special ones included; by default as many as the
        module's table of positions has places for, or all if it has none. What is longer is read in
        windows of that size, and its scores are the means of theirs.
    embeddings : str or nn.Module, optional
        The table of the words' vectors, where it is not found by itself.
    deletion : {"zero", "mask", "pad", "cut"}, optional
        What deleting a word means: its vectors are zeros, its ids are replaced by `mask` or by
        `pad`, which the attention mask hides, or it is cut out of the text. By default "pad", which
        disturbs least, if the module has an attention mask and does not see what that hides; else
        "zero".
    mask : int, optional
        The id of ``deletion="mask"``; by default the tokenizer's.
    multilabel : bool
        Whether the scores are of independent labels, of which several are predicted, or none.
    threshold : float, mapping or iterable of C floats
        The probability from which on a label is predicted: one for all, or one for each.
    name : str, optional
        What tells it from other models, where `encode` is a function: whoever changes that
        changes the name.
    reader : Reader, optional
        How words are found, to which pieces are added up.

    Examples
    --------
    ::

        model = TorchClassifier(module.eval(), tokenizer, ["ham", "spam"])
        explain(model, "You have won!")
    """

    kind = "torch"
    is_built = True
    trace_kind: type[TorchTrace] = TorchTrace
    shuffled_layers = ("all", "output")
    training_words = None

    def __init__(
        self,
        module: nn.Module,
        encode: object,
        classes: Iterable[Any],
        *,
        pad: int | None = None,
        min_length: int = 1,
        window: int | None = None,
        embeddings: str | nn.Module | None = None,
        deletion: str | None = None,
        mask: int | None = None,
        multilabel: bool = False,
        threshold: float | Mapping[Any, float] | Iterable[float] = 0.5,
        name: str | None = None,
        reader: Reader | None = None,
    ) -> None:
        self.module, self.encoder = module, encoder_of(encode)
        self.classes_ = checked_labels(classes)
        if flag("multilabel", multilabel):
            self.trace_kind = LabelsTorchTrace
        elif not (isinstance(threshold, float) and threshold == 0.5):
            raise InputError(
                Argument("threshold"), " is for several labels: say ", Argument("multilabel", True)
            )
        elif len(self.classes_) < 2:
            raise InputError(Argument("classes"), " must be two at least")
        self.thresholds_ = thresholds_of(threshold, self.classes_)
        self.name = checked_name(name)
        self._reader = Reader.of(reader)
        pad = self.encoder.pad if pad is None else whole_number("pad", pad, least=0)
        mask = None if mask is None else whole_number("mask", mask, least=0)
        least = whole_number("min_length", min_length, most=LONGEST)
        size = None if window is None else whole_number("window", window, most=LONGEST)
        one_score = not self.is_multilabel  # may stand for two classes
        count = len(self.classes_)
        self.network = Network(module, count, pad, least, embeddings, one_score, size)
        samples = sample_texts(getattr(self.encoder, "vocabulary", None), least)
        self.network.look([self.encoder(one) for one in self.documents(samples)])
        self.deletion = Deletion.of(deletion, self.encoder, pad, mask, self.network.hides)
        if pad is not None and not self.network.pads:
            log.warning(
                "%s says something else of a text beside longer ones: only texts of equal length "
                "are read together",
                type(module).__name__,
            )
        warn_of_words(getattr(self.encoder, "vocabulary", {}), self._reader.tokenizer)
        self._identity: tuple[object, str | None] | None = None

    def __repr__(self) -> str:
        return f"TorchClassifier({type(self.module).__name__}, {len(self.classes_)} classes)"

    # ---- what it is ---------------------------------------------------------------------------

    @property
    def reader_(self) -> Reader:
        """How words are found, to which pieces are added up."""
        return self._reader

    def with_reader(self, reader: Reader) -> Self:
        """Return a copy with the same module that reads otherwise."""
        other = copy.copy(self)
        other._reader, other._identity = Reader.of(reader), None
        return other

    @property
    def provenance_(self) -> dict[str, Any]:
        """The name that it was given, and what was taken away: who trained it is not known."""
        named = {} if self.name is None else {"name": self.name}
        return named | taken_away(self._reader)

    @property
    def recorded(self) -> dict[str, Any]:
        """What explanations record of it."""
        return {"deletion": self.deletion.how}

    @property
    def layer_names(self) -> list[str]:
        """The names of the module's parts."""
        return [name for name, _ in self.module.named_modules() if name]

    @property
    def identity(self) -> str | None:
        """The sha256 of weights and encoding; None if a function encodes and there is no name."""
        settings = self.encoder.settings if self.name is None else {"name": self.name}
        if settings is None:
            return None
        state = weights_state(self.module)
        if self._identity is None or self._identity[0] != state:
            self._identity = (state, self._hash(settings))
        return self._identity[1]

    @property
    def n_bytes(self) -> int:
        """The bytes of the module's parameters and buffers, each once."""
        return weights_bytes(self.module)

    def lazy_identity(self) -> LazyIdentity:
        """Return what computes the identity when it is called."""
        return lambda: self.identity

    def _hash(self, settings: Mapping[str, Any]) -> str | None:
        try:
            reading = reader_settings(self._reader)
        except InputError:
            return None
        facts = [
            module_digest(self.module),
            list(map(str, self.classes_)),
            settings,
            reading,
            (self.network.pad, self.network.min_length, self.network.window),
            (self.deletion.how, self.deletion.id),
            (self.trace_kind.__name__, self.thresholds_.tolist()),
        ]
        return hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()

    def shuffled(self, layers: str, seed: int) -> "TorchClassifier":
        """Return a copy whose weights are in random order: all of them, or the last layer's."""
        other = copy.copy(self)
        other.module = shuffled_module(self.module, layers, seed)
        other._identity, other.name = None, self.name and f"{self.name}, {layers} shuffled {seed}"
        other.network = copy.copy(self.network)
        other.network.adopt(other.module, self.module)
        return other

    @property
    def is_multilabel(self) -> bool:
        """Whether several labels are predicted, or none."""
        return issubclass(self.trace_kind, LabelsTorchTrace)

    def save(
        self, folder: str | Path, builder: str, arguments: Mapping[str, Any] | None = None
    ) -> str:
        """Write the weights to a folder, with what is needed to build the module again.

        Parameters
        ----------
        folder : str or Path
        builder : str
            The name of what builds the module, as :func:`~whyword.pytorch.builder` registers it, or
            ``module:function``, which whoever loads the folder names. It returns the module, or
            ``(module, encode)`` where `encode` is a function.
        arguments : dict, optional
            That it is called with: plain data.

        Returns
        -------
        str
            The sha256 of the folder's weights and settings. The loaded model's :attr:`identity` is
            this one's.
        """
        given = {} if arguments is None else arguments
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise InputError(Argument("arguments"), f" must be values by name, not {shown(given)}")
        stored = to_stored(self, builder_name("builder", builder), given)
        return write_model(expand_path(folder), *stored)

    @classmethod
    def restore(
        cls,
        verdict: str,
        tensors: Tensors,
        configuration: Mapping[str, Any],
        build: Callable[..., Any] | str | None = None,
    ) -> "TorchClassifier":
        """Return the model of a folder; see :meth:`~whyword.models.estimator.Estimator.restore`.

        Parameters
        ----------
        verdict, tensors, configuration
        build : callable or str, optional
            What builds the module, or ``module:function``; by default the registered one.
        """
        module, encode, classes, options = restored(verdict, tensors, configuration, build)
        return cls(module, encode, classes, **options)

    # ---- reading ------------------------------------------------------------------------------

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with their words; what is no word, too, if the module sees it."""
        for text in texts:
            if isinstance(text, Document):
                yield text
            else:
                (document,) = self._reader.documents([text])
                yield self.with_units(document)

    def with_units(self, document: Document) -> Document:
        """Return a document as a reader has it with what is no word, too, if the module sees it."""
        if not self.encoder.sees_symbols:
            return document
        return self._reader.ignore_words(with_symbols(document))

    def encoded(self, document: Document) -> Encoded:
        """Return what the module reads of a document: words that are ignored are deleted."""
        whole = self.encoder(document)
        return self.encoder.without(document, whole, document.are_ignored, self.deletion)

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[TorchTrace]:
        """Yield the texts in blocks; see :class:`~whyword.models.protocol.TextClassifier`."""
        explained = columns > 0
        for number, some in enumerate(self._blocks(self.documents(texts), explained)):
            documents, whole = [one for one, _ in some], [one for _, one in some]
            gone = [deleted_words(deleted, one) | one.are_ignored for one in documents]
            yield self._trace(documents, whole, gone, explained, number % _CHECKED == 0)

    def _blocks(
        self, documents: Iterable[Document], explained: bool
    ) -> Iterator[list[tuple[Document, Encoded]]]:
        """Yield some documents at a time: as many as may be kept with their ways back."""
        network = self.network
        most = network.most_tokens if explained else _READ
        some: list[tuple[Document, Encoded]] = []
        tokens = 0
        for document in documents:
            encoded = self.encoder(document)
            read = network.window.tokens(encoded)
            if some and (len(some) == _DOCUMENTS or tokens + read > most):
                yield some
                some, tokens = [], 0
            some.append((document, encoded))
            tokens += read
        if some:
            yield some

    def _trace(
        self,
        documents: list[Document],
        whole: list[Encoded],
        gone: list[NDArray[np.bool_]],
        explained: bool,
        check: bool,
    ) -> TorchTrace:
        def without(number: int, words: NDArray[np.bool_]) -> Encoded:
            return self.encoder.without(documents[number], whole[number], words, self.deletion)

        texts = [without(number, words) for number, words in enumerate(gone)]
        trace = self.trace_kind(
            self.network, documents, texts, without, gone, explained=explained, check=check
        )
        if isinstance(trace, LabelsTorchTrace):
            trace.thresholds = self.thresholds_
        return trace

    # ---- predictions --------------------------------------------------------------------------

    def class_scores(self, texts: Iterable[str]) -> Scores:
        """Return the scores of all classes, (texts, C)."""
        scores = [trace.scores for trace in self.trace(strings("texts", texts))]
        return np.concatenate([np.empty((0, len(self.classes_))), *scores])

    def decision_function(self, texts: Iterable[str]) -> Scores:
        """Return the scores, (texts, C); of two classes s₁ − s₀, or the single s, (texts,)."""
        scores = self.class_scores(texts)
        if scores.shape[1] != 2 or self.is_multilabel:
            return scores
        of_two: Scores = scores[:, 1] if self.network.single else scores[:, 1] - scores[:, 0]
        return of_two

    def predict_proba(self, texts: Iterable[str]) -> Scores:
        """Return the probability of each class, (texts, C)."""
        traces = self.trace(strings("texts", texts))
        chances = [trace.probabilities for trace in traces]
        return np.concatenate([np.empty((0, len(self.classes_))), *chances])

    def predict(self, texts: Iterable[str]) -> Any:
        """Return the class of each text, (texts,); of several labels, a list of tuples."""
        if self.is_multilabel:
            said = self.predict_proba(texts) >= self.thresholds_
            return [chosen_labels(row, self.classes_) for row in said]
        best = check_finite(self.class_scores(texts)).argmax(axis=1)
        predicted: NDArray[Any] = np.asarray(self.classes_)[best]
        return predicted
