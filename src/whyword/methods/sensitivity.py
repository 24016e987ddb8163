"""Sensitivity analysis: squared partial derivatives of the score."""

from whyword.methods.registry import Method, register
from whyword.models.protocol import Differentiable, ElementWise, Filtered, Rows, Targets
from whyword.models.relevance import FilterRelevance, Relevance


def _compute(trace: Differentiable, targets: Targets, elements: bool = False) -> Relevance:
    return trace.sensitivity(targets, elements=elements)


def _sums(trace: ElementWise, targets: Targets, each: bool = False) -> Rows:
    return trace.sensitivity_sums(targets, each)


def _filters(trace: Filtered, targets: Targets) -> FilterRelevance:
    return trace.sensitivity_filters(targets)


SENSITIVITY = register(
    Method(
        name="sensitivity",
        meaning="the squared gradient: where a small change would matter",
        compute=_compute,
        needs=Differentiable,
        of_features=True,
        element_sums=_sums,
        filters=_filters,
    )
)
