"""What whyword raises when the input, not the program, is wrong.

A message is made of parts: text, and the arguments it is about. Python shows an argument as a
keyword; whoever offers the same under another name (an option, a field) renders it under that one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias


class _NameOnly:
    """Stands for a value that is not said; a class stays the same in another process."""


@dataclass(frozen=True)
class Argument:
    """An argument that a message is about.

    Attributes
    ----------
    name : str
        The keyword in Python.
    value : object
        What to pass: ``Argument("resume", True)``; ``...`` stands for the user's own value,
        ``Argument("texts", ...)``; left out, the argument is only mentioned.
    of : str, optional
        The method whose parameter it is, where the call itself may have an argument of that name.
    """

    name: str
    value: object = _NameOnly
    of: str | None = None

    @property
    def has_value(self) -> bool:
        """Whether the message says what to pass."""
        return self.value is not _NameOnly

    def __str__(self) -> str:
        """Return it as Python's keyword."""
        if not self.has_value:
            return self.name
        return f"{self.name}={'…' if self.value is ... else repr(self.value)}"


class Advice:
    """Part of a message that is left out where the reader lacks an argument it names.

    Parameters
    ----------
    *parts : str or Argument
    """

    def __init__(self, *parts: str | Argument) -> None:
        self.parts = parts

    def arguments(self) -> list[Argument]:
        """Return the arguments it names."""
        return [part for part in self.parts if isinstance(part, Argument)]


Part: TypeAlias = str | Argument | Advice
Spell: TypeAlias = Callable[[Argument], str | None]


class WhywordError(Exception):
    """Base of every error a user can cause; its message is one line that says what to do.

    Parameters
    ----------
    *parts : str, Argument or Advice
        The message, put together without anything between them.
    about : iterable of str
        The arguments that it is about although it does not name them.
    """

    def __init__(self, *parts: Part, about: Iterable[str] = ()) -> None:
        self.parts, self.about = parts, tuple(about)
        super().__init__(self.message(str))

    @property
    def arguments(self) -> list[str]:
        """The names of the arguments that it is about, each once."""
        every: Iterable[Argument | str] = (
            one
            for part in self.parts
            for one in (part.arguments() if isinstance(part, Advice) else [part])
        )
        named = (one.name for one in every if isinstance(one, Argument))
        return list(dict.fromkeys([*self.about, *named]))

    def replace_arguments(self, new: Callable[[Argument], Argument]) -> None:
        """Put another in the place of each argument, by a caller who knows it better."""

        def of_part(part: Part) -> Part:
            if isinstance(part, Advice):
                return Advice(*(one if isinstance(one, str) else new(one) for one in part.parts))
            return new(part) if isinstance(part, Argument) else part

        self.parts = tuple(map(of_part, self.parts))
        self.args = (self.message(str),)

    def message(self, spell: Spell) -> str:
        """Return the message for a reader who knows the arguments by other names.

        Parameters
        ----------
        spell : callable
            From an argument to what the reader calls it, None where he has no such thing.
        """
        return "".join(_render(part, spell) for part in self.parts)


def _render(part: Part, spell: Spell) -> str:
    if isinstance(part, Argument):
        spelled = spell(part)
        return part.name if spelled is None else spelled
    if isinstance(part, Advice):
        if any(spell(argument) is None for argument in part.arguments()):
            return ""
        return "".join(_render(one, spell) for one in part.parts)
    return str(part)  # somebody's own subclass may pass anything, as to any exception


class InputError(WhywordError, ValueError):
    """A file, a row or an argument is not what it should be."""


class NoDocumentsError(InputError):
    """None of the documents is of the kind that was asked for."""


class ModelError(InputError):
    """Somebody's model failed, or said something that is no prediction."""


class ConservationError(WhywordError, ArithmeticError):
    """Relevance does not add up to the score, and the caller insisted that it must."""


class DownloadError(WhywordError, OSError):
    """Data could not be fetched, or what arrived is not what was expected."""


class MissingExtraError(WhywordError, ImportError):
    """An optional dependency is not installed; the message has the pip command."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'whyword[{extra}]'")
        self._missing = package, extra

    def __reduce__(self) -> tuple[type["MissingExtraError"], tuple[str, str]]:
        return MissingExtraError, self._missing  # a process may send it to another
