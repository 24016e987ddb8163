"""What the rest of the house may ask of a model: a trace of texts, and what the trace can do.

A model traces texts into blocks: one forward pass over some documents, kept. A trace has scores and
words; what it can do more is an ability, a small class each, and a method names the one it needs.
Which abilities a model's traces have is known before any text is read, from its `trace_kind`. So a
new kind of model is one folder with a classifier and its trace; nothing else asks what it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.explanation.phrases import Phrases
from whyword.models.probabilities import check_finite, softmax
from whyword.models.relevance import FilterRelevance, Relevance
from whyword.models.word_groups import WordGroups
from whyword.words.document import Document, Text

Scores: TypeAlias = NDArray[np.float64]
Targets: TypeAlias = NDArray[np.int32]
Positions: TypeAlias = NDArray[np.intp]
Rows: TypeAlias = Any  # (documents, D) float32, or (documents, V) sparse: scipy has no types


class Trace(ABC):
    """One forward pass over n documents, kept.

    Attributes
    ----------
    documents : list of n Document
    known : list of (T,) bool
        Whether the model knows each word; one that is deleted, or that its reader ignores, not.
    scores : (n, C) float64
    output : str
        What the scores are: "score", or "probability" where the model says nothing else.
    is_quick : bool
        Whether a text of a page takes milliseconds, with every word left out once, too.
    all_classes : bool
        Whether the relevance for all classes takes about as long as that for one.
    predicts_anew : bool
        Whether every text without some of its words is a prediction of its own.
    equal_shares : bool
        Whether all occurrences of a word carry equal shares of the word's value.
    """

    documents: Sequence[Document]
    known: Sequence[NDArray[np.bool_]]
    scores: Scores
    output: ClassVar[str] = "score"
    is_quick: ClassVar[bool] = False
    all_classes: ClassVar[bool] = True
    predicts_anew: ClassVar[bool] = False
    equal_shares: ClassVar[bool] = False

    def __len__(self) -> int:
        return len(self.scores)

    def probabilities_of(self, scores: Scores) -> Scores:
        """Return the probabilities that belong to scores, (…, C)."""
        return softmax(scores)

    @property
    def probabilities(self) -> Scores:
        """The model's own, (n, C)."""
        chances = self.probabilities_of(self.scores)
        return check_finite(chances, "probabilities", text=self._text)

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The number of each document's class, (n,)."""
        return self.predicted_from(0)

    def predicted_from(self, first: int) -> NDArray[np.intp]:
        """Return :attr:`predicted`; an error calls the documents ``first``, ``first + 1``, ….

        There is no class where a score is NaN or infinite; a
        :class:`~whyword.base.errors.ModelError` says so.
        """
        check_finite(self.scores, first=first, text=self._text)
        return self.decide(self.scores, lambda: self.probabilities)

    def decide(self, scores: Scores, probabilities: Callable[[], Scores]) -> NDArray[np.intp]:
        """Return the classes that are predicted where this is said, (…); of (…, C) both."""
        best: NDArray[np.intp] = scores.argmax(axis=-1)
        return best

    def recorded(self, number: int) -> Mapping[str, Any]:
        """Return what is added to the ``parameters`` of a document's explanation: plain values."""
        return {}

    def _text(self, number: int) -> str:
        return self.documents[number].text

    @property
    def known_words(self) -> NDArray[np.int64]:
        """How much of each document the model knows, (n,); of a document with 0 it says nothing."""
        return np.array([int(words.sum()) for words in self.known], np.int64)


