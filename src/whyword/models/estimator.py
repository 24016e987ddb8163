"""scikit-learn's manners, without importing scikit-learn."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import expand_path, items, real_number, strings
from whyword.base.columns import is_missing
from whyword.base.errors import Argument, InputError, WhywordError
from whyword.base.labels import Label, check_storable
from whyword.base.tensors import Tensors
from whyword.models.abilities import Hashed, LazyIdentity, Weighed
from whyword.models.multilabel import MultiLabel, predicted_sets
from whyword.models.probabilities import check_finite, sigmoid, softmax
from whyword.models.protocol import Positions, Trace
from whyword.models.store import identity_when_written, plain_configuration, write_model
from whyword.models.stored import Check, StoredModel
from whyword.words.document import Document, Text

Parts: TypeAlias = dict[str, Any]

_PLAIN = (str, int, float, tuple)


class Estimator(Hashed, Weighed, ABC):
    """Arguments of ``__init__`` are stored untouched; learned names end in ``_``."""

    kind: ClassVar[str]  # under which :func:`~whyword.load_model` knows it
    is_built: ClassVar[bool] = False  # by a function of the user's own, when it is loaded
    _estimator_type = "classifier"
    _identity: "_IdentityOf | None" = None
    classes_: NDArray[np.str_]
    provenance_: dict[str, Any]  # what it was trained on, with which versions, and how well it did

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments the estimator was made with."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Self:  # noqa: ANN401 - as scikit-learn has it
        """Change arguments by name."""
        for name, value in parameters.items():
            if name not in self._parameter_names():
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; "
                    f"it has {', '.join(self._parameter_names())}"
                )
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind who listens to the training: a function need not be fit to be pickled."""
        listened = callable(getattr(self, "on_progress", None))
        state = self.__dict__ | ({"on_progress": False} if listened else {})
        return state | {"_identity": self._kept_identity()}

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str | None:
        """Return what a notebook shows: scikit-learn's diagram, where that is wanted and there."""
        try:
            from sklearn import get_config, utils
        except ImportError:
            return None  # a notebook takes the text
        wanted = get_config()["display"] == "diagram"
        return str(utils.estimator_html_repr(self)) if wanted else None

    def __sklearn_tags__(self) -> object:
        """Tell scikit-learn what this is; only scikit-learn calls it."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(string=True, two_d_array=False),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def check_fitted(self) -> None:
        """Raise unless the model is trained."""
        if not self.__sklearn_is_fitted__():
            raise InputError(f"this {type(self).__name__} is not trained yet; call fit first")

    # ---- keeping ------------------------------------------------------------------------------

    @abstractmethod
    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the tensors and the configuration that :meth:`save` writes."""

    @classmethod
    @abstractmethod
    def from_tensors(cls, stored: StoredModel) -> Self:
        """Put a model together from what :meth:`save` wrote, each part taken, and so checked."""

    @classmethod
    def restore(cls, verdict: str, tensors: Tensors, configuration: Mapping[str, Any]) -> Self:
        """Return the model that these tensors and settings are; raise unless they are all of one.

        Parameters
        ----------
        verdict : str
            What is to be said if they are not, before the reason.
        tensors, configuration
            What :meth:`to_tensors` returned, perhaps; the configuration as plain data.
        """
        settings = {name: value for name, value in configuration.items() if name != "kind"}
        stored = StoredModel(verdict, tensors, settings)
        try:
            model = cls.from_tensors(stored)
        except WhywordError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise stored.fault(repr(error)) from None  # somebody's kind that takes things on trust
        stored.check_all_taken()
        return model

    def save(self, folder: str | Path) -> str:
        """Write the model to a folder and return its identity.

        What :func:`~whyword.load_model` would refuse is not written.
        """
        self.check_fitted()
        tensors, configuration = self.to_tensors()
        verdict = f"this {type(self).__name__} cannot be saved"
        self.restore(verdict, tensors, plain_configuration(configuration))
        identity = write_model(expand_path(folder), tensors, configuration)
        self.remember_identity(identity)
        return identity

    @property
    def n_bytes(self) -> int | None:
        """The bytes of the tensors that :meth:`save` writes; None if it cannot be saved."""
        self.check_fitted()
        with suppress(InputError):
            tensors, _ = self.to_tensors()
            return sum(tensor.nbytes for tensor in tensors.values())
        return None

    @property
    def identity(self) -> str | None:
        """The sha256 of weights and configuration, the same as in the saved model's folder.

        None if it holds somebody's function, so that it cannot be saved.
        """
        identity = self.lazy_identity()
        return identity() if callable(identity) else identity

    def lazy_identity(self) -> LazyIdentity:
        """Return the identity that the model has now, or what computes it when it is called."""
        self.check_fitted()
        kept = self._kept_identity()
        if kept is None:
            parts = self._hashed_parts()
            kept = self._identity = _IdentityOf(parts, _Identity(type(self), parts))
        return kept.identity() if kept.identity.is_known else kept.identity

    def remember_identity(self, identity: str) -> None:
        """Keep the identity of the model as it is now."""
        parts = self._hashed_parts()
        self._identity = _IdentityOf(parts, _Identity(type(self), parts, identity))

    def _kept_identity(self) -> "_IdentityOf | None":
        """Return the identity that was kept, unless it is that of other weights or parameters."""
        kept = self._identity
        is_ours = isinstance(kept, _IdentityOf) and _same(kept.parts, self._hashed_parts())
        return kept if is_ours else None

    def _hashed_parts(self) -> Parts:
        """Return the attributes that the identity is a hash of, and what is saved beside them."""
        parts = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return parts | ({"on_progress": None} if "on_progress" in parts else {})

    # ---- predictions, from the scores of all classes ------------------------------------------

    @property
    @abstractmethod
    def trace_kind(self) -> type[Trace]:
        """The class of its traces: what they can do."""

    @abstractmethod
    def documents(self, texts: Iterable[Text]) -> Iterator[Document]:
        """Return the texts with the words that the model finds in them."""

    @abstractmethod
    def trace(
        self,
        texts: Iterable[Text],
        *,
        deleted: Iterator[Positions] | None = None,
        columns: int = 0,
        elements: bool = False,
    ) -> Iterator[Trace]:
        """Yield the texts in blocks; see :class:`~whyword.models.protocol.TextClassifier`."""

    def class_scores(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the scores of all classes, (documents, classes); (−s, s) for two classes."""
        self.check_fitted()
        scores = [trace.scores for trace in self.trace(strings("texts", texts))]
        return np.concatenate([np.empty((0, len(self.classes_))), *scores])

    def known_words(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return how much of each text the model knows; of a text with 0 it says nothing."""
        self.check_fitted()
        counts = [trace.known_words for trace in self.trace(strings("texts", texts))]
        return np.concatenate([np.empty(0, np.int64), *counts])

    def _temperature(self) -> float:
        """Return what scores are divided by before the softmax."""
        return 1.0

    def decision_function(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the scores: (documents, classes), or (documents,) for two classes."""
        scores = self.class_scores(texts)
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def predict(self, texts: Iterable[str]) -> Any:  # noqa: ANN401 - an array, or a list
        """Return the class of each text, (documents,); of several labels a list of tuples."""
        if issubclass(self.trace_kind, MultiLabel):
            self.check_fitted()
            traces, labels = self.trace(strings("texts", texts)), self.classes_.tolist()
            return [several for trace in traces for several in predicted_sets(trace, labels)]
        best = check_finite(self.class_scores(texts)).argmax(axis=1)
        predicted: NDArray[np.str_] = self.classes_[best]
        return predicted

    def predict_proba(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the probability of each class, (documents, classes)."""
        scores = check_finite(self.class_scores(texts))
        return check_finite(self.probabilities(scores), "probabilities")

    def probabilities(self, scores: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of each class from the scores of all, (documents, classes).

        Of several labels each has its own, and they need not sum to 1.
        """
        if issubclass(self.trace_kind, MultiLabel):
            return sigmoid(scores)
        return softmax(scores / self._temperature())

    def score(self, texts: Iterable[str], labels: Iterable[object]) -> float:
        """Return the share of texts whose class, or labels (all of them), are predicted right."""
        predicted, label_list = self.predict(texts), list(items("labels", labels))
        _check_lengths(label_list, predicted)
        if not label_list:
            raise InputError("there are no texts to score")
        if issubclass(self.trace_kind, MultiLabel):
            pairs = zip(predicted, label_list, strict=True)
            return float(np.mean([set(said) == set(items("labels", true)) for said, true in pairs]))
        return float(np.mean(predicted == np.asarray(label_list)))


class _Identity:
    """The identity of a model as it was, computed when somebody asks; then it lets go of the model.

    Parameters
    ----------
    kind : type
    parts : dict
        The attributes that it is a hash of.
    known : str, optional
        Where it is known already.
    """

    def __init__(self, kind: type[Estimator], parts: Parts, known: str | None = None) -> None:
        self._kind, self._value = kind, known
        self._parts = parts if known is None else None

    @property
    def is_known(self) -> bool:
        """Whether it has been computed."""
        return self._parts is None

    def __call__(self) -> str | None:
        parts = self._parts
        if parts is not None:
            model = self._kind.__new__(self._kind)
            vars(model).update(parts)
            with suppress(InputError):  # it holds somebody's function: it cannot be saved
                self._value = identity_when_written(*model.to_tensors())
            self._parts = None
        return self._value


class _IdentityOf(NamedTuple):
    """An identity, and the attributes of the model that had it."""

    parts: Parts
    identity: _Identity


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the values are the same objects; of plain ones, which a copy has anew, equal."""
    return one.keys() == other.keys() and all(
        value is other[name] or (isinstance(value, _PLAIN) and value == other[name])
        for name, value in one.items()
        if name != "provenance_"  # no part of the identity
    )


def check_training_data(
    texts: Iterable[str], labels: Iterable[object]
) -> tuple[list[str], NDArray[np.str_], NDArray[np.intp]]:
    """Return texts, the sorted classes, and the class number of each text; raise if unfit."""
    checked, label_list = strings("texts", texts), list(items("labels", labels))
    _check_lengths(label_list, checked)
    if not checked:
        raise InputError("there are no texts to train on")
    for number, label in enumerate(label_list):
        if is_missing(label):
            raise InputError(f"label {number} is missing ({label!r})")
        if isinstance(label, float) and np.isinf(label):
            raise InputError(f"label {number} is no number to keep: {label!r}")
        if not isinstance(label, str | bool | int | float | np.bool_ | np.integer | np.floating):
            kind = type(label).__name__
            if isinstance(label, tuple | list | set | frozenset | np.ndarray):
                kind += ": it learns one class for each text, not several labels"
            raise InputError(f"label {number} must be a string or a number, not {kind}")
    check_storable(label_list)
    classes, numbers = np.unique(np.asarray(label_list), return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"there is only one class ({classes[0]}); at least two are needed")
    return checked, classes, numbers


def _check_lengths(labels: Sized, texts: Sized) -> None:
    if len(labels) != len(texts):
        said = f" differ in length: {len(labels)} ≠ {len(texts)}"
        raise InputError(Argument("labels"), " and ", Argument("texts"), said)


def class_weights(
    class_weight: str | Mapping[Any, float] | None, classes: NDArray[Any], numbers: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return the weight of each class: 1, by inverse frequency ("balanced"), or as given."""
    check_class_weight(class_weight, classes)
    if class_weight is None:
        return np.ones(len(classes), np.float32)
    if isinstance(class_weight, str):
        counts = np.bincount(numbers, minlength=len(classes))
        return (len(numbers) / (len(classes) * counts)).astype(np.float32)
    return np.array([class_weight.get(label, 1.0) for label in classes.tolist()], np.float32)


def check_class_weight(class_weight: object, classes: NDArray[Any]) -> None:
    """Raise unless it is None, "balanced", or positive weights of some of the classes."""
    name = Argument("class_weight")
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise InputError(name, f" may be None, 'balanced' or a dict, not {class_weight!r}")
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise InputError(name, f" names {unknown[0]!r}, which is no class")
    for label, weight in class_weight.items():
        real_number(f"class_weight[{label!r}]", weight, above=0)


def stored_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as a saved model has them: JSON has no dicts with numbers as keys."""
    stored = dict(parameters)
    if isinstance(stored.get("class_weight"), Mapping):
        stored["class_weight"] = list(stored["class_weight"].items())
    return stored


def stored_class_weight(classes: NDArray[Any]) -> Check[Any]:
    """Return the check of a class weight in :func:`stored_parameters`, which gives it back."""

    def check(name: str, value: object) -> object:
        weights = value
        if isinstance(value, list):
            if not all(
                isinstance(one, list) and len(one) == 2 and isinstance(one[0], Label)
                for one in value
            ):
                raise InputError(f"{name} must be pairs of label and weight, not {value!r:.60}")
            weights = {label: weight for label, weight in value}
        check_class_weight(weights, classes)
        return weights

    return check
