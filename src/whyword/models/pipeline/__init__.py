"""Somebody's scikit-learn pipeline, linear at heart: taken apart, and its formulas beside it."""
