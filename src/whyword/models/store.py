"""A model is a folder: ``model.safetensors`` and ``model.json``, written whole, never run."""

import hashlib
import json
import math
import mmap
import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.errors import InputError
from whyword.base.files import atomic_write, locked_folder, sha256_of, temporary_folder

FORMAT = 1
WEIGHTS = "model.safetensors"
CONFIGURATION = "model.json"

_PENDING = WEIGHTS + ".new"
_UNFIT = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, OSError)
_DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "u1", "BOOL": "?"}

Tensors: TypeAlias = Mapping[str, NDArray[Any]]


def write_model(folder: Path, tensors: Tensors, configuration: Mapping[str, Any]) -> str:
    """Write a model and return its identity; a crash leaves the old one or the new one.

    The new weights wait beside the old ones until the new ``model.json``, which names them by
    their sha256, is in place; the reader takes whichever of the two it names.
    """
    check_writable(folder)
    data = _serialise(tensors)
    weights = hashlib.sha256(data).hexdigest()
    plain = _plain(configuration)
    identity = identity_of(weights, plain)
    content = {"format": FORMAT, "identity": identity, "weights_sha256": weights, **plain}
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder):
        _finish_last_save(folder)
        with atomic_write(folder / _PENDING) as draft:
            draft.write_bytes(data)
        with atomic_write(folder / CONFIGURATION) as draft:
            draft.write_text(text + "\n", encoding="utf-8")
        (folder / _PENDING).replace(folder / WEIGHTS)
    return identity


def identity_when_written(tensors: Tensors, configuration: Mapping[str, Any]) -> str:
    """Return the identity that the model would have as a folder."""
    weights = hashlib.sha256(_serialise(tensors)).hexdigest()
    return identity_of(weights, _plain(configuration))


def _serialise(tensors: Tensors) -> bytes:
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()})


def _plain(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration as JSON gives it back; raise if something in it is no data."""

    def convert(value: object) -> object:
        if isinstance(value, np.generic | np.ndarray):
            return value.tolist()
        raise InputError(f"a model cannot keep {value!r:.60} ({type(value).__name__})")

    try:
        text = json.dumps(configuration, default=convert, allow_nan=False)
        text.encode("utf-8")
    except ValueError as error:
        raise InputError(f"a model cannot keep this configuration: {error}") from None
    plain: dict[str, Any] = json.loads(text)
    return plain


def _finish_last_save(folder: Path) -> None:
    """Put weights in place that a crash left waiting though ``model.json`` names them."""
    pending, path = folder / _PENDING, folder / CONFIGURATION
    if pending.is_file() and path.is_file():
        with suppress(InputError):
            if _read_configuration(folder).get("weights_sha256") == sha256_of(pending):
                pending.replace(folder / WEIGHTS)


def check_writable(folder: Path) -> None:
    """Raise unless a model can be written there; better before a long training than after."""
    if not _is_replaceable(folder):
        raise InputError(f"{folder} exists and is no model; it will not be written over")
    try:
        with temporary_folder(_existing_parent(folder)):
            pass
    except OSError as error:
        raise InputError(f"{folder} cannot be written ({error})") from None


def _existing_parent(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.is_dir())


def identity_of(weights_sha256: str, configuration: Mapping[str, Any]) -> str:
    """Return the sha256 of weights and configuration; where and when it was trained aside."""
    described = {name: value for name, value in configuration.items() if name != "provenance"}
    canonical = json.dumps(described, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(f"{weights_sha256}\n{canonical}".encode()).hexdigest()


def read_model(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read a model's tensors and configuration; refuse what is damaged, foreign or newer."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such model folder")
    with locked_folder(folder, exclusive=False):
        configuration = _read_configuration(folder)
        expected, actual = str(configuration.get("weights_sha256")), None
        for name in (WEIGHTS, _PENDING):
            path = folder / name
            if path.is_file():
                with path.open("rb") as stream:  # hashed and mapped through one descriptor
                    actual = hashlib.file_digest(stream, "sha256").hexdigest()
                    if actual == expected:
                        _check_identity(folder, expected, configuration)
                        return map_tensors(stream), configuration
    if actual is None:
        raise InputError(f"{folder} has no {WEIGHTS}; the model is incomplete")
    raise InputError(
        f"{folder / WEIGHTS} is damaged: its sha256 is {actual[:12]}…, "
        f"{CONFIGURATION} says {expected[:12]}…"
    )


def _check_identity(folder: Path, weights: str, configuration: Mapping[str, Any]) -> None:
    added = ("format", "identity", "weights_sha256")
    written = {name: value for name, value in configuration.items() if name not in added}
    if identity_of(weights, written) != configuration.get("identity"):
        raise InputError(f"{folder / CONFIGURATION} was changed: it does not fit its identity")


def _read_configuration(folder: Path) -> dict[str, Any]:
    path = folder / CONFIGURATION
    if not path.is_file():
        raise InputError(f"{folder} is no model: it has no {CONFIGURATION}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise InputError(f"{path} is not the configuration of a whyword model")
    if not 1 <= content["format"] <= FORMAT:
        raise InputError(
            f"{folder} has format {content['format']}, this version reads up to {FORMAT}; "
            "update whyword"
        )
    return content


def map_tensors(stream: BinaryIO) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file, memory-mapped and read-only."""
    try:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + min(length, len(data))])
        header.pop("__metadata__", None)
        return {name: _map_tensor(data, 8 + length, entry) for name, entry in header.items()}
    except _UNFIT as error:
        raise InputError(f"{stream.name} is damaged or not a safetensors file ({error})") from None


