"""A model is a folder: ``model.safetensors`` and ``model.json``, written whole, never run."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.errors import InputError
from whyword.storage import sha256_of, temporary_folder, written_whole

FORMAT = 1
WEIGHTS = "model.safetensors"
CONFIGURATION = "model.json"

_PENDING = WEIGHTS + ".new"
_DTYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "u1", "BOOL": "?"}

Tensors: TypeAlias = Mapping[str, NDArray[Any]]


def write_model(folder: Path, tensors: Tensors, configuration: Mapping[str, Any]) -> str:
    """Write a model and return its identity; a crash leaves the old one or the new one.

    The new weights wait beside the old ones until the new ``model.json``, which names them by
    their sha256, is in place; the reader takes whichever of the two it names.
    """
    from safetensors.numpy import save_file

    check_writable(folder)
    with written_whole(folder / _PENDING) as draft:
        save_file({n: np.ascontiguousarray(t) for n, t in tensors.items()}, draft)
    weights = sha256_of(folder / _PENDING)
    identity = identity_of(weights, configuration)
    content = {
        "format": FORMAT,
        "identity": identity,
        "weights_sha256": weights,
        **configuration,
    }
    with written_whole(folder / CONFIGURATION) as draft:
        text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
        draft.write_text(text + "\n", encoding="utf-8")
    (folder / _PENDING).replace(folder / WEIGHTS)
    return identity


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
    kept = {name: value for name, value in configuration.items() if name != "provenance"}
    canonical = json.dumps(kept, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(f"{weights_sha256}\n{canonical}".encode()).hexdigest()


def read_model(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read a model's tensors and configuration; refuse what is damaged, foreign or newer."""
    configuration = _read_configuration(folder)
    expected = str(configuration.get("weights_sha256"))
    found = None
    for name in (WEIGHTS, _PENDING, WEIGHTS):  # again: a writer may have renamed it in between
        path = folder / name
        if path.is_file():
            found = sha256_of(path)
            if found == expected:
                return mapped_tensors(path), configuration
    if found is None:
        raise InputError(f"{folder} has no {WEIGHTS}; the model is incomplete")
    raise InputError(
        f"{folder / WEIGHTS} is damaged: its sha256 is {found[:12]}…, "
        f"{CONFIGURATION} says {expected[:12]}…"
    )


def _read_configuration(folder: Path) -> dict[str, Any]:
    path = folder / CONFIGURATION
    if not folder.is_dir():
        raise InputError(f"{folder}: no such model folder")
    if not path.is_file():
        raise InputError(f"{folder} is no model: it has no {CONFIGURATION}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise InputError(f"{path} is not the configuration of a whyword model")
    if content["format"] > FORMAT:
        raise InputError(
            f"{folder} has format {content['format']}, this version reads up to {FORMAT}; "
            "update whyword"
        )
    return content


def mapped_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file, memory-mapped and read-only."""
    size = path.stat().st_size
    try:
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            header = json.loads(stream.read(min(length, size)))
        header.pop("__metadata__", None)
        return {name: _mapped(path, 8 + length, entry) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is damaged or not a safetensors file ({error})") from None


def _mapped(path: Path, start: int, entry: dict[str, Any]) -> NDArray[Any]:
    dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    if end - begin != dtype.itemsize * int(np.prod(shape, dtype=np.int64)):
        raise ValueError(f"{shape} numbers of {dtype} do not fit {end - begin} bytes")
    if end == begin:  # an empty file region cannot be mapped
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, dtype, "r", start + begin, shape))


def packed(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return words as bytes, to stand among tensors."""
    return np.frombuffer(json.dumps(words, ensure_ascii=False).encode("utf-8"), np.uint8)


def unpacked(tensor: NDArray[np.uint8]) -> list[str]:
    """Return the words that :func:`packed` made bytes."""
    words: list[str] = json.loads(tensor.tobytes())
    return words


def fingerprint(texts: Sequence[str], classes: Sequence[int]) -> str:
    """Return the sha256 of labelled texts, in their order."""
    digest = hashlib.sha256()
    for text, number in zip(texts, classes, strict=True):
        digest.update(json.dumps([text, number]).encode())
    return digest.hexdigest()


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
    if not folder.exists():
        return True
    return folder.is_dir() and ((folder / CONFIGURATION).exists() or not any(folder.iterdir()))
