"""A model is a folder: ``model.safetensors`` and ``model.json``, written whole, never run."""

import hashlib
import json
import math
import os
import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import exists, file_name
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write, locked_folder, sha256_of, temporary_folder
from whyword.base.json import parse_json
from whyword.base.printable import one_line, storable
from whyword.base.tensors import Tensors, read_tensors, serialise_tensors
from whyword.base.versions import VERSION, installed

FORMAT = 1
WEIGHTS = "model.safetensors"
CONFIGURATION = "model.json"

_PENDING = WEIGHTS + ".new"
_ADDED = ("format", "identity", "weights_sha256")  # to a configuration when it is written
_LONGEST = 64 << 20  # bytes of a configuration
_DEEPEST = 32  # of one thing within another in it
_PIECE = 4 << 20  # bytes hashed while they are still in the processor's cache


def write_model(folder: Path, tensors: Tensors, configuration: Mapping[str, Any]) -> str:
    """Write a model and return its identity; a crash leaves the old one or the new one.

    The new weights wait beside the old ones until the new ``model.json``, which names them by
    their sha256, is in place; the reader takes whichever of the two it names.
    """
    check_writable(folder)
    data = serialise_tensors(tensors)
    weights = hashlib.sha256(data).hexdigest()
    plain = plain_configuration(configuration)
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
    weights = hashlib.sha256(serialise_tensors(tensors)).hexdigest()
    return identity_of(weights, plain_configuration(configuration))


