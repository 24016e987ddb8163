"""What is put in is a constant, and nothing else is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_networks import Written, freeze, ragged, relevance_of, written

import whyword as ww
from whyword.base.errors import ModelError
from whyword.models.pytorch.rules import RULES, find_rule, rule_for

random = torch.Generator().manual_seed(0)
X = torch.randn(2, 3, 4, generator=random, dtype=torch.float64)
NONE = torch.tensor([torch.nan, 0, 0, 0], dtype=torch.float64)
C = torch.randn(4, generator=random, dtype=torch.float64)
MASK = torch.tensor([True, False, True]).reshape(1, 3, 1).expand(2, 3, 4)

# what each makes of 0 instead of the words is the constant
PUT_IN: dict[str, Callable[[Tensor], Tensor]] = {
    "x + c": lambda x: x + C,
    "c + x": lambda x: C + x,
    "x − c": lambda x: x - C,
    "c − x": lambda x: C - x,
    "1 − x": lambda x: 1 - x,
    "rsub": lambda x: torch.rsub(x, C),
    "alpha": lambda x: torch.sub(x, C, alpha=3),
    "negative": lambda x: -(x + C),
    "a row of each text": lambda x: x + torch.stack([C, 2 * C]).unsqueeze(1),
    "cat": lambda x: torch.cat([C.expand(2, 1, 4), x], 1),
    "cat in front of texts": lambda x: torch.cat([x, x + C])[2:],
    "stack": lambda x: torch.stack([x, C.expand(x.shape)], 1),
    "where": lambda x: torch.where(MASK, x, C),
    "where not": lambda x: torch.where(MASK, 0.5, x),
    "Tensor.where": lambda x: x.where(MASK, C),
    "masked_fill": lambda x: x.masked_fill(MASK, 0.5),
    "pad": lambda x: functional.pad(x, (0, 0, 1, 1), value=2.0),
    "pad with zeros": lambda x: functional.pad(x, (0, 0, 1, 1)),
    "reflected": lambda x: functional.pad(x.mT, (1, 1), mode="reflect").mT,
    "replicated": lambda x: functional.pad(x.mT, (1, 1), mode="replicate").mT,
    "index_put": lambda x: x.index_put((torch.tensor([0]),), C.expand(1, 3, 4)),
    "index_fill": lambda x: x.index_fill(1, torch.tensor([1]), 0.5),
    "index_copy": lambda x: x.index_copy(1, torch.tensor([1]), C.expand(2, 1, 4)),
    "index_add": lambda x: x.index_add(1, torch.tensor([1, 1]), C.expand(2, 2, 4)),
    "scatter": lambda x: x.scatter(1, torch.ones(2, 1, 4, dtype=torch.long), C.expand(2, 1, 4)),
    "scatter_add": lambda x: x.scatter_add(
        1, torch.ones(2, 1, 4, dtype=torch.long), C.expand(2, 1, 4)
    ),
    "scattered into ones": lambda x: torch.ones(2, 5, 4, dtype=x.dtype).scatter_add(
        1, torch.tensor([0, 4, 4]).reshape(1, 3, 1).expand(2, 3, 4), x
    ),
    "slice_scatter": lambda x: torch.slice_scatter(x, C.expand(2, 1, 4), 1, 1, 2),
    "column_stack": lambda x: torch.hstack([x, C.expand(2, 1, 4)]),
}


@pytest.mark.parametrize("name", PUT_IN)
def test_what_zeros_would_give_is_the_constant(name: str) -> None:
    function = PUT_IN[name]
    elements, constant, scores = relevance_of(function, X)
    expected = function(torch.zeros_like(X)).flatten(1, -2).sum(1).numpy()
    np.testing.assert_allclose(constant, expected, atol=1e-10)
    np.testing.assert_allclose(elements.sum((1, 2)) + constant, scores, atol=1e-6)


def test_places_are_told_from_other_constants() -> None:
    """Another vector for each place of the words, as long as they are at their places."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.places = nn.Embedding(60, 3), nn.Embedding(9, 3)
            self.kind, self.later = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(9, 3))

        def forward(self, ids: Tensor) -> object:
            x = self.embedding(ids) * 2 + self.kind - self.places(torch.arange(ids.shape[1]))
            return (x.flip(1) + self.later).sum(1)

    said = freeze(Net().eval(), ragged())
    places = said.passes[0]._run.places
    assert [one.name for one in places] == ["places.weight"]
    assert set(said.passes[0].constants) == {"kind", "later"}
    assert said.residual.max() <= 1e-5


NOTHING: dict[str, Callable[[Tensor], Tensor]] = {
    "dropout": lambda x: functional.dropout(x, 0.5, training=False),
    "feature dropout": lambda x: functional.dropout1d(x, 0.5, False),
    "nan_to_num": torch.nan_to_num,
    "to": lambda x: x.to(torch.float64),
    "positive": lambda x: +x,
    "identity": nn.Identity(),
    "checkpoint": lambda x: x.contiguous().clone(),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_changes_nothing(name: str) -> None:
    elements, constant, _ = relevance_of(NOTHING[name], X)
    np.testing.assert_allclose(elements.sum(-1), X.numpy(), atol=1e-6)
    assert not constant.any()


def test_numbers_that_are_none_become_constants() -> None:
    def mend(m: Written, x: Tensor) -> object:
        asked = m.linear(x).masked_fill(torch.arange(3).reshape(3, 1) < 3, -torch.inf)
        weights = torch.nan_to_num(torch.softmax(asked, 1), 0.3)  # nobody may see anything
        return m.output((weights * x).sum(1))

    assert freeze(written(mend), ragged((3,))).residual.max() <= 1e-10
    elements, constant, _ = relevance_of(lambda x: torch.nan_to_num(x + NONE, 0.3), X)
    np.testing.assert_allclose(constant, 3 * np.array([[0.3, 0, 0, 0]] * 2))
    assert not elements[..., 0, :].any()


def test_random_dropout_is_refused() -> None:
    with pytest.raises(ModelError, match=r"drops out at random; call module.eval\(\)"):
        freeze(
            written(lambda m, x: m.output(functional.dropout(x, 0.5, training=True).sum(1))),
            ragged(),
        )


def test_a_rule_is_that_of_all_names() -> None:
    before = dict(RULES)

    @rule_for("hypot")
    def mine(run: Any, func: Any, args: Any, kwargs: Any) -> Any:
        return None

    try:
        assert find_rule(torch.hypot) is mine
        assert find_rule(Tensor.hypot) is mine
        assert find_rule(torch.fft.fft) is None
    finally:
        RULES.clear()
        RULES.update(before)


def test_freeze_is_a_factor() -> None:
    elements, constant, scores = relevance_of(lambda x: x * ww.pytorch.freeze(x.flip(1)), X)
    np.testing.assert_allclose(elements.sum(-1), (X * X.flip(1)).numpy(), atol=1e-6)
    assert not constant.any()
    assert np.isfinite(scores).all()
