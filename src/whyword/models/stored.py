"""A stored model, taken apart: every tensor and every setting is checked as it is taken.

A folder may come from a stranger, and its sha256 proves nothing: whoever changes the weights can
write the hash that fits. So a kind of model says what it is made of by taking it from a
:class:`StoredModel`: a tensor by its name, dtype and shape, a setting by its name and a check.
Sizes are named by symbols (``"F"``, ``"C"``) that must agree wherever they occur, numbers must be
finite, and what nobody took is refused. Whoever computes with a model may trust it from then on.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import real_number, whole_number
from whyword.base.errors import InputError
from whyword.base.json import parse_json
from whyword.base.labels import Label
from whyword.base.printable import one_line
from whyword.base.tensors import Tensors

T = TypeVar("T")
Check: TypeAlias = Callable[[str, Any], T]  # from a setting's name and value to what is taken

_LONGEST_MESSAGE = 400
LARGEST = 1e18  # what is computed with: float32 has its square, and sums of many of them
_LABEL_BYTES = 256 << 20  # what numpy may need for labels: the longest one's room for each


class StoredSettings:
    """Settings by name, each taken once.

    Parameters
    ----------
    values : dict
        Plain data.
    fault : callable
        From what is wrong to the error to raise.
    where : str
        Before the settings' names in messages.
    """

    def __init__(
        self, values: Mapping[str, Any], fault: Callable[[str], InputError], where: str = ""
    ) -> None:
        self._left, self._fault, self._where = dict(values), fault, where
        self._sections: list[StoredSettings] = []

    def __iter__(self) -> Iterator[str]:
        """Yield the names of those that were not taken yet."""
        return iter(list(self._left))

    def take(self, name: str, check: Check[T]) -> T:
        """Return what the check makes of a setting; raise if it is not there."""
        if name not in self._left:
            raise self._fault(f"the setting {self._where}{name} is missing")
        try:
            return check(self._where + name, self._left.pop(name))
        except InputError as error:
            raise self._fault(str(error)) from None

    def take_any(self, checks: Mapping[str, Check[Any]]) -> dict[str, Any]:
        """Return those of the settings that are there."""
        return {name: self.take(name, checks[name]) for name in self if name in checks}

    def section(self, name: str) -> "StoredSettings":
        """Return settings within a setting."""
        inner = StoredSettings(self.take(name, a_dict), self._fault, f"{self._where}{name}.")
        self._sections.append(inner)
        return inner

    def sections(self, name: str, most: int) -> "list[StoredSettings]":
        """Return a list of settings by name within a setting, from one to so many."""
        several = self.take(name, a_list)
        where = f"{self._where}{name}"
        if not 1 <= len(several) <= most:
            raise self._fault(f"{where} has {len(several)} entries; it may have 1 to {most:,}")
        for number, values in enumerate(several):
            if not isinstance(values, dict):
                raise self._fault(f"{where}.{number} must be settings by name, not {values!r:.60}")
        inner = [
            StoredSettings(values, self._fault, f"{where}.{number}.")
            for number, values in enumerate(several)
        ]
        self._sections += inner
        return inner

    def check_all_taken(self) -> None:
        """Raise if there is a setting that nobody took."""
        for name in self._left:
            raise self._fault(f"{self._where}{name!r:.60} is no setting of this kind of model")
        for section in self._sections:
            section.check_all_taken()


class StoredModel:
    """The tensors and the settings of a model.

    Parameters
    ----------
    verdict : str
        What is to be said if anything is wrong with it, before the reason.
    tensors : dict of arrays
    configuration : dict
        Plain data.

    Attributes
    ----------
    settings : StoredSettings
    """

    def __init__(self, verdict: str, tensors: Tensors, configuration: Mapping[str, Any]) -> None:
        self._verdict = verdict
        self._left = dict(tensors)
        self._sizes: dict[str, int] = {}
        self._largest: dict[str, float] = {}
        self.settings = StoredSettings(configuration, self.fault)

    def fault(self, reason: str) -> InputError:
        """Return the error that says what is wrong, in one line."""
        line = one_line(reason)
        shown = line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + "…"
        return InputError(f"{self._verdict}: {shown}")

    # ---- tensors ------------------------------------------------------------------------------

    def tensor(
        self, name: str, dtype: type[np.generic], *shape: str | int, least: int = 1
    ) -> NDArray[Any]:
        """Return a tensor.

        Parameters
        ----------
        name : str
        dtype : type
            Of numpy.
        *shape : str or int
            A number, or the symbol of one: the same wherever it occurs.
        least : int
            How large each dimension is at least.

        Raises
        ------
        InputError
            If it is not there, of another dtype or shape, or has a number that is not finite.
        """
        array = self._take(name, dtype)
        if array.ndim == len(shape):
            for symbol, size in zip(shape, array.shape, strict=True):
                if isinstance(symbol, str):
                    self._sizes.setdefault(symbol, size)
        sizes = tuple(self._sizes.get(one, one) if isinstance(one, str) else one for one in shape)
        if array.shape != sizes or min(array.shape, default=least) < least:
            raise self.fault(
                f"{name} has the shape {array.shape}; it should have "
                f"({', '.join(map(self._describe, shape))}), each at least {least}"
            )
        if array.dtype.kind == "f":
            self._largest[name] = largest_number(array)
            if not np.isfinite(self._largest[name]):
                raise self.fault(f"{name} has a number that is NaN or infinite")
        return array

    def largest(self, name: str) -> float:
        """Return the largest number, without its sign, of a tensor that was taken."""
        return self._largest[name]

    def check_range(self, largest: float) -> None:
        """Raise if what is computed from the weights may be too large to be computed with.

        Parameters
        ----------
        largest : float
            A bound of it; NaN or infinite if there is none.
        """
        try:
            check_range(largest)
        except InputError as error:
            raise self.fault(str(error)) from None

    def _take(self, name: str, dtype: type[np.generic]) -> NDArray[Any]:
        if name not in self._left:
            raise self.fault(f"the tensor {name} is missing")
        array = self._left.pop(name)
        if array.dtype != dtype:
            raise self.fault(f"{name} has the dtype {array.dtype}; it should be {dtype.__name__}")
        return array

    def _describe(self, size: str | int) -> str:
        known = isinstance(size, str) and size in self._sizes
        return f"{size} = {self._sizes[str(size)]}" if known else str(size)

    def bind(self, symbol: str, size: int) -> None:
        """Say what a symbol stands for."""
        self._sizes[symbol] = size

    def size(self, symbol: str) -> int:
        """Return what a symbol stands for."""
        return self._sizes[symbol]

    def counts(self, name: str, dtype: type[np.generic], symbol: str, most: int) -> NDArray[Any]:
        """Return a tensor of whole numbers from 0 to `most`, in one dimension."""
        array = self.tensor(name, dtype, symbol, least=0)
        if array.size and not (array.min() >= 0 and array.max() <= most):
            raise self.fault(
                f"{name} has the number {array.min() if array.min() < 0 else array.max()}; "
                f"it should have none below 0 or above {most}"
            )
        return array

    def words(self, name: str, symbol: str, least: int = 0) -> list[str]:
        """Return words that :func:`~whyword.models.store.pack_words` made a tensor.

        Parameters
        ----------
        name : str
        symbol : str
            Of how many there are.
        least : int
            How many there are at least.
        """
        tensor = self._take(name, np.uint8)
        if tensor.ndim != 1:
            raise self.fault(f"{name} has the shape {tensor.shape}; it should be bytes of text")
        try:
            words: list[str] = parse_json(tensor.tobytes(), name)
        except InputError as error:
            raise self.fault(str(error)) from None
        if not isinstance(words, list) or not set(map(type, words)) <= {str}:
            raise self.fault(f"{name} is no list of words")
        if len(set(words)) != len(words):
            raise self.fault(f"{name} has {len(words) - len(set(words)):,} words twice")
        if not _is_storable("\0".join(words)):
            raise self.fault(f"{name} has a word with half a surrogate pair")
        self._sizes.setdefault(symbol, len(words))
        if len(words) != self._sizes[symbol] or len(words) < least:
            count = f"{symbol} = {self._sizes[symbol]:,}, at least {least}"
            raise self.fault(f"{name} has {len(words):,} words; it should have {count}")
        return words

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor that was not taken yet; raise if it is not there."""
        if name not in self._left:
            raise self.fault(f"the tensor {name} is missing")
        return self._left[name].shape

    def tensor_names(self) -> set[str]:
        """Return the names of the tensors that were not taken yet."""
        return set(self._left)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the tensors that were not taken yet, by their names."""
        return {name: array.shape for name, array in self._left.items()}

    def numbered(self, prefix: str) -> list[int]:
        """Return the numbers n, in order, of the tensors called ``<prefix><n>``."""
        pattern = re.compile(re.escape(prefix) + r"(0|[1-9][0-9]{0,3})", re.ASCII)
        found = map(pattern.fullmatch, self._left)
        return sorted(int(match[1]) for match in found if match)

    # ---- what every kind has ------------------------------------------------------------------

    def classes(self, symbol: str = "C") -> NDArray[Any]:
        """Return the labels of the classes, at least two."""
        labels = self.settings.take("classes", _labels)
        self._sizes[symbol] = len(labels)
        return labels

    def parameters(self, checks: Mapping[str, Check[Any]]) -> dict[str, Any]:
        """Return the estimator's arguments, those that are there; others are none of its."""
        return self.settings.section("parameters").take_any(checks)

    def provenance(self) -> dict[str, Any]:
        """Return what it was trained on and how well it did: any facts, the used ones checked."""
        facts = self.settings.take("provenance", a_dict)
        used = {name: value for name, value in facts.items() if name in _FACTS}
        StoredSettings(used, self.fault, "provenance.").take_any(_FACTS)
        return facts

    def check_all_taken(self) -> None:
        """Raise if there is a tensor or a setting that nobody took."""
        for name in self._left:
            raise self.fault(f"{name!r:.60} is no tensor of this kind of model")
        self.settings.check_all_taken()


