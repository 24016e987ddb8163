"""The kinds of model by name, and from a folder back to the model that was saved in it."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from whyword.base.checks import check_installed, expand_path
from whyword.base.errors import Argument, InputError
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator
from whyword.models.imported import import_model, names_import
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.stored import upgraded
from whyword.models.store import read_model, without_added

_OF_TORCH = "torch"  # a kind that is only imported if it is needed


class Lazy(NamedTuple):
    """What is only imported if it is needed: a kind of model.

    Attributes
    ----------
    module, name : str
        Where it is.
    needs : tuple of str
        The packages that it needs; an extra of the last one's name installs them all.
    """

    module: str
    name: str
    needs: tuple[str, ...]

    def load(self) -> Any:  # noqa: ANN401 - a class like an Estimator
        """Return it; raise if what it needs is not installed."""
        check_installed(self.needs[-1], *self.needs)
        return getattr(import_module(self.module), self.name)


KINDS: dict[str, type[Estimator] | Lazy] = {}


def register_kind(kind: type[Estimator]) -> type[Estimator]:
    """Let :func:`load_model` know a kind of model, by its name; return it."""
    KINDS[kind.kind] = kind
    return kind


register_kind(CNNClassifier)
register_kind(SVMClassifier)
register_kind(PipelineClassifier)
KINDS["recurrent"] = Lazy("whyword.models.pytorch.recurrent", "RecurrentClassifier", ("torch",))
KINDS["characters"] = Lazy("whyword.models.pytorch.characters", "CharacterClassifier", ("torch",))


def load_model(source: str | Path, build: Callable[..., Any] | str | None = None) -> Any:  # noqa: ANN401 - an Estimator, or anybody's model
    """Load a model.

    Parameters
    ----------
    source : str or Path
        A folder that :meth:`save` wrote, in which nothing is ever run; or ``"py:module:name"``,
        where there is no such folder also ``"module:name"``: what stands in your own code, which
        is imported and so does run, anything that a :class:`~whyword.BlackBox` takes. With
        ``()`` behind it, what the function of that name returns.
    build : callable or str, optional
        What builds the module of a PyTorch model again, or ``"module:function"``, where it is not
        registered (``whyword.pytorch.builder``).
    """
    if not isinstance(source, str | Path):
        raise InputError(f"a model is named by a str or Path, not {type(source).__name__}")
    if names_import(str(source)):
        return import_model(str(source))
    path = expand_path(source)
    tensors, configuration = upgraded(*read_model(path))
    kind = configuration.get("kind")
    verdict = f"{path} is not a whole model"
    if kind == _OF_TORCH:
        check_installed("torch", "torch")
        from whyword.models.pytorch.stored import restore

        return restore(verdict, tensors, without_added(configuration), build)
    if build is not None:
        raise InputError(Argument("build"), f" is for PyTorch models, not for kind {kind!r:.60}")
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join([*KINDS, _OF_TORCH])
        raise InputError(f"{path} holds a model of kind {kind!r:.60}; known: {known}")
    found = KINDS[kind]
    cls = found.load() if isinstance(found, Lazy) else found
    model = cls.restore(verdict, tensors, without_added(configuration))
    model.remember_identity(configuration["identity"])
    return model
