"""How much is computed, as what results are kept by."""

from dataclasses import replace

from whyword.reports.plan import QUICK, Plan


def test_a_plan_as_inputs() -> None:
    inputs = Plan().as_inputs()
    assert (inputs["train"], inputs["epochs"], inputs["filters"]) == (None, 15, 1.0)
    assert Plan(**inputs) == Plan()
    assert replace(Plan(), seed=1).as_inputs() != inputs


def test_the_quick_plan_takes_less() -> None:
    whole = Plan()
    assert QUICK.train is not None
    assert QUICK.test is not None
    for name in ("cbow_epochs", "epochs", "filters", "folds", "runs", "validation"):
        assert getattr(QUICK, name) < getattr(whole, name)