def check_range(largest: float) -> None:
    """Raise if a bound of what is computed from weights is too large to be computed with."""
    if not largest < LARGEST:
        raise InputError(f"its weights are so large that a score may be {largest:.3g}")


def largest_number(array: NDArray[Any]) -> float:
    """Return the largest number without its sign, NaN if one is; with no array as long as this."""
    return float(np.maximum(-array.min(), array.max())) if array.size else 0.0


# ---- checks of settings -------------------------------------------------------------------------


def a_dict(name: str, value: object) -> dict[str, Any]:
    """Return settings by name."""
    if not isinstance(value, dict):
        raise InputError(f"{name} must be settings by name, not {value!r:.60}")
    return value


def a_list(name: str, value: object) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list, not {value!r:.60}")
    return value


def finite_number(name: str, value: object) -> float:
    """Return a number of either sign that float32 has, too."""
    most = float(np.finfo(np.float32).max)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
        raise InputError(f"{name} must be a number within ±{most:.2g}, not {value!r:.60}")
    return value


def positive_number(name: str, value: object) -> float:
    """Return a number above 0 that is above 0 in float32, too."""
    least = float(np.finfo(np.float32).tiny)
    if finite_number(name, value) < least:
        raise InputError(f"{name} must be a number above {least:.2g}, not {value!r:.60}")
    return finite_number(name, value)


