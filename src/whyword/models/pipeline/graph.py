"""A pipeline's steps from texts to the classifier's features, and back.

Nodes are in an order in which each comes after those that it is given: vectorisers, which read
texts; unions, which put features side by side; steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import scipy_sparse
from whyword.base.errors import InputError
from whyword.models.linear.bag import FeatureRow
from whyword.models.pipeline.gradients import (
    Flow,
    Gradient,
    Matrix,
    Part,
    Values,
    Weights,
    start_flow,
)
from whyword.models.pipeline.steps import Step
from whyword.models.pipeline.vectorizer import Vectorizer
from whyword.models.protocol import Scores

_MOST_WAYS = 1_000  # from the classifier down to vectorisers
_DENSE = 1 << 23  # numbers of a block where none is 0


class Union:
    """Features side by side."""

    name = "union"


Work: TypeAlias = Vectorizer | Union | Step


class Node(NamedTuple):
    """Something in a pipeline, and the numbers of the nodes that it is given."""

    work: Work
    inputs: tuple[int, ...] = ()


class Graph:
    """Nodes, of which the last is what the classifier sees.

    Attributes
    ----------
    nodes : list of Node
    widths : list of int
        How many features each has.
    """

    def __init__(self, nodes: Sequence[Node] = ()) -> None:
        self.nodes: list[Node] = []
        self.widths: list[int] = []
        self._mixed: list[bool] = []
        self._ways: list[int] = []
        for node in nodes:
            self.add(*node)

    def add(self, work: Work, inputs: tuple[int, ...] = ()) -> int:
        """Add a node over some of those that are there, and return its number; raise if unfit."""
        mixed = any(self._mixed[number] for number in inputs)
        below = [self.widths[number] for number in inputs]
        if isinstance(work, Vectorizer):
            width = work.width
        elif isinstance(work, Union):
            width = sum(below)
        else:
            width = work.width(*below)
            if mixed and not work.is_factor:
                raise InputError(f"{work.name} stands over sums of features: that is not linear")
            mixed |= work.mixes
        ways = sum(self._ways[number] for number in inputs) or 1
        if ways > _MOST_WAYS or not 0 < width < 1 << 31:
            raise InputError(f"it has {ways:,} ways from texts to {width:,} features")
        self.nodes.append(Node(work, inputs))
        self.widths.append(width)
        self._mixed.append(mixed)
        self._ways.append(ways)
        return len(self.nodes) - 1

    def is_mixed(self, number: int) -> bool:
        """Whether a node's features are sums of a vectoriser's, or moved: few of them are 0."""
        return self._mixed[number]

    def pruned(self, last: int) -> "Graph":
        """Return the graph that ends there, without what that does not need."""
        needed = sorted(self._needed(last, ()))
        new = {number: place for place, number in enumerate(needed)}
        return Graph(
            [
                Node(self.nodes[number].work, tuple(new[one] for one in self.nodes[number].inputs))
                for number in needed
            ]
        )

    def _needed(self, last: int, given: Sequence[int] | Mapping[int, Matrix]) -> set[int]:
        needed, waiting = set[int](), [last]
        while waiting:
            number = waiting.pop()
            if number not in needed and number not in given:
                needed.add(number)
                waiting += self.nodes[number].inputs
        return needed

    def vectorizers_there(self) -> list[Vectorizer]:
        """Return the vectorisers among the nodes, each once."""
        return [node.work for node in self.nodes if isinstance(node.work, Vectorizer)]

    @cached_property
    def vectorizers(self) -> list[Vectorizer]:
        """The vectorisers at the ends of all ways down, in order; one may be there several times.

        What they see, side by side, are a text's features.
        """
        found, waiting = [], [len(self.nodes) - 1]
        while waiting:
            work, inputs = self.nodes[waiting.pop()]
            if isinstance(work, Vectorizer):
                found.append(work)
            waiting += reversed(inputs)
        return found

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the features of each of :attr:`vectorizers` begin, and where the last ones end."""
        return np.cumsum([0, *(one.width for one in self.vectorizers)], dtype=np.intp)

    @property
    def documents_at_once(self) -> int:
        """How many documents a block may have, so that what has no zeros fits."""
        pairs = zip(self.nodes, self.widths, strict=True)
        dense = [width for node, width in pairs if getattr(node.work, "mixes", False)]
        return max(1, min(256, _DENSE // max([1, *dense])))

    def reach(self) -> tuple[float, float]:
        """Return bounds of what one occurrence may be to the classifier, and on the way to it."""
        largest: list[float] = []
        for work, inputs in self.nodes:
            below = max([0.0, *(largest[one] for one in inputs)])
            if isinstance(work, Vectorizer):
                below = work.reach()
            largest.append(work.reach(below) if isinstance(work, Step) else below)
        return largest[-1], max(largest)

    # ---- forward ------------------------------------------------------------------------------

    def outputs(
        self, texts: Sequence[str], last: int, given: Mapping[int, Matrix] | None = None
    ) -> dict[int, Matrix]:
        """Return what nodes make of texts, by number, as far as the last one needs them.

        Parameters
        ----------
        texts : sequence of n str
        last : int
        given : dict, optional
            What nodes have made already, (n, width) csr.
        """
        made = dict(given or {})
        for number in sorted(self._needed(last, made)):
            work, inputs = self.nodes[number]
            if isinstance(work, Vectorizer):
                made[number] = work.forward(texts)
            elif isinstance(work, Union):
                made[number] = scipy_sparse().hstack([made[one] for one in inputs], "csr")
            else:
                made[number] = work.forward(made[inputs[0]])
        return made

    def run(self, texts: Sequence[str], weight: Values, bias: Values) -> "Pass":
        """Return a pass of texts through everything, and a linear classifier behind it."""
        return Pass(self, self.outputs(texts, len(self.nodes) - 1), weight, bias)

    # ---- and back -----------------------------------------------------------------------------

    def flows(self, made: Mapping[int, Matrix], weight: Values) -> tuple[list[Flow], Values]:
        """Return what comes back to :attr:`vectorizers`, and what is added to biases, (n, C)."""
        last = len(self.nodes) - 1
        biases = np.zeros((made[last].shape[0], weight.shape[1]))
        found, waiting = [], [(last, start_flow(made[last], Weights(weight)))]
        while waiting:
            number, flow = waiting.pop()
            work, inputs = self.nodes[number]
            if isinstance(work, Vectorizer):
                found.append(flow)
            elif isinstance(work, Union):
                ends = np.cumsum([0, *(self.widths[one] for one in inputs)]).tolist()
                parts = [_part(flow, start, end) for start, end in pairwise(ends)]
                waiting += reversed(list(zip(inputs, parts, strict=True)))
            else:
                below, said = work.back(flow, made[inputs[0]])
                biases += 0 if said is None else said
                waiting.append((inputs[0], below))
        return found, biases


def _part(flow: Flow, start: int, end: int) -> Flow:
    """Return what comes back to some of the features that stand side by side."""
    size = flow.values.shape[1]
    return replace(
        flow,
        values=flow.values[:, start:end],
        gradient=Part(flow.gradient, start, size),
        columns=lambda: flow.columns()[start:end],
    )


@dataclass(frozen=True, eq=False)
class Pass:
    """Texts that went through a pipeline, to n rows of C scores; what comes back is made if asked.

    Attributes
    ----------
    graph : Graph
    made : dict of csr
        What the nodes made.
    weight : (P, C) float64
    bias : (C,) float64
    """

    graph: Graph
    made: Mapping[int, Matrix]
    weight: Values
    bias: Values

    @property
    def last(self) -> Matrix:
        """What the classifier sees, (n, P) csr."""
        return self.made[len(self.graph.nodes) - 1]

    @cached_property
    def scores(self) -> Scores:
        """The scores, (n, C)."""
        scores: Scores = self.last @ self.weight + self.bias
        return scores

    @cached_property
    def _back(self) -> tuple[list[Gradient], Matrix, Values]:
        flows, biases = self.graph.flows(self.made, self.weight)
        values = scipy_sparse().hstack([flow.values for flow in flows], "csr")
        values.sort_indices()
        values.eliminate_zeros()
        return [flow.gradient for flow in flows], values, biases + self.bias

    @property
    def biases(self) -> Values:
        """Each text's bias, what was moved included, (n, C)."""
        return self._back[2]

    @cached_property
    def rows(self) -> list[FeatureRow]:
        """The vectorisers' features, side by side, with the values that have a gradient."""
        values = self._back[1]
        places = values.indices.astype(np.intp)
        return [
            FeatureRow(places[start:end], values.data[start:end])
            for start, end in pairwise(values.indptr.tolist())
        ]

    def gradient(self, number: int) -> Values:
        """Return the gradient with respect to a text's values, (features of the text, C)."""
        gradients, starts = self._back[0], self.graph.starts
        places = self.rows[number].places
        cuts = np.searchsorted(places, starts)
        parts = [
            one.at(number, places[cuts[way] : cuts[way + 1]] - starts[way])
            for way, one in enumerate(gradients)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
