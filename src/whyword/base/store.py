"""Results that are kept by what they were made of, and found again by it.

Every "was this done already?" of the library is asked here: trained word vectors, fetched and
converted data, stages of a study. An entry is a file or a folder ``<name>-<digest><suffix>``, whole
or not there; one that cannot be read is made again. There are no locks: two processes that make
the same entry at once make the same content, and whichever is put in place last may stay.

By hand, since joblib.Memory and diskcache keep pickles, which run what they hold; here whoever
keeps something says how it is written and read.
"""

import hashlib
import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from whyword.base.errors import InputError, WhywordError
from whyword.base.files import temporary_folder

log = logging.getLogger(__name__)

T = TypeVar("T")

_DIGITS = 32  # of the digest, in a name


def content_digest(made_of: object) -> str:
    """Return the sha256 of plain data (what JSON holds) and of arrays in it, the same everywhere.

    The order of a dict's keys does not count; an array counts by its type, shape and bytes.
    """
    text = json.dumps(made_of, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()
        return {"dtype": value.dtype.str, "shape": value.shape, "sha256": content}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is no plain data")


@dataclass(frozen=True)
class Entry(Generic[T]):
    """What may be kept at one place.

    Attributes
    ----------
    path : Path
    read : callable
        From a path to what is there; raises if that is damaged.
    """

    path: Path
    read: Callable[[Path], T]

    def find(self) -> T | None:
        """Return what is there, None if nothing is, or something damaged."""
        if not self.path.exists():
            return None
        try:
            return self.read(self.path)
        except Exception as error:  # noqa: BLE001 - damaged bytes may make a reader raise anything
            log.info("%s cannot be read and is made again: %s", self.path, error)
            return None

    def get_or_make(self, make: Callable[[], T], write: Callable[[T, Path], object]) -> T:
        """Return what is there; if nothing is, what `make` returns, which is kept.

        Where it cannot be kept, a warning says so: it was made, and is not lost.

        Parameters
        ----------
        make : callable
        write : callable
            Writes what was made to a path, as a file or a folder.
        """
        found = self.find()
        if found is None:
            found = make()
            self.keep(found, write)
        return found

    def keep(self, value: T, write: Callable[[T, Path], object]) -> bool:
        """Write the value, and return whether that could be; a warning says why not."""
        try:
            self._put(lambda draft: write(value, draft))
        except (OSError, InputError) as error:
            log.warning("%s could not be kept in the cache: %s", self.path.name, error)
            return False
        return True

    def fetch(self, write: Callable[[Path], object]) -> T:
        """Return what is there; if nothing is, what `write`, given a path, has written.

        For what is of use as a file only: where it cannot be written, that is an error.
        """
        found = self.find()
        if found is None:
            try:
                self._put(write)
            except WhywordError:
                raise
            except OSError as error:
                reason = error.strerror or error
                raise InputError(f"{self.path} cannot be written ({reason})") from None
            found = self.read(self.path)
        return found

    def _put(self, write: Callable[[Path], object]) -> None:
        """Write beside the place, then move there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(self.path.parent) as folder:
            draft = folder / self.path.name
            write(draft)
            try:
                draft.replace(self.path)
            except OSError:  # a folder replaces no other one
                if self.find() is None:
                    with suppress(FileNotFoundError):
                        self.path.rename(folder / "damaged")
                    draft.replace(self.path)


class Store:
    """A folder of entries.

    Parameters
    ----------
    folder : Path
        Made when something is kept in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entry(
        self,
        name: str,
        made_of: Any = None,  # noqa: ANN401 - plain data
        suffix: str = "",
        *,
        read: Callable[[Path], T],
    ) -> Entry[T]:
        """Return where something is kept.

        Parameters
        ----------
        name : str
            For people who look into the folder.
        made_of : plain data and arrays, optional
            All that the content depends on, the version of the program that makes it included. By
            default the name alone says what it is: published data, which never change.
        suffix : str
            Of a file: ``".json"``.
        read : callable
            As :class:`Entry` has it.
        """
        plain = re.sub(r"[^\w.()+-]+", "-", name)
        digest = "" if made_of is None else f"-{content_digest(made_of)[:_DIGITS]}"
        return Entry(self.folder / f"{plain}{digest}{suffix}", read)
