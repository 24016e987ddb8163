"""The paper's network, and its formulas beside it."""
