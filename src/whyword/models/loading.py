"""From a folder back to the model that was saved in it."""

from pathlib import Path

from whyword.base.checks import expanded
from whyword.base.errors import InputError
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.store import read_model

_KINDS: dict[str, type[CNNClassifier] | type[SVMClassifier]] = {
    "cnn": CNNClassifier,
    "svm": SVMClassifier,
}


def load_model(folder: str | Path) -> CNNClassifier | SVMClassifier:
    """Load a model that :meth:`save` wrote; nothing in the folder is ever run."""
    path = expanded(folder)
    tensors, configuration = read_model(path)
    kind = configuration.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(f"{path} holds a model of kind {kind!r}; known: {', '.join(_KINDS)}")
    try:
        model = _KINDS[kind].from_stored(tensors, configuration)
        model.remember_identity(configuration["identity"])
        return model
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{path} is not a whole model: {error!r}") from None