class TextClassifier(Protocol):
    """All that methods, analysis, evaluation, batch, web and cli may ask of a model."""

    @property
    def classes_(self) -> Any:  # noqa: ANN401 - an array or a list
        """The C labels."""

    @property
    def kind(self) -> str:
        """What it is called: the name of its kind, or of its class."""

    @property
    def identity(self) -> str | None:
        """What tells it from all other models; None if nothing does."""

    @property
    def trace_kind(self) -> type[Trace]:
        """The class of its traces: what they can do."""

    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with the words that the model finds in them.

        They may be handed to :meth:`trace` instead of the texts, which then are not read again;
        documents are returned as they are.
        """

    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[Trace]:
        """Yield the texts in blocks; texts and deleted words are read in step, lazily.

        Parameters
        ----------
        texts : iterable of str or Document
            Documents must be this model's own, of :meth:`documents`.
        deleted : iterator of (n,) intp, optional
            One entry per text: the words, by position, that are deleted before the model looks.
            They stay words of the document.
        columns : int
            How many classes will be explained of each document, if any; it bounds a block's
            memory.
        elements : bool
            Whether relevance is wanted for each input dimension; so does this.
        """


# ---- abilities of a trace ---------------------------------------------------------------------


class Decomposable(ABC):
    """Its scores can be shared out among the words: layer-wise relevance propagation.

    Attributes
    ----------
    rule_parameters : tuple of str
        Which parameters of the method "lrp" its rule has.
    rule_defaults : mapping from str
        Their defaults, where they are not the method's.
    """

    rule_parameters: ClassVar[tuple[str, ...]] = ("bias",)
    rule_defaults: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    def check_rule(cls, settings: dict[str, Any], given: Collection[str]) -> dict[str, Any]:
        """Return the parameters that its rule uses; raise if they do not go together.

        Parameters
        ----------
        settings : dict
            A value for each of `rule_parameters`, checked by itself.
        given : collection of str
            Which of them somebody asked for; the others are defaults.
        """
        return settings

    @classmethod
    def rule_conserves(cls, settings: Mapping[str, Any]) -> bool:
        """Return whether relevance adds up to the score, with these parameters."""
        return True

    @abstractmethod
    def lrp(self, targets: Targets, *, elements: bool = False, **rule: Any) -> Relevance:  # noqa: ANN401
        """Return the words' relevance for (n, K) targets."""


