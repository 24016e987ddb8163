"""The weights of a Hugging Face folder: safetensors files, one or several, and never a pickle."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from whyword.base.checks import file_name
from whyword.base.errors import InputError
from whyword.base.printable import shown
from whyword.base.tensors import Entry, read_entries
from whyword.models.pytorch.configuration import read_settings

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
_PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
_DTYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
}


@dataclass(frozen=True)
class Weights:
    """What the headers of a folder's weights say; the numbers are not read yet.

    Attributes
    ----------
    places : dict from str to (Path, int, Entry)
        By its name, in which file each tensor is and where the data of that begin.
    """

    places: dict[str, tuple[Path, int, Entry]]

    @classmethod
    def of(cls, folder: Path) -> "Weights":
        """Return those of a folder; raise if there are none, or they are not whole."""
        places: dict[str, tuple[Path, int, Entry]] = {}
        expected = _files(folder)
        for path, names in expected.items():
            start, entries = read_entries(path)
            for entry in entries:
                if entry.dtype not in _DTYPES:
                    raise InputError(f"{path} has tensors of {entry.dtype}, which are no weights")
                if entry.name in places:
                    raise InputError(f"{path}: {shown(entry.name)} is in another file, too")
                places[entry.name] = (path, start, entry)
            if names is not None and names != {entry.name for entry in entries}:
                raise InputError(f"{path} does not hold what {INDEX} says that it does")
        return cls(places)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor."""
        return {name: entry.shape for name, (_, _, entry) in self.places.items()}

    def read(self, wanted: Callable[[str], bool]) -> dict[str, Tensor]:
        """Return the tensors whose names are wanted, each in memory of its own.

        (Mapped, they would change, or end the process, with the file.)
        """
        tensors = {}
        for name, (path, start, entry) in self.places.items():
            if wanted(name):
                data = bytearray(entry.end - entry.begin)
                with path.open("rb") as stream:
                    stream.seek(start + entry.begin)
                    if stream.readinto(data) < len(data):
                        raise InputError(f"{path} was changed while it was read")
                dtype = _DTYPES[entry.dtype]
                plain = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
                tensors[name] = plain.reshape(entry.shape)
        return tensors


def _files(folder: Path) -> dict[Path, set[str] | None]:
    """Return the files that hold weights, with the names of their tensors if an index says them."""
    if (folder / WEIGHTS).exists():
        return {folder / WEIGHTS: None}
    if (folder / INDEX).exists():
        return _indexed(folder)
    if any((folder / name).exists() for name in _PICKLES):
        raise InputError(
            f"{file_name(folder)} has its weights as a pickle only, which may run anything and is "
            "never opened: save it again with a newer transformers, which writes safetensors"
        )
    raise InputError(f"{file_name(folder)} has no {WEIGHTS}")


def _indexed(folder: Path) -> dict[Path, set[str] | None]:
    index = read_settings(folder / INDEX).get("weight_map")
    if not isinstance(index, dict) or not index:
        raise InputError(f"{file_name(folder / INDEX)} is damaged: it has no weight_map")
    files: dict[Path, set[str] | None] = {}
    for name, file in index.items():
        if not isinstance(file, str) or Path(file).name != file or not file.endswith("safetensors"):
            raise InputError(f"{file_name(folder / INDEX)}: {shown(file)} is no file beside it")
        names = files.setdefault(folder / file, set())
        if names is not None:
            names.add(name)
    return files
