"""Training the network: torch's optimiser and autograd around our own kernels."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import real_number, share, whole_number
from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.progress import OnProgress
from whyword.models.cnn.inputs import (
    PADDING,
    InputBatch,
    drop_unused_rows,
    select_documents,
    split_batch,
)
from whyword.models.cnn.kernels import filter_gradient, pooled_maxima
from whyword.models.cnn.network import Convolution, Network
from whyword.models.epochs import Epoch, OnShare, best_epoch, held_out_count
from whyword.models.stored import Check, optional

if TYPE_CHECKING:
    import torch


MOST_WIDTH, MOST_FILTERS = 100, 100_000


def widths_of(name: str, value: object) -> tuple[int, ...]:
    """Return the filters' widths in increasing order; raise if they are unfit."""
    several = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    widths = list(value) if several else [value]  # type: ignore[call-overload]
    checked = sorted(whole_number(name, width, most=MOST_WIDTH) for width in widths)
    if not checked or len(set(checked)) != len(checked):
        raise InputError(Argument(name), f" takes one or several different numbers, not {value!r}")
    return tuple(checked)


# from the classifier's arguments to what is made of them; raise if they are unfit
CHECKS: dict[str, Check[Any]] = {
    "width": widths_of,
    "filters": partial(whole_number, most=MOST_FILTERS),
    "dropout": share,
    "word_dropout": share,
    "l2": real_number,
    "epochs": whole_number,
    "batch_size": whole_number,
    "learning_rate": partial(real_number, above=0),
    "seed": partial(whole_number, least=0),
    "validation": held_out_count,
    "max_words": optional(whole_number),
}


@dataclass(frozen=True)
class Settings:
    """How to train; see :class:`whyword.CNNClassifier`."""

    widths: tuple[int, ...]
    filters: int
    dropout: float
    word_dropout: float
    l2: float
    epochs: int
    batch_size: int
    learning_rate: float
    seed: int

    @classmethod
    def of(cls, width: object, **parameters: object) -> "Settings":
        """Return the settings that the classifier's arguments are; raise if they are unfit."""
        widths = widths_of("width", width)
        names = [field.name for field in fields(cls) if field.name != "widths"]
        return cls(widths, **{name: CHECKS[name](name, parameters[name]) for name in names})


@dataclass(frozen=True, eq=False)
class LabelledBatch:
    """Documents and the number of each one's class."""

    inputs: InputBatch
    classes: NDArray[np.intp]


def train_network(
    train: LabelledBatch,
    validation: LabelledBatch | None,
    class_weights: NDArray[np.float32],
    settings: Settings,
    on_progress: OnProgress,
) -> tuple[Network, Epoch]:
    """Train and return the network of the best epoch on the validation data (else the last).

    Parameters
    ----------
    train : LabelledBatch
    validation : LabelledBatch or None
    class_weights : (C,) float32
        Weight of each class in the loss.
    settings : Settings
    on_progress : callable
        Called after each epoch.
    """
    trainer = _Trainer(train, validation, class_weights, settings)
    return best_epoch(trainer, settings.epochs, on_progress)


