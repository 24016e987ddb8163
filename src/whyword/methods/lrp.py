"""Layer-wise relevance propagation: each unit's relevance shared out by what its inputs gave."""

from typing import Any

from whyword.base.checks import one_of, real_number
from whyword.base.errors import Argument, InputError
from whyword.base.printable import shown
from whyword.explanation.phrases import Phrases
from whyword.methods.registry import Kind, Method, Parameter, Settings, register
from whyword.models.abilities import Layered
from whyword.models.protocol import Decomposable, ElementWise, Filtered, Phrased, Rows, Targets
from whyword.models.relevance import FilterRelevance, Relevance


def _compute(
    trace: Decomposable,
    targets: Targets,
    elements: bool = False,
    **rule: Any,  # noqa: ANN401 - the parameters below
) -> Relevance:
    return trace.lrp(targets, elements=elements, **rule)


def _sums(trace: ElementWise, targets: Targets, each: bool = False, **rule: Any) -> Rows:  # noqa: ANN401
    return trace.lrp_sums(targets, each, **rule)


def _filters(trace: Filtered, targets: Targets, **rule: Any) -> FilterRelevance:  # noqa: ANN401
    return trace.lrp_filters(targets, **rule)


def _phrases(trace: Phrased, targets: Targets, **rule: Any) -> list[Phrases]:  # noqa: ANN401
    return trace.lrp_phrases(targets, **rule)


def _conserves(kind: Kind, settings: Settings) -> bool:
    return issubclass(kind, Decomposable) and kind.rule_conserves(settings)


def _layer(name: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(Argument(name), f" must be the name of a layer, not {shown(value)}")
    return value


LRP = register(
    Method(
        name="lrp",
        meaning="layer-wise relevance propagation, as in the paper",
        compute=_compute,
        needs=Decomposable,
        parameters=(
            Parameter(
                "epsilon",
                0.01,
                lambda name, value: real_number(name, value, above=0),
                "steadies small denominators",
            ),
            Parameter(
                "bias",
                "shared",
                lambda name, value: one_of(name, value, ("shared", "apart")),
                "biases and ε are 'shared' among the words, or kept 'apart' as the constant",
            ),
            Parameter(
                "attention",
                "fixed",
                lambda name, value: one_of(name, value, ("fixed", "attnlrp")),
                "attention weights are 'fixed', or have a share, too ('attnlrp', which leaks)",
            ),
            Parameter(
                "positions",
                "apart",
                lambda name, value: one_of(name, value, ("apart", "with words")),
                "vectors of positions are kept 'apart', or go 'with words' that stand there",
            ),
            Parameter(
                "layer",
                None,
                _layer,
                "the hidden layer at which relevance is read, by its name",
                values=str,
                names_of=lambda model: model.layer_names if isinstance(model, Layered) else (),
            ),
        ),
        conserves=_conserves,
        residual="lost by the rule",
        of_features=True,
        element_sums=_sums,
        filters=_filters,
        phrases=_phrases,
    )
)
