"""The kinds of model by name, and from a folder back to the model that was saved in it."""

from pathlib import Path
from typing import Any

from whyword.base.checks import expand_path
from whyword.base.errors import InputError
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator
from whyword.models.imported import import_model, names_import
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.store import read_model, without_added

KINDS: dict[str, type[Estimator]] = {}


def register_kind(kind: type[Estimator]) -> type[Estimator]:
    """Let :func:`load_model` know a kind of model, by its name; return it."""
    KINDS[kind.kind] = kind
    return kind


register_kind(CNNClassifier)
register_kind(SVMClassifier)


def load_model(source: str | Path) -> Any:  # noqa: ANN401 - an Estimator, or anybody's model
    """Load a model.

    Parameters
    ----------
    source : str or Path
        A folder that :meth:`save` wrote, in which nothing is ever run; or ``"py:module:name"``,
        where there is no such folder also ``"module:name"``: what stands in your own code, which
        is imported and so does run, anything that a :class:`~whyword.BlackBox` takes. With
        ``()`` behind it, what the function of that name returns.
    """
    if names_import(str(source)):
        return import_model(str(source))
    path = expand_path(source)
    tensors, configuration = read_model(path)
    kind = configuration.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{path} holds a model of kind {kind!r:.60}; known: {', '.join(KINDS)}")
    verdict = f"{path} is not a whole model"
    model = KINDS[kind].restore(verdict, tensors, without_added(configuration))
    model.remember_identity(configuration["identity"])
    return model