def _map_tensor(data: mmap.mmap, start: int, entry: dict[str, Any]) -> NDArray[Any]:
    dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    count = math.prod(shape)
    if not 0 <= begin <= end <= len(data) - start or end - begin != dtype.itemsize * count:
        raise ValueError(f"{shape} numbers of {dtype} do not fit bytes {begin} to {end}")
    return np.frombuffer(data, dtype, count, start + begin).reshape(shape)


def pack_words(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return words as bytes, to stand among tensors."""
    return np.frombuffer(json.dumps(words, ensure_ascii=False).encode("utf-8"), np.uint8)


def unpack_words(tensor: NDArray[np.uint8]) -> list[str]:
    """Return the words that :func:`pack_words` made bytes."""
    words: list[str] = json.loads(tensor.tobytes())
    return words


def fingerprint(texts: Sequence[str], classes: Sequence[int]) -> str:
    """Return the sha256 of labelled texts, in their order."""
    digest = hashlib.sha256()
    for text, number in zip(texts, classes, strict=True):
        digest.update(json.dumps([text, number]).encode())
    return digest.hexdigest()


def training_provenance(
    texts: Sequence[str],
    classes: Sequence[int],
    start: float,
    **results: Any,  # noqa: ANN401 - whatever the kind of model has to say
) -> dict[str, Any]:
    """Return what a model was trained on, with which versions, and how well it did.

    Parameters
    ----------
    texts : sequence of str
    classes : sequence of int
    start : float
        When the training began, by :func:`time.perf_counter`.
    **results
        What came of it.
    """
    return {
        "data": fingerprint(texts, classes),
        "documents": len(texts),
        **results,
        "seconds": round(time.perf_counter() - start, 1),
        "versions": provenance(),
    }


def provenance() -> dict[str, str]:
    """Return the versions that a training ran with."""
    packages = ("whyword", "numpy", "numba", "torch", "scikit-learn")
    return {"python": platform.python_version(), **{p: v for p in packages if (v := _version(p))}}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _is_replaceable(folder: Path) -> bool:
    """Whether there is nothing at that place, or an empty folder, or a model of ours."""
    if not folder.exists():
        return not folder.is_symlink()
    if not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    if CONFIGURATION in names:
        with suppress(InputError):
            return "weights_sha256" in _read_configuration(folder)
        return False
    return names <= {_PENDING}
