"""One frozen pass over a batch, and the ways back from its scores to the words."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from whyword.base.errors import InputError, ModelError
from whyword.base.printable import reason
from whyword.models.protocol import Scores, Targets
from whyword.models.pytorch import (  # noqa: F401 - their rules
    activations,
    attention,
    normalisation,
    products,
    recurrence,
    reductions,
)
from whyword.models.pytorch.booking import LostRows
from whyword.models.pytorch.functions import tensors_in
from whyword.models.pytorch.leaf_values import (
    looked_up,
    spread,
    spread_elements,
    table_starts,
    width_of,
)
from whyword.models.pytorch.module_rules import module_rules
from whyword.models.pytorch.network import Batch, Network, logits_of
from whyword.models.pytorch.propagation import Propagation
from whyword.models.pytorch.rows import Rows
from whyword.models.pytorch.rules import find_rule
from whyword.models.pytorch.shared_bias import find_shared_rule
from whyword.models.pytorch.tags import Role
from whyword.models.pytorch.word_vectors import Leaf

_BATCHED = 1 << 15  # tokens times classes that go back at once
_TOLERANCE = 1e-5  # of scores with and without freezing, relative to max(1, |score|)
_MANY = 4  # texts of a batch, of which the first and the last are compared
FIXED = "fixed"


class FrozenRule(NamedTuple):
    """How a module is frozen.

    Attributes
    ----------
    attention : {"fixed", "attnlrp"}
    epsilon : float or None
        Of the paper's rule, which shares biases; None keeps them apart.
    layer : str or None
        The part of the module at whose output relevance is found; None for the words' vectors.
    """

    attention: str = FIXED
    epsilon: float | None = None
    layer: str | None = None


@dataclass(frozen=True, eq=False)
class TokenRelevance:
    """The relevance in a batch, for K targets.

    Attributes
    ----------
    tokens, places : (B, T, K) float64
        Of the ids passed, and of their places.
    others : (B, K) float64
        Of what the module put in beside them.
    constant : (B, K) float64
    elements : (B, T, D, K) float32, or None
    """

    tokens: Scores
    places: Scores
    others: Scores
    constant: Scores
    elements: NDArray[np.float32] | None = None


class FrozenPass:
    """A forward pass that is linear in the words.

    Parameters
    ----------
    network : Network
    batch : Batch
    rule : FrozenRule

    Attributes
    ----------
    outputs : (B, C) or (B, 1) Tensor
        The scores as the module gives them, with their graph.
    """

    def __init__(self, network: Network, batch: Batch, rule: FrozenRule) -> None:
        self._network, self._batch, self._rule = network, batch, rule
        module = network.module
        self._hidden: list[Leaf] = []
        self._run = run = Propagation(
            module,
            batch.ids,
            find_rule=find_rule if rule.epsilon is None else find_shared_rule,
            change=batch.change if batch.has_zeros else None,
            tables=network.tables,
            other_ids=batch.other_ids(),
            attention=rule.attention,
            epsilon=rule.epsilon,
        )
        with network.lock, torch.enable_grad(), module_rules(run), self._cut(run, rule.layer), run:
            said = self._called(run)
        tag = run.tag(said)
        if tag.source is not None and network.ends_in:
            said = tag.source
        said = run.signal(said)
        self.outputs = network.checked(said, batch)
        if run.role(said) is not Role.SIGNAL or not said.requires_grad:
            raise ModelError(f"the scores of {type(module).__name__} do not depend on the words")
        self.constants = run.constants

    def _called(self, run: Propagation) -> Tensor:
        try:
            said: Tensor = logits_of(self._network.call(self._batch))
        except (InputError, LostRows):
            raise
        except Exception as error:
            raise ModelError(
                f"{run.module_name()} failed while frozen ({reason(error)})"
            ) from error
        if not isinstance(said, Tensor):
            self._network.checked(said, self._batch)
        return said

    @contextmanager
    def _cut(self, run: Propagation, layer: str | None) -> Iterator[None]:
        """Let relevance end at a layer: what it says there is put in anew."""
        if layer is None:
            yield
            return
        thread = threading.get_ident()

        def put_in(part: nn.Module, args: Any, out: Any) -> Any:
            if threading.get_ident() != thread:
                return None
            with torch._C.DisableTorchFunction():
                return self._put_in(run, layer, out)

        handle = run.module.get_submodule(layer).register_forward_hook(put_in)
        try:
            yield
        finally:
            handle.remove()
        if not self._hidden:
            raise InputError(f"the layer {layer!r} says nothing in this module")

    def _put_in(self, run: Propagation, layer: str, out: Any) -> Any:
        first = next(tensors_in(out), None)
        if first is None or first.shape[:2] != run.ids.shape or first.dim() != 3:
            shape = "no tensor" if first is None else f"{tuple(first.shape)} numbers"
            texts, count = run.ids.shape
            raise InputError(
                f"the layer {layer!r} gives {shape}; a vector for each of the {count} tokens of "
                f"{texts} texts is needed, ({texts}, {count}, …)"
            )
        leaf = run.value(run.signal(first)).requires_grad_()
        tokens = torch.arange(run.ids.numel()).reshape(run.ids.shape)
        self._hidden.append(Leaf(leaf, tokens, layer))
        rows = Rows.first_axis(leaf.shape) if len(leaf) > 1 else None
        made = run.result(leaf.view_as(leaf), rows)
        if isinstance(out, Tensor):
            return made
        if isinstance(out, tuple):
            return tuple(made if one is first else one for one in out)
        name = next(name for name, one in out.items() if one is first)
        out[name] = made
        return out

    # ---- back ---------------------------------------------------------------------------------

    def relevance(self, targets: Targets, elements: bool = False) -> TokenRelevance:
        """Return the relevance for (B, K) targets."""
        run = self._run
        words, places = self._hidden or run.words, run.places
        passing = run.words if self._hidden else []  # what does not go through a hidden layer
        inputs = [leaf.vectors for leaf in (*words, *places)] + list(self.constants.values())
        inputs += [leaf.vectors for leaf in passing]
        batch, classes = targets.shape
        tokens = run.ids.shape[1]
        shape = (batch, tokens, classes)
        found = TokenRelevance(
            np.zeros(shape),
            np.zeros(shape),
            np.zeros((batch, classes)),
            np.zeros((batch, classes)),
            np.zeros((batch, tokens, width_of(words), classes), np.float32) if elements else None,
        )
        step = max(1, _BATCHED // (batch * tokens))
        for first in range(0, classes, step):
            some = slice(first, min(classes, first + step))
            gradients = self._gradients(inputs, targets[:, some])
            of_words, of_constants = gradients[: len(words)], len(inputs) - len(passing)
            if self._hidden and all(one is None for one in of_words):
                raise InputError(
                    f"the layer {self._rule.layer!r} has no share in the scores: it only makes "
                    "weights (of attention, say), which are fixed"
                )
            self._add_up(found, words, places, gradients[:of_constants], some)
            self._add_passing(found.others[:, some], passing, gradients[of_constants:])
        return found

    def vectors(self) -> NDArray[np.float32]:
        """Return the words' vectors, (B, T, D)."""
        return looked_up(self._run.words, self._batch.ids.shape)

    def _add_passing(
        self, others: Scores, passing: list[Leaf], gradients: list[Tensor | None]
    ) -> None:
        """Add what words say past a hidden layer to what is no word's."""
        for leaf, gradient in zip(passing, gradients, strict=True):
            if gradient is not None:
                each = gradient.reshape(-1, *leaf.vectors.shape) * leaf.vectors.detach()
                values = each.sum(-1).double().reshape(len(each), -1).numpy().T
                np.add.at(others, leaf.documents(self._run.ids.shape[1]), values)

    def _gradients(self, inputs: list[Tensor], targets: Targets) -> list[Tensor | None]:
        """Return the gradients with respect to inputs, (K, …) each."""
        seeds = self._seeds(targets)
        if self._rule.epsilon is not None and len(seeds) > 1:  # its ways back are not batched
            each = [self._gradients(inputs, targets[:, [column]]) for column in range(len(seeds))]
            return [
                None if some[0] is None else torch.stack(some) for some in zip(*each, strict=True)
            ]
        several = len(seeds) > 1
        with self._network.lock:
            return list(
                torch.autograd.grad(
                    self.outputs,
                    inputs,
                    seeds if several else seeds[0],
                    retain_graph=True,
                    allow_unused=True,
                    is_grads_batched=several,
                )
            )

    def _seeds(self, targets: Targets) -> Tensor:
        """Return what goes back from the outputs, (K, B, C) or (K, B, 1)."""
        chosen = torch.from_numpy(targets.astype(np.int64)).T
        if self._network.single:
            seeds = (2 * chosen - 1).unsqueeze(-1).to(self.outputs.dtype)
        else:
            seeds = torch.zeros((*chosen.shape, self.outputs.shape[1]), dtype=self.outputs.dtype)
            seeds.scatter_(2, chosen.unsqueeze(-1), 1.0)
        # where biases are shared, it is relevance that goes back, from the score itself
        return seeds if self._rule.epsilon is None else seeds * self.outputs.detach()

    def _add_up(
        self,
        found: TokenRelevance,
        words: list[Leaf],
        places: list[Leaf],
        gradients: list[Tensor | None],
        some: slice,
    ) -> None:
        count = some.stop - some.start
        starts = table_starts(words)
        for leaf, gradient in zip((*words, *places), gradients, strict=False):
            if gradient is None:
                continue
            gradient = gradient.reshape(count, *leaf.vectors.shape)
            each = gradient.detach()
            if self._rule.epsilon is None:
                each = each * leaf.vectors.detach()
            is_place = any(leaf is one for one in places)
            sums = found.places if is_place else found.tokens
            spread(sums[..., some], found.others[:, some], leaf, each.sum(-1).double())
            if found.elements is not None and not is_place:
                start = starts[id(leaf)]
                part = found.elements[:, :, start : start + each.shape[-1], some]
                spread_elements(part, leaf, each)
        for gradient in gradients[len(words) + len(places) :]:
            if gradient is not None:
                found.constant[:, some] += gradient.reshape(count, -1).double().numpy().T

    def constants_by_name(self, targets: Targets) -> dict[str, Scores]:
        """Return what each constant said, (B, K) each; places are constants, too."""
        said = {name: np.zeros(targets.shape) for name in self.constants}
        said |= {leaf.name: np.zeros(targets.shape) for leaf in self._run.places}
        inputs = list(self.constants.values()) + [leaf.vectors for leaf in self._run.places]
        for column in range(targets.shape[1]):
            gradients = self._gradients(inputs, targets[:, column : column + 1])
            for name, gradient in zip(self.constants, gradients, strict=False):
                if gradient is not None:
                    said[name][:, column] += gradient.reshape(-1).double().numpy()
            for leaf, gradient in zip(
                self._run.places, gradients[len(self.constants) :], strict=True
            ):
                if gradient is not None:
                    each = (gradient.reshape(leaf.vectors.shape) * leaf.vectors.detach()).sum(-1)
                    values = each.double().reshape(-1).numpy()
                    documents = leaf.documents(self._run.ids.shape[1])
                    np.add.at(said[leaf.name][:, column], documents, values)
        return said


