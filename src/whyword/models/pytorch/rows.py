"""Which document each number of a tensor belongs to, kept beside it while it is moved about.

A batch's first axis is its documents; then modules transpose, fold heads into the batch, flatten,
pack. Constants are booked per document, so whoever books must still know whose a number is. The
numbers of a tensor in their order (the last axis runs fastest) belong to

    numbers[(position // stride) % n],                      n = len(numbers)

which a reshape does not change at all, and other movements change in one axis.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

_NOBODY = -1.0  # a number that belongs to no document: a constant's


@dataclass(frozen=True, eq=False)
class Rows:
    """Which documents the numbers of a tensor belong to.

    Attributes
    ----------
    stride : int
        How many numbers in a row belong to one document.
    numbers : (n,) int64
        The documents, after which they begin again.
    count : int
        How many documents there are.
    """

    stride: int
    numbers: Tensor
    count: int

    @classmethod
    def first_axis(cls, shape: torch.Size) -> "Rows":
        """Return those of a tensor whose first axis is the documents."""
        return cls(prod(shape[1:]), torch.arange(shape[0]), shape[0])

    @property
    def is_one(self) -> bool:
        """Whether all numbers are of one document: so is whatever is made of them."""
        return len(self.numbers) == 1

    def axis(self, shape: torch.Size) -> tuple[int, Tensor] | None:
        """Return the only axis that the document depends on and the documents along it.

        None if there is no such axis.
        """
        below, period = 1, self.stride * len(self.numbers)
        for axis in reversed(range(len(shape))):
            above = below * shape[axis]
            covers = above % period == 0 or prod(shape[:axis]) == 1
            if shape[axis] > 1 and self.stride % below == 0 and covers:
                places = torch.arange(shape[axis]) * below // self.stride
                return axis, self.numbers[places % len(self.numbers)]
            below = above
        return None

    def along(self, shape: torch.Size, axis: int, numbers: Tensor) -> "Rows":
        """Return the rows of a tensor whose documents lie along an axis."""
        stride = prod(shape[axis + 1 :])
        changes = torch.nonzero(numbers[1:] != numbers[:-1])[:, 0] + 1
        if not len(changes):
            return Rows(1, numbers[:1], self.count)
        # blocks of one document are a longer stride: an axis that may be split
        block = int(torch.gcd(changes[0], changes[-1]))
        while block > 1 and (len(numbers) % block or bool((changes % block).any())):
            block -= 1
        numbers, stride = numbers[::block], stride * block
        n = self.count  # and documents that begin again are fewer: another such axis
        if len(numbers) > n and len(numbers) % n == 0:
            again = numbers.reshape(-1, n)
            if bool((again == again[0]).all()):
                numbers = again[0]
        return Rows(stride, numbers, self.count)

    def from_last(
        self, source: torch.Size, out: torch.Size, without: int | None = None
    ) -> "Rows | None":
        """Return the rows of a result whose axes are the source's, counted from the last.

        Parameters
        ----------
        source, out : torch.Size
        without : int, optional
            An axis that was summed over.
        """
        if self.is_one or (out == source and without is None):
            return self
        found = self.axis(source)
        if found is None or found[0] == without:
            return None
        return self._at(out, found[0] + len(out) - len(source), found[1])

    def from_first(self, source: torch.Size, out: torch.Size) -> "Rows | None":
        """Return the rows of a result whose first axes are the source's."""
        if self.is_one:
            return self
        found = self.axis(source)
        return None if found is None else self._at(out, *found)

    def reduced(
        self, source: torch.Size, out: torch.Size, summed: Collection[int]
    ) -> "Rows | None":
        """Return the rows of a sum over some axes, which may be kept with length 1."""
        if self.is_one:
            return self
        found = self.axis(source)
        if found is None or found[0] in summed:
            return None
        kept = len(out) == len(source)
        return self._at(
            out, found[0] - (0 if kept else sum(one < found[0] for one in summed)), found[1]
        )

    def _at(self, shape: torch.Size, axis: int, numbers: Tensor) -> "Rows | None":
        fits = 0 <= axis < len(shape) and shape[axis] == len(numbers)
        return self.along(shape, axis, numbers) if fits else None

    def index(self, shape: torch.Size) -> Tensor:
        """Return the document of each number, of that shape; without memory where it can be."""
        found = self.axis(shape)
        if found is None:
            places = torch.arange(prod(shape)) // self.stride
            return self.numbers[places % len(self.numbers)].reshape(shape).float()
        axis, numbers = found
        one = [1] * len(shape)
        one[axis] = len(numbers)
        return numbers.float().reshape(one).expand(shape)

    def from_index(self, index: Tensor) -> "Rows | None":
        """Return the rows that an index, moved about, says; None if no single axis has them."""
        varying = [
            axis
            for axis, (size, stride) in enumerate(zip(index.shape, index.stride(), strict=True))
            if size > 1 and stride
        ]
        if len(varying) == 1:  # the other axes have no numbers of their own
            (axis,) = varying
            first = tuple(slice(None) if one == axis else 0 for one in range(index.dim()))
            return self.along(index.shape, axis, index[first].clamp(min=0).long())
        for axis in varying if varying else range(1):
            if not index.dim():
                return None
            others = [other for other in range(index.dim()) if other != axis]
            numbers = index.amax(others) if others else index
            one = [1] * index.dim()
            one[axis] = len(numbers)
            fits = (index == numbers.reshape(one)) | (index == _NOBODY)
            if bool(fits.all()):
                return self.along(index.shape, axis, numbers.clamp(min=0).long())
        return None

    def summed(self, values: Tensor) -> Tensor:
        """Return the sums of each document's numbers, (count,).

        Parameters
        ----------
        values : (…,) floats
            Of the shape that these rows are of.
        """
        n = len(self.numbers)
        sums = values.reshape(-1, n, self.stride).sum((0, 2))
        if n == self.count and torch.equal(self.numbers, torch.arange(n)):
            return sums
        return torch.zeros(self.count, dtype=sums.dtype).index_add(0, self.numbers, sums)