class _Trainer:
    """The parameters, the optimiser and the random numbers of one training."""

    def __init__(
        self,
        train: LabelledBatch,
        validation: LabelledBatch | None,
        class_weights: NDArray[np.float32],
        settings: Settings,
    ) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError("torch", "train") from None

        self.torch: Any = torch
        self.inputs, self.classes, self.validation = train.inputs, train.classes, validation
        inputs = train.inputs
        self.settings = settings
        self.random = np.random.default_rng(settings.seed)
        self.generator = torch.Generator().manual_seed(settings.seed)
        self.loss = torch.nn.CrossEntropyLoss(torch.from_numpy(class_weights))
        dimensions, total = inputs.vectors.shape[1], settings.filters * len(settings.widths)
        self.convolutions = [
            (
                self._uniform(width * dimensions, width, settings.filters, dimensions),
                self._uniform(width * dimensions, settings.filters),
            )
            for width in settings.widths
        ]
        self.output = (
            self._uniform(total, total, len(class_weights)),
            self._uniform(total, len(class_weights)),
        )
        parameters = [*(part for pair in self.convolutions for part in pair), *self.output]
        self.optimiser = torch.optim.Adam(
            parameters, lr=settings.learning_rate, weight_decay=settings.l2
        )
        # The rate falls linearly to zero: the last epochs settle what the first ones found.
        steps = settings.epochs * -(-len(inputs) // settings.batch_size)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimiser, lambda step: 1 - min(step, steps) / steps
        )
        self.convolve = _convolution(torch)

    def _uniform(self, fan_in: int, *shape: int) -> "torch.Tensor":
        """Return a parameter drawn from ±1/√fan_in, as torch's layers are."""
        bound = fan_in**-0.5
        values = self.torch.rand(shape, generator=self.generator) * (2 * bound) - bound
        parameter: torch.Tensor = values.requires_grad_()
        return parameter

    def epoch(self, on_share: OnShare) -> float:
        """Train on every document once; return the mean loss."""
        total = 0.0
        for documents in self._batches():
            batch = self._draw(documents)
            pooled = [self.convolve(*pair, batch) for pair in self.convolutions]
            hidden = self._dropout(self.torch.cat(pooled, dim=1))
            scores = hidden @ self.output[0] + self.output[1]
            loss = self.loss(scores, self.torch.from_numpy(self.classes[documents]))
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            self.schedule.step()
            total += float(loss.detach()) * len(documents)
        return total / len(self.inputs)

    def _batches(self) -> Iterator[NDArray[np.intp]]:
        order = self.random.permutation(len(self.inputs))
        for start in range(0, len(order), self.settings.batch_size):
            yield order[start : start + self.settings.batch_size]

    def _draw(self, documents: NDArray[np.intp]) -> InputBatch:
        """Return a batch of its own with words dropped out and only the rows it needs."""
        ids, offsets = select_documents(self.inputs, documents)
        ids[self.random.random(ids.size) < self.settings.word_dropout] = PADDING
        return drop_unused_rows(self.inputs, ids, offsets)

    def _dropout(self, hidden: "torch.Tensor") -> "torch.Tensor":
        if self.settings.dropout == 0:
            return hidden
        kept = self.torch.rand(hidden.shape, generator=self.generator) >= self.settings.dropout
        dropped: torch.Tensor = hidden * kept / (1 - self.settings.dropout)
        return dropped

    def accuracy(self) -> float | None:
        """Return the accuracy on validation data, None if there are none."""
        if self.validation is None:
            return None
        network = self.snapshot()
        parts = split_batch(self.validation.inputs, network.most_rows())
        predicted = np.concatenate([network.forward(part) for part in parts]).argmax(axis=1)
        return float(np.mean(predicted == self.validation.classes))

    def snapshot(self) -> Network:
        """Return a copy of the parameters as they are now."""

        def copy_array(tensor: "torch.Tensor") -> NDArray[np.float32]:
            array: NDArray[np.float32] = tensor.detach().numpy().copy()
            return array

        return Network(
            tuple(
                Convolution(copy_array(weight), copy_array(bias))
                for weight, bias in self.convolutions
            ),
            copy_array(self.output[0]),
            copy_array(self.output[1]),
        )


def _convolution(torch: Any) -> Callable[..., "torch.Tensor"]:  # noqa: ANN401 - a module
    """Return convolution, ReLU and max-pooling as one differentiable function.

    Forward: the word table and its running maximum, docs/method.md (29) and (3). Backward: the
    gradient reaches only the winning windows of the filters that fired, (31).
    """

    class Function(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, weight: Any, bias: Any, batch: InputBatch) -> Any:  # noqa: ANN401
            width, filters, dimensions = weight.shape
            vectors = torch.from_numpy(batch.vectors)
            flat = torch.mm(vectors, weight.view(-1, dimensions).T)
            table = flat.view(len(batch.vectors), width, filters).numpy()
            table[:, 0] += bias.numpy()
            pooled, winners = pooled_maxima(batch.ids, batch.offsets, table)
            ctx.batch, ctx.pooled, ctx.winners, ctx.width = batch, pooled, winners, width
            return torch.from_numpy(pooled)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:  # noqa: ANN401
            batch = ctx.batch
            fired = gradient.numpy() * (ctx.pooled > 0)
            weight_gradient = filter_gradient(
                batch.ids, batch.offsets, batch.vectors, ctx.winners, fired, ctx.width
            )
            return torch.from_numpy(weight_gradient), torch.from_numpy(fired.sum(axis=0)), None

    apply: Callable[..., torch.Tensor] = Function.apply
    return apply
