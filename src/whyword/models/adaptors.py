"""How somebody's model is asked: each kind of it has an adaptor, chosen by what the model has.

Nothing is imported for that: a pipeline of Hugging Face's ``transformers`` or of spaCy is known by
its attributes. What comes back is checked by :class:`~whyword.models.blackbox.BlackBox`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError, ModelError
from whyword.base.printable import shown
from whyword.models.probabilities import softmax

_BATCH = 32  # texts that a network is asked of at a time, unless its owner says


class Adaptor(ABC):
    """What a model is asked by.

    Parameters
    ----------
    model : object

    Attributes
    ----------
    output : str
        What it answers: "probability" or "score".
    """

    output: ClassVar[str] = "probability"

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - anybody's
        self.model = model

    @staticmethod
    @abstractmethod
    def is_for(model: Any) -> bool:  # noqa: ANN401 - anybody's
        """Whether a model can be asked so."""

    @abstractmethod
    def ask(self, texts: list[str]) -> object:
        """Return what the model answers, whatever that is."""

    def of_two(self, column: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return what one number for each text, (n,), means for two classes, (n, 2).

        None if it means nothing: a column for each class is needed.
        """
        return None

    def probabilities(self, answers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities that belong to answers, (…, C): themselves if they are such."""
        return answers

    @property
    def classes(self) -> Any:  # noqa: ANN401 - an array or a list
        """The model's own labels; None if it does not say."""
        return getattr(self.model, "classes_", None)

    @property
    def kind(self) -> str:
        """What the model is called: the name of its class."""
        return type(self.model).__name__

    @property
    def named(self) -> str:
        """What an error calls that which was asked."""
        return self.kind


def _has(model: object, *names: str) -> bool:
    return all(callable(getattr(model, name, None)) for name in names)


class PredictProba(Adaptor):
    """Anything with ``predict_proba``, as scikit-learn has it."""

    @staticmethod
    def is_for(model: Any) -> bool:  # noqa: ANN401 - anybody's
        """Whether it has the method."""
        return _has(model, "predict_proba")

    def ask(self, texts: list[str]) -> object:
        """Return (texts, C) probabilities."""
        return self.model.predict_proba(texts)

    @property
    def named(self) -> str:
        """The method."""
        return f"{self.kind}.predict_proba"


class DecisionFunction(Adaptor):
    """Anything with ``decision_function``, as scikit-learn has it: scores."""

    output = "score"

    def of_two(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return −s and s."""
        return np.stack([-column, column], axis=1)

    @staticmethod
    def is_for(model: Any) -> bool:  # noqa: ANN401 - anybody's
        """Whether it has the method."""
        return _has(model, "decision_function")

    def ask(self, texts: list[str]) -> object:
        """Return (texts, C) scores, of two classes (texts,)."""
        return self.model.decision_function(texts)

    def probabilities(self, answers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the softmax; of two classes, which have −s and s, the sigmoid of s."""
        return softmax(answers / 2 if answers.shape[-1] == 2 else answers)

    @property
    def named(self) -> str:
        """The method."""
        return f"{self.kind}.decision_function"


class Function(Adaptor):
    """A function of a list of texts."""

    def of_two(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 − p and p."""
        return np.stack([1 - column, column], axis=1)

    @staticmethod
    def is_for(model: Any) -> bool:  # noqa: ANN401 - anybody's
        """Whether it can be called."""
        return callable(model)

    def ask(self, texts: list[str]) -> object:
        """Return (texts, C) probabilities, or (texts,), those of the second of two classes."""
        return self.model(texts)

    @property
    def kind(self) -> str:
        """The function's name; of what only can be called, that of its class."""
        return str(getattr(self.model, "__name__", type(self.model).__name__))


class _OneAtATime(Adaptor):
    """One that must not be asked by two threads at once."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - anybody's
        super().__init__(model)
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


class HuggingFace(_OneAtATime):
    """A text-classification ``pipeline`` of Hugging Face's ``transformers``.

    Its tokeniser is told to truncate, which changes its state: not by two threads at once.
    """

    _TASKS = ("text-classification", "sentiment-analysis", "")  # "": made without a name

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - anybody's
        super().__init__(model)
        if model.task not in self._TASKS:
            raise InputError(
                f"a pipeline of the task {shown(model.task)} says no class of a text; one of "
                f"{self._TASKS[0]!r} does"
            )

    @staticmethod
    def is_for(model: Any) -> bool:  # noqa: ANN401 - anybody's
        """Whether it is called with texts, and has a task, a tokeniser and names of labels."""
        labels = getattr(getattr(getattr(model, "model", None), "config", None), "id2label", None)
        has_task = isinstance(getattr(model, "task", None), str)
        return callable(model) and has_task and bool(labels) and hasattr(model, "tokenizer")

    @property
    def classes(self) -> list[Any]:
        """The labels in the order of their numbers."""
        labels = self.model.model.config.id2label
        return [labels[number] for number in sorted(labels, key=int)]

    @property
    def _batch_size(self) -> int:
        """The pipeline's own, else some; without padding there is one text at a time."""
        if getattr(self.model.tokenizer, "pad_token_id", None) is None:
            return 1
        own = getattr(self.model, "_batch_size", None)  # what the user gave, or nothing
        return _BATCH if own is None else int(own)

    def ask(self, texts: list[str]) -> object:
        """Return (texts, C) probabilities; what is too long for the model is truncated."""
        with self._lock:
            answers = self.model(texts, top_k=None, truncation=True, batch_size=self._batch_size)
            pairs = ({one["label"]: one["score"] for one in answer} for answer in answers)
            return _rows(pairs, self.classes)


class SpaCy(_OneAtATime):
    """A spaCy pipeline whose documents have ``cats``."""

    @staticmethod
    def is_for(model: Any) -> bool:  # noqa: ANN401 - anybody's
        """Whether it has components, and goes through texts."""
        return _has(model, "pipe", "get_pipe") and hasattr(model, "pipe_names")

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - anybody's
        super().__init__(model)
        if not self.classes:
            raise InputError(
                "the spaCy pipeline says no class of a text: it needs a component 'textcat' or "
                f"'textcat_multilabel' with labels, and has {list(model.pipe_names)!r:.200}"
            )

    @property
    def classes(self) -> list[Any]:
        """The labels of the components that find classes, in their order."""
        made_by = getattr(self.model, "pipe_factories", {})
        names = [str(one) for one in self.model.pipe_names]
        finding = [one for one in names if str(made_by.get(one, one)).startswith("textcat")]
        labels = (label for one in finding for label in self.model.get_pipe(one).labels)
        return list(dict.fromkeys(labels))

    def ask(self, texts: list[str]) -> object:
        """Return (texts, C) scores between 0 and 1."""
        with (
            self._lock
        ):  # what it says of an empty text depends on the texts beside it: asked alone
            said = iter(self.model.pipe([text for text in texts if text]))
            each = (next(said if text else iter(self.model.pipe([""]))) for text in texts)
            return _rows((document.cats for document in each), self.classes)


def _rows(answers: Iterable[Mapping[Any, Any]], classes: Sequence[Any]) -> list[list[Any]]:
    """Return what each answer says of each class; raise if it leaves one out."""
    rows = []
    for answer in answers:
        missing = [label for label in classes if label not in answer]
        if missing:
            raise ModelError(f"an answer has no {missing[0]!r:.60}, which is one of the labels")
        rows.append([answer[label] for label in classes])
    return rows


# the first that fits: pipelines can be called, too, and what has probabilities may have scores
ADAPTORS: tuple[type[Adaptor], ...] = (
    PredictProba,
    HuggingFace,
    SpaCy,
    DecisionFunction,
    Function,
)


def adaptor_for(model: object) -> Adaptor:
    """Return how a model is asked; raise if it is none."""
    if any(kind.__module__ == "torch.nn.modules.module" for kind in type(model).__mro__):
        raise InputError(
            f"{type(model).__name__} is a PyTorch module, which takes numbers of words: wrap it as "
            "TorchClassifier(module, encode, classes)"
        )
    if not isinstance(model, type):
        for adaptor in ADAPTORS:
            if adaptor.is_for(model):
                return adaptor(model)
    name = model.__name__ if isinstance(model, type) else type(model).__name__
    hint = ""
    if isinstance(model, str | Path):
        hint = "; load_model opens a folder"
    elif isinstance(model, type):
        hint = "; this is a class, not an object of it"
    elif _has(model, "predict"):
        hint = "; it has predict alone, and of a class nobody sees what a word adds to it"
    raise InputError(
        f"{name} is no model: one of whyword's, or anything with predict_proba(list of texts) or "
        f"decision_function is needed, or a function from texts to probabilities{hint}"
    )


def as_numbers(answer: object) -> NDArray[np.float64] | None:
    """Return an answer as numbers, whatever its shape; None if it is none.

    Arrays of other packages, tensors among them, are taken by what they have.
    """
    plain: Any = answer
    try:
        if _has(plain, "detach", "cpu", "double"):  # torch's, of any device and precision
            plain = plain.detach().cpu().double()
        array = np.asarray(plain)
    except Exception:  # noqa: BLE001 - ragged lists; somebody's class, which may raise anything
        return None
    # NumPy would read "0.5" as a number, and None as NaN
    return array.astype(np.float64) if array.dtype.kind in "biuf" else None
