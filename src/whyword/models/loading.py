"""The kinds of model by name, and from a folder back to the model that was saved in it."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from whyword.base.checks import check_installed, exists, expand_path
from whyword.base.errors import Argument, InputError
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator
from whyword.models.imported import HUB, import_model, names_import
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.stored import upgraded
from whyword.models.store import CONFIGURATION, read_model, without_added

_FOREIGN = ("config.json", "adapter_config.json")  # what Hugging Face's folders have


class Lazy(NamedTuple):
    """What is only imported if it is needed: a kind of model, a function.

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

    def load(self) -> Any:  # noqa: ANN401 - a class like an Estimator, or a function
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
KINDS["torch"] = Lazy("whyword.models.pytorch.classifier", "TorchClassifier", ("torch",))
_TRANSFORMERS = ("torch", "transformers")
_TRANSFORMER = Lazy("whyword.models.pytorch.transformer", "TransformerClassifier", _TRANSFORMERS)
KINDS["transformer"] = _TRANSFORMER
_FROM_HUB = Lazy("whyword.models.pytorch.hub", "hub_folder", _TRANSFORMERS)
KINDS["recurrent"] = Lazy("whyword.models.pytorch.recurrent", "RecurrentClassifier", ("torch",))
KINDS["characters"] = Lazy("whyword.models.pytorch.characters", "CharacterClassifier", ("torch",))


def kind_named(name: str) -> Any:  # noqa: ANN401 - a class like an Estimator
    """Return a kind of model by its name; raise if what it needs is not installed."""
    kind = KINDS[name]
    return kind.load() if isinstance(kind, Lazy) else kind


def load_model(source: str | Path, build: Callable[..., Any] | str | None = None) -> Any:  # noqa: ANN401 - an Estimator, or anybody's model
    """Load a model.

    Parameters
    ----------
    source : str or Path
        A folder that ``save`` wrote, or one of Hugging Face's with a classifier of texts, in
        which nothing is ever run; ``"hf:owner/name"``, such a folder on their hub; or
        ``"py:module:name"``, where there is no such folder also ``"module:name"``: what stands in
        your own code, which is imported and so does run, anything that a
        :class:`~whyword.BlackBox` takes. With ``()`` behind it, what the function of that name
        returns.
    build : callable or str, optional
        What builds the module of a PyTorch model again, or ``"module:function"``, where it is not
        registered (``whyword.pytorch.builder``).
    """
    if not isinstance(source, str | Path):
        raise InputError(f"a model is named by a str or Path, not {type(source).__name__}")
    if isinstance(source, str) and source.startswith(HUB):  # a Path is always a path
        path = _FROM_HUB.load()(source)
    elif names_import(str(source)):
        return import_model(str(source))
    else:
        path = expand_path(source)
    if _is_foreign(path):
        _check_unbuilt(build, "a Hugging Face folder")
        return _TRANSFORMER.load().from_folder(path)
    return _restore(path, build)


def _is_foreign(path: Path) -> bool:
    """Whether a folder is one of Hugging Face's, and not ours beside."""
    there = [name for name in (CONFIGURATION, *_FOREIGN) if exists(path / name)]
    return bool(there) and CONFIGURATION not in there


def _check_unbuilt(build: object, what: str) -> None:
    if build is not None:
        raise InputError(Argument("build"), f" is for PyTorch models, not for {what}")


def _restore(path: Path, build: object) -> Any:  # noqa: ANN401 - as load_model
    """Return the model of our own folder."""
    tensors, configuration = upgraded(*read_model(path))
    name = configuration.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        known = ", ".join(KINDS)
        raise InputError(f"{path} holds a model of kind {name!r:.60}; known: {known}")
    kind = kind_named(name)
    if not kind.is_built:
        _check_unbuilt(build, f"kind {name!r:.60}")
    given = {"build": build} if kind.is_built else {}
    verdict = f"{path} is not a whole model"
    model = kind.restore(verdict, tensors, without_added(configuration), **given)
    model.remember_identity(configuration["identity"])
    return model
