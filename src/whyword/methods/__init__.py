"""The ways of tracing a score back to words: each registers itself when it is imported."""

# in the order in which they are listed
from whyword.methods import lrp, sensitivity, gradient_input  # noqa: F401, I001
from whyword.methods import integrated_gradients, occlusion, chance  # noqa: F401