class FrozenPasses:
    """The frozen passes of batches by one rule: what fits is kept, the rest made anew when asked.

    Parameters
    ----------
    network : Network
    batches : list of Batch
        One in which documents get mixed up is replaced by its texts, one each.
    rule : FrozenRule
    check : bool
        Whether the scores of the first are compared with the module's own.
    """

    def __init__(
        self, network: Network, batches: list[Batch], rule: FrozenRule, check: bool
    ) -> None:
        self._network, self._batches, self._rule, self._check = network, batches, rule, check
        self._kept: list[FrozenPass] = []  # of the first batches
        self._tokens = 0

    def __iter__(self) -> Iterator[tuple[Batch, FrozenPass]]:
        at = 0
        while at < len(self._batches):
            batch = self._batches[at]
            try:
                one = self._kept[at] if at < len(self._kept) else self._made(at)
            except LostRows:
                if len(batch.numbers) == 1:
                    raise
                self._network.mixes = True
                rows = range(len(batch.numbers))
                self._batches[at : at + 1] = [batch.part(slice(row, row + 1)) for row in rows]
                continue
            yield batch, one
            at += 1

    def _made(self, at: int) -> FrozenPass:
        batch = self._batches[at]
        one = FrozenPass(self._network, batch, self._rule)
        if self._check and at == 0:
            _compare(self._network, batch, one.outputs.detach())
        if at == len(self._kept) and self._tokens < self._network.most_tokens:
            self._kept.append(one)
            self._tokens += int(batch.mask.sum())
        return one


def _compare(network: Network, batch: Batch, frozen: Tensor) -> None:
    """Raise unless freezing changed nothing; of many texts, two are looked at."""
    step = 1 if len(frozen) < _MANY else len(frozen) - 1
    plain, frozen = network.outputs(batch.part(slice(None, None, step))), frozen[::step]
    apart = (plain - frozen).abs() / plain.abs().clamp(min=1)
    if not bool((apart <= _TOLERANCE).all()) and bool(plain.isfinite().all()):
        raise ModelError(
            f"{type(network.module).__name__} gives scores {float(apart.max()):.2g} off when it is "
            "frozen: it does something that is not followed, and so is not explained"
        )