def plain_configuration(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration as JSON gives it back; raise if something in it is no data."""

    def convert(value: object) -> object:
        if isinstance(value, np.generic | np.ndarray):
            return value.tolist()
        raise InputError(f"a model cannot keep {value!r:.60} ({type(value).__name__})")

    try:
        text = json.dumps(configuration, default=convert, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise InputError(f"a model cannot keep this configuration: {error}") from None
    plain: dict[str, Any] = json.loads(text)
    if (reason := unfit(plain)) is not None:
        raise InputError(f"a model cannot keep this configuration: {reason}")
    return plain


def unfit(content: object) -> str | None:
    """Return why plain data cannot be written, hashed and read again, None if they can."""
    remaining = [(content, 0)]
    while remaining:
        value, depth = remaining.pop()
        if depth > _DEEPEST:
            return "it is nested beyond reason"
        if isinstance(value, dict):
            remaining += [(key, depth) for key in value]
        if isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            remaining += [(one, depth + 1) for one in inner]
        elif isinstance(value, str) and storable(value) != value:
            return f"half a surrogate pair in {value!r:.60}"
        elif isinstance(value, float) and not math.isfinite(value):
            return f"{value} is no number to keep"
        elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            return "a whole number beyond 64 bits"
    return None


def _finish_last_save(folder: Path) -> None:
    """Put weights in place that a crash left waiting though ``model.json`` names them."""
    pending, path = folder / _PENDING, folder / CONFIGURATION
    if pending.is_file() and path.is_file():
        with suppress(InputError):
            if _read_configuration(folder).get("weights_sha256") == sha256_of(pending):
                pending.replace(folder / WEIGHTS)


def check_writable(folder: Path) -> None:
    """Raise unless a model can be written there; better before a long training than after."""
    try:
        if not _is_replaceable(folder):
            raise InputError(f"{folder} exists and is no model; it will not be written over")
        with temporary_folder(_existing_parent(folder)):
            pass
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{file_name(folder)} cannot be written ({why})") from None


def check_replaceable(folder: Path, force: bool) -> str | None:
    """Raise unless a model can be written there, and, without `force`, if one is there already.

    Returns
    -------
    str or None
        What would be replaced, in a few words.
    """
    check_writable(folder)
    if not (folder / CONFIGURATION).exists():
        return None
    there = _described(_read_configuration(folder), folder / CONFIGURATION)
    if not force:
        raise InputError(
            f"{folder} holds a model already ({there}); name another folder, or say ",
            Argument("force", True),
            " to replace it",
        )
    return there


def _described(configuration: Mapping[str, Any], path: Path) -> str:
    """Return kind, data, day and identity of a stored model, as far as it says them."""
    facts = configuration.get("provenance")
    facts = facts if isinstance(facts, dict) else {}
    count, corpus, day = facts.get("documents"), facts.get("corpus"), facts.get("trained")
    parts = [str(configuration.get("kind", "of no kind"))[:40]]
    if isinstance(count, int):
        parts.append(f"trained on {count:,} documents")
        parts[-1] += f" of {corpus[:80]}" if isinstance(corpus, str) else ""
    if not isinstance(day, str):
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
    parts += [day[:20], f"identity {str(configuration.get('identity'))[:12]}"]
    return one_line(", ".join(parts))


def _existing_parent(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.is_dir())


def identity_of(weights_sha256: str, configuration: Mapping[str, Any]) -> str:
    """Return the sha256 of weights and configuration; where and when it was trained aside."""
    described = {name: value for name, value in configuration.items() if name != "provenance"}
    canonical = json.dumps(described, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(f"{weights_sha256}\n{canonical}".encode()).hexdigest()


def read_model(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read a model's tensors and configuration; refuse what is damaged, foreign or newer.

    The weights are read once, into memory of our own: what was hashed is what is used, whatever
    becomes of the file. (Mapped, they would change, or end the process, with the file.)
    """
    if not exists(folder) or not folder.is_dir():
        hint = ""
        if len(folder.parts) == 2:  # as Hugging Face names models
            hint = f" (a model of the Hugging Face hub would be hf:{file_name(folder)})"
        raise InputError(f"{file_name(folder)}: no such model folder{hint}")
    try:
        with locked_folder(folder, exclusive=False):
            return _read_model(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise InputError(f"{folder} is larger than the memory there is") from None


def _read_model(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    configuration = _read_configuration(folder)
    expected, actual = str(configuration.get("weights_sha256")), None
    for name in (WEIGHTS, _PENDING):
        path = folder / name
        if path.is_file():
            with path.open("rb") as stream:
                data, actual = _read_hashed(stream)
            if actual == expected:
                _check_identity(folder, expected, configuration)
                return read_tensors(data, path), configuration
            del data  # before another file takes as much
    if actual is None:
        raise InputError(f"{folder} has no {WEIGHTS}; the model is incomplete")
    raise InputError(
        f"{folder / WEIGHTS} is damaged: its sha256 is {actual[:12]}…, "
        f"{CONFIGURATION} says {one_line(expected[:12])}…"
    )


def _read_hashed(stream: BinaryIO) -> tuple[memoryview, str]:
    """Return the bytes of a file and the sha256 of just these bytes."""
    size = os.fstat(stream.fileno()).st_size
    data = memoryview(bytearray(size))  # zeroed first: faster than pages that appear while copying
    digest, done = hashlib.sha256(), 0
    while done < size and (count := stream.readinto(data[done : done + _PIECE])):  # type: ignore[attr-defined]
        digest.update(data[done : done + count])
        done += count
    return data[:done], digest.hexdigest()


def _check_identity(folder: Path, weights: str, configuration: Mapping[str, Any]) -> None:
    if identity_of(weights, without_added(configuration)) != configuration.get("identity"):
        raise InputError(f"{folder / CONFIGURATION} was changed: it does not fit its identity")


def without_added(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration that was read as it was before it was written."""
    return {name: value for name, value in configuration.items() if name not in _ADDED}


def _read_configuration(folder: Path) -> dict[str, Any]:
    path = folder / CONFIGURATION
    if not path.is_file():
        raise InputError(
            f"{folder} is no model: it has no {CONFIGURATION} (nor config.json, as one of Hugging "
            "Face's has)"
        )
    with path.open("rb") as stream:
        text = stream.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise InputError(f"{path} is not the configuration of a whyword model: it is too long")
    content = parse_json(text, path, unique_keys=True)
    if not isinstance(content, dict) or type(content.get("format")) is not int:
        raise InputError(f"{path} is not the configuration of a whyword model")
    if (reason := unfit(content)) is not None:
        raise InputError(f"{path} is damaged: {reason}")
    if not 1 <= content["format"] <= FORMAT:
        raise InputError(
            f"{folder} has format {content['format']}, this version reads up to {FORMAT}; "
            "update whyword"
        )
    return content


def pack_words(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return words as bytes, to stand among tensors.

    :meth:`~whyword.models.stored.StoredModel.words` gives them back.
    """
    try:
        return np.frombuffer(json.dumps(words, ensure_ascii=False).encode("utf-8"), np.uint8)
    except UnicodeEncodeError:
        word = next(word for word in words if storable(word) != word)
        raise InputError(f"a model cannot keep {word!r:.60}: half a surrogate pair") from None


def fingerprint(texts: Sequence[str], classes: Sequence[int]) -> str:
    """Return the sha256 of labelled texts, in their order."""
    digest = hashlib.sha256()
    for text, number in zip(texts, classes, strict=True):
        digest.update(json.dumps([text, number]).encode())
    return digest.hexdigest()


def training_fingerprint(model: object) -> str | None:
    """Return the :func:`fingerprint_of` what a model was trained on; None if it does not say."""
    data = getattr(model, "provenance_", {}).get("data")
    return data if isinstance(data, str) else None


def fingerprint_of(texts: Sequence[str], labels: Sequence[object]) -> str:
    """Return the sha256 of texts and their labels, as a training on them records it."""
    several = any(isinstance(label, tuple) for label in labels)
    keys = [repr(sorted(label)) for label in labels] if several else labels  # type: ignore[call-overload]
    numbers = np.unique(np.asarray(keys), return_inverse=True)[1]
    return fingerprint(texts, numbers.tolist())


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
        "trained": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "versions": provenance(),
    }


def provenance() -> dict[str, str]:
    """Return the versions that a training ran with."""
    packages = installed("numpy", "numba", "torch", "scikit-learn")
    return {"python": platform.python_version(), "whyword": VERSION, **packages}


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
