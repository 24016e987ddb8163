"""Gradient times input: what each input contributes while nothing else changes."""

from whyword.explanation.phrases import Phrases
from whyword.methods.registry import Kind, Method, Settings, register
from whyword.models.protocol import Differentiable, ElementWise, Filtered, Phrased, Rows, Targets
from whyword.models.relevance import FilterRelevance, Relevance


def _compute(trace: Differentiable, targets: Targets, elements: bool = False) -> Relevance:
    return trace.gradient_input(targets, elements=elements)


def _sums(trace: ElementWise, targets: Targets, each: bool = False) -> Rows:
    return trace.gradient_input_sums(targets, each)


def _filters(trace: Filtered, targets: Targets) -> FilterRelevance:
    return trace.gradient_input_filters(targets)


def _phrases(trace: Phrased, targets: Targets) -> list[Phrases]:
    return trace.gradient_input_phrases(targets)


def _conserves(kind: Kind, settings: Settings) -> bool:
    return issubclass(kind, Differentiable) and kind.is_piecewise_linear


GRADIENT_INPUT = register(
    Method(
        name="gradient_input",
        meaning="the gradient times the input; what biases say is apart, in the constant",
        compute=_compute,
        needs=Differentiable,
        conserves=_conserves,
        of_features=True,
        element_sums=_sums,
        filters=_filters,
        phrases=_phrases,
    )
)
