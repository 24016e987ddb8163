"""The kinds of model by name, and from a folder back to the model that was saved in it."""

from pathlib import Path
from typing import Any

from whyword.base.checks import expand_path
from whyword.base.errors import InputError
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator
from whyword.models.imported import PREFIX, import_model
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.stored import upgraded
from whyword.models.store import read_model, without_added

KINDS: dict[str, type[Estimator]] = {}


def register_kind(kind: type[Estimator]) -> type[Estimator]:
    """Let :func:`load_model` know a kind of model, by its name; return it."""
    KINDS[kind.kind] = kind
    return kind


register_kind(CNNClassifier)
register_kind(SVMClassifier)
register_kind(PipelineClassifier)


def load_model(source: str | Path) -> Any:  # noqa: ANN401 - an Estimator, or anybody's model
    """Load a model.

    Parameters
    ----------
    source : str or Path
        A folder that :meth:`save` wrote, in which nothing is ever run; or ``"py:module:name"``,
        an object in your own code, which is imported and so does run: anything with
        ``predict_proba(list of str)``.
    """
    if str(source).startswith(PREFIX):
        return import_model(str(source))
    path = expand_path(source)
    tensors, configuration = upgraded(*read_model(path))
    kind = configuration.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{path} holds a model of kind {kind!r:.60}; known: {', '.join(KINDS)}")
    verdict = f"{path} is not a whole model"
    model = KINDS[kind].restore(verdict, tensors, without_added(configuration))
    model.remember_identity(configuration["identity"])
    return model
