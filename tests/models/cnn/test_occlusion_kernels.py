"""The loop by itself; the values are held against the oracle in test_trace.py."""

import numpy as np
import oracle
import pytest
from networks import literal_parts, made_cnn, made_text

from whyword.models.cnn.inputs import PADDING
from whyword.models.cnn.occlusion_kernels import losses_without
from whyword.models.cnn.relevance_kernels import OutputRelevance


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("filters", [6, 64, 70])
def test_losses_are_added_to_what_is_there(width: int, filters: int) -> None:
    """Filters are done 64 at a time: as many, fewer and more."""
    model, numbers = made_cnn((width,), filters=filters), [0, 1, 2, 3, 6, 1]
    (trace,) = model.trace([made_text(numbers)], columns=3)
    (activations,) = trace.activations
    targets, unused = np.array([[2, 0, 1]], np.int32), np.zeros((1, 3))
    output = OutputRelevance(trace.network.output_weight, targets, unused, unused)
    losses = np.full((len(numbers), 3), 5, np.float32)
    losses_without(activations, output, PADDING, losses)
    expected = oracle.occlusion(*literal_parts(model, made_text(numbers)), words=len(numbers))
    np.testing.assert_allclose(losses - 5, expected[:, [2, 0, 1]], rtol=1e-4, atol=1e-4)
