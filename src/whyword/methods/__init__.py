"""The ways of tracing a score back to words: each registers itself when it is imported."""

from whyword.methods import lrp, sensitivity, gradient_input, occlusion, chance  # noqa: F401, I001 - in the order in which they are listed