def list_of_strings(name: str, value: object) -> list[str]:
    """Return a list of strings."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{name} must be a list of strings, not {value!r:.60}")
    return value


def list_of_numbers(name: str, value: object) -> list[float]:
    """Return a list of finite numbers."""
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list of numbers, not {value!r:.60}")
    return [finite_number(name, one) for one in value]


def optional(check: Check[T]) -> Check[T | None]:
    """Return the check that lets null pass."""
    return lambda name, value: None if value is None else check(name, value)


def _labels(name: str, value: object) -> NDArray[Any]:
    """Return the labels of classes as an array; raise unless they come back out of it."""
    kinds = set(map(type, value)) if isinstance(value, list) else set()
    if not isinstance(value, list) or len(value) < 2 or len(kinds) > 1 or not kinds <= set(_LABELS):
        raise InputError(f"{name} must be two or more labels of one type, not {value!r:.60}")
    if kinds == {str} and 4 * len(value) * max(map(len, value)) > _LABEL_BYTES:
        raise InputError(f"{name} has a label of {max(map(len, value)):,} characters")
    labels = np.array(value)
    if labels.tolist() != value or len(set(value)) != len(value):
        raise InputError(f"{name} must be distinct labels, not {value!r:.60}")
    return labels


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _accuracy(name: str, value: object) -> float:
    if real_number(name, value) > 1:
        raise InputError(f"{name} must be a share, not {value!r:.60}")
    return real_number(name, value)


_LABELS = Label.__args__

_FACTS: dict[str, Check[Any]] = {
    "documents": lambda name, value: whole_number(name, value, least=0, most=1 << 53),
    "test_accuracy": optional(_accuracy),
    "test_near_copies": lambda name, value: whole_number(name, value, least=0, most=1 << 53),
    "test_accuracy_without_copies": optional(_accuracy),
    "seconds": real_number,
}
