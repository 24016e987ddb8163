"""Integrated gradients: what each input contributes on the way from nothing to what it is."""

from whyword.base.checks import whole_number
from whyword.methods.registry import Cost, Kind, Method, Parameter, Settings, register
from whyword.models.integration import MOST_STEPS
from whyword.models.protocol import ElementWise, Integrable, Rows, Targets
from whyword.models.relevance import Relevance


def _compute(trace: Integrable, targets: Targets, steps: int, elements: bool = False) -> Relevance:
    return trace.integrated_gradients(targets, steps=steps, elements=elements)


def _sums(trace: ElementWise, targets: Targets, each: bool = False, *, steps: int) -> Rows:
    return trace.integrated_gradients_sums(targets, each, steps=steps)


def _passes(kind: Kind, settings: Settings) -> int:
    return kind.integration_passes(settings["steps"]) if issubclass(kind, Integrable) else 1


INTEGRATED_GRADIENTS = register(
    Method(
        name="integrated_gradients",
        meaning="the gradient times the input, averaged on the way from vectors of zeros",
        compute=_compute,
        needs=Integrable,
        parameters=(
            Parameter(
                "steps",
                50,
                lambda name, value: whole_number(name, value, most=MOST_STEPS),
                "points on the way, by Gauss and Legendre's rule",
            ),
        ),
        residual="missed between the steps",
        cost=Cost.PER_STEP,
        passes=_passes,
        of_features=True,
        element_sums=_sums,
    )
)