class Differentiable(ABC):
    """Its scores have gradients with respect to the input vectors.

    Attributes
    ----------
    is_piecewise_linear : bool
        Whether gradient × input and the biases add up to the score.
    """

    is_piecewise_linear: ClassVar[bool] = False

    @abstractmethod
    def sensitivity(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return the squared gradient, summed over each word's dimensions."""

    @abstractmethod
    def gradient_input(self, targets: Targets, *, elements: bool = False) -> Relevance:
        """Return the gradient times the input, summed over each word's dimensions."""


class Integrable(ABC):
    """Its gradients can be followed from vectors of zeros to its input."""

    @abstractmethod
    def integrated_gradients(
        self, targets: Targets, *, steps: int, elements: bool = False
    ) -> Relevance:
        """Return the mean gradient on the way times the input, summed over words' dimensions.

        The constant is the score of vectors of zeros; the points are those of
        :func:`~whyword.models.integration.path_points`.
        """

    @classmethod
    def integration_passes(cls, steps: int) -> int:
        """Return how many passes so many steps take."""
        return steps


class Erased(NamedTuple):
    """What a model says of n documents while words go, in R orders, at S numbers of them.

    Attributes
    ----------
    scores, probabilities : (n, R, S, C) float64
    """

    scores: Scores
    probabilities: Scores


class Erasable(Trace):
    """Words can be taken out of its documents."""

    @abstractmethod
    def erase(
        self,
        documents: NDArray[np.intp],
        orders: NDArray[np.int32],
        insert: bool,
        steps: NDArray[np.intp],
    ) -> Erased:
        """Return what the model says after some numbers of words.

        Parameters
        ----------
        documents : (n,) intp
            Which of the trace's documents.
        orders : (n, R, K) int32
            The words, by position, in R orders; −1 changes nothing.
        insert : bool
            Begin without any word, and put them in instead.
        steps : (S,) intp
            After how many words of an order it is asked, increasing, from 0 to K at most. Who is
            asked anew for every text is asked for these only.
        """

    def scores_without(self, groups: WordGroups) -> Scores:
        """Return the scores of each group's document without its words: docs/method.md (41).

        The groups are of the trace's documents, and their words alone are gone, one group at a
        time: (G, C). Who is asked anew for every text is asked once for each group.
        """
        said = [one.scores[0, :, 0] for one in self._erased_groups(groups)]
        return np.concatenate([np.empty((0, self.scores.shape[1])), *said])

    def predicted_without(self, groups: WordGroups) -> NDArray[np.intp]:
        """Return the class that each group's document is given without its words, (G,)."""
        decided = [self.decided(one)[0, :, 0] for one in self._erased_groups(groups)]
        return np.concatenate([np.empty(0, np.intp), *decided])

    def decided(self, erased: Erased) -> NDArray[np.intp]:
        """Return the classes that are predicted while words go, (n, R, S)."""
        return self.decide(erased.scores, lambda: erased.probabilities)

    def _erased_groups(self, groups: WordGroups) -> Iterator[Erased]:
        """Yield what is said without each group of a document, (1, R, 1, C)."""
        groups.check(self.documents)
        for document, orders in groups.orders():
            steps = np.array([orders.shape[1]], np.intp)
            yield self.erase(np.array([document], np.intp), orders[None], False, steps)

    @abstractmethod
    def occlusion(self, targets: Targets) -> Relevance:
        """Return what the targets' scores lose when a word is taken out, one after the other."""


class Embedded(ABC):
    """Its documents are vectors: summaries, maps, search."""

    @abstractmethod
    def uniform(self) -> Relevance:
        """Return weights that are the same for all words."""

    @abstractmethod
    def summary(self, relevance: Relevance, each: bool = False) -> Rows:
        """Return Σ_t R[t]·x[t] of each document, R for the first target.

        With `each`, what each word adds to its document's: (words, …), document after document.
        """


class RarityAware(ABC):
    """How rare words were in its training texts is known."""

    @abstractmethod
    def tfidf(self) -> Relevance:
        """Return weights by that."""


class ElementWise(Embedded):
    """Its words' vectors have dimensions with a relevance of their own.

    The sums are Σ_t R[t, i]·x[t, i] for the first target, without the relevance of single elements
    ever being held; `each` is as for :meth:`Embedded.summary`.
    """

    @abstractmethod
    def lrp_sums(self, targets: Targets, each: bool = False, **rule: Any) -> Rows:  # noqa: ANN401
        """Return the sums for LRP."""

    @abstractmethod
    def sensitivity_sums(self, targets: Targets, each: bool = False) -> Rows:
        """Return the sums for squared gradients."""

    @abstractmethod
    def gradient_input_sums(self, targets: Targets, each: bool = False) -> Rows:
        """Return the sums for gradient × input."""

    @abstractmethod
    def integrated_gradients_sums(
        self, targets: Targets, each: bool = False, *, steps: int
    ) -> Rows:
        """Return the sums for integrated gradients."""


class Filters(NamedTuple):
    """What a network's F filters found in n documents.

    Attributes
    ----------
    activations : (n, F) float32
        Each filter's maximum over the text, 0 if it did not fire.
    starts : (n, F) int32
        The first word of the window that attains it.
    widths : (F,) int32
    """

    activations: NDArray[np.float32]
    starts: NDArray[np.int32]
    widths: NDArray[np.int32]


class Filtered(ABC):
    """It has a layer of filters, each with a relevance of its own."""

    @abstractmethod
    def filters(self) -> Filters:
        """Return what they found."""

    @abstractmethod
    def lrp_filters(self, targets: Targets, **rule: Any) -> FilterRelevance:  # noqa: ANN401
        """Return the filters' relevance for (n, K) targets."""

    @abstractmethod
    def sensitivity_filters(self, targets: Targets) -> FilterRelevance:
        """Return the squared gradient with respect to each filter."""

    @abstractmethod
    def gradient_input_filters(self, targets: Targets) -> FilterRelevance:
        """Return the gradient times the filter's activation."""


class Phrased(ABC):
    """It uses units that may be of several words, each with a relevance of its own.

    What lands on no word is left out, as it is of the words: both add up to the same.
    """

    @abstractmethod
    def lrp_phrases(self, targets: Targets, **rule: Any) -> list[Phrases]:  # noqa: ANN401
        """Return the phrases' relevance for (n, K) targets, of each document."""

    @abstractmethod
    def gradient_input_phrases(self, targets: Targets) -> list[Phrases]:
        """Return the gradient times the input, summed over each phrase."""
