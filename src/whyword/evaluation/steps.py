"""After how many deleted words a model is asked: after each, or after chosen numbers of them."""

import operator
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import items, whole_number
from whyword.base.errors import Argument, InputError

Steps: TypeAlias = int | Iterable[int]
PlainSteps: TypeAlias = int | list[int]
StepNumbers: TypeAlias = NDArray[np.intp]

MOST_STEPS = 100_000
_SHOWN = 12  # numbers in a line


def step_numbers(steps: Steps) -> StepNumbers:
    """Return after how many words a model is asked, (S + 1,) from 0 on; raise if that is unfit.

    Parameters
    ----------
    steps : int, or increasing whole numbers
        How many words go, if the model is asked after each; or after which numbers of words it is
        asked. 0, the start, is added if it is missing.
    """
    try:
        operator.index(steps)  # type: ignore[arg-type]
    except TypeError:
        return np.array(_increasing(steps), np.intp)
    return np.arange(whole_number("steps", steps, most=MOST_STEPS) + 1, dtype=np.intp)


def _increasing(steps: object) -> list[int]:
    """Return the numbers one by one, since they may be endless; raise at the first unfit one."""
    numbers = [0]
    kind = "a whole number, or an increasing list of them"
    for place, value in enumerate(items("steps", steps, kind)):
        number = whole_number("steps", value, least=0, most=MOST_STEPS)
        if number > numbers[-1]:
            numbers.append(number)
        elif place:
            raise InputError(
                Argument("steps"), f" must increase, but {number} follows {numbers[-1]}"
            )
    if len(numbers) == 1:
        raise InputError(Argument("steps"), " must have a number above 0: 1, 2, 5, 10 for example")
    return numbers


def plain_steps(numbers: StepNumbers) -> PlainSteps:
    """Return the numbers as plain data: the last if the model is asked after each, else all."""
    last = int(numbers[-1])
    return last if len(numbers) == last + 1 else numbers.tolist()


def shown_steps(steps: int | Sequence[int]) -> str:
    """Return plain steps for people, very many of them cut short."""
    if isinstance(steps, int):
        return str(steps)
    if len(steps) <= _SHOWN:
        return ", ".join(map(str, steps))
    return f"{', '.join(map(str, steps[: _SHOWN - 1]))}, …, {steps[-1]}"


def asked_texts(numbers: StepNumbers, longest: int) -> int:
    """Return how many texts of one order are asked about, if none has more words than so many."""
    return len(np.unique(np.minimum(numbers, longest)))
